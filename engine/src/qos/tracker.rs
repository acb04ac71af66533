//! The tracker: a cache of the costs of recent requests. Requests with the same operations share an entry.
//!
//! Mirrors the proposal's "Track Expensive Request": the cache has a fixed size and drops the least recently used
//! entry. The tracker knows a request only after the request's first execution, so the first expensive request is never
//! limited.

use crate::base::ordered::OrdMap;
use crate::base::time::SimDuration;

/// The default number of entries. The proposal does not name a size.
pub const ENTRIES: u64 = 1_000;

/// The cost of an executed request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Learned {
    /// The number of index entries that the request visited.
    pub scan: u64,
    pub response_bytes: u64,
    pub latency: SimDuration,
    /// The processor time of the request.
    pub cpu: SimDuration,
}

/// A cache of the costs of recent requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tracker {
    size: u64,
    entries: OrdMap<u64, (u64, Learned)>,
    /// The identities of the requests, in the order of their last use.
    by_use: OrdMap<u64, u64>,
    uses: u64,
    pub hits: u64,
    pub misses: u64,
    /// The number of entries that were dropped because the cache was full.
    pub evictions: u64,
}

impl Default for Tracker {
    fn default() -> Self {
        Self::new(ENTRIES)
    }
}

impl Tracker {
    pub fn new(size: u64) -> Self {
        Self {
            size,
            entries: OrdMap::new(),
            by_use: OrdMap::new(),
            uses: 0,
            hits: 0,
            misses: 0,
            evictions: 0,
        }
    }

    pub fn resize(&mut self, size: u64) {
        self.size = size;
        self.evict();
    }

    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the maximum number of entries.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the cost of a request, and marks the entry as used; `None` if the cache has no entry for the request.
    pub fn look_up(&mut self, request: u64) -> Option<Learned> {
        let learned = self.entries.get(&request).map(|(_, learned)| *learned);
        match learned {
            Some(learned) => {
                self.hits += 1;
                self.write(request, learned);
            }
            None => self.misses += 1,
        }
        learned
    }

    pub fn knows(&self, request: u64) -> bool {
        self.entries.contains_key(&request)
    }

    /// Returns the requests and their costs, in the order of their last use, the newest first.
    pub fn newest(&self) -> impl Iterator<Item = (u64, Learned)> + '_ {
        let requests = self.by_use.values().rev();
        requests.filter_map(|request| Some((*request, self.entries.get(request)?.1)))
    }

    pub fn write(&mut self, request: u64, learned: Learned) {
        self.uses += 1;
        if let Some((used, _)) = self.entries.insert(request, (self.uses, learned)) {
            self.by_use.remove(&used);
        }
        self.by_use.insert(self.uses, request);
        self.evict();
    }

    fn evict(&mut self) {
        while self.len() > self.size
            && let Some((used, request)) = self.by_use.get_min().copied()
        {
            self.by_use.remove(&used);
            self.entries.remove(&request);
            self.evictions += 1;
        }
    }
}
