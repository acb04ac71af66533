//! Keeping a lease alive for as long as the program runs.
//!
//! Mirrors the keep-alive loop of `client/v3/lease.go`: a third of the TTL after an answer it is
//! time to ask again, which the loop finds out every 500 ms. An answer with a TTL of 0 says that the
//! lease is gone, and ends it. Left out: one stream for all leases, and the 5 s that the first
//! answer may take.

use crate::api::{LeaseKeepAliveRequest, LeaseKeepAliveResponse};
use crate::base::time::SimDuration;

/// The interval of the check whether a renewal is due (`retryConnWait`).
const LOOK: u64 = 500_000;

/// A lease that is kept alive.
///
/// ```
/// use watchglass_engine::api::LeaseKeepAliveResponse;
/// use watchglass_engine::client::etcd::LeaseKeepAlive;
/// let mut keep = LeaseKeepAlive::new(7);
/// assert_eq!(keep.renew().unwrap().id, 7);
/// let answer = LeaseKeepAliveResponse { id: 7, ttl: 10, ..Default::default() };
/// let after = keep.renewed(&answer).unwrap();
/// assert_eq!(after.0, 3_500_000); // a third of 10 s, at the next look
/// ```
#[derive(Clone, Copy, Debug, Hash)]
pub struct LeaseKeepAlive {
    lease: i64,
    gone: bool,
    /// Whether the last request has a response; the timer triggers the next request.
    waits: bool,
}

impl LeaseKeepAlive {
    /// For the lease of this id.
    pub fn new(lease: i64) -> Self {
        Self {
            lease,
            gone: false,
            waits: false,
        }
    }

    /// The lease.
    pub fn lease(&self) -> i64 {
        self.lease
    }

    /// Whether the lease was found to be gone.
    pub fn is_gone(&self) -> bool {
        self.gone
    }

    /// The next renewal; `None` once the lease is gone.
    pub fn renew(&mut self) -> Option<LeaseKeepAliveRequest> {
        self.waits = false;
        (!self.gone).then_some(LeaseKeepAliveRequest { id: self.lease })
    }

    /// Takes in an answer: after how long to ask again.
    pub fn renewed(&mut self, answer: &LeaseKeepAliveResponse) -> Option<SimDuration> {
        if answer.ttl <= 0 {
            self.gone = true;
            return None;
        }
        let third = answer.ttl as u64 * 1_000_000 / 3;
        self.waits = true;
        Some(SimDuration(third.next_multiple_of(LOOK)))
    }

    /// Whether the client waits for the next renewal.
    pub fn waits(&self) -> bool {
        self.waits
    }
}
