//! Snapshots of the objects in a cache, one for each revision of the cache. The cache serves lists at an exact resource
//! version from these snapshots.
//!
//! Mirrors `cacher/store/snapshotter.go` (KEP-4988). The cache takes a snapshot after each event and each relist. The
//! cache receives every change of its resource, so the state at a revision is the newest snapshot at or below that
//! revision.

use im::OrdMap;

use crate::base::digest::Undigested;

use super::cache_store::OrderedLister;

/// The snapshots of the store by resource version.
///
/// ```
/// use watchglass_engine::apiserver::{CacheStore, StoreSnapshotter};
/// let store = CacheStore::new(&[]);
/// let mut snapshots = StoreSnapshotter::default();
/// for rv in [10, 20, 30] {
///     snapshots.add(rv, store.snapshot());
/// }
/// let found = |s: &StoreSnapshotter, rv| s.get_less_or_equal(rv).map(|(at, _)| at);
/// assert_eq!((found(&snapshots, 29), found(&snapshots, 9)), (Some(20), None));
/// snapshots.remove_less(30); // etcd was compacted at 30
/// assert_eq!((found(&snapshots, 29), found(&snapshots, 30)), (None, Some(30)));
/// ```
#[derive(Clone, Debug, Default, Hash)]
pub struct StoreSnapshotter {
    /// The hash omits the snapshots. The events up to a resource version determine the snapshot at this version, and
    /// hashing hundreds of snapshots would take too long.
    by_rv: OrdMap<u64, Undigested<OrderedLister>>,
}

impl StoreSnapshotter {
    pub fn reset(&mut self) {
        self.by_rv = OrdMap::new();
    }

    pub fn add(&mut self, resource_version: u64, store: OrderedLister) {
        self.by_rv.insert(resource_version, Undigested(store));
    }

    /// Returns the newest snapshot at or below a resource version, with the snapshot's own resource version.
    pub fn get_less_or_equal(&self, resource_version: u64) -> Option<(u64, &OrderedLister)> {
        self.by_rv
            .get_prev(&resource_version)
            .map(|(rv, store)| (*rv, &**store))
    }

    /// Removes the snapshots below a resource version.
    ///
    /// The newest removed snapshot was valid for all versions up to the next snapshot. As in Kubernetes, etcd serves
    /// lists at those versions from now on.
    pub fn remove_less(&mut self, resource_version: u64) {
        while let Some((oldest, _)) = self.by_rv.get_min().cloned() {
            if oldest >= resource_version {
                return;
            }
            self.by_rv.remove(&oldest);
        }
    }

    pub fn oldest(&self) -> Option<u64> {
        self.by_rv.get_min().map(|(rv, _)| *rv)
    }

    /// Returns the resource versions of all snapshots, in order.
    pub fn resource_versions(&self) -> impl Iterator<Item = u64> + '_ {
        self.by_rv.keys().copied()
    }

    pub fn len(&self) -> u64 {
        self.by_rv.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.by_rv.is_empty()
    }
}
