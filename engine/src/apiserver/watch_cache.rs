//! The watch cache of one resource: its current objects, their recent history, and its resource version.
//!
//! Mirrors `cacher/watch_cache.go`. Left out: locks and conditions ([`super::freshness`] contains the waiting reads),
//! metrics, and the decoding of objects. The watch cache does not communicate with etcd: its owner lists and watches,
//! and passes the results on to the watch cache.
//!
//! Three resource versions are easily confused:
//!
//! | | meaning | changed by |
//! |---|---|---|
//! | `cache_rv` | the cache has received all changes up to this version | events, progress, relists |
//! | `list_rv` | the version of the last list | relists |
//! | the version of the newest event | the version of the last change of the resource | events |
//!
//! A progress notification changes only `cache_rv`: no object has changed, so there is no event to store.

use std::sync::Arc;

use crate::base::digest::Sparse;
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
/// cache.update_resource_version(500); // writes to other resources
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
    /// Whether the last consistency check found a difference between the cache and etcd.
    is_inconsistent: Sparse<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Processed {
    pub event: Arc<WatchCacheEvent>,
    pub pushed: Pushed,
}

impl Processed {
    /// Returns the two entries for the dispatcher's channel: the event, and a bookmark, because the reflector also
    /// reports the resource version of every event.
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
    /// Creates a cache that has not listed yet and takes no snapshots.
    pub fn new(resource: &'static Resource, limits: RingLimits) -> Self {
        Self {
            resource,
            store: CacheStore::new(resource.list_indexes),
            ring: HistoryRing::new(limits),
            cache_rv: 0,
            list_rv: 0,
            snapshots: None,
            is_inconsistent: Sparse::default(),
        }
    }

    /// Returns an empty cache without indexes for lists (gate `SelectorIndex` disabled).
    #[must_use]
    pub fn without_indexes(self) -> Self {
        Self {
            store: CacheStore::new(&[]),
            ..self
        }
    }

    /// Returns the cache with snapshots turned on (gate `ListFromCacheSnapshot`).
    #[must_use]
    pub fn with_snapshots(mut self) -> Self {
        self.snapshots = Some(StoreSnapshotter::default());
        self
    }

    // Getters.

    pub fn resource(&self) -> &'static Resource {
        self.resource
    }

    /// Returns the revision up to which the cache has all changes.
    pub fn cache_rv(&self) -> u64 {
        self.cache_rv
    }

    /// Returns the resource version of the last list; 0 before the first list.
    pub fn list_rv(&self) -> u64 {
        self.list_rv
    }

    pub fn store(&self) -> &CacheStore {
        &self.store
    }

    /// Returns the history of recent events.
    pub fn ring(&self) -> &HistoryRing {
        &self.ring
    }

    pub fn snapshots(&self) -> Option<&StoreSnapshotter> {
        self.snapshots.as_ref()
    }

    /// Returns the resource version of the oldest event that a watch can still receive. Until the history removes an
    /// event, this is the version after the version of the list. Later, this is the version of the oldest remaining
    /// event.
    pub fn oldest_deliverable(&self) -> Option<u64> {
        self.ring.oldest_deliverable(self.list_rv)
    }

    /// Returns the object with this key, and the resource version of the cache.
    pub fn get(&self, key: &str) -> (Option<&Arc<Object>>, u64) {
        (self.store.get(key), self.cache_rv)
    }

    // Updates.

    /// Replaces all objects with a complete list (`Replace`). The history restarts after the list; its indexes
    /// continue, and its capacity stays.
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
            if !*self.is_inconsistent {
                snapshots.add(list_rv, self.store.snapshot());
            }
        }
        StoreElement::Bookmark {
            resource_version: list_rv,
        }
    }

    pub fn add(&mut self, object: Object, now: SimTime) -> Processed {
        let key = object.key(self.resource.prefix);
        self.process_event(EventType::Added, key, object, now)
    }

    pub fn update(&mut self, object: Object, now: SimTime) -> Processed {
        let key = object.key(self.resource.prefix);
        self.process_event(EventType::Modified, key, object, now)
    }

    /// Handles the deletion of an object. `last` is the last state of the object, as etcd reports it.
    pub fn delete(&mut self, last: Object, delete_rv: u64, now: SimTime) -> Processed {
        let key = last.key(self.resource.prefix);
        self.process_event(EventType::Deleted, key, last.at(delete_rv), now)
    }

    /// Handles an event of etcd's watch (`processEvent`). Kubernetes updates the history and the objects under one
    /// lock, so that no reader sees only one of the two changes.
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
        let is_off = *self.is_inconsistent;
        let Some(snapshots) = self.snapshots.as_mut().filter(|_| !is_off) else {
            return;
        };
        // Until the ring is full, the snapshot of the list stays, because a watch can still start at the list's
        // version.
        if let Some(oldest) = oldest.filter(|_| is_full) {
            snapshots.remove_less(oldest);
        }
        snapshots.add(self.cache_rv, self.store.snapshot());
    }

    /// Handles a progress notification: the cache has received all changes up to this resource version
    /// (`UpdateResourceVersion`). Returns a bookmark for the dispatcher, which does not send it to clients.
    pub fn update_resource_version(&mut self, resource_version: u64) -> StoreElement {
        self.cache_rv = resource_version;
        StoreElement::Bookmark { resource_version }
    }

    /// Handles a compaction of etcd: removes the snapshots below the compact revision, because etcd can no longer serve
    /// those revisions either. The history does not change.
    pub fn compact(&mut self, compact_rv: u64) {
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.remove_less(compact_rv);
        }
    }

    /// Handles the result of a consistency check: without consistency, the cache has no snapshots (`MarkConsistent`).
    pub(super) fn mark_consistent(&mut self, is_consistent: bool) {
        *self.is_inconsistent = !is_consistent;
        if let Some(snapshots) = self.snapshots.as_mut().filter(|_| !is_consistent) {
            snapshots.reset();
        }
    }

    /// Returns true if the last consistency check found no difference.
    pub fn is_consistent(&self) -> bool {
        !*self.is_inconsistent
    }

    // Reads.

    /// Returns the events after a resource version (`getAllEventsSince`). A resource version that the cache has not
    /// reached is not an error: there are no events after it yet.
    ///
    /// # Errors
    /// Returns error 410 if some of the events were removed, and error 500 before the first list.
    pub fn since(&self, resource_version: u64) -> Result<CacheInterval, StatusError> {
        let oldest = self
            .oldest_deliverable()
            .ok_or(StatusError::NotInitialized)?;
        // A watch after version x needs the events from x + 1 on.
        let minimum = oldest - 1;
        if resource_version < minimum {
            return Err(StatusError::TooOldResourceVersion {
                requested: resource_version,
                minimum: Some(minimum),
            });
        }
        Ok(CacheInterval::of_history(&self.ring, resource_version))
    }

    /// Returns the current object with one key, or all current objects, as synthetic events. These events have the
    /// resource version of the cache, so all later events are newer.
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

    /// The list has the resource version of the cache, which may be later than the requested version.
    pub fn list(&self, listing: &Listing) -> ListResult {
        listing.from_store(&self.store, self.cache_rv)
    }

    /// Lists the objects at exactly this resource version, which the cache must have reached.
    ///
    /// # Errors
    /// Returns error 410 if no snapshot covers this resource version. The caller then repeats the list on etcd.
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
