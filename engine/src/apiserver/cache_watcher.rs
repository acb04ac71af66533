//! A client's watch that is served from the cache: first its initial events, then the dispatched events.
//!
//! Mirrors `cacher/cache_watcher.go`. [`CacheWatcher::pump`] replaces the goroutine: it moves events towards the client
//! while there is room. Left out: the time that the goroutine needs, and encoding.
//!
//! ```text
//!   dispatcher ──▶ input ──▶ in hand ──▶ result ──▶ client
//!                              ▲  (an event in hand waits for room in the result channel)
//!   interval ──────────────────┘  (before the first entry from the input)
//! ```
//!
//! | the old object matches | the new object matches | the client receives |
//! |---|---|---|
//! | no | yes | ADDED with the new object |
//! | yes | yes | MODIFIED with the new object |
//! | yes | no, or deleted | DELETED with the old object, at the event's resource version |
//! | no | no | nothing |

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::time::SimTime;

use super::bookmark_buckets::next_bookmark_time;
use super::event::{EventType, StoreElement, WatchCacheEvent};
use super::history_ring::HistoryRing;
use super::interval::{CacheInterval, IntervalNext};
use crate::kube::object::{Key, Object};
use crate::kube::selector::Predicate;
use crate::kube::watch_event::KubeWatchEvent;

/// The number of a watcher. Each cache numbers its watchers in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CacheWatcherId(pub u64);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WatchSpec {
    /// The watched prefix with the slash at its end, or the watched key.
    pub key: Key,
    pub is_recursive: bool,
    pub predicate: Predicate,
    /// The capacity of each channel, in events.
    pub channel_size: u32,
    /// The time when the server ends the watch.
    pub deadline: Option<SimTime>,
    /// Whether the client understands bookmarks.
    pub allow_bookmarks: bool,
    /// The lowest resource version of a bookmark that the watcher accepts; 0 to accept all bookmarks.
    pub bookmark_after_rv: u64,
}

/// The state of the bookmark that ends the initial events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BookmarkState {
    Waiting,
    /// The bookmark is in the input channel.
    Received,
    /// The bookmark was sent, or is not expected.
    Sent,
}

/// The reason why a watcher ended. Whatever the reason, the client sees only the end of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The input channel stayed full until the dispatcher had used up its time budget for slow watchers.
    TooSlow {
        /// Whether the queued events are still sent, because they include the bookmark that ends the initial events.
        is_graceful: bool,
    },
    /// The history no longer contains the next event.
    Invalidated,
    /// The client disconnected, or the watch timed out.
    Stopped,
    /// The cache lost its own watch, and will relist.
    CacheLost,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WatcherRead {
    Event(KubeWatchEvent),
    Empty,
    End(EndReason),
}

/// A watcher, with its channels and its state.
///
/// ```
/// use watchglass_engine::apiserver::cache_watcher::{CacheWatcher, WatcherRead, WatchSpec};
/// use watchglass_engine::kube::resource::PODS;
/// use watchglass_engine::apiserver::{RingLimits, StoreElement, WatchCache};
/// use watchglass_engine::kube::watch_event::KubeWatchEvent;
/// use watchglass_engine::kube::object::Object;
/// use watchglass_engine::kube::selector::Predicate;
/// use watchglass_engine::base::time::SimTime;
/// let mut cache = WatchCache::new(&PODS, RingLimits::DYNAMIC);
/// let pod = || Object::new("Pod", "default", "web-1");
/// cache.replace(10, vec![pod().with_field("spec.nodeName", "host").at(7)]);
/// let spec = WatchSpec {
///     key: PODS.prefix.into(),
///     is_recursive: true,
///     predicate: Predicate::by_fields("spec.nodeName=host").unwrap(),
///     channel_size: 10,
///     deadline: None,
///     allow_bookmarks: false,
///     bookmark_after_rv: 0,
/// };
/// let mut watcher = CacheWatcher::new(spec, cache.since(10).unwrap(), 10);
/// let moved = cache.update(pod().at(12), SimTime(0)); // the pod leaves the node
/// assert!(watcher.nonblocking_add(&StoreElement::Event(moved.event)));
/// let WatcherRead::Event(KubeWatchEvent::Deleted(last)) = watcher.read(cache.ring()) else { panic!() };
/// assert_eq!(last.field("spec.nodeName"), "host"); // the old object
/// assert_eq!(last.resource_version, 12); // the revision of the change
/// ```
#[derive(Clone, Debug, Hash)]
pub struct CacheWatcher {
    spec: WatchSpec,
    bookmark_state: BookmarkState,
    /// The initial events, which are sent before the entries of the input channel; `None` when all are sent.
    interval: Option<CacheInterval>,
    /// The watcher sends only events newer than this resource version. The version grows while the watcher sends its
    /// initial events.
    resource_version: u64,
    input: VecDeque<StoreElement>,
    in_hand: Option<KubeWatchEvent>,
    result: VecDeque<KubeWatchEvent>,
    ended: Option<EndReason>,
}

impl CacheWatcher {
    /// Creates a watcher that first sends the events of an interval. Then it sends dispatched events that are newer
    /// than `after_rv` and newer than the interval.
    pub fn new(spec: WatchSpec, interval: CacheInterval, after_rv: u64) -> Self {
        let bookmark_state = if spec.bookmark_after_rv == 0 {
            BookmarkState::Sent
        } else {
            BookmarkState::Waiting
        };
        Self {
            spec,
            bookmark_state,
            resource_version: after_rv.max(interval.resource_version()),
            interval: Some(interval),
            input: VecDeque::new(),
            in_hand: None,
            result: VecDeque::new(),
            ended: None,
        }
    }

    // Getters.

    pub fn spec(&self) -> &WatchSpec {
        &self.spec
    }

    pub fn bookmark_state(&self) -> BookmarkState {
        self.bookmark_state
    }

    /// Returns true if the watcher still sends its initial events.
    pub fn is_replaying(&self) -> bool {
        self.interval.is_some()
    }

    /// Returns two numbers: the entries in the input channel, and the events in the result channel.
    pub fn queued(&self) -> (u32, u32) {
        (self.input.len() as u32, self.result.len() as u32)
    }

    /// Returns the reason why the watch ended; `None` if it has not ended.
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// Returns the number of objects in the pending resync, which sends all selected objects again after a relist.
    /// Returns 0 if no resync is pending.
    pub fn in_hand_objects(&self) -> u64 {
        match &self.in_hand {
            Some(KubeWatchEvent::Resync { items, .. }) => items.len() as u64,
            _ => 0,
        }
    }

    /// Returns the time of the next bookmark: `now` while the watcher waits for the bookmark that ends its initial
    /// events, and `None` shortly before the end of the watch.
    pub fn next_bookmark_time(&self, now: SimTime) -> Option<SimTime> {
        match self.bookmark_state {
            BookmarkState::Waiting => Some(now),
            BookmarkState::Received | BookmarkState::Sent => {
                next_bookmark_time(now, self.spec.deadline)
            }
        }
    }

    // Input.

    /// Returns false if the channel is full, the watcher has ended, or a bookmark is too old for the watcher.
    pub fn nonblocking_add(&mut self, entry: &StoreElement) -> bool {
        if self.ended.is_some() || self.input.len() >= self.spec.channel_size as usize {
            return false;
        }
        if let StoreElement::Bookmark { resource_version } = entry {
            if *resource_version < self.spec.bookmark_after_rv {
                return false;
            }
            if self.bookmark_state == BookmarkState::Waiting {
                self.bookmark_state = BookmarkState::Received;
            }
        }
        self.input.push_back(entry.clone());
        true
    }

    /// Handles a relist of the cache: discards the events that are not yet in the result channel, and sends all
    /// selected objects instead. Returns false if the watcher has ended or has not finished its initial events. In this
    /// case, the client must start a new watch.
    pub fn resync(&mut self, objects: &[(Key, Arc<Object>)], resource_version: u64) -> bool {
        if self.ended.is_some() || self.bookmark_state != BookmarkState::Sent {
            return false;
        }
        let selected = objects
            .iter()
            .filter(|(key, object)| self.selects_key(key) && self.spec.predicate.matches(object));
        let items = Arc::new(selected.map(|(_, object)| object.clone()).collect());
        self.interval = None;
        self.input.clear();
        self.resource_version = resource_version;
        self.in_hand = Some(KubeWatchEvent::Resync {
            items,
            resource_version,
        });
        true
    }

    /// Moves events from the interval and the input channel to the result channel while the result channel has room.
    pub fn pump(&mut self, ring: &HistoryRing) {
        loop {
            if let Some(event) = self.in_hand.take() {
                if self.result.len() >= self.spec.channel_size as usize {
                    self.in_hand = Some(event);
                    return;
                }
                self.send(event);
            }
            let goes_on = match &mut self.interval {
                Some(interval) => match interval.next(ring) {
                    IntervalNext::Event(event) => {
                        self.resource_version = self.resource_version.max(event.resource_version);
                        self.in_hand = self.convert(&event);
                        true
                    }
                    IntervalNext::End => {
                        self.end_initial_events();
                        true
                    }
                    IntervalNext::Invalidated { .. } => {
                        self.end(EndReason::Invalidated);
                        false
                    }
                },
                None => self.take_input(),
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Ends the initial events, and adds a bookmark if the client expects a bookmark after the initial events.
    fn end_initial_events(&mut self) {
        let interval = self.interval.take();
        let interval = interval.expect("it has just come to its end");
        if self.bookmark_state != BookmarkState::Sent {
            self.in_hand = Some(KubeWatchEvent::Bookmark {
                resource_version: interval.resource_version(),
                initial_events_end: true,
            });
        }
    }

    /// Moves an entry from the input channel to `in_hand`; returns false if the channel is empty.
    fn take_input(&mut self) -> bool {
        let Some(entry) = self.input.pop_front() else {
            return false;
        };
        match entry {
            StoreElement::Event(event) if event.resource_version > self.resource_version => {
                self.in_hand = self.convert(&event);
            }
            StoreElement::Bookmark { resource_version } => {
                let is_newer = resource_version > self.resource_version;
                let ends_initial_events = resource_version == self.resource_version
                    && self.bookmark_state != BookmarkState::Sent;
                if is_newer || ends_initial_events {
                    self.in_hand = Some(KubeWatchEvent::Bookmark {
                        resource_version,
                        initial_events_end: self.bookmark_state != BookmarkState::Sent,
                    });
                }
            }
            // The watcher has already sent this event from its interval.
            StoreElement::Event(_) => {}
        }
        true
    }

    fn send(&mut self, event: KubeWatchEvent) {
        if matches!(event, KubeWatchEvent::Bookmark { .. }) {
            self.bookmark_state = BookmarkState::Sent;
        }
        self.result.push_back(event);
    }

    /// Returns the event that the client receives, or `None` if the client receives nothing (`convertToWatchEvent`).
    fn convert(&self, event: &WatchCacheEvent) -> Option<KubeWatchEvent> {
        let passes =
            |object: &Object| self.selects_key(&event.key) && self.spec.predicate.matches(object);
        let now = event.kind != EventType::Deleted && passes(&event.object);
        let before = event.prev_object.as_ref().filter(|object| passes(object));
        match (before, now) {
            (None, false) => None,
            (None, true) => Some(KubeWatchEvent::Added(event.object.clone())),
            (Some(_), true) => Some(KubeWatchEvent::Modified(event.object.clone())),
            (Some(before), false) => {
                let last = Object::clone(before).at(event.resource_version);
                Some(KubeWatchEvent::Deleted(Arc::new(last)))
            }
        }
    }

    fn selects_key(&self, key: &str) -> bool {
        if self.spec.is_recursive {
            key.starts_with(&*self.spec.key)
        } else {
            key == &*self.spec.key
        }
    }

    // Output.

    pub fn read(&mut self, ring: &HistoryRing) -> WatcherRead {
        self.pump(ring);
        if let Some(event) = self.result.pop_front() {
            self.pump(ring);
            return WatcherRead::Event(event);
        }
        match self.ended {
            Some(reason) => WatcherRead::End(reason),
            None => WatcherRead::Empty,
        }
    }

    /// Ends the watcher. The client can still read the events in the result channel. Entries in the input channel are
    /// sent only if the end is graceful.
    pub fn end(&mut self, reason: EndReason) {
        let drains = matches!(reason, EndReason::TooSlow { is_graceful: true });
        if self.ended.is_none() || !drains {
            self.ended = Some(reason);
        }
        if !drains {
            self.interval = None;
            self.input = VecDeque::new();
            self.in_hand = None;
        }
    }
}
