//! Requests of clients that an API server has not answered yet, and watches that it serves.

use std::sync::Arc;

use crate::api::Request;
use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::KubeRequest;

use super::cache_watcher::CacheWatcherId;
use super::freshness::CallId;
use super::list::Listing;
use super::routing::{Meaning, Route};
use crate::kube::ServedBy;
use crate::kube::object::{Key, Object};

/// A request that is being served.
#[derive(Clone, Debug, Hash)]
pub(super) struct InFlight {
    pub(super) from: NodeId,
    /// The client's number for the request.
    pub(super) call: u64,
    pub(super) request: Arc<KubeRequest>,
    pub(super) came: SimTime,
    pub(super) route: Option<Route>,
    pub(super) by: ServedBy,
    pub(super) fell_back: bool,
    pub(super) revision_took: SimDuration,
    pub(super) wait_took: SimDuration,
    /// Since when etcd is at it, and how long it took before.
    pub(super) etcd_since: Option<SimTime>,
    /// The wait already reported to observers.
    pub(super) needed: u64,
    /// A list of etcd so far.
    pub(super) listing: Option<EtcdList>,
}

/// A list that etcd serves, page by page.
#[derive(Clone, Debug, Hash)]
pub(super) struct EtcdList {
    pub(super) listing: Listing,
    pub(super) meaning: Meaning,
    /// The revision of all pages; 0 before the first page.
    pub(super) revision: u64,
    pub(super) page: i64,
    pub(super) items: Vec<Arc<Object>>,
    pub(super) fetched: u64,
    pub(super) fetched_bytes: u64,
}

/// A question to etcd.
#[derive(Clone, Debug, Hash)]
pub(super) struct Call {
    pub(super) what: CallFor,
    pub(super) request: Arc<Request>,
}

/// Why etcd is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CallFor {
    /// A cache lists.
    CacherList(&'static str),
    /// Reads require the current revision.
    Revision(&'static str, CallId),
    /// A watch requires the current revision.
    WatchRevision(u64),
    /// A request is read from etcd, or written to it.
    Request(u64),
    /// The member's version.
    Version,
    /// The compactor tries to win the round.
    CompactTurn,
    /// The compactor compacts etcd.
    Compact,
}

/// A watch of a client.
#[derive(Clone, Debug, Hash)]
pub(super) struct ClientWatch {
    pub(super) from: NodeId,
    pub(super) call: u64,
    pub(super) request: Arc<KubeRequest>,
    pub(super) what: WatchKind,
    /// Bytes sent that the client has not read.
    pub(super) unread: u64,
    pub(super) sent: u64,
    /// The revision up to which the watch received all events.
    pub(super) revision: u64,
    pub(super) deadline: SimTime,
}

/// The source of the watch's events.
#[derive(Clone, Debug, Hash)]
pub(super) enum WatchKind {
    /// The cache.
    Cached {
        watcher: CacheWatcherId,
        /// The key to watch in etcd if there were no cache.
        key: Key,
    },
    /// A watch of etcd of its own, by name; none while it still lists.
    Storage { name: Arc<str> },
}
