//! A change of an object, as the cache stores it and passes it on to its watchers.
//!
//! Mirrors `watchCacheEvent` in `cacher/watch_cache.go` and `watch.Event`. Upstream stores the labels and fields beside
//! both objects, to compute them only once. Here, the labels and fields are part of the object.

use std::sync::Arc;

use crate::base::time::SimTime;

use crate::kube::object::{Key, Object};

/// The kind of change that etcd reported for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// A put of a missing key.
    Added,
    /// A put of an existing key.
    Modified,
    Deleted,
}

/// A change of an object, as the history stores it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchCacheEvent {
    pub kind: EventType,
    pub key: Key,
    /// The object after the change; for a delete, the last object, at the revision of the delete.
    pub object: Arc<Object>,
    /// The object before the change, if the cache contained it.
    pub prev_object: Option<Arc<Object>>,
    /// The revision of the change. A synthetic event sends an existing object to a watcher. Such an event has the
    /// resource version of the cache, although the object's own resource version is older.
    pub resource_version: u64,
    /// The time at which the cache processed the event.
    pub record_time: SimTime,
}

/// An element that the cache passes on to its watchers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StoreElement {
    Event(Arc<WatchCacheEvent>),
    /// A bookmark, which contains no change: the cache has received all events up to this resource version.
    Bookmark {
        resource_version: u64,
    },
}

impl StoreElement {
    pub fn resource_version(&self) -> u64 {
        match self {
            Self::Event(event) => event.resource_version,
            Self::Bookmark { resource_version } => *resource_version,
        }
    }
}
