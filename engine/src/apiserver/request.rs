//! The pending requests of an API server's clients, and the watches that the server serves.

use std::sync::Arc;

use crate::api::Request;
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::KubeRequest;

use super::cache_watcher::CacheWatcherId;
use super::config::Endpoint;
use super::flow_control::Seating;
use super::freshness::CallId;
use super::list::Listing;
use super::routing::{Meaning, Route};
use crate::kube::ServedBy;
use crate::kube::object::{Key, Object};

/// A client's request that has no response yet.
#[derive(Clone, Debug, Hash)]
pub(super) struct InFlight {
    pub(super) from: NodeId,
    pub(super) call: u64,
    pub(super) request: Arc<KubeRequest>,
    pub(super) received: SimTime,
    pub(super) route: Option<Route>,
    pub(super) by: ServedBy,
    pub(super) fell_back: bool,
    pub(super) revision_took: SimDuration,
    pub(super) wait_took: SimDuration,
    /// The time at which the server started to serve the request from etcd; `None` if the server has not used etcd for
    /// the request.
    pub(super) etcd_since: Option<SimTime>,
    /// The time that etcd took to serve the request; set when etcd's last response arrives.
    pub(super) etcd_took: SimDuration,
    /// The required revision that the server last reported in the trace; 0 before the first report.
    pub(super) needed: u64,
    /// The pages received from etcd, if the request is a list that etcd serves.
    pub(super) listing: Option<EtcdList>,
    /// The seats of the request, if the server counts seats.
    pub(super) seating: Sparse<Seating>,
    /// The progress of a write that consists of several requests to etcd.
    pub(super) write: Sparse<WriteProgress>,
}

#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub(super) struct WriteProgress {
    pub(super) phase: WritePhase,
    /// Whether the object that the server changes is the current object, read from etcd, and not the cached object.
    pub(super) is_current: bool,
    /// The object as the server wrote it, or as it was before its removal.
    pub(super) written: Option<Arc<Object>>,
}

/// The phase of a write, which determines the meaning of etcd's next response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum WritePhase {
    /// The server reads or writes the object of the request.
    #[default]
    Change,
    /// A create reads the namespace of the new object.
    FindNamespace,
    /// A delete reads its object.
    FindObject,
    /// The first step of a deletion stores the end of the grace period.
    Terminate,
    /// The last step of a deletion removes the object.
    Remove,
    /// A delete removes an object that cannot be decoded.
    RemoveCorrupt,
}

/// A list that etcd serves, page by page.
#[derive(Clone, Debug, Hash)]
pub(super) struct EtcdList {
    pub(super) listing: Listing,
    pub(super) meaning: Meaning,
    /// The revision at which etcd reads all pages of the list; 0 before the first page.
    pub(super) revision: u64,
    pub(super) page: i64,
    pub(super) items: Vec<Arc<Object>>,
    pub(super) fetched: u64,
    pub(super) fetched_bytes: u64,
    /// Whether etcd has not reached `revision`. The server then asks for etcd's current revision, for the error.
    pub(super) is_of_future: Sparse<bool>,
}

/// A request that the server sent to etcd and that has no response yet.
#[derive(Clone, Debug, Hash)]
pub(super) struct Call {
    pub(super) what: CallReason,
    pub(super) request: Arc<Request>,
    pub(super) to: Endpoint,
    pub(super) failed: Sparse<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CallReason {
    /// A cache lists its resource.
    CacherList(&'static str),
    /// Reads need etcd's current revision.
    Revision(&'static str, CallId),
    /// A watch needs etcd's current revision.
    WatchRevision(u64),
    /// A client's request reads from etcd or writes to etcd.
    Request(u64),
    /// The server compares a cache with etcd.
    Check(&'static str),
    /// The server needs etcd's version.
    Version,
    /// The compactor tries to start the next compaction round before the compactors of the other servers.
    CompactTurn,
    /// The compactor compacts etcd at this revision.
    Compact(i64),
    /// The server reads the key that announces compactions, before it watches the key.
    CompactRev,
}

#[derive(Clone, Debug, Hash)]
pub(super) struct ClientWatch {
    pub(super) from: NodeId,
    pub(super) call: u64,
    pub(super) request: Arc<KubeRequest>,
    pub(super) what: WatchKind,
    /// The number of sent bytes that the client has not read.
    pub(super) unread: u64,
    pub(super) sent: u64,
    /// The revision up to which the watch received all events.
    pub(super) revision: u64,
    pub(super) deadline: SimTime,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum WatchKind {
    Cached {
        watcher: CacheWatcherId,
        /// The key or prefix that the client would watch in etcd if the resource had no cache.
        key: Key,
    },
    /// A separate etcd watch with this name sends the events.
    Storage { name: Arc<str> },
}
