//! Watchers, and the channel that all watchers of a stream share.
//!
//! Mirrors `watcher` in `watchable_store.go` and `watchStream` in `watcher.go`.

use std::collections::VecDeque;
use std::fmt;

use crate::base::ordered::OrdMap;

use crate::api::{EventKind, WatchEvent};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;

/// The id of a watcher, unique in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatcherId(pub u64);

/// The id of a stream, unique in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// The watch id -1. Depending on the message, it stands for no watch or for all watches of a stream.
pub const INVALID_WATCH_ID: i64 = -1;

/// A watcher, which is the store's side of one watch.
#[derive(Clone, Debug, Hash)]
pub struct Watcher {
    pub stream: StreamId,
    pub watch_id: i64,
    pub range: KeyRange,
    /// The requested start revision, or 0 for new events only.
    pub start_rev: i64,
    /// The lowest revision that the watcher still needs.
    pub min_rev: i64,
    pub filters: Filters,
    /// Whether the watcher has received the compaction error and is waiting to be canceled.
    pub compacted: bool,
    /// Whether a snapshot replaced the store since the last sync pass. The revision that the watcher needs may then be
    /// in the future.
    pub restore: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filters {
    pub no_put: bool,
    pub no_delete: bool,
}

impl Filters {
    pub fn drop(self, event: &WatchEvent) -> bool {
        match event.kind {
            EventKind::Put => self.no_put,
            EventKind::Delete => self.no_delete,
        }
    }
}

/// A response to a watcher, before the stream converts it to a response of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StoreWatchResponse {
    /// The id of the watch, or -1 for all watches of the stream.
    pub watch_id: i64,
    /// The events. A progress notification has no events.
    pub events: Vec<WatchEvent>,
    pub revision: i64,
    /// The compact revision if a revision that the watcher needs was compacted, or else 0.
    pub compact_revision: i64,
}

/// The store's side of a gRPC stream: the watches of the stream, and the channel that these watches share.
#[derive(Clone, Debug, Hash)]
pub struct WatchStream {
    /// The responses that wait for the stream's send loop, oldest first.
    pub channel: VecDeque<StoreWatchResponse>,
    /// The maximum number of responses in the channel.
    pub capacity: u32,
    /// The next free watch id. The value only increases, so that no id is used twice.
    pub next_id: i64,
    pub watchers: OrdMap<i64, WatcherId>,
}

impl WatchStream {
    pub fn new(capacity: u32) -> Self {
        Self {
            channel: VecDeque::new(),
            capacity,
            next_id: 0,
            watchers: OrdMap::new(),
        }
    }

    /// Adds a response to the channel. Returns false if the channel is full.
    pub fn send(&mut self, response: StoreWatchResponse) -> bool {
        let fits = self.channel.len() < self.capacity as usize;
        if fits {
            self.channel.push_back(response);
        }
        fits
    }
}

/// The reason why a watch cannot start, or cannot be canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WatchError {
    /// The end of the range is not greater than its start.
    EmptyWatcherRange,
    DuplicateId,
    NotFound,
}

impl WatchError {
    /// Returns upstream's error message.
    pub fn text(self) -> &'static str {
        match self {
            Self::EmptyWatcherRange => "mvcc: watcher range is empty",
            Self::DuplicateId => "mvcc: duplicate watch ID provided on the WatchStream",
            Self::NotFound => "mvcc: watcher does not exist",
        }
    }
}

impl fmt::Display for WatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Returns the end of a watched range in the interval tree, or `None` for a single key or a range without an end.
pub(super) fn tree_end(range: &KeyRange) -> Option<Bytes> {
    match range {
        KeyRange::Between(_, end) => Some(end.clone()),
        KeyRange::One(_) | KeyRange::From(_) => None,
    }
}
