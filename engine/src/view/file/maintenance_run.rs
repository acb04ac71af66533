//! The prediction of a maintenance plan, in steps. The store of the file is restored as at the start of a member. Then
//! the store deletes, compacts and defragments, and the sizes are read from its database.

use std::sync::Arc;

use super::maintenance::{
    MaintenanceChange, MaintenanceQuery, MaintenanceStage, MaintenanceStep, MaintenanceView,
    RevisionLimits,
};
use super::maintenance_script::maintenance_script;
use crate::api::Profile;
use crate::backend::{Bucket, Defragmentation};
use crate::base::Bytes;
use crate::base::bytes::{KeyRange, prefix_end};
use crate::etcd::SnapshotFile;
use crate::etcd::snapshot_file::SnapshotOpening;
use crate::mvcc::{CompactionBatch, KvStore, PausedTxn};
use crate::words::maintenance as words;

/// The number of rows or keys that one step reads, deletes or copies.
const ROWS_AT_ONCE: usize = 64;

/// A prediction with its position. Each step works on the store of a copy of the file.
#[derive(Debug)]
pub struct MaintenanceRun {
    query: MaintenanceQuery,
    /// The name of the file.
    file: String,
    profile: Profile,
    /// The number of rows in the bucket `key` of the file.
    rows: u64,
    /// The number of keys to delete.
    keys: u64,
    /// The file once its store is restored.
    restored: Option<Arc<SnapshotFile>>,
    work: Work,
    steps: Vec<MaintenanceStep>,
}

#[derive(Debug)]
enum Work {
    Restore(Box<SnapshotOpening>),
    Begin(Box<KvStore>),
    Delete {
        store: Box<KvStore>,
        txn: PausedTxn,
        /// The range of the keys that are not yet deleted.
        range: KeyRange,
        deleted: u64,
    },
    Compact(Box<KvStore>, Compaction),
    Defragment(Box<KvStore>, Box<Defragmentation>),
    Finished,
}

/// A running compaction with its counts.
#[derive(Debug)]
struct Compaction {
    revision: i64,
    /// Whether the compaction was scheduled before the file was saved.
    is_scheduled: bool,
    examined: u64,
    removed: u64,
    removed_bytes: u64,
}

impl Compaction {
    fn new(store: &KvStore, is_scheduled: bool) -> Self {
        Self {
            revision: store.compact_rev(),
            is_scheduled,
            examined: 0,
            removed: 0,
            removed_bytes: 0,
        }
    }

    fn add(&mut self, batch: &CompactionBatch) {
        self.examined += u64::from(batch.scanned);
        self.removed += batch.removed.len() as u64;
        self.removed_bytes += batch.removed_bytes;
    }

    fn change(&self) -> MaintenanceChange {
        MaintenanceChange::Compact {
            revision: self.revision,
            is_scheduled: self.is_scheduled,
            rows: self.removed,
            bytes: self.removed_bytes,
        }
    }
}

impl MaintenanceRun {
    /// Creates a prediction that restores the store of the file first.
    pub fn open(query: MaintenanceQuery, opening: SnapshotOpening, rows: u64, keys: u64) -> Self {
        let file = opening.identity().name.to_string();
        let (profile, work) = (opening.profile(), Work::Restore(opening.into()));
        Self::new(query, (file, profile), (rows, keys), None, work)
    }

    /// Creates a prediction for a file whose store is already restored.
    pub fn restored(
        query: MaintenanceQuery,
        file: Arc<SnapshotFile>,
        rows: u64,
        keys: u64,
    ) -> Self {
        let name = file.identity.name.to_string();
        let work = Work::Begin(file.backup().store().clone().into());
        let profile = file.profile;
        Self::new(query, (name, profile), (rows, keys), Some(file), work)
    }

    fn new(
        query: MaintenanceQuery,
        (file, profile): (String, Profile),
        (rows, keys): (u64, u64),
        restored: Option<Arc<SnapshotFile>>,
        work: Work,
    ) -> Self {
        Self {
            query,
            file,
            profile,
            rows,
            keys,
            restored,
            work,
            steps: Vec::new(),
        }
    }

    /// Returns the file once its store is restored.
    pub fn restored_file(&self) -> Option<&Arc<SnapshotFile>> {
        self.restored.as_ref()
    }

    /// Returns the memory that a restore needs so far, with `row_bytes` for each row, or a defragmentation with its
    /// copy of the database.
    pub fn bytes(&self, row_bytes: u64) -> u64 {
        match &self.work {
            Work::Restore(opening) => opening.rows() * row_bytes,
            Work::Defragment(store, _) => {
                self.rows * row_bytes + store.backend().db().bytes_in_use()
            }
            _ => 0,
        }
    }

    /// Does the next piece of work. Returns true once the prediction is finished.
    ///
    /// # Errors
    /// Returns an error message for the user if the store cannot be restored or compacted.
    pub fn step(&mut self) -> Result<bool, String> {
        self.work = match std::mem::replace(&mut self.work, Work::Finished) {
            Work::Restore(opening) => self.restore(opening)?,
            Work::Begin(store) => self.begin(store)?,
            Work::Delete {
                store,
                txn,
                range,
                deleted,
            } => self.delete(store, txn, range, deleted)?,
            Work::Compact(mut store, mut job) if store.compactions_pending() > 0 => {
                job.add(&store.compaction_batch());
                Work::Compact(store, job)
            }
            Work::Compact(mut store, job) => {
                store.backend_mut().commit_twice();
                self.measure(&store, job.change());
                match job.is_scheduled {
                    true => self.begin_delete(store)?,
                    false => begin_defragmentation(store),
                }
            }
            Work::Defragment(mut store, mut new) => match new.step(store.backend(), ROWS_AT_ONCE) {
                false => Work::Defragment(store, new),
                true => {
                    store.backend_mut().finish_defragmentation(*new);
                    self.measure(&store, MaintenanceChange::Defragment);
                    Work::Finished
                }
            },
            Work::Finished => Work::Finished,
        };
        Ok(matches!(self.work, Work::Finished))
    }

    fn restore(&mut self, mut opening: Box<SnapshotOpening>) -> Result<Work, String> {
        let refused = |error| words::cannot_restore(&self.file, error);
        if !opening.step(ROWS_AT_ONCE).map_err(refused)? {
            return Ok(Work::Restore(opening));
        }
        let file = Arc::new(opening.finish().map_err(refused)?);
        let store = file.backup().store().clone();
        self.restored = Some(file);
        Ok(Work::Begin(store.into()))
    }

    /// Measures the file. If the file has a compaction that did not finish, this compaction runs first, as at the start
    /// of a member.
    fn begin(&mut self, store: Box<KvStore>) -> Result<Work, String> {
        self.measure(&store, MaintenanceChange::Start);
        match store.compactions_pending() {
            0 => self.begin_delete(store),
            _ => {
                let scheduled = Compaction::new(&store, true);
                Ok(Work::Compact(store, scheduled))
            }
        }
    }

    fn begin_delete(&self, mut store: Box<KvStore>) -> Result<Work, String> {
        let prefix = &self.query.delete;
        if prefix.is_empty() {
            return self.begin_compaction(store);
        }
        let end = prefix_end(prefix);
        let range = KeyRange::new(&Bytes::from(&prefix[..]), &end);
        let txn = store.write().pause();
        Ok(Work::Delete {
            store,
            txn,
            range,
            deleted: 0,
        })
    }

    /// Deletes the next keys, all in one transaction, as `etcdctl del --prefix` does.
    fn delete(
        &mut self,
        mut store: Box<KvStore>,
        txn: PausedTxn,
        range: KeyRange,
        deleted: u64,
    ) -> Result<Work, String> {
        let mut txn = txn.resume(&mut store);
        if let Some(last) = txn.delete_first(&range, ROWS_AT_ONCE) {
            let txn = txn.pause();
            // The next step starts after the last key: at this key followed by a zero byte.
            let next = Bytes::from([&last[..], &[0]].concat());
            return Ok(Work::Delete {
                store,
                deleted: txn.changes(),
                range: KeyRange::new(&next, &Bytes::from(range.end_field())),
                txn,
            });
        }
        txn.end();
        store.backend_mut().commit_twice();
        self.measure(&store, MaintenanceChange::Delete { keys: deleted });
        self.begin_compaction(store)
    }

    fn begin_compaction(&self, mut store: Box<KvStore>) -> Result<Work, String> {
        let limits = RevisionLimits {
            newest: store.current_rev(),
            compacted: store.compact_rev(),
        };
        let Some(revision) = self.query.compact.revision(limits)? else {
            return Ok(begin_defragmentation(store));
        };
        store.compact(revision).map_err(|error| error.to_string())?;
        let compaction = Compaction::new(&store, false);
        Ok(Work::Compact(store, compaction))
    }

    /// Reads the sizes.
    fn measure(&mut self, store: &KvStore, change: MaintenanceChange) {
        let db = store.backend().db();
        self.steps.push(MaintenanceStep {
            change,
            bytes: db.bytes(),
            bytes_in_use: db.bytes_in_use(),
        });
    }

    /// Returns the running part of the prediction, and the amount of work done in this part, out of a total.
    pub fn progress(&self) -> (MaintenanceStage, u64, u64) {
        match &self.work {
            Work::Restore(opening) => (MaintenanceStage::Restoring, opening.rows(), self.rows),
            Work::Begin(_) => (MaintenanceStage::Restoring, self.rows, self.rows),
            Work::Delete { deleted, .. } => (MaintenanceStage::Deleting, *deleted, self.keys),
            Work::Compact(_, job) => {
                let rows = self.rows + self.keys;
                (MaintenanceStage::Compacting, job.examined.min(rows), rows)
            }
            Work::Defragment(store, new) => {
                let backend = store.backend();
                let counts = Bucket::ALL.iter().map(|bucket| backend.row_count(*bucket));
                (MaintenanceStage::Defragmenting, new.rows(), counts.sum())
            }
            Work::Finished => (MaintenanceStage::Defragmenting, self.rows, self.rows),
        }
    }

    /// Returns the prediction. Call this method after [`step`](Self::step) has returned true.
    pub fn finish(self) -> MaintenanceView {
        MaintenanceView {
            script: maintenance_script(&self.query, &self.file, self.profile),
            query: self.query,
            steps: self.steps,
        }
    }
}

fn begin_defragmentation(mut store: Box<KvStore>) -> Work {
    let new = store.backend_mut().begin_defragmentation();
    Work::Defragment(store, new.into())
}
