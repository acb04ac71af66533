//! The events of one response to one watcher.
//!
//! Mirrors `eventBatch` in `server/storage/mvcc/watcher_group.go`: a batch contains at most a given number of
//! revisions, and never only some of the events of a revision. If not all events fit, the batch stores the revision at
//! which the next batch must start.

use crate::api::WatchEvent;

/// A batch of events for one watcher.
///
/// ```
/// use watchglass_engine::api::{EventKind, KeyValue, WatchEvent};
/// use watchglass_engine::mvcc::event_batch::EventBatch;
/// let at = |mod_revision| WatchEvent {
///     kind: EventKind::Put,
///     kv: KeyValue { mod_revision, ..KeyValue::default() },
///     prev_kv: None,
/// };
/// let mut batch = EventBatch::default();
/// for rev in [5, 6, 6, 7, 7, 8] {
///     batch.add(&at(rev), 2);
/// }
/// assert_eq!(batch.events.len(), 3); // 5, 6, 6: all of revision 6 stays together
/// assert_eq!(batch.more_rev, 7);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventBatch {
    /// The events, oldest first.
    pub events: Vec<WatchEvent>,
    /// The number of revisions in the batch, plus 1 if a revision did not fit.
    pub revs: u32,
    /// The first revision that did not fit, or 0 if all revisions fit.
    pub more_rev: i64,
}

impl EventBatch {
    /// Adds an event, unless the batch already contains `revs_max` other revisions.
    pub fn add(&mut self, event: &WatchEvent, revs_max: u32) {
        if self.more_rev != 0 {
            return;
        }
        let newest = self.events.last().map(|e| e.kv.mod_revision);
        if newest != Some(event.kv.mod_revision) {
            self.revs += 1;
            if self.revs > revs_max {
                self.more_rev = event.kv.mod_revision;
                return;
            }
        }
        self.events.push(event.clone());
    }

    /// Returns the first and the last revision in the batch, or zeros if the batch is empty.
    pub fn span(&self) -> (i64, i64) {
        let first = self.events.first().map_or(0, |e| e.kv.mod_revision);
        let last = self.events.last().map_or(0, |e| e.kv.mod_revision);
        (first, last)
    }
}
