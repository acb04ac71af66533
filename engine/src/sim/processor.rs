//! The processor of a node, whose cores are shared by all running jobs.
//!
//! Roughly mirrors the scheduler of a Go program: every job gets an equal share of the processor, and no job waits
//! until another job ends (processor sharing). A job states its duration on an idle machine and its processor time; it
//! may use more than one core at once. If the jobs together need more cores than the node has, all jobs slow down by
//! the same factor. Left out: time slices, priorities and the cost of switching between jobs.

use crate::base::ordered::OrdMap;
use crate::base::time::{SimDuration, SimTime};

/// The work of a job: its duration, its CPU time and its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessorWork {
    /// The duration on an idle machine, in picoseconds.
    pub alone_ps: u64,
    /// The processor time, in picoseconds.
    pub cpu_ps: u64,
    /// The memory that the job occupies until it ends, in bytes.
    pub memory: u64,
}

impl ProcessorWork {
    /// Returns the work of a job that waits while its core is idle.
    pub fn idle(duration: SimDuration) -> Self {
        Self {
            alone_ps: duration.0.saturating_mul(PS_PER_US),
            ..Self::default()
        }
    }

    /// Returns the total work of two parts that run one after the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            alone_ps: self.alone_ps.saturating_add(other.alone_ps),
            cpu_ps: self.cpu_ps.saturating_add(other.cpu_ps),
            memory: self.memory.saturating_add(other.memory),
        }
    }

    /// Returns the work of processing `count` items, where `self` is the work of one item.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self {
            alone_ps: self.alone_ps.saturating_mul(count),
            cpu_ps: self.cpu_ps.saturating_mul(count),
            memory: self.memory.saturating_mul(count),
        }
    }

    /// Returns the same work, but with `bytes` bytes of additional memory.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self {
            memory: self.memory.saturating_add(bytes),
            ..self
        }
    }

    /// Returns the duration on an idle machine.
    pub fn alone(self) -> SimDuration {
        SimDuration(self.alone_ps / PS_PER_US)
    }

    /// Returns the number of cores that the job keeps busy on an idle machine, in millionths of a core; at least one
    /// millionth.
    fn demand(self) -> u64 {
        let cpu = u128::from(self.cpu_ps) * u128::from(MILLION);
        let share = cpu / u128::from(self.alone_ps.max(1));
        u64::try_from(share).unwrap_or(u64::MAX / MILLION).max(1)
    }
}

/// The maximum duration, on an idle machine, of work that ends immediately. Because of this limit, the times of small
/// requests depend only on the network.
pub const SHORT: SimDuration = SimDuration::from_millis(1);

const MILLION: u64 = 1_000_000;
const PS_PER_US: u64 = 1_000_000;
const NS_PER_US: u64 = 1_000;

/// A processor, and the jobs that run on it.
///
/// ```
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::sim::processor::{Processor, ProcessorWork};
/// let mut processor = Processor::new(1);
/// let second = ProcessorWork { alone_ps: 1_000_000_000_000, cpu_ps: 1_000_000_000_000, memory: 0 };
/// assert_eq!(processor.run(SimTime(0), second, "first"), None);
/// assert_eq!(processor.run(SimTime(0), second, "second"), None);
/// // Two jobs of one second share one core: both take two seconds.
/// assert_eq!(processor.next(), Some(SimTime(2_000_000)));
/// assert_eq!(processor.finished(SimTime(2_000_000)), ["first", "second"]);
/// assert_eq!(processor.next(), None);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Processor<T: Clone> {
    cores: u64,
    /// The time at which the progress of the jobs was last updated.
    now: SimTime,
    /// The progress, in nanoseconds, that a job would have made if it had been running since the processor was last
    /// idle.
    progress_ns: u64,
    /// The running jobs, sorted by the value of `progress_ns` at which they end. Jobs with the same value are in the
    /// order of arrival.
    jobs: OrdMap<(u64, u64), Job<T>>,
    added: u64,
    /// The total number of cores that the jobs need, in millionths of a core.
    demand: u64,
    /// The total processor time of the jobs that have ended, in microseconds.
    used_us: u64,
    /// The total memory of the running jobs, in bytes.
    memory: u64,
}

#[derive(Clone, Debug, Hash)]
struct Job<T> {
    work: ProcessorWork,
    what: T,
}

impl<T: Clone> Processor<T> {
    pub fn new(cores: u64) -> Self {
        Self {
            cores: cores.max(1),
            now: SimTime(0),
            progress_ns: 0,
            jobs: OrdMap::new(),
            added: 0,
            demand: 0,
            used_us: 0,
            memory: 0,
        }
    }

    /// Changes the number of cores; running jobs continue.
    pub fn set_cores(&mut self, now: SimTime, cores: u64) {
        self.advance(now);
        self.cores = cores.max(1);
    }

    pub fn running(&self) -> u64 {
        self.jobs.len() as u64
    }

    pub fn jobs(&self) -> impl Iterator<Item = &T> {
        self.jobs.values().map(|job| &job.what)
    }

    /// Returns the total processor time of the jobs that have ended.
    pub fn used(&self) -> SimDuration {
        SimDuration(self.used_us)
    }

    /// Returns the memory of the running jobs, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Returns true if a job with this work would end immediately: the processor is idle, and the work is short.
    pub fn ends_at_once(&self, work: ProcessorWork) -> bool {
        self.jobs.is_empty() && work.alone() < SHORT
    }

    /// Runs a job. Returns the job if it ends immediately, because the processor is idle and the work is short.
    /// Otherwise, [`finished`](Self::finished) returns the job later.
    pub fn run(&mut self, now: SimTime, work: ProcessorWork, what: T) -> Option<T> {
        if self.ends_at_once(work) {
            self.used_us += work.cpu_ps / PS_PER_US;
            return Some(what);
        }
        self.advance(now);
        if self.jobs.is_empty() {
            self.progress_ns = 0;
        }
        let ends = self.progress_ns.saturating_add(work.alone_ps / NS_PER_US);
        self.added += 1;
        self.demand += work.demand();
        self.memory += work.memory;
        self.jobs.insert((ends, self.added), Job { work, what });
        None
    }

    /// Adds the processor time of background work to the total. The work delays no job.
    pub fn spend(&mut self, work: ProcessorWork) {
        self.used_us += work.cpu_ps / PS_PER_US;
    }

    pub fn clear(&mut self) {
        *self = Self {
            used_us: self.used_us,
            ..Self::new(self.cores)
        };
    }

    /// Returns the time at which the next job ends if no other job is added first.
    pub fn next(&self) -> Option<SimTime> {
        let ((ends, _), _) = self.jobs.get_min()?;
        let left = u128::from(ends.saturating_sub(self.progress_ns));
        let us = if self.demand <= self.capacity() {
            left.div_ceil(u128::from(NS_PER_US))
        } else {
            (left * u128::from(self.demand)).div_ceil(u128::from(self.capacity() * NS_PER_US))
        };
        Some(self.now + SimDuration(u64::try_from(us).unwrap_or(u64::MAX)))
    }

    /// Removes and returns the jobs that have ended by `now`, in the order in which they ended.
    pub fn finished(&mut self, now: SimTime) -> Vec<T> {
        self.advance(now);
        let mut finished = Vec::new();
        while let Some((place, _)) = self.jobs.get_min() {
            let place = *place;
            if place.0 > self.progress_ns {
                break;
            }
            finished.extend(self.remove(place).map(|(job, _)| job));
        }
        finished
    }

    /// Stops the selected jobs. Returns them, each with the processor time of the progress that it made.
    pub fn stop(
        &mut self,
        now: SimTime,
        is_selected: impl Fn(&T) -> bool,
    ) -> Vec<(T, SimDuration)> {
        self.advance(now);
        let selected = self.jobs.iter().filter(|(_, job)| is_selected(&job.what));
        let places: Vec<(u64, u64)> = selected.map(|(place, _)| *place).collect();
        places
            .into_iter()
            .filter_map(|place| self.remove(place))
            .collect()
    }

    /// Removes a job, and counts the processor time of its progress.
    fn remove(&mut self, place: (u64, u64)) -> Option<(T, SimDuration)> {
        let job = self.jobs.remove(&place)?;
        self.demand -= job.work.demand();
        self.memory -= job.work.memory;
        let whole_ns = (job.work.alone_ps / NS_PER_US).max(1);
        let left_ns = place.0.saturating_sub(self.progress_ns).min(whole_ns);
        let used_ps = u128::from(job.work.cpu_ps) * u128::from(whole_ns - left_ns);
        let used_us = (used_ps / u128::from(whole_ns)) as u64 / PS_PER_US;
        self.used_us += used_us;
        Some((job.what, SimDuration(used_us)))
    }

    fn capacity(&self) -> u64 {
        self.cores * MILLION
    }

    fn advance(&mut self, now: SimTime) {
        let passed = now.0.saturating_sub(self.now.0);
        self.now = now;
        if self.jobs.is_empty() {
            return;
        }
        let alone = u128::from(passed) * u128::from(NS_PER_US);
        let made = if self.demand <= self.capacity() {
            alone
        } else {
            alone * u128::from(self.capacity()) / u128::from(self.demand)
        };
        self.progress_ns = self
            .progress_ns
            .saturating_add(u64::try_from(made).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(alone: u64, cpu: u64) -> ProcessorWork {
        ProcessorWork {
            alone_ps: alone * 1_000_000_000,
            cpu_ps: cpu * 1_000_000_000,
            memory: 1_000,
        }
    }

    fn end_all(processor: &mut Processor<u32>) -> Vec<(u64, u32)> {
        let mut ended = Vec::new();
        while let Some(at) = processor.next() {
            for job in processor.finished(at) {
                ended.push((at.0 / 1_000, job));
            }
        }
        ended
    }

    #[test]
    fn jobs_that_fit_do_not_delay_each_other() {
        let mut processor = Processor::new(2);
        assert_eq!(processor.run(SimTime(0), ms(10, 10), 1), None);
        assert_eq!(processor.run(SimTime(5_000), ms(10, 10), 2), None);
        assert_eq!(processor.memory(), 2_000);
        assert_eq!(end_all(&mut processor), [(10, 1), (15, 2)]);
        assert_eq!(processor.memory(), 0);
        assert_eq!(processor.used(), SimDuration::from_millis(20));
    }

    #[test]
    fn a_short_job_passes_a_long_one() {
        let mut processor = Processor::new(1);
        assert_eq!(processor.run(SimTime(0), ms(100, 100), 1), None);
        assert_eq!(processor.run(SimTime(10_000), ms(10, 10), 2), None);
        // Both run at half speed for 20 ms.
        assert_eq!(end_all(&mut processor), [(30, 2), (110, 1)]);
    }

    #[test]
    fn a_stopped_job_has_used_the_processor_time_of_its_progress() {
        let mut processor = Processor::new(1);
        assert_eq!(processor.run(SimTime(0), ms(100, 100), 1), None);
        assert_eq!(processor.run(SimTime(0), ms(100, 100), 2), None);
        let stopped = processor.stop(SimTime(40_000), |job| *job == 1);
        assert_eq!(stopped, [(1, SimDuration::from_millis(20))]);
        assert_eq!(processor.used(), SimDuration::from_millis(20));
        assert_eq!(processor.memory(), 1_000);
        assert_eq!(end_all(&mut processor), [(120, 2)]);
    }

    #[test]
    fn a_job_that_uses_more_cores_than_there_are_takes_longer() {
        let mut processor = Processor::new(2);
        assert_eq!(processor.run(SimTime(0), ms(10, 40), 1), None);
        assert_eq!(end_all(&mut processor), [(20, 1)]);
    }

    #[test]
    fn cpu_time_is_conserved_under_overload() {
        let mut processor = Processor::new(3);
        let mut ended = Vec::new();
        for n in 0..50_u32 {
            let now = SimTime(u64::from(n) * 700);
            while let Some(at) = processor.next().filter(|at| *at <= now) {
                ended.extend(processor.finished(at).into_iter().map(|job| (at.0, job)));
            }
            assert_eq!(processor.run(now, ms(3, 4), n), None);
        }
        while let Some(at) = processor.next() {
            ended.extend(processor.finished(at).into_iter().map(|job| (at.0, job)));
        }
        // Equal jobs end in the order of their arrival. 200 ms of CPU time on three cores, all of them busy from the
        // second job on.
        assert!(ended.iter().map(|(_, job)| *job).eq(0..50_u32));
        assert!((66_600..67_200).contains(&ended[49].0), "{ended:?}");
        assert_eq!(processor.used(), SimDuration::from_millis(200));
    }

    #[test]
    fn a_single_server_has_the_mean_of_the_theory() {
        // Poisson arrivals at a load of 80 %: the theory's mean is the service time divided by one minus the load.
        let mut rng = crate::base::rng::Rng::stream(7, "arrivals");
        let rate = crate::base::rng::Rng::stream(7, "sizes");
        let mut sizes = rate;
        let mut processor = Processor::new(1);
        let (mut now, mut sum, mut count) = (SimTime(0), 0, 0);
        let mut began = std::collections::BTreeMap::new();
        for n in 0..40_000_u32 {
            now = now + SimDuration(exponential(&mut rng, 10_000));
            while let Some(at) = processor.next().filter(|at| *at <= now) {
                for job in processor.finished(at) {
                    sum += (at - began.remove(&job).expect("it runs")).0;
                    count += 1;
                }
            }
            let us = exponential(&mut sizes, 8_000);
            began.insert(n, now);
            let work = ProcessorWork {
                alone_ps: us * 1_000_000,
                cpu_ps: us * 1_000_000,
                memory: 0,
            };
            if let Some(job) = processor.run(now, work, n) {
                began.remove(&job);
                sum += us;
                count += 1;
            }
        }
        let mean = sum / count;
        assert!(
            (36_000..44_000).contains(&mean),
            "{mean} µs instead of 40 ms"
        );
    }

    /// Draws a random duration with this mean. Approximates an exponential distribution in units of 50 µs: in each
    /// unit, the duration ends with the same probability.
    fn exponential(rng: &mut crate::base::rng::Rng, mean: u64) -> u64 {
        let mut us = 0;
        while rng.below(mean / 50) != 0 {
            us += 50;
        }
        us
    }
}
