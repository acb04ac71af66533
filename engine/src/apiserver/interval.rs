//! What a watch begins with: objects that are there, or a piece of history, copied bit by bit.
//!
//! Mirrors `cacher/watch_cache_interval.go`. A piece of history stays in the ring; 100 events are
//! copied whenever the lock is taken. If the ring removes what was not copied yet, the interval is
//! no longer valid, and the watch ends without a word: what is missing cannot be sent, and the
//! client that comes back is told then.

use std::collections::VecDeque;
use std::sync::Arc;

use super::event::WatchCacheEvent;
use super::history_ring::HistoryRing;

/// Events copied each time the lock is taken (`bufferSize`).
pub const BUFFER_EVENTS: u32 = 100;

/// Events that a watch has not been given yet.
///
/// ```
/// use watchglass_engine::apiserver::interval::{CacheInterval, IntervalNext};
/// use watchglass_engine::apiserver::{HistoryRing, RingLimits};
/// let ring = HistoryRing::new(RingLimits::DYNAMIC);
/// let mut interval = CacheInterval::of_history(&ring, 7);
/// assert_eq!(interval.resource_version(), 7);
/// assert_eq!(interval.next(&ring), IntervalNext::End);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct CacheInterval {
    /// The resource version before the interval; for a state, that of the cache.
    resource_version: u64,
    /// Copied events.
    buffer: VecDeque<Arc<WatchCacheEvent>>,
    /// The next index to copy, and the one to stop before. Of a state both are equal: all of it is
    /// copied at once.
    next_index: u64,
    end_index: u64,
}

/// The next element of an interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntervalNext {
    /// An event.
    Event(Arc<WatchCacheEvent>),
    /// The end of the interval.
    End,
    /// The ring has removed the next element.
    Invalidated {
        /// The index of the removed element.
        index: u64,
    },
}

impl CacheInterval {
    /// The events of the ring after a resource version.
    pub fn of_history(ring: &HistoryRing, resource_version: u64) -> Self {
        Self {
            resource_version,
            buffer: VecDeque::new(),
            next_index: ring.first_after(resource_version),
            end_index: ring.end_index(),
        }
    }

    /// Made-up events of objects that are there, in the order of their keys.
    pub fn of_state(resource_version: u64, events: Vec<Arc<WatchCacheEvent>>) -> Self {
        Self {
            resource_version,
            buffer: events.into(),
            next_index: 0,
            end_index: 0,
        }
    }

    /// What live events must be newer than, apart from those in the interval.
    pub fn resource_version(&self) -> u64 {
        self.resource_version
    }

    /// The number of remaining events.
    pub fn remaining(&self) -> u64 {
        self.buffer.len() as u64 + (self.end_index - self.next_index)
    }

    /// The next event.
    pub fn next(&mut self, ring: &HistoryRing) -> IntervalNext {
        if let Some(event) = self.buffer.pop_front() {
            return IntervalNext::Event(event);
        }
        if self.next_index >= self.end_index {
            return IntervalNext::End;
        }
        if !ring.is_index_valid(self.next_index) {
            return IntervalNext::Invalidated {
                index: self.next_index,
            };
        }
        while self.next_index < self.end_index && self.buffer.len() < BUFFER_EVENTS as usize {
            let event = ring.get(self.next_index);
            let event = event.expect("what is valid is there until the end of the interval");
            self.buffer.push_back(event.clone());
            self.next_index += 1;
        }
        IntervalNext::Event(self.buffer.pop_front().expect("it was just filled"))
    }
}
