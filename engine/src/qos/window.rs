//! The sliding window, which limits the sum of costs in the last minute or another span of time.
//!
//! The proposal mentions windows only in its generalised rule. The window is a log of costs with their times. So in
//! every span of time that has the length of the window, the sum of the costs is at most the limit. A counter that is
//! reset every minute would allow more.

use std::collections::VecDeque;

use crate::base::time::{SimDuration, SimTime};

use super::limiter::Admission;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    window: SimDuration,
    limit: u64,
    /// The admitted costs in the window, oldest first. Costs of the same time are one entry.
    costs: VecDeque<(SimTime, i128)>,
    sum: i128,
}

impl Window {
    pub fn new(window: SimDuration, limit: u64) -> Self {
        Self {
            window,
            limit,
            costs: VecDeque::new(),
            sum: 0,
        }
    }

    pub fn update(&mut self, now: SimTime, window: SimDuration, limit: u64) {
        self.forget(now);
        (self.window, self.limit) = (window, limit);
    }

    /// Removes the costs that have left the window.
    fn forget(&mut self, now: SimTime) {
        while let Some((_, cost)) = self.costs.pop_front_if(|(at, _)| *at + self.window <= now) {
            self.sum -= cost;
        }
    }

    fn add(&mut self, now: SimTime, cost: i128) {
        match self.costs.back_mut().filter(|(at, _)| *at == now) {
            Some((_, sum)) => *sum += cost,
            None => self.costs.push_back((now, cost)),
        }
        self.sum += cost;
    }

    /// Admits a request if the sum of the costs in the window stays within the limit.
    pub fn admit(&mut self, now: SimTime, cost: u64) -> Admission {
        self.forget(now);
        if cost > self.limit {
            return Admission::Refused(None);
        }
        let excess = self.sum + i128::from(cost) - i128::from(self.limit);
        if excess <= 0 {
            self.add(now, i128::from(cost));
            return Admission::At(now);
        }
        let mut freed = 0;
        let enough = self.costs.iter().find(|(_, cost)| {
            freed += cost;
            freed >= excess
        });
        let wait = enough.map(|(at, _)| SimDuration((*at + self.window).0 - now.0));
        Admission::Refused(wait)
    }

    /// Corrects the cost of an admitted request by `change`, which is the actual cost minus the charged cost.
    pub fn settle(&mut self, now: SimTime, change: i128) {
        self.forget(now);
        if change != 0 {
            self.add(now, change);
        }
    }

    /// Returns the sum of the costs in the window, and the limit.
    pub fn level(&self, now: SimTime) -> (i64, u64) {
        let mut current = self.clone();
        current.forget(now);
        (current.sum as i64, self.limit)
    }
}
