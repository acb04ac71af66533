//! The guarantees that an API server gives its clients, with one checker for each guarantee. The checkers read only the
//! trace.
//!
//! The checkers compare responses with etcd's committed changes, not with a cache. A check of contents reads every
//! object of every list, which is too slow for a page with 150,000 pods, so only tests enable this check.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::kube::list_options::{ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::resource::{EVENTS, RESOURCES};
use crate::kube::{
    KubeAnswer, KubeRequest, KubeResponse, KubeVerb, KubeWatchEvent, Object, ObjectList, Resource,
    codec,
};
use crate::mvcc::kv_store::FIRST_REVISION;
use crate::trace::{ChangeKind, Event, KubeTrace, TraceEvent};
use crate::words::kube_guard as words;

/// The guarantees that an API server gives its clients.
///
/// ```
/// use watchglass_engine::observe::KubeGuarantee;
/// let names: Vec<&str> = KubeGuarantee::ALL.iter().map(|g| g.name()).collect();
/// assert_eq!(names.join(" "), "ConsistentList TrueList Ordered Reliable Bookmarkable");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeGuarantee {
    /// A list without a resource version contains every change that was committed before the request.
    ConsistentList,
    /// A list contains exactly the objects that existed at its resource version.
    TrueList,
    /// Events of a watch arrive in the order of their resource versions, and no event arrives twice.
    Ordered,
    /// No event is missing.
    Reliable,
    /// A bookmark arrives only after all events up to its resource version.
    Bookmarkable,
}

impl KubeGuarantee {
    /// All guarantees.
    pub const ALL: [Self; 5] = [
        Self::ConsistentList,
        Self::TrueList,
        Self::Ordered,
        Self::Reliable,
        Self::Bookmarkable,
    ];

    /// Returns the name of the guarantee.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConsistentList => words::CONSISTENT_LIST_NAME,
            Self::TrueList => words::TRUE_LIST_NAME,
            Self::Ordered => words::ORDERED_NAME,
            Self::Reliable => words::RELIABLE_NAME,
            Self::Bookmarkable => words::BOOKMARKABLE_NAME,
        }
    }

    /// Returns one sentence that states the guarantee.
    pub fn promise(self) -> &'static str {
        match self {
            Self::ConsistentList => words::CONSISTENT_LIST,
            Self::TrueList => words::TRUE_LIST,
            Self::Ordered => words::ORDERED,
            Self::Reliable => words::RELIABLE,
            Self::Bookmarkable => words::BOOKMARKABLE,
        }
    }
}

/// The first breach of a guarantee in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeBreach {
    /// The guarantee.
    pub guarantee: KubeGuarantee,
    /// The step of the breach.
    pub step: u64,
    /// The client that received the response or event.
    pub client: NodeId,
    /// The breach, in one sentence.
    pub what: String,
}

/// Follows a run and records the first breach of each guarantee.
#[derive(Clone, Debug, Default)]
pub struct KubeGuard {
    is_thorough: bool,
    /// The newest committed revision.
    head: u64,
    /// The changes of the current write: for each change, whether it is a delete, the key and the value. Empty unless
    /// the guard checks contents.
    pending: Vec<(bool, Arc<str>, Arc<[u8]>)>,
    /// All changes of objects, oldest first. Empty unless the guard checks contents.
    changes: Vec<Change>,
    /// The object that each key has after all `changes`.
    newest: BTreeMap<Arc<str>, Arc<Object>>,
    /// The lists in flight. For each list: etcd's revision at the time of the request, and the request.
    lists: BTreeMap<(NodeId, u64), (u64, Arc<KubeRequest>)>,
    watches: BTreeMap<(NodeId, u64), Watched>,
    asked: BTreeMap<(NodeId, u64), (NodeId, u64)>,
    /// The step of the first check of each guarantee.
    applied: [Option<u64>; KubeGuarantee::ALL.len()],
    breaches: Vec<KubeBreach>,
    /// Whether a restored backup has lowered the store's revision. Caches may then still contain changes that etcd
    /// lost.
    was_taken_back: bool,
    /// The API servers that store the objects of the resource `events` in a second etcd. The guard follows the
    /// revisions of one etcd, so it ignores requests to these servers for this resource.
    with_events_etcd: BTreeSet<NodeId>,
}

#[derive(Clone, Debug)]
struct Change {
    revision: u64,
    key: Arc<str>,
    before: Option<Arc<Object>>,
    after: Option<Arc<Object>>,
}

#[derive(Clone, Debug)]
struct Watched {
    request: Arc<KubeRequest>,
    /// The revision up to which the watch has received everything; `None` until the watch starts.
    at: Option<u64>,
}

impl KubeGuard {
    /// Creates a guard that also checks the contents of lists and watches.
    pub fn thorough() -> Self {
        Self {
            is_thorough: true,
            ..Self::default()
        }
    }

    /// Returns the breaches, at most one per guarantee.
    pub fn breaches(&self) -> &[KubeBreach] {
        &self.breaches
    }

    /// Returns the step of the first check of a guarantee; `None` if the guarantee is not exercised yet.
    pub fn applied(&self, guarantee: KubeGuarantee) -> Option<u64> {
        self.applied[guarantee as usize]
    }

    /// Returns true if a restored backup has lowered the store's revision, which breaks the guarantees of real API
    /// servers too.
    pub fn was_taken_back(&self) -> bool {
        self.was_taken_back
    }

    /// Returns the committed objects of a resource; empty unless the guard checks contents.
    pub fn objects(&self, resource: &Resource) -> BTreeMap<Arc<str>, Arc<Object>> {
        self.state(resource, &WatchTarget::everything(), u64::MAX)
    }

    /// Sets the revision of the store at the start of the run.
    pub fn begin_at(&mut self, revision: i64) {
        self.head = revision as u64;
    }

    /// Records an event and checks the guarantees that it concerns.
    pub fn observe(&mut self, event: &Event) {
        match &event.what {
            TraceEvent::Kube(what) => self.kube(event.step, what),
            _ if event.node == Some(NodeId::EVENTS_ETCD) => {}
            TraceEvent::Changed {
                kind, key, value, ..
            } if self.is_thorough => {
                let key: Arc<str> = String::from_utf8_lossy(key).into();
                let value: Arc<[u8]> = value.to_vec().into();
                self.pending.push((*kind == ChangeKind::Delete, key, value));
            }
            TraceEvent::Committed { revision, .. } => self.committed(*revision as u64),
            TraceEvent::Restored {
                backup, revision, ..
            } => {
                self.was_taken_back |= (*revision as u64) < self.head;
                self.head = *revision as u64;
                self.changes.retain(|c| c.revision <= *backup as u64);
                let kept = self
                    .changes
                    .iter()
                    .map(|c| (c.key.clone(), c.after.clone()));
                let kept: BTreeMap<_, _> = kept.collect();
                let kept = kept.into_iter();
                self.newest = kept
                    .filter_map(|(key, after)| Some((key, after?)))
                    .collect();
            }
            _ => {}
        }
    }

    fn committed(&mut self, revision: u64) {
        self.head = revision;
        for (is_delete, key, value) in std::mem::take(&mut self.pending) {
            let found = RESOURCES.into_iter().find(|r| key.starts_with(r.prefix));
            let Some(resource) = found else { continue };
            let after =
                (!is_delete).then(|| Arc::new(codec::decode(resource, &key, &value, revision)));
            let before = match &after {
                Some(after) => self.newest.insert(key.clone(), after.clone()),
                None => self.newest.remove(&key),
            };
            self.changes.push(Change {
                revision,
                key,
                before,
                after,
            });
        }
    }

    fn kube(&mut self, step: u64, what: &KubeTrace) {
        match what {
            KubeTrace::EventsEtcd { server, is_own } => {
                match is_own {
                    true => self.with_events_etcd.insert(*server),
                    false => self.with_events_etcd.remove(server),
                };
            }
            KubeTrace::Sends {
                server, request, ..
            } if request.resource.name == EVENTS.name && self.with_events_etcd.contains(server) => {
            }
            KubeTrace::Sends {
                client,
                call,
                request,
                ..
            } => {
                let place = (*client, *call);
                match &request.verb {
                    KubeVerb::List { .. } => {
                        self.lists.insert(place, (self.head, request.clone()));
                    }
                    KubeVerb::Watch { .. } => {
                        let request = request.clone();
                        self.watches.insert(place, Watched { request, at: None });
                    }
                    _ => {}
                }
            }
            KubeTrace::Asked {
                server,
                id,
                client,
                call,
                ..
            } => {
                self.asked.insert((*server, *id), (*client, *call));
            }
            KubeTrace::WatchBegan {
                server, id, from, ..
            } => {
                let place = self.asked.get(&(*server, *id)).copied();
                let watch = place.and_then(|place| self.watches.get_mut(&place));
                if let Some(watch) = watch {
                    // The check starts after the initial objects, which have older resource versions.
                    watch.at = Some(*from);
                }
            }
            KubeTrace::Hears {
                client,
                call,
                answer,
                ..
            } => self.answered(step, (*client, *call), answer),
            KubeTrace::Events {
                client,
                call,
                events,
                ..
            } => {
                for event in events.iter() {
                    self.heard(step, (*client, *call), event);
                }
            }
            KubeTrace::StreamEnds { client, call, .. } => {
                self.watches.remove(&(*client, *call));
            }
            _ => {}
        }
    }

    fn answered(&mut self, step: u64, place: (NodeId, u64), answer: &KubeAnswer) {
        let Some((head, request)) = self.lists.remove(&place) else {
            return;
        };
        let (Ok(KubeResponse::List(list)), KubeVerb::List { target, options }) =
            (answer, &request.verb)
        else {
            return;
        };
        let is_consistent =
            options.resource_version == ResourceVersion::Unset && options.continue_token.is_none();
        if is_consistent {
            let (rv, now) = (list.resource_version, self.head.max(FIRST_REVISION as u64));
            let is_broken = rv < head || rv > now;
            self.judge(
                step,
                KubeGuarantee::ConsistentList,
                place.0,
                is_broken,
                || match rv > now {
                    true => words::list_of_lost_revision(rv, now),
                    false => words::list_older_than_write(rv, head),
                },
            );
        }
        if let (ResourceVersion::At(rv), how) =
            (options.resource_version, &options.resource_version_match)
            && *how != Some(ResourceVersionMatch::Exact)
            && options.continue_token.is_none()
        {
            let is_broken = list.resource_version < rv;
            self.judge(
                step,
                KubeGuarantee::ConsistentList,
                place.0,
                is_broken,
                || words::list_older_than_minimum(list.resource_version, rv),
            );
        }
        let is_whole = list.not_kept == 0 && list.continue_token.is_none();
        if self.is_thorough && is_whole && options.continue_token.is_none() {
            self.check_list(step, place.0, &request, target, list);
        }
    }

    fn check_list(
        &mut self,
        step: u64,
        client: NodeId,
        request: &KubeRequest,
        target: &WatchTarget,
        list: &ObjectList,
    ) {
        let expected = self.state(request.resource, target, list.resource_version);
        let expected: Vec<(String, u64)> = expected.values().map(|o| place_of(o)).collect();
        let found: Vec<(String, u64)> = list.items.iter().map(|o| place_of(o)).collect();
        let is_broken = expected != found;
        self.judge(step, KubeGuarantee::TrueList, client, is_broken, || {
            words::wrong_objects(list.resource_version, &found, &expected)
        });
    }

    /// Returns the objects that the target selects at a revision, computed from the committed changes.
    fn state(
        &self,
        resource: &Resource,
        target: &WatchTarget,
        at: u64,
    ) -> BTreeMap<Arc<str>, Arc<Object>> {
        let mut state = BTreeMap::new();
        for change in self.changes.iter().take_while(|c| c.revision <= at) {
            if !change.key.starts_with(resource.prefix) {
                continue;
            }
            match change.after.as_ref().filter(|o| target.selects(o)) {
                Some(object) => state.insert(change.key.clone(), object.clone()),
                None => state.remove(&change.key),
            };
        }
        state
    }

    fn heard(&mut self, step: u64, place: (NodeId, u64), event: &KubeWatchEvent) {
        let Some(watch) = self.watches.get(&place) else {
            return;
        };
        let (Some(at), Some(rv)) = (watch.at, event.resource_version()) else {
            return;
        };
        let request = watch.request.clone();
        // A resync sends all objects again. Events before the resync may have been skipped, so the objects are checked
        // as a list.
        if let KubeWatchEvent::Resync {
            items,
            resource_version,
        } = event
        {
            if let (true, KubeVerb::Watch { target, .. }) = (self.is_thorough, &request.verb) {
                let list = ObjectList {
                    resource_version: *resource_version,
                    items: items.to_vec(),
                    continue_token: None,
                    remaining: None,
                    not_kept: 0,
                };
                self.check_list(step, place.0, &request, target, &list);
            }
            let watch = self.watches.get_mut(&place).expect("it was just found");
            watch.at = Some(at.max(rv));
            return;
        }
        let is_bookmark = matches!(event, KubeWatchEvent::Bookmark { .. });
        if rv <= at {
            // An initial event or a bookmark may repeat an older revision; all other events must have a newer revision.
            let is_initial = matches!(event, KubeWatchEvent::Added(_));
            let is_broken = !is_initial && !is_bookmark;
            self.judge(step, KubeGuarantee::Ordered, place.0, is_broken, || {
                words::out_of_order(rv, at)
            });
            return;
        }
        self.judge(step, KubeGuarantee::Ordered, place.0, false, String::new);
        let missed = if self.is_thorough {
            self.missed(&request, at, rv, event)
        } else {
            None
        };
        let guarantee = match is_bookmark {
            true => KubeGuarantee::Bookmarkable,
            false => KubeGuarantee::Reliable,
        };
        let is_broken = missed.is_some() || rv > self.head;
        self.judge(step, guarantee, place.0, is_broken, || {
            missed.unwrap_or_else(|| words::in_future(rv))
        });
        let watch = self.watches.get_mut(&place).expect("it was just found");
        watch.at = Some(rv);
    }

    /// Describes the first change that the watch did not receive, or that it received with a wrong event type.
    fn missed(
        &self,
        request: &KubeRequest,
        at: u64,
        rv: u64,
        event: &KubeWatchEvent,
    ) -> Option<String> {
        let KubeVerb::Watch { target, .. } = &request.verb else {
            return None;
        };
        let from = self.changes.partition_point(|c| c.revision <= at);
        let inside = self.changes[from..].iter().take_while(|c| c.revision <= rv);
        for change in inside.filter(|c| c.key.starts_with(request.resource.prefix)) {
            let passes = |o: &Option<Arc<Object>>| o.as_ref().is_some_and(|o| target.selects(o));
            let expected = match (passes(&change.before), passes(&change.after)) {
                (false, false) => continue,
                (false, true) => "ADDED",
                (true, true) => "MODIFIED",
                (true, false) => "DELETED",
            };
            if change.revision < rv || event.type_name() != expected {
                let received = (event.type_name(), rv);
                let expected = (expected, change.revision);
                return Some(words::wrong_event(received, expected, &change.key));
            }
        }
        None
    }

    fn judge(
        &mut self,
        step: u64,
        guarantee: KubeGuarantee,
        client: NodeId,
        is_broken: bool,
        what: impl FnOnce() -> String,
    ) {
        self.applied[guarantee as usize].get_or_insert(step);
        let is_new = self.breaches.iter().all(|b| b.guarantee != guarantee);
        if is_broken && is_new {
            self.breaches.push(KubeBreach {
                guarantee,
                step,
                client,
                what: what(),
            });
        }
    }
}

fn place_of(object: &Object) -> (String, u64) {
    let name = match &*object.namespace {
        "" => object.name.to_string(),
        namespace => format!("{namespace}/{}", object.name),
    };
    (name, object.resource_version)
}
