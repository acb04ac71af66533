//! The in-memory index: every key with its [`KeyIndex`], ordered by key bytes.
//!
//! Mirrors `server/storage/mvcc/index.go`. Upstream's tree is a B-tree of degree 32 with a lock. The simulator uses a
//! persistent ordered map, so that the copies of the store that a session keeps share their unchanged parts. Deleted
//! keys stay in the index and slow down scans until a compaction removes the keys.

use std::ops::Bound;
use std::sync::Arc;

use im::OrdMap;

use crate::api::Profile;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;

use super::key_index::{FoundRevision, KeyIndex, Placed, RevisionNotFound};
use super::revision::Revision;

/// The index of all keys of the store, including deleted keys that have not been compacted.
///
/// ```
/// use watchglass_engine::{base::bytes::KeyRange, mvcc::{Revision, TreeIndex}};
/// let mut index = TreeIndex::default();
/// index.put("a".into(), Revision::new(2, 0));
/// index.put("b".into(), Revision::new(3, 0));
/// let all = KeyRange::From("\0".into());
/// let (revs, total) = index.revisions(&all, 3, 1);
/// assert_eq!((revs, total), (vec![Revision::new(2, 0)], 2)); // the total ignores the limit
/// ```
#[derive(Clone, Debug, Default, Hash)]
pub struct TreeIndex {
    tree: OrdMap<Bytes, Arc<KeyIndex>>,
}

impl TreeIndex {
    /// Adds a put of `key`. Returns the position of the put in the key's history.
    pub fn put(&mut self, key: Bytes, rev: Revision) -> Placed {
        if let Some(index) = self.get_mut(&key) {
            return index.put(rev);
        }
        let mut index = KeyIndex::new(key);
        let placed = index.put(rev);
        self.insert(index);
        placed
    }

    /// Adds a delete of `key`. Returns the position of the tombstone in the key's history.
    pub fn tombstone(&mut self, key: &Bytes, rev: Revision) -> Result<Placed, RevisionNotFound> {
        let index = self.get_mut(key).ok_or(RevisionNotFound)?;
        index.tombstone(rev)
    }

    /// Returns the mutable history of `key`. If a clone of the tree shares the history, this method copies the history
    /// first.
    pub(super) fn get_mut(&mut self, key: &Bytes) -> Option<&mut KeyIndex> {
        self.tree.get_mut(key).map(Arc::make_mut)
    }

    /// Returns the index entry of `key` at `at_rev`, or `None` if the key did not exist.
    pub fn get(&self, key: &Bytes, at_rev: i64) -> Option<FoundRevision> {
        self.tree.get(key)?.get(at_rev)
    }

    pub fn key_index(&self, key: &Bytes) -> Option<&KeyIndex> {
        self.tree.get(key).map(|ki| &**ki)
    }

    /// Inserts the index of a key, or replaces the key's existing index (start-up only).
    pub fn insert(&mut self, index: KeyIndex) {
        self.tree.insert(index.key.clone(), Arc::new(index));
    }

    /// Returns two iterators: one over the keys before `key`, nearest first, and one over `key` and the keys after
    /// `key`. Both include deleted keys.
    pub fn around(
        &self,
        key: &Bytes,
    ) -> (
        impl Iterator<Item = &KeyIndex>,
        impl Iterator<Item = &KeyIndex>,
    ) {
        let before = self.tree.range(..key.clone()).rev();
        let after = self.tree.range(key.clone()..);
        (before.map(|(_, ki)| &**ki), after.map(|(_, ki)| &**ki))
    }

    /// Returns an iterator over the keys in the range in key order, including deleted keys.
    pub fn visit(&self, range: &KeyRange) -> impl Iterator<Item = &KeyIndex> {
        let end = match range {
            KeyRange::One(k) => Bound::Included(k.clone()),
            KeyRange::From(_) => Bound::Unbounded,
            KeyRange::Between(_, e) => Bound::Excluded(e.clone()),
        };
        let bounds = (Bound::Included(range.start().clone()), end);
        // An inverted range contains no keys. The map's iterator would panic on such a range.
        let bounds = (!range.is_empty()).then_some(bounds);
        bounds
            .into_iter()
            .flat_map(|b| self.tree.range(b))
            .map(|(_, ki)| &**ki)
    }

    /// Returns the keys in the range that exist at `at_rev`, in key order, each with its index entry at `at_rev`.
    pub fn live<'a>(
        &'a self,
        range: &'a KeyRange,
        at_rev: i64,
    ) -> impl Iterator<Item = (&'a KeyIndex, FoundRevision)> + 'a {
        self.visit(range)
            .filter_map(move |ki| ki.get(at_rev).map(|found| (ki, found)))
    }

    /// Returns the revisions of the rows that a read of the range at `at_rev` returns (at most `limit` if `limit` is
    /// positive), and the number of keys that a read without the limit would return. A limit does not make the call
    /// cheaper, because all keys of the range are counted.
    pub fn revisions(&self, range: &KeyRange, at_rev: i64, limit: i64) -> (Vec<Revision>, i64) {
        let mut revs = Vec::new();
        let mut total = 0;
        for (_, found) in self.live(range, at_rev) {
            if limit <= 0 || total < limit {
                revs.push(found.modified);
            }
            total += 1;
        }
        (revs, total)
    }

    /// Returns the revisions of the rows that a read of the range at `at_rev` returns, like
    /// [`revisions`](Self::revisions), but ends the search at the limit.
    pub fn first_revisions(&self, range: &KeyRange, at_rev: i64, limit: i64) -> Vec<Revision> {
        let live = self.live(range, at_rev).map(|(_, found)| found.modified);
        match usize::try_from(limit) {
            Ok(limit) if limit > 0 => live.take(limit).collect(),
            _ => live.collect(),
        }
    }

    /// Returns the number of keys in the range that exist at `at_rev`.
    pub fn count_revisions(&self, range: &KeyRange, at_rev: i64) -> i64 {
        self.live(range, at_rev).count() as i64
    }

    /// Compacts all keys at `rev` and removes keys that have no revisions left. Returns the revisions at or before
    /// `rev` whose rows must stay, in ascending order.
    pub fn compact(&mut self, rev: i64, profile: Profile) -> Vec<Revision> {
        let mut available = Vec::new();
        let mut gone = Vec::new();
        // Upstream walks a clone of its tree, so that writers can continue during the walk. Here, no write occurs
        // during the walk, so a list of the keys is sufficient. A clone would force every change to copy a part of the
        // tree. A generation created after `rev` has no revisions to drop.
        let old_enough: Vec<Bytes> = self
            .tree
            .iter()
            .filter(|(_, ki)| ki.generations[0].created.main <= rev)
            .map(|(key, _)| key.clone())
            .collect();
        for key in old_enough {
            let index = self.get_mut(&key).expect("the key was listed above");
            index.compact(rev, profile, &mut available);
            if index.is_empty() {
                gone.push(key);
            }
        }
        for key in gone {
            self.tree.remove(&key);
        }
        available.sort_unstable();
        available
    }

    /// Returns the revisions that a compaction at `rev` would keep, without tombstones, in ascending order.
    pub fn keep(&self, rev: i64, profile: Profile) -> Vec<Revision> {
        let mut kept: Vec<_> = self
            .tree
            .values()
            .filter_map(|ki| ki.keep(rev, profile))
            .collect();
        kept.sort_unstable();
        kept
    }

    /// Returns the number of keys in the index, including deleted keys.
    pub fn len(&self) -> u64 {
        self.tree.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &KeyIndex> {
        self.tree.values().map(|ki| &**ki)
    }
}
