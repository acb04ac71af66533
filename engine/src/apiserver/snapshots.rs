//! Copies of the store, one for each of its revisions, for lists at an exact resource version.
//!
//! Mirrors `cacher/store/snapshotter.go` (KEP-4988). A snapshot is taken after each event and each
//! relist. As the cache hears of every change of its resource, the state at a revision is the one of
//! the greatest snapshot at or below it.

use im::OrdMap;

use crate::base::digest::Undigested;

use super::cache_store::OrderedLister;

/// Copies of the store by resource version.
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
    /// A copy follows from the events up to its resource version, and to hash hundreds of them would take long.
    by_rv: OrdMap<u64, Undigested<OrderedLister>>,
}

impl StoreSnapshotter {
    /// Forgets all.
    pub fn reset(&mut self) {
        self.by_rv = OrdMap::new();
    }

    /// Keeps a snapshot of the store at a resource version.
    pub fn add(&mut self, resource_version: u64, store: OrderedLister) {
        self.by_rv.insert(resource_version, Undigested(store));
    }

    /// The newest snapshot at or below a resource version, and at which it was taken.
    pub fn get_less_or_equal(&self, resource_version: u64) -> Option<(u64, &OrderedLister)> {
        self.by_rv
            .get_prev(&resource_version)
            .map(|(rv, store)| (*rv, &**store))
    }

    /// Forgets the snapshots below a resource version.
    ///
    /// The newest of them goes, too, although it would be right for what lies between it and the
    /// next one: upstream asks etcd for that.
    pub fn remove_less(&mut self, resource_version: u64) {
        while let Some((oldest, _)) = self.by_rv.get_min().cloned() {
            if oldest >= resource_version {
                return;
            }
            self.by_rv.remove(&oldest);
        }
    }

    /// The resource version of the oldest snapshot.
    pub fn oldest(&self) -> Option<u64> {
        self.by_rv.get_min().map(|(rv, _)| *rv)
    }

    /// The resource versions of all snapshots, in order.
    pub fn resource_versions(&self) -> impl Iterator<Item = u64> + '_ {
        self.by_rv.keys().copied()
    }

    /// The number of snapshots.
    pub fn len(&self) -> u64 {
        self.by_rv.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_rv.is_empty()
    }
}
