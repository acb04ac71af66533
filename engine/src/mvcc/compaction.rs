//! Compaction: reads of old revisions fail immediately, and etcd removes the rows later in batches.
//!
//! Mirrors `server/storage/mvcc/kvstore.go` (`Compact`) and `kvstore_compaction.go`.
//!
//! `compact n` raises the compact revision immediately, so reads of older revisions fail. A job then removes the rows
//! in batches of 1000 rows with pauses of 10 ms, so that other work is not delayed. Several jobs wait in a queue.
//!
//! ```
//! use watchglass_engine::{api::Profile, mvcc::KvStore};
//! let mut store = KvStore::new(Profile::V3_6);
//! for value in ["1", "2", "3"] {
//!     let mut txn = store.write();
//!     txn.put("a".into(), value.into(), 0);
//!     txn.end();
//! }
//! store.compact(4).unwrap();
//! assert_eq!(store.compact_rev(), 4);
//! let batch = store.compaction_batch();
//! assert_eq!(batch.removed.len(), 2); // the rows of revisions 2 and 3
//! assert_eq!(batch.finished, Some(4));
//! ```

use std::collections::VecDeque;

use crate::api::Difference;
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::digest::Sparse;
use crate::base::ordered::OrdSet;
use crate::base::time::SimDuration;

use super::hash_kv::KvHasher;
use super::kv_store::{KvStore, StoreError};
use super::revision::{BucketKey, Revision};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompactionLimits {
    /// The maximum number of rows that a batch examines (`--compaction-batch-limit`, 1000 upstream).
    pub batch_rows: u32,
    /// The pause after a full batch (`--compaction-sleep-interval`, 10 ms upstream).
    pub sleep: SimDuration,
}

impl Default for CompactionLimits {
    fn default() -> Self {
        Self {
            batch_rows: 1000,
            sleep: SimDuration::from_millis(10),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompactionBatch {
    /// The revision of the compaction to which the batch belongs.
    pub rev: i64,
    pub scanned: u32,
    /// The revisions of the deleted rows.
    pub removed: Vec<Revision>,
    /// The size of the keys and values of the deleted rows, in bytes.
    pub removed_bytes: u64,
    /// The revision of the compaction if this batch completed the compaction, otherwise `None`.
    pub finished: Option<i64>,
}

/// The queue of compaction jobs. The first job in the queue is the running job.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct CompactionQueue {
    jobs: VecDeque<Job>,
}

#[derive(Clone, Debug, Hash)]
struct Job {
    rev: i64,
    /// The checksum of the examined rows. `None` if the compaction before this one had not finished, because the
    /// checksum would then lack rows (etcd#15919), or if the version of etcd stores no checksums.
    hasher: Sparse<Option<KvHasher>>,
    /// The revisions whose rows the job must not remove. `None` until the job has compacted the index.
    keep: Option<OrdSet<Revision>>,
    /// The bucket key at which the next batch starts.
    from: Bytes,
}

pub(super) const SCHEDULED: &str = "scheduledCompactRev";
pub(super) const FINISHED: &str = "finishedCompactRev";

impl KvStore {
    /// Raises the compact revision, and queues a job that removes the rows.
    pub fn compact(&mut self, rev: i64) -> Result<(), StoreError> {
        if rev <= self.compact_rev {
            return Err(StoreError::Compacted);
        }
        if rev > self.current_rev {
            return Err(StoreError::FutureRev);
        }
        // Mirrors `checkPrevCompactionCompleted`.
        let meta = |name: &str| self.backend.get(Bucket::Meta, &name.into());
        let is_previous_finished = meta(SCHEDULED) == meta(FINISHED);
        let hasher = (is_previous_finished && self.profile.has(Difference::StoresCompactionHashes))
            .then(|| KvHasher::new(self.compact_rev, rev, self.profile));
        self.compact_rev = rev;
        self.put_meta(SCHEDULED, rev);
        self.backend.commit();
        self.queue_compaction(rev, hasher);
        Ok(())
    }

    pub(super) fn queue_compaction(&mut self, rev: i64, hasher: Option<KvHasher>) {
        self.compactions.jobs.push_back(Job {
            rev,
            hasher: Sparse(hasher),
            keep: None,
            from: Bytes::default(),
        });
    }

    /// Returns the number of compactions that still have rows to remove.
    pub fn compactions_pending(&self) -> u32 {
        self.compactions.jobs.len() as u32
    }

    /// Runs the next batch of the first job in the queue.
    ///
    /// # Panics
    /// Panics if no job is queued.
    pub fn compaction_batch(&mut self) -> CompactionBatch {
        let mut job = self
            .compactions
            .jobs
            .pop_front()
            .expect("a compaction is queued");
        let keep = job.keep.get_or_insert_with(|| {
            self.index
                .compact(job.rev, self.profile)
                .into_iter()
                .collect()
        });
        let end = (job.rev + 1).to_be_bytes();
        let limit = self.limits.batch_rows as usize;
        let rows: Vec<(Bytes, u64)> = self
            .backend
            .rows_from(Bucket::Key, &job.from)
            .take_while(|(key, _)| **key < end[..])
            .take(limit)
            .map(|(key, value)| {
                if let Some(hasher) = &mut *job.hasher {
                    let is_kept = (!keep.is_empty()).then_some(|row| keep.contains(&row));
                    hasher.write(&key, &value, is_kept);
                }
                (Bytes::from(&*key), (key.len() + value.len()) as u64)
            })
            .collect();
        let mut removed = Vec::new();
        let mut removed_bytes = 0;
        for (key, bytes) in &rows {
            let change = BucketKey::decode(key).expect("the key bucket holds only bucket keys");
            if !keep.contains(&change.revision) {
                self.backend.delete(Bucket::Key, key);
                removed.push(change.revision);
                removed_bytes += bytes;
            }
        }
        let rev = job.rev;
        let scanned = rows.len() as u32;
        // After a full batch, more rows may remain. As upstream, the compaction ends only with a batch that is not
        // full.
        let finished = (scanned < self.limits.batch_rows).then_some(rev);
        if finished.is_some() {
            self.put_meta(FINISHED, rev);
            if let Some(hasher) = &*job.hasher {
                self.hashes.store(hasher.finish());
            }
        } else {
            let (last, _) = rows.last().expect("a full batch has rows");
            let last = BucketKey::decode(last).expect("it was decoded above");
            let last = last.revision;
            let next = Revision::new(last.main, last.sub + 1);
            job.from = Bytes::from(&next.encode()[..]);
            self.compactions.jobs.push_front(job);
            // etcd's read buffer contains no deletes, so etcd commits the deletes before the pause.
            self.backend.commit();
        }
        CompactionBatch {
            rev,
            scanned,
            removed,
            removed_bytes,
            finished,
        }
    }

    fn put_meta(&mut self, key: &str, rev: i64) {
        let value = Bytes::from(&Revision::new(rev, 0).encode()[..]);
        self.backend.put(Bucket::Meta, key.into(), value);
    }
}
