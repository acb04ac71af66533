//! A store with watchers: the three groups of watchers, and the two passes that move watchers between the groups.
//!
//! Mirrors `server/storage/mvcc/watchable_store.go`. Left out: with 512 or more unsynced watchers, upstream can repeat
//! the compaction error for the same watcher in later passes.
//!
//! Each watcher is in exactly one group. A **synced** watcher has received all events, and each write notifies it
//! immediately. An **unsynced** watcher is missing events, which the sync pass reads from the rows. A **victim** is a
//! watcher whose stream's channel was full. etcd retries sending one batch to the victim.
//!
//! ```text
//!   watch from now ─────────────────────▶ synced ──channel full──▶ victim
//!   watch from the past ─▶ unsynced ─caught up─▶ ▲                   │ sent,
//!                             ▲                  └───────────────────┤ nothing missed
//!                             └───────────── something missed ◀──────┘
//! ```
//!
//! ```
//! use watchglass_engine::api::Profile;
//! use watchglass_engine::base::bytes::KeyRange;
//! use watchglass_engine::mvcc::{KvStore, WatchableStore};
//! let mut store = WatchableStore::new(KvStore::new(Profile::V3_6));
//! let stream = store.open_stream();
//! let id = store.watch(stream, 0, KeyRange::One("a".into()), 0, Default::default()).unwrap();
//! store.write(|txn| txn.put("a".into(), "1".into(), 0));
//! let response = store.recv(stream).unwrap();
//! assert_eq!((response.watch_id, response.revision, response.events.len()), (id, 2, 1));
//! ```

mod planted;

use std::collections::BTreeMap;

use crate::base::ordered::{OrdMap, OrdSet};

use crate::api::{Difference, EventKind, KeyValue, Profile, WatchEvent};
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::proto;
use crate::base::time::SimDuration;

use super::compaction::{CompactionBatch, CompactionLimits};
use super::event_batch::EventBatch;
use super::kv_store::{KvStore, StoreError};
use super::revision::{BucketKey, Revision};
use super::watcher::{
    Filters, INVALID_WATCH_ID, StoreWatchResponse, StreamId, WatchError, WatchStream, Watcher,
    WatcherId,
};
use super::watcher_group::WatcherGroup;
use super::write_txn::{Change, WriteTxn};
use crate::trace::ChangeKind;

/// The limits and periods of the watch service, with upstream's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WatchLimits {
    /// The maximum number of responses in a stream's channel (`chanBufLen`, 128).
    pub channel: u32,
    /// The maximum number of watchers per sync pass (`maxWatchersPerSync`, 512).
    pub watchers_per_sync: u32,
    /// The maximum number of revisions per response (`watchBatchMaxRevs`, 1000).
    pub batch_revs: u32,
    /// The pause between sync passes (`watchResyncPeriod`, 100 ms).
    pub resync_period: SimDuration,
    /// The pause between retries for victims (10 ms).
    pub victim_retry: SimDuration,
}

impl Default for WatchLimits {
    fn default() -> Self {
        Self {
            channel: 128,
            watchers_per_sync: 512,
            batch_revs: 1000,
            resync_period: SimDuration::from_millis(100),
            victim_retry: SimDuration::from_millis(10),
        }
    }
}

#[derive(Clone, Debug, Hash)]
pub struct WatchableStore {
    store: KvStore,
    limits: WatchLimits,
    streams: OrdMap<StreamId, WatchStream>,
    watchers: OrdMap<WatcherId, Watcher>,
    synced: WatcherGroup,
    unsynced: WatcherGroup,
    victims: OrdMap<WatcherId, EventBatch>,
    streams_opened: u64,
    watchers_created: u64,
    /// The last watcher of the previous sync pass. The next pass starts with the watcher that follows this watcher.
    last_picked: WatcherId,
    /// The streams whose channel contains responses.
    waiting: OrdSet<StreamId>,
}

/// The result of one sync pass over the unsynced watchers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SyncPass {
    pub picked: u64,
    /// The lowest revision that any of the selected watchers is missing. The pass reads the rows from this revision on.
    pub from: i64,
    /// The store's current revision. The pass reads the rows up to this revision.
    pub to: i64,
    pub rows: u64,
    pub bytes: u64,
    pub synced: u64,
    /// The number of watchers canceled because of a compaction.
    pub compacted: u64,
    pub victims: u64,
    /// The total number of watchers that are still unsynced.
    pub remaining: u64,
    pub outcomes: Vec<(WatcherId, Outcome)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The watcher received all or some of its missing events.
    CaughtUp {
        /// The first revision sent, or 0 if there were no events to send.
        from: i64,
        /// The last revision sent, or 0 if there were no events to send.
        to: i64,
        events: u32,
        /// The revision at which the next pass continues, or 0 if the watcher is synced.
        more_from: i64,
    },
    /// The channel was full, so the watcher became a victim. The batch of the victim contains the revisions `from` to
    /// `to`.
    Victim { from: i64, to: i64 },
    /// A revision that the watcher needs was compacted, so etcd canceled the watch.
    Overtaken {
        /// The lowest revision that the watcher needs.
        wanted: i64,
    },
    /// A revision that the watcher needs was compacted, but the channel was full, so etcd could not report the error.
    /// The watcher silently skips revisions.
    PassedOver {
        /// The lowest revision that the watcher needs.
        wanted: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Written {
    pub changes: Vec<Change>,
    pub notified: Notified,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Notified {
    /// The number of watchers of the changed keys, including watchers that filter out all events.
    pub watchers: u32,
    /// The watchers that became victims because their channel was full.
    pub victims: Vec<WatcherId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WatcherState {
    Synced,
    /// The watcher is missing events that are stored in the rows.
    Unsynced,
    /// The stream's channel was full, and a batch waits for a retry.
    Victim,
    /// etcd canceled the watch because of a compaction.
    Compacted,
}

impl WatchableStore {
    pub fn new(store: KvStore) -> Self {
        Self {
            store,
            limits: WatchLimits::default(),
            streams: OrdMap::new(),
            watchers: OrdMap::new(),
            synced: WatcherGroup::default(),
            unsynced: WatcherGroup::default(),
            victims: OrdMap::new(),
            streams_opened: 0,
            watchers_created: 0,
            last_picked: WatcherId(0),
            waiting: OrdSet::new(),
        }
    }

    pub fn with_limits(store: KvStore, limits: WatchLimits) -> Self {
        Self {
            limits,
            ..Self::new(store)
        }
    }

    // Getters.

    pub fn store(&self) -> &KvStore {
        &self.store
    }

    pub fn limits(&self) -> WatchLimits {
        self.limits
    }

    /// Returns all watchers in the order of their creation.
    pub fn watchers(&self) -> impl Iterator<Item = (WatcherId, &Watcher)> {
        self.watchers.iter().map(|(id, w)| (*id, w))
    }

    pub fn find(&self, stream: StreamId, watch_id: i64) -> Option<WatcherId> {
        self.streams.get(&stream)?.watchers.get(&watch_id).copied()
    }

    pub fn state(&self, id: WatcherId) -> Option<WatcherState> {
        let watcher = self.watchers.get(&id)?;
        Some(if watcher.compacted {
            WatcherState::Compacted
        } else if self.victims.contains_key(&id) {
            WatcherState::Victim
        } else if self.unsynced.contains(id) {
            WatcherState::Unsynced
        } else {
            assert!(
                self.synced.contains(id),
                "a watcher is in exactly one group"
            );
            WatcherState::Synced
        })
    }

    /// Returns the numbers of synced and unsynced watchers and of victims.
    pub fn counts(&self) -> (u64, u64, u64) {
        (
            self.synced.len(),
            self.unsynced.len(),
            self.victims.len() as u64,
        )
    }

    pub fn stream_count(&self) -> u64 {
        self.streams.len() as u64
    }

    /// Returns the total number of events that wait in the channels of all streams.
    pub fn pending_events(&self) -> u64 {
        let waiting = self.waiting.iter().filter_map(|id| self.streams.get(id));
        let responses = waiting.flat_map(|stream| stream.channel.iter());
        responses.map(|response| response.events.len() as u64).sum()
    }

    pub fn stream(&self, stream: StreamId) -> Option<&WatchStream> {
        self.streams.get(&stream)
    }

    pub fn channel_len(&self, stream: StreamId) -> u32 {
        self.streams
            .get(&stream)
            .map_or(0, |s| s.channel.len() as u32)
    }

    // Streams.

    pub fn open_stream(&mut self) -> StreamId {
        self.streams_opened += 1;
        let id = StreamId(self.streams_opened);
        self.streams
            .insert(id, WatchStream::new(self.limits.channel));
        id
    }

    /// Closes a stream and ends its watches.
    pub fn close_stream(&mut self, stream: StreamId) {
        if let Some(closed) = self.streams.remove(&stream) {
            self.waiting.remove(&stream);
            for id in closed.watchers.values() {
                self.forget(*id);
            }
        }
    }

    /// Removes the oldest response from a stream's channel and returns it.
    pub fn recv(&mut self, stream: StreamId) -> Option<StoreWatchResponse> {
        if !self.waiting.contains(&stream) {
            return None;
        }
        let channel = &mut self.streams.get_mut(&stream)?.channel;
        let next = channel.pop_front();
        if channel.is_empty() {
            self.waiting.remove(&stream);
        }
        next
    }

    /// Returns the streams whose channel contains responses, in the order of their opening.
    pub fn waiting(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.waiting.iter().copied()
    }

    pub fn watches_of(&self, stream: StreamId) -> impl Iterator<Item = (i64, WatcherId)> + '_ {
        let found = self.streams.get(&stream);
        found
            .into_iter()
            .flat_map(|s| s.watchers.iter().map(|(id, w)| (*id, *w)))
    }

    pub fn watcher(&self, id: WatcherId) -> Option<&Watcher> {
        self.watchers.get(&id)
    }

    /// Returns the unsynced watchers, in the order of their creation.
    pub fn unsynced(&self) -> impl Iterator<Item = WatcherId> + '_ {
        self.unsynced.iter()
    }

    /// Returns the victims, each with its unsent batch.
    pub fn victims(&self) -> impl Iterator<Item = (WatcherId, &EventBatch)> {
        self.victims.iter().map(|(id, batch)| (*id, batch))
    }

    pub fn a_victim_has_room(&self) -> bool {
        self.victims.keys().any(|id| {
            let on = &self.streams[&self.watchers[id].stream];
            on.channel.len() < on.capacity as usize
        })
    }

    pub fn a_victim_has_room_on(&self, stream: StreamId) -> bool {
        self.streams.get(&stream).is_some_and(|on| {
            on.channel.len() < on.capacity as usize
                && on.watchers.values().any(|id| self.victims.contains_key(id))
        })
    }

    /// Sets the watch limits. The size of open channels does not change.
    pub fn set_limits(&mut self, limits: WatchLimits) {
        self.limits = limits;
    }

    /// Returns the watchers of the next sync pass, and the lowest revision that any of them needs and that is not
    /// compacted.
    pub fn next_pass(&self) -> (Vec<WatcherId>, i64) {
        let ids = self.picked();
        let floor = self.store.compact_rev();
        let wanted = ids.iter().map(|id| self.watchers[id].min_rev);
        let lowest = wanted.filter(|rev| *rev >= floor).min();
        (ids, lowest.unwrap_or(self.store.current_rev() + 1))
    }

    /// Starts a watch and returns its id on the stream.
    ///
    /// # Errors
    /// Returns an error if the range is empty, or the id is already in use.
    ///
    /// # Panics
    /// Panics if the stream is not open.
    pub fn watch(
        &mut self,
        stream: StreamId,
        wanted_id: i64,
        range: KeyRange,
        start_rev: i64,
        filters: Filters,
    ) -> Result<i64, WatchError> {
        if range.is_empty() {
            return Err(WatchError::EmptyWatcherRange);
        }
        let on = self.streams.get_mut(&stream).expect("the stream is open");
        let watch_id = if wanted_id == 0 {
            while on.watchers.contains_key(&on.next_id) {
                on.next_id += 1;
            }
            on.next_id += 1;
            on.next_id - 1
        } else if on.watchers.contains_key(&wanted_id) {
            return Err(WatchError::DuplicateId);
        } else {
            wanted_id
        };
        self.watchers_created += 1;
        let id = WatcherId(self.watchers_created);
        on.watchers.insert(watch_id, id);
        let now = self.store.current_rev();
        let synced = start_rev == 0 || start_rev > now;
        let min_rev = if synced {
            start_rev.max(now + 1)
        } else {
            start_rev
        };
        let group = if synced {
            &mut self.synced
        } else {
            &mut self.unsynced
        };
        group.add(id, &range);
        let watcher = Watcher {
            stream,
            watch_id,
            range,
            start_rev,
            min_rev,
            filters,
            compacted: false,
            restore: false,
        };
        self.watchers.insert(id, watcher);
        Ok(watch_id)
    }

    /// Ends a watch.
    ///
    /// # Errors
    /// Returns an error if the watch does not exist on the stream.
    pub fn cancel(&mut self, stream: StreamId, watch_id: i64) -> Result<(), WatchError> {
        let on = self.streams.get_mut(&stream).ok_or(WatchError::NotFound)?;
        let id = on.watchers.remove(&watch_id).ok_or(WatchError::NotFound)?;
        self.forget(id);
        Ok(())
    }

    fn forget(&mut self, id: WatcherId) {
        if let Some(watcher) = self.watchers.remove(&id) {
            self.synced.remove(id, &watcher.range);
            self.unsynced.remove(id, &watcher.range);
            self.victims.remove(&id);
        }
    }

    // Writing.

    /// Runs a write transaction and notifies the watchers of its changes. All changes to keys go through this method or
    /// [`try_write`](Self::try_write).
    pub fn write<T>(&mut self, f: impl FnOnce(&mut WriteTxn<'_>) -> T) -> (T, Written) {
        let mut txn = self.store.write();
        let result = f(&mut txn);
        let changes = txn.end();
        (result, self.written(changes))
    }

    /// Runs a write transaction like [`write`](Self::write), and rolls it back if `f` returns an error.
    ///
    /// # Errors
    /// Returns the error of `f`.
    pub fn try_write<T, E>(
        &mut self,
        f: impl FnOnce(&mut WriteTxn<'_>) -> Result<T, E>,
    ) -> Result<(T, Written), E> {
        // The copy is cheap, because it shares all data with the original.
        let before = self.store.clone();
        let mut txn = self.store.write();
        match f(&mut txn) {
            Ok(result) => {
                let changes = txn.end();
                Ok((result, self.written(changes)))
            }
            Err(error) => {
                self.store = before;
                Err(error)
            }
        }
    }

    /// Notifies the synced watchers of the changes of a transaction.
    fn written(&mut self, changes: Vec<Change>) -> Written {
        let notified = self.notify_of(&changes);
        Written { changes, notified }
    }

    // Changes other than writes of keys.

    /// Returns the backend for changes to rows that are not keys: leases, members, and the member's own metadata.
    pub fn backend_mut(&mut self) -> &mut Backend {
        self.store.backend_mut()
    }

    /// Raises the revision without a change, see [`KvStore::skip_to`].
    pub fn skip_to(&mut self, revision: i64) {
        self.store.skip_to(revision);
    }

    /// Raises the compact revision. The rows are removed later, in batches.
    ///
    /// # Errors
    /// Returns an error if the revision is already compacted or is in the future.
    pub fn compact(&mut self, revision: i64) -> Result<(), StoreError> {
        self.store.compact(revision)
    }

    pub fn compaction_batch(&mut self) -> CompactionBatch {
        self.store.compaction_batch()
    }

    pub fn set_compaction_limits(&mut self, limits: CompactionLimits) {
        self.store.set_limits(limits);
    }

    /// Replaces the store with `store`, which was restored from the rows of the database.
    pub fn restart_with(&mut self, store: KvStore) {
        self.store.restart_with(store);
    }

    /// Replaces the store, as `etcdutl snapshot restore` does while the member is stopped.
    pub fn replace(&mut self, store: KvStore) {
        self.store = store;
    }

    /// Plants a fault in the store, so that tests can verify that the checkers find the fault.
    #[cfg(feature = "planted-bugs")]
    pub fn plant(&mut self, planted: crate::base::planted::Planted) {
        self.store.plant(planted);
    }

    fn notify_of(&mut self, changes: &[Change]) -> Notified {
        if changes.is_empty() || self.synced.is_empty() {
            return Notified::default();
        }
        let events: Vec<WatchEvent> = changes.iter().map(event_of).collect();
        self.notify(self.store.current_rev(), &events)
    }

    /// Sends the changes of one transaction to the synced watchers of their keys.
    fn notify(&mut self, rev: i64, events: &[WatchEvent]) -> Notified {
        let batches = self.batches(&self.synced, events);
        let mut notified = Notified {
            watchers: batches.len() as u32,
            victims: Vec::new(),
        };
        for (id, batch) in batches {
            assert_eq!(batch.revs, 1, "a notification is about one transaction");
            let watcher = self
                .watchers
                .get_mut(&id)
                .expect("a grouped watcher exists");
            watcher.min_rev = rev + 1;
            if !self.send(id, batch.events.clone(), rev) {
                let range = self.watchers[&id].range.clone();
                self.synced.remove(id, &range);
                self.victims.insert(id, batch);
                notified.victims.push(id);
            }
        }
        notified
    }

    /// Returns the events for each watcher of a group, in the order of the watchers' creation.
    fn batches(
        &self,
        group: &WatcherGroup,
        events: &[WatchEvent],
    ) -> BTreeMap<WatcherId, EventBatch> {
        let mut batches: BTreeMap<WatcherId, EventBatch> = BTreeMap::new();
        for event in events {
            for id in group.watching(&event.kv.key) {
                if event.kv.mod_revision >= self.watchers[&id].min_rev {
                    batches
                        .entry(id)
                        .or_default()
                        .add(event, self.limits.batch_revs);
                }
            }
        }
        batches
    }

    /// Sends events to the watcher's channel, except events that the watcher's filters drop. Returns false if the
    /// channel is full.
    fn send_filtered(&mut self, id: WatcherId, mut events: Vec<WatchEvent>, revision: i64) -> bool {
        let watcher = &self.watchers[&id];
        let had_events = !events.is_empty();
        events.retain(|e| !watcher.filters.drop(e));
        if had_events && events.is_empty() {
            return true;
        }
        self.push_events(id, events, revision)
    }

    fn push_events(&mut self, id: WatcherId, events: Vec<WatchEvent>, revision: i64) -> bool {
        let watcher = &self.watchers[&id];
        let (stream, watch_id) = (watcher.stream, watcher.watch_id);
        self.push(
            stream,
            StoreWatchResponse {
                watch_id,
                events,
                revision,
                compact_revision: 0,
            },
        )
    }

    fn push(&mut self, stream: StreamId, response: StoreWatchResponse) -> bool {
        let on = self
            .streams
            .get_mut(&stream)
            .expect("a watcher's stream is open");
        let sent = on.send(response);
        if sent {
            self.waiting.insert(stream);
        }
        sent
    }

    // The passes over unsynced watchers and over victims.

    /// Runs a sync pass over the unsynced watchers (`syncWatchers`). Returns `None` if no watcher is unsynced.
    ///
    /// The pass reads a single range of rows, from the lowest revision that a watcher needs to the current revision.
    /// The pass does not use the key index.
    pub fn sync_watchers(&mut self) -> Option<SyncPass> {
        if self.unsynced.is_empty() {
            return None;
        }
        let now = self.store.current_rev();
        let floor = self.store.compact_rev();
        let mut pass = SyncPass {
            to: now,
            ..SyncPass::default()
        };
        let mut group = WatcherGroup::default();
        let mut wanted_by = Vec::new();
        let picked = self.picked();
        self.last_picked = picked.last().copied().unwrap_or(WatcherId(0));
        for id in picked {
            pass.picked += 1;
            let watcher = self
                .watchers
                .get_mut(&id)
                .expect("a grouped watcher exists");
            if watcher.min_rev > now {
                assert!(
                    watcher.restore,
                    "an unsynced watcher wants what is there already"
                );
                watcher.restore = false;
            }
            let wanted = watcher.min_rev;
            if wanted < floor {
                if self.tell_compacted(id, floor) {
                    pass.compacted += 1;
                    pass.outcomes.push((id, Outcome::Overtaken { wanted }));
                } else if !self.profile().has(Difference::CancelsOvertakenWatcher) {
                    // The pass treats this watcher like the others (etcd#17529).
                    pass.outcomes.push((id, Outcome::PassedOver { wanted }));
                    group.add(id, &self.watchers[&id].range);
                }
                continue;
            }
            wanted_by.push((wanted, id));
            group.add(id, &watcher.range.clone());
        }
        let lowest = wanted_by.iter().map(|(wanted, _)| *wanted).min();
        pass.from = lowest.map_or(now + 1, |lowest| lowest.min(now + 1));
        match self.profile().has(Difference::BoundsSyncPass) {
            true => self.read_cohorts(wanted_by, now, &mut pass),
            false => self.read_for(&group, (pass.from, now), now, &mut pass),
        }
        pass.remaining = self.unsynced.len();
        Some(pass)
    }

    /// Reads the revisions `from` to `to` once, and sends them to the watchers of the group.
    fn read_for(
        &mut self,
        group: &WatcherGroup,
        (from, to): (i64, i64),
        now: i64,
        pass: &mut SyncPass,
    ) {
        let (events, rows, bytes) = self.range_events(from, to + 1, group);
        pass.rows += rows;
        pass.bytes += bytes;
        let mut batches = self.batches(group, &events);
        for id in group.iter() {
            self.catch_up(id, batches.remove(&id), (to, now), pass);
        }
    }

    /// Divides the watchers into groups that need nearby revisions, and reads for each group only as many revisions as
    /// a watcher receives in one pass (etcd#22304).
    fn read_cohorts(
        &mut self,
        mut wanted_by: Vec<(i64, WatcherId)>,
        now: i64,
        pass: &mut SyncPass,
    ) {
        let most = i64::from(self.limits.batch_revs);
        wanted_by.sort_unstable();
        let mut rest = &wanted_by[..];
        while let [(from, _), ..] = *rest {
            let count = rest.partition_point(|(wanted, _)| wanted - from < most);
            let mut cohort = WatcherGroup::default();
            for (_, id) in &rest[..count] {
                cohort.add(*id, &self.watchers[id].range);
            }
            self.read_for(&cohort, (from, now.min(from + most - 1)), now, pass);
            rest = &rest[count..];
        }
    }

    /// Returns the watchers for a sync pass. If there are too many unsynced watchers for one pass, upstream picks an
    /// arbitrary part of the watchers. The simulator picks the watchers in turn, so that a run is repeatable and each
    /// watcher is picked eventually.
    fn picked(&self) -> Vec<WatcherId> {
        let max = self.limits.watchers_per_sync as usize;
        let mut ids: Vec<WatcherId> = self.unsynced.iter().collect();
        if ids.len() >= max {
            let next = ids.partition_point(|id| *id <= self.last_picked);
            ids.rotate_left(next);
            ids.truncate(max);
        }
        ids
    }

    /// Notifies a watcher that a revision it needs was compacted. Returns false if the channel is full.
    fn tell_compacted(&mut self, id: WatcherId, floor: i64) -> bool {
        let watcher = &self.watchers[&id];
        let (stream, range) = (watcher.stream, watcher.range.clone());
        let response = StoreWatchResponse {
            watch_id: watcher.watch_id,
            compact_revision: floor,
            ..StoreWatchResponse::default()
        };
        let is_sent = self.push(stream, response);
        if is_sent {
            self.unsynced.remove(id, &range);
            self.watchers
                .get_mut(&id)
                .expect("it was just read")
                .compacted = true;
        }
        is_sent
    }

    fn catch_up(
        &mut self,
        id: WatcherId,
        batch: Option<EventBatch>,
        (read_to, now): (i64, i64),
        pass: &mut SyncPass,
    ) {
        let lowers = !self.profile().has(Difference::KeepsFutureStart);
        let watcher = self
            .watchers
            .get_mut(&id)
            .expect("a grouped watcher exists");
        let range = watcher.range.clone();
        watcher.min_rev = match lowers {
            true => read_to + 1,
            false => watcher.min_rev.max(read_to + 1),
        };
        let unread = if read_to < now { read_to + 1 } else { 0 };
        let more_rev = batch.as_ref().map_or(0, |b| b.more_rev).max(unread);
        if more_rev != 0 {
            watcher.min_rev = more_rev;
        }
        let (from, to) = batch.as_ref().map_or((0, 0), EventBatch::span);
        let events = batch.as_ref().map_or(0, |b| b.events.len() as u32);
        if let Some(batch) = batch
            && !self.send(id, batch.events.clone(), now)
        {
            pass.victims += 1;
            pass.outcomes.push((id, Outcome::Victim { from, to }));
            self.victims.insert(id, batch);
            self.unsynced.remove(id, &range);
            return;
        }
        let caught_up = Outcome::CaughtUp {
            from,
            to,
            events,
            more_from: more_rev,
        };
        pass.outcomes.push((id, caught_up));
        if more_rev == 0 {
            pass.synced += 1;
            self.unsynced.remove(id, &range);
            self.synced.add(id, &range);
        }
    }

    /// Returns the changes with `from <= main < upto` to keys that the watchers of the group watch, and the number of
    /// rows and bytes read. etcd 3.4.37 and earlier encoded a negative `from` unchanged. The resulting row key was
    /// greater than the row key of every revision, so these versions read no rows.
    pub fn range_events(
        &self,
        from: i64,
        upto: i64,
        group: &WatcherGroup,
    ) -> (Vec<WatchEvent>, u64, u64) {
        let from = match self.profile().has(Difference::RefusesNegativeStart) {
            false => from,
            true => from.max(0),
        };
        let start = Bytes::from(&Revision::new(from, 0).encode()[..]);
        let end = Revision::new(upto, 0).encode();
        let (mut rows, mut bytes) = (0, 0);
        let mut events = Vec::new();
        for (key, value) in self.store.backend().rows_from(Bucket::Key, &start) {
            if *key >= end[..] {
                break;
            }
            rows += 1;
            bytes += (key.len() + value.len()) as u64;
            let row = BucketKey::decode(&key).expect("the key bucket holds only bucket keys");
            let mut kv: KeyValue = proto::decode(&value).expect("a row is a KeyValue");
            if group.watching(&kv.key).next().is_none() {
                continue;
            }
            if row.tombstone {
                kv.mod_revision = row.revision.main;
            }
            let kind = if row.tombstone {
                EventKind::Delete
            } else {
                EventKind::Put
            };
            events.push(WatchEvent {
                kind,
                kv,
                prev_kv: None,
            });
        }
        (events, rows, bytes)
    }

    /// Runs a pass over the victims (`moveVictims`). Each victim whose channel has room receives its batch and becomes
    /// synced or unsynced. Returns the ids of these watchers, each with a bool that is true if the watcher became
    /// synced.
    pub fn sync_victims(&mut self) -> Vec<(WatcherId, bool)> {
        let mut moved = Vec::new();
        let ids: Vec<WatcherId> = self.victims.keys().copied().collect();
        for id in ids {
            let batch = self.victims[&id].clone();
            let revision = self.watchers[&id].min_rev - 1;
            if !self.send(id, batch.events, revision) {
                continue;
            }
            self.victims.remove(&id);
            let now = self.store.current_rev();
            let watcher = self.watchers.get_mut(&id).expect("a victim exists");
            if batch.more_rev != 0 {
                watcher.min_rev = batch.more_rev;
            }
            let synced = watcher.min_rev > now;
            let group = if synced {
                &mut self.synced
            } else {
                &mut self.unsynced
            };
            group.add(id, &watcher.range);
            moved.push((id, synced));
        }
        moved
    }

    // Progress.

    /// Sends a progress notification to one watch if the watch is synced. Returns true if the notification was sent.
    pub fn progress(&mut self, stream: StreamId, watch_id: i64) -> bool {
        match self.find(stream, watch_id) {
            Some(id) => self.progress_if_synced(stream, &[id], watch_id),
            None => false,
        }
    }

    /// Sends a progress notification for a whole stream if all its watches are synced. Returns true if the notification
    /// was sent.
    pub fn progress_all(&mut self, stream: StreamId) -> bool {
        let Some(on) = self.streams.get(&stream) else {
            return false;
        };
        let ids: Vec<WatcherId> = on.watchers.values().copied().collect();
        self.progress_if_synced(stream, &ids, INVALID_WATCH_ID)
    }

    /// Returns true if all watches of a stream are synced.
    pub fn is_synced(&self, stream: StreamId) -> bool {
        let watchers = self.streams.get(&stream).map(|on| &on.watchers);
        watchers.is_some_and(|all| all.values().all(|id| self.synced.contains(*id)))
    }

    fn progress_if_synced(&mut self, stream: StreamId, ids: &[WatcherId], watch_id: i64) -> bool {
        let revision = self.store.current_rev();
        let waits = self.profile().has(Difference::WaitsForWatchStart);
        let begun = |id| !waits || revision >= self.watchers[id].start_rev;
        let ready = ids.iter().all(|id| self.synced.contains(*id) && begun(id));
        if !(ready || self.reports_early()) || ids.is_empty() {
            return false;
        }
        // If the channel is full, the notification is lost. The queued events then report the progress.
        self.push(
            stream,
            StoreWatchResponse {
                watch_id,
                revision,
                ..Default::default()
            },
        )
    }

    /// Replaces the store with a snapshot. All synced watchers become unsynced, because they may be missing events that
    /// the snapshot contains.
    pub fn restore(&mut self, store: KvStore) {
        self.store.install(store);
        let synced: Vec<WatcherId> = self.synced.iter().collect();
        for id in synced {
            let watcher = self
                .watchers
                .get_mut(&id)
                .expect("a grouped watcher exists");
            watcher.restore = true;
            self.synced.remove(id, &watcher.range);
            self.unsynced.add(id, &watcher.range);
        }
    }

    /// Returns the key's value before an event, or `None` if the event created the key or the earlier revision cannot
    /// be read.
    pub fn prev_kv(&self, event: &WatchEvent) -> Option<KeyValue> {
        if event.is_create() {
            return None;
        }
        let before = self.rev_before(event);
        let found = self
            .store
            .range(&KeyRange::One(event.kv.key.clone()), before, 0)
            .ok()?;
        found.kvs.into_iter().next()
    }

    pub fn profile(&self) -> Profile {
        self.store.profile
    }
}

fn event_of(change: &Change) -> WatchEvent {
    let kind = match change.kind {
        ChangeKind::Create | ChangeKind::Update => EventKind::Put,
        ChangeKind::Delete => EventKind::Delete,
    };
    let mut kv = change.kv.clone();
    kv.mod_revision = change.revision.main;
    WatchEvent {
        kind,
        kv,
        prev_kv: None,
    }
}
