//! What happens to an object: as the cache keeps it, and as a client sees it.
//!
//! Mirrors `watchCacheEvent` in `cacher/watch_cache.go` and `watch.Event`. Upstream keeps labels and
//! fields beside both objects, so that they are found once; here they are part of the object.

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
    /// A delete.
    Deleted,
}

/// One change of one object, as the history keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchCacheEvent {
    /// The kind of change.
    pub kind: EventType,
    /// The object's key in etcd.
    pub key: Key,
    /// The object after the change; of a delete the last one, at the revision of the delete.
    pub object: Arc<Object>,
    /// The object before the change, if the cache contained it.
    pub prev_object: Option<Arc<Object>>,
    /// The revision of the change. Of a made-up event, which tells a watcher what is there
    /// already, the resource version of the cache: the object's own is older then.
    pub resource_version: u64,
    /// The time of the read from etcd.
    pub record_time: SimTime,
}

/// An element between the cache and its watchers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StoreElement {
    /// A change.
    Event(Arc<WatchCacheEvent>),
    /// No change: the cache has all events up to this resource version.
    Bookmark {
        /// The resource version of the cache.
        resource_version: u64,
    },
}

impl StoreElement {
    /// The resource version of the cache.
    pub fn resource_version(&self) -> u64 {
        match self {
            Self::Event(event) => event.resource_version,
            Self::Bookmark { resource_version } => *resource_version,
        }
    }
}
