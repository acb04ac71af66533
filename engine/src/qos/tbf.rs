//! The token bucket filter, which allows bursts and otherwise limits the rate.

use crate::base::time::{SimDuration, SimTime};

use super::limiter::{Admission, UNIT};

/// The state of a token bucket. The bucket starts full and is refilled continuously, not once per second.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tbf {
    mqps: u64,
    burst: u64,
    max_wait: SimDuration,
    /// The number of tokens in billionths of a token. Negative while delayed requests have reserved tokens in advance.
    level: i128,
    last: SimTime,
}

impl Tbf {
    /// Creates a full bucket.
    pub fn new(now: SimTime, mqps: u64, burst: u64, max_wait: SimDuration) -> Self {
        Self {
            mqps,
            burst,
            max_wait,
            level: i128::from(burst) * UNIT,
            last: now,
        }
    }

    fn refill(&mut self, now: SimTime) {
        let passed = now.0.saturating_sub(self.last.0);
        let full = i128::from(self.burst) * UNIT;
        self.level = full.min(self.level + i128::from(passed) * i128::from(self.mqps));
        self.last = now;
    }

    /// Changes the parameters. Until `now`, tokens accrue at the old rate.
    pub fn update(&mut self, now: SimTime, mqps: u64, burst: u64, max_wait: SimDuration) {
        self.refill(now);
        self.level = self.level.min(i128::from(burst) * UNIT);
        (self.mqps, self.burst, self.max_wait) = (mqps, burst, max_wait);
    }

    /// Takes `cost` tokens. If the bucket contains too few tokens, delays or refuses the request.
    pub fn admit(&mut self, now: SimTime, cost: u64) -> Admission {
        self.refill(now);
        let needed = i128::from(cost) * UNIT;
        if cost > self.burst {
            return Admission::Refused(None);
        }
        let missing = needed - self.level;
        if missing <= 0 {
            self.level -= needed;
            return Admission::At(now);
        }
        let wait = SimDuration(div_ceil(missing, self.mqps));
        if wait > self.max_wait {
            return Admission::Refused(Some(wait));
        }
        self.level -= needed;
        Admission::At(now + wait)
    }

    /// Corrects the cost of an admitted request by `change`, which is the actual cost minus the charged cost.
    pub fn settle(&mut self, now: SimTime, change: i128) {
        self.refill(now);
        let full = i128::from(self.burst) * UNIT;
        self.level = full.min(self.level - change * UNIT);
    }

    /// Returns the number of whole tokens, rounded down, and the capacity of the bucket.
    pub fn level(&self, now: SimTime) -> (i64, u64) {
        let mut current = self.clone();
        current.refill(now);
        (current.level.div_euclid(UNIT) as i64, self.burst)
    }
}

/// Returns `amount / mqps`, rounded up. `mqps` is positive in every checked class.
pub(super) fn div_ceil(amount: i128, mqps: u64) -> u64 {
    let mqps = i128::from(mqps.max(1));
    u64::try_from((amount + mqps - 1) / mqps).unwrap_or(u64::MAX)
}
