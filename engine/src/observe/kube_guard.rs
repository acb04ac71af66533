//! The guarantees that an API server gives its clients, with one checker for each guarantee. The checkers read only the
//! trace.
//!
//! The checkers compare responses with etcd's committed changes, which the [`Guard`] of etcd's guarantees stores, not
//! with a cache. To check the contents of every list and watch would be too slow for a page with 150,000 pods: the page
//! checks the contents of lists that the user typed, up to [`ROWS_MAX`] objects; tests check all contents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::kube::list_options::{ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::resource::EVENTS;
use crate::kube::{
    KubeAnswer, KubeRequest, KubeResponse, KubeVerb, KubeWatchEvent, Object, ObjectList, Resource,
    codec,
};
use crate::mvcc::kv_store::FIRST_REVISION;
use crate::trace::{Event, KubeTrace, TraceEvent};
use crate::words::kube_guard as words;

use super::guarantees::{CommittedRow, Guard};

/// The maximum number of rows that one check of a list reads in the page, so that the step that delivers a list stays
/// short. kubectl requests pages of 500 objects, which are checked in a store of any size.
const ROWS_MAX: usize = 10_000;

/// The guarantees that an API server gives its clients.
///
/// ```
/// use watchglass_engine::observe::KubeGuarantee;
/// let names: Vec<&str> = KubeGuarantee::ALL.iter().map(|g| g.name()).collect();
/// assert_eq!(names.join(" "), "ConsistentList Ordered Reliable Bookmarkable");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeGuarantee {
    /// A list without a resource version contains every change that was committed before the request, and exactly the
    /// objects that existed at the resource version of the list.
    ConsistentList,
    /// Events of a watch arrive in the order of their resource versions, and no event arrives twice.
    Ordered,
    /// No event is missing.
    Reliable,
    /// A bookmark arrives only after all events up to its resource version.
    Bookmarkable,
}

impl KubeGuarantee {
    pub const ALL: [Self; 4] = [
        Self::ConsistentList,
        Self::Ordered,
        Self::Reliable,
        Self::Bookmarkable,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::ConsistentList => words::CONSISTENT_LIST_NAME,
            Self::Ordered => words::ORDERED_NAME,
            Self::Reliable => words::RELIABLE_NAME,
            Self::Bookmarkable => words::BOOKMARKABLE_NAME,
        }
    }

    /// Returns one sentence that states the guarantee.
    pub fn promise(self) -> &'static str {
        match self {
            Self::ConsistentList => words::CONSISTENT_LIST,
            Self::Ordered => words::ORDERED,
            Self::Reliable => words::RELIABLE,
            Self::Bookmarkable => words::BOOKMARKABLE,
        }
    }
}

/// The first breach of a guarantee in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeBreach {
    pub guarantee: KubeGuarantee,
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
    /// The newest object of each key that a thorough check has decoded, because most rows are part of many lists.
    decoded: BTreeMap<Vec<u8>, Arc<Object>>,
}

#[derive(Clone, Debug)]
struct Watched {
    request: Arc<KubeRequest>,
    /// The revision up to which the watch has received everything; `None` until the watch starts.
    at: Option<u64>,
}

impl KubeGuard {
    /// Creates a guard that checks the contents of all lists and watches.
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

    /// Sets the revision of the store at the start of the run.
    pub fn begin_at(&mut self, revision: i64) {
        self.head = revision as u64;
    }

    /// Records an event and checks the guarantees that it concerns, with the changes that `etcd` has recorded.
    pub fn observe(&mut self, event: &Event, etcd: &Guard) {
        match &event.what {
            TraceEvent::Kube(what) => self.kube(event.step, what, etcd),
            _ if event.node == Some(NodeId::EVENTS_ETCD) => {}
            TraceEvent::Committed { revision, .. } => self.head = *revision as u64,
            TraceEvent::Restored { revision, .. } => {
                self.was_taken_back |= (*revision as u64) < self.head;
                self.head = *revision as u64;
            }
            _ => {}
        }
    }

    fn kube(&mut self, step: u64, what: &KubeTrace, etcd: &Guard) {
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
                is_typed,
                answer,
                ..
            } => self.answered(step, (*client, *call), *is_typed, answer, etcd),
            KubeTrace::Events {
                client,
                call,
                events,
                ..
            } => {
                for event in events.iter() {
                    self.heard(step, (*client, *call), event, etcd);
                }
            }
            KubeTrace::StreamEnds { client, call, .. } => {
                self.watches.remove(&(*client, *call));
            }
            _ => {}
        }
    }

    fn answered(
        &mut self,
        step: u64,
        place: (NodeId, u64),
        is_typed: bool,
        answer: &KubeAnswer,
        etcd: &Guard,
    ) {
        let Some((head, request)) = self.lists.remove(&place) else {
            return;
        };
        let (Ok(KubeResponse::List(list)), KubeVerb::List { target, options }) =
            (answer, &request.verb)
        else {
            return;
        };
        if options.continue_token.is_some() {
            return;
        }
        let (rv, now) = (list.resource_version, self.head.max(FIRST_REVISION as u64));
        let is_exact = options.resource_version_match == Some(ResourceVersionMatch::Exact);
        let (is_promised, age) = match options.resource_version {
            ResourceVersion::Unset if rv > now => {
                (true, Some(words::list_of_lost_revision(rv, now)))
            }
            ResourceVersion::Unset => {
                let is_old = rv < head;
                (true, is_old.then(|| words::list_older_than_write(rv, head)))
            }
            ResourceVersion::At(least) if !is_exact => {
                let is_old = rv < least;
                (
                    true,
                    is_old.then(|| words::list_older_than_minimum(rv, least)),
                )
            }
            _ => (false, None),
        };
        let is_checked = self.is_thorough || is_typed && is_promised;
        let found = age.or_else(|| match is_checked {
            true => self.wrong_objects(request.resource, target, list, etcd),
            false => None,
        });
        if is_promised || found.is_some() {
            self.judge(step, KubeGuarantee::ConsistentList, place.0, found);
        }
    }

    /// Compares a list, or the first page of a list, with the objects that existed at its resource version.
    fn wrong_objects(
        &mut self,
        resource: &Resource,
        target: &WatchTarget,
        list: &ObjectList,
        etcd: &Guard,
    ) -> Option<String> {
        // The member that the guard follows may not have applied the revision yet.
        let is_known = list.resource_version <= etcd.revision().max(FIRST_REVISION) as u64;
        if list.not_kept > 0 || !is_known {
            return None;
        }
        let found: Vec<(String, u64)> = list.items.iter().map(|o| place_of(o)).collect();
        let limit = match list.continue_token {
            Some(_) => list.items.len(),
            None => usize::MAX,
        };
        let prefix = match &*target.namespace {
            "" => resource.prefix.into(),
            namespace => format!("{}{namespace}/", resource.prefix),
        };
        let mut rows = etcd.rows_at(prefix.as_bytes(), list.resource_version as i64);
        let mut read = 0;
        let mut expected = Vec::new();
        while expected.len() < limit
            && let Some(row) = rows.next()
        {
            read += 1;
            if read > ROWS_MAX && !self.is_thorough {
                return None;
            }
            let object = self.object_of(resource, &row);
            if target.selects(&object) {
                expected.push(place_of(&object));
            }
        }
        (found != expected).then(|| words::wrong_objects(list.resource_version, &found, &expected))
    }

    /// Decodes a row. A thorough guard decodes the same row only once.
    fn object_of(&mut self, resource: &Resource, row: &CommittedRow) -> Arc<Object> {
        let known = self.decoded.get(row.key);
        match known.filter(|object| object.resource_version == row.revision as u64) {
            Some(object) => object.clone(),
            None => {
                let object = Arc::new(object_of(resource, row));
                if self.is_thorough {
                    self.decoded.insert(row.key.to_vec(), object.clone());
                }
                object
            }
        }
    }

    fn heard(&mut self, step: u64, place: (NodeId, u64), event: &KubeWatchEvent, etcd: &Guard) {
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
                let found = self.wrong_objects(request.resource, target, &list, etcd);
                self.judge(step, KubeGuarantee::ConsistentList, place.0, found);
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
            let found = is_broken.then(|| words::out_of_order(rv, at));
            self.judge(step, KubeGuarantee::Ordered, place.0, found);
            return;
        }
        self.judge(step, KubeGuarantee::Ordered, place.0, None);
        let missed = match self.is_thorough {
            true => missed(&request, at, rv, event, etcd),
            false => None,
        };
        let guarantee = match is_bookmark {
            true => KubeGuarantee::Bookmarkable,
            false => KubeGuarantee::Reliable,
        };
        let is_early = rv > self.head;
        let found = missed.or_else(|| is_early.then(|| words::in_future(rv)));
        self.judge(step, guarantee, place.0, found);
        let watch = self.watches.get_mut(&place).expect("it was just found");
        watch.at = Some(rv);
    }

    fn judge(
        &mut self,
        step: u64,
        guarantee: KubeGuarantee,
        client: NodeId,
        found: Option<String>,
    ) {
        self.applied[guarantee as usize].get_or_insert(step);
        let is_new = self.breaches.iter().all(|b| b.guarantee != guarantee);
        if let Some(what) = found.filter(|_| is_new) {
            self.breaches.push(KubeBreach {
                guarantee,
                step,
                client,
                what,
            });
        }
    }
}

/// Describes the first change that the watch did not receive, or that it received with a wrong event type.
fn missed(
    request: &KubeRequest,
    at: u64,
    rv: u64,
    event: &KubeWatchEvent,
    etcd: &Guard,
) -> Option<String> {
    let KubeVerb::Watch { target, .. } = &request.verb else {
        return None;
    };
    let resource = request.resource;
    let passes = |row: Option<CommittedRow>| {
        row.is_some_and(|row| target.selects(&object_of(resource, &row)))
    };
    let changes = etcd.changes_after(at as i64);
    for change in changes.take_while(|change| change.revision <= rv as i64) {
        if !change.key.starts_with(resource.prefix.as_bytes()) {
            continue;
        }
        let expected = match (passes(change.before), passes(change.after)) {
            (false, false) => continue,
            (false, true) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
        };
        let revision = change.revision as u64;
        if revision < rv || event.type_name() != expected {
            let received = (event.type_name(), rv);
            let key = String::from_utf8_lossy(change.key);
            return Some(words::wrong_event(received, (expected, revision), &key));
        }
    }
    None
}

fn object_of(resource: &Resource, row: &CommittedRow) -> Object {
    let key = String::from_utf8_lossy(row.key);
    codec::decode(resource, &key, row.value, row.revision as u64)
}

fn place_of(object: &Object) -> (String, u64) {
    let name = match &*object.namespace {
        "" => object.name.to_string(),
        namespace => format!("{namespace}/{}", object.name),
    };
    (name, object.resource_version)
}
