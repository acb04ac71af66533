//! The max inflight request filter, which limits the number of requests that run at the same time.

use super::limiter::Admission;
use crate::base::time::SimTime;

/// The state of a limit on running requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaxInflight {
    num: u64,
    running: u64,
}

impl MaxInflight {
    pub fn new(num: u64) -> Self {
        Self { num, running: 0 }
    }

    /// Changes the limit. Running requests continue, even if their number is above the new limit.
    pub fn update(&mut self, num: u64) {
        self.num = num;
    }

    /// Admits a request if the sum of the costs of the running requests stays within the limit.
    pub fn admit(&mut self, now: SimTime, cost: u64) -> Admission {
        if self.running.saturating_add(cost) > self.num {
            return Admission::Refused(None);
        }
        self.running += cost;
        Admission::At(now)
    }

    pub fn release(&mut self, cost: u64) {
        self.running = self.running.saturating_sub(cost);
    }

    /// Returns the sum of the costs of the running requests, and the limit.
    pub fn level(&self) -> (i64, u64) {
        (self.running as i64, self.num)
    }
}
