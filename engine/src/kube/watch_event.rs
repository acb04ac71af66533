//! The events that a watch sends to its client: changes of objects, bookmarks, and an error as the last event.
//!
//! Mirrors `watch.Event`.

use std::sync::Arc;

use super::object::Object;
use super::status::StatusError;

/// An event that a watch sends to its client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeWatchEvent {
    /// An object that is new to the client.
    Added(Arc<Object>),
    Modified(Arc<Object>),
    /// An object that the watch no longer includes, because it was deleted or is no longer selected.
    Deleted(Arc<Object>),
    /// No selected object has changed between the previous event and this resource version.
    Bookmark {
        resource_version: u64,
        /// Whether this bookmark ends the initial events (the annotation `k8s.io/initial-events-end`).
        initial_events_end: bool,
    },
    /// All objects that the watch selects. The cache sends this event after a relist, when it has lost its position in
    /// etcd's history. A proposal calls this event `EtcdResync`. No release of the API server sends this event.
    Resync {
        /// The objects, in the order of their keys.
        items: Arc<Vec<Arc<Object>>>,
        resource_version: u64,
    },
    /// The reason why the watch ended. This event is part of a response with HTTP code 200.
    Error(StatusError),
}

impl KubeWatchEvent {
    /// Returns the type of the event in the protocol, for example `ADDED`.
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

    /// Returns the object of the event, or `None` if the event has no single object.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => Some(object),
            Self::Bookmark { .. } | Self::Resync { .. } | Self::Error(_) => None,
        }
    }

    /// Returns the total size of the objects in the event, in bytes.
    pub fn object_bytes(&self) -> u64 {
        match self {
            Self::Resync { items, .. } => items.iter().map(|object| object.size_bytes).sum(),
            event => event.object().map_or(0, |object| object.size_bytes),
        }
    }

    /// Returns the resource version that a client stores after this event, or `None` for an error.
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
