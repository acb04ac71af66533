//! A client that lists and then watches from the revision after the list, without gaps or duplicates.
//!
//! Follows the List & Watch pattern of etcd's clients. After a restart, the client knows only the state that it saved
//! before the restart (see [`Memory`]).

use crate::base::ordered::OrdMap;

use crate::api::{
    EventKind, RangeRequest, RangeResponse, Request, WatchCreateRequest, WatchResponse,
};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::base::digest::Sparse;

/// The state that a list-and-watch client remembers across a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Memory {
    /// No state: the client relists after a restart, and cannot detect deletes during its downtime.
    #[default]
    Stateless,
    /// The known keys: the client relists, and detects which of the known keys are gone.
    Keys,
    /// The last revision seen: the client watches from the next revision and receives every delete, unless that
    /// revision is compacted.
    Checkpoint,
}

/// A program that keeps a copy of all keys with a prefix.
#[derive(Clone, Debug, Hash)]
pub struct ListWatch {
    prefix: Bytes,
    memory: Memory,
    known: OrdMap<Bytes, i64>,
    /// The last revision seen; 0 before the first list.
    seen: i64,
    listing: bool,
    /// Whether progress notifications advance the revision.
    is_notified: Sparse<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListWatchNext {
    /// Do nothing, and wait for the next response.
    Nothing,
    List(Request),
    Watch(WatchCreateRequest),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Listed {
    pub keys: u32,
    /// The remembered keys that no longer exist.
    pub gone: Vec<Bytes>,
}

impl ListWatch {
    pub fn new(prefix: Bytes, memory: Memory) -> Self {
        Self {
            prefix,
            memory,
            known: OrdMap::new(),
            seen: 0,
            listing: false,
            is_notified: Sparse::default(),
        }
    }

    /// Returns the program with a watch that receives progress notifications.
    #[must_use]
    pub fn with_progress(mut self) -> Self {
        *self.is_notified = true;
        self
    }

    pub fn prefix(&self) -> &Bytes {
        &self.prefix
    }

    /// Returns the part of the state that survives a restart.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// Returns the keys in the client's copy, with their mod revisions.
    pub fn known(&self) -> impl Iterator<Item = (&Bytes, i64)> {
        self.known.iter().map(|(key, rev)| (key, *rev))
    }

    pub fn seen(&self) -> i64 {
        self.seen
    }

    /// Returns true if a list is in flight.
    pub fn is_listing(&self) -> bool {
        self.listing
    }

    /// Starts the program: lists, or resumes the watch after the remembered revision.
    pub fn start(&mut self) -> ListWatchNext {
        if self.memory == Memory::Checkpoint && self.seen > 0 {
            return ListWatchNext::Watch(self.watch());
        }
        self.list()
    }

    /// Relists after the watch has ended.
    pub fn start_over(&mut self) -> ListWatchNext {
        self.list()
    }

    fn list(&mut self) -> ListWatchNext {
        self.listing = true;
        ListWatchNext::List(Request::Range(RangeRequest {
            key: self.prefix.clone(),
            range_end: prefix_end(&self.prefix),
            ..RangeRequest::default()
        }))
    }

    /// Replaces the known keys with the list. Returns the result of the list, and the request for a watch that starts
    /// at the next revision.
    pub fn listed(&mut self, range: &RangeResponse) -> (Listed, ListWatchNext) {
        self.listing = false;
        let found: OrdMap<Bytes, i64> = range
            .kvs
            .iter()
            .map(|kv| (kv.key.clone(), kv.mod_revision))
            .collect();
        let gone = self.known.keys().filter(|key| !found.contains_key(*key));
        let listed = Listed {
            keys: found.len() as u32,
            gone: gone.cloned().collect(),
        };
        self.known = found;
        self.seen = range.header.revision;
        (listed, ListWatchNext::Watch(self.watch()))
    }

    fn watch(&self) -> WatchCreateRequest {
        WatchCreateRequest {
            key: self.prefix.clone(),
            range_end: prefix_end(&self.prefix),
            start_revision: self.seen + 1,
            progress_notify: *self.is_notified,
            ..WatchCreateRequest::default()
        }
    }

    pub fn apply(&mut self, response: &WatchResponse) {
        for event in &response.events {
            let kv = &event.kv;
            match event.kind {
                EventKind::Put => {
                    self.known.insert(kv.key.clone(), kv.mod_revision);
                }
                EventKind::Delete => {
                    self.known.remove(&kv.key);
                }
            }
            self.seen = self.seen.max(kv.mod_revision);
        }
        let is_progress = response.events.is_empty() && !response.created && !response.canceled;
        if *self.is_notified && is_progress {
            self.seen = self.seen.max(response.header.revision);
        }
    }

    /// Ends the process. Only the part of the state that [`Memory`] selects survives.
    pub fn stop(&mut self) {
        self.listing = false;
        match self.memory {
            Memory::Stateless => {
                self.known = OrdMap::new();
                self.seen = 0;
            }
            Memory::Keys => self.seen = 0,
            Memory::Checkpoint => {}
        }
    }
}
