//! The initial events of a watch: the existing objects, or a part of the history, copied in steps.
//!
//! Mirrors `cacher/watch_cache_interval.go`. The events of the history stay in the cyclic buffer of the cache (the
//! ring), and each step copies 100 events under the lock. If the ring removes an event before the event is copied, the
//! interval becomes invalid, because the watch can no longer send this event. The server then closes the watch without
//! an error. The client receives the error when it resumes the watch.

use std::collections::VecDeque;
use std::sync::Arc;

use super::event::WatchCacheEvent;
use super::history_ring::HistoryRing;

/// The number of events copied in one step (`bufferSize`).
pub const BUFFER_EVENTS: u32 = 100;

/// The initial events that a watch has not sent yet.
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
    /// The resource version before the first event. For existing objects, this is the resource version of the cache.
    resource_version: u64,
    /// The events that are copied from the ring and that the watch has not sent yet.
    buffer: VecDeque<Arc<WatchCacheEvent>>,
    /// The ring index of the next event to copy. For existing objects, this index equals `end_index`, because all
    /// objects are copied at once.
    next_index: u64,
    end_index: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IntervalNext {
    Event(Arc<WatchCacheEvent>),
    End,
    /// The ring has removed the next event, so the interval is invalid.
    Invalidated {
        index: u64,
    },
}

impl CacheInterval {
    /// Creates an interval with the ring's events after a resource version.
    pub fn of_history(ring: &HistoryRing, resource_version: u64) -> Self {
        Self {
            resource_version,
            buffer: VecDeque::new(),
            next_index: ring.first_after(resource_version),
            end_index: ring.end_index(),
        }
    }

    /// Creates an interval with synthetic events for existing objects, in the order of their keys.
    pub fn of_state(resource_version: u64, events: Vec<Arc<WatchCacheEvent>>) -> Self {
        Self {
            resource_version,
            buffer: events.into(),
            next_index: 0,
            end_index: 0,
        }
    }

    /// Returns the resource version before the first event. For existing objects, this is the resource version of the
    /// cache. Live events must be newer than this version and newer than all events in the interval.
    pub fn resource_version(&self) -> u64 {
        self.resource_version
    }

    pub fn remaining(&self) -> u64 {
        self.buffer.len() as u64 + (self.end_index - self.next_index)
    }

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
