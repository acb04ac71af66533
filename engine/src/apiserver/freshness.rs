//! Reads that wait until the cache is new enough.
//!
//! Mirrors `waitUntilFreshAndBlock` in `cacher/watch_cache.go`, the consistent read of
//! `CacheDelegator.GetList`, and the draft of KEP-2340 with what it keeps for later: an id that
//! etcd echoes, and reads that share one question. Left out: a client that goes away does not end
//! its wait (nor does it upstream).
//!
//! ```text
//!   LIST ──▶ what is etcd's revision? ──▶ the cache is there ──────────────▶ served
//!                     │                       └─ not yet: wait for one of
//!                     │                            an event at or after it ──▶ served
//!                     │                            a notification ───────────▶ served
//!                     │                            too long ─▶ etcd, or an error
//!                     └─ no answer ─▶ an error: nothing stale is served
//! ```
//!
//! The revision is asked for *after* the read came, and by a linearizable read: so it is at or after
//! everything that was acknowledged before. That is the whole of the argument; a notification that
//! comes before the events it speaks of would break it (etcd#15220).

use std::sync::Arc;

use crate::base::time::{SimDuration, SimTime};

use super::progress::{
    DRAFT_BACKGROUND, DRAFT_MIN_GAP, PROGRESS_REQUEST_PERIOD, ProgressPolicy, ProgressRequester,
};
use super::routing::OnTimeout;
use crate::kube::status::{RETRY_AFTER_TOO_LARGE_S, StatusError};

/// The wait limit of a read today (`blockTimeout`).
pub const BLOCK_TIMEOUT: SimDuration = SimDuration::from_millis(3_000);

/// A read that waits, by whatever number its owner gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadId(pub u64);

/// A question for etcd's current revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// How the cache finds out that it is fresh, and how long it tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// When the cache requests progress.
    pub progress: ProgressPolicy,
    /// The wait limit of consistent reads.
    pub wait: WaitLimit,
    /// etcd echoes an id with its notifications: then its revision need not be asked for first.
    pub echo: bool,
    /// Consistent reads share the question for etcd's revision, asked at each multiple of this.
    pub batch: Option<SimDuration>,
}

/// The wait limit of consistent reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitLimit {
    /// All as long.
    Fixed(SimDuration),
    /// Depends on the size of the list.
    BySize(Toleration),
}

/// The draft's rule: a small list is cheap from etcd, so it hardly waits; a large one is dear, so a
/// long wait is nothing to it. The draft gives the two ends; the sizes, and the straight line
/// between them, are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Toleration {
    /// Objects up to which a list is small.
    pub small: u64,
    /// The maximum wait of a small list.
    pub small_wait: SimDuration,
    /// The minimum size of a large list, in objects. After its wait, a large list fails and does not go to etcd.
    pub large: u64,
    /// The maximum wait of a large list.
    pub large_wait: SimDuration,
}

/// A read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadSpec {
    /// The required freshness of the cache.
    pub target: Target,
    /// Objects that are expected, from the size of the cache.
    pub expected_size: u64,
    /// The action after the timeout.
    pub on_timeout: OnTimeout,
}

/// The required freshness of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// As new as etcd at the time of the request.
    Current,
    /// At this resource version.
    At(u64),
}

/// The cause of a new resource version of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moved {
    /// An event.
    Event,
    /// A progress notification, perhaps with the id of a request.
    Progress {
        /// The id.
        echo: Option<u64>,
    },
    /// A new list.
    Relist,
}

/// The end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndedBy {
    /// There was no wait: the cache was fresh enough.
    Nothing,
    /// An event.
    Event,
    /// A notification.
    Progress,
    /// A new list.
    Relist,
    /// The wait timed out.
    Timeout,
    /// etcd did not return its revision.
    NoRevision,
}

/// The decision about a read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The cache serves it, at the resource version that it has now: at least this one.
    FromCache {
        /// The required resource version.
        required: u64,
    },
    /// etcd serves the whole read again.
    FromEtcd,
    /// The read fails.
    Refused(StatusError),
}

/// The end of a read's wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WaitOutcome {
    /// Which read.
    pub read: ReadId,
    /// The decision about the read.
    pub verdict: Verdict,
    /// The end of the wait.
    pub ended_by: EndedBy,
    /// The duration of the wait, without the request for the revision.
    pub waited: SimDuration,
}

/// The timers. Setting a timer again replaces the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FreshnessTimer {
    /// Ask for progress.
    Progress,
    /// A read has waited too long.
    Deadline,
    /// Request the revision, for all reads of the batch.
    Batch,
}

/// The requested actions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wants {
    /// Request etcd's current revision, with a linearizable read.
    pub calls: Vec<CallId>,
    /// Ask etcd for progress, on the stream of the cache's watch; with an id where it echoes one.
    pub progress: Vec<Option<u64>>,
    /// Timers to be set: after how long, and which.
    pub timers: Vec<(SimDuration, FreshnessTimer)>,
    /// Reads that wait no more.
    pub done: Vec<WaitOutcome>,
}

impl Policy {
    /// The policy of Kubernetes since 1.31.
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

    /// Nothing but etcd's own timer, which the draft assumes to tick each 250 ms.
    pub const TIMER_ONLY: Self = Self {
        progress: ProgressPolicy::Never,
        wait: WaitLimit::Fixed(BLOCK_TIMEOUT),
        echo: false,
        batch: None,
    };
}

impl Toleration {
    /// 10 ms for small lists and 500 ms for large ones.
    pub const DRAFT: Self = Self {
        small: 100,
        small_wait: SimDuration::from_millis(10),
        large: 10_000,
        large_wait: SimDuration::from_millis(500),
    };

    /// How long a list of this size waits.
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

    /// Whether a list of this size is too much for etcd.
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
    /// The read waits for the next batched request.
    Batched,
    /// The request for the revision is in flight.
    Asking(CallId),
    /// The read waits.
    Waiting {
        until: Until,
        since: SimTime,
        deadline: SimTime,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Until {
    /// The cache is at this resource version.
    ResourceVersion(u64),
    /// This id, or a later id, has returned.
    Echo(u64),
}

/// A wait of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WaitingRead {
    /// The required revision; `None` while the read waits for an id.
    pub needed: Option<u64>,
    /// Since when.
    pub since: SimTime,
    /// Until when.
    pub deadline: SimTime,
}

/// The reads of one cache that wait.
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
/// let call = out.calls.pop().unwrap(); // what is etcd's revision?
/// freshness.revision(ms(502), call, Ok(57), 42, &mut out);
/// assert_eq!(out.progress, [None]); // 57, and the cache is at 42: nobody has asked lately
/// freshness.cache_moved(ms(504), 57, Moved::Progress { echo: None }, &mut out);
/// let outcome = out.done.pop().unwrap();
/// assert_eq!(outcome.verdict, Verdict::FromCache { required: 57 });
/// assert_eq!(outcome.waited.0, 2_000); // two round trips in all
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Freshness {
    policy: Policy,
    requester: ProgressRequester,
    /// The reads in the order of their arrival; few at any time.
    reads: Vec<Read>,
    next_call: u64,
    /// Reads that require the newest data.
    consistent: u64,
    /// The id that the next progress request carries.
    next_echo: u64,
    progress_timer: Option<SimTime>,
    deadline_timer: Option<SimTime>,
    batch_timer: Option<SimTime>,
}

impl Freshness {
    /// Creates the state without waiting reads.
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

    /// The freshness policy.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The number of waiting reads, including reads that only ask for the revision.
    pub fn reads(&self) -> u32 {
        self.reads.len() as u32
    }

    /// Consistent reads so far, and how often etcd was asked for its revision for them.
    pub fn questions(&self) -> (u64, u64) {
        (self.consistent, self.next_call - 1)
    }

    /// The number of reads that wait for the cache.
    pub fn waiting(&self) -> u32 {
        self.requester.waiting()
    }

    /// The number of progress requests.
    pub fn progress_requests(&self) -> u64 {
        self.requester.requests()
    }

    /// The reads that wait, in the order in which they came: what the cache must come to, unless an
    /// id is waited for, since when, and until when. Those that only ask have none of it.
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

    /// Whether a timer that was set has become pointless.
    pub fn is_void(&self, timer: FreshnessTimer) -> bool {
        match timer {
            FreshnessTimer::Progress => self.progress_timer.is_none(),
            FreshnessTimer::Deadline => self.deadline_timer.is_none(),
            FreshnessTimer::Batch => self.batch_timer.is_none(),
        }
    }

    // What happens.

    /// The cache's watch stands: a policy that asks without being asked begins.
    pub fn start(&mut self, now: SimTime, out: &mut Wants) {
        self.settle(now, out);
    }

    /// Handles a new read.
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
                // Only a request that is sent from now on knows what was acknowledged before.
                let until = Until::Echo(self.next_echo);
                let limit = self.limit(&spec);
                self.wait(now, id, spec, until, limit, cache_rv, out);
            }
            Target::Current => self.ask(now, id, spec, out),
        }
        self.settle(now, out);
    }

    /// Handles etcd's response about its current revision, or the failure.
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

    /// Handles a new resource version of the cache; finished reads are served in the same step.
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

    /// Handles a timer.
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

    /// The wait limit of a consistent read.
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

    /// Sends what is due, and sets the timers that changed.
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
        // A timer that comes too early does no harm: it is set anew then.
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

/// The decision about a read after its wait limit.
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
