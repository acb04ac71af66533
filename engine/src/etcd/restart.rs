//! Stops and restarts the member's process, and restores a snapshot.
//!
//! Mirrors the visible effects of a start (`bootstrap.go`, `Lessor.Promote`, `kvstore.go restore`), and `etcdutl
//! snapshot restore`. Acknowledged writes are in the log, so a restart does not lose them. A restart loses the
//! in-memory state of the process: streams, watchers and requests in progress. Left out: the duration of a start, and
//! the new ids of a restored member.

use std::sync::Arc;

use crate::api::log_entry::LogEntry;
use crate::api::{Difference, Response};
use crate::auth::AuthStore;
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::ordered::OrdMap;
use crate::base::planted::Planted;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::bbolt::{Crash, Damage, View};
use crate::lease::Lessor;
use crate::mvcc::KvStore;
use crate::raft::ConfState;
use crate::sim::Outbox;
use crate::trace::TraceEvent;

use super::entries::Waiter;
use super::membership::Membership;
use super::metrics::MemberMetrics;
use super::server::{ELECTION_TIMEOUT, EtcdServer, MemberTimer};

/// The number of entries that a single member writes after a restart: the empty entry of its new term, and its
/// attributes.
const ENTRIES_AT_RESTART: u32 = 2;

/// The positions in the database file and in the log from which a member starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recovery {
    /// The number of the last transaction in the database file.
    pub txid: u64,
    /// The index of the last log entry that is applied in the database file (`consistent_index`).
    pub index_in_file: u64,
    /// The index of the last entry in the log. Entries after `index_in_file` are applied again.
    pub index: u64,
}

/// The content of a saved snapshot.
#[derive(Clone, Debug, Hash)]
pub struct Backup {
    store: KvStore,
    lessor: Lessor,
    /// The members of the cluster; `None` before the first change.
    membership: Sparse<Option<Arc<Membership>>>,
}

impl Backup {
    pub(super) fn new(store: KvStore, lessor: Lessor) -> Self {
        Self {
            store,
            lessor,
            membership: Sparse::default(),
        }
    }

    pub(super) fn membership(&self) -> Option<&Arc<Membership>> {
        self.membership.as_ref()
    }

    /// Returns which members vote; `None` before the first change of the membership.
    pub(super) fn conf_state(&self) -> Option<&ConfState> {
        Some(self.membership()?.conf_state())
    }

    pub(super) fn parts(&self) -> (&KvStore, &Lessor) {
        (&self.store, &self.lessor)
    }

    pub fn store(&self) -> &KvStore {
        &self.store
    }

    pub fn file(&self) -> View {
        self.store.backend().file()
    }

    pub fn backend(&self) -> &Backend {
        self.store.backend()
    }

    pub fn revision(&self) -> i64 {
        self.store.current_rev()
    }
}

/// A change to a database file that no process has open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileEdit {
    /// Rewrites the file without free pages.
    Defragment,
    /// Sets the storage version.
    Migrate { major: u64, minor: u64 },
}

impl EtcdServer {
    /// Commits the open batch and returns a backup of the store and leases. The backup is cheap because it shares
    /// unchanged data. A real etcd reads the whole file.
    pub fn backup(&mut self, now: SimTime) -> Backup {
        let backend = self.kv.backend_mut();
        backend.advance(now);
        backend.commit();
        backend.count_file_read();
        let member = self.cluster.0.as_ref();
        Backup {
            store: self.store().clone(),
            lessor: self.lessor.clone(),
            membership: member.map_or(Sparse::default(), |member| member.changed.clone()),
        }
    }

    /// Starts a snapshot whose read transaction stays open until [`close_snapshot`](Self::close_snapshot).
    pub fn open_snapshot(&mut self, name: Arc<str>, now: SimTime) -> Arc<Backup> {
        let backup = Arc::new(self.backup(now));
        self.kv.backend_mut().begin_read();
        self.snapshots.insert(name, backup.clone());
        backup
    }

    pub fn open_snapshots(&self) -> impl Iterator<Item = &Arc<str>> {
        self.snapshots.keys()
    }

    /// Closes a snapshot and returns its content, or `None` if no snapshot has this name. After the last snapshot is
    /// closed, waiting defragmentations run.
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

    /// Replaces the stored data with a backup (`etcdutl snapshot restore`). If `bump` is positive and `mark_compacted`
    /// is true, raises the revision by `bump` and marks the new revision as compacted. The process must be stopped.
    pub fn restore(
        &mut self,
        backup: &Backup,
        bump: u64,
        mark_compacted: bool,
        out: &mut Outbox<MemberTimer>,
    ) {
        let limits = self.store().limits();
        let page_cache = self.store().backend().page_cache_bytes();
        let is_disk_full = self.store().backend().is_disk_full();
        self.forget_ranges();
        let mut store = backup.store.clone();
        if bump > 0 && mark_compacted {
            let raised = store.with_raised_revision(bump);
            store = raised.expect("the shell limits the bump");
        }
        store.set_limits(limits);
        let (revision, compacted) = (store.current_rev(), store.compact_rev());
        self.kv.replace(store);
        self.reload_qos();
        self.auth.replace(self.kv.store().backend());
        self.set_page_cache(page_cache);
        self.set_disk_full(is_disk_full);
        // The log begins after the restored state.
        self.put_meta_u64("consistent_index", self.raft_index);
        self.kv.backend_mut().commit();
        self.lessor = backup.lessor.clone();
        out.trace(TraceEvent::Restored {
            backup: backup.revision(),
            revision,
            compacted,
        });
    }

    /// Stops the process. The rows of an uncommitted batch are then only in the log.
    pub fn stop(&mut self, now: SimTime) {
        self.kv.backend_mut().stop(now);
        self.snapshots = OrdMap::new();
        self.defragments.clear();
        self.drop_jobs();
    }

    /// Simulates a power failure of the member's machine. If there are rows to commit, the power fails while the member
    /// commits them.
    ///
    /// # Errors
    /// Returns an error if the damaged file cannot be opened.
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

    pub fn edit_file(&mut self, edit: FileEdit, out: &mut Outbox<MemberTimer>) {
        match edit {
            FileEdit::Defragment => {
                self.defragment(out);
            }
            FileEdit::Migrate { major, minor } => {
                let key = Bytes::from("storageVersion");
                let backend = self.kv.backend_mut();
                match (major, minor) < (3, 6) {
                    true => {
                        backend.delete(Bucket::Meta, &key);
                    }
                    false => {
                        let version = format!("{major}.{minor}.0");
                        backend.put(Bucket::Meta, key, version.as_str().into());
                    }
                }
                backend.commit();
            }
        }
    }

    /// Sets the storage version to that of the program. A real member does this some seconds after its start.
    fn upgrade_storage(&mut self) {
        let version = self.profile().cluster_version();
        if !self.profile().has(Difference::StoresVersion) {
            return;
        }
        let key = Bytes::from("storageVersion");
        let backend = self.kv.backend_mut();
        let stored = backend.get(Bucket::Meta, &key);
        if stored.is_none_or(|stored| *stored != *version.as_bytes()) {
            backend.put(Bucket::Meta, key, version.into());
        }
    }

    pub fn restart(&mut self, out: &mut Outbox<MemberTimer>) -> Recovery {
        let before = self.store();
        let mut backend = before.backend().clone();
        backend.start(out.now);
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
        self.kv.restart_with(store);
        self.upgrade_storage();
        self.metrics = MemberMetrics::default();
        self.reload_qos();
        self.auth = Sparse(AuthStore::recover(self.kv.store().backend()));
        if self.raft().is_some() {
            self.restart_raft(out);
        } else {
            self.raft_term += 1;
            for _ in 0..ENTRIES_AT_RESTART {
                self.propose(LogEntry::Empty, Waiter::Nobody);
            }
            self.apply_committed(out);
        }
        self.waiting.clear();
        self.awaiting_tokens = Sparse::default();
        self.watch.restart();
        // As on a new leader, the remaining TTL of each lease counts down from one election timeout after the start.
        self.lessor.promote(out.now + ELECTION_TIMEOUT);
        self.leases.restart();
        self.plan_check(out);
        self.restart_compactor(out);
        self.resume_compactions(out);
        recovery
    }

    /// Resumes the compactions that were scheduled but not finished.
    pub(super) fn resume_compactions(&self, out: &mut Outbox<MemberTimer>) {
        if self.store().compactions_pending() > 0 {
            out.timer(SimDuration(0), MemberTimer::CompactionBatch);
        }
    }
}
