//! One watch of one stream, and the stream's channel.
//!
//! Mirrors `watcher` in `watchable_store.go` and `watchStream` in `watcher.go`.

use std::collections::VecDeque;
use std::fmt;

use crate::base::ordered::OrdMap;

use crate::api::{EventKind, WatchEvent};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;

/// A watcher, unique in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatcherId(pub u64);

/// A stream, unique in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// A watch id that belongs to no watch.
pub const INVALID_WATCH_ID: i64 = -1;

/// One watch.
#[derive(Clone, Debug, Hash)]
pub struct Watcher {
    /// The stream of the watch.
    pub stream: StreamId,
    /// The id on the stream.
    pub watch_id: i64,
    /// The watched keys.
    pub range: KeyRange,
    /// The requested start revision; 0 for new events only.
    pub start_rev: i64,
    /// The lowest revision that the watcher accepts.
    pub min_rev: i64,
    /// The filters for events.
    pub filters: Filters,
    /// Whether the watcher received the compaction error and waits to be canceled.
    pub compacted: bool,
    /// Whether a snapshot replaced the store: the next revision may be in the future.
    pub restore: bool,
}

/// The events that a watcher filters out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filters {
    /// No puts.
    pub no_put: bool,
    /// No deletes.
    pub no_delete: bool,
}

impl Filters {
    /// Whether an event is left out.
    pub fn drop(self, event: &WatchEvent) -> bool {
        match event.kind {
            EventKind::Put => self.no_put,
            EventKind::Delete => self.no_delete,
        }
    }
}

/// A response for a watcher, before the stream converts it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StoreWatchResponse {
    /// The watch; -1 for all watches of the stream.
    pub watch_id: i64,
    /// The events; none for a progress notification.
    pub events: Vec<WatchEvent>,
    /// The revision that the watch has reached.
    pub revision: i64,
    /// The compact revision that overtook the watcher, or 0.
    pub compact_revision: i64,
}

/// The store's end of one gRPC stream: its watches and the channel they share.
#[derive(Clone, Debug, Hash)]
pub struct WatchStream {
    /// Responses on their way to the stream's send loop.
    pub channel: VecDeque<StoreWatchResponse>,
    /// The capacity of the channel.
    pub capacity: u32,
    /// The next id to be given; it only grows, so that none is given twice.
    pub next_id: i64,
    /// The watches.
    pub watchers: OrdMap<i64, WatcherId>,
}

impl WatchStream {
    /// A stream without watches.
    pub fn new(capacity: u32) -> Self {
        Self {
            channel: VecDeque::new(),
            capacity,
            next_id: 0,
            watchers: OrdMap::new(),
        }
    }

    /// Puts a response into the channel; returns false when the channel is full.
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
    /// The range ends at or before its start.
    EmptyWatcherRange,
    /// The requested id is in use.
    DuplicateId,
    /// The watch does not exist.
    NotFound,
}

impl WatchError {
    /// Upstream's text.
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

/// The end of a watched range, as the interval tree has it.
pub(super) fn tree_end(range: &KeyRange) -> Option<Bytes> {
    match range {
        KeyRange::Between(_, end) => Some(end.clone()),
        KeyRange::One(_) | KeyRange::From(_) => None,
    }
}
