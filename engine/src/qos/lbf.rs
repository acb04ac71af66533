//! The leaky bucket filter, which delays requests so that they start at an even rate.

use crate::base::time::{SimDuration, SimTime};

use super::limiter::{Admission, UNIT};
use super::tbf::div_ceil;

/// The state of a leaky bucket. The bucket starts empty. The water in the bucket is the work that must start before a
/// new request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lbf {
    mqps: u64,
    queue: u64,
    /// The content of the bucket, in billionths of a request.
    water: i128,
    last: SimTime,
}

impl Lbf {
    pub fn new(now: SimTime, mqps: u64, queue: u64) -> Self {
        Self {
            mqps,
            queue,
            water: 0,
            last: now,
        }
    }

    fn leak(&mut self, now: SimTime) {
        let passed = now.0.saturating_sub(self.last.0);
        self.water = 0.max(self.water - i128::from(passed) * i128::from(self.mqps));
        self.last = now;
    }

    /// Changes the parameters. Until `now`, water leaks at the old rate. Requests that already wait keep their start
    /// times.
    pub fn update(&mut self, now: SimTime, mqps: u64, queue: u64) {
        self.leak(now);
        (self.mqps, self.queue) = (mqps, queue);
    }

    /// Adds `cost` to the water, and returns the time at which the earlier water has leaked.
    pub fn admit(&mut self, now: SimTime, cost: u64) -> Admission {
        self.leak(now);
        let room = i128::from(self.queue) * UNIT;
        if self.water > room {
            let wait = div_ceil(self.water - room, self.mqps);
            return Admission::Refused(Some(SimDuration(wait)));
        }
        let start = now + SimDuration(div_ceil(self.water, self.mqps));
        self.water += i128::from(cost) * UNIT;
        Admission::At(start)
    }

    /// Corrects the cost of an admitted request by `change`, which is the actual cost minus the charged cost.
    pub fn settle(&mut self, now: SimTime, change: i128) {
        self.leak(now);
        self.water = 0.max(self.water + change * UNIT);
    }

    /// Returns the number of requests in the bucket, rounded up, and the maximum number.
    pub fn level(&self, now: SimTime) -> (i64, u64) {
        let mut current = self.clone();
        current.leak(now);
        let water = (current.water + UNIT - 1).div_euclid(UNIT);
        (water as i64, self.queue + 1)
    }
}
