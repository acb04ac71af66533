//! Keeps a lease alive while the program runs.
//!
//! Mirrors the keep-alive loop of `client/v3/lease.go`: the next renewal is due when a third of the TTL has passed
//! since the last response. The loop checks every 500 ms whether a renewal is due. A response with a TTL of 0 means
//! that the lease no longer exists, and ends the loop. Left out: the stream that all leases of a real client share, and
//! the limit of 5 s for the first response.

use crate::api::{LeaseKeepAliveRequest, LeaseKeepAliveResponse};
use crate::base::time::SimDuration;

/// The interval between two checks for a due renewal, in microseconds (`retryConnWait`).
const LOOK: u64 = 500_000;

/// A lease that the client keeps alive.
///
/// ```
/// use watchglass_engine::api::LeaseKeepAliveResponse;
/// use watchglass_engine::client::etcd::LeaseKeepAlive;
/// let mut keep = LeaseKeepAlive::new(7);
/// assert_eq!(keep.renew().unwrap().id, 7);
/// let answer = LeaseKeepAliveResponse { id: 7, ttl: 10, ..Default::default() };
/// let after = keep.renewed(&answer).unwrap();
/// assert_eq!(after.0, 3_500_000); // a third of 10 s, rounded up to the next check
/// ```
#[derive(Clone, Copy, Debug, Hash)]
pub struct LeaseKeepAlive {
    lease: i64,
    gone: bool,
    /// Whether the client waits for the timer of the next renewal. False while a request has no response.
    waits: bool,
}

impl LeaseKeepAlive {
    pub fn new(lease: i64) -> Self {
        Self {
            lease,
            gone: false,
            waits: false,
        }
    }

    pub fn lease(&self) -> i64 {
        self.lease
    }

    /// Returns true if a response reported that the lease is gone.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// Returns the next renewal request, or `None` if the lease is gone.
    pub fn renew(&mut self) -> Option<LeaseKeepAliveRequest> {
        self.waits = false;
        (!self.gone).then_some(LeaseKeepAliveRequest { id: self.lease })
    }

    /// Handles a response. Returns the time until the next renewal, or `None` if the lease is gone.
    pub fn renewed(&mut self, answer: &LeaseKeepAliveResponse) -> Option<SimDuration> {
        if answer.ttl <= 0 {
            self.gone = true;
            return None;
        }
        let third = answer.ttl as u64 * 1_000_000 / 3;
        self.waits = true;
        Some(SimDuration(third.next_multiple_of(LOOK)))
    }

    /// Handles a renewal that failed. Returns the time until the next attempt.
    pub fn failed(&mut self) -> SimDuration {
        self.waits = true;
        SimDuration(LOOK)
    }

    /// Returns the time after a response, or after the first request, at which the client library gives up a lease
    /// without further responses. `ttl_s` is the TTL in seconds.
    pub fn patience(ttl_s: i64) -> SimDuration {
        SimDuration((ttl_s.unsigned_abs() * 1_000_000).next_multiple_of(LOOK))
    }

    pub fn waits(&self) -> bool {
        self.waits
    }
}
