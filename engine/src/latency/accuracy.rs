//! Measures how accurately etcd QoS, a proposal, enforces its limits. Many runs with random arrivals measure how many
//! requests per second each queue discipline starts.
//!
//! The measurement uses the same limiters as a simulated member, with arrivals at random times instead of requests. A
//! discipline that limits the rate is an M/D/1/K queue: random arrivals, equal service times, one server, and at most K
//! requests at once. Queueing theory gives the mean rate of such a queue, so the measured mean is compared with the
//! theory and not only with the limit.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::qos::ClassKind;
use crate::qos::limiter::{Admission, Limiter};

use super::gaps::Rate;

/// The number of one-second bins in each run. The first second of a run has no bin.
pub const BINS: u64 = 300;
/// The arrival rates at which each discipline is measured, in thousandths of the limit.
pub const LOADS: [u64; 4] = [500, 1_000, 2_000, 10_000];

const SECOND: u64 = 1_000_000;
/// The maximum rate limit that a setting can have, in requests per second.
const QPS_MAX: u64 = 1_000;
const RUNS_MAX: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccuracySetting {
    /// The limit that each discipline enforces, in requests per second.
    pub qps: u64,
    /// The number of runs for each row. Each run has its own seed.
    pub runs: u64,
}

impl Default for AccuracySetting {
    fn default() -> Self {
        Self { qps: 10, runs: 20 }
    }
}

#[derive(Clone, Copy, Debug)]
struct Tested {
    kind: ClassKind,
    /// The maximum number of requests in the queue and in service; `None` if the discipline is not an M/D/1/K queue.
    capacity: Option<usize>,
}

impl AccuracySetting {
    pub fn clamped(self) -> Self {
        Self {
            qps: self.qps.clamp(1, QPS_MAX),
            runs: self.runs.clamp(1, RUNS_MAX),
        }
    }

    /// Returns the duration of each request, for the disciplines that limit running requests. With this duration,
    /// requests that run one at a time reach exactly the limit.
    fn service(self) -> u64 {
        SECOND / self.qps
    }

    fn tested(self) -> [Tested; 9] {
        let mqps = self.qps * 1_000;
        let tbf = |burst| Tested {
            kind: ClassKind::Tbf {
                mqps,
                burst,
                max_wait: SimDuration(0),
            },
            capacity: Some(burst as usize),
        };
        let lbf = |queue| Tested {
            kind: ClassKind::Lbf { mqps, queue },
            capacity: Some(queue as usize + 1),
        };
        let other = |kind, capacity| Tested { kind, capacity };
        let window = SimDuration(SECOND);
        let limit = self.qps;
        [
            tbf(1),
            tbf(2),
            tbf(12),
            lbf(0),
            lbf(2),
            lbf(11),
            other(ClassKind::Window { window, limit }, None),
            other(ClassKind::MaxInflight { num: 1 }, Some(1)),
            other(ClassKind::Prio { num: 1, queue: 11 }, Some(12)),
        ]
    }
}

/// A row of the table: one discipline at one rate of arrivals, over all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AccuracyRow {
    /// The discipline with its parameters, as the flags that set them.
    pub discipline: String,
    /// The mean number of arrivals per second.
    pub offered: f64,
    /// The mean number of requests that start per second.
    pub mean: f64,
    /// The variance of the number of requests that start per second.
    pub variance: f64,
    /// The mean number of starts per second that queueing theory predicts; `None` if the discipline is not an M/D/1/K
    /// queue.
    pub theory: Option<f64>,
    /// The tolerated difference between the measured mean and the mean that queueing theory predicts. This is the sum
    /// of 1 % of the limit, the burst at the start of each run, and three standard errors of the mean.
    pub tolerance: f64,
}

impl AccuracyRow {
    /// Returns the standard deviation of the number of starts per second.
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// Returns true if the measured mean agrees with the theory; `None` if there is no theory for the discipline.
    pub fn is_accurate(&self) -> Option<bool> {
        let theory = self.theory?;
        Some((self.mean - theory).abs() <= self.tolerance)
    }
}

/// An accuracy measurement, which the caller runs in pieces.
///
/// ```
/// use watchglass_engine::latency::accuracy::{Accuracy, AccuracySetting};
/// let mut accuracy = Accuracy::new(AccuracySetting { qps: 1, runs: 1 });
/// while accuracy.advance(1_000) {}
/// assert_eq!(accuracy.into_rows().len(), 36);
/// ```
#[derive(Debug)]
pub struct Accuracy {
    setting: AccuracySetting,
    /// The current run; `None` after the last run.
    run: Option<AccuracyRun>,
    finished: u64,
    /// The number of requests that started in each one-second bin, for all runs of the current row.
    bins: Vec<u32>,
    rows: Vec<AccuracyRow>,
}

/// One run: one discipline, one rate of arrivals, and one seed.
#[derive(Debug)]
struct AccuracyRun {
    limiter: Limiter,
    /// The duration of a request, if the discipline limits running requests.
    service: Option<u64>,
    /// The times at which the running requests end, earliest first.
    ends: VecDeque<u64>,
    rate: Rate,
    rng: Rng,
    /// The time of the last arrival.
    now: u64,
}

impl AccuracyRun {
    /// Simulates the time up to the next arrival, and the arrival. Calls `starts` with the start time of each request
    /// that starts. Returns false if the run has ended.
    fn arrive(&mut self, mut starts: impl FnMut(u64)) -> bool {
        let gap = self.rate.gap(&mut self.rng).map_or(u64::MAX, |gap| gap.0);
        self.now = self.now.saturating_add(gap);
        let is_over = self.now >= (BINS + 1) * SECOND;
        let at = if is_over { u64::MAX } else { self.now };
        while let Some(end) = self.ends.pop_front_if(|end| *end <= at) {
            self.limiter.finish(SimTime(end), 1, 1);
            if self.limiter.start() {
                starts(end);
                self.ends.extend(self.service.map(|service| end + service));
            }
        }
        if is_over {
            return false;
        }
        if let Admission::At(start) = self.limiter.admit(SimTime(at), 1) {
            starts(start.0);
            self.ends
                .extend(self.service.map(|service| start.0 + service));
        }
        true
    }
}

impl Accuracy {
    /// Creates a measurement. Clamps the setting to its bounds.
    pub fn new(setting: AccuracySetting) -> Self {
        let setting = setting.clamped();
        let mut new = Self {
            setting,
            run: None,
            finished: 0,
            bins: Vec::new(),
            rows: Vec::new(),
        };
        new.begin_run();
        new
    }

    /// Simulates at most `arrivals` arrivals. Returns false if all runs have ended.
    pub fn advance(&mut self, arrivals: u32) -> bool {
        let Self { run, bins, .. } = self;
        let Some(run) = run else {
            return false;
        };
        let first = bins.len() - BINS as usize;
        for _ in 0..arrivals {
            let has_more = run.arrive(|start| {
                let bin = (start / SECOND).wrapping_sub(1);
                if bin < BINS {
                    bins[first + bin as usize] += 1;
                }
            });
            if !has_more {
                self.end_run();
                break;
            }
        }
        self.run.is_some()
    }

    pub fn runs_done(&self) -> u64 {
        self.finished
    }

    pub fn runs(&self) -> u64 {
        (self.setting.tested().len() * LOADS.len()) as u64 * self.setting.runs
    }

    pub fn into_rows(self) -> Vec<AccuracyRow> {
        self.rows
    }

    fn row(&self, row: usize) -> Option<(Tested, u64)> {
        let tested = self.setting.tested();
        let tested = tested.get(row / LOADS.len())?;
        Some((*tested, LOADS[row % LOADS.len()]))
    }

    fn begin_run(&mut self) {
        let (row, seed) = (
            self.finished / self.setting.runs,
            self.finished % self.setting.runs,
        );
        self.run = self.row(row as usize).map(|(tested, load)| {
            let holds_places = matches!(
                tested.kind,
                ClassKind::MaxInflight { .. } | ClassKind::Prio { .. }
            );
            AccuracyRun {
                limiter: Limiter::new(SimTime(0), tested.kind),
                service: holds_places.then(|| self.setting.service()),
                ends: VecDeque::new(),
                rate: Rate(self.setting.qps * load),
                rng: Rng::stream(seed, "arrivals"),
                now: 0,
            }
        });
        let bins = self.bins.len() + BINS as usize;
        self.bins.resize(bins, 0);
    }

    fn end_run(&mut self) {
        self.finished += 1;
        if self.finished.is_multiple_of(self.setting.runs)
            && let Some((tested, load)) = self.row(self.rows.len())
        {
            let (mean, variance) = mean_and_variance(&self.bins);
            let (limit, times) = (self.setting.qps as f64, load as f64 / 1_000.0);
            let offered = limit * times;
            let capacity = tested.capacity;
            self.rows.push(AccuracyRow {
                discipline: [tested.kind.name(), " ", &tested.kind.parameters()].concat(),
                offered,
                mean,
                variance,
                theory: capacity.map(|capacity| limit * share(times, capacity)),
                tolerance: 0.01 * limit
                    + capacity.unwrap_or(0) as f64 / BINS as f64
                    + 3.0 * (variance / self.bins.len() as f64).sqrt(),
            });
            self.bins.clear();
        }
        self.begin_run();
    }
}

/// Returns the mean and the variance of the number of starts per second.
fn mean_and_variance(bins: &[u32]) -> (f64, f64) {
    let count = bins.len() as f64;
    let mean = bins.iter().map(|n| f64::from(*n)).sum::<f64>() / count;
    let squares = bins.iter().map(|n| (f64::from(*n) - mean).powi(2));
    (mean, squares.sum::<f64>() / count)
}

/// Returns the rate that an M/D/1/K queue achieves, as a share of the limit, for a load of `rho` times the limit.
fn share(rho: f64, capacity: usize) -> f64 {
    let mut arrivals = vec![(-rho).exp()];
    for n in 1..=capacity {
        arrivals.push(arrivals[n - 1] * rho / n as f64);
    }
    // The distribution of the queue length after a departure, not normalized.
    let mut left = vec![1.0];
    for j in 0..capacity.saturating_sub(1) {
        let others: f64 = (1..=j).map(|i| left[i] * arrivals[j - i + 1]).sum();
        left.push((left[j] - arrivals[j] - others) / arrivals[0]);
    }
    let empty = 1.0 / left.iter().sum::<f64>();
    rho / (empty + rho)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_theory_has_its_closed_forms() {
        for rho in [0.5_f64, 1.0, 2.0, 10.0] {
            assert!((share(rho, 1) - rho / (1.0 + rho)).abs() < 1e-12);
            assert!((share(rho, 2) - rho / (rho + (-rho).exp())).abs() < 1e-12);
        }
        // According to the table of the theory, the rate is 17.6 % and 10.3 % below the limit.
        assert!((share(1.0, 3) - 0.824).abs() < 0.000_5);
        assert!((share(1.0, 5) - 0.897).abs() < 0.000_5);
    }

    #[test]
    fn the_variance_is_that_of_the_bins() {
        let (mean, variance) = mean_and_variance(&[1, 3, 2, 6]);
        assert_eq!((mean, variance), (3.0, 3.5));
    }
}
