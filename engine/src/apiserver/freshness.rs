//! Reads that wait until the cache is new enough.
//!
//! Mirrors `waitUntilFreshAndBlock` in `cacher/watch_cache.go`, the consistent read of `CacheDelegator.GetList`, and
//! the draft of KEP-2340. The module also contains two improvements that the draft describes for the future: an ID that
//! etcd echoes, and reads that share one request for the revision. As in Kubernetes, a read continues to wait after the
//! client of the read disconnects.
//!
//! ```text
//!   LIST ──▶ what is etcd's revision? ──▶ the cache is fresh ──────────────▶ served
//!                     │                       └─ not yet: wait for one of
//!                     │                            an event ≥ revision ──────▶ served
//!                     │                            a notification ───────────▶ served
//!                     │                            a timeout ─▶ etcd, or an error
//!                     └─ no response ─▶ an error, because the data could be stale
//! ```
//!
//! The server requests the revision *after* the read has arrived, with a linearizable read. So the revision is at or
//! after every write that was acknowledged before the read. This is the complete argument for consistency. A
//! notification that overtakes the events before it would break this argument (etcd#15220).

use std::sync::Arc;

use crate::base::time::{SimDuration, SimTime};

use super::progress::{
    DRAFT_BACKGROUND, DRAFT_MIN_GAP, PROGRESS_REQUEST_PERIOD, ProgressPolicy, ProgressRequester,
};
use super::routing::OnTimeout;
use super::server::DEADLINE_EXCEEDED;
use crate::kube::status::{RETRY_AFTER_TOO_LARGE_S, StatusError};

/// The wait limit of a read in current Kubernetes (`blockTimeout`).
pub const BLOCK_TIMEOUT: SimDuration = SimDuration::from_millis(3_000);

/// The number of a waiting read. The API server assigns this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadId(pub u64);

/// The number of a request for etcd's current revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// The policy by which the cache checks its freshness, with the wait limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    pub progress: ProgressPolicy,
    pub wait: WaitLimit,
    /// Whether etcd echoes an ID in its notifications. Reads then need no request for etcd's revision.
    pub echo: bool,
    /// The interval at which the server requests etcd's revision for all consistent reads together; `None` for one
    /// request per read.
    pub batch: Option<SimDuration>,
}

/// The wait limit of consistent reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitLimit {
    Fixed(SimDuration),
    /// A limit that depends on the size of the list.
    BySize(Toleration),
}

/// The wait limits in the draft of KEP-2340. A small list from etcd is cheap, so a small list waits only briefly. A
/// large list is expensive, so a long wait is acceptable. The draft gives only the two wait limits. The simulator adds
/// the two sizes, and a linear interpolation of the limit for lists between the two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Toleration {
    /// The maximum size of a small list, in objects.
    pub small: u64,
    pub small_wait: SimDuration,
    /// The minimum size of a large list, in objects. If a large list reaches its maximum wait, the list fails, and etcd
    /// does not serve the list.
    pub large: u64,
    pub large_wait: SimDuration,
}

/// The requirements of a read that may have to wait for the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadSpec {
    pub target: Target,
    /// The expected number of objects, taken from the size of the cache.
    pub expected_size: u64,
    pub on_timeout: OnTimeout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The cache must be as new as etcd was at the time of the request.
    Current,
    /// The cache must have reached this resource version.
    At(u64),
}

/// The event that gave the cache a new resource version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moved {
    /// An event arrived from etcd.
    Event,
    /// A progress notification, which can contain the ID of a request.
    Progress {
        /// The ID that etcd echoes; `None` if etcd echoes no ID.
        echo: Option<u64>,
    },
    /// The cache applied a new list.
    Relist,
}

/// The cause that ended the wait of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndedBy {
    /// The cache was already fresh enough, so there was no wait.
    Nothing,
    Event,
    Progress,
    Relist,
    Timeout,
    /// etcd did not return its revision.
    NoRevision,
}

/// The decision about a read after its wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The cache serves the read at its current resource version, which is at least `required`.
    FromCache {
        required: u64,
    },
    FromEtcd,
    Refused(StatusError),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WaitOutcome {
    pub read: ReadId,
    pub verdict: Verdict,
    pub ended_by: EndedBy,
    /// The duration of the wait for the cache, excluding the request for etcd's revision.
    pub waited: SimDuration,
}

/// The timers of the waiting reads. Setting a timer again replaces the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FreshnessTimer {
    Progress,
    /// The wait limit of a read has passed.
    Deadline,
    /// Request etcd's revision for all reads that wait for the next shared request.
    Batch,
}

/// The actions that [`Freshness`] requests from the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wants {
    /// Request etcd's current revision, with a linearizable read.
    pub calls: Vec<CallId>,
    /// Send progress requests to etcd on the stream of the cache's watch, each with an ID if etcd echoes IDs.
    pub progress: Vec<Option<u64>>,
    /// The timers to set, each with its delay.
    pub timers: Vec<(SimDuration, FreshnessTimer)>,
    /// The reads whose wait has ended.
    pub done: Vec<WaitOutcome>,
}

impl Policy {
    /// The policy of current Kubernetes, since 1.31.
    pub const TODAY: Self = Self {
        progress: ProgressPolicy::OnDemand {
            period: PROGRESS_REQUEST_PERIOD,
        },
        wait: WaitLimit::Fixed(BLOCK_TIMEOUT),
        echo: false,
        batch: None,
    };

    /// The policy of the draft of KEP-2340.
    pub const DRAFT: Self = Self {
        progress: ProgressPolicy::Draft {
            background: DRAFT_BACKGROUND,
            min_gap: DRAFT_MIN_GAP,
        },
        wait: WaitLimit::BySize(Toleration::DRAFT),
        echo: false,
        batch: None,
    };

    /// A policy without progress requests. The policy relies on etcd's own timer, which the draft of KEP-2340 assumes
    /// to fire every 250 ms.
    pub const TIMER_ONLY: Self = Self {
        progress: ProgressPolicy::Never,
        wait: WaitLimit::Fixed(BLOCK_TIMEOUT),
        echo: false,
        batch: None,
    };
}

impl Toleration {
    /// The wait limits in the draft of KEP-2340: 10 ms for small lists and 500 ms for large lists.
    pub const DRAFT: Self = Self {
        small: 100,
        small_wait: SimDuration::from_millis(10),
        large: 10_000,
        large_wait: SimDuration::from_millis(500),
    };

    /// Returns the wait limit of a list with this size.
    ///
    /// ```
    /// use watchglass_engine::apiserver::freshness::Toleration;
    /// let ms = |size| Toleration::DRAFT.of(size).0 / 1000;
    /// assert_eq!((ms(1), ms(100), ms(5_050), ms(150_000)), (10, 10, 255, 500));
    /// ```
    pub fn of(&self, size: u64) -> SimDuration {
        assert!(
            self.small < self.large,
            "small lists are smaller than large ones"
        );
        let above = size.clamp(self.small, self.large) - self.small;
        let more = self.large_wait.0.saturating_sub(self.small_wait.0);
        SimDuration(self.small_wait.0 + more * above / (self.large - self.small))
    }

    /// Returns true if a list of this size is too expensive for etcd.
    pub fn is_large(&self, size: u64) -> bool {
        size >= self.large
    }
}

#[derive(Clone, Copy, Debug, Hash)]
struct Read {
    id: ReadId,
    spec: ReadSpec,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Hash)]
enum Stage {
    /// The read waits for the next shared request for etcd's revision.
    Batched,
    Asking(CallId),
    Waiting {
        until: Until,
        since: SimTime,
        deadline: SimTime,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Until {
    /// The cache has reached this resource version.
    ResourceVersion(u64),
    /// etcd has echoed this ID or a later ID.
    Echo(u64),
}

/// The requirement of a read that waits for the cache, and the times of its wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WaitingRead {
    /// The revision that the cache must reach; `None` if the read waits for an ID that etcd echoes.
    pub needed: Option<u64>,
    pub since: SimTime,
    pub deadline: SimTime,
}

/// The reads that wait until one cache is fresh enough.
///
/// ```
/// use watchglass_engine::apiserver::freshness::*;
/// use watchglass_engine::apiserver::routing::OnTimeout;
/// use watchglass_engine::base::time::SimTime;
/// let ms = |n: u64| SimTime(n * 1000);
/// let mut freshness = Freshness::new(Policy::TODAY, ms(0));
/// let mut out = Wants::default();
/// let list = ReadSpec {
///     target: Target::Current,
///     expected_size: 150_000,
///     on_timeout: OnTimeout::AskEtcd,
/// };
/// freshness.begin(ms(500), ReadId(1), list, 42, &mut out);
/// let call = out.calls.pop().unwrap(); // the request for etcd's revision
/// freshness.revision(ms(502), call, Ok(57), 42, &mut out);
/// assert_eq!(out.progress, [None]); // the cache is at 42: send a progress request
/// freshness.cache_moved(ms(504), 57, Moved::Progress { echo: None }, &mut out);
/// let outcome = out.done.pop().unwrap();
/// assert_eq!(outcome.verdict, Verdict::FromCache { required: 57 });
/// assert_eq!(outcome.waited.0, 2_000); // excludes the request for the revision
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Freshness {
    policy: Policy,
    requester: ProgressRequester,
    /// The reads in the order of their arrival. There are only a few reads at any time.
    reads: Vec<Read>,
    next_call: u64,
    /// The total number of consistent reads, which require the newest data.
    consistent: u64,
    /// The ID in the next progress request.
    next_echo: u64,
    progress_timer: Option<SimTime>,
    deadline_timer: Option<SimTime>,
    batch_timer: Option<SimTime>,
}

impl Freshness {
    pub fn new(policy: Policy, now: SimTime) -> Self {
        Self {
            policy,
            requester: ProgressRequester::new(policy.progress, now),
            reads: Vec::new(),
            next_call: 1,
            consistent: 0,
            next_echo: 1,
            progress_timer: None,
            deadline_timer: None,
            batch_timer: None,
        }
    }

    // Getters.

    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Returns the number of waiting reads, including reads that wait for etcd's revision.
    pub fn reads(&self) -> u32 {
        self.reads.len() as u32
    }

    /// Returns the number of consistent reads, and the number of requests for etcd's revision that they caused.
    pub fn questions(&self) -> (u64, u64) {
        (self.consistent, self.next_call - 1)
    }

    /// Returns the number of reads that wait for the cache.
    pub fn waiting(&self) -> u32 {
        self.requester.waiting()
    }

    /// Returns the number of progress requests sent so far.
    pub fn progress_requests(&self) -> u64 {
        self.requester.requests()
    }

    /// Returns the waiting reads in the order of their arrival, each with the state of its wait for the cache. A read
    /// that still waits for etcd's revision has `None` as its state.
    pub fn waits(&self) -> impl Iterator<Item = (ReadId, Option<WaitingRead>)> + '_ {
        self.reads.iter().map(|read| match read.stage {
            Stage::Batched | Stage::Asking(_) => (read.id, None),
            Stage::Waiting {
                until,
                since,
                deadline,
            } => {
                let needed = match until {
                    Until::ResourceVersion(rv) => Some(rv),
                    Until::Echo(_) => None,
                };
                let waiting = WaitingRead {
                    needed,
                    since,
                    deadline,
                };
                (read.id, Some(waiting))
            }
        })
    }

    /// Returns true if a timer is stale: the work of the timer is no longer needed.
    pub fn is_void(&self, timer: FreshnessTimer) -> bool {
        match timer {
            FreshnessTimer::Progress => self.progress_timer.is_none(),
            FreshnessTimer::Deadline => self.deadline_timer.is_none(),
            FreshnessTimer::Batch => self.batch_timer.is_none(),
        }
    }

    // Inputs.

    /// Handles the start of the cache's watch. If the policy requires periodic progress requests, sets their timer.
    pub fn start(&mut self, now: SimTime, out: &mut Wants) {
        self.settle(now, out);
    }

    /// Handles a new read: requests etcd's revision if necessary, and lets the read wait until the cache is fresh
    /// enough.
    pub fn begin(
        &mut self,
        now: SimTime,
        id: ReadId,
        spec: ReadSpec,
        cache_rv: u64,
        out: &mut Wants,
    ) {
        assert!(
            self.reads.iter().all(|read| read.id != id),
            "each read has a number of its own"
        );
        self.consistent += u64::from(spec.target == Target::Current);
        match spec.target {
            Target::At(rv) => {
                let until = Until::ResourceVersion(rv);
                self.wait(now, id, spec, until, BLOCK_TIMEOUT, cache_rv, out);
            }
            Target::Current if self.policy.echo => {
                // The response must be to a progress request that is sent after the read arrived: only this response
                // covers all writes that were acknowledged before the read.
                let until = Until::Echo(self.next_echo);
                let limit = self.limit(&spec);
                self.wait(now, id, spec, until, limit, cache_rv, out);
            }
            Target::Current => self.ask(now, id, spec, out),
        }
        self.settle(now, out);
    }

    /// Handles etcd's response with its current revision, or a failed request for the revision.
    pub fn revision(
        &mut self,
        now: SimTime,
        call: CallId,
        answer: Result<u64, Arc<str>>,
        cache_rv: u64,
        out: &mut Wants,
    ) {
        let asked = |read: &Read| matches!(read.stage, Stage::Asking(asked) if asked == call);
        let of_call: Vec<Read> = self.reads.iter().copied().filter(asked).collect();
        self.reads.retain(|read| !asked(read));
        for read in of_call {
            let refused = match &answer {
                Ok(0) => StatusError::RevisionZero,
                Err(error) if &**error == DEADLINE_EXCEEDED => StatusError::ReadTimeout,
                Err(error) => StatusError::Storage(error.clone()),
                Ok(rv) => {
                    let until = Until::ResourceVersion(*rv);
                    let limit = self.limit(&read.spec);
                    self.wait(now, read.id, read.spec, until, limit, cache_rv, out);
                    continue;
                }
            };
            out.done.push(WaitOutcome {
                read: read.id,
                verdict: Verdict::Refused(refused),
                ended_by: EndedBy::NoRevision,
                waited: SimDuration(0),
            });
        }
        self.settle(now, out);
    }

    /// Handles a new resource version of the cache, and ends the wait of each read whose requirement is now met.
    pub fn cache_moved(&mut self, now: SimTime, cache_rv: u64, how: Moved, out: &mut Wants) {
        let (ended_by, echoed) = match how {
            Moved::Event => (EndedBy::Event, None),
            Moved::Relist => (EndedBy::Relist, None),
            Moved::Progress { echo } => {
                self.requester.progress_seen(now);
                (EndedBy::Progress, echo)
            }
        };
        let requester = &mut self.requester;
        self.reads.retain(|read| {
            let Stage::Waiting { until, since, .. } = read.stage else {
                return true;
            };
            let required = match until {
                Until::ResourceVersion(rv) if rv <= cache_rv => rv,
                Until::Echo(id) if echoed.is_some_and(|echoed| id <= echoed) => cache_rv,
                Until::ResourceVersion(_) | Until::Echo(_) => return true,
            };
            requester.remove();
            out.done.push(WaitOutcome {
                read: read.id,
                verdict: Verdict::FromCache { required },
                ended_by,
                waited: now - since,
            });
            false
        });
        self.settle(now, out);
    }

    pub fn wake(&mut self, now: SimTime, timer: FreshnessTimer, cache_rv: u64, out: &mut Wants) {
        if self.is_void(timer) {
            return;
        }
        match timer {
            FreshnessTimer::Progress => self.progress_timer = None,
            FreshnessTimer::Deadline => {
                self.deadline_timer = None;
                self.time_out(now, cache_rv, out);
            }
            FreshnessTimer::Batch => {
                self.batch_timer = None;
                self.ask_for_batch(out);
            }
        }
        self.settle(now, out);
    }

    fn limit(&self, spec: &ReadSpec) -> SimDuration {
        match self.policy.wait {
            WaitLimit::Fixed(limit) => limit,
            WaitLimit::BySize(toleration) => toleration.of(spec.expected_size),
        }
    }

    fn ask(&mut self, now: SimTime, id: ReadId, spec: ReadSpec, out: &mut Wants) {
        let stage = match self.policy.batch {
            None => Stage::Asking(self.call(out)),
            Some(interval) => {
                if self.batch_timer.is_none() {
                    let at = SimTime((now.0 / interval.0 + 1) * interval.0);
                    self.batch_timer = Some(at);
                    out.timers.push((at - now, FreshnessTimer::Batch));
                }
                Stage::Batched
            }
        };
        self.reads.push(Read { id, spec, stage });
    }

    fn call(&mut self, out: &mut Wants) -> CallId {
        let call = CallId(self.next_call);
        self.next_call += 1;
        out.calls.push(call);
        call
    }

    fn ask_for_batch(&mut self, out: &mut Wants) {
        let call = self.call(out);
        for read in &mut self.reads {
            if matches!(read.stage, Stage::Batched) {
                read.stage = Stage::Asking(call);
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "all of it is needed to begin a wait"
    )]
    fn wait(
        &mut self,
        now: SimTime,
        id: ReadId,
        spec: ReadSpec,
        until: Until,
        limit: SimDuration,
        cache_rv: u64,
        out: &mut Wants,
    ) {
        match until {
            Until::ResourceVersion(required) if required <= cache_rv => {
                out.done.push(WaitOutcome {
                    read: id,
                    verdict: Verdict::FromCache { required },
                    ended_by: EndedBy::Nothing,
                    waited: SimDuration(0),
                })
            }
            Until::ResourceVersion(_) | Until::Echo(_) => {
                self.requester.add();
                let stage = Stage::Waiting {
                    until,
                    since: now,
                    deadline: now + limit,
                };
                self.reads.push(Read { id, spec, stage });
            }
        }
    }

    fn time_out(&mut self, now: SimTime, cache_rv: u64, out: &mut Wants) {
        let policy = self.policy;
        let requester = &mut self.requester;
        self.reads.retain(|read| {
            let Stage::Waiting {
                until,
                since,
                deadline,
            } = read.stage
            else {
                return true;
            };
            if deadline > now {
                return true;
            }
            requester.remove();
            out.done.push(WaitOutcome {
                read: read.id,
                verdict: too_late(&policy, &read.spec, until, cache_rv),
                ended_by: EndedBy::Timeout,
                waited: now - since,
            });
            false
        });
    }

    /// Sends a progress request if one is due, and sets the timers that have changed.
    fn settle(&mut self, now: SimTime, out: &mut Wants) {
        if self.requester.take_due(now) {
            let echo = self.policy.echo.then_some(self.next_echo);
            self.next_echo += 1;
            out.progress.push(echo);
        }
        let next = self.requester.next_at(now);
        if next != self.progress_timer {
            self.progress_timer = next;
            let timer = next.map(|at| (at - now, FreshnessTimer::Progress));
            out.timers.extend(timer);
        }
        let deadlines = self.reads.iter().filter_map(|read| match read.stage {
            Stage::Waiting { deadline, .. } => Some(deadline),
            Stage::Batched | Stage::Asking(_) => None,
        });
        // A timer that fires before the earliest deadline only sets the next timer.
        let earliest = deadlines.min();
        if earliest.is_none() {
            self.deadline_timer = None;
        }
        let is_set = self.deadline_timer.is_some_and(|at| Some(at) <= earliest);
        if let Some(at) = earliest.filter(|_| !is_set) {
            self.deadline_timer = Some(at);
            out.timers.push((at - now, FreshnessTimer::Deadline));
        }
    }
}

/// Returns the decision about a read whose wait has timed out.
fn too_late(policy: &Policy, spec: &ReadSpec, until: Until, cache_rv: u64) -> Verdict {
    let error = match until {
        Until::ResourceVersion(requested) => StatusError::TooLargeResourceVersion {
            requested,
            current: cache_rv,
            retry_after_s: RETRY_AFTER_TOO_LARGE_S,
        },
        Until::Echo(_) => StatusError::NoEcho { current: cache_rv },
    };
    match (spec.on_timeout, until) {
        (OnTimeout::Refuse, _) => Verdict::Refused(error),
        (OnTimeout::AskEtcd, _) => Verdict::FromEtcd,
        (OnTimeout::RefuseFor429, Until::ResourceVersion(requested)) => {
            Verdict::Refused(StatusError::FallbackSkipped {
                requested,
                current: cache_rv,
            })
        }
        (OnTimeout::RefuseFor429, Until::Echo(_)) => Verdict::Refused(error),
        (OnTimeout::BySize, _) => match policy.wait {
            WaitLimit::BySize(toleration) if toleration.is_large(spec.expected_size) => {
                Verdict::Refused(error)
            }
            WaitLimit::BySize(_) | WaitLimit::Fixed(_) => Verdict::FromEtcd,
        },
    }
}
