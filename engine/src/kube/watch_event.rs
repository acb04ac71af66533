//! What a client of a watch gets: events of objects, bookmarks, and a refusal at the end.
//!
//! Mirrors `watch.Event`.

use std::sync::Arc;

use super::object::Object;
use super::status::StatusError;

/// An event of a client's watch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeWatchEvent {
    /// An object that is new to the client.
    Added(Arc<Object>),
    /// An object that has changed.
    Modified(Arc<Object>),
    /// An object that it sees no more: deleted, or no longer selected.
    Deleted(Arc<Object>),
    /// No selected object has changed up to this resource version.
    Bookmark {
        /// The resource version that the watch has reached.
        resource_version: u64,
        /// Whether all that was there at the beginning has been sent
        /// (the annotation `k8s.io/initial-events-end`).
        initial_events_end: bool,
    },
    /// Everything that the watch selects, because the cache has lost its place and listed again: the
    /// proposal's `EtcdResync`. No API server sends it.
    Resync {
        /// The objects, in the order of their keys.
        items: Arc<Vec<Arc<Object>>>,
        /// The resource version of the cache.
        resource_version: u64,
    },
    /// The watch is over, and why. It travels in an answer of HTTP code 200.
    Error(StatusError),
}

impl KubeWatchEvent {
    /// Its name on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Added(_) => "ADDED",
            Self::Modified(_) => "MODIFIED",
            Self::Deleted(_) => "DELETED",
            Self::Bookmark { .. } => "BOOKMARK",
            Self::Resync { .. } => "EtcdResync",
            Self::Error(_) => "ERROR",
        }
    }

    /// The object of the event.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => Some(object),
            Self::Bookmark { .. } | Self::Resync { .. } | Self::Error(_) => None,
        }
    }

    /// Bytes of the objects in the event.
    pub fn object_bytes(&self) -> u64 {
        match self {
            Self::Resync { items, .. } => items.iter().map(|object| object.size_bytes).sum(),
            event => event.object().map_or(0, |object| object.size_bytes),
        }
    }

    /// The resource version that a client remembers from it; none of an error.
    pub fn resource_version(&self) -> Option<u64> {
        match self {
            Self::Bookmark {
                resource_version, ..
            }
            | Self::Resync {
                resource_version, ..
            } => Some(*resource_version),
            event => event.object().map(|object| object.resource_version),
        }
    }
}
