//! The watch service: what a stream carries in both directions.
//!
//! Mirrors `WatchRequest` and `WatchResponse` of `api/etcdserverpb/rpc.proto`, and
//! `mvccpb.Event`.

use crate::base::Bytes;

use super::kv::{KeyValue, ResponseHeader};

/// A message of a client on a stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WatchRequest {
    /// Create a watch.
    Create(WatchCreateRequest),
    /// Stop a watch.
    Cancel {
        /// Which.
        watch_id: i64,
    },
    /// Request the progress of the whole stream.
    Progress {
        /// Send this back with the answer. No etcd can: KEP-2340 wishes for it.
        echo: Option<u64>,
    },
}

/// A request to watch a key or a range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchCreateRequest {
    /// The key, or the first key of the range.
    pub key: Bytes,
    /// As in a range request: empty for one key, `\0` for "to the end".
    pub range_end: Bytes,
    /// The start revision; 0 for new events only.
    pub start_revision: i64,
    /// Send progress notifications periodically.
    pub progress_notify: bool,
    /// Leave out puts.
    pub no_put: bool,
    /// Leave out deletes.
    pub no_delete: bool,
    /// Send what was there before along with each event.
    pub prev_kv: bool,
    /// The requested ID on this stream; with 0, etcd chooses the ID.
    pub watch_id: i64,
    /// Split responses that are too large.
    pub fragment: bool,
}

/// A message of a member on a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchResponse {
    /// Who answered; its revision is how far the watch has come when there are no events.
    pub header: ResponseHeader,
    /// Which watch of the stream; -1 for none or all of them.
    pub watch_id: i64,
    /// The answer to a create request.
    pub created: bool,
    /// The watch has ended.
    pub canceled: bool,
    /// Why the watch ended, when compaction overtook it: the oldest readable revision.
    pub compact_revision: i64,
    /// Why the watch ended or never began.
    pub cancel_reason: String,
    /// More parts of this response follow.
    pub fragment: bool,
    /// The id of the progress request.
    pub echo: Option<u64>,
    /// The events, oldest first.
    pub events: Vec<WatchEvent>,
}

/// One change, as watchers see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchEvent {
    /// Put or delete.
    pub kind: EventKind,
    /// The row; of a delete only key and mod revision.
    pub kv: KeyValue,
    /// The previous value, when the watch asks for it and the value is still readable.
    pub prev_kv: Option<KeyValue>,
}

/// The kind of change in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A key was written.
    Put,
    /// A key was deleted.
    Delete,
}

impl WatchEvent {
    /// Whether the event tells of the first put of a key's life.
    pub fn is_create(&self) -> bool {
        self.kind == EventKind::Put && self.kv.create_revision == self.kv.mod_revision
    }
}
