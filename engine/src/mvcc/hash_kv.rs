//! The checksum with which members compare their histories.
//!
//! Mirrors `server/storage/mvcc/hash.go`. The checksum is a CRC-32C over the name of the bucket, and then over the key
//! and value of each row up to a revision, in order. Rows that a compaction will remove are excluded, so the checksum
//! is the same before and after the removal of these rows.

use crate::api::Difference;
use crate::backend::Bucket;
use crate::base::crc32c::Crc32c;
use crate::base::ordered::OrdSet;

use super::kv_store::{KvStore, StoreError};
use super::revision::{BucketKey, Revision};

/// A hash of the history of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyValueHash {
    /// The hash value (CRC-32C).
    pub hash: u32,
    /// The compact revision of the store, or -1 if the store was never compacted.
    pub compact_revision: i64,
    /// The last revision that the hash includes.
    pub revision: i64,
}

impl KvStore {
    /// Returns the hash of the history up to `rev`, or up to the current revision if `rev` is 0.
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
        let keep: OrdSet<Revision> = self
            .index
            .keep(revision, self.profile)
            .into_iter()
            .collect();
        let mut crc = Crc32c::new();
        crc.update(Bucket::Key.name().as_bytes());
        for (key, value) in self.backend.rows(Bucket::Key) {
            let row = BucketKey::decode(&key).expect("the key bucket holds only bucket keys");
            if self.in_hash(row, revision, &keep) {
                crc.update(&key);
                crc.update(&value);
            }
        }
        Ok(KeyValueHash {
            hash: crc.finish(),
            compact_revision: self.compact_rev,
            revision,
        })
    }

    fn in_hash(&self, row: BucketKey, upto: i64, keep: &OrdSet<Revision>) -> bool {
        let main = row.revision.main;
        if main > upto {
            return false;
        }
        if main <= self.compact_rev && !keep.is_empty() && !keep.contains(&row.revision) {
            return false;
        }
        // Versions of etcd differ about a tombstone at the compact revision, so the hash excludes such a tombstone.
        !(main == self.compact_rev
            && row.tombstone
            && self.profile.has(Difference::HashesCompactRevision))
    }
}
