//! Trace events of API servers, their caches and their clients.

use std::fmt;
use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::{KubeAnswer, KubeRequest, KubeWatchEvent, Object, Reason, ServedBy};

/// The trace events of API servers, their caches and their clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KubeTrace {
    Lists {
        server: NodeId,
        resource: &'static str,
        /// The number of client watches that the cache ended because of the relist.
        ended: u32,
    },
    /// The cache received its list and is ready.
    Listed {
        server: NodeId,
        resource: &'static str,
        revision: u64,
        objects: u64,
    },
    /// A cache reached a new revision.
    CacheMoved {
        server: NodeId,
        resource: &'static str,
        from: u64,
        to: u64,
        /// True if a progress notification moved the cache to the new revision; false if an event did.
        by_progress: bool,
        /// The number of events that left the history window to make room.
        evicted: u32,
        /// The old and the new capacity of the history window; `None` if the capacity did not change.
        resized: Option<(u32, u32)>,
    },
    /// A cache lost its watch of etcd.
    CacheLost {
        server: NodeId,
        resource: &'static str,
        /// The reason, in upstream's words.
        why: Arc<str>,
    },
    Checked {
        server: NodeId,
        resource: &'static str,
        /// Whether the cache has the same objects as etcd at the revision of the cache.
        is_consistent: bool,
    },
    /// A cache requests a progress notification from etcd.
    ProgressAsked {
        server: NodeId,
        resource: &'static str,
        /// The number of reads that wait for the cache.
        waiting: u32,
    },
    /// A request reached an API server.
    Asked {
        server: NodeId,
        /// The number that the server gave to the request, unique while the server exists.
        id: u64,
        client: NodeId,
        /// The number that the client gave to the request.
        call: u64,
        request: Arc<KubeRequest>,
        by: ServedBy,
        /// The reason why this component serves the request.
        reason: Reason,
    },
    /// A request waits until the cache is new enough.
    Waits {
        server: NodeId,
        /// The number that the server gave to the request.
        id: u64,
        /// The required revision of the cache.
        needed: u64,
        cache_revision: u64,
        deadline: SimTime,
    },
    /// The wait timed out; etcd serves the request.
    FallsBack {
        server: NodeId,
        /// The number that the server gave to the request.
        id: u64,
    },
    /// An API server sent the response to a request.
    Answered {
        server: NodeId,
        /// The number that the server gave to the request.
        id: u64,
        how: Answered,
    },
    WatchBegan {
        server: NodeId,
        /// The number that the server gave to the request and to its watch.
        id: u64,
        /// The resource version after which the watch starts.
        from: u64,
        /// Whether the watch starts with all current objects.
        with_state: bool,
    },
    WatchEnded {
        server: NodeId,
        /// The number that the server gave to the watch.
        id: u64,
        /// The reason. The client does not receive this reason, only the end of the stream.
        why: WatchEnd,
    },
    BookmarkSent {
        server: NodeId,
        /// The number that the server gave to the watch.
        id: u64,
        revision: u64,
    },
    /// A client sends a request to an API server.
    Sends {
        client: NodeId,
        server: NodeId,
        /// The number that the client gave to the request.
        call: u64,
        request: Arc<KubeRequest>,
    },
    /// A client receives the response.
    Hears {
        client: NodeId,
        server: NodeId,
        /// The number that the client gave to the request.
        call: u64,
        is_typed: bool,
        answer: Arc<KubeAnswer>,
    },
    /// A client receives events of a watch.
    Events {
        client: NodeId,
        server: NodeId,
        /// The number that the client gave to the watch.
        call: u64,
        /// The events, oldest first.
        events: Arc<Vec<KubeWatchEvent>>,
    },
    /// The stream of a client's watch ended.
    StreamEnds {
        client: NodeId,
        /// The number that the client gave to the watch.
        call: u64,
        /// True if the server ended the stream; false if the connection broke.
        clean: bool,
    },
    /// A reflector replaced its objects with a list.
    Replaced {
        client: NodeId,
        revision: u64,
        objects: u64,
        /// The objects that the client knew and that the list does not contain.
        gone: Arc<Vec<Arc<Object>>>,
    },
    /// A reflector's attempt to list and watch ended, and the reflector waits before its next attempt.
    BacksOff {
        client: NodeId,
        delay: SimDuration,
        why: BackOffReason,
    },
    /// A kubelet starts or stops a container.
    Container {
        /// The client that simulates the kubelet.
        client: NodeId,
        change: ContainerChange,
    },
    /// An informer notifies its event handlers.
    Notified { client: NodeId, what: KubeNotice },
    /// An API server starts, either with a second etcd that stores only the Event objects, or without a second etcd.
    EventsEtcd {
        server: NodeId,
        /// Whether the API server stores the Event objects in the second etcd.
        is_own: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// The client's connection broke, or the client canceled the watch.
    ClientGone,
    /// The client did not read fast enough.
    TooSlow,
    /// The history of the cache no longer contains the next event.
    EventLost,
    CacheLost,
    /// etcd ended the etcd watch from which the API server served the client's watch.
    EtcdEnded,
    /// etcd sent an event without the previous object, because that object is compacted.
    NoPreviousObject,
    /// The time limit of the watch is over.
    TimedOut,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BackOffReason {
    /// The connection broke, or was refused.
    NoConnection,
    /// A watch ended before the server had sent all existing objects.
    StreamEnded,
    /// An error, in upstream's words.
    Error(Arc<str>),
}

/// Formats the reason as the terminal prints it.
impl fmt::Display for BackOffReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoConnection => "no connection",
            Self::StreamEnded => "the stream ended early",
            Self::Error(error) => error,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Container {
    /// The pod, as `namespace/name`.
    pub pod: Arc<str>,
    /// The uid of the pod. A pod that was deleted and created again has another uid.
    pub uid: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContainerChange {
    Started(Container),
    Stopped(Container),
}

/// A notification that an informer sends to its event handlers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeNotice {
    /// `OnAdd`: an object appeared.
    Add {
        object: Arc<Object>,
        /// Whether the object existed when the informer started.
        is_initial: bool,
    },
    /// `OnUpdate`: an object changed.
    Update { old: Arc<Object>, new: Arc<Object> },
    /// `OnDelete`: an object is gone.
    Delete {
        /// The last known object.
        object: Arc<Object>,
        /// Whether the informer missed the delete and only noticed that a list did not contain the object
        /// (`DeletedFinalStateUnknown`).
        is_final_state_unknown: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub by: ServedBy,
    pub code: u32,
    /// Upstream's error message; empty without an error.
    pub message: Arc<str>,
    pub revision: Option<u64>,
    pub items: u64,
    /// The number of objects that the server examined to find the objects of the response.
    pub fetched: u64,
    /// The index that the server used to find the objects; `None` if it used no index.
    pub index: Option<Arc<str>>,
    /// Whether the wait for the cache timed out and etcd served the request.
    pub fell_back: bool,
    /// The duration of the request for etcd's revision.
    pub revision_took: SimDuration,
    /// The duration of the wait for the cache.
    pub wait_took: SimDuration,
    /// The duration of reads and writes in etcd.
    pub etcd_took: SimDuration,
    /// The work of converting the objects of the response.
    pub convert: SimDuration,
    /// The work of collecting the memory of the response.
    pub collect: SimDuration,
    /// The seats that the request occupied; 0 if the server does not count seats.
    pub seats: u64,
    /// The time that the request waited for its seats.
    pub queue_took: SimDuration,
}
