//! A write transaction. All its changes have the same main revision, and the sub-revision numbers the changes.
//!
//! Mirrors `storeTxnWrite` in `server/storage/mvcc/kvstore_txn.go`.
//!
//! ```
//! use watchglass_engine::{api::Profile, base::bytes::KeyRange, mvcc::{KvStore, Revision}};
//! let mut store = KvStore::new(Profile::V3_6);
//! let mut txn = store.write();
//! txn.put("b".into(), "1".into(), 0);
//! txn.put("c".into(), "2".into(), 0);
//! assert_eq!(txn.delete_range(&KeyRange::One("b".into())), 1); // sees its own writes
//! let changes = txn.end();
//! assert_eq!(changes[2].revision, Revision::new(2, 2));
//! assert_eq!(store.current_rev(), 2);
//! ```

use crate::api::{KeyValue, Profile};
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::planted::PlantedBug;
use crate::base::proto;
use crate::trace::ChangeKind;

use super::kv_store::{KvStore, RangeResult, StoreError};
use super::revision::{BucketKey, Revision};

/// An open write transaction. [`end`](Self::end) publishes its changes.
#[derive(Debug)]
pub struct WriteTxn<'a> {
    store: &'a mut KvStore,
    begin_rev: i64,
    changes: Vec<Change>,
}

/// A write transaction between two steps of a caller that does other work in between. Its rows are already in the
/// backend.
#[derive(Debug)]
pub struct PausedTxn {
    begin_rev: i64,
    changes: Vec<Change>,
}

impl PausedTxn {
    /// Returns the number of changes so far.
    pub fn changes(&self) -> u64 {
        self.changes.len() as u64
    }

    /// Continues the transaction.
    ///
    /// # Panics
    /// Panics if another transaction has changed the store.
    pub fn resume(self, store: &mut KvStore) -> WriteTxn<'_> {
        assert_eq!(store.current_rev, self.begin_rev, "one writer at a time");
        WriteTxn {
            store,
            begin_rev: self.begin_rev,
            changes: self.changes,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    pub revision: Revision,
    pub kind: ChangeKind,
    /// The stored row. The row of a tombstone contains only the key.
    pub kv: KeyValue,
    /// The number of the key's generation, counted from the oldest generation in the index.
    pub generation: u32,
    /// The number of changes in the generation up to and including this change.
    pub generation_ver: i64,
}

impl<'a> WriteTxn<'a> {
    pub fn profile(&self) -> Profile {
        self.store.profile()
    }

    pub(super) fn begin(store: &'a mut KvStore) -> Self {
        let begin_rev = store.current_rev;
        Self {
            store,
            begin_rev,
            changes: Vec::new(),
        }
    }

    fn main(&self) -> i64 {
        self.begin_rev + 1
    }

    /// Returns the revision that reads in this transaction see. Before the first change, this is the store's revision.
    /// After the first change, this is the transaction's own revision.
    pub fn rev(&self) -> i64 {
        if self.changes.is_empty() {
            self.begin_rev
        } else {
            self.main()
        }
    }

    /// Reads within the transaction, including its own changes.
    pub fn range(&self, range: &KeyRange, rev: i64, limit: i64) -> Result<RangeResult, StoreError> {
        self.store.range_within(range, rev, limit, self.rev())
    }

    pub fn count(&self, range: &KeyRange, rev: i64) -> Result<RangeResult, StoreError> {
        self.store.count_within(range, rev, self.rev())
    }

    /// Writes a key and returns the revision of the change.
    pub fn put(&mut self, key: Bytes, value: Bytes, lease: i64) -> i64 {
        let revision = Revision::new(self.main(), self.changes.len() as i64);
        let before = self.store.index.get(&key, revision.main);
        let puts_before = before.map_or_else(|| self.first_version(&key), |f| f.version);
        let kv = KeyValue {
            key: key.clone(),
            create_revision: before.map_or(revision.main, |f| f.created.main),
            mod_revision: revision.main,
            version: puts_before + 1,
            value,
            lease,
        };
        // The row is written first, because the index can be rebuilt from the rows.
        let bucket_key = BucketKey {
            revision,
            tombstone: false,
        }
        .encode();
        self.store
            .backend
            .put(Bucket::Key, bucket_key, proto::encode(&kv).into());
        let placed = self.store.index.put(key, revision);
        let kind = if before.is_some() {
            ChangeKind::Update
        } else {
            ChangeKind::Create
        };
        self.store.live_keys += i64::from(kind == ChangeKind::Create);
        self.changes.push(Change {
            revision,
            kind,
            kv,
            generation: placed.generation,
            generation_ver: placed.ver,
        });
        revision.main
    }

    /// Returns the version of a key directly before the first put of a new generation. The version is 0, unless a test
    /// has planted the bug [`PlantedBug::VersionGoesOn`]. With this bug, the version is the number of changes in the
    /// key's earlier generations.
    fn first_version(&self, key: &Bytes) -> i64 {
        if !self.store.planted.is(PlantedBug::VersionGoesOn) {
            return 0;
        }
        let lives = self.store.index.key_index(key).map(|ki| &ki.generations);
        lives.map_or(0, |all| all.iter().map(|life| life.ver).sum())
    }

    /// Deletes all existing keys in the range and returns the number of deleted keys.
    pub fn delete_range(&mut self, range: &KeyRange) -> i64 {
        let at = self.rev();
        let keys: Vec<Bytes> = self
            .store
            .index
            .live(range, at)
            .map(|(ki, _)| ki.key.clone())
            .collect();
        for key in &keys {
            self.delete(key);
        }
        keys.len() as i64
    }

    /// Deletes the first `count` existing keys in the range. Returns the last deleted key; `None` if no key exists.
    pub fn delete_first(&mut self, range: &KeyRange, count: usize) -> Option<Bytes> {
        let live = self.store.index.live(range, self.rev());
        let keys: Vec<Bytes> = live.take(count).map(|(ki, _)| ki.key.clone()).collect();
        for key in &keys {
            self.delete(key);
        }
        keys.last().cloned()
    }

    fn delete(&mut self, key: &Bytes) {
        let revision = Revision::new(self.main(), self.changes.len() as i64);
        let kv = KeyValue {
            key: key.clone(),
            ..KeyValue::default()
        };
        let bucket_key = BucketKey {
            revision,
            tombstone: true,
        }
        .encode();
        self.store
            .backend
            .put(Bucket::Key, bucket_key, proto::encode(&kv).into());
        let placed = self.store.index.tombstone(key, revision);
        let placed = placed.expect("only live keys are deleted");
        let kind = ChangeKind::Delete;
        self.store.live_keys -= 1;
        self.changes.push(Change {
            revision,
            kind,
            kv,
            generation: placed.generation,
            generation_ver: placed.ver,
        });
    }

    /// Interrupts the transaction. [`PausedTxn::resume`] continues it.
    pub fn pause(self) -> PausedTxn {
        PausedTxn {
            begin_rev: self.begin_rev,
            changes: self.changes,
        }
    }

    /// Publishes the transaction and returns its changes. The store's revision increases if the transaction changed a
    /// key.
    pub fn end(self) -> Vec<Change> {
        if !self.changes.is_empty() {
            self.store.current_rev += 1;
        }
        self.store.backend.commit_if_full();
        self.changes
    }
}
