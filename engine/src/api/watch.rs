//! The messages of the watch service, in both directions of a stream.
//!
//! Mirrors `WatchRequest` and `WatchResponse` of `api/etcdserverpb/rpc.proto`, and
//! `mvccpb.Event`.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::base::Bytes;
use crate::base::digest::Sparse;

use super::kv::{KeyValue, ResponseHeader};

/// A message that a client sends on a watch stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WatchRequest {
    Create(WatchCreateRequest),
    Cancel {
        watch_id: i64,
    },
    /// Request a progress notification for the whole stream.
    Progress {
        /// An ID that the progress notification should return. KEP-2340 proposes this field; no version of etcd
        /// supports it.
        echo: Option<u64>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchCreateRequest {
    pub key: Bytes,
    /// The end of the range, as in a range request: empty for a single key, `\0` for all keys from `key` on.
    pub range_end: Bytes,
    /// The start revision; 0 for new events only.
    pub start_revision: i64,
    /// Send a progress notification at regular intervals if the watch has no events.
    pub progress_notify: bool,
    pub no_put: bool,
    pub no_delete: bool,
    pub prev_kv: bool,
    /// The requested ID on this stream; if it is 0, etcd chooses the ID.
    pub watch_id: i64,
    /// Split a response that is too large into several parts.
    pub fragment: bool,
    pub leader: LeaderNeed,
    /// The token of the client. In etcd, the metadata of the stream contains the token.
    pub token: Sparse<Option<Arc<str>>>,
}

/// The reason for the end of a watch whose token is not valid. The client library then opens a new stream with a new
/// token.
pub const INVALID_TOKEN: &str = "etcdserver: invalid auth token";

/// The reason for the end of a watch if users or roles have changed. The client library handles it like an invalid
/// token.
pub const OLD_REVISION: &str = "etcdserver: revision of auth store is old";

/// Whether a stream ends if its member knows no leader (`WithRequireLeader`). In etcd, the metadata of the stream
/// contains this flag, so watches with different flags use different streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaderNeed {
    /// The stream continues, but its watches receive nothing until the member has a leader again. The client library
    /// uses this variant by default.
    #[default]
    NotRequired,
    /// The stream ends after three election timeouts without a leader. etcdctl requires a leader.
    Required,
}

// The hash omits the flag, because the flag has no effect in a cluster with a single member.
impl Hash for LeaderNeed {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A message that a member sends on a watch stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchResponse {
    /// A progress notification states that the watch has received all events up to this revision.
    pub header: ResponseHeader,
    /// The ID of the watch on this stream; -1 for no watch or for all watches. A canceled response with -1 is either
    /// the response to a create request, or represents the gRPC status that ends the stream.
    pub watch_id: i64,
    /// Whether this is the response to a create request.
    pub created: bool,
    pub canceled: bool,
    /// The oldest readable revision, if the watch ended because the next revision to send was compacted; otherwise 0.
    pub compact_revision: i64,
    /// The reason why the watch ended or could not start.
    pub cancel_reason: String,
    /// Whether more parts of this response follow.
    pub fragment: bool,
    /// The ID from the progress request ([`WatchRequest::Progress`]).
    pub echo: Option<u64>,
    /// The events, oldest first.
    pub events: Vec<WatchEvent>,
}

/// A change of a key, in the form in which watchers receive the change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchEvent {
    pub kind: EventKind,
    /// The row; for a delete, only the key and the mod revision are set.
    pub kv: KeyValue,
    /// The previous row, if the watch requests previous rows and the row is not compacted.
    pub prev_kv: Option<KeyValue>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    Put,
    Delete,
}

impl WatchResponse {
    pub fn ends_stream(&self) -> bool {
        self.canceled && !self.created && self.watch_id == -1 && self.compact_revision == 0
    }
}

impl WatchEvent {
    /// Returns true if the event is the first put of a generation.
    pub fn is_create(&self) -> bool {
        self.kind == EventKind::Put && self.kv.create_revision == self.kv.mod_revision
    }
}
