//! Snapshots of the store. The leader sends a snapshot to a follower that needs compacted log entries.
//!
//! Mirrors four functions of `etcdserver`: `triggerSnapshot` and `snapshot` (`server.go`) compact the log in memory at
//! intervals, `createMergedSnapshotMessage` sends the database with the raft message, and `applySnapshot` replaces the
//! store. The watchers of the store stay: `WatchableStore::restore` moves the synced watchers to the unsynced watchers,
//! so that a sync pass sends the events that the snapshot contains. In etcd before 3.6.2 and in the profile 3.4, this
//! pass lowers the revision of watchers that start in the future (etcd#20281). Left out: the time of the transfer, the
//! file `.snap`, and the files of the log.

use std::sync::Arc;

use crate::api::log_entry::PeerMessage;
use crate::api::message::{Body, EtcdMessage};
use crate::api::{Difference, KeyValue, Profile, Response};
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::ordered::OrdMap;
use crate::base::proto;
use crate::mvcc::{BucketKey, KvStore, Revision};
use crate::raft::{LogMark, RaftId, RaftPayload, WriteAheadLog};
use crate::sim::Outbox;
use crate::trace::{ChangeKind, TraceEvent};

use super::cluster::ClusterMember;
use super::restart::Backup;
use super::server::{EtcdServer, MemberTimer};

/// The number of ticks after which a member assumes that a snapshot got lost (`ConnReadTimeout`).
const TRANSFER_TICKS: u64 = 50;

/// The number of entries that a compaction of the log keeps before the snapshot's index
/// (`DefaultSnapshotCatchUpEntries`). The leader sends these entries to followers that lag only a little.
const CATCH_UP_ENTRIES: u64 = 5_000;

/// Returns the default number of applied entries between two snapshots (`--snapshot-count`).
fn default_snapshot_count(profile: Profile) -> u64 {
    match profile.has(Difference::SnapshotsOften) {
        false => 100_000,
        true => 10_000,
    }
}

/// The settings that determine when a member compacts its raft log, and the snapshots that the member is sending or
/// receiving.
#[derive(Clone, Debug, Hash)]
pub(super) struct LogSnapshots {
    /// The number of applied entries between two snapshots.
    count: u64,
    /// The number of entries that a compaction of the log keeps before the snapshot's index.
    catch_up: u64,
    /// The raft index of the last snapshot.
    index: u64,
    /// The raft messages with snapshots that the member sends after it has applied the entries of the current `Ready`.
    queued: Vec<PeerMessage>,
    /// The snapshots in transit, by receiver.
    outgoing: OrdMap<RaftId, OutgoingSnapshot>,
    /// The received states of the store, by the index of the snapshot. A state stays here until the member has
    /// processed the raft message of the snapshot.
    received: OrdMap<u64, Arc<Backup>>,
}

/// A snapshot in transit to a follower.
#[derive(Clone, Debug, Hash)]
struct OutgoingSnapshot {
    mark: LogMark,
    state: Arc<Backup>,
    /// The tick at which the snapshot was sent.
    sent: u64,
}

impl LogSnapshots {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            count: default_snapshot_count(profile),
            catch_up: CATCH_UP_ENTRIES,
            index: 0,
            queued: Vec::new(),
            outgoing: OrdMap::new(),
            received: OrdMap::new(),
        }
    }

    /// Drops the snapshots in transit, which the process loses when it stops. The settings and the index of the last
    /// snapshot stay.
    pub(super) fn stop(&mut self) {
        self.queued.clear();
        self.outgoing = OrdMap::new();
        self.received = OrdMap::new();
    }

    /// Returns the received state that belongs to a message; `None` if the message is not a snapshot.
    pub(super) fn received_with(&self, message: &PeerMessage) -> Option<&Backup> {
        let RaftPayload::Snapshot(mark) = &message.payload else {
            return None;
        };
        self.received.get(&mark.index).map(|state| &**state)
    }

    /// Drops the snapshot in transit to a removed member.
    pub(super) fn forget(&mut self, member: RaftId) {
        self.outgoing.remove(&member);
    }

    /// Removes the stored entries up to the last snapshot. A new process loads this snapshot and the entries after it.
    pub(super) fn compact_stored<T: Clone>(&self, wal: &mut WriteAheadLog<T>) {
        wal.compact(self.index);
    }
}

impl ClusterMember {
    /// Queues those messages of a `Ready` that have snapshots, and returns the other messages.
    pub(super) fn queue_snapshots(&mut self, messages: Vec<PeerMessage>) -> Vec<PeerMessage> {
        let is_snapshot = |m: &PeerMessage| matches!(m.payload, RaftPayload::Snapshot(_));
        let (snapshots, others): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_snapshot);
        self.snapshots.queued.extend(snapshots);
        others
    }

    /// Compacts the log if enough entries were applied since the last snapshot. `applied` is the last applied index.
    fn compact_log(&mut self, applied: u64) {
        if applied <= self.snapshots.index + self.snapshots.count {
            return;
        }
        self.snapshots.index = applied;
        let index = applied.saturating_sub(self.snapshots.catch_up);
        if index > self.node.log().start().index {
            self.node.compact(index);
        }
    }

    /// Assumes that the snapshots that were sent [`TRANSFER_TICKS`] ago or earlier are lost, and reports this to raft.
    pub(super) fn give_up_snapshots(&mut self) {
        let outgoing = self.snapshots.outgoing.iter();
        let late = outgoing.filter(|(_, snapshot)| self.ticks >= snapshot.sent + TRANSFER_TICKS);
        let late: Vec<RaftId> = late.map(|(to, _)| *to).collect();
        for to in late {
            self.snapshots.outgoing.remove(&to);
            self.node.report_snapshot(to, false);
        }
    }
}

impl EtcdServer {
    /// Returns the number of applied entries between two snapshots.
    pub fn snapshot_count(&self) -> u64 {
        let member = self.cluster.0.as_ref();
        member.map_or(default_snapshot_count(self.profile()), |member| {
            member.snapshots.count
        })
    }

    /// Sets the number of applied entries between two snapshots; 0 for the default of the version.
    pub fn set_snapshot_count(&mut self, count: u64) {
        let default = default_snapshot_count(self.profile());
        if let Some(member) = &mut self.cluster.0 {
            member.snapshots.count = if count == 0 { default } else { count };
        }
    }

    /// Returns the number of entries that a compaction of the log keeps before the snapshot's index.
    pub fn catch_up_entries(&self) -> u64 {
        let member = self.cluster.0.as_ref();
        member.map_or(CATCH_UP_ENTRIES, |member| member.snapshots.catch_up)
    }

    /// Sets the number of entries that a compaction of the log keeps before the snapshot's index.
    pub fn set_catch_up_entries(&mut self, entries: u64) {
        if let Some(member) = &mut self.cluster.0 {
            member.snapshots.catch_up = entries;
        }
    }

    /// Compacts the log, and sends the queued snapshots.
    pub(super) fn take_snapshots(&mut self, out: &mut Outbox<MemberTimer>) {
        let applied = self.raft_index;
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        member.compact_log(applied);
        let queued = std::mem::take(&mut member.snapshots.queued);
        for message in queued {
            self.send_snapshot(message, out);
        }
    }

    /// Sends a snapshot of the current state. The message contains the raft index and term of this state.
    fn send_snapshot(&mut self, mut message: PeerMessage, out: &mut Outbox<MemberTimer>) {
        let state = Arc::new(self.backup(out.now));
        let index = self.raft_index;
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        let term = member.node.log().term(index);
        let term = term.expect("compaction ends at or before the last applied entry");
        let (to, mark) = (message.to, LogMark { term, index });
        message.payload = RaftPayload::Snapshot(mark);
        let sent = member.ticks;
        let outgoing = OutgoingSnapshot { mark, state, sent };
        member.snapshots.outgoing.insert(to, outgoing);
        let body = Body::Etcd(EtcdMessage::Peer(Arc::new(message)));
        out.send(NodeId::Member(to), body);
    }

    /// Returns the state that this member sent with a raft message; `None` if this member has restarted or has given up
    /// the snapshot since then.
    pub fn outgoing_snapshot(&self, message: &PeerMessage) -> Option<Arc<Backup>> {
        let outgoing = self
            .cluster
            .0
            .as_ref()?
            .snapshots
            .outgoing
            .get(&message.to)?;
        let is_same = message.payload == RaftPayload::Snapshot(outgoing.mark);
        is_same.then(|| outgoing.state.clone())
    }

    /// Handles a raft message with a snapshot. `state` is the state of the store that the snapshot contains.
    pub fn peer_snapshot(
        &mut self,
        message: &PeerMessage,
        state: Arc<Backup>,
        out: &mut Outbox<MemberTimer>,
    ) {
        if let (Some(member), RaftPayload::Snapshot(mark)) = (&mut self.cluster.0, &message.payload)
        {
            member.snapshots.received.insert(mark.index, state);
            self.peer_message(message, out);
        }
    }

    pub fn snapshot_arrived(&mut self, to: RaftId, out: &mut Outbox<MemberTimer>) {
        if let Some(member) = &mut self.cluster.0 {
            member.snapshots.outgoing.remove(&to);
            member.node.report_snapshot(to, true);
            self.run_raft(out);
        }
    }

    /// Records that the receiver could not save a snapshot. The leader sends a snapshot again later.
    pub fn snapshot_failed(&mut self, to: RaftId, out: &mut Outbox<MemberTimer>) {
        if let Some(member) = &mut self.cluster.0 {
            member.snapshots.outgoing.remove(&to);
            member.node.report_snapshot(to, false);
            self.run_raft(out);
        }
    }

    /// Replaces the store with the received state at this raft index and term.
    pub(super) fn install_snapshot(&mut self, mark: LogMark, out: &mut Outbox<MemberTimer>) {
        let Some(member) = &mut self.cluster.0 else {
            return;
        };
        // A newer snapshot can arrive during the sync of this snapshot.
        let received = &mut member.snapshots.received;
        let state = received.remove(&mark.index);
        let state = state.expect("the state arrives with the message");
        while let Some((index, _)) = received.get_min()
            && *index < mark.index
        {
            let index = *index;
            received.remove(&index);
        }
        member.snapshots.index = mark.index;
        if let Some(membership) = state.membership() {
            member.changed = Sparse(Some(membership.clone()));
        }
        let before = (self.store().current_rev(), self.store().compact_rev());
        let (limits, page_cache) = (
            self.store().limits(),
            self.store().backend().page_cache_bytes(),
        );
        let is_disk_full = self.store().backend().is_disk_full();
        let mut backend = state.backend().clone();
        backend.stop(out.now);
        backend.start(out.now);
        let store = KvStore::restore(backend, self.profile());
        let mut store = store.expect("the leader's rows are those of a store");
        store.set_limits(limits);
        self.forget_ranges();
        self.kv.restore(store);
        self.set_page_cache(page_cache);
        self.set_disk_full(is_disk_full);
        self.lessor = state.parts().1.clone();
        self.reload_qos();
        self.auth.replace(self.kv.store().backend());
        self.raft_index = mark.index;
        out.trace(TraceEvent::SnapshotInstalled {
            index: mark.index,
            revision: self.store().current_rev(),
        });
        self.trace_installed(before, out);
        self.end_old_store(out);
    }

    /// Reports the changes and the compaction that the snapshot contains and the previous store did not contain.
    fn trace_installed(&self, (revision, compacted): (i64, i64), out: &mut Outbox<MemberTimer>) {
        let store = self.store();
        let first = BucketKey {
            revision: Revision::new(revision + 1, 0),
            tombstone: false,
        };
        let first = first.encode();
        for (key, row) in store.backend().rows_from(Bucket::Key, &first) {
            let decoded = BucketKey::decode(&key).zip(proto::decode::<KeyValue>(&row));
            let (row, kv) = decoded.expect("the rows are those of a store");
            let kind = match (row.tombstone, kv.version) {
                (true, _) => ChangeKind::Delete,
                (false, 1) => ChangeKind::Create,
                (false, _) => ChangeKind::Update,
            };
            let place = store.index().key_index(&kv.key).and_then(|index| {
                let mut all = index.generations.iter().enumerate();
                all.find_map(|(place, generation)| {
                    let at = generation
                        .revs
                        .iter()
                        .position(|rev| *rev == row.revision)?;
                    let later = generation.revs.len() - 1 - at;
                    Some((place as u32, generation.ver - later as i64))
                })
            });
            let (generation, generation_ver) = place.unwrap_or((0, 1));
            out.trace(TraceEvent::Changed {
                main: row.revision.main,
                sub: row.revision.sub,
                kind,
                key: kv.key,
                value: match kind {
                    ChangeKind::Delete => Bytes::default(),
                    ChangeKind::Create | ChangeKind::Update => kv.value,
                },
                version: kv.version,
                lease: kv.lease,
                generation,
                generation_ver,
            });
        }
        if store.compact_rev() > compacted {
            out.trace(TraceEvent::CompactionScheduled {
                revision: store.compact_rev(),
            });
        }
    }

    /// Ends the read transactions and the compactions of the previous store. Waiting defragmentations run on the new
    /// store.
    fn end_old_store(&mut self, out: &mut Outbox<MemberTimer>) {
        self.snapshots = OrdMap::new();
        for caller in std::mem::take(&mut self.defragments) {
            let response = self.defragment(out);
            self.reply(caller, Ok(Some(Response::Defragment(response))), out);
        }
        self.compactions_done = self.compactions_queued;
        while let Some(waiting) = self.waiting.pop_front() {
            out.reply(waiting.caller, waiting.reply);
        }
        self.compactions_queued += u64::from(self.store().compactions_pending());
        self.resume_compactions(out);
    }
}
