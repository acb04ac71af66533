//! What happens to an object: as the cache keeps it, and as a client sees it.
//!
//! Mirrors `watchCacheEvent` in `cacher/watch_cache.go` and `watch.Event`. Upstream keeps labels and
//! fields beside both objects, so that they are found once; here they are part of the object.

use std::sync::Arc;

use crate::base::digest::Digest;
use crate::base::time::SimTime;

use super::object::{Key, Object};
use super::status::StatusError;

/// What etcd said of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// It was put and was not there.
    Added,
    /// It was put and was there.
    Modified,
    /// It was deleted.
    Deleted,
}

/// One change of one object, as the history keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A change.
    Event(Arc<WatchCacheEvent>),
    /// No change: the cache has heard of everything up to here.
    Bookmark {
        /// Where it is.
        resource_version: u64,
    },
}

/// What a client of a watch gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    /// An object that it did not see before.
    Added(Arc<Object>),
    /// An object that has changed.
    Modified(Arc<Object>),
    /// An object that it sees no more: deleted, or no longer selected.
    Deleted(Arc<Object>),
    /// Nothing it selects has happened up to here.
    Bookmark {
        /// How far it has come.
        resource_version: u64,
        /// Whether all that was there at the beginning has been sent
        /// (the annotation `k8s.io/initial-events-end`).
        initial_events_end: bool,
    },
    /// The watch is over, and why. It travels in an answer of HTTP code 200.
    Error(StatusError),
}

impl Entry {
    /// Where the cache was.
    pub fn resource_version(&self) -> u64 {
        match self {
            Self::Event(event) => event.resource_version,
            Self::Bookmark { resource_version } => *resource_version,
        }
    }

    /// Adds it to a digest.
    pub fn digest(&self, d: &mut Digest) {
        match self {
            Self::Event(event) => event.digest(d),
            Self::Bookmark { resource_version } => {
                d.u64(9);
                d.u64(*resource_version);
            }
        }
    }
}

impl WatchCacheEvent {
    /// Adds it to a digest.
    pub fn digest(&self, d: &mut Digest) {
        d.u64(match self.kind {
            EventType::Added => 1,
            EventType::Modified => 2,
            EventType::Deleted => 3,
        });
        d.bytes(self.key.as_bytes());
        d.u64(self.resource_version);
        d.u64(self.record_time.0);
        self.object.digest(d);
    }
}

impl WatchEvent {
    /// Its name on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Added(_) => "ADDED",
            Self::Modified(_) => "MODIFIED",
            Self::Deleted(_) => "DELETED",
            Self::Bookmark { .. } => "BOOKMARK",
            Self::Error(_) => "ERROR",
        }
    }

    /// The resource version that a client remembers from it; none of an error.
    pub fn resource_version(&self) -> Option<u64> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => {
                Some(object.resource_version)
            }
            Self::Bookmark {
                resource_version, ..
            } => Some(*resource_version),
            Self::Error(_) => None,
        }
    }

    /// Adds it to a digest.
    pub fn digest(&self, d: &mut Digest) {
        d.bytes(self.type_name().as_bytes());
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => {
                object.digest(d);
            }
            Self::Bookmark {
                resource_version,
                initial_events_end,
            } => {
                d.u64(*resource_version);
                d.u64(u64::from(*initial_events_end));
            }
            Self::Error(error) => d.bytes(error.to_string().as_bytes()),
        }
    }
}
