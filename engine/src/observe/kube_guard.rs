//! What an API server promises to those who read and watch, and whether it was kept: one checker for
//! each promise, over the trace alone.
//!
//! What is there and what has changed is known from what etcd committed, not from any cache. The
//! checkers of contents look at every object of every list, which costs too much for a page with
//! 150,000 pods: tests turn them on.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::kube::list_options::{ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::resource::RESOURCES;
use crate::kube::{
    KubeAnswer, KubeRequest, KubeResponse, KubeVerb, KubeWatchEvent, Object, ObjectList, Resource,
    codec,
};
use crate::mvcc::kv_store::FIRST_REVISION;
use crate::trace::{ChangeKind, Event, KubeTrace, TraceEvent};

/// A promise to clients of API servers.
///
/// ```
/// use watchglass_engine::observe::KubeGuarantee;
/// let names: Vec<&str> = KubeGuarantee::ALL.iter().map(|g| g.name()).collect();
/// assert_eq!(names.join(" "), "ConsistentList TrueList Ordered Reliable Bookmarkable");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KubeGuarantee {
    /// A list without a resource version has everything that was committed before it was asked for.
    ConsistentList,
    /// A list is what there was at its resource version, no more and no less.
    TrueList,
    /// Events of a watch come in the order of their resource versions, none twice.
    Ordered,
    /// None is left out.
    Reliable,
    /// A bookmark comes only when everything up to it has been sent.
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

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConsistentList => "ConsistentList",
            Self::TrueList => "TrueList",
            Self::Ordered => "Ordered",
            Self::Reliable => "Reliable",
            Self::Bookmarkable => "Bookmarkable",
        }
    }

    /// The promise in one sentence.
    pub fn promise(self) -> &'static str {
        match self {
            Self::ConsistentList => {
                "A list without a resource version is never older than a write that was \
                 acknowledged before the list was requested."
            }
            Self::TrueList => {
                "A list holds exactly the objects that existed at its resource version."
            }
            Self::Ordered => {
                "A watch receives changes in the order of their resource versions, and none twice."
            }
            Self::Reliable => {
                "When a watch receives a change, it has received every earlier change that it asked for."
            }
            Self::Bookmarkable => {
                "When a watch receives a bookmark, it has received every change up to the bookmark."
            }
        }
    }
}

/// A promise broken for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeBreach {
    /// The promise.
    pub guarantee: KubeGuarantee,
    /// The step.
    pub step: u64,
    /// To whom.
    pub client: NodeId,
    /// The breach, in one sentence.
    pub what: String,
}

/// Follows a run.
#[derive(Clone, Debug, Default)]
pub struct KubeGuard {
    is_thorough: bool,
    /// The newest committed revision.
    head: u64,
    /// What the write that is under way has changed; kept only when contents are checked.
    pending: Vec<(bool, Arc<str>, Arc<[u8]>)>,
    /// Every change of an object, oldest first; kept only when contents are checked.
    changes: Vec<Change>,
    /// Consistent lists that are under way: what each must have.
    lists: BTreeMap<(NodeId, u64), (u64, Arc<KubeRequest>)>,
    watches: BTreeMap<(NodeId, u64), Watched>,
    asked: BTreeMap<(NodeId, u64), (NodeId, u64)>,
    /// The step of the first check of each guarantee.
    applied: [Option<u64>; KubeGuarantee::ALL.len()],
    breaches: Vec<KubeBreach>,
    /// A backup took the revision back: what caches still show was never written.
    was_taken_back: bool,
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
    /// Up to where it has heard of everything; none before it has begun.
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

    /// The breaches, at most one per guarantee.
    pub fn breaches(&self) -> &[KubeBreach] {
        &self.breaches
    }

    /// Since which step a promise has had something to say.
    pub fn applied(&self, guarantee: KubeGuarantee) -> Option<u64> {
        self.applied[guarantee as usize]
    }

    /// Whether a backup took the revision back, which breaks the promises of every real API server, too.
    pub fn was_taken_back(&self) -> bool {
        self.was_taken_back
    }

    /// The objects of a resource now, by what was committed; only a thorough one knows.
    pub fn objects(&self, resource: &Resource) -> BTreeMap<Arc<str>, Arc<Object>> {
        self.state(resource, &WatchTarget::everything(), u64::MAX)
    }

    /// Sets the revision of the store at the start of the run.
    pub fn begin_at(&mut self, revision: i64) {
        self.head = revision as u64;
    }

    /// Takes note of an event.
    pub fn observe(&mut self, event: &Event) {
        match &event.what {
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
            }
            TraceEvent::Kube(what) => self.kube(event.step, what),
            _ => {}
        }
    }

    fn committed(&mut self, revision: u64) {
        self.head = revision;
        for (is_delete, key, value) in std::mem::take(&mut self.pending) {
            let found = RESOURCES.into_iter().find(|r| key.starts_with(r.prefix));
            let Some(resource) = found else { continue };
            let mut earlier = self.changes.iter().rev();
            let before = earlier.find(|c| c.key == key).and_then(|c| c.after.clone());
            let after =
                (!is_delete).then(|| Arc::new(codec::decode(resource, &key, &value, revision)));
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
                    // What is there already carries older resource versions.
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
            self.judge(step, KubeGuarantee::ConsistentList, place.0, is_broken, || {
                if rv > now {
                    return format!("a consistent list has revision {rv}, but a backup took etcd \
                        back to {now}");
                }
                format!(
                    "a consistent list has revision {rv}, although {head} was committed before the request"
                )
            });
        }
        if let (ResourceVersion::At(rv), how) =
            (options.resource_version, options.resource_version_match)
            && how != Some(ResourceVersionMatch::Exact)
            && options.continue_token.is_none()
        {
            let is_broken = list.resource_version < rv;
            self.judge(
                step,
                KubeGuarantee::ConsistentList,
                place.0,
                is_broken,
                || {
                    format!(
                        "a list not older than {rv} has revision {}",
                        list.resource_version
                    )
                },
            );
        }
        let is_whole = list.not_kept == 0 && list.continue_token.is_none();
        if self.is_thorough && is_whole && options.continue_token.is_none() {
            self.look_at_list(step, place.0, &request, target, list);
        }
    }

    fn look_at_list(
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
            format!(
                "a list at {} has {found:?} instead of {expected:?}",
                list.resource_version
            )
        });
    }

    /// The objects at a revision.
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
        // Everything once more: what was missed on the way there is part of it.
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
                self.look_at_list(step, place.0, &request, target, &list);
            }
            let watch = self.watches.get_mut(&place).expect("it was just found");
            watch.at = Some(at.max(rv));
            return;
        }
        let is_bookmark = matches!(event, KubeWatchEvent::Bookmark { .. });
        if rv <= at {
            // An initial event, or a bookmark that says nothing new; anything else went back.
            let is_initial = matches!(event, KubeWatchEvent::Added(_));
            let is_broken = !is_initial && !is_bookmark;
            self.judge(step, KubeGuarantee::Ordered, place.0, is_broken, || {
                format!("revision {rv} came after {at}")
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
            missed.unwrap_or_else(|| format!("revision {rv} is in the future"))
        });
        let watch = self.watches.get_mut(&place).expect("it was just found");
        watch.at = Some(rv);
    }

    /// What a watch should have heard of before this event, or heard differently.
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
                return Some(format!(
                    "{} {rv} came instead of {expected} {} at {}",
                    event.type_name(),
                    change.key,
                    change.revision
                ));
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
