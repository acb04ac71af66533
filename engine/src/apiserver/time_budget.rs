//! The total time that the dispatcher may wait for slow watchers.
//!
//! Mirrors `cacher/time_budget.go` since 1.31, which refills the budget in proportion to the elapsed time. Earlier
//! versions refilled the budget once per second.

use crate::base::time::{SimDuration, SimTime};

/// The waiting time that is added to the budget per second (`refreshPerSecond`).
pub const REFRESH_PER_SECOND: SimDuration = SimDuration::from_millis(50);
/// The maximum waiting time in the budget (`maxBudget`).
pub const MAX_BUDGET: SimDuration = SimDuration::from_millis(100);

/// A budget of waiting time that refills gradually.
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
    pub fn new(now: SimTime) -> Self {
        Self::with_max(now, MAX_BUDGET)
    }

    pub fn with_max(now: SimTime, max: SimDuration) -> Self {
        Self {
            budget: SimDuration(0),
            last_update: now,
            max,
        }
    }

    /// Refills the budget in proportion to the elapsed time, and then takes the whole budget.
    pub fn take_available(&mut self, now: SimTime) -> SimDuration {
        // If the clock went back, no time is added.
        let elapsed_us = now.0.saturating_sub(self.last_update.0);
        let added_us = elapsed_us.saturating_mul(REFRESH_PER_SECOND.0) / 1_000_000;
        let taken = SimDuration(self.budget.0.saturating_add(added_us).min(self.max.0));
        self.budget = SimDuration(0);
        self.last_update = now;
        taken
    }

    /// Adds the unused time of a wait back to the budget. `unused_us` is in microseconds. A negative value means that
    /// the wait was longer than the budget; such a value has no effect.
    pub fn return_unused(&mut self, unused_us: i64) {
        let unused_us = u64::try_from(unused_us).unwrap_or(0);
        self.budget = SimDuration(self.budget.0.saturating_add(unused_us).min(self.max.0));
    }
}
