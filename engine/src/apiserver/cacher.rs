//! The complete cache of one resource: the reflector, the watch cache, the dispatcher and the waiting reads.
//!
//! Mirrors `Cacher` of `cacher/cacher.go`, with the reflector that fills the cache (`startCaching`). Left out: the
//! copies that other components of the server keep in their own listers.
//!
//! ```text
//!   list ──▶ ready ──▶ watch ──(compacted)──▶ pending ──1 s──▶ all watches end ──▶ list …
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::{EventKind, RangeResponse, WatchEvent, WatchResponse};
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::interner::Interner;
use crate::base::ordered::OrdMap;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::trace::{KubeTrace, TraceEvent};

use super::cache_watcher::CacheWatcherId;
use super::config::CacheSize;
use super::consistency::CacheDigest;
use super::dispatch::{DispatchTimer, Dispatched, Dispatcher};
use super::event::{EventType, StoreElement};
use super::freshness::{Freshness, Moved, Policy, Wants};
use super::ready::Ready;
use super::storage;
use super::watch_cache::WatchCache;
use crate::kube::codec;
use crate::kube::object::{Key, Object};
use crate::kube::resource::Resource;

/// The delay between the loss of the watch and the restart of the cache.
pub const START_CACHING_RETRY: SimDuration = SimDuration::from_millis(1_000);

/// The time after the first internal error during which the reflector requests new watches without a new list
/// (`MaxInternalErrorRetryDuration`).
const RETRY_MAX: SimDuration = SimDuration::from_millis(30_000);

/// The time without an internal error after which the next error counts as the first error.
const RETRY_RESET: SimDuration = SimDuration::from_millis(60_000);

/// The delay between the end of a watch with an internal error and the next watch. The real reflector does not wait.
const REWATCH_DELAY: SimDuration = SimDuration::from_millis(100);

/// The state of the cache's own reflector.
#[derive(Clone, Debug, Hash)]
pub(super) enum Reflecting {
    Idle,
    /// The reflector lists. Contains the revision of the first page, and the objects of all received pages.
    Listing {
        revision: i64,
        objects: Vec<Object>,
        interner: Interner,
    },
    Watching,
    /// The reflector waits before it restarts.
    Waiting,
    /// The watch ended with an error after which the reflector needs no new list. The reflector requests a new watch
    /// after a short delay.
    Rewatching,
}

impl Reflecting {
    /// Returns true if the reflector waits before its next request.
    pub(super) fn waits(&self) -> bool {
        matches!(self, Self::Waiting | Self::Rewatching)
    }

    /// Returns true if the reflector has lost its watch and requests a new watch after a short delay.
    pub(super) fn waits_for_watch(&self) -> bool {
        matches!(self, Self::Rewatching)
    }
}

/// The internal errors of a reflector's watches (`RetryWithDeadline`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Hash)]
struct InternalErrors {
    /// An error that occurs [`RETRY_RESET`] or more after the last error is a new first error.
    first: SimTime,
    last: Option<SimTime>,
}

impl InternalErrors {
    /// Counts an error. Returns true if the reflector may request a new watch without a new list.
    fn may_retry(&mut self, now: SimTime) -> bool {
        if self.last.is_none_or(|last| now - last >= RETRY_RESET) {
            self.first = now;
        }
        self.last = Some(now);
        now - self.first <= RETRY_MAX
    }
}

/// The cache of one resource.
#[derive(Clone, Debug, Hash)]
pub struct Cacher {
    server: NodeId,
    pub(super) resource: &'static Resource,
    /// The name that the API server gives to the cache's etcd watch.
    pub(super) watch_name: Arc<str>,
    pub(super) cache: WatchCache,
    pub(super) dispatcher: Dispatcher,
    pub(super) freshness: Freshness,
    pub(super) ready: Ready,
    pub(super) reflecting: Reflecting,
    /// The events and notifications from etcd that wait for room in the dispatcher's channel.
    arriving: VecDeque<Arriving>,
    /// The number of client watches for each key or prefix. [`Cacher::decodes`] uses these numbers to compute the cost
    /// of a server without a cache.
    pub(super) watched_keys: OrdMap<Key, u64>,
    /// Whether a check for due bookmarks is scheduled.
    pub(super) looks_for_bookmarks: bool,
    decodes: u64,
    decodes_without_cache: u64,
    /// The time that the cache takes to process each event from etcd.
    per_event: SimDuration,
    /// The decode deadline of the event at the head of the queue.
    decoding: Option<SimTime>,
    /// Whether the watchers stay open during a relist and receive all objects again afterwards.
    pub(super) resyncs: bool,
    relist_cost: RelistCost,
    internal_errors: Sparse<InternalErrors>,
    /// The decode deadlines of the events after the head of the queue, if the cache decodes several events at a time.
    decoding_next: Sparse<VecDeque<SimTime>>,
    /// Whether the cache decodes [`DECODERS`] events at a time instead of one (gate `ConcurrentWatchObjectDecode`).
    pub(super) decodes_concurrently: Sparse<bool>,
    /// The contents of the cache at the start of a running consistency check.
    pub(super) checking: Sparse<Option<CacheDigest>>,
}

/// The number of events that a cache decodes at a time (`processEventConcurrency`).
const DECODERS: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RelistCost {
    /// The number of lists after the first list.
    pub lists: u64,
    /// The number of client watches that relists have ended.
    pub ended: u64,
    /// The number of client watches that stayed open during a relist and received all objects.
    pub resyncs: u64,
    /// The number of objects that relists sent to client watches that stayed open during the relist.
    pub resynced_objects: u64,
}

/// An element of the queue of the cache: an event, a notification, or the end of a response from etcd.
#[derive(Clone, Debug, Hash)]
enum Arriving {
    Event(WatchEvent),
    Progress(u64, Option<u64>),
    /// The end of a response. When the cache processes this element, etcd may send `bytes` more bytes on the stream.
    Taken {
        stream: u32,
        bytes: u64,
    },
}

/// The actions that a cache requests from the server.
#[derive(Debug, Default)]
pub(super) struct CacherActions {
    pub(super) wants: Wants,
    pub(super) dispatched: Dispatched,
    pub(super) trace: Vec<TraceEvent>,
    pub(super) credits: Vec<(u32, u64)>,
    /// The page of the list to request from etcd: the first key of the page, and the revision to read at.
    pub(super) page: Option<(Option<Vec<u8>>, i64)>,
    /// The revision after which the server must start an etcd watch.
    pub(super) watch: Option<u64>,
    pub(super) cancels_watch: bool,
    /// The time at which the event at the head of the cache's queue is decoded. At that time, the server must call the
    /// cache again.
    pub(super) decoded: Option<SimTime>,
    /// The delay after which the server must call [`Cacher::retry`].
    pub(super) retries: Option<SimDuration>,
    pub(super) became_ready: bool,
}

impl Cacher {
    pub(super) fn new(
        (server, server_name): (NodeId, &str),
        (resource, size): (&'static Resource, CacheSize),
        (policy, snapshots): (Policy, bool),
        (seed, now): (u64, SimTime),
    ) -> Self {
        let cache = WatchCache::new(resource, size.limits());
        let cache = if snapshots {
            cache.with_snapshots()
        } else {
            cache
        };
        let label = format!("bookmarks {server_name} {}", resource.name);
        Self {
            server,
            resource,
            watch_name: format!("{server_name}/{}", resource.name).into(),
            cache,
            dispatcher: Dispatcher::new(resource, Rng::stream(seed, &label), now),
            freshness: Freshness::new(policy, now),
            ready: Ready::new(now),
            reflecting: Reflecting::Idle,
            arriving: VecDeque::new(),
            watched_keys: OrdMap::new(),
            looks_for_bookmarks: false,
            decodes: 0,
            decodes_without_cache: 0,
            per_event: SimDuration(0),
            decoding: None,
            resyncs: false,
            relist_cost: RelistCost::default(),
            internal_errors: Sparse::default(),
            decoding_next: Sparse::default(),
            decodes_concurrently: Sparse::default(),
            checking: Sparse::default(),
        }
    }

    /// Sets the time that the cache takes to process each event from etcd.
    pub(super) fn slow(
        &mut self,
        now: SimTime,
        per_event: SimDuration,
        actions: &mut CacherActions,
    ) {
        self.per_event = per_event;
        self.decoding = None;
        self.decoding_next.clear();
        self.take(now, actions);
    }

    // Getters.

    pub fn relist_cost(&self) -> RelistCost {
        self.relist_cost
    }

    /// Returns the decode deadline of the event at the head of the queue, if events have a processing time.
    pub fn decoding(&self) -> Option<SimTime> {
        self.decoding
    }

    /// Returns the number of elements in the queue of events and notifications from etcd.
    pub fn arriving(&self) -> u64 {
        self.arriving.len() as u64
    }

    pub fn resource(&self) -> &'static Resource {
        self.resource
    }

    pub fn cache(&self) -> &WatchCache {
        &self.cache
    }

    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Returns the reads that wait for the cache.
    pub fn freshness(&self) -> &Freshness {
        &self.freshness
    }

    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Returns true if the etcd watch of the cache is open.
    pub fn is_watching(&self) -> bool {
        matches!(self.reflecting, Reflecting::Watching)
    }

    /// Returns two numbers: the events that the cache has decoded, and the events that the server would have decoded if
    /// each client's watch had its own etcd watch. The objects of lists are not counted: every client of a server
    /// without a cache lists, too.
    pub fn decodes(&self) -> (u64, u64) {
        (self.decodes, self.decodes_without_cache)
    }

    // The reflector.

    /// Starts to list all objects. First ends all client watches, unless the watches stay open during a relist
    /// (`startCaching`).
    pub(super) fn start_caching(&mut self, actions: &mut CacherActions) {
        let ended = match self.resyncs {
            true => Vec::new(),
            false => self.dispatcher.terminate_all(),
        };
        self.relist_cost.ended += ended.len() as u64;
        actions.dispatched.notified.extend(&ended);
        actions.trace.push(TraceEvent::Kube(KubeTrace::Lists {
            server: self.server,
            resource: self.resource.name,
            ended: ended.len() as u32,
        }));
        self.arriving.clear();
        self.decoding = None;
        self.decoding_next.clear();
        self.reflecting = Reflecting::Listing {
            revision: 0,
            objects: Vec::new(),
            interner: Interner::default(),
        };
        actions.page = Some((None, 0));
    }

    /// Handles a page of the list that fills the cache.
    pub(super) fn listed(
        &mut self,
        now: SimTime,
        range: &RangeResponse,
        actions: &mut CacherActions,
    ) {
        let Reflecting::Listing {
            revision,
            objects,
            interner,
        } = &mut self.reflecting
        else {
            return;
        };
        if *revision == 0 {
            *revision = range.header.revision;
        }
        objects.extend(
            range
                .kvs
                .iter()
                .map(|kv| storage::object_with(interner, self.resource, kv)),
        );
        if let Some(last) = range.kvs.last().filter(|_| range.more) {
            let mut next = last.key.to_vec();
            next.push(0);
            actions.page = Some((Some(next), *revision));
            return;
        }
        let (revision, objects) = (*revision as u64, std::mem::take(objects));
        let count = objects.len() as u64;
        self.reflecting = Reflecting::Watching;
        let entry = self.cache.replace(revision, objects);
        let is_again = self.dispatcher.last_processed_rv() > 0;
        self.relist_cost.lists += u64::from(is_again);
        if is_again && self.resyncs {
            let store = self.cache.store().objects().iter();
            let all: Vec<_> = store.map(|(key, o)| (key.clone(), o.clone())).collect();
            let dispatched = &mut actions.dispatched;
            let (resynced, objects) = self.dispatcher.resync(&all, revision, dispatched);
            self.relist_cost.resyncs += resynced;
            self.relist_cost.resynced_objects += objects;
        }
        actions.trace.push(TraceEvent::Kube(KubeTrace::Listed {
            server: self.server,
            resource: self.resource.name,
            revision,
            objects: count,
        }));
        self.ready.set_ready();
        actions.became_ready = true;
        actions.watch = Some(revision);
        if self.dispatcher.last_processed_rv() == 0 {
            // The cache ignores the returned timer. The server sets the first bookmark timer when the cache has
            // watchers.
            self.dispatcher.start(revision);
        }
        self.dispatcher.offer(entry);
        self.dispatch(now, actions);
        let rv = self.cache.cache_rv();
        self.freshness
            .cache_moved(now, rv, Moved::Relist, &mut actions.wants);
        self.freshness.start(now, &mut actions.wants);
    }

    pub(super) fn list_failed(
        &mut self,
        now: SimTime,
        why: &Arc<str>,
        actions: &mut CacherActions,
    ) {
        let error = format!("failed to list *core.{}: {why}", self.resource.kind);
        self.lost(now, why, Some(error.into()), actions);
    }

    /// Handles a failed list, or an end of the watch after which the cache must relist. The cache is not ready until it
    /// has relisted.
    fn lost(
        &mut self,
        now: SimTime,
        why: &Arc<str>,
        error: Option<Arc<str>>,
        actions: &mut CacherActions,
    ) {
        self.ready.set_pending(now, error);
        actions.trace.push(TraceEvent::Kube(KubeTrace::CacheLost {
            server: self.server,
            resource: self.resource.name,
            why: why.clone(),
        }));
        self.reflecting = Reflecting::Waiting;
        actions.retries = Some(START_CACHING_RETRY);
    }

    /// Handles the end of the watch. After an internal error (for example, the member has no leader), the cache stays
    /// ready, and the reflector requests a new watch that starts after the cache's revision. After any other error, or
    /// if internal errors last longer than [`RETRY_MAX`], the cache must list again.
    pub(super) fn watch_ended(
        &mut self,
        now: SimTime,
        why: &Arc<str>,
        is_internal: bool,
        actions: &mut CacherActions,
    ) {
        if !is_internal || !self.internal_errors.may_retry(now) {
            return self.lost(now, why, None, actions);
        }
        // The new watch starts after the last processed revision, so etcd sends the undecoded events again.
        self.arriving.clear();
        self.decoding = None;
        self.decoding_next.clear();
        self.reflecting = Reflecting::Rewatching;
        actions.retries = Some(REWATCH_DELAY);
    }

    /// Continues after a delay: restarts the cache, or requests a new watch.
    pub(super) fn retry(&mut self, actions: &mut CacherActions) {
        if self.reflecting.waits_for_watch() {
            self.reflecting = Reflecting::Watching;
            actions.watch = Some(self.cache.cache_rv());
        } else {
            self.start_caching(actions);
        }
    }

    pub(super) fn handle_watch_response(
        &mut self,
        now: SimTime,
        response: &WatchResponse,
        (stream, bytes): (u32, u64),
        actions: &mut CacherActions,
    ) {
        if !response.created && !response.canceled {
            if response.events.is_empty() {
                let revision = response.header.revision as u64;
                self.arriving
                    .push_back(Arriving::Progress(revision, response.echo));
            }
            let events = response.events.iter().cloned();
            self.arriving.extend(events.map(Arriving::Event));
        }
        self.arriving.push_back(Arriving::Taken { stream, bytes });
        self.take(now, actions);
    }

    /// Processes the queued events and notifications from etcd while the dispatcher's channel has room.
    pub(super) fn take(&mut self, now: SimTime, actions: &mut CacherActions) {
        while self.dispatcher.has_room() && self.has_decoded(now, actions) {
            match self.arriving.pop_front() {
                None => return,
                Some(Arriving::Event(event)) => self.event(now, &event, actions),
                Some(Arriving::Progress(revision, echo)) => {
                    self.progress(now, revision, echo, actions);
                }
                Some(Arriving::Taken { stream, bytes }) => actions.credits.push((stream, bytes)),
            }
        }
    }

    /// Returns true if the cache can process the element at the head of its queue. An event can be processed only after
    /// it is decoded, which can take time.
    fn has_decoded(&mut self, now: SimTime, actions: &mut CacherActions) -> bool {
        if self.per_event.0 == 0 || !matches!(self.arriving.front(), Some(Arriving::Event(_))) {
            return true;
        }
        let decoders = match *self.decodes_concurrently {
            true => DECODERS,
            false => 1,
        };
        let events = self.arriving.iter();
        let events = events.filter(|arriving| matches!(arriving, Arriving::Event(_)));
        let queued = events.take(decoders as usize).count() as u64;
        let started = u64::from(self.decoding.is_some()) + self.decoding_next.len() as u64;
        for _ in started..queued {
            let until = now + self.per_event;
            if self.decoding.is_none() {
                self.decoding = Some(until);
                actions.decoded = Some(until);
            } else {
                self.decoding_next.push_back(until);
            }
        }
        let is_decoded = self.decoding.is_some_and(|until| until <= now);
        if is_decoded {
            // The events leave in their order, so the next event may be decoded already.
            self.decoding = self.decoding_next.pop_front();
            actions.decoded = self.decoding;
        }
        is_decoded
    }

    fn event(&mut self, now: SimTime, event: &WatchEvent, actions: &mut CacherActions) {
        if let Some(why) = codec::error_of(&event.kv.value) {
            // The error of the decoder ends the watch, and its reason lets the reflector watch again for a while.
            actions.cancels_watch = true;
            return self.watch_ended(now, &why.into(), true, actions);
        }
        let from = self.cache.cache_rv();
        let key: Key = String::from_utf8_lossy(&event.kv.key).into();
        let revision = event.kv.mod_revision as u64;
        self.decodes += 1;
        self.decodes_without_cache += self.watches_of(&key);
        let (kind, object) = match event.kind {
            EventKind::Put => {
                let kind = if event.is_create() {
                    EventType::Added
                } else {
                    EventType::Modified
                };
                (kind, storage::object(self.resource, &event.kv))
            }
            EventKind::Delete => {
                // The event of a delete contains the last object, at the revision of the delete.
                let before = match &event.prev_kv {
                    Some(kv) => storage::object(self.resource, kv),
                    None => match self.cache.store().get(&key) {
                        Some(object) => Object::clone(object),
                        None => return,
                    },
                };
                (EventType::Deleted, before.at(revision))
            }
        };
        let processed = self.cache.process_event(kind, key, object, now);
        actions.trace.push(TraceEvent::Kube(KubeTrace::CacheMoved {
            server: self.server,
            resource: self.resource.name,
            from,
            to: revision,
            by_progress: false,
            evicted: processed.pushed.evicted,
            resized: processed.pushed.resized,
        }));
        for entry in processed.entries() {
            let has_room = self.dispatcher.offer(entry);
            assert!(has_room, "room was looked for");
        }
        self.dispatch(now, actions);
        self.freshness
            .cache_moved(now, revision, Moved::Event, &mut actions.wants);
    }

    fn progress(
        &mut self,
        now: SimTime,
        revision: u64,
        echo: Option<u64>,
        actions: &mut CacherActions,
    ) {
        let from = self.cache.cache_rv();
        // The resource version of the cache never decreases, even if a notification has an older revision.
        let entry: StoreElement = self.cache.update_resource_version(revision.max(from));
        actions.trace.push(TraceEvent::Kube(KubeTrace::CacheMoved {
            server: self.server,
            resource: self.resource.name,
            from,
            to: revision.max(from),
            by_progress: true,
            evicted: 0,
            resized: None,
        }));
        self.dispatcher.offer(entry);
        self.dispatch(now, actions);
        let moved = Moved::Progress { echo };
        let rv = self.cache.cache_rv();
        self.freshness
            .cache_moved(now, rv, moved, &mut actions.wants);
    }

    /// Dispatches the entries in the dispatcher's channel to the watchers.
    pub(super) fn dispatch(&mut self, now: SimTime, actions: &mut CacherActions) {
        let dispatched = self.dispatcher.dispatch(now, self.cache.ring());
        merge(&mut actions.dispatched, dispatched);
    }

    pub(super) fn wake_dispatcher(
        &mut self,
        now: SimTime,
        timer: DispatchTimer,
        actions: &mut CacherActions,
    ) {
        let dispatched = self.dispatcher.wake(now, timer, self.cache.ring());
        merge(&mut actions.dispatched, dispatched);
        self.take(now, actions);
    }

    fn watches_of(&self, key: &Key) -> u64 {
        let count = |prefix: &str| self.watched_keys.get(prefix).copied().unwrap_or(0);
        let inside = key.len().min(self.resource.prefix.len());
        let namespace = key[inside..].find('/').map(|at| inside + at + 1);
        let of_namespace = namespace.map_or(0, |end| count(&key[..end]));
        count(self.resource.prefix) + of_namespace + count(key)
    }

    pub(super) fn watch_added(&mut self, key: &Key) {
        *self.watched_keys.get_or_insert_with(key.clone(), || 0) += 1;
    }

    pub(super) fn watch_gone(&mut self, key: &Key) {
        if let Some(count) = self.watched_keys.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                self.watched_keys.remove(key);
            }
        }
    }
}

fn merge(all: &mut Dispatched, more: Dispatched) {
    all.timers.extend(more.timers);
    for id in more.notified {
        if !all.notified.contains(&id) {
            all.notified.push(id);
        }
    }
    all.ended.extend(more.ended);
}

/// Returns the watchers that a dispatch notified or ended, each once.
pub(super) fn touched(dispatched: &Dispatched) -> Vec<CacheWatcherId> {
    let mut ids = dispatched.notified.clone();
    for (id, _) in &dispatched.ended {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    ids
}
