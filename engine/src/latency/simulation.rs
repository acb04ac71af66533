//! A simulation of consistent lists in simulated time, which runs the same [`Freshness`] code as a simulated API
//! server.
//!
//! The simulation represents etcd by a revision counter with one watch that never falls behind. The two links preserve
//! the order of their messages. The simulation omits events that cannot affect a list. While no list waits, the
//! simulation draws no writes to the listed resource, because the gaps between these writes are memoryless. The
//! simulation skips periods in which only timers run: it only counts the requests and notifications of these periods.
//!
//! Left out: etcd's own timer in schemes for which [`LabSetting::etcd_timer`] returns `None`, and the random tenth that
//! etcd adds to the timer interval of each stream.

use std::collections::{BTreeMap, VecDeque};

use crate::apiserver::freshness::{
    CallId, EndedBy, Freshness, FreshnessTimer, Moved, ReadId, ReadSpec, Target, Verdict,
    WaitOutcome, Wants,
};
use crate::base::histogram::Histogram;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::sim::cost::CostModel;
use crate::sim::processor::{ProcessorWork, SHORT};

use super::report::{
    Distribution, LabReport, ListParts, RevisionRequest, WaitEnd, WatchMessage, WatchMessageKind,
};
use super::setting::{Arrivals, BURST, LabSetting, Others, Scheme};

/// The start time of a run, long after the creation of the progress requester, so that the requester is idle when the
/// first list arrives.
const BEGIN: SimTime = SimTime(10_000_000);
/// The base-2 logarithm of the number of samples that the simulation keeps for each doubling of the latency.
const SAMPLE_BITS: u32 = 5;
/// The maximum number of messages that the simulation stores with a sample list.
const MESSAGES_MAX: usize = 24;
/// The maximum number of messages of the cache's watch that the simulation stores while lists wait.
const LOG_MAX: usize = 4_096;
/// The number of timer periods that the simulation always executes directly before a list arrives.
const PERIODS_KEPT: u64 = 2;

/// A run of the lab with one setting.
///
/// ```
/// use watchglass_engine::latency::{Scheme, LabSetting, Simulation};
/// let setting = LabSetting { requests: 20_000, ..LabSetting::of(Scheme::TimerOnly) };
/// let mut simulation = Simulation::new(setting);
/// while simulation.advance(1_000) {}
/// let wait = simulation.report().wait;
/// // The next tick is at most 250 ms away, and on average half of this time.
/// assert_eq!(wait.count, 20_000);
/// assert!((123_000_000..127_000_000).contains(&wait.mean_ns), "{}", wait.mean_ns);
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    setting: LabSetting,
    cost: CostModel,
    now: SimTime,
    passed_over: SimDuration,
    freshness: Freshness,
    out: Wants,
    timers: [Option<(SimTime, FreshnessTimer)>; 3],
    // etcd.
    head: u64,
    next_own: Option<SimTime>,
    next_other: Option<SimTime>,
    next_tick: Option<SimTime>,
    /// Whether etcd has sent an event since the last tick of its timer.
    had_event: bool,
    // The cache.
    cache_rv: u64,
    // In-flight messages.
    questions: VecDeque<(SimTime, RevisionCall)>,
    answers: VecDeque<(SimTime, RevisionCall, u64)>,
    requests: VecDeque<(SimTime, Option<u64>)>,
    stream: VecDeque<(SimTime, u64, Moved)>,
    // The lists.
    next_list: SimTime,
    left_of_burst: u64,
    begun: u64,
    /// The arrival times of the lists that are not completed, by list number.
    arrived: BTreeMap<u64, SimTime>,
    draws: Draws,
    // Counters.
    wait: Histogram,
    whole: Histogram,
    fresh: u64,
    by_event: u64,
    from_etcd: u64,
    refused: u64,
    asked: u64,
    notifications: u64,
    requests_passed_over: u64,
    /// The messages of the cache's watch since the arrival of the oldest list that is not completed.
    log: VecDeque<(SimTime, WatchMessageKind)>,
    /// The responses to requests for etcd's revision since the arrival of the oldest list that is not completed. Each
    /// entry contains the call, the time of the response and the revision.
    revisions: VecDeque<(RevisionCall, SimTime, u64)>,
    /// The sample lists, by their rounded latency. See [`sample_key`].
    samples: BTreeMap<u64, ListParts>,
}

#[derive(Clone, Copy, Debug)]
struct RevisionCall {
    id: CallId,
    sent: SimTime,
}

struct ListEnd {
    arrived: SimTime,
    waited: SimDuration,
    by: WaitEnd,
    etcd_us: Option<u64>,
    is_refused: bool,
}

#[derive(Clone, Debug)]
struct Draws {
    lists: Rng,
    own: Rng,
    others: Rng,
    delays: Rng,
}

/// The kinds of events. If several events are due at the same time, the first variant is handled first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Own,
    Other,
    Question,
    Request,
    Tick,
    Message,
    Answer,
    Timer(u8),
    List,
}

/// The latency, rounded down to its first [`SAMPLE_BITS`] + 1 binary digits.
fn sample_key(us: u64) -> u64 {
    let shift = (63 - us.max(1).leading_zeros()).saturating_sub(SAMPLE_BITS);
    us >> shift << shift
}

fn slot_of(timer: FreshnessTimer) -> u8 {
    match timer {
        FreshnessTimer::Progress => 0,
        FreshnessTimer::Deadline => 1,
        FreshnessTimer::Batch => 2,
    }
}

impl Simulation {
    pub fn new(setting: LabSetting) -> Self {
        let setting = setting.clamped();
        let draws = Draws {
            lists: Rng::stream(setting.seed, "lists"),
            own: Rng::stream(setting.seed, "own writes"),
            others: Rng::stream(setting.seed, "other writes"),
            delays: Rng::stream(setting.seed, "wires"),
        };
        // In this scheme, the time without a notification starts with the run.
        let created = match setting.scheme {
            Scheme::TimerAndRequests => BEGIN,
            _ => SimTime(0),
        };
        let mut simulation = Self {
            setting,
            cost: CostModel::KEP_2340,
            now: BEGIN,
            passed_over: SimDuration(0),
            freshness: Freshness::new(setting.policy(), created),
            out: Wants::default(),
            timers: [None; 3],
            head: 1,
            next_own: None,
            next_other: None,
            next_tick: setting.etcd_timer().map(|interval| BEGIN + interval),
            had_event: false,
            cache_rv: 1,
            questions: VecDeque::new(),
            answers: VecDeque::new(),
            requests: VecDeque::new(),
            stream: VecDeque::new(),
            next_list: BEGIN,
            left_of_burst: 0,
            begun: 0,
            arrived: BTreeMap::new(),
            draws,
            wait: Histogram::default(),
            whole: Histogram::default(),
            fresh: 0,
            by_event: 0,
            from_etcd: 0,
            refused: 0,
            asked: 0,
            notifications: 0,
            requests_passed_over: 0,
            log: VecDeque::new(),
            revisions: VecDeque::new(),
            samples: BTreeMap::new(),
        };
        simulation.draw_other();
        simulation.draw_own();
        simulation.draw_list();
        simulation.freshness.start(BEGIN, &mut simulation.out);
        simulation.settle();
        simulation
    }

    // Getters.

    /// Returns the number of completed lists.
    pub fn done(&self) -> u64 {
        self.wait.count()
    }

    pub fn total(&self) -> u64 {
        self.setting.requests
    }

    /// Returns the report of the completed lists.
    pub fn report(&self) -> LabReport {
        LabReport {
            setting: self.setting,
            wait: Distribution::of(&self.wait),
            whole: Distribution::of(&self.whole),
            fresh: self.fresh,
            by_event: self.by_event,
            from_etcd: self.from_etcd,
            refused: self.refused,
            questions: self.asked,
            requests: self.freshness.progress_requests() + self.requests_passed_over,
            notifications: self.notifications,
            simulated_us: (self.now - BEGIN).0 + self.passed_over.0,
            samples: self.samples.values().cloned().collect(),
        }
    }

    // Events.

    /// Handles up to `steps` due events. Returns false when all lists are completed.
    pub fn advance(&mut self, steps: u32) -> bool {
        for _ in 0..steps {
            if self.done() >= self.total() {
                return false;
            }
            self.pass_over();
            self.step();
        }
        self.done() < self.total()
    }

    fn step(&mut self) {
        let (at, next) = self.next();
        self.now = at;
        match next {
            Next::Own => self.write(),
            Next::Other => {
                self.head += 1;
                self.draw_other();
            }
            Next::Question => {
                let (_, call) = self.questions.pop_front().expect("it is next");
                if self.setting.others == Others::WithoutPause {
                    self.head += 1;
                }
                let last = self.answers.back().map(|(at, ..)| *at);
                let at = self.arrival(last);
                self.answers.push_back((at, call, self.head));
            }
            Next::Answer => {
                let (_, call, rv) = self.answers.pop_front().expect("it is next");
                self.revisions.push_back((call, at, rv));
                self.freshness
                    .revision(at, call.id, Ok(rv), self.cache_rv, &mut self.out);
            }
            Next::Request => {
                let (_, echo) = self.requests.pop_front().expect("it is next");
                self.send(Moved::Progress { echo });
            }
            Next::Tick => {
                if !(self.setting.elides && self.had_event) {
                    self.send(Moved::Progress { echo: None });
                }
                self.had_event = false;
                let interval = self.setting.etcd_timer();
                self.next_tick = interval.map(|interval| at + interval);
            }
            Next::Message => {
                let (_, rv, how) = self.stream.pop_front().expect("it is next");
                self.notifications += u64::from(how != Moved::Event);
                self.cache_rv = rv;
                self.record(match how {
                    Moved::Event => WatchMessageKind::Event(rv),
                    Moved::Progress { .. } | Moved::Relist => WatchMessageKind::Notification(rv),
                });
                self.freshness.cache_moved(at, rv, how, &mut self.out);
            }
            Next::Timer(slot) => {
                let (_, timer) = self.timers[usize::from(slot)].take().expect("it is next");
                self.freshness.wake(at, timer, self.cache_rv, &mut self.out);
            }
            Next::List => self.list(),
        }
        self.settle();
    }

    fn next(&self) -> (SimTime, Next) {
        let mut first = (self.next_list, Next::List);
        let mut consider = |at: Option<SimTime>, next: Next| {
            if let Some(at) = at.filter(|at| (*at, next) < first) {
                first = (at, next);
            }
        };
        consider(self.next_own, Next::Own);
        consider(self.next_other, Next::Other);
        consider(self.next_tick, Next::Tick);
        consider(self.questions.front().map(|(at, _)| *at), Next::Question);
        consider(self.requests.front().map(|(at, _)| *at), Next::Request);
        consider(self.stream.front().map(|(at, ..)| *at), Next::Message);
        consider(self.answers.front().map(|(at, ..)| *at), Next::Answer);
        for (slot, timer) in (0_u8..).zip(&self.timers) {
            consider(timer.map(|(at, _)| at), Next::Timer(slot));
        }
        first
    }

    fn list(&mut self) {
        self.begun += 1;
        let arrived = self.now;
        self.draw_list();
        if self.setting.scheme == Scheme::FromEtcd {
            let whole = self.way() + self.way() + self.listed_by_etcd();
            self.from_etcd += 1;
            self.count(&ListEnd {
                arrived,
                waited: SimDuration(0),
                by: WaitEnd::Fresh,
                etcd_us: Some(whole),
                is_refused: false,
            });
            return;
        }
        let is_first = self.arrived.is_empty();
        self.arrived.insert(self.begun, arrived);
        if is_first && self.next_own.is_none() {
            self.draw_own();
        }
        let spec = ReadSpec {
            target: Target::Current,
            expected_size: self.setting.size,
            on_timeout: self.setting.on_timeout(),
        };
        let id = ReadId(self.begun);
        self.freshness
            .begin(arrived, id, spec, self.cache_rv, &mut self.out);
    }

    /// Handles a write to the listed resource.
    fn write(&mut self) {
        self.head += 1;
        self.had_event = true;
        self.send(Moved::Event);
        self.draw_own();
    }

    fn send(&mut self, how: Moved) {
        let last = self.stream.back().map(|(at, ..)| *at);
        let at = self.arrival(last);
        self.stream.push_back((at, self.head, how));
    }

    /// Applies the effects that the API server's code requested: sets timers, sends requests to etcd, and ends lists.
    fn settle(&mut self) {
        for (after, timer) in std::mem::take(&mut self.out.timers) {
            self.timers[usize::from(slot_of(timer))] = Some((self.now + after, timer));
        }
        for call in std::mem::take(&mut self.out.calls) {
            self.asked += 1;
            let last = self.questions.back().map(|(at, _)| *at);
            let at = self.arrival(last);
            let sent = self.now;
            self.questions
                .push_back((at, RevisionCall { id: call, sent }));
        }
        for echo in std::mem::take(&mut self.out.progress) {
            let last = self.requests.back().map(|(at, _)| *at);
            let at = self.arrival(last);
            self.requests.push_back((at, echo));
            self.record(WatchMessageKind::Request);
        }
        for outcome in std::mem::take(&mut self.out.done) {
            self.end(&outcome);
        }
    }

    fn end(&mut self, outcome: &WaitOutcome) {
        let arrived = self
            .arrived
            .remove(&outcome.read.0)
            .expect("a list ends once");
        let by = match outcome.ended_by {
            EndedBy::Nothing => WaitEnd::Fresh,
            EndedBy::Event => WaitEnd::Event,
            EndedBy::Progress => WaitEnd::Notification,
            EndedBy::Timeout => WaitEnd::Timeout,
            EndedBy::Relist | EndedBy::NoRevision => {
                unreachable!("the lab's etcd always responds, and its watch never ends")
            }
        };
        let (mut etcd_us, mut is_refused) = (None, false);
        match outcome.verdict {
            Verdict::FromCache { .. } => {}
            Verdict::FromEtcd => {
                self.from_etcd += 1;
                etcd_us = Some(self.way() + self.way() + self.listed_by_etcd());
            }
            Verdict::Refused(_) => {
                self.refused += 1;
                is_refused = true;
            }
        }
        self.fresh += u64::from(outcome.ended_by == EndedBy::Nothing);
        self.by_event += u64::from(outcome.ended_by == EndedBy::Event);
        self.count(&ListEnd {
            arrived,
            waited: outcome.waited,
            by,
            etcd_us,
            is_refused,
        });
        // The messages before the arrival of the oldest open list are no longer needed.
        let oldest = self
            .arrived
            .values()
            .next()
            .copied()
            .unwrap_or(SimTime(u64::MAX));
        let old = self.log.partition_point(|(at, _)| *at < oldest);
        self.log.drain(..old);
        let old = self.revisions.partition_point(|(_, at, _)| *at < oldest);
        self.revisions.drain(..old);
        if self.arrived.is_empty() && self.own_may_rest() {
            self.next_own = None;
        }
    }

    fn count(&mut self, end: &ListEnd) {
        if self.done() >= self.total() {
            return;
        }
        let whole_us = (self.now - end.arrived).0 + end.etcd_us.unwrap_or(0);
        let key = sample_key(whole_us);
        if whole_us > self.whole.greatest() || !self.samples.contains_key(&key) {
            self.samples.insert(key, self.parts(end));
        }
        self.wait.add(end.waited.0);
        self.whole.add(whole_us);
    }

    // Samples.

    /// Stores a message of the cache's watch for the lists that are not completed.
    fn record(&mut self, kind: WatchMessageKind) {
        if self.arrived.is_empty() {
            return;
        }
        if self.log.len() == LOG_MAX {
            self.log.pop_front();
        }
        self.log.push_back((self.now, kind));
    }

    /// Returns the parts of the time of a list whose wait ends now.
    fn parts(&self, end: &ListEnd) -> ListParts {
        let us = |at: SimTime| (at - BEGIN).0 + self.passed_over.0;
        // The wait begins when the response with etcd's revision arrives.
        let began = SimTime(self.now.0 - end.waited.0);
        let first = self.revisions.partition_point(|(_, at, _)| *at < began);
        let mut received = self.revisions.range(first..);
        let revision =
            received.find(|(call, received, _)| call.sent >= end.arrived && *received == began);
        let first = self.log.partition_point(|(at, _)| *at < end.arrived);
        let since = self.log.range(first..);
        let omitted = since.len().saturating_sub(MESSAGES_MAX) as u64;
        let messages = since.take(MESSAGES_MAX);
        let messages: Vec<WatchMessage> = messages
            .map(|(at, kind)| WatchMessage {
                at_us: us(*at),
                kind: *kind,
            })
            .collect();
        ListParts {
            arrived_us: us(end.arrived),
            revision: revision.map(|(call, received, revision)| RevisionRequest {
                sent_us: us(call.sent),
                received_us: us(*received),
                revision: *revision,
            }),
            ended_us: us(self.now),
            ended_by: end.by,
            messages,
            omitted,
            etcd_us: end.etcd_us,
            is_refused: end.is_refused,
        }
    }

    // Omitted events.

    /// Returns true if the simulation can omit writes to the listed resource while no list waits, because such writes
    /// cannot affect later lists.
    fn own_may_rest(&self) -> bool {
        self.setting.others == Others::WithoutPause && !self.setting.elides
    }

    /// Returns the duration of one period of timer events, or `None` if the scheme has no periodic timer.
    fn period(&self) -> Option<SimDuration> {
        match self.setting.scheme {
            Scheme::TimerOnly => Some(self.setting.interval),
            // The next background request follows after the quiet interval and a round trip.
            Scheme::Draft => Some(SimDuration(
                self.setting.interval.0 + self.setting.round_trip.0 / 2 * 2,
            )),
            // Each notification of etcd's timer delays the next request, so the timer determines the period.
            Scheme::TimerAndRequests => {
                let LabSetting { gap, interval, .. } = self.setting;
                (gap < interval && !self.setting.skips_ticks()).then_some(gap)
            }
            Scheme::Today | Scheme::Echo | Scheme::Batch | Scheme::FromEtcd => None,
        }
    }

    /// Skips whole periods in which no list arrives, by moving the next list to an earlier time.
    fn pass_over(&mut self) {
        let is_quiet = self.arrived.is_empty()
            && self.questions.is_empty()
            && self.answers.is_empty()
            && self.requests.is_empty()
            && self.stream.is_empty()
            && self.setting.jitter.0 == 0;
        let Some(period) = self.period().filter(|_| is_quiet) else {
            return;
        };
        let until = self.next_list.0.saturating_sub(self.now.0);
        let periods = (until / period.0).saturating_sub(PERIODS_KEPT);
        if periods == 0 {
            return;
        }
        let skipped = SimDuration(periods * period.0);
        self.next_list = SimTime(self.next_list.0 - skipped.0);
        self.passed_over = SimDuration(self.passed_over.0 + skipped.0);
        if self.setting.scheme == Scheme::Draft {
            self.requests_passed_over += periods;
            self.notifications += periods;
        } else if !self.setting.skips_ticks() {
            self.notifications += periods;
        }
    }

    // Random draws.

    fn draw_list(&mut self) {
        if self.left_of_burst > 0 {
            self.left_of_burst -= 1;
            return;
        }
        let rate = self.setting.lists;
        let gap = match self.setting.arrivals {
            Arrivals::Regular => rate.mean(),
            Arrivals::Poisson => rate.gap(&mut self.draws.lists),
            Arrivals::Bursts => {
                self.left_of_burst = BURST - 1;
                let gap = rate.gap(&mut self.draws.lists);
                gap.map(|gap| SimDuration(gap.0 * BURST))
            }
        };
        self.next_list = self.now + gap.expect("a setting has lists");
    }

    fn draw_own(&mut self) {
        let rests = self.own_may_rest() && self.arrived.is_empty();
        let gap = self.setting.own.gap(&mut self.draws.own);
        self.next_own = gap.filter(|_| !rests).map(|gap| self.now + gap);
    }

    fn draw_other(&mut self) {
        let gap = match self.setting.others {
            Others::WithoutPause => None,
            Others::At(rate) => rate.gap(&mut self.draws.others),
        };
        self.next_other = gap.map(|gap| self.now + gap);
    }

    /// Draws the travel time of a message in one direction, in microseconds.
    fn way(&mut self) -> u64 {
        let most = self.setting.jitter.0;
        let later = if most == 0 {
            0
        } else {
            self.draws.delays.below(most + 1)
        };
        self.setting.round_trip.0 / 2 + later
    }

    /// Returns the arrival time of a message sent now. The message does not overtake the previous message, which
    /// arrives at `last`.
    fn arrival(&mut self, last: Option<SimTime>) -> SimTime {
        let at = self.now + SimDuration(self.way());
        last.map_or(at, |last| last.max(at))
    }

    fn listed_by_etcd(&self) -> u64 {
        let LabSetting {
            size, object_bytes, ..
        } = self.setting;
        let bytes = size * object_bytes;
        let cost = &self.cost;
        let in_etcd = cost.request.and(cost.range(size, bytes));
        let in_server = cost.request.and(cost.decode(size, bytes));
        // As in the rest of the simulator, short work on an idle processor takes no time.
        let times = [in_etcd, in_server].map(ProcessorWork::alone);
        let times = times.into_iter().filter(|time| *time >= SHORT);
        times.map(|time| time.0).sum()
    }
}
