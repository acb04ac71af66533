//! The watch service: what a stream carries in both directions.
//!
//! Mirrors `WatchRequest` and `WatchResponse` of `api/etcdserverpb/rpc.proto`, and
//! `mvccpb.Event`.

use crate::base::Bytes;

use super::kv::{KeyValue, ResponseHeader};

/// What a client sends on a stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WatchRequest {
    /// Begin to watch.
    Create(WatchCreateRequest),
    /// Stop one watch.
    Cancel {
        /// Which.
        watch_id: i64,
    },
    /// Say how far the whole stream has come.
    Progress {
        /// Send this back with the answer. No etcd can: KEP-2340 wishes for it.
        echo: Option<u64>,
    },
}

/// Begin to watch a key or a range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WatchCreateRequest {
    /// The key, or the first key of the range.
    pub key: Bytes,
    /// As in a range request: empty for one key, `\0` for "to the end".
    pub range_end: Bytes,
    /// The first revision wanted; 0 for "from now on".
    pub start_revision: i64,
    /// Say from time to time how far the watch has come.
    pub progress_notify: bool,
    /// Leave out puts.
    pub no_put: bool,
    /// Leave out deletes.
    pub no_delete: bool,
    /// Send what was there before along with each event.
    pub prev_kv: bool,
    /// The id wanted on this stream; 0 to be given one.
    pub watch_id: i64,
    /// Split responses that are too large.
    pub fragment: bool,
}

/// What a member sends on a stream.
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
    /// The id that came with a progress request.
    pub echo: Option<u64>,
    /// What happened, oldest first.
    pub events: Vec<WatchEvent>,
}

/// One change, as watchers see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchEvent {
    /// Put or delete.
    pub kind: EventKind,
    /// The row; of a delete only key and mod revision.
    pub kv: KeyValue,
    /// What was there before, when it was asked for and can still be read.
    pub prev_kv: Option<KeyValue>,
}

/// What kind of change an event tells of.
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
