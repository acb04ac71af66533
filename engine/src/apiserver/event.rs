//! What happens to an object: as the cache keeps it, and as a client sees it.
//!
//! Mirrors `watchCacheEvent` in `cacher/watch_cache.go` and `watch.Event`. Upstream keeps labels and
//! fields beside both objects, so that they are found once; here they are part of the object.

use std::sync::Arc;

use crate::base::time::SimTime;

use crate::kube::object::{Key, Object};

/// What etcd said of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// It was put and was not there.
    Added,
    /// It was put and was there.
    Modified,
    /// It was deleted.
    Deleted,
}

/// One change of one object, as the history keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchCacheEvent {
    /// What happened.
    pub kind: EventType,
    /// The object's key in etcd.
    pub key: Key,
    /// The object after the change; of a delete the last one, at the revision of the delete.
    pub object: Arc<Object>,
    /// The object before the change, if the cache had one.
    pub prev_object: Option<Arc<Object>>,
    /// The revision of the change. Of a made-up event, which tells a watcher what is there
    /// already, the resource version of the cache: the object's own is older then.
    pub resource_version: u64,
    /// When it was read from etcd.
    pub record_time: SimTime,
}

/// What is on its way from the cache to its watchers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StoreElement {
    /// A change.
    Event(Arc<WatchCacheEvent>),
    /// No change: the cache has heard of everything up to here.
    Bookmark {
        /// Where it is.
        resource_version: u64,
    },
}

impl StoreElement {
    /// Where the cache was.
    pub fn resource_version(&self) -> u64 {
        match self {
            Self::Event(event) => event.resource_version,
            Self::Bookmark { resource_version } => *resource_version,
        }
    }
}
