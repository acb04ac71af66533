//! The part of the key index in memory that surrounds one key.

use super::tree::{KeyTree, kept};
use super::{IndexKey, IndexRow, KEYS_MAX};
use crate::base::Bytes;
use crate::mvcc::{BucketKey, KeyIndex, Revision, TreeIndex};

/// Returns the newest revision of a key, and whether this revision is a delete.
pub(super) fn newest(key: &KeyIndex) -> (Revision, bool) {
    let is_deleted = key
        .generations
        .last()
        .is_none_or(|last| last.revs.is_empty());
    (key.modified, is_deleted)
}

/// Returns the keys of the index near `key`. Without `key`, returns the first keys.
pub(super) fn row(index: &TreeIndex, key: Option<&Bytes>, tree: &KeyTree<'_>) -> IndexRow {
    let start = key.cloned().unwrap_or_default();
    let (before, after) = index.around(&start);
    // One additional key on each side shows whether more keys exist.
    let mut before: Vec<&KeyIndex> = before.take(KEYS_MAX + 1).collect();
    let after: Vec<&KeyIndex> = after.take(KEYS_MAX + 1).collect();
    // Takes half of the keys from each side, or more if the other side has fewer.
    let half = KEYS_MAX / 2;
    let behind = after.len().min(KEYS_MAX - before.len().min(half));
    let ahead = before.len().min(KEYS_MAX - behind);
    let (has_before, has_after) = (before.len() > ahead, after.len() > behind);
    before.truncate(ahead);
    let keys = before
        .into_iter()
        .rev()
        .chain(after.into_iter().take(behind));
    IndexRow {
        keys: keys.map(|key| index_key(key, tree)).collect(),
        has_before,
        has_after,
        total: index.len(),
    }
}

fn index_key(key: &KeyIndex, tree: &KeyTree<'_>) -> IndexKey {
    let (revision, is_deleted) = newest(key);
    let row = BucketKey {
        revision,
        tombstone: is_deleted,
    };
    IndexKey {
        key: kept(&key.key),
        name: super::page::shortened(&key.key.to_text()),
        revision: (revision.main, revision.sub),
        is_deleted,
        leaf: tree.leaf_of(row),
    }
}
