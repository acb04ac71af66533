//! A simple store with which tests compare the real store.
//!
//! The model stores every change of every key forever and serves each read by scanning all changes. The model has no
//! index, no generations, no rows and no batches, so it shares no algorithms with `mvcc`. If both stores agree on a
//! long random history, a bug can stay hidden only if it has the same effect in two different algorithms. Upstream does
//! the same in `tests/robustness/model/deterministic.go`.
//!
//! ```
//! use watchglass_engine::base::bytes::KeyRange;
//! use watchglass_engine::observe::model::{ModelAnswer, Model, Op};
//! let mut model = Model::default();
//! let put = Op::Put { key: "/key1".into(), value: "value1".into(), lease: 0 };
//! assert_eq!(model.txn(&[put]), [ModelAnswer::Put { rev: 2 }]);
//! let delete = Op::Delete(KeyRange::One("/key1".into()));
//! assert_eq!(model.txn(&[delete]), [ModelAnswer::Deleted { count: 1, rev: 3 }]);
//! assert_eq!(model.range(&KeyRange::One("/key1".into()), 2, 0).unwrap().count, 1);
//! assert_eq!(model.range(&KeyRange::One("/key1".into()), 3, 0).unwrap().count, 0);
//! ```

use std::collections::BTreeMap;

use crate::api::{Difference, KeyValue, Profile};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::small_sort::SmallSort;
use crate::mvcc::kv_store::{FIRST_REVISION, NEVER_COMPACTED};
use crate::mvcc::{BucketKey, RangeResult, Revision, StoreError};

/// A store that keeps all changes of all keys.
#[derive(Clone, Debug)]
pub struct Model {
    changes: BTreeMap<Bytes, Vec<Change>>,
    current_rev: i64,
    compact_rev: i64,
}

/// A change of a key: `put` is the value and the lease, or `None` for a delete.
#[derive(Clone, Debug)]
struct Change {
    at: Revision,
    put: Option<(Bytes, i64)>,
}

/// One operation of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Put {
        key: Bytes,
        value: Bytes,
        /// The lease of the key; 0 for no lease.
        lease: i64,
    },
    Delete(KeyRange),
    Range {
        keys: KeyRange,
        /// The revision; 0 or less for the newest revision.
        rev: i64,
        /// The maximum number of rows; 0 or less for all rows.
        limit: i64,
    },
}

/// The result of an [`Op`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelAnswer {
    Put {
        rev: i64,
    },
    Deleted {
        count: i64,
        /// The revision of the transaction if it has made a change, otherwise the newest revision.
        rev: i64,
    },
    Found(Result<RangeResult, StoreError>),
}

impl Default for Model {
    fn default() -> Self {
        Self {
            changes: BTreeMap::new(),
            current_rev: FIRST_REVISION,
            compact_rev: NEVER_COMPACTED,
        }
    }
}

impl Model {
    /// Returns the revision of the last transaction that changed something.
    pub fn current_rev(&self) -> i64 {
        self.current_rev
    }

    /// Returns the oldest readable revision; -1 if no revision is compacted.
    pub fn compact_rev(&self) -> i64 {
        self.compact_rev
    }

    /// Executes the operations in order, all at one revision.
    pub fn txn(&mut self, ops: &[Op]) -> Vec<ModelAnswer> {
        let main = self.current_rev + 1;
        let mut changed = 0;
        let mut answers = Vec::new();
        for op in ops {
            match op {
                Op::Put { key, value, lease } => {
                    let put = Some((value.clone(), *lease));
                    self.change(key, Revision::new(main, changed), put);
                    changed += 1;
                    answers.push(ModelAnswer::Put { rev: main });
                }
                Op::Delete(keys) => {
                    let alive = self.alive(keys, main);
                    for kv in &alive {
                        self.change(&kv.key, Revision::new(main, changed), None);
                        changed += 1;
                    }
                    let rev = if changed > 0 { main } else { main - 1 };
                    answers.push(ModelAnswer::Deleted {
                        count: alive.len() as i64,
                        rev,
                    });
                }
                Op::Range { keys, rev, limit } => {
                    let newest = if changed > 0 { main } else { main - 1 };
                    answers.push(ModelAnswer::Found(self.read(keys, *rev, *limit, newest)));
                }
            }
        }
        if changed > 0 {
            self.current_rev = main;
        }
        answers
    }

    pub fn range(&self, keys: &KeyRange, rev: i64, limit: i64) -> Result<RangeResult, StoreError> {
        self.read(keys, rev, limit, self.current_rev)
    }

    /// Makes reads before `rev` fail, as after a compaction. The model still keeps all changes.
    pub fn compact(&mut self, rev: i64) -> Result<(), StoreError> {
        if rev <= self.compact_rev {
            return Err(StoreError::Compacted);
        }
        if rev > self.current_rev {
            return Err(StoreError::FutureRev);
        }
        self.compact_rev = rev;
        Ok(())
    }

    /// Returns the rows that a backend must contain after its compactions. These are all changes after the compact
    /// revision, and each key's last change at or before the compact revision.
    ///
    /// If a key's last change at or before the compact revision is a delete, the compaction also removes the row of the
    /// delete. Since 3.4.34, 3.5.16 and 3.6.0, the row of a delete at the compact revision itself remains.
    pub fn rows(&self, profile: Profile) -> Vec<(BucketKey, KeyValue)> {
        let mut rows = Vec::new();
        for (key, changes) in &self.changes {
            for (i, change) in changes.iter().enumerate() {
                let main = change.at.main;
                let superseded = changes[i + 1..]
                    .iter()
                    .any(|c| c.at.main <= self.compact_rev);
                let tombstone = change.put.is_none();
                let forgotten =
                    main < self.compact_rev || !profile.has(Difference::KeepsCompactedTombstone);
                if main <= self.compact_rev && (superseded || tombstone && forgotten) {
                    continue;
                }
                let row = BucketKey {
                    revision: change.at,
                    tombstone,
                };
                let dead = KeyValue {
                    key: key.clone(),
                    ..KeyValue::default()
                };
                rows.push((row, value_after(key, &changes[..=i]).unwrap_or(dead)));
            }
        }
        rows.small_sort_by_key(|(row, _)| *row);
        rows
    }

    fn read(
        &self,
        keys: &KeyRange,
        rev: i64,
        limit: i64,
        newest: i64,
    ) -> Result<RangeResult, StoreError> {
        let at = if rev > 0 { rev } else { newest };
        if at > newest {
            return Err(StoreError::FutureRev);
        }
        if at < self.compact_rev {
            return Err(StoreError::Compacted);
        }
        let mut kvs = self.alive(keys, at);
        let count = kvs.len() as i64;
        if limit > 0 {
            kvs.truncate(limit as usize);
        }
        Ok(RangeResult {
            kvs,
            count,
            rev: newest,
        })
    }

    /// Returns the keys of the range that exist at `rev`. Tests every key of the run.
    fn alive(&self, keys: &KeyRange, rev: i64) -> Vec<KeyValue> {
        let in_range = self.changes.iter().filter(|(key, _)| keys.contains(key));
        in_range
            .filter_map(|(key, changes)| {
                let until = changes.iter().take_while(|c| c.at.main <= rev).count();
                value_after(key, &changes[..until])
            })
            .collect()
    }

    fn change(&mut self, key: &Bytes, at: Revision, put: Option<(Bytes, i64)>) {
        self.changes
            .entry(key.clone())
            .or_default()
            .push(Change { at, put });
    }
}

/// Returns the value of a key after the given changes; `None` if the key does not exist.
fn value_after(key: &Bytes, changes: &[Change]) -> Option<KeyValue> {
    let mut kv: Option<KeyValue> = None;
    for change in changes {
        kv = change.put.as_ref().map(|(value, lease)| KeyValue {
            key: key.clone(),
            create_revision: kv.as_ref().map_or(change.at.main, |kv| kv.create_revision),
            mod_revision: change.at.main,
            version: kv.as_ref().map_or(0, |kv| kv.version) + 1,
            value: value.clone(),
            lease: *lease,
        });
    }
    kv
}
