//! The faults that a test can plant in the delivery of events, see [`planted`](crate::base::planted).

use super::super::watcher::WatcherId;
use super::WatchableStore;
use crate::api::WatchEvent;
use crate::base::planted::PlantedBug;

impl WatchableStore {
    fn is_planted(&self, bug: PlantedBug) -> bool {
        self.store.planted.is(bug)
    }

    /// Sends events like [`send_filtered`](Self::send_filtered), unless a fault is planted.
    pub(super) fn send(
        &mut self,
        id: WatcherId,
        mut events: Vec<WatchEvent>,
        revision: i64,
    ) -> bool {
        if self.is_planted(PlantedBug::OneByOne) && events.len() > 1 {
            let on = &self.streams[&self.watchers[&id].stream];
            let fits = on.channel.len() + events.len() <= on.capacity as usize;
            return fits
                && events
                    .into_iter()
                    .all(|event| self.send_filtered(id, vec![event], revision));
        }
        if self.is_planted(PlantedBug::SyncPassesUnfiltered) && self.unsynced.contains(id) {
            return self.push_events(id, events, revision);
        }
        if self.is_planted(PlantedBug::NewestFirst) && self.unsynced.contains(id) {
            events.reverse();
        }
        let sent_upto = events.last().map(|event| event.kv.mod_revision);
        let is_sent = self.send_filtered(id, events, revision);
        if self.is_planted(PlantedBug::LastOnceMore)
            && is_sent
            && self.victims.contains_key(&id)
            && let (Some(watcher), Some(sent_upto)) = (self.watchers.get_mut(&id), sent_upto)
        {
            watcher.min_rev = sent_upto;
        }
        is_sent || self.is_planted(PlantedBug::DropsWhenFull) && self.synced.contains(id)
    }

    /// Returns true if a progress notification does not wait until all watchers are synced.
    pub(super) fn reports_early(&self) -> bool {
        self.is_planted(PlantedBug::ProgressUnasked)
    }

    /// Returns the revision at which the value before an event is read.
    pub(super) fn rev_before(&self, event: &WatchEvent) -> i64 {
        event.kv.mod_revision - i64::from(!self.is_planted(PlantedBug::ReadsTooLate))
    }
}
