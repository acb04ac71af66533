//! The store of a member: a revision counter, a key index, and the rows to which the index points.
//!
//! Mirrors `server/storage/mvcc/kvstore.go` and `kvstore_txn.go`. Locks are left out: the engine runs one operation at
//! a time, so no reader can see a part of a transaction.

use std::fmt;

use crate::api::{KeyValue, Profile};
use crate::backend::{Backend, Bucket, Reader};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::digest::Sparse;
use crate::base::planted::Planted;
use crate::base::proto;
use crate::bbolt::Span;

use super::compaction::{CompactionLimits, CompactionQueue};
use super::hash_kv::HashStorage;
use super::revision::{BucketKey, Revision};
use super::tree_index::TreeIndex;
use super::write_txn::WriteTxn;

/// The revision of a store before its first write.
pub const FIRST_REVISION: i64 = 1;

pub const NEVER_COMPACTED: i64 = -1;

/// A multi-version key-value store.
///
/// ```
/// use watchglass_engine::{api::Profile, base::bytes::KeyRange, mvcc::KvStore};
/// let mut store = KvStore::new(Profile::V3_6);
/// let key = KeyRange::One("/key1".into());
/// for value in ["value1", "value2"] {
///     let mut txn = store.write();
///     txn.put("/key1".into(), value.into(), 0);
///     txn.end();
/// }
/// let mut txn = store.write();
/// assert_eq!(txn.delete_range(&key), 1);
/// txn.end();
/// assert_eq!(store.current_rev(), 4);
/// assert_eq!(store.range(&key, 3, 0).unwrap().kvs[0].version, 2); // the past is readable
/// assert!(store.range(&key, 4, 0).unwrap().kvs.is_empty());       // deleted at 4
/// ```
#[derive(Clone, Debug, Hash)]
pub struct KvStore {
    pub(super) profile: Profile,
    pub(super) current_rev: i64,
    pub(super) compact_rev: i64,
    pub(super) index: TreeIndex,
    pub(super) backend: Backend,
    pub(super) compactions: CompactionQueue,
    pub(super) limits: CompactionLimits,
    /// The number of keys that exist at the current revision (`keysGauge` upstream).
    pub(super) live_keys: i64,
    /// The hashes of the newest compactions, in memory only.
    pub(super) hashes: Sparse<HashStorage>,
    pub(super) planted: Planted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreError {
    Compacted,
    FutureRev,
    /// The index contains a revision that has no row. An upstream member exits in this case.
    RowMissing,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compacted => "mvcc: required revision has been compacted",
            Self::FutureRev => "mvcc: required revision is a future revision",
            Self::RowMissing => "range failed to find revision pair",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RangeResult {
    /// The rows that the read returned, in key order.
    pub kvs: Vec<KeyValue>,
    /// The number of keys in the range that exist at the revision, regardless of the limit.
    pub count: i64,
    /// The store's revision at the time of the read.
    pub rev: i64,
}

impl KvStore {
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            current_rev: FIRST_REVISION,
            compact_rev: NEVER_COMPACTED,
            index: TreeIndex::default(),
            backend: Backend::new(profile),
            compactions: CompactionQueue::default(),
            limits: CompactionLimits::default(),
            live_keys: 0,
            hashes: Sparse::default(),
            planted: Planted::default(),
        }
    }

    /// Plants a fault in the store, so that tests can verify that the checkers find the fault.
    #[cfg(feature = "planted-bugs")]
    pub fn plant(&mut self, planted: Planted) {
        self.planted = planted;
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    pub fn current_rev(&self) -> i64 {
        self.current_rev
    }

    /// Raises the revision without a change, in a store that has a part of the keys of another store.
    pub fn skip_to(&mut self, revision: i64) {
        self.current_rev = self.current_rev.max(revision);
    }

    /// Returns the compact revision, which is the oldest readable revision, or -1 if the store was never compacted.
    pub fn compact_rev(&self) -> i64 {
        self.compact_rev
    }

    pub fn live_keys(&self) -> i64 {
        self.live_keys
    }

    pub fn index(&self) -> &TreeIndex {
        &self.index
    }

    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Returns the backend, for changes to rows that are not keys, such as the member's own metadata.
    pub fn backend_mut(&mut self) -> &mut Backend {
        &mut self.backend
    }

    pub fn limits(&self) -> CompactionLimits {
        self.limits
    }

    /// Sets the batch limits of compactions. The limits do not affect which rows a compaction removes.
    pub fn set_limits(&mut self, limits: CompactionLimits) {
        self.limits = limits;
    }

    /// Reads the range at `rev`, or at the current revision if `rev` is 0 or negative. Returns at most `limit` rows if
    /// `limit` is positive.
    pub fn range(&self, range: &KeyRange, rev: i64, limit: i64) -> Result<RangeResult, StoreError> {
        self.range_within(range, rev, limit, self.current_rev)
    }

    /// Reads at most `limit` rows of the range at `rev`, like [`range`](Self::range), but counts only these rows. The
    /// search of the index ends at the limit.
    pub fn first_rows(
        &self,
        range: &KeyRange,
        rev: i64,
        limit: i64,
    ) -> Result<RangeResult, StoreError> {
        let at = self.readable(rev, self.current_rev)?;
        let revs = self.index.first_revisions(range, at, limit);
        let count = revs.len() as i64;
        self.read_rows(revs, count, self.current_rev)
    }

    /// Counts the keys that [`range`](Self::range) would return without a limit. Counting uses only the index and reads
    /// no rows.
    pub fn count(&self, range: &KeyRange, rev: i64) -> Result<RangeResult, StoreError> {
        self.count_within(range, rev, self.current_rev)
    }

    pub(super) fn count_within(
        &self,
        range: &KeyRange,
        rev: i64,
        current: i64,
    ) -> Result<RangeResult, StoreError> {
        let at = self.readable(rev, current)?;
        let count = self.index.count_revisions(range, at);
        Ok(RangeResult {
            kvs: Vec::new(),
            count,
            rev: current,
        })
    }

    /// Reads the range inside a transaction. `current` is the newest revision that the transaction sees.
    pub(super) fn range_within(
        &self,
        range: &KeyRange,
        rev: i64,
        limit: i64,
        current: i64,
    ) -> Result<RangeResult, StoreError> {
        let at = self.readable(rev, current)?;
        let (revs, count) = self.index.revisions(range, at, limit);
        self.read_rows(revs, count, current)
    }

    fn read_rows(
        &self,
        revs: Vec<Revision>,
        count: i64,
        current: i64,
    ) -> Result<RangeResult, StoreError> {
        let mut rows = self.backend.reader(Bucket::Key);
        let kvs = revs
            .into_iter()
            .map(|rev| row(&mut rows, rev))
            .collect::<Result<_, _>>()?;
        Ok(RangeResult {
            kvs,
            count,
            rev: current,
        })
    }

    /// Returns the bucket keys of the rows that [`range`](Self::range) would read, in the order of the reads.
    ///
    /// # Errors
    /// Returns an error if the revision cannot be read.
    pub fn rows_of_range(
        &self,
        range: &KeyRange,
        rev: i64,
        limit: i64,
    ) -> Result<Vec<Bytes>, StoreError> {
        let at = self.readable(rev, self.current_rev)?;
        let revs = self.index.first_revisions(range, at, limit);
        let key = |revision| BucketKey {
            revision,
            tombstone: false,
        };
        Ok(revs.into_iter().map(|rev| key(rev).encode()).collect())
    }

    /// Returns the revision to read at, or the reason why the read is refused.
    fn readable(&self, rev: i64, current: i64) -> Result<i64, StoreError> {
        if rev > current {
            return Err(StoreError::FutureRev);
        }
        let at = if rev <= 0 { current } else { rev };
        if at < self.compact_rev {
            return Err(StoreError::Compacted);
        }
        Ok(at)
    }

    /// Returns the row of a change (a put or a tombstone), if the backend still contains the row.
    pub fn stored_row(&self, rev: Revision) -> Option<(BucketKey, Span)> {
        [false, true].into_iter().find_map(|tombstone| {
            let key = BucketKey {
                revision: rev,
                tombstone,
            };
            self.backend
                .get(Bucket::Key, &key.encode())
                .map(|row| (key, row))
        })
    }

    /// Replaces this store with a store that was restored from the rows. A planted fault remains planted.
    pub fn restart_with(&mut self, store: KvStore) {
        *self = Self {
            planted: self.planted,
            ..store
        };
    }

    /// Replaces this store with the store of a snapshot. The process continues, so the hashes in memory remain.
    pub fn install(&mut self, store: KvStore) {
        let hashes = std::mem::take(&mut self.hashes);
        self.restart_with(store);
        self.hashes = hashes;
    }

    pub fn write(&mut self) -> WriteTxn<'_> {
        WriteTxn::begin(self)
    }
}

/// Returns the row of a put whose revision is in the index.
///
/// The row can be missing: if one transaction deletes and recreates a key, and etcd is compacted at exactly the
/// revision of this transaction, etcd 3.6 keeps only the row of the tombstone.
fn row(rows: &mut Reader<'_>, revision: Revision) -> Result<KeyValue, StoreError> {
    let key = BucketKey {
        revision,
        tombstone: false,
    };
    let row = rows.get(&key.encode()).ok_or(StoreError::RowMissing)?;
    Ok(proto::decode(&row).expect("rows are written by this store"))
}
