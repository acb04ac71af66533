//! What can happen to API servers, their caches, and those who ask them.

use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::{KubeAnswer, KubeRequest, KubeWatchEvent, Object, Reason, ServedBy};

/// What can happen on Kubernetes' side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KubeTrace {
    /// A cache begins to list everything of its resource.
    Lists {
        /// The API server.
        server: NodeId,
        /// The resource.
        resource: &'static str,
        /// Watches of clients that were ended for it.
        ended: u32,
    },
    /// It has the list: it can be used.
    Listed {
        /// The API server.
        server: NodeId,
        /// The resource.
        resource: &'static str,
        /// The list's revision.
        revision: u64,
        /// Objects in it.
        objects: u64,
    },
    /// A cache came to a new revision.
    CacheMoved {
        /// The API server.
        server: NodeId,
        /// The resource.
        resource: &'static str,
        /// Where it was.
        from: u64,
        /// Where it is.
        to: u64,
        /// By a progress notification; otherwise by an event.
        by_progress: bool,
        /// Events that left the history window to make room.
        evicted: u32,
        /// The capacity of the window before and after, when it changed.
        resized: Option<(u32, u32)>,
    },
    /// A cache lost its watch of etcd.
    CacheLost {
        /// The API server.
        server: NodeId,
        /// The resource.
        resource: &'static str,
        /// Why, in upstream's words.
        why: Arc<str>,
    },
    /// A cache requests a progress notification from etcd.
    ProgressAsked {
        /// The API server.
        server: NodeId,
        /// The resource.
        resource: &'static str,
        /// Reads that wait for it.
        waiting: u32,
    },
    /// A request reached an API server.
    Asked {
        /// The API server.
        server: NodeId,
        /// Its number for the request, unique in the server's life.
        id: u64,
        /// Who asks.
        client: NodeId,
        /// The client's number for it.
        call: u64,
        /// What is asked.
        request: Arc<KubeRequest>,
        /// Who is to serve it.
        by: ServedBy,
        /// Why.
        reason: Reason,
    },
    /// A request waits until the cache is new enough.
    Waits {
        /// The API server.
        server: NodeId,
        /// The request.
        id: u64,
        /// What the cache must come to.
        needed: u64,
        /// Where it is.
        cache_revision: u64,
        /// Until when it waits.
        deadline: SimTime,
    },
    /// It waited too long, and etcd is asked instead.
    FallsBack {
        /// The API server.
        server: NodeId,
        /// The request.
        id: u64,
    },
    /// A request was answered.
    Answered {
        /// The API server.
        server: NodeId,
        /// The request.
        id: u64,
        /// How.
        how: Answered,
    },
    /// A watch of a client began.
    WatchBegan {
        /// The API server.
        server: NodeId,
        /// The request's number, which is the watch's from now on.
        id: u64,
        /// Behind which resource version.
        from: u64,
        /// Whether it is sent first what is there.
        with_state: bool,
    },
    /// A watch of a client ended.
    WatchEnded {
        /// The API server.
        server: NodeId,
        /// The watch.
        id: u64,
        /// Why, for a person; the client sees the end of the stream only.
        why: &'static str,
    },
    /// An API server sent a bookmark.
    BookmarkSent {
        /// The API server.
        server: NodeId,
        /// The watch.
        id: u64,
        /// Its resource version.
        revision: u64,
    },
    /// A client asks an API server.
    Sends {
        /// The client.
        client: NodeId,
        /// The API server.
        server: NodeId,
        /// The client's number for it.
        call: u64,
        /// What is asked.
        request: Arc<KubeRequest>,
    },
    /// A client hears the answer.
    Hears {
        /// The client.
        client: NodeId,
        /// The API server.
        server: NodeId,
        /// The client's number for the request.
        call: u64,
        /// What is answered.
        answer: Arc<KubeAnswer>,
    },
    /// A client hears events of a watch.
    Events {
        /// The client.
        client: NodeId,
        /// The API server.
        server: NodeId,
        /// The client's number for the watch.
        call: u64,
        /// The events, oldest first.
        events: Arc<Vec<KubeWatchEvent>>,
    },
    /// The stream of a client's watch is over.
    StreamEnds {
        /// The client.
        client: NodeId,
        /// The client's number for the watch.
        call: u64,
        /// The server ended it; otherwise the connection broke.
        clean: bool,
    },
    /// A reflector has taken in a list.
    Replaced {
        /// The client.
        client: NodeId,
        /// The list's resource version.
        revision: u64,
        /// Objects in it.
        objects: u64,
        /// What it knew and the list does not have.
        gone: Arc<Vec<Arc<Object>>>,
    },
    /// A reflector's round is over; it waits before the next one.
    BacksOff {
        /// The client.
        client: NodeId,
        /// For how long.
        delay: SimDuration,
        /// Why, for a person.
        why: Arc<str>,
    },
    /// Handlers of an informer are told of something.
    Notified {
        /// The client.
        client: NodeId,
        /// What.
        what: KubeNotice,
    },
}

/// What handlers of an informer are told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubeNotice {
    /// `OnAdd`
    Add {
        /// The object.
        object: Arc<Object>,
        /// Whether it was there when the informer began.
        is_initial: bool,
    },
    /// `OnUpdate`
    Update {
        /// What it was.
        old: Arc<Object>,
        /// What it is.
        new: Arc<Object>,
    },
    /// `OnDelete`
    Delete {
        /// What it was.
        object: Arc<Object>,
        /// The delete itself was missed: a list came without it (`DeletedFinalStateUnknown`).
        is_final_state_unknown: bool,
    },
}

/// How a request was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// By whom.
    pub by: ServedBy,
    /// The HTTP code.
    pub code: u32,
    /// What was refused, in upstream's words.
    pub message: Arc<str>,
    /// The resource version that comes back.
    pub revision: Option<u64>,
    /// Objects that come back.
    pub items: u64,
    /// Objects that were looked at.
    pub fetched: u64,
    /// The index that found them.
    pub index: Option<Arc<str>>,
    /// It waited too long for the cache, and etcd was asked.
    pub fell_back: bool,
    /// The question for etcd's revision took so long.
    pub revision_took: SimDuration,
    /// The wait for the cache took so long.
    pub wait_took: SimDuration,
    /// Reads and writes of etcd took so long.
    pub etcd_took: SimDuration,
}
