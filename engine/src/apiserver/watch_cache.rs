//! The watch cache of one resource: its objects now, their recent history, and how far it has come.
//!
//! Mirrors `cacher/watch_cache.go`. Left out: locks and conditions (whoever waits is in
//! [`super::freshness`]), metrics, and the decoding of objects. It knows nothing of etcd: whoever owns
//! it lists, watches, and says what came.
//!
//! Three numbers that are easily taken for one another:
//!
//! | | what it says | moved by |
//! |---|---|---|
//! | `cache_rv` | the cache knows of every change up to here | events, progress, relists |
//! | `list_rv` | where the last list was | relists |
//! | the newest event's | where the resource last changed | events |
//!
//! A progress notification moves `cache_rv` alone: nothing has changed, so there is nothing to keep.

use std::sync::Arc;

use crate::base::time::SimTime;

use super::cache_store::CacheStore;
use super::event::{EventType, StoreElement, WatchCacheEvent};
use super::history_ring::{HistoryRing, Pushed, RingLimits};
use super::interval::CacheInterval;
use super::list::{ListResult, Listing};
use super::snapshots::StoreSnapshotter;
use crate::kube::object::{Key, Object};
use crate::kube::resource::Resource;
use crate::kube::status::StatusError;

/// The cache of one resource.
///
/// ```
/// use watchglass_engine::kube::resource::PODS;
/// use watchglass_engine::apiserver::{Listing, RingLimits, WatchCache};
/// use watchglass_engine::kube::object::Object;
/// use watchglass_engine::base::time::SimTime;
/// let mut cache = WatchCache::new(&PODS, RingLimits::DYNAMIC);
/// cache.replace(10, Vec::new());
/// let web = Object::new("Pod", "default", "web-1").at(12);
/// cache.add(web, SimTime(0));
/// cache.update_resource_version(500); // others wrote; pods did not change
/// assert_eq!((cache.cache_rv(), cache.oldest_deliverable()), (500, Some(11)));
/// assert_eq!(cache.list(&Listing::all("/registry/pods/")).resource_version, 500);
/// assert_eq!(cache.since(499).unwrap().remaining(), 0);
/// let error = cache.since(9).unwrap_err();
/// assert_eq!(error.to_string(), "too old resource version: 9 (10)");
/// ```
#[derive(Clone, Debug, Hash)]
pub struct WatchCache {
    resource: &'static Resource,
    store: CacheStore,
    ring: HistoryRing,
    cache_rv: u64,
    list_rv: u64,
    snapshots: Option<StoreSnapshotter>,
}

/// The result of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Processed {
    /// The event for the watchers.
    pub event: Arc<WatchCacheEvent>,
    /// The change of the history.
    pub pushed: Pushed,
}

impl Processed {
    /// What goes into the channel `incoming`: the event, and then, as the reflector tells of every
    /// event's resource version as well, a bookmark. So each event takes two places there.
    pub fn entries(&self) -> [StoreElement; 2] {
        [
            StoreElement::Event(self.event.clone()),
            StoreElement::Bookmark {
                resource_version: self.event.resource_version,
            },
        ]
    }
}

impl WatchCache {
    /// A cache that has not listed yet, and takes no snapshots.
    pub fn new(resource: &'static Resource, limits: RingLimits) -> Self {
        Self {
            resource,
            store: CacheStore::new(resource.list_indexes),
            ring: HistoryRing::new(limits),
            cache_rv: 0,
            list_rv: 0,
            snapshots: None,
        }
    }

    /// The same with snapshots (gate `ListFromCacheSnapshot`).
    #[must_use]
    pub fn with_snapshots(mut self) -> Self {
        self.snapshots = Some(StoreSnapshotter::default());
        self
    }

    // Getters.

    /// The resource of the cache.
    pub fn resource(&self) -> &'static Resource {
        self.resource
    }

    /// The revision up to which the cache has all changes.
    pub fn cache_rv(&self) -> u64 {
        self.cache_rv
    }

    /// The resource version of the last list; 0 before the first list.
    pub fn list_rv(&self) -> u64 {
        self.list_rv
    }

    /// The objects.
    pub fn store(&self) -> &CacheStore {
        &self.store
    }

    /// The history.
    pub fn ring(&self) -> &HistoryRing {
        &self.ring
    }

    /// The snapshots, if snapshots are on.
    pub fn snapshots(&self) -> Option<&StoreSnapshotter> {
        self.snapshots.as_ref()
    }

    /// The resource version of the oldest event that a watch can still be given: the one after the
    /// list until the first event is removed, and then at once the oldest event that is left.
    pub fn oldest_deliverable(&self) -> Option<u64> {
        self.ring.oldest_deliverable(self.list_rv)
    }

    /// The object under a key, and how far the cache has come.
    pub fn get(&self, key: &str) -> (Option<&Arc<Object>>, u64) {
        (self.store.get(key), self.cache_rv)
    }

    // What it is told.

    /// A list of everything replaces what it knew (`Replace`). The history begins anew behind it:
    /// its indices go on, and its capacity stays.
    pub fn replace(&mut self, list_rv: u64, objects: Vec<Object>) -> StoreElement {
        let prefix = self.resource.prefix;
        self.store.replace(
            objects
                .into_iter()
                .map(|object| (object.key(prefix), Arc::new(object))),
        );
        self.ring.reset();
        self.cache_rv = list_rv;
        self.list_rv = list_rv;
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.reset();
            snapshots.add(list_rv, self.store.snapshot());
        }
        StoreElement::Bookmark {
            resource_version: list_rv,
        }
    }

    /// An object was created.
    pub fn add(&mut self, object: Object, now: SimTime) -> Processed {
        let key = object.key(self.resource.prefix);
        self.process_event(EventType::Added, key, object, now)
    }

    /// An object was changed.
    pub fn update(&mut self, object: Object, now: SimTime) -> Processed {
        let key = object.key(self.resource.prefix);
        self.process_event(EventType::Modified, key, object, now)
    }

    /// An object was deleted; `last` is what it was, as etcd tells it.
    pub fn delete(&mut self, last: Object, delete_rv: u64, now: SimTime) -> Processed {
        let key = last.key(self.resource.prefix);
        self.process_event(EventType::Deleted, key, last.at(delete_rv), now)
    }

    /// An event of etcd's watch (`processEvent`). Upstream does all of it under one lock, so that
    /// nobody sees the history without the object.
    pub fn process_event(
        &mut self,
        kind: EventType,
        key: Key,
        object: Object,
        now: SimTime,
    ) -> Processed {
        assert!(
            object.resource_version > 0,
            "an event has the revision of its change"
        );
        let event = Arc::new(WatchCacheEvent {
            kind,
            prev_object: self.store.get(&key).cloned(),
            resource_version: object.resource_version,
            object: Arc::new(object),
            key,
            record_time: now,
        });
        let pushed = self.ring.push(event.clone());
        self.cache_rv = event.resource_version;
        match kind {
            EventType::Added | EventType::Modified => {
                self.store.put(event.key.clone(), event.object.clone());
            }
            EventType::Deleted => {
                self.store.delete(&event.key);
            }
        }
        self.take_snapshot();
        Processed { event, pushed }
    }

    fn take_snapshot(&mut self) {
        let is_full = self.ring.is_full();
        let oldest = self.ring.oldest().map(|event| event.resource_version);
        let Some(snapshots) = &mut self.snapshots else {
            return;
        };
        // While there is room, the list's own snapshot stays: a watch could begin there as well.
        if let Some(oldest) = oldest.filter(|_| is_full) {
            snapshots.remove_less(oldest);
        }
        snapshots.add(self.cache_rv, self.store.snapshot());
    }

    /// Nothing has happened up to here that it has not been told (`UpdateResourceVersion`). The
    /// entry goes to the dispatcher, which passes no such thing on to clients.
    pub fn update_resource_version(&mut self, resource_version: u64) -> StoreElement {
        self.cache_rv = resource_version;
        StoreElement::Bookmark { resource_version }
    }

    /// etcd was compacted: what it could no longer answer, the cache does not answer either.
    /// History stays.
    pub fn compact(&mut self, compact_rv: u64) {
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.remove_less(compact_rv);
        }
    }

    // What it is asked.

    /// The events after a resource version (`getAllEventsSince`). One that it has not reached is no
    /// error: there are none then.
    ///
    /// # Errors
    /// 410 when some of them are gone; 500 before the first list.
    pub fn since(&self, resource_version: u64) -> Result<CacheInterval, StatusError> {
        let oldest = self
            .oldest_deliverable()
            .ok_or(StatusError::NotInitialized)?;
        // A watch from x wants x + 1 and later.
        let minimum = oldest - 1;
        if resource_version < minimum {
            return Err(StatusError::TooOldResourceVersion {
                requested: resource_version,
                minimum: Some(minimum),
            });
        }
        Ok(CacheInterval::of_history(&self.ring, resource_version))
    }

    /// What is there now, as made-up events; of one key, or of all. They carry the resource
    /// version of the cache, so that what happens later is newer than each of them.
    pub fn initial_state(&self, one_key: Option<&str>) -> CacheInterval {
        let made_up = |(key, object): (&Key, &Arc<Object>)| {
            Arc::new(WatchCacheEvent {
                kind: EventType::Added,
                key: key.clone(),
                object: object.clone(),
                prev_object: None,
                resource_version: self.cache_rv,
                record_time: SimTime(0),
            })
        };
        let objects = self.store.objects();
        let events = match one_key {
            Some(key) => {
                let key = Key::from(key);
                objects
                    .get(&key)
                    .map(|object| made_up((&key, object)))
                    .into_iter()
                    .collect()
            }
            None => objects.iter().map(made_up).collect(),
        };
        CacheInterval::of_state(self.cache_rv, events)
    }

    /// A list of what is there now. Its resource version is the cache's, which may be later than
    /// what was asked for.
    pub fn list(&self, listing: &Listing) -> ListResult {
        listing.from_store(&self.store, self.cache_rv)
    }

    /// A list of what was there at exactly this resource version, which the cache has reached.
    ///
    /// # Errors
    /// 410 when no snapshot holds it: the list is then repeated on etcd.
    pub fn list_exact(&self, at: u64, listing: &Listing) -> Result<ListResult, StatusError> {
        assert!(
            at <= self.cache_rv,
            "an exact list waits until the cache has come to {at}; it is at {}",
            self.cache_rv
        );
        let snapshots = self.snapshots.as_ref();
        let found = snapshots.and_then(|snapshots| snapshots.get_less_or_equal(at));
        let Some((_, objects)) = found else {
            return Err(StatusError::TooOldResourceVersion {
                requested: at,
                minimum: None,
            });
        };
        Ok(listing.from_snapshot(objects, at))
    }
}
