//! The member's process ends and starts again, perhaps with the store of an earlier moment.
//!
//! Mirrors what of a start can be seen (`bootstrap.go`, `Lessor.Promote`, `kvstore.go restore`), and
//! `etcdutl snapshot restore`. What was acknowledged is in the log, so nothing of it is lost; what only
//! the process knew is: streams, watchers, requests under way. Left out: the time that a start takes,
//! and the new ids of a restored member.

use std::sync::Arc;

use crate::api::Response;
use crate::backend::Backend;
use crate::base::ordered::OrdMap;
use crate::base::planted::Planted;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::bbolt::{Crash, Damage, View};
use crate::lease::Lessor;
use crate::mvcc::KvStore;
use crate::sim::Outbox;
use crate::trace::TraceEvent;

use super::entries::{LogEntry, Waiter};
use super::server::{ELECTION_TIMEOUT, EtcdServer, MemberTimer};

/// Entries that a lone member writes when it has begun again: the empty one of its new term, and its
/// own attributes.
const ENTRIES_AT_RESTART: u32 = 2;

/// The state that a member starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recovery {
    /// The transaction of the file.
    pub txid: u64,
    /// The last entry of the log that is applied in the file (`consistent_index`).
    pub index_in_file: u64,
    /// The last entry of the log; those behind the file's are applied again.
    pub index: u64,
}

/// The content of a saved snapshot.
#[derive(Clone, Debug, Hash)]
pub struct Backup {
    store: KvStore,
    lessor: Lessor,
}

impl Backup {
    pub(super) fn new(store: KvStore, lessor: Lessor) -> Self {
        Self { store, lessor }
    }

    pub(super) fn parts(&self) -> (&KvStore, &Lessor) {
        (&self.store, &self.lessor)
    }

    /// The store.
    pub fn store(&self) -> &KvStore {
        &self.store
    }

    /// The database file.
    pub fn file(&self) -> View {
        self.store.backend().file()
    }

    /// The stored backend.
    pub fn backend(&self) -> &Backend {
        self.store.backend()
    }

    /// The revision of the snapshot.
    pub fn revision(&self) -> i64 {
        self.store.current_rev()
    }
}

impl EtcdServer {
    /// Everything that is stored, with the batch committed first. A copy costs next to nothing, because it shares what
    /// stays the same; etcd reads the whole file.
    pub fn backup(&mut self, now: SimTime) -> Backup {
        self.advance(now);
        let backend = self.kv.backend_mut();
        backend.commit();
        backend.count_file_read();
        Backup {
            store: self.store().clone(),
            lessor: self.lessor.clone(),
        }
    }

    /// Begins a snapshot that takes its time: its read transaction stays open until
    /// [`close_snapshot`](Self::close_snapshot).
    pub fn open_snapshot(&mut self, name: Arc<str>, now: SimTime) -> Arc<Backup> {
        let backup = Arc::new(self.backup(now));
        self.kv.backend_mut().begin_read();
        self.snapshots.insert(name, backup.clone());
        backup
    }

    /// The names of the snapshots that are open.
    pub fn open_snapshots(&self) -> impl Iterator<Item = &Arc<str>> {
        self.snapshots.keys()
    }

    /// Ends a snapshot: what it read. A defragmentation that waited for it is done.
    pub fn close_snapshot(
        &mut self,
        name: &str,
        out: &mut Outbox<MemberTimer>,
    ) -> Option<Arc<Backup>> {
        let backup = self.snapshots.remove(name)?;
        self.kv.backend_mut().end_read(&backup.file());
        if self.snapshots.is_empty() {
            for caller in std::mem::take(&mut self.defragments) {
                let response = self.defragment(out);
                self.reply(caller, Ok(Some(Response::Defragment(response))), out);
            }
        }
        Some(backup)
    }

    /// Puts a backup in the place of what is stored (`etcdutl snapshot restore`), with its revision
    /// raised by `bump`, and everything up to there marked as compacted if so wanted. To be done while
    /// the process does not run.
    pub fn restore(
        &mut self,
        backup: &Backup,
        bump: u64,
        mark_compacted: bool,
        out: &mut Outbox<MemberTimer>,
    ) {
        let limits = self.store().limits();
        let page_cache = self.store().backend().page_cache_bytes();
        self.forget_ranges();
        let mut store = backup.store.clone();
        store.set_limits(limits);
        store.bump_revision(bump);
        if mark_compacted {
            let current = store.current_rev();
            store.compact(current).expect("its own revision is new");
        }
        let (revision, compacted) = (store.current_rev(), store.compact_rev());
        self.kv.replace(store);
        self.set_page_cache(page_cache);
        // The log begins behind what is restored.
        self.put_meta_u64("consistent_index", self.raft_index);
        self.kv.backend_mut().commit();
        self.lessor = backup.lessor.clone();
        out.trace(TraceEvent::Restored {
            backup: backup.revision(),
            revision,
            compacted,
        });
    }

    /// Ends the process: an uncommitted batch is only in the log.
    pub fn stop(&mut self, now: SimTime) {
        self.kv.backend_mut().stop(now);
        self.snapshots = OrdMap::new();
        self.defragments.clear();
    }

    /// Its machine loses power, in the middle of a commit if there is something to commit.
    ///
    /// # Errors
    /// When the file cannot be opened any more.
    pub fn crash(
        &mut self,
        now: SimTime,
        planted: Planted,
        rng: &mut Rng,
    ) -> Result<Crash, Damage> {
        let crash = self.kv.backend_mut().crash(now, planted, rng);
        self.stop(now);
        crash
    }

    /// Starts its process. Returns what its file holds, and what only the log had.
    pub fn restart(&mut self, now: SimTime, out: &mut Outbox<MemberTimer>) -> Recovery {
        let before = self.store();
        let mut backend = before.backend().clone();
        backend.start(now);
        let recovery = Recovery {
            txid: backend.file().meta().txid,
            index_in_file: backend.file_index(),
            index: self.raft_index,
        };
        let store = KvStore::restore(backend, self.profile());
        let mut store = store.expect("the rows are those of a store");
        store.set_limits(before.limits());
        assert_eq!(
            store.current_rev(),
            before.current_rev(),
            "the rows say which revision it is"
        );
        self.compactions_queued = self.compactions_done + u64::from(store.compactions_pending());
        self.kv.begin_again(store);
        self.raft_term += 1;
        for _ in 0..ENTRIES_AT_RESTART {
            self.propose(LogEntry::Empty, Waiter::Nobody);
        }
        self.apply_committed(now, out);
        self.waiting.clear();
        self.watch.restart();
        // A new leader gives each lease its whole time again, and an election's besides.
        self.lessor.promote(now + ELECTION_TIMEOUT);
        self.leases.restart();
        self.plan_look(now, out);
        self.restart_compactor(now, out);
        self.resume_compactions(out);
        recovery
    }

    /// Runs the compactions that were scheduled and not finished.
    pub(super) fn resume_compactions(&self, out: &mut Outbox<MemberTimer>) {
        if self.store().compactions_pending() > 0 {
            out.timer(SimDuration(0), MemberTimer::CompactionBatch);
        }
    }
}
