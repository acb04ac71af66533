//! List, then watch from the revision after the list: no gap, no duplicate.
//!
//! Mirrors the List & Watch pattern as the blog's pseudocode has it. What it can know after it was
//! away depends on what it kept: see [`Memory`].

use crate::base::ordered::OrdMap;

use crate::api::{
    EventKind, RangeRequest, RangeResponse, Request, WatchCreateRequest, WatchResponse,
};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;

/// What a client that lists and watches keeps over a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Nothing: it lists again, and cannot know what was deleted meanwhile.
    #[default]
    Stateless,
    /// The keys it knew: after listing again it finds out which are gone.
    Keys,
    /// The last revision it has seen: it watches on from there and hears of every delete, unless
    /// compaction was faster.
    Checkpoint,
}

/// A program that keeps a copy of everything below a prefix.
#[derive(Clone, Debug, Hash)]
pub struct ListWatch {
    prefix: Bytes,
    memory: Memory,
    known: OrdMap<Bytes, i64>,
    /// The last revision it has seen; 0 before the first list.
    seen: i64,
    listing: bool,
}

/// What it does next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListWatchNext {
    /// It waits.
    Nothing,
    /// It lists.
    List(Request),
    /// It watches.
    Watch(WatchCreateRequest),
}

/// What a list told it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Listed {
    /// Keys there are.
    pub keys: u32,
    /// Keys that it remembered and that are gone.
    pub gone: Vec<Bytes>,
}

impl ListWatch {
    /// A program that has not begun.
    pub fn new(prefix: Bytes, memory: Memory) -> Self {
        Self {
            prefix,
            memory,
            known: OrdMap::new(),
            seen: 0,
            listing: false,
        }
    }

    /// What it lists and watches.
    pub fn prefix(&self) -> &Bytes {
        &self.prefix
    }

    /// What it keeps over a restart.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// The keys that it takes to exist, with their mod revisions.
    pub fn known(&self) -> impl Iterator<Item = (&Bytes, i64)> {
        self.known.iter().map(|(key, rev)| (key, *rev))
    }

    /// The last revision it has seen.
    pub fn seen(&self) -> i64 {
        self.seen
    }

    /// Whether it waits for a list.
    pub fn is_listing(&self) -> bool {
        self.listing
    }

    /// Begins: lists, or goes on from the revision that it kept.
    pub fn start(&mut self) -> ListWatchNext {
        if self.memory == Memory::Checkpoint && self.seen > 0 {
            return ListWatchNext::Watch(self.watch());
        }
        self.list()
    }

    /// Its watch has ended: lists again.
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

    /// Takes in the list, and watches from the revision after it.
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
            ..WatchCreateRequest::default()
        }
    }

    /// Takes in what the watch tells.
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
    }

    /// Its process ends: it forgets what it does not keep.
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
