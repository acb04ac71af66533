//! The checksum with which members compare their histories.
//!
//! Mirrors `server/storage/mvcc/hash.go`. The checksum is a CRC-32C over the name of the bucket, and then over the key
//! and value of each row up to a revision, in order. Rows that a compaction will remove are excluded, so the checksum
//! is the same before and after the removal of these rows.
//!
//! Since 3.5.5, a compaction computes the checksum of the history up to its revision while it examines the rows. The
//! member holds the ten newest of these checksums in memory, and serves them even when their revision is compacted.

use crate::api::{Difference, Profile};
use crate::backend::Bucket;
use crate::base::crc32c::Crc32c;
use crate::base::ordered::OrdSet;

use super::kv_store::{KvStore, StoreError};
use super::revision::{BucketKey, Revision};

/// The maximum number of stored hashes (`hashStorageMaxSize`).
const STORED_MAX: usize = 10;

/// A hash of the history of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyValueHash {
    /// The hash value (CRC-32C).
    pub hash: u32,
    /// The compact revision of the store before the hash was computed, or -1 if the store was never compacted.
    pub compact_revision: i64,
    /// The last revision that the hash includes.
    pub revision: i64,
}

/// A checksum in progress (`kvHasher`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KvHasher {
    crc: Crc32c,
    compact_revision: i64,
    revision: i64,
    skips_tombstone: bool,
}

impl KvHasher {
    /// Creates the checksum of the rows up to `revision` of a store whose compact revision is `compact_revision`.
    pub fn new(compact_revision: i64, revision: i64, profile: Profile) -> Self {
        let mut crc = Crc32c::new();
        crc.update(Bucket::Key.name().as_bytes());
        Self {
            crc,
            compact_revision,
            revision,
            // Some versions of etcd keep a tombstone at the compact revision and others remove it, so newer versions
            // exclude this tombstone from the hash.
            skips_tombstone: profile.has(Difference::HashesCompactRevision),
        }
    }

    /// Adds a row, unless the row is newer than the hash, or a compaction will remove the row. `is_kept` tells whether
    /// the compaction keeps a row; `None` if it keeps no row, because etcd then hashes all rows.
    pub fn write(
        &mut self,
        key: &[u8],
        value: &[u8],
        is_kept: Option<impl FnOnce(Revision) -> bool>,
    ) {
        let row = BucketKey::decode(key).expect("the key bucket holds only bucket keys");
        let main = row.revision.main;
        let is_removed =
            main <= self.compact_revision && is_kept.is_some_and(|is_kept| !is_kept(row.revision));
        let is_skipped = main == self.compact_revision && row.tombstone && self.skips_tombstone;
        if main > self.revision || is_removed || is_skipped {
            return;
        }
        self.crc.update(key);
        self.crc.update(value);
    }

    pub fn finish(&self) -> KeyValueHash {
        KeyValueHash {
            hash: self.crc.finish(),
            compact_revision: self.compact_revision,
            revision: self.revision,
        }
    }
}

/// The hashes of the newest compactions, in the order of their revisions (`hashStorage`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct HashStorage(Vec<KeyValueHash>);

impl HashStorage {
    fn of(&self, rev: i64) -> Option<KeyValueHash> {
        self.0.iter().find(|hash| hash.revision == rev).copied()
    }

    pub(super) fn store(&mut self, hash: KeyValueHash) {
        let at = self.0.partition_point(|h| h.revision <= hash.revision);
        self.0.insert(at, hash);
        if self.0.len() > STORED_MAX {
            self.0.remove(0);
        }
    }
}

impl KvStore {
    /// Returns the hash that a member returns for `rev`: the stored hash of a compaction at `rev`, or else the hash of
    /// the rows. After `compact 0`, a request without a revision always receives the hash of the empty history.
    pub fn hash_kv(&self, rev: i64) -> Result<KeyValueHash, StoreError> {
        match self.hashes.of(rev) {
            Some(stored) => Ok(stored),
            None => self.hash_by_rev(rev),
        }
    }

    /// Computes the hash of the rows up to `rev`, or up to the current revision if `rev` is 0.
    ///
    /// ```
    /// use watchglass_engine::{api::Profile, mvcc::KvStore};
    /// let mut store = KvStore::new(Profile::V3_4);
    /// let mut txn = store.write();
    /// txn.put("a".into(), "1".into(), 0);
    /// txn.end();
    /// assert_eq!(store.hash_by_rev(0).unwrap().hash, 2587454935); // the hash that etcd 3.4.23 returns
    /// ```
    pub fn hash_by_rev(&self, rev: i64) -> Result<KeyValueHash, StoreError> {
        let compacted = match self.profile.has(Difference::HashesCompactRevision) {
            true => rev < self.compact_rev,
            false => rev <= self.compact_rev,
        };
        if rev > 0 && compacted {
            return Err(StoreError::Compacted);
        }
        if rev > 0 && rev > self.current_rev {
            return Err(StoreError::FutureRev);
        }
        let revision = if rev == 0 { self.current_rev } else { rev };
        let keep = self.index.keep(revision, self.profile);
        let keep: OrdSet<Revision> = keep.into_iter().collect();
        let mut hasher = KvHasher::new(self.compact_rev, revision, self.profile);
        let is_kept = (!keep.is_empty()).then_some(|row| keep.contains(&row));
        for (key, value) in self.backend.rows(Bucket::Key) {
            hasher.write(&key, &value, is_kept);
        }
        Ok(hasher.finish())
    }
}
