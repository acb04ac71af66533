//! A client that polls: it reads a prefix at an interval, and compares each state with the previous state.
//!
//! None of etcd's programs polls. The simulator offers this client to compare polling with a watch: a poll returns only
//! the latest state, and the client misses the states between two polls. With [`PollSpec::each_revision`], the client
//! also reads every revision since the last poll, except compacted revisions. With [`PollSpec::through_cache`], the
//! client reads its own copy of the keys, which a watch keeps up to date, as etcd's client-side cache does since 3.7
//! (`cache/cache.go`): it asks etcd only for its revision, and waits until the copy has reached that revision. Left out
//! of that cache: its watchers, and its window of 2,048 revisions for reads of the past.

use crate::api::{EtcdError, RangeRequest, Reply, Request, Response};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::base::digest::Sparse;
use crate::base::ordered::OrdMap;
use crate::base::time::SimDuration;
use crate::trace::PollOutcome;

use super::list_watch::ListWatch;

/// The interval at which a waiting cache requests progress notifications (`ProgressRequestInterval`).
pub const PROGRESS_INTERVAL: SimDuration = SimDuration::from_millis(100);

/// The maximum number of progress requests of one read: a read waits for three seconds (`WaitTimeout`).
const PROGRESS_REQUESTS_MAX: u32 = 30;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PollSpec {
    pub prefix: Bytes,
    /// The time between two polls.
    pub every: SimDuration,
    /// Whether the client reads every revision since its last poll, and not only the newest.
    pub each_revision: bool,
    /// Whether the client reads its own copy of the keys.
    pub through_cache: Sparse<bool>,
}

/// The keys of a prefix at one revision, with their mod revisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    revision: i64,
    keys: OrdMap<Bytes, i64>,
}

/// A client that polls.
///
/// ```
/// use watchglass_engine::api::{RangeResponse, Response};
/// use watchglass_engine::base::time::SimDuration;
/// use watchglass_engine::client::etcd::poll::{PollSpec, Poller};
/// let every = SimDuration::from_millis(1_000);
/// let prefix = "/a".into();
/// let spec = PollSpec { prefix, every, each_revision: false, through_cache: Default::default() };
/// let mut poller = Poller::new(spec);
/// assert!(poller.tick(1).is_some());
/// assert!(poller.tick(2).is_none()); // the first request is still pending
/// let (_, next) = poller.answered(1, &Ok(Response::Range(RangeResponse::default()))).unwrap();
/// assert!(next.is_none());
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Poller {
    spec: PollSpec,
    /// The last state that the client applied; `None` before the first response.
    known: Option<State>,
    /// The newest state, which the client applies after it has read the older revisions.
    newest: Option<State>,
    /// The pending request: its call number and its revision.
    open: Option<(u64, i64)>,
    changes: u64,
    compacted: u64,
    /// The read that waits for the client's copy of the keys.
    waiting: Sparse<Option<CacheWait>>,
    /// Whether the timer for the next progress request runs.
    is_paced: Sparse<bool>,
}

/// A read that waits until the client's copy of the keys has reached a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CacheWait {
    revision: i64,
    requests: u32,
}

impl Poller {
    pub fn new(spec: PollSpec) -> Self {
        Self {
            spec,
            known: None,
            newest: None,
            open: None,
            changes: 0,
            compacted: 0,
            waiting: Sparse::default(),
            is_paced: Sparse::default(),
        }
    }

    pub fn spec(&self) -> &PollSpec {
        &self.spec
    }

    /// Returns the number of changes that the client noticed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns the number of revisions that were compacted before the client read them.
    pub fn compacted(&self) -> u64 {
        self.compacted
    }

    /// Drops the pending request and the newest state when the connection breaks or the process ends.
    pub fn lose(&mut self) {
        self.open = None;
        self.newest = None;
        self.waiting = Sparse::default();
        self.is_paced = Sparse::default();
    }

    /// Ends the process; its memory is lost.
    pub fn stop(&mut self) {
        self.lose();
        self.known = None;
    }

    /// Returns the next poll, with call number `call`; `None` if a request is still pending.
    pub fn tick(&mut self, call: u64) -> Option<Request> {
        let is_free = self.open.is_none() && self.waiting.is_none();
        is_free.then(|| self.read(call, 0))
    }

    /// Serves a waiting read if the client's copy of the keys has reached its revision.
    pub fn serve(&mut self, copy: &ListWatch) -> Option<PollOutcome> {
        let wait = (*self.waiting)?;
        if copy.is_listing() || copy.seen() < wait.revision {
            return None;
        }
        *self.waiting = None;
        let keys = copy.known();
        Some(
            self.apply(State {
                revision: copy.seen(),
                keys: keys
                    .map(|(key, revision)| (key.clone(), revision))
                    .collect(),
            }),
        )
    }

    /// Returns true if the client must send a progress request for a waiting read, and set the timer for the next one.
    pub fn requests_progress(&mut self) -> bool {
        match &mut *self.waiting {
            Some(wait) if !*self.is_paced => {
                wait.requests += 1;
                *self.is_paced = true;
                true
            }
            _ => false,
        }
    }

    /// Handles the timer for progress requests. Returns the outcome of a read that has waited for too long.
    pub fn paced(&mut self) -> Option<PollOutcome> {
        *self.is_paced = false;
        let wait = self
            .waiting
            .take_if(|wait| wait.requests >= PROGRESS_REQUESTS_MAX)?;
        Some(PollOutcome::CacheTimedOut {
            revision: wait.revision,
        })
    }

    fn read(&mut self, call: u64, revision: i64) -> Request {
        self.open = Some((call, revision));
        Request::Range(RangeRequest {
            key: self.spec.prefix.clone(),
            range_end: prefix_end(&self.spec.prefix),
            revision,
            // The cache needs only the revision in the header.
            count_only: *self.spec.through_cache,
            ..RangeRequest::default()
        })
    }

    /// Handles a response. Returns the outcomes of the polls, and the request to send immediately, if any. Returns
    /// `None` if the client does not wait for this response.
    pub fn answered(
        &mut self,
        call: u64,
        reply: &Reply,
    ) -> Option<(Vec<PollOutcome>, Option<Request>)> {
        let (_, revision) = self.open.take_if(|(open, _)| *open == call)?;
        let mut outcomes = Vec::new();
        match reply {
            Ok(Response::Range(range)) if *self.spec.through_cache => {
                *self.waiting = Some(CacheWait {
                    revision: range.header.revision,
                    requests: 0,
                });
            }
            Ok(Response::Range(range)) => {
                let keys = range.kvs.iter();
                let read_at = match revision {
                    0 => range.header.revision,
                    _ => revision,
                };
                let state = State {
                    revision: read_at,
                    keys: keys.map(|kv| (kv.key.clone(), kv.mod_revision)).collect(),
                };
                let seen = self.known.as_ref().map_or(read_at, |known| known.revision);
                if self.spec.each_revision && revision == 0 && seen + 1 < read_at {
                    self.newest = Some(state);
                } else {
                    outcomes.push(self.apply(state));
                }
            }
            Ok(_) => return None,
            Err(error) => outcomes.push(self.refused(revision, *error)),
        }
        let next = self.next_revision(&mut outcomes);
        let next = next.map(|revision| self.read(call + 1, revision));
        Some((outcomes, next))
    }

    /// Replaces the known state, and counts the differences from the previous state. The first state counts as no
    /// change.
    fn apply(&mut self, state: State) -> PollOutcome {
        let changes = self.known.as_ref().map_or(0, |known| {
            let differs = |(key, rev): &(&Bytes, &i64)| known.keys.get(*key) != Some(*rev);
            let put = state.keys.iter().filter(differs).count();
            let gone = known
                .keys
                .keys()
                .filter(|key| !state.keys.contains_key(*key));
            (put + gone.count()) as u32
        });
        self.changes += u64::from(changes);
        let outcome = PollOutcome::Read {
            revision: state.revision,
            keys: state.keys.len() as u32,
            changes,
        };
        self.known = Some(state);
        outcome
    }

    /// Handles an error: skips the revision if it is compacted. After any other error, drops the newest state, and the
    /// client waits for its next poll.
    fn refused(&mut self, revision: i64, error: EtcdError) -> PollOutcome {
        match (&error, &mut self.known) {
            (EtcdError::Compacted, Some(known)) => {
                self.compacted += 1;
                known.revision = revision;
            }
            _ => self.newest = None,
        }
        PollOutcome::Refused { revision, error }
    }

    /// Returns the next revision to read before the newest state can be applied. If there is no such revision, applies
    /// the newest state.
    fn next_revision(&mut self, outcomes: &mut Vec<PollOutcome>) -> Option<i64> {
        let next = self.known.as_ref()?.revision + 1;
        if let Some(newest) = self.newest.take_if(|newest| next >= newest.revision) {
            outcomes.push(self.apply(newest));
        }
        self.newest.as_ref().map(|_| next)
    }
}
