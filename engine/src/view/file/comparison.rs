//! What changed from one state of a store to another: the states of two database files, or two revisions of one file.
//!
//! Two files of one cluster have the same rows at each revision that both still have. The first revision with different
//! rows is where two members, or two clusters, part.

use serde::{Deserialize, Serialize};

use super::StoredValue;
use super::largest::Group;
use super::writers::KindOfValue;
use crate::base::Bytes;
use crate::mvcc::Revision;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonQuery {
    /// The revisions to compare: of the open file, and of the other file, or of the open file if there is no other
    /// file. `None` stands for the newest revision.
    pub at: [Option<i64>; 2],
    /// The prefix of the keys; `None` for the longest prefix that all keys have in common.
    pub prefix: Option<Vec<u8>>,
    /// A part of the listed keys. Upper and lower case are equal.
    pub text: String,
    /// The changes to list; `None` for all.
    pub change: Option<KeyChange>,
    /// The maximum number of keys in the list.
    pub limit: u32,
}

/// How a key changed from the earlier state to the later state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyChange {
    /// Only the later state has the key.
    Created,
    /// Only the earlier state has the key.
    Deleted,
    /// The states have different values.
    Changed,
    /// The states have the same value at different revisions.
    Rewritten,
}

impl KeyChange {
    pub const ALL: [Self; 4] = [Self::Created, Self::Deleted, Self::Changed, Self::Rewritten];

    /// Returns the name in a table of comma-separated values.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Deleted => "deleted",
            Self::Changed => "changed",
            Self::Rewritten => "rewritten",
        }
    }
}

/// The changes from one state to another. The state at the smaller revision comes first, whichever file it is from; at
/// equal revisions, the open file comes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonView {
    pub query: ComparisonQuery,
    pub sides: [ComparedSide; 2],
    pub history: History,
    /// The prefix of the counted keys.
    pub prefix: Vec<u8>,
    /// The groups of keys below the prefix, those with the most changes first.
    pub groups: Vec<ComparedGroup>,
    /// The number of groups that `groups` omits and the sum of their counts; `None` if no group is omitted.
    pub others: Option<(u64, ComparedGroup)>,
    /// The sum over all keys with the prefix.
    pub all: ComparedGroup,
    /// The kinds of the values of these keys, those with the most changes first.
    pub kinds: Vec<(KindOfValue, ComparedGroup)>,
    /// The first changed keys that match the query, in the order of the keys.
    pub keys: Vec<ChangedKey>,
    /// The number of changed keys that match the query.
    pub matches: u64,
}

/// One of the compared states, and the file that it is from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedSide {
    /// The name of the file.
    pub name: String,
    /// The compared revision.
    pub revision: i64,
    pub newest: i64,
    /// The compact revision; `None` if the store was never compacted.
    pub compacted: Option<i64>,
    /// The number of rows in the bucket `key`.
    pub rows: u64,
    /// The size of the file in bytes, including the SHA-256 hash at the end.
    pub bytes: u64,
    pub pages: u64,
    pub free_pages: u64,
    /// The hash that `endpoint hashkv --rev` prints at the newest revision that both files have; `None` if etcd does
    /// not compute it there, or if rows are missing.
    pub hash_kv: Option<u32>,
    pub is_damaged: bool,
}

/// The result of the comparison of the rows at each revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum History {
    /// Both states are from one file, which has one history.
    OneFile,
    /// Both files have the same rows from revision `first` to `last`.
    Same { first: i64, last: i64 },
    /// The files have the same rows from `first` to the revision before `at`, and different rows at `at`.
    Parts {
        first: i64,
        last: i64,
        at: i64,
        /// The rows of each file at `at`, at most [`LIST_MAX`](super::LIST_MAX).
        rows: [Vec<RevisionRow>; 2],
    },
    /// No revision is complete in both files: one file ends before the other was compacted.
    NothingInCommon,
    /// Rows are missing, because pages are damaged.
    Damaged,
}

/// A row of a revision at which two files part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevisionRow {
    pub text: String,
    pub is_delete: bool,
    /// The size of the value, in bytes.
    pub bytes: u64,
    pub version: i64,
}

/// The counts of a group of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedGroup {
    /// The prefix of the group, or the key; empty for a kind and for a sum.
    pub prefix: Vec<u8>,
    pub text: String,
    pub is_key: bool,
    /// The number of live keys in each state.
    pub keys: [u64; 2],
    /// The size of the rows of the live keys in each state, in bytes.
    pub bytes: [u64; 2],
    /// The number of keys with each change, in the order of [`KeyChange::ALL`].
    changes: [u64; 4],
}

impl ComparedGroup {
    /// Returns the number of keys that are different in the two states.
    pub fn changes(&self) -> u64 {
        self.changes.iter().sum()
    }

    /// Returns the number of keys with this change.
    pub fn count(&self, change: KeyChange) -> u64 {
        self.changes[change as usize]
    }

    pub(super) fn add(&mut self, change: Option<KeyChange>, bytes: [Option<u32>; 2]) {
        for (side, bytes) in bytes.into_iter().enumerate() {
            self.keys[side] += u64::from(bytes.is_some());
            self.bytes[side] += u64::from(bytes.unwrap_or_default());
        }
        if let Some(change) = change {
            self.changes[change as usize] += 1;
        }
    }
}

impl Group for ComparedGroup {
    fn new(prefix: &[u8], is_key: bool) -> Self {
        Self {
            prefix: prefix.to_vec(),
            text: Bytes::from(prefix).to_text(),
            is_key,
            ..Self::default()
        }
    }

    fn is_of(&self, prefix: &[u8], is_key: bool) -> bool {
        self.prefix == prefix && self.is_key == is_key
    }

    fn rank(&self) -> (u64, u64) {
        (self.changes(), self.bytes[0].max(self.bytes[1]))
    }

    fn add_group(&mut self, other: &Self) {
        let add = |mine: &mut [u64], others: &[u64]| {
            for (mine, other) in mine.iter_mut().zip(others) {
                *mine += other;
            }
        };
        add(&mut self.keys, &other.keys);
        add(&mut self.bytes, &other.bytes);
        add(&mut self.changes, &other.changes);
    }
}

/// A key that is different in the two states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedKey {
    pub key: Vec<u8>,
    pub text: String,
    pub change: KeyChange,
    /// The revision of the key's value in each state; `None` if the key does not exist in the state.
    pub revisions: [Option<Revision>; 2],
    /// The size of the key's row in each state, in bytes; 0 without a row.
    pub bytes: [u64; 2],
    /// The revision of the delete, if the later state still has the row of the delete.
    pub deleted: Option<i64>,
}

/// The values of a key in the two compared states, and how their texts differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueDifference {
    pub key: Vec<u8>,
    pub text: String,
    /// The names of the files and the compared revisions.
    pub sides: [(String, i64); 2],
    /// The values; `None` if the key does not exist in the state.
    pub values: [Option<Box<StoredValue>>; 2],
    /// The lines of both texts in order. Empty if a value is hidden.
    pub lines: Vec<(LineIn, String)>,
}

/// Which of two texts contains a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineIn {
    Both,
    First,
    Second,
}
