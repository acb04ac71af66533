//! Dispatches events to the watchers of one resource.
//!
//! Mirrors `Cacher.dispatchEvents` and related code in `cacher/cacher.go`. Left out: polling for the first list every
//! 10 ms (here, the cache starts the dispatcher after its first list), and encoding each event only once for all
//! watchers. Upstream iterates over a Go map; here, events are sent to watchers in the order of registration.
//!
//! One goroutine serves all watchers, so a watcher that does not read blocks all others. A [`TimeBudget`] limits the
//! wait for slow watchers. When the budget is used up, the dispatcher ends the watchers that are still blocked: their
//! clients can resume, but no client may block the others.
//!
//! ```text
//!   cache ──▶ incoming (100) ──▶ dispatch ──▶ watchers of (ns, name) (ns, *) (*, name) (*, *)
//!                                        └──▶ watchers of the trigger's value, old and new
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::ordered::{OrdMap, OrdSet};

use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};

use super::bookmark_buckets::BookmarkBuckets;
use super::cache_watcher::{
    BookmarkState, CacheWatcher, CacheWatcherId, EndReason, WatchSpec, WatcherRead,
};
use super::event::{StoreElement, WatchCacheEvent};
use super::history_ring::HistoryRing;
use super::interval::CacheInterval;
use super::time_budget::TimeBudget;
use crate::kube::object::{Key, Object};
use crate::kube::resource::Resource;

/// The capacity of the channel between cache and dispatcher, in entries. When the channel is full, the cache waits and
/// does not read from etcd's stream.
pub const INCOMING_ENTRIES: u32 = 100;
/// The time between two checks for due bookmarks. A random delay of up to a quarter of this time is added, so that not
/// all resources check at the same time.
pub const BOOKMARK_TIMER: SimDuration = SimDuration::from_millis(1_000);

/// The namespace and the name that a watcher selects (`namespacedName`). An empty text selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The selected namespace; empty for all namespaces.
    pub namespace: Arc<str>,
    /// The selected object name; empty for all names.
    pub name: Arc<str>,
}

/// The key under which a watcher is registered. Each watcher has exactly one registration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Registration {
    Scope(Scope),
    /// The value that the watcher's field selector requires for the resource's trigger. A trigger is an indexed field.
    Trigger(Arc<str>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DispatchTimer {
    /// Find watchers that need a bookmark.
    Bookmark,
    /// The time budget for slow watchers is used up.
    Budget,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dispatched {
    /// The timers to set, each with its delay.
    pub timers: Vec<(SimDuration, DispatchTimer)>,
    /// The watchers that received an entry, each listed once.
    pub notified: Vec<CacheWatcherId>,
    pub ended: Vec<(CacheWatcherId, EndReason)>,
}

/// An event that some watchers have no room for.
#[derive(Clone, Debug, Hash)]
struct Blocked {
    entry: StoreElement,
    /// The watchers that have not received the event yet. The dispatcher waits for the first watcher in this list.
    watchers: VecDeque<CacheWatcherId>,
    since: SimTime,
    budget: SimDuration,
}

/// The dispatcher of one resource.
///
/// ```
/// use watchglass_engine::apiserver::cache_watcher::{WatcherRead, WatchSpec};
/// use watchglass_engine::kube::resource::PODS;
/// use watchglass_engine::apiserver::*;
/// use watchglass_engine::kube::{Object, Predicate, watch_event::KubeWatchEvent};
/// use watchglass_engine::base::{rng::Rng, time::SimTime};
/// let mut cache = WatchCache::new(&PODS, RingLimits::DYNAMIC);
/// let mut dispatcher = Dispatcher::new(&PODS, Rng::stream(42, "bookmarks"), SimTime(0));
/// cache.replace(10, Vec::new());
/// dispatcher.start(10);
/// let spec = WatchSpec {
///     key: PODS.prefix.into(),
///     is_recursive: true,
///     predicate: Predicate::everything(),
///     channel_size: 10,
///     deadline: None,
///     allow_bookmarks: true,
///     bookmark_after_rv: 0,
/// };
/// let everywhere = Registration::Scope(Scope::default());
/// let id = dispatcher.add_watcher(spec, everywhere, cache.since(10).unwrap(), 10, SimTime(0));
/// let added = cache.add(Object::new("Pod", "default", "web-1").at(12), SimTime(0));
/// for entry in added.entries() {
///     assert!(dispatcher.offer(entry));
/// }
/// let did = dispatcher.dispatch(SimTime(0), cache.ring());
/// assert_eq!(did.notified, [id]);
/// assert!(matches!(dispatcher.read(id, cache.ring()), WatcherRead::Event(KubeWatchEvent::Added(_))));
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Dispatcher {
    resource: &'static Resource,
    watchers: OrdMap<CacheWatcherId, CacheWatcher>,
    places: OrdMap<CacheWatcherId, Registration>,
    registry: OrdMap<Registration, OrdSet<CacheWatcherId>>,
    incoming: VecDeque<StoreElement>,
    blocked: Option<Blocked>,
    /// The watchers to end after the current dispatch.
    to_stop: VecDeque<(CacheWatcherId, EndReason)>,
    budget: TimeBudget,
    bookmarks: BookmarkBuckets,
    rng: Rng,
    next_watcher: u64,
    /// Whether the bookmark timer has fired but the check is not done yet. The check is delayed while the dispatcher
    /// waits for a slow watcher.
    bookmark_is_due: bool,
    /// The resource version of periodic bookmarks; 0 before the first list.
    last_processed_rv: u64,
    dispatched: u64,
    terminated: u64,
}

impl Dispatcher {
    pub(super) fn reseed(&mut self, seed: u64) {
        self.rng.reseed(seed);
    }

    pub fn new(resource: &'static Resource, rng: Rng, now: SimTime) -> Self {
        Self {
            resource,
            watchers: OrdMap::new(),
            places: OrdMap::new(),
            registry: OrdMap::new(),
            incoming: VecDeque::new(),
            blocked: None,
            to_stop: VecDeque::new(),
            budget: TimeBudget::new(now),
            bookmarks: BookmarkBuckets::new(now),
            rng,
            next_watcher: 1,
            bookmark_is_due: false,
            last_processed_rv: 0,
            dispatched: 0,
            terminated: 0,
        }
    }

    // Getters.

    /// Returns the watchers, including ended watchers with unread events.
    pub fn watchers(&self) -> impl Iterator<Item = (CacheWatcherId, &CacheWatcher)> {
        self.watchers.iter().map(|(id, watcher)| (*id, watcher))
    }

    pub fn watcher(&self, id: CacheWatcherId) -> Option<&CacheWatcher> {
        self.watchers.get(&id)
    }

    /// Returns the registration of a watcher; `None` after its end.
    pub fn registration(&self, id: CacheWatcherId) -> Option<&Registration> {
        self.places.get(&id)
    }

    /// Returns the number of entries that wait to be dispatched.
    pub fn incoming(&self) -> u32 {
        self.incoming.len() as u32
    }

    /// Returns true if the channel has room for an event and its bookmark.
    pub fn has_room(&self) -> bool {
        self.incoming.len() + 2 <= INCOMING_ENTRIES as usize
    }

    pub fn waits_for(&self) -> Option<CacheWatcherId> {
        self.blocked.as_ref()?.watchers.front().copied()
    }

    /// Returns true if the dispatcher waits for slow watchers.
    pub fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Returns the number of registered watchers, excluding watchers that have ended.
    pub fn registered(&self) -> u64 {
        self.places.len() as u64
    }

    pub fn last_processed_rv(&self) -> u64 {
        self.last_processed_rv
    }

    /// Returns the number of dispatched entries, including bookmarks of the cache
    /// (`apiserver_watch_cache_events_dispatched_total`).
    pub fn dispatched(&self) -> u64 {
        self.dispatched
    }

    /// Returns the number of watchers that were ended because they were too slow
    /// (`apiserver_terminated_watchers_total`).
    pub fn terminated(&self) -> u64 {
        self.terminated
    }

    // Inputs.

    /// Starts the dispatcher after the first list, and sets the first bookmark timer.
    pub fn start(&mut self, list_rv: u64) -> Dispatched {
        assert!(list_rv > 0, "a bookmark never carries 0");
        self.last_processed_rv = list_rv;
        let mut actions = Dispatched::default();
        self.set_bookmark_timer(&mut actions);
        actions
    }

    /// Registers a watcher whose initial events come from `interval`.
    pub fn add_watcher(
        &mut self,
        spec: WatchSpec,
        registration: Registration,
        interval: CacheInterval,
        after_rv: u64,
        now: SimTime,
    ) -> CacheWatcherId {
        let id = CacheWatcherId(self.next_watcher);
        self.next_watcher += 1;
        let watcher = CacheWatcher::new(spec, interval, after_rv);
        let next = watcher.next_bookmark_time(now);
        if let Some(at) = next.filter(|_| watcher.spec().allow_bookmarks) {
            self.bookmarks.add(id, at);
        }
        self.registry
            .get_or_insert_with(registration.clone(), OrdSet::new)
            .insert(id);
        self.places.insert(id, registration);
        self.watchers.insert(id, watcher);
        id
    }

    /// Puts an entry into the channel. Returns false if the channel is full; in this case, the caller must wait.
    pub fn offer(&mut self, entry: StoreElement) -> bool {
        if self.incoming.len() >= INCOMING_ENTRIES as usize {
            return false;
        }
        self.incoming.push_back(entry);
        true
    }

    /// Dispatches the entries in the channel, until the channel is empty or the dispatcher must wait for a slow
    /// watcher.
    pub fn dispatch(&mut self, now: SimTime, ring: &HistoryRing) -> Dispatched {
        let mut actions = Dispatched::default();
        self.go_on(now, ring, &mut actions);
        actions
    }

    pub fn wake(&mut self, now: SimTime, timer: DispatchTimer, ring: &HistoryRing) -> Dispatched {
        let mut actions = Dispatched::default();
        match timer {
            DispatchTimer::Bookmark => {
                self.bookmark_is_due = true;
                self.go_on(now, ring, &mut actions);
            }
            DispatchTimer::Budget => {
                if self.is_blocked() {
                    self.give_up(now, ring, &mut actions);
                    self.go_on(now, ring, &mut actions);
                }
            }
        }
        actions
    }

    /// Reads the next event for the client of a watcher. Call [`Dispatcher::dispatch`] afterwards, because the watcher
    /// may have room again.
    pub fn read(&mut self, id: CacheWatcherId, ring: &HistoryRing) -> WatcherRead {
        let Some(watcher) = self.watchers.get_mut(&id) else {
            return WatcherRead::End(EndReason::Stopped);
        };
        let read = watcher.read(ring);
        if watcher.ended().is_some() {
            self.unregister(id);
        }
        if matches!(read, WatcherRead::End(_)) {
            self.watchers.remove(&id);
        }
        read
    }

    /// Stops a watcher because its client disconnected or the watch timed out.
    pub fn stop_watcher(&mut self, id: CacheWatcherId) {
        self.forget(id, EndReason::Stopped);
    }

    /// Ends all watchers because the cache has lost its own watch. Returns the ended watchers.
    pub fn terminate_all(&mut self) -> Vec<CacheWatcherId> {
        let ids: Vec<CacheWatcherId> = self.places.keys().copied().collect();
        for id in &ids {
            self.forget(*id, EndReason::CacheLost);
        }
        ids
    }

    /// Sends all selected objects to each watcher, after a relist during which the watchers stayed open. Ends watchers
    /// that cannot be resynced. Returns the number of resynced watchers and the number of objects sent.
    pub fn resync(
        &mut self,
        objects: &[(Key, Arc<Object>)],
        resource_version: u64,
        actions: &mut Dispatched,
    ) -> (u64, u64) {
        let ids: Vec<CacheWatcherId> = self.places.keys().copied().collect();
        let (mut resynced, mut sent) = (0, 0);
        for id in ids {
            let watcher = self.watchers.get_mut(&id);
            let watcher = watcher.expect("who is registered is a watcher");
            if watcher.resync(objects, resource_version) {
                resynced += 1;
                sent += watcher.in_hand_objects();
            } else {
                self.forget(id, EndReason::CacheLost);
            }
            actions.notified.push(id);
        }
        (resynced, sent)
    }

    /// Unregisters a watcher, and ends it immediately or after the current dispatch.
    fn forget(&mut self, id: CacheWatcherId, reason: EndReason) {
        self.unregister(id);
        // Kubernetes also ends the watcher only after the dispatch. Otherwise, closing the watcher's channel would race
        // with the dispatcher's write to this channel.
        if self.blocked.is_some() {
            self.to_stop.push_back((id, reason));
        } else {
            self.end(id, reason);
        }
    }

    fn end(&mut self, id: CacheWatcherId, reason: EndReason) {
        // The client of a stopped watcher reads nothing more. The clients of other ended watchers can still read the
        // events in the result channel.
        if reason == EndReason::Stopped {
            self.watchers.remove(&id);
        } else if let Some(watcher) = self.watchers.get_mut(&id) {
            watcher.end(reason);
        }
    }

    fn unregister(&mut self, id: CacheWatcherId) {
        let Some(place) = self.places.remove(&id) else {
            return;
        };
        let here = self.registry.get_mut(&place);
        let here = here.expect("a watcher is registered at its place");
        here.remove(&id);
        if here.is_empty() {
            self.registry.remove(&place);
        }
    }

    fn go_on(&mut self, now: SimTime, ring: &HistoryRing, actions: &mut Dispatched) {
        self.unblock(now, ring, actions);
        while self.blocked.is_none() {
            if self.bookmark_is_due {
                self.bookmark_is_due = false;
                self.set_bookmark_timer(actions);
                self.send_bookmarks(now, ring, actions);
            }
            let Some(entry) = self.incoming.pop_front() else {
                return;
            };
            self.dispatched += 1;
            let resource_version = entry.resource_version();
            if let StoreElement::Event(event) = &entry {
                // Only events are sent to the watchers. Bookmarks of the cache's own etcd watch can arrive several
                // times per second.
                let candidates = self.candidates(event);
                self.tell(now, ring, entry, candidates, actions);
            }
            self.last_processed_rv = resource_version;
        }
    }

    /// Returns the watchers that may match an event (`startDispatching`).
    fn candidates(&self, event: &WatchCacheEvent) -> Vec<CacheWatcherId> {
        let object = &event.object;
        let any = || Arc::<str>::from("");
        // A set removes duplicates. An object without a namespace has only two different scopes. If the change keeps
        // the trigger's value, the old and the new value are equal.
        let mut places = OrdSet::new();
        for (namespace, name) in [
            (object.namespace.clone(), object.name.clone()),
            (object.namespace.clone(), any()),
            (any(), object.name.clone()),
            (any(), any()),
        ] {
            places.insert(Registration::Scope(Scope { namespace, name }));
        }
        for object in [Some(object), event.prev_object.as_ref()] {
            let value = object.and_then(|object| self.resource.trigger_value(object));
            if let Some(value) = value {
                places.insert(Registration::Trigger(value.into()));
            }
        }
        let found = places.iter().filter_map(|place| self.registry.get(place));
        let ids: OrdSet<CacheWatcherId> = found.flatten().copied().collect();
        ids.iter().copied().collect()
    }

    /// Sends an event to each candidate that has room. If some candidates have no room, takes the whole time budget and
    /// waits for these candidates.
    fn tell(
        &mut self,
        now: SimTime,
        ring: &HistoryRing,
        entry: StoreElement,
        candidates: Vec<CacheWatcherId>,
        actions: &mut Dispatched,
    ) {
        let mut blocked = VecDeque::new();
        for id in candidates {
            if !self.add(id, &entry, ring, actions) {
                blocked.push_back(id);
            }
        }
        if blocked.is_empty() {
            return;
        }
        let budget = self.budget.take_available(now);
        self.blocked = Some(Blocked {
            entry,
            watchers: blocked,
            since: now,
            budget,
        });
        if budget.0 == 0 {
            self.give_up(now, ring, actions);
        } else {
            actions.timers.push((budget, DispatchTimer::Budget));
        }
    }

    fn add(
        &mut self,
        id: CacheWatcherId,
        entry: &StoreElement,
        ring: &HistoryRing,
        actions: &mut Dispatched,
    ) -> bool {
        let Some(watcher) = self.watchers.get_mut(&id) else {
            return true;
        };
        // In Kubernetes, the watcher's goroutine moves queued events on while the dispatcher works, so the watcher may
        // have room again.
        watcher.pump(ring);
        let added = watcher.nonblocking_add(entry);
        if added {
            watcher.pump(ring);
            if !actions.notified.contains(&id) {
                actions.notified.push(id);
            }
        }
        if watcher.ended() == Some(EndReason::Invalidated) && self.places.contains_key(&id) {
            self.unregister(id);
            actions.ended.push((id, EndReason::Invalidated));
            return true;
        }
        added
    }

    /// Tries to send the blocked event to the remaining watchers, one after the other.
    fn unblock(&mut self, now: SimTime, ring: &HistoryRing, actions: &mut Dispatched) {
        let Some(mut blocked) = self.blocked.take() else {
            return;
        };
        while let Some(id) = blocked.watchers.front().copied() {
            if !self.add(id, &blocked.entry, ring, actions) {
                self.blocked = Some(blocked);
                return;
            }
            blocked.watchers.pop_front();
        }
        let used = now - blocked.since;
        self.budget
            .return_unused(blocked.budget.0 as i64 - used.0 as i64);
        self.finish(actions);
    }

    /// Handles the end of the time budget: tries once more to send the event to each blocked watcher, and ends each
    /// watcher that still has no room.
    fn give_up(&mut self, now: SimTime, ring: &HistoryRing, actions: &mut Dispatched) {
        let blocked = self.blocked.take().expect("it waits");
        for id in blocked.watchers {
            if self.add(id, &blocked.entry, ring, actions) {
                continue;
            }
            self.terminated += 1;
            let watcher = self.watchers.get(&id).expect("it could not be added to");
            // The channel contains the bookmark that ends the initial events. With this bookmark, the client can resume
            // at a later resource version.
            let is_graceful = watcher.bookmark_state() == BookmarkState::Received;
            let reason = EndReason::TooSlow { is_graceful };
            self.unregister(id);
            self.to_stop.push_back((id, reason));
        }
        let used = now - blocked.since;
        self.budget
            .return_unused(blocked.budget.0 as i64 - used.0 as i64);
        self.finish(actions);
    }

    /// Finishes a dispatch: ends the watchers whose end was deferred.
    fn finish(&mut self, actions: &mut Dispatched) {
        while let Some((id, reason)) = self.to_stop.pop_front() {
            self.end(id, reason);
            actions.ended.push((id, reason));
        }
    }

    fn set_bookmark_timer(&mut self, actions: &mut Dispatched) {
        let jitter = self.rng.below(BOOKMARK_TIMER.0 / 4);
        let after = SimDuration(BOOKMARK_TIMER.0 + jitter);
        actions.timers.push((after, DispatchTimer::Bookmark));
    }

    /// Sends a bookmark to each watcher whose bookmark is due. A watcher without room receives no bookmark, because its
    /// next bookmark will be newer anyway.
    fn send_bookmarks(&mut self, now: SimTime, ring: &HistoryRing, actions: &mut Dispatched) {
        assert!(self.last_processed_rv > 0, "a bookmark never carries 0");
        let entry = StoreElement::Bookmark {
            resource_version: self.last_processed_rv,
        };
        for id in self.bookmarks.pop_expired(now) {
            if !self.places.contains_key(&id) {
                continue;
            }
            self.add(id, &entry, ring, actions);
            let watcher = self.watchers.get(&id);
            let next = watcher.and_then(|watcher| watcher.next_bookmark_time(now));
            if let Some(at) = next {
                self.bookmarks.add(id, at);
            }
        }
    }
}
