//! How far a watch knows the store: by the events that it got, and by progress notifications, which
//! carry a revision and nothing else. What a read that must be fresh would have waited for.

use crate::api::WatchResponse;
use crate::base::time::SimTime;
use crate::observe::LoggedDelivery;

use super::facts::Facts;

/// The progress of a watch towards the store's revision.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgressFacts {
    /// The newest revision that it was told of; 0 before the first.
    pub known: i64,
    /// Progress notifications received.
    pub told: i64,
    /// The interval between the last two notifications, in microseconds.
    pub every_us: Option<u64>,
    /// For each revision that it learned of by a notification: from the write to the notification,
    /// in microseconds.
    pub waits_us: Vec<u64>,
}

impl ProgressFacts {
    pub(super) fn new(facts: &Facts<'_>, heard: &[&LoggedDelivery]) -> Self {
        let mut out = Self::default();
        let mut last: Option<SimTime> = None;
        for delivery in heard {
            let response = &delivery.response;
            if let Some(newest) = response.events.iter().map(|e| e.kv.mod_revision).max() {
                out.known = out.known.max(newest);
            } else if is_progress(response) {
                out.told += 1;
                out.every_us = last.map(|last| delivery.at.0.saturating_sub(last.0));
                last = Some(delivery.at);
                out.learn(facts, response.header.revision, delivery.at);
            } else if response.created {
                // It begins with what is written after this.
                out.known = out.known.max(response.header.revision);
            }
        }
        out
    }

    fn learn(&mut self, facts: &Facts<'_>, revision: i64, at: SimTime) {
        let mut seen = self.known;
        for (_, change) in facts.past.history.changes_from(self.known + 1) {
            if change.main > revision {
                break;
            }
            // A transaction is one revision, however many keys it changes.
            if change.main > seen {
                seen = change.main;
                let written = written(facts, change.step);
                self.waits_us.push(at.0.saturating_sub(written.0));
            }
        }
        self.known = self.known.max(revision);
    }

    /// The longest of the waits, in milliseconds, rounded up.
    pub(super) fn wait_max_ms(&self) -> Option<i64> {
        let longest = self.waits_us.iter().max()?;
        Some(longest.div_ceil(1000) as i64)
    }

    /// The mean wait in milliseconds, rounded.
    pub(super) fn wait_mean_ms(&self) -> Option<i64> {
        let number = self.waits_us.len() as u64;
        let sum: u64 = self.waits_us.iter().sum();
        let mean_us = sum.checked_div(number)?;
        Some(((mean_us + 500) / 1000) as i64)
    }
}

fn is_progress(response: &WatchResponse) -> bool {
    response.events.is_empty() && !response.created && !response.canceled && !response.fragment
}

/// The time of a step.
fn written(facts: &Facts<'_>, step: u64) -> SimTime {
    facts.past.recorded.time_of(step).unwrap_or(SimTime(0))
}
