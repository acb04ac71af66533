//! Shows that, in every order of messages, a consistent list from the cache is never older than a write that was
//! acknowledged before the list began.
//!
//! Within the bounds below, the search tries every order of these events: writes of this resource and of other
//! resources, lists, responses with etcd's revision (which may overtake each other), progress notifications that the
//! API server requests, progress notifications of etcd's timer, a watch that falls behind, a watch that breaks and is
//! followed by a relist, and the passing of time. `Freshness` and `WatchCache` are the real types of the engine; etcd
//! is a log with one watch. The search skips a state that it has visited before, or that differs from a visited state
//! only in the names of its reads.
//!
//! The tests also check that the search finds faults: each [`Fault`] is planted, and the shortest sequence of steps
//! that leads to a stale list is compared with the known sequence.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};

use watchglass_engine::apiserver::freshness::{
    CallId, EndedBy, Freshness, FreshnessTimer, Moved, Policy, ReadId, ReadSpec, Target, Verdict,
    WaitOutcome, Wants,
};
use watchglass_engine::apiserver::routing::OnTimeout;
use watchglass_engine::apiserver::{Listing, RingLimits, WatchCache};
use watchglass_engine::base::digest::Digest;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::kube::object::Object;
use watchglass_engine::kube::resource::PODS;

/// The revision at which etcd and the cache start; one pod exists since revision 5.
const START: u64 = 10;
const POD_SINCE: u64 = 5;
/// The start time, long after the creation of the requester, so that the first request is not delayed.
const BEGIN: SimTime = SimTime(1_000_000);
/// The maximum number of progress requests in flight; a further request is lost.
const REQUESTS_MAX: usize = 2;

/// The maximum number of times that each kind of step may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    own: u8,
    others: u8,
    lists: u8,
    notifications: u8,
    lags: u8,
    breaks: u8,
    ticks: u8,
    timeouts: u8,
}

/// A fault that the search plants in etcd or in the API server's request for etcd's revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// etcd#15220: a requested notification overtakes the queue of events, even if the watch is behind.
    ProgressOvertakes,
    /// A part of etcd#15220: a requested notification does not overtake the queue of events, but etcd sends the
    /// notification although the watch is behind.
    ProgressWhileBehind,
    /// The API server requests the revision from a single member, which may be behind the other members (a serializable
    /// read).
    RevisionOfOneMember,
    /// The API server uses the revision that the option `WithLastRev` of KEP-2340's draft would return: the newest mod
    /// revision of an existing pod. A delete does not raise this revision, because it leaves no pod behind.
    NewestPod,
}

/// A message that etcd sends on the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Message {
    Event { rev: u64, is_there: bool },
    Progress { rev: u64, echo: Option<u64> },
}

/// A request for etcd's revision: the list that needs the revision, and etcd's response once etcd has sent it.
#[derive(Clone, Copy, Debug)]
struct Call {
    id: CallId,
    answer: Option<u64>,
}

/// The state of the cache's reflector: it watches etcd, or it relists because its watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reflector {
    Watches,
    Lists,
    Listed { rev: u64, is_there: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A write of the pod is acknowledged: the pod was changed, deleted, or recreated.
    Own,
    /// A write of another resource.
    Other,
    ListBegins,
    /// etcd responds to the request with this number, which asks for etcd's revision.
    Answers(u64),
    AnswerArrives(u64),
    /// etcd receives the oldest progress request.
    HearsRequest,
    TimerTicks,
    Arrives,
    /// A notification that has overtaken the queued messages arrives.
    ArrivesAround,
    FallsBehind,
    CatchesUp,
    Breaks,
    /// etcd responds to the reflector's list.
    Relists,
    ListArrives,
    /// Time passes until the next timer.
    Tick,
    /// Time passes until a list has reached its wait limit.
    TooLate,
}

#[derive(Clone)]
struct World {
    now: SimTime,
    head: u64,
    /// The changes of the pod. Each entry contains the revision of the change, and whether the pod exists after the
    /// change.
    log: Vec<(u64, bool)>,
    is_behind: bool,
    unsent: Vec<Message>,
    stream: Vec<Message>,
    around: Vec<Message>,
    requests: Vec<Option<u64>>,
    calls: Vec<Call>,
    reflector: Reflector,
    cache: WatchCache,
    freshness: Freshness,
    timers: Vec<(SimTime, FreshnessTimer)>,
    /// One entry for each list, in the order in which the lists started: etcd's revision when the list started, or
    /// `None` after the list has ended.
    floors: Vec<Option<u64>>,
    used: Bounds,
}

#[derive(Default)]
struct Seen {
    states: u64,
    served: Vec<EndedBy>,
    fell_back: bool,
    /// The shortest sequence of steps that leads to a stale list, and a description of the stale list.
    violation: Option<(Vec<Step>, String)>,
}

struct Search {
    bounds: Bounds,
    fault: Fault,
    policy: Policy,
}

fn pod(resource_version: u64) -> Object {
    Object::new("Pod", "default", "web").at(resource_version)
}

impl World {
    fn new(policy: Policy) -> Self {
        let mut cache = WatchCache::new(&PODS, RingLimits::fixed(8));
        cache.replace(START, vec![pod(POD_SINCE)]);
        let mut world = Self {
            now: BEGIN,
            head: START,
            log: vec![(POD_SINCE, true)],
            is_behind: false,
            unsent: Vec::new(),
            stream: Vec::new(),
            around: Vec::new(),
            requests: Vec::new(),
            calls: Vec::new(),
            reflector: Reflector::Watches,
            cache,
            freshness: Freshness::new(policy, SimTime(0)),
            timers: Vec::new(),
            floors: Vec::new(),
            used: Bounds {
                own: 0,
                others: 0,
                lists: 0,
                notifications: 0,
                lags: 0,
                breaks: 0,
                ticks: 0,
                timeouts: 0,
            },
        };
        let mut out = Wants::default();
        world.freshness.start(BEGIN, &mut out);
        world
            .settle(out, Fault::None, &mut Seen::default())
            .expect("nobody reads yet");
        world
    }

    fn is_there(&self) -> bool {
        self.log.last().is_some_and(|(_, is_there)| *is_there)
    }

    fn is_synced(&self) -> bool {
        self.reflector == Reflector::Watches && !self.is_behind
    }

    /// Returns the pod's mod revision in etcd at a revision, if the pod existed.
    fn truth(&self, at: u64) -> Option<u64> {
        let last = self.log.iter().rev().find(|(rev, _)| *rev <= at);
        last.and_then(|(rev, is_there)| is_there.then_some(*rev))
    }

    /// Returns the steps that can happen now.
    fn steps(&self, search: &Search) -> Vec<Step> {
        let (used, max) = (&self.used, &search.bounds);
        let mut steps = Vec::with_capacity(16);
        let watches = self.reflector == Reflector::Watches;
        let mut may = |is_possible: bool, step: Step| {
            if is_possible {
                steps.push(step);
            }
        };
        may(used.own < max.own, Step::Own);
        may(used.others < max.others, Step::Other);
        // A cache without a watch is not ready, and refuses lists.
        may(used.lists < max.lists && watches, Step::ListBegins);
        may(!self.requests.is_empty(), Step::HearsRequest);
        let ticks = used.notifications < max.notifications && self.is_synced();
        may(ticks, Step::TimerTicks);
        may(!self.stream.is_empty(), Step::Arrives);
        may(!self.around.is_empty(), Step::ArrivesAround);
        may(used.lags < max.lags && self.is_synced(), Step::FallsBehind);
        may(self.is_behind, Step::CatchesUp);
        may(used.breaks < max.breaks && watches, Step::Breaks);
        may(self.reflector == Reflector::Lists, Step::Relists);
        may(
            matches!(self.reflector, Reflector::Listed { .. }),
            Step::ListArrives,
        );
        may(
            used.ticks < max.ticks && !self.timers.is_empty(),
            Step::Tick,
        );
        let waits = self.freshness.waiting() > 0;
        may(used.timeouts < max.timeouts && waits, Step::TooLate);
        for (index, call) in self.calls.iter().enumerate() {
            // Two lists that began at the same revision and have made the same progress are twins: it is enough to
            // continue the first.
            let has_twin = self.calls[..index]
                .iter()
                .any(|other| self.are_twins(search, call, other));
            if !has_twin {
                steps.push(match call.answer {
                    None => Step::Answers(call.id.0),
                    Some(_) => Step::AnswerArrives(call.id.0),
                });
            }
        }
        steps
    }

    fn are_twins(&self, search: &Search, a: &Call, b: &Call) -> bool {
        // Without batches, each list has a request of its own, with the same number as the list.
        let floor = |call: &Call| self.floors[call.id.0 as usize - 1];
        search.policy.batch.is_none() && a.answer == b.answer && floor(a) == floor(b)
    }

    fn step(&mut self, step: Step, fault: Fault, seen: &mut Seen) -> Result<(), String> {
        let mut out = Wants::default();
        match step {
            Step::Own => {
                self.used.own += 1;
                self.head += 1;
                let is_there = !(self.used.own == 2 && self.is_there());
                self.log.push((self.head, is_there));
                let event = Message::Event {
                    rev: self.head,
                    is_there,
                };
                match self.reflector {
                    Reflector::Watches if self.is_behind => self.unsent.push(event),
                    Reflector::Watches => self.stream.push(event),
                    Reflector::Lists | Reflector::Listed { .. } => {}
                }
            }
            Step::Other => {
                self.used.others += 1;
                self.head += 1;
            }
            Step::ListBegins => {
                self.used.lists += 1;
                self.floors.push(Some(self.head));
                let id = ReadId(self.floors.len() as u64);
                let spec = ReadSpec {
                    target: Target::Current,
                    expected_size: 1,
                    on_timeout: OnTimeout::AskEtcd,
                };
                self.freshness
                    .begin(self.now, id, spec, self.cache.cache_rv(), &mut out);
            }
            Step::Answers(id) => {
                let answer = self.current_revision(fault);
                let call = self.calls.iter_mut().find(|call| call.id.0 == id);
                call.expect("it was asked").answer = Some(answer);
            }
            Step::AnswerArrives(id) => {
                let index = self
                    .calls
                    .iter()
                    .position(|call| call.id.0 == id)
                    .expect("it was asked");
                let call = self.calls.remove(index);
                let answer = call.answer.expect("it was answered");
                self.freshness.revision(
                    self.now,
                    call.id,
                    Ok(answer),
                    self.cache.cache_rv(),
                    &mut out,
                );
            }
            Step::HearsRequest => {
                let echo = self.requests.remove(0);
                let progress = Message::Progress {
                    rev: self.head,
                    echo,
                };
                match fault {
                    Fault::ProgressOvertakes => self.around.push(progress),
                    Fault::ProgressWhileBehind => self.stream.push(progress),
                    // No client gets an error: a list that still needs the notification requests it again.
                    _ if !self.is_synced() => {}
                    _ => self.stream.push(progress),
                }
            }
            Step::TimerTicks => {
                self.used.notifications += 1;
                self.stream.push(Message::Progress {
                    rev: self.head,
                    echo: None,
                });
            }
            Step::Arrives => {
                let message = self.stream.remove(0);
                self.receive(message, &mut out);
            }
            Step::ArrivesAround => {
                let message = self.around.remove(0);
                self.receive(message, &mut out);
            }
            Step::FallsBehind => {
                self.used.lags += 1;
                self.is_behind = true;
            }
            Step::CatchesUp => {
                self.is_behind = false;
                self.stream.append(&mut self.unsent);
            }
            Step::Breaks => {
                self.used.breaks += 1;
                self.reflector = Reflector::Lists;
                self.is_behind = false;
                self.unsent.clear();
                self.stream.clear();
                self.around.clear();
                self.requests.clear();
            }
            Step::Relists => {
                self.reflector = Reflector::Listed {
                    rev: self.head,
                    is_there: self.is_there(),
                };
            }
            Step::ListArrives => self.replace(&mut out),
            Step::Tick => {
                self.used.ticks += 1;
                while out == Wants::default() && !self.timers.is_empty() {
                    self.wake(&mut out);
                }
            }
            Step::TooLate => {
                self.used.timeouts += 1;
                while out.done.is_empty() {
                    self.wake(&mut out);
                    self.timers_from(&mut out);
                }
            }
        }
        self.settle(out, fault, seen)
    }

    fn current_revision(&self, fault: Fault) -> u64 {
        match fault {
            Fault::None | Fault::ProgressOvertakes | Fault::ProgressWhileBehind => self.head,
            Fault::RevisionOfOneMember => self.head - 1,
            // The pod that exists at the start represents all other pods, which are older.
            Fault::NewestPod => self.truth(self.head).unwrap_or(POD_SINCE),
        }
    }

    fn receive(&mut self, message: Message, out: &mut Wants) {
        let how = match message {
            Message::Event {
                rev,
                is_there: true,
            } => {
                self.cache.update(pod(rev), self.now);
                Moved::Event
            }
            Message::Event {
                rev,
                is_there: false,
            } => {
                self.cache.delete(pod(rev), rev, self.now);
                Moved::Event
            }
            Message::Progress { rev, echo } => {
                self.cache.update_resource_version(rev);
                Moved::Progress { echo }
            }
        };
        self.freshness
            .cache_moved(self.now, self.cache.cache_rv(), how, out);
    }

    /// The reflector's new list arrives, and a watch starts after it.
    fn replace(&mut self, out: &mut Wants) {
        let Reflector::Listed { rev, is_there } = self.reflector else {
            unreachable!("a list arrives once it was sent");
        };
        let pods = self.truth(rev).map(pod).into_iter().collect();
        assert_eq!(
            self.truth(rev).is_some(),
            is_there,
            "the log does not change"
        );
        self.cache.replace(rev, pods);
        self.reflector = Reflector::Watches;
        let later = self.log.iter().filter(|(at, _)| *at > rev);
        self.stream = later
            .map(|(rev, is_there)| Message::Event {
                rev: *rev,
                is_there: *is_there,
            })
            .collect();
        self.freshness
            .cache_moved(self.now, rev, Moved::Relist, out);
    }

    fn wake(&mut self, out: &mut Wants) {
        let next = (0..self.timers.len()).min_by_key(|index| self.timers[*index].0);
        let (at, timer) = self.timers.remove(next.expect("who waits has a deadline"));
        self.now = at.max(self.now);
        self.freshness
            .wake(self.now, timer, self.cache.cache_rv(), out);
    }

    fn timers_from(&mut self, out: &mut Wants) {
        for (after, timer) in out.timers.drain(..) {
            // A new timer replaces the old one.
            self.timers.retain(|(_, old)| *old != timer);
            self.timers.push((self.now + after, timer));
        }
    }

    /// Executes all effects that the API server's code requests, and checks that no list that is served is stale.
    fn settle(&mut self, mut out: Wants, fault: Fault, seen: &mut Seen) -> Result<(), String> {
        self.timers_from(&mut out);
        self.calls
            .extend(out.calls.into_iter().map(|id| Call { id, answer: None }));
        if self.reflector == Reflector::Watches {
            self.requests.extend(out.progress);
            self.requests.truncate(REQUESTS_MAX);
        }
        out.done
            .iter()
            .try_for_each(|outcome| self.judge(outcome, fault, seen))
    }

    fn judge(
        &mut self,
        outcome: &WaitOutcome,
        fault: Fault,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let floor = self.floors[outcome.read.0 as usize - 1]
            .take()
            .expect("a list ends once");
        match &outcome.verdict {
            Verdict::FromEtcd => {
                seen.fell_back = true;
                return Ok(());
            }
            Verdict::Refused(error) => return Err(format!("refused: {error}")),
            Verdict::FromCache { .. } => {
                if !seen.served.contains(&outcome.ended_by) {
                    seen.served.push(outcome.ended_by);
                }
            }
        }
        let list = self.cache.list(&Listing::all(PODS.prefix));
        let rv = list.resource_version;
        let listed = list.items.first().map(|object| object.resource_version);
        let floor = if fault == Fault::NewestPod {
            // The newest write of this resource. A list that asks for etcd's own revision is also not older than every
            // write of other resources.
            let mut written = self.log.iter().rev().map(|(rev, _)| *rev);
            written.find(|rev| *rev <= floor).unwrap_or(START)
        } else {
            floor
        };
        if rv < floor {
            return Err(format!(
                "the list is of {rv}, and {floor} was acknowledged before it began"
            ));
        }
        if listed != self.truth(rv) {
            let truth = self.truth(rv);
            return Err(format!(
                "the list of {rv} has the pod at {listed:?}, and etcd had it at {truth:?}"
            ));
        }
        Ok(())
    }

    /// Returns a digest of the state. States that behave the same from now on have equal digests.
    fn digest(&self) -> u64 {
        let mut d = Digest::default();
        let message = |d: &mut Digest, message: &Message| match message {
            Message::Event { rev, is_there } => d.u64(rev * 4 + u64::from(*is_there)),
            Message::Progress { rev, echo } => {
                d.u64(rev * 4 + 2 + (echo.map_or(0, |id| id + 1) << 32))
            }
        };
        for (rev, is_there) in &self.log {
            d.u64(rev * 2 + u64::from(*is_there));
        }
        for queue in [&self.unsent, &self.stream, &self.around] {
            d.u64(queue.len() as u64);
            queue.iter().for_each(|one| message(&mut d, one));
        }
        d.u64(self.requests.len() as u64);
        self.requests
            .iter()
            .for_each(|echo| d.u64(echo.unwrap_or(0)));
        for call in &self.calls {
            d.u64(call.id.0 * 64 + call.answer.unwrap_or(0));
        }
        d.u64(match self.reflector {
            Reflector::Watches => u64::from(self.is_behind),
            Reflector::Lists => 2,
            Reflector::Listed { rev, .. } => 3 + rev,
        });
        d.u64(self.head * 64 + self.cache.cache_rv());
        let listed = self.cache.store().objects().iter().next();
        d.u64(listed.map_or(0, |(_, object)| object.resource_version));
        self.freshness.hash(&mut d);
        self.timers.iter().for_each(|(at, _)| d.u64(at.0));
        self.floors
            .iter()
            .for_each(|floor| d.u64(floor.unwrap_or(0)));
        let Bounds {
            own,
            others,
            lists,
            notifications,
            lags,
            breaks,
            ticks,
            timeouts,
        } = self.used;
        d.u64(u64::from_le_bytes([
            own,
            others,
            lists,
            notifications,
            lags,
            breaks,
            ticks,
            timeouts,
        ]));
        d.u64(self.now.0);
        d.finish()
    }
}

impl Search {
    /// Tries every order of steps within the bounds, shorter sequences of steps first.
    fn run(&self) -> Seen {
        let mut seen = Seen::default();
        let mut known = BTreeSet::new();
        // The predecessor of each state, to print the steps that lead to a violation.
        let mut ways: Vec<(u32, Step)> = vec![(0, Step::Tick)];
        let mut queue = VecDeque::from([(World::new(self.policy), 0_u32)]);
        while let Some((world, from)) = queue.pop_front() {
            seen.states += 1;
            for step in world.steps(self) {
                let mut next = world.clone();
                let judged = next.step(step, self.fault, &mut seen);
                if let Err(what) = judged {
                    let mut way = vec![step];
                    let mut at = from;
                    while at != 0 {
                        let (before, step) = ways[at as usize];
                        way.push(step);
                        at = before;
                    }
                    way.reverse();
                    seen.violation = Some((way, what));
                    return seen;
                }
                if known.insert(next.digest()) {
                    ways.push((from, step));
                    queue.push_back((next, ways.len() as u32 - 1));
                }
            }
        }
        seen
    }
}

/// The bounds that every search includes: two writes of the pod (the second deletes it), one write of another resource,
/// and one list.
const BASE: Bounds = Bounds {
    own: 2,
    others: 1,
    lists: 1,
    notifications: 0,
    lags: 0,
    breaks: 0,
    ticks: 0,
    timeouts: 0,
};

/// The bounds with a second list, which test the state that lists share: responses can overtake each other, and one
/// notification can serve both lists.
const TWO_LISTS: Bounds = Bounds { lists: 2, ..BASE };
/// The bounds with a tick of etcd's own timer, and with enough time for another progress request.
const TIMERS: Bounds = Bounds {
    notifications: 1,
    ticks: 1,
    ..BASE
};
/// The bounds within which the watch can fall behind. While the watch is behind, etcd must not send progress
/// notifications.
const BEHIND: Bounds = Bounds { lags: 1, ..BASE };
/// The bounds within which the watch can break. The cache relists after a break.
const BROKEN: Bounds = Bounds { breaks: 1, ..BASE };
/// The bounds within which a list can reach its wait limit.
const TOO_LATE: Bounds = Bounds {
    own: 1,
    lags: 1,
    timeouts: 1,
    ..BASE
};

/// Searches within each of the bounds, and asserts that no order of steps leads to a stale list. Returns the number of
/// visited states, and the ways in which waits ended.
fn holds(policy: Policy, all_bounds: &[Bounds]) -> (u64, Vec<EndedBy>) {
    let (mut states, mut served, mut fell_back) = (0, Vec::new(), false);
    for bounds in all_bounds {
        let search = Search {
            bounds: *bounds,
            fault: Fault::None,
            policy,
        };
        let seen = search.run();
        assert_eq!(seen.violation, None, "{policy:?} within {bounds:?}");
        states += seen.states;
        served.extend(seen.served);
        fell_back |= seen.fell_back;
    }
    assert!(fell_back, "some wait was too long in some order");
    served.sort_by_key(|ended_by| *ended_by as u8);
    served.dedup();
    (states, served)
}

/// The ways in which a wait can end. If the searches do not find all of these ways, their bounds are too small.
const ALL_WAYS: [EndedBy; 4] = [
    EndedBy::Nothing,
    EndedBy::Event,
    EndedBy::Progress,
    EndedBy::Relist,
];

#[test]
fn today_no_order_makes_a_consistent_list_stale() {
    let (states, served) = holds(
        Policy::TODAY,
        &[TWO_LISTS, TIMERS, BEHIND, BROKEN, TOO_LATE],
    );
    assert_eq!(served, ALL_WAYS);
    assert!(states > 10_000, "{states}");
}

#[test]
fn as_drafted_no_order_makes_a_consistent_list_stale() {
    let two_lists = Bounds {
        own: 1,
        ..TWO_LISTS
    };
    let timers = Bounds { own: 1, ..TIMERS };
    let (states, served) = holds(
        Policy::DRAFT,
        &[two_lists, timers, BEHIND, BROKEN, TOO_LATE],
    );
    assert_eq!(served, ALL_WAYS);
    assert!(states > 10_000, "{states}");
}

#[test]
fn with_etcds_timer_alone_no_order_makes_a_consistent_list_stale() {
    let ticking = |bounds| Bounds {
        notifications: 1,
        ..bounds
    };
    let (states, served) = holds(
        Policy::TIMER_ONLY,
        &[TIMERS, ticking(BEHIND), ticking(BROKEN), TOO_LATE],
    );
    assert_eq!(served, ALL_WAYS);
    assert!(states > 5_000, "{states}");
}

#[test]
fn with_an_id_that_etcd_echoes_no_order_makes_a_consistent_list_stale() {
    let policy = Policy {
        echo: true,
        ..Policy::TODAY
    };
    let (states, served) = holds(policy, &[TWO_LISTS, TIMERS, BEHIND, BROKEN, TOO_LATE]);
    assert_eq!(served, [EndedBy::Progress], "nothing else carries the id");
    assert!(states > 5_000, "{states}");
}

#[test]
fn with_shared_questions_no_order_makes_a_consistent_list_stale() {
    let policy = Policy {
        batch: Some(SimDuration::from_millis(20)),
        ..Policy::TODAY
    };
    // With batches, no request is sent before the batch's own timer.
    let ticking = |bounds| Bounds { ticks: 1, ..bounds };
    let all = [
        ticking(TWO_LISTS),
        ticking(BEHIND),
        ticking(BROKEN),
        ticking(TOO_LATE),
    ];
    let (states, served) = holds(policy, &all);
    assert_eq!(served, ALL_WAYS);
    assert!(states > 5_000, "{states}");
}

/// Returns the shortest sequence of steps that leads to a stale list if the fault is planted, and a description of the
/// stale list.
fn shortest(fault: Fault, bounds: Bounds) -> (Vec<Step>, String) {
    let search = Search {
        bounds,
        fault,
        policy: Policy::TODAY,
    };
    search
        .run()
        .violation
        .expect("the fault makes some list stale")
}

#[test]
fn progress_that_overtakes_an_event_is_found() {
    let (way, what) = shortest(Fault::ProgressOvertakes, BASE);
    let known = [
        Step::Own,
        Step::ListBegins,
        Step::Answers(1),
        Step::AnswerArrives(1),
        Step::HearsRequest,
        // The event of the write is still in flight.
        Step::ArrivesAround,
    ];
    assert_eq!(way, known);
    assert_eq!(
        what,
        "the list of 11 has the pod at Some(5), and etcd had it at Some(11)"
    );
}

#[test]
fn progress_that_is_told_while_the_watch_is_behind_is_found() {
    let (way, what) = shortest(Fault::ProgressWhileBehind, BEHIND);
    assert!(
        way.contains(&Step::FallsBehind) && !way.contains(&Step::CatchesUp),
        "{way:?}"
    );
    assert_eq!(way.len(), 7, "{way:?}");
    assert_eq!(
        what,
        "the list of 11 has the pod at Some(5), and etcd had it at Some(11)"
    );
}

#[test]
fn a_revision_that_one_member_tells_is_found() {
    let (way, what) = shortest(Fault::RevisionOfOneMember, BASE);
    assert_eq!(
        way,
        [
            Step::Own,
            Step::ListBegins,
            Step::Answers(1),
            Step::AnswerArrives(1)
        ]
    );
    assert_eq!(
        what,
        "the list is of 10, and 11 was acknowledged before it began"
    );
}

#[test]
fn the_newest_pods_revision_does_not_tell_of_a_delete() {
    let (way, what) = shortest(Fault::NewestPod, BASE);
    // The fault reports a change, but not the delete after it.
    let known = [
        Step::Own,
        Step::Own,
        Step::ListBegins,
        Step::Answers(1),
        Step::AnswerArrives(1),
    ];
    assert_eq!(way, known);
    assert_eq!(
        what,
        "the list is of 10, and 12 was acknowledged before it began"
    );
}
