//! How long the dispatcher may wait for slow watchers, in all.
//!
//! Mirrors `cacher/time_budget.go` (1.31 on: refilled by what has passed, once a second before).

use crate::base::time::{SimDuration, SimTime};

/// The amount added per second (`refreshPerSecond`).
pub const REFRESH_PER_SECOND: SimDuration = SimDuration::from_millis(50);
/// The most there can be (`maxBudget`).
pub const MAX_BUDGET: SimDuration = SimDuration::from_millis(100);

/// Time that can be spent, filled up little by little.
///
/// ```
/// use watchglass_engine::apiserver::TimeBudget;
/// use watchglass_engine::base::time::{SimDuration, SimTime};
/// let mut budget = TimeBudget::new(SimTime(0));
/// assert_eq!(budget.take_available(SimTime(1_000_000)), SimDuration::from_millis(50));
/// budget.return_unused(30_000);
/// assert_eq!(budget.take_available(SimTime(1_000_000)), SimDuration::from_millis(30));
/// ```
#[derive(Clone, Copy, Debug, Hash)]
pub struct TimeBudget {
    budget: SimDuration,
    last_update: SimTime,
    max: SimDuration,
}

impl TimeBudget {
    /// An empty budget.
    pub fn new(now: SimTime) -> Self {
        Self::with_max(now, MAX_BUDGET)
    }

    /// An empty budget with another bound.
    pub fn with_max(now: SimTime, max: SimDuration) -> Self {
        Self {
            budget: SimDuration(0),
            last_update: now,
            max,
        }
    }

    /// Takes all there is.
    pub fn take_available(&mut self, now: SimTime) -> SimDuration {
        // A clock that went back adds nothing.
        let elapsed_us = now.0.saturating_sub(self.last_update.0);
        let added_us = elapsed_us.saturating_mul(REFRESH_PER_SECOND.0) / 1_000_000;
        let taken = SimDuration(self.budget.0.saturating_add(added_us).min(self.max.0));
        self.budget = SimDuration(0);
        self.last_update = now;
        taken
    }

    /// Gives back what was not used, in microseconds; what was overdrawn is forgiven.
    pub fn return_unused(&mut self, unused_us: i64) {
        let unused_us = u64::try_from(unused_us).unwrap_or(0);
        self.budget = SimDuration(self.budget.0.saturating_add(unused_us).min(self.max.0));
    }
}
