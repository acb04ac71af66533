//! The calls of a load generator. This module counts the calls, measures their latency, and decides which request
//! follows a response, a timeout or an error.
//!
//! A load with an open loop sends its requests at the specified rate, even if no response arrives. In a closed loop,
//! each client waits for its response before it sends the next request. Such a client behaves like an application that
//! must finish its work. After a timeout, a lost connection or an error that an overloaded server returns, the client
//! sends the same request again after a back-off. After any other error, the client sends its next request. Left out:
//! the retries and the token bucket of the client libraries.

use crate::base::histogram::Histogram;
use crate::base::ordered::OrdMap;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::client::kube::ReflectorBackoff;

/// Whether a load waits for responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LoadPace {
    /// The load sends requests at its rate, without waiting for responses.
    #[default]
    Open,
    /// Each client waits for a response at most this long.
    Closed(SimDuration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    Succeeded,
    /// The request failed, but the same request may succeed later.
    MayRepeat,
    /// The request failed, and the same request would fail again.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterCall {
    /// The response has no effect on the next request: the load sends requests at fixed times (an open loop), or the
    /// client has already given up on the call.
    Nothing,
    Continues,
    /// The load sends the same request again after this delay.
    Repeats(SimDuration),
}

/// The numbers of calls of a load, by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallCounts {
    /// Requests sent, including repeated requests.
    pub sent: u64,
    pub succeeded: u64,
    /// Responses that are errors.
    pub failed: u64,
    /// Requests without a response within the timeout.
    pub timed_out: u64,
    /// Requests whose connection broke.
    pub lost: u64,
}

/// The calls of a load. `R` is the type of the requests.
///
/// ```
/// use watchglass_engine::base::rng::Rng;
/// use watchglass_engine::base::time::{SimDuration, SimTime};
/// use watchglass_engine::client::load_calls::{LoadCalls, LoadPace};
/// let mut rng = Rng::stream(1, "load");
/// let mut calls = LoadCalls::new(LoadPace::Closed(SimDuration::from_millis(5_000)));
/// calls.sent(SimTime(0), 1, "list");
/// let delay = calls.gives_up(SimTime(5_000_000), &mut rng).unwrap();
/// assert!(delay >= SimDuration::from_millis(800));
/// assert_eq!(calls.repeated(), Some("list")); // the next request is the same
/// ```
#[derive(Clone, Debug, Hash)]
pub struct LoadCalls<R> {
    pace: LoadPace,
    /// The open calls, with the time at which each was sent.
    open: OrdMap<u64, SimTime>,
    counts: CallCounts,
    /// The latencies of the successful calls, in microseconds.
    latencies: Histogram,
    /// In a closed loop, the current request. The client sends the request again until it succeeds or fails with an
    /// error that a repetition cannot avoid.
    request: Option<R>,
    backoff: ReflectorBackoff,
}

impl<R: Clone> LoadCalls<R> {
    pub fn new(pace: LoadPace) -> Self {
        Self {
            pace,
            open: OrdMap::new(),
            counts: CallCounts::default(),
            latencies: Histogram::default(),
            request: None,
            backoff: ReflectorBackoff::default(),
        }
    }

    /// Returns the pace, which says whether the load waits for responses.
    pub fn pace(&self) -> LoadPace {
        self.pace
    }

    pub fn counts(&self) -> CallCounts {
        self.counts
    }

    /// Returns the number of calls without a response.
    pub fn open(&self) -> u64 {
        self.open.len() as u64
    }

    /// Returns the number of calls without a response that were sent before a time.
    pub fn open_since(&self, before: SimTime) -> u64 {
        self.open.values().filter(|sent| **sent < before).count() as u64
    }

    pub fn open_calls(&self) -> impl Iterator<Item = u64> {
        self.open.keys().copied()
    }

    pub fn is_open(&self, call: u64) -> bool {
        self.open.contains_key(&call)
    }

    /// Returns the latencies of the successful calls, in microseconds.
    pub fn latencies(&self) -> &Histogram {
        &self.latencies
    }

    /// Returns the request to send again, if the load repeats its last request.
    pub fn repeated(&self) -> Option<R> {
        self.request.clone()
    }

    /// Records a sent request. In a closed loop, returns the time after which the client gives up.
    pub fn sent(&mut self, now: SimTime, call: u64, request: R) -> Option<SimDuration> {
        self.counts.sent += 1;
        self.open.insert(call, now);
        match self.pace {
            LoadPace::Open => None,
            LoadPace::Closed(timeout) => {
                self.request = Some(request);
                Some(timeout)
            }
        }
    }

    /// Records a response, and decides what the load generator does next.
    pub fn answered(
        &mut self,
        now: SimTime,
        call: u64,
        outcome: CallOutcome,
        rng: &mut Rng,
    ) -> AfterCall {
        let Some(since) = self.open.remove(&call) else {
            return AfterCall::Nothing;
        };
        if outcome == CallOutcome::Succeeded {
            self.counts.succeeded += 1;
            self.latencies.add((now - since).0);
        } else {
            self.counts.failed += 1;
        }
        match (self.pace, outcome) {
            (LoadPace::Open, _) => AfterCall::Nothing,
            (LoadPace::Closed(_), CallOutcome::Succeeded | CallOutcome::Failed) => {
                self.request = None;
                self.backoff = ReflectorBackoff::default();
                AfterCall::Continues
            }
            (LoadPace::Closed(_), CallOutcome::MayRepeat) => {
                AfterCall::Repeats(self.backoff.next_delay(now, rng))
            }
        }
    }

    /// Gives up the open call of a closed loop after its timeout. Returns the delay before the next attempt.
    pub fn gives_up(&mut self, now: SimTime, rng: &mut Rng) -> Option<SimDuration> {
        let open = self.open.len() as u64;
        if open == 0 {
            return None;
        }
        self.counts.timed_out += open;
        self.open = OrdMap::new();
        Some(self.backoff.next_delay(now, rng))
    }

    /// Drops all open calls, because the connection broke.
    pub fn drop_open(&mut self) {
        self.counts.lost += self.open.len() as u64;
        self.open = OrdMap::new();
    }

    /// Ends the load's process: the open calls and the current request are lost. The counts of calls remain.
    pub fn stop(&mut self) {
        self.drop_open();
        self.request = None;
        self.backoff = ReflectorBackoff::default();
    }

    /// Returns the delay before the next attempt of a closed loop.
    pub fn next_delay(&mut self, now: SimTime, rng: &mut Rng) -> Option<SimDuration> {
        match self.pace {
            LoadPace::Open => None,
            LoadPace::Closed(_) => Some(self.backoff.next_delay(now, rng)),
        }
    }
}
