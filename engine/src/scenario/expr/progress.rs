//! The revisions that a watch learns from events and progress notifications.
//!
//! A consistent read from a cache waits for the same notifications. The waits that are recorded here therefore show how
//! long such a read would have waited.

use crate::api::WatchResponse;
use crate::base::time::SimTime;
use crate::observe::LoggedDelivery;

use super::facts::Facts;

/// The revisions that a watch knows, and its waits for progress notifications.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgressFacts {
    /// The newest revision in a response; 0 before the first response.
    pub known: i64,
    /// The number of progress notifications that the watch received.
    pub notifications: i64,
    /// The interval between the last two notifications, in microseconds.
    pub every_us: Option<u64>,
    /// For each revision that the watch learned from a progress notification: the time from the write to the
    /// notification, in microseconds.
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
                out.notifications += 1;
                out.every_us = last.map(|last| delivery.at.0.saturating_sub(last.0));
                last = Some(delivery.at);
                out.learn(facts, response.header.revision, delivery.at);
            } else if response.created {
                // The watch receives writes after this revision.
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
            // A transaction is one revision, even if it changes several keys.
            if change.main > seen {
                seen = change.main;
                let written = written(facts, change.step);
                self.waits_us.push(at.0.saturating_sub(written.0));
            }
        }
        self.known = self.known.max(revision);
    }

    /// Returns the longest wait for a progress notification in milliseconds, rounded up.
    pub(super) fn wait_max_ms(&self) -> Option<i64> {
        let longest = self.waits_us.iter().max()?;
        Some(longest.div_ceil(1000) as i64)
    }

    /// Returns the mean of the waits for progress notifications in milliseconds, rounded.
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

/// Returns the time of `step`, which is a step that wrote to the store.
fn written(facts: &Facts<'_>, step: u64) -> SimTime {
    facts.past.recorded.time_of(step).unwrap_or(SimTime(0))
}
