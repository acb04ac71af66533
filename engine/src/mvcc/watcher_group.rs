//! A group of watchers in the same state, indexed by key.
//!
//! Mirrors `watcherGroup` in `server/storage/mvcc/watcher_group.go`: watchers of a single key are stored in a map, and
//! watchers of a range in an interval tree. Watchers of equal ranges share an entry.

use crate::base::ordered::{OrdMap, OrdSet};

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::interval_tree::IntervalTree;

use super::watcher::{WatcherId, tree_end};

/// A group of watchers, indexed by key and range.
#[derive(Clone, Debug, Default, Hash)]
pub struct WatcherGroup {
    keys: OrdMap<Bytes, OrdSet<WatcherId>>,
    ranges: IntervalTree<OrdSet<WatcherId>>,
    all: OrdSet<WatcherId>,
}

impl WatcherGroup {
    pub fn add(&mut self, id: WatcherId, range: &KeyRange) {
        let fresh = self.all.insert(id).is_none();
        assert!(fresh, "a watcher is in a group at most once");
        match range {
            KeyRange::One(key) => {
                self.keys
                    .get_or_insert_with(key.clone(), OrdSet::new)
                    .insert(id);
            }
            KeyRange::From(begin) | KeyRange::Between(begin, _) => {
                self.ranges.entry(begin.clone(), tree_end(range)).insert(id);
            }
        }
    }

    /// Removes a watcher. Returns false if the group did not contain the watcher.
    pub fn remove(&mut self, id: WatcherId, range: &KeyRange) -> bool {
        if self.all.remove(&id).is_none() {
            return false;
        }
        match range {
            KeyRange::One(key) => {
                let here = self.keys.get_mut(key).expect("it was added under its key");
                here.remove(&id);
                if here.is_empty() {
                    self.keys.remove(key);
                }
            }
            KeyRange::From(begin) | KeyRange::Between(begin, _) => {
                let end = tree_end(range);
                let here = self.ranges.entry(begin.clone(), end.clone());
                here.remove(&id);
                if here.is_empty() {
                    self.ranges.remove(begin, end.as_ref());
                }
            }
        }
        true
    }

    pub fn watching<'a>(&'a self, key: &'a Bytes) -> impl Iterator<Item = WatcherId> + 'a {
        let by_key = self.keys.get(key).into_iter();
        by_key.chain(self.ranges.containing(key)).flatten().copied()
    }

    pub fn contains(&self, id: WatcherId) -> bool {
        self.all.contains(&id)
    }

    /// Returns all watchers, in the order of their creation.
    pub fn iter(&self) -> impl Iterator<Item = WatcherId> {
        self.all.iter().copied()
    }

    pub fn len(&self) -> u64 {
        self.all.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
