//! Rebuilds the key index from the rows, as a member does at start-up.
//!
//! Mirrors `restore` in `server/storage/mvcc/kvstore.go`. The rows may come from a file that another program wrote. The
//! simulator therefore checks values that upstream trusts, and reports faults at which upstream crashes. Each fault
//! names its row.

use std::fmt;

use crate::api::{Difference, Profile};
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::bytes::escape;
use crate::base::ordered::OrdMap;
use crate::base::proto;
use crate::words::database_file as words;

use super::compaction::{FINISHED, SCHEDULED};
use super::key_index::KeyIndex;
use super::kv_store::{FIRST_REVISION, KvStore};
use super::revision::{BucketKey, Revision};

/// The smallest revision or version that the restore rejects. If etcd increased such a large number further, the number
/// could overflow.
const COUNT_MAX: i64 = 1 << 62;

/// The maximum number of bytes that a message shows of an invalid row key.
const SHOWN_BYTES: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RestoreError {
    /// A key of the bucket `key` is not a revision.
    RowKey(Bytes),
    /// The value of a row is not a `KeyValue`.
    RowValue(Revision),
    /// A row has a revision or version that is larger than etcd can reach.
    CountTooLarge(Revision),
    EmptyKey(Revision),
    /// The revision in the value of a row differs from the revision in the row's key.
    OtherRevision {
        row: Revision,
        mod_revision: i64,
    },
    /// A put has a version below 1, or a create revision that is not valid.
    Version {
        row: Revision,
        create_revision: i64,
        version: i64,
    },
    /// Two rows in succession delete the same key, without a put between them.
    DeletedTwice {
        /// The revision of the second delete.
        row: Revision,
        key: Bytes,
    },
    /// Two rows of one revision change the same key.
    ChangedTwice {
        row: Revision,
        key: Bytes,
    },
    /// A compaction revision in the bucket `meta` is not a revision.
    CompactRevision(&'static str),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::RowKey(key) => {
                let start = escape(&key[..key.len().min(SHOWN_BYTES)]);
                words::row_key(key.len(), &start)
            }
            Self::RowValue(row) => words::row_value(row),
            Self::CountTooLarge(row) => words::count_too_large(row),
            Self::EmptyKey(row) => words::changed_key_empty(row),
            Self::OtherRevision { row, mod_revision } => {
                words::other_revision(row, *mod_revision, row.main)
            }
            Self::Version {
                row,
                create_revision,
                version,
            } => words::wrong_version(row, *version, *create_revision, row.main),
            Self::DeletedTwice { row, key } => words::deleted_twice(row, key),
            Self::ChangedTwice { row, key } => words::changed_twice(row, key),
            Self::CompactRevision(name) => words::compact_revision(name),
        })
    }
}

/// The fields of a row's `KeyValue` that the index needs. The value is not copied.
#[derive(Debug, Default)]
struct IndexedChange {
    key: Bytes,
    create_revision: i64,
    mod_revision: i64,
    version: i64,
    lease: i64,
}

proto::row! {
    IndexedChange { key = 1, create_revision = 2, mod_revision = 3, version = 4, lease = 6 }
}

/// A restore of a store from its rows. The caller runs the restore step by step.
#[derive(Clone, Debug)]
pub struct Restore {
    store: KvStore,
    /// The bucket key at which the next step starts.
    from: Bytes,
    rows: u64,
    /// The lease of each key that has a lease.
    attached: OrdMap<Bytes, i64>,
    /// Whether the restore also checks the revisions and the version in each value.
    is_strict: bool,
}

impl Restore {
    /// Starts a restore at the first row.
    ///
    /// # Errors
    /// Returns an error if the revision of the last compaction cannot be decoded.
    pub fn new(backend: Backend, profile: Profile) -> Result<Self, RestoreError> {
        let mut store = KvStore::new(profile);
        store.backend = backend;
        if let Some(rev) = store.stored_compact_rev(FINISHED)? {
            store.compact_rev = rev;
        }
        store.current_rev = FIRST_REVISION;
        Ok(Self {
            store,
            from: Bytes::default(),
            rows: 0,
            attached: OrdMap::new(),
            is_strict: false,
        })
    }

    /// Makes the restore also check the revisions and the version in each value, which upstream trusts.
    pub fn strict(self) -> Self {
        Self {
            is_strict: true,
            ..self
        }
    }

    /// Processes up to `rows` more rows. Returns true when no rows are left.
    ///
    /// # Errors
    /// Returns an error for the first row that is invalid or contradicts the rows before it.
    pub fn step(&mut self, rows: usize) -> Result<bool, RestoreError> {
        let backend = self.store.backend.clone();
        let mut last = None;
        for (key, value) in backend.rows_from(Bucket::Key, &self.from).take(rows) {
            let row = BucketKey::decode(&key).ok_or_else(|| RestoreError::RowKey((*key).into()))?;
            let change = decode(row.revision, &value)?;
            if self.is_strict && !row.tombstone && !change.key.is_empty() {
                check_put(row.revision, &change)?;
            }
            if change.lease != 0 && !row.tombstone {
                self.attached.insert(change.key.clone(), change.lease);
            } else {
                self.attached.remove(&change.key);
            }
            self.store.restore_row(row, change)?;
            self.store.current_rev = row.revision.main;
            self.rows += 1;
            last = Some(key);
        }
        let Some(last) = last else {
            return Ok(true);
        };
        // The next step starts after the last key: at this key followed by a zero byte.
        self.from = Bytes::from([&last, &[0][..]].concat());
        Ok(false)
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the store and the lease of each key that has a lease. Call this method after [`step`](Self::step) has
    /// returned true. A scheduled compaction that did not finish is queued again; the caller runs its batches.
    ///
    /// # Errors
    /// Returns an error if the revision of the scheduled compaction cannot be decoded.
    pub fn finish(self) -> Result<(KvStore, OrdMap<Bytes, i64>), RestoreError> {
        let mut store = self.store;
        store.backend.set_row_count(Bucket::Key, self.rows);
        let now = store.current_rev;
        store.live_keys = store
            .index
            .iter()
            .filter(|ki| ki.get(now).is_some())
            .count() as i64;
        // The newest row can be a tombstone that is already compacted. The compact revision is then the newest
        // revision.
        store.current_rev = store.current_rev.max(store.compact_rev);
        if let Some(scheduled) = store.stored_compact_rev(SCHEDULED)?
            && scheduled > store.compact_rev
        {
            store.current_rev = store.current_rev.max(scheduled);
            store.compact_rev = scheduled;
            // The rows that the interrupted compaction removed are missing, so there is no hash to store.
            store.queue_compaction(scheduled, None);
        }
        Ok((store, self.attached))
    }
}

impl KvStore {
    /// Restores a store from all rows of `backend`. See [`Restore`].
    ///
    /// # Errors
    /// Returns an error if the rows do not form a valid store.
    pub fn restore(backend: Backend, profile: Profile) -> Result<Self, RestoreError> {
        let mut restore = Restore::new(backend, profile)?;
        while !restore.step(usize::MAX)? {}
        restore.finish().map(|(store, _)| store)
    }

    /// Returns this store with its revision raised by `by`, so that no revision is used twice, and with the new
    /// revision marked as compacted (`--bump-revision` and `--mark-compacted`).
    ///
    /// As etcdutl does, this method marks the new revision with an empty row. A start reads this row as a put of the
    /// empty key. No request can read the empty key, but the compaction keeps the row.
    ///
    /// # Errors
    /// Returns an error if the raised revision is larger than etcd can reach.
    pub fn with_raised_revision(self, by: u64) -> Result<Self, RestoreError> {
        let Self {
            mut backend,
            profile,
            limits,
            ..
        } = self;
        let newest = backend.rows(Bucket::Key).last();
        let newest = newest.and_then(|(key, _)| BucketKey::decode(&key));
        let newest = newest.map_or(0, |key| key.revision.main);
        let raised = Revision::new(newest.saturating_add_unsigned(by), 0);
        let raised = Bytes::from(&raised.encode()[..]);
        backend.put(Bucket::Key, raised.clone(), Bytes::default());
        backend.put(Bucket::Meta, SCHEDULED.into(), raised);
        let mut store = Self::restore(backend, profile)?;
        store.set_limits(limits);
        Ok(store)
    }

    fn stored_compact_rev(&self, name: &'static str) -> Result<Option<i64>, RestoreError> {
        let Some(value) = self.backend.get(Bucket::Meta, &name.into()) else {
            return Ok(None);
        };
        let decoded = BucketKey::decode(&value).map(|key| key.revision.main);
        match decoded.filter(|rev| *rev < COUNT_MAX) {
            Some(rev) => Ok(Some(rev)),
            None => Err(RestoreError::CompactRevision(name)),
        }
    }

    fn restore_row(&mut self, row: BucketKey, change: IndexedChange) -> Result<(), RestoreError> {
        let rev = row.revision;
        let Some(index) = self.index.get_mut(&change.key) else {
            if !row.tombstone {
                let created = Revision::new(change.create_revision, 0);
                let index = KeyIndex::restore(change.key, created, rev, change.version);
                self.index.insert(index);
            } else if self.profile.has(Difference::RestoresLoneTombstone) {
                // The puts of this key were compacted.
                self.index
                    .insert(KeyIndex::restore_tombstone(change.key, rev));
            }
            return Ok(());
        };
        let key = change.key;
        if rev <= index.modified {
            return Err(RestoreError::ChangedTwice { row: rev, key });
        }
        if !row.tombstone {
            index.put(rev);
        } else if index.tombstone(rev).is_err() {
            return Err(RestoreError::DeletedTwice { row: rev, key });
        }
        Ok(())
    }
}

fn decode(rev: Revision, value: &[u8]) -> Result<IndexedChange, RestoreError> {
    let change: IndexedChange = proto::decode(value).ok_or(RestoreError::RowValue(rev))?;
    if rev.main.max(rev.sub).max(change.version) >= COUNT_MAX {
        return Err(RestoreError::CountTooLarge(rev));
    }
    // `etcdutl snapshot restore --bump-revision` writes a row without a value.
    if change.key.is_empty() && !value.is_empty() {
        return Err(RestoreError::EmptyKey(rev));
    }
    Ok(change)
}

/// Checks the fields that upstream never checks and that the rest of the simulator trusts.
fn check_put(row: Revision, change: &IndexedChange) -> Result<(), RestoreError> {
    let IndexedChange {
        create_revision,
        mod_revision,
        version,
        ..
    } = *change;
    if mod_revision != row.main {
        return Err(RestoreError::OtherRevision { row, mod_revision });
    }
    if version < 1 || !(1..=row.main).contains(&create_revision) {
        return Err(RestoreError::Version {
            row,
            create_revision,
            version,
        });
    }
    Ok(())
}
