//! The history of one resource: the last events, from which a watch can start in the recent past.
//!
//! Mirrors `watchCacheHistory` (`cacher/watch_cache_history.go`; earlier in `watch_cache.go`). The cyclic buffer of the
//! first watch cache (2015) had a fixed size. Since 1.19, the size adapts to a window, which is the target duration of
//! the history. A full buffer doubles if all its events are younger than the window, and halves if fewer than a quarter
//! of its events are within the window. To resize the buffer, upstream copies an array. Here, the events are in a
//! persistent vector, and [`HistoryRing::slot_of`] returns the slot that an event would have in upstream's array. Left
//! out: metrics about the capacity.
//!
//! Indexes only grow and are never reused, not even after a relist. So a watch that replays the history can detect a
//! removed event by the index alone.
//!
//! ```text
//!   capacity 4     index  0  1  2  3  4  5
//!                  slot   0  1  2  3  0  1
//!   contains [2, 6)             ▲start      ▲end: events 4 and 5 replaced events 0 and 1
//! ```

use std::sync::Arc;

use im::Vector;

use crate::base::time::{SimDuration, SimTime};

use super::event::{EventType, WatchCacheEvent};

/// The minimum and initial capacity (`defaultLowerBoundCapacity`).
pub const LOWER_BOUND_CAPACITY: u32 = 100;
/// The maximum capacity for the default window (`defaultUpperBoundCapacity`).
pub const UPPER_BOUND_CAPACITY: u32 = 100 * 1024;
/// The target duration of the history (`DefaultEventFreshDuration`): the 60 seconds between two bookmarks, and 15
/// seconds more.
pub const EVENT_FRESH_DURATION: SimDuration = SimDuration::from_millis(75_000);

/// The minimum size of a watcher's channel (`minWatchChanSize`).
const CHANNEL_MIN: u32 = 10;
/// The maximum channel size of a watcher that selects one value of the resource's trigger, an indexed field.
const CHANNEL_MAX_WITH_TRIGGER: u32 = 10;
/// The maximum channel size of a watcher that does not use the resource's trigger (an indexed field).
const CHANNEL_MAX_BESIDE_TRIGGER: u32 = 1000;
/// The maximum size of a watcher's channel if the resource has no trigger (an indexed field).
const CHANNEL_MAX_WITHOUT_TRIGGER: u32 = 100;

/// The limits of the capacity of a [`HistoryRing`], and the target duration of its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RingLimits {
    /// The minimum number of events that the ring has room for.
    pub lower: u32,
    /// The maximum number of events that the ring has room for.
    pub upper: u32,
    /// The time span of events that the history should cover.
    pub window: SimDuration,
}

impl RingLimits {
    /// The limits in current Kubernetes: 100 to 102,400 events, for a window of 75 seconds.
    pub const DYNAMIC: Self = Self {
        lower: LOWER_BOUND_CAPACITY,
        upper: UPPER_BOUND_CAPACITY,
        window: EVENT_FRESH_DURATION,
    };

    /// Returns limits with a fixed capacity, as in the first watch cache of 2015.
    pub const fn fixed(capacity: u32) -> Self {
        Self {
            lower: capacity,
            upper: capacity,
            window: EVENT_FRESH_DURATION,
        }
    }
}

/// Returns the maximum capacity for a window. Counts how many times the default window must be doubled to reach
/// `window`, and doubles the default maximum capacity the same number of times. The result always fits into 31 bits.
///
/// ```
/// use watchglass_engine::apiserver::history_ring::capacity_upper_bound;
/// use watchglass_engine::base::time::SimDuration;
/// assert_eq!(capacity_upper_bound(SimDuration::from_millis(75_000)), 102_400);
/// assert_eq!(capacity_upper_bound(SimDuration::from_millis(80_000)), 204_800);
/// ```
pub fn capacity_upper_bound(window: SimDuration) -> u32 {
    let exponent_max = (i32::MAX as u32 / UPPER_BOUND_CAPACITY).ilog2();
    let mut exponent = 0;
    while exponent < exponent_max && EVENT_FRESH_DURATION.0 << exponent < window.0 {
        exponent += 1;
    }
    UPPER_BOUND_CAPACITY << exponent
}

/// The history of one resource.
///
/// ```
/// use std::sync::Arc;
/// use watchglass_engine::apiserver::{EventType, HistoryRing, RingLimits, WatchCacheEvent};
/// use watchglass_engine::kube::object::Object;
/// use watchglass_engine::base::time::SimTime;
/// let at = |rv, seconds: u64| Arc::new(WatchCacheEvent {
///     kind: EventType::Added,
///     key: "/registry/pods/default/a".into(),
///     object: Arc::new(Object::new("Pod", "default", "a").at(rv)),
///     prev_object: None,
///     resource_version: rv,
///     record_time: SimTime(seconds * 1_000_000),
/// });
/// // An example of growth: capacity 2, events at 0, 150, 150 and 151 seconds.
/// let mut ring = HistoryRing::new(RingLimits { lower: 2, ..RingLimits::DYNAMIC });
/// ring.push(at(20, 0));
/// ring.push(at(30, 150));
/// ring.push(at(40, 150)); // full, with an old event: removes it
/// assert_eq!((ring.capacity(), ring.oldest().unwrap().resource_version), (2, 30));
/// ring.push(at(50, 151)); // full of young events: the ring grows
/// assert_eq!((ring.capacity(), ring.start_index(), ring.end_index()), (4, 1, 4));
/// ```
#[derive(Clone, Debug, Hash)]
pub struct HistoryRing {
    limits: RingLimits,
    capacity: u32,
    start_index: u64,
    events: Vector<Arc<WatchCacheEvent>>,
    /// Whether an event was removed since the last relist. Until the first removal, a watch can start at the
    /// revision of the list.
    removed_since_relist: bool,
}

/// The effects on the history when an event is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pushed {
    /// The old and the new capacity, if the capacity changed.
    pub resized: Option<(u32, u32)>,
    /// The number of events removed to shrink the ring or to make room.
    pub evicted: u32,
}

impl HistoryRing {
    /// Creates an empty ring with the minimum capacity.
    pub fn new(limits: RingLimits) -> Self {
        Self::starting_at(limits, limits.lower, 0)
    }

    /// Creates an empty ring with this capacity. `start_index` is the index of its first event.
    pub fn starting_at(limits: RingLimits, capacity: u32, start_index: u64) -> Self {
        assert!(capacity > 0, "a ring holds at least one event");
        Self {
            limits,
            capacity,
            start_index,
            events: Vector::new(),
            removed_since_relist: false,
        }
    }

    // Getters.

    /// Returns the capacity, in events.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    pub fn limits(&self) -> RingLimits {
        self.limits
    }

    /// Returns the index of the oldest event.
    pub fn start_index(&self) -> u64 {
        self.start_index
    }

    /// Returns the index that the next event will get.
    pub fn end_index(&self) -> u64 {
        self.start_index + self.len()
    }

    pub fn len(&self) -> u64 {
        self.events.len() as u64
    }

    /// Returns the size of the objects that only the ring keeps in memory, in bytes: the objects before a change, and
    /// the last objects of deletes.
    pub fn bytes(&self) -> u64 {
        let kept = |event: &WatchCacheEvent| {
            let before = event.prev_object.as_ref().map_or(0, |o| o.size_bytes);
            let deleted = matches!(event.kind, EventType::Deleted);
            before + if deleted { event.object.size_bytes } else { 0 }
        };
        self.events.iter().map(|event| kept(event)).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.len() == u64::from(self.capacity)
    }

    pub fn removed_since_relist(&self) -> bool {
        self.removed_since_relist
    }

    pub fn oldest(&self) -> Option<&Arc<WatchCacheEvent>> {
        self.events.front()
    }

    /// Returns the event with this index; `None` if the event was removed or does not exist yet.
    pub fn get(&self, index: u64) -> Option<&Arc<WatchCacheEvent>> {
        let offset = index.checked_sub(self.start_index)?;
        self.events.get(usize::try_from(offset).ok()?)
    }

    /// Returns the slot that the event with this index has in upstream's array.
    pub fn slot_of(&self, index: u64) -> u32 {
        (index % u64::from(self.capacity)) as u32
    }

    /// Returns all events with their indexes, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Arc<WatchCacheEvent>)> {
        (self.start_index..).zip(self.events.iter())
    }

    /// Returns true if no event with this index or a later index was removed (`isIndexValidLocked`).
    pub fn is_index_valid(&self, index: u64) -> bool {
        index >= self.start_index
    }

    /// Returns the resource version of the oldest event that can still be delivered; `None` before any list or event.
    /// `list_rv` is the resource version of the last list.
    pub fn oldest_deliverable(&self, list_rv: u64) -> Option<u64> {
        if list_rv > 0 && !self.removed_since_relist {
            return Some(list_rv + 1);
        }
        self.oldest().map(|event| event.resource_version)
    }

    /// Returns the index of the first event after this resource version.
    pub fn first_after(&self, resource_version: u64) -> u64 {
        // The binary search is upstream's. The events are ordered by resource version.
        let (mut low, mut high) = (self.start_index, self.end_index());
        while low < high {
            let middle = low + (high - low) / 2;
            let event = self.get(middle).expect("the middle is inside");
            if event.resource_version > resource_version {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// The number of events in about one second of history (`suggestedWatchChannelSize`).
    pub fn suggested_channel_size(&self, has_trigger: bool, uses_trigger: bool) -> u32 {
        suggested_channel_size(self.capacity, self.limits.window, has_trigger, uses_trigger)
    }

    // Changes.

    /// Adds an event (`updateCache`). First resizes the ring according to the time of the new event, and then removes
    /// the oldest event if the ring is still full.
    pub fn push(&mut self, event: Arc<WatchCacheEvent>) -> Pushed {
        let newest = self.events.last().map_or(0, |e| e.resource_version);
        assert!(
            event.resource_version >= newest,
            "events come in order: {} after {newest}",
            event.resource_version
        );
        let mut pushed = self.resize(event.record_time);
        if self.is_full() {
            self.drop_oldest(1);
            pushed.evicted += 1;
            self.removed_since_relist = true;
        }
        self.events.push_back(event);
        assert!(self.len() <= u64::from(self.capacity), "a ring is bounded");
        pushed
    }

    /// Grows or shrinks the ring if it is full (`resizeCacheLocked`). Both comparisons of an event's age with the
    /// window are strict: if the age equals the window, the ring keeps its size.
    pub fn resize(&mut self, now: SimTime) -> Pushed {
        let Some(oldest) = self.oldest().filter(|_| self.is_full()) else {
            return Pushed::default();
        };
        let window = self.limits.window.0;
        if age(now, oldest) < window {
            let capacity = self.capacity.saturating_mul(2).min(self.limits.upper);
            return self.resize_to(capacity.max(self.capacity));
        }
        let quarter = self.end_index() - u64::from(self.capacity / 4);
        // With a capacity below 4, the youngest quarter is empty. Upstream then reads the slot at the end of the
        // buffer. In a full buffer, this slot contains the oldest event.
        let young = self.get(quarter).unwrap_or(oldest);
        if age(now, young) > window {
            let capacity = (self.capacity / 2).max(self.limits.lower);
            return self.resize_to(capacity.min(self.capacity));
        }
        Pushed::default()
    }

    fn resize_to(&mut self, capacity: u32) -> Pushed {
        if capacity == self.capacity {
            return Pushed::default();
        }
        let before = self.capacity;
        let evicted = self.len().saturating_sub(u64::from(capacity));
        self.drop_oldest(evicted);
        self.capacity = capacity;
        Pushed {
            resized: Some((before, capacity)),
            evicted: evicted as u32,
        }
    }

    fn drop_oldest(&mut self, count: u64) {
        for _ in 0..count {
            let dropped = self.events.pop_front();
            assert!(dropped.is_some(), "only what is there is dropped");
            self.start_index += 1;
        }
    }

    /// Removes all events after a relist. The indexes continue, and the capacity stays.
    pub fn reset(&mut self) {
        self.start_index = self.end_index();
        self.events = Vector::new();
        self.removed_since_relist = false;
    }
}

/// Returns the age of an event in microseconds; 0 if the clock went back.
fn age(now: SimTime, event: &WatchCacheEvent) -> u64 {
    now.0.saturating_sub(event.record_time.0)
}

/// Returns the suggested size of a watcher's channel: the number of events in about one second of history, but at least
/// 10 and at most a maximum. The maximum depends on the resource's trigger.
pub fn suggested_channel_size(
    capacity: u32,
    window: SimDuration,
    has_trigger: bool,
    uses_trigger: bool,
) -> u32 {
    let per_second = (u64::from(capacity) * 1_000_000).div_ceil(window.0.max(1)) as u32;
    let max = match (has_trigger, uses_trigger) {
        (true, true) => CHANNEL_MAX_WITH_TRIGGER,
        (true, false) => CHANNEL_MAX_BESIDE_TRIGGER,
        (false, _) => CHANNEL_MAX_WITHOUT_TRIGGER,
    };
    per_second.clamp(CHANNEL_MIN, max)
}
