//! Serves the watches of clients: from the cache or, if the resource has no cache, each from a separate etcd watch.
//!
//! Mirrors `Cacher.Watch`, `storage/etcd3/watcher.go` and the handler that writes events to a client
//! (`endpoints/handlers/watch.go`). All events that are ready at the same time are sent in one message.

use std::sync::Arc;

use crate::api::message::{Body, KubeMessage};
use crate::api::{EventKind, WatchResponse};
use crate::base::ids::NodeId;
use crate::base::planted::PlantedBug;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::list_options::{ListOptions, ListVerb, ResourceVersion};
use crate::kube::{KubeResponse, KubeVerb, KubeWatchEvent};
use crate::sim::Outbox;
use crate::trace::{ClientTrace, KubeTrace, TraceEvent, WatchEnd};

use super::cache_watcher::{EndReason, WatcherRead};
use super::freshness::Target;
use super::request::{CallReason, ClientWatch, EtcdList, WatchKind};
use super::routing::{Meaning, OnTimeout, Route, ServedFrom, Wait};
use super::serve::Figures;
use super::server::{ApiServer, ApiServerTimer};
use super::storage;
use super::watch_start;
use crate::kube::object::Object;
use crate::kube::status::StatusError;

/// The minimum duration of a watch if the client does not set a timeout (`--min-request-timeout`). The maximum duration
/// is twice as long.
const MIN_REQUEST_TIMEOUT: SimDuration = SimDuration::from_millis(1_800_000);

/// The number of bytes that the encoding adds to the object of an event.
const EVENT_FRAME_BYTES: u64 = 32;

impl ApiServer {
    pub(super) fn serve_watch(&mut self, id: u64, route: &Route, out: &mut Outbox<ApiServerTimer>) {
        let request = self.requests[&id].request.clone();
        let options = self.watch_options(id);
        if route.served_from == ServedFrom::Etcd {
            return match options.resource_version {
                ResourceVersion::At(rv) if options.send_initial_events != Some(true) => {
                    self.watch_storage(id, rv, Vec::new(), out);
                }
                // The watch first needs the existing objects from etcd.
                ResourceVersion::At(rv) => self.read_etcd(id, Meaning::NotOlderThan(rv), out),
                ResourceVersion::Unset | ResourceVersion::Any => {
                    self.read_etcd(id, Meaning::MostRecent, out);
                }
            };
        }
        if options.send_initial_events == Some(true)
            && options.allow_watch_bookmarks
            && !self.supports_progress()
        {
            return self.refuse_watch(id, StatusError::ProgressDisabled, out);
        }
        match route.wait {
            Wait::UntilReady => {}
            Wait::UntilCurrent => self.begin_wait(id, Target::Current, OnTimeout::Refuse, out),
            Wait::Until(rv) => self.begin_wait(id, Target::At(rv), OnTimeout::Refuse, out),
            Wait::No if watch_start::needs_current_revision(&options) => {
                let question = storage::current_revision(request.resource);
                self.ask(CallReason::WatchRevision(id), question, out);
            }
            Wait::No => {
                let required = watch_start::required_rv(&options, 0);
                self.begin_watch(id, required, out);
            }
        }
    }

    fn watch_options(&self, id: u64) -> ListOptions {
        let verb = &self.requests[&id].request.verb;
        let options = verb.options().expect("a watch has options").clone();
        options.with_defaults(ListVerb::Watch, &self.config().gates)
    }

    /// Starts a watch from the cache, once the cache meets the conditions of the watch.
    pub(super) fn begin_watch(&mut self, id: u64, required: u64, out: &mut Outbox<ApiServerTimer>) {
        let Some(in_flight) = self.requests.get(&id) else {
            return;
        };
        let request = in_flight.request.clone();
        let KubeVerb::Watch { target, .. } = &request.verb else {
            return;
        };
        let options = self.watch_options(id);
        let deadline = self.watch_deadline(out.now, id);
        let Some(cacher) = self.cacher(request.resource.name) else {
            return;
        };
        let cache = cacher.cache();
        let start = watch_start::start_rv(&options, required, cache.cache_rv());
        let (key, is_recursive) = target.key(request.resource);
        let one_key = (!is_recursive).then_some(&*key);
        let interval = match watch_start::interval(cache, &options, start, one_key) {
            Ok(interval) => interval,
            Err(error) => return self.refuse_watch(id, error, out),
        };
        let spec = target.spec(cache, &options, required, Some(deadline));
        let registration = target.registration(request.resource);
        let with_state = options.send_initial_events == Some(true)
            || options.send_initial_events.is_none() && start == 0;
        let name = request.resource.name;
        let storage = self.storages.get_mut(name).expect("it has a cache");
        let cacher = storage.cacher.as_mut().expect("it was just there");
        let dispatcher = &mut cacher.dispatcher;
        let watcher = dispatcher.add_watcher(spec, registration, interval, start, out.now);
        cacher.watch_added(&key);
        let from = if with_state {
            cacher.cache.cache_rv()
        } else {
            start
        };
        self.by_watcher.insert((name, watcher), id);
        let what = WatchKind::Cached { watcher, key };
        self.open(id, what, (from, with_state), deadline, out);
        self.pump_watch(id, out);
        self.with_cacher(name, out, |_, _| {});
    }

    /// Starts a separate etcd watch for a client's watch, after the list from etcd is complete.
    pub(super) fn begin_raw_watch(
        &mut self,
        id: u64,
        list: EtcdList,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let options = self.watch_options(id);
        let mut events: Vec<KubeWatchEvent> = match options.send_initial_events {
            Some(false) => Vec::new(),
            Some(true) | None => list.items.into_iter().map(KubeWatchEvent::Added).collect(),
        };
        if options.send_initial_events == Some(true) && options.allow_watch_bookmarks {
            events.push(KubeWatchEvent::Bookmark {
                resource_version: list.revision,
                initial_events_end: true,
            });
        }
        self.watch_storage(id, list.revision, events, out);
    }

    fn watch_storage(
        &mut self,
        id: u64,
        after: u64,
        first: Vec<KubeWatchEvent>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let request = self.requests[&id].request.clone();
        let KubeVerb::Watch { target, .. } = &request.verb else {
            return;
        };
        let (key, _) = target.key(request.resource);
        let resource = request.resource;
        let name: Arc<str> = format!("{}/{}.{id}", self.name(), resource.name).into();
        let deadline = self.watch_deadline(out.now, id);
        self.by_name.insert(name.clone(), id);
        let with_state = !first.is_empty();
        let what = WatchKind::Storage { name: name.clone() };
        self.open(id, what, (after, with_state), deadline, out);
        self.send_events(id, first, out);
        self.watch_etcd(resource, &name, &key, after, out);
    }

    fn watch_deadline(&mut self, now: SimTime, id: u64) -> SimTime {
        let asked = match &self.requests[&id].request.verb {
            KubeVerb::Watch { timeout_s, .. } => *timeout_s,
            _ => None,
        };
        let after = match asked {
            Some(seconds) => SimDuration(seconds.saturating_mul(1_000_000)),
            None => {
                let more = self.rng.below(MIN_REQUEST_TIMEOUT.0);
                SimDuration(MIN_REQUEST_TIMEOUT.0 + more)
            }
        };
        now + after
    }

    /// Registers a new watch, and sends the response to the client's request.
    fn open(
        &mut self,
        id: u64,
        what: WatchKind,
        (from, with_state): (u64, bool),
        deadline: SimTime,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let in_flight = &self.requests[&id];
        let watch = ClientWatch {
            from: in_flight.from,
            call: in_flight.call,
            request: in_flight.request.clone(),
            what,
            unread: 0,
            sent: 0,
            revision: from,
            deadline,
        };
        self.by_call.insert((watch.from, watch.call), id);
        self.watches.insert(id, watch);
        out.timer(deadline - out.now, ApiServerTimer::WatchDeadline(id));
        out.trace(TraceEvent::Kube(KubeTrace::WatchBegan {
            server: self.node,
            id,
            from,
            with_state,
        }));
        let figures = Figures {
            revision: Some(from),
            ..Figures::default()
        };
        self.answer(id, Ok(KubeResponse::WatchBegun), figures, out);
    }

    /// Refuses a watch. The client receives the error as an event, in a response with code 200.
    pub(super) fn refuse_watch(
        &mut self,
        id: u64,
        error: StatusError,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let in_flight = &self.requests[&id];
        let (to, call) = (in_flight.from, in_flight.call);
        let figures = Figures::default();
        self.answer(id, Ok(KubeResponse::WatchBegun), figures, out);
        let events = Arc::new(vec![KubeWatchEvent::Error(error)]);
        out.send(to, Body::Kube(KubeMessage::Events { call, events }));
        out.send(to, Body::Kube(KubeMessage::End { call }));
    }

    /// Sends the events of a watcher to its client, until the client's stream window is full.
    pub(super) fn pump_watch(&mut self, id: u64, out: &mut Outbox<ApiServerTimer>) {
        let now = out.now;

        let window = self.config().stream_window;
        let Some(watch) = self.watches.get(&id) else {
            return;
        };
        let WatchKind::Cached { watcher, .. } = watch.what else {
            return;
        };
        let resource = watch.request.resource.name;
        let mut unread = watch.unread;
        let mut events = Vec::new();
        let mut ended = None;
        let storage = self.storages.get_mut(resource).expect("it has a cache");
        let cacher = storage.cacher.as_mut().expect("a watch of it is served");
        while unread < window {
            match cacher.dispatcher.read(watcher, cacher.cache.ring()) {
                WatcherRead::Event(event) => {
                    unread += event_bytes(&event);
                    events.push(event);
                }
                WatcherRead::Empty => break,
                WatcherRead::End(reason) => {
                    ended = Some(reason);
                    break;
                }
            }
        }
        let unblocks = cacher.dispatcher.waits_for().is_some() && !events.is_empty();
        self.send_events(id, events, out);
        if let Some(reason) = ended {
            self.end_watch(id, why(reason), out);
        }
        if unblocks {
            self.with_cacher(resource, out, |cacher, actions| {
                cacher.dispatch(now, actions);
                cacher.take(now, actions);
            });
        }
    }

    fn send_events(
        &mut self,
        id: u64,
        mut events: Vec<KubeWatchEvent>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        if events.is_empty() {
            return;
        }
        self.spoil(&mut events);
        let node = self.node;
        let watch = self.watches.get_mut(&id).expect("it has begun");
        for event in &events {
            watch.sent += 1;
            watch.unread += event_bytes(event);
            let rv = event.resource_version();
            // Initial events have the older resource versions of their objects.
            watch.revision = watch.revision.max(rv.unwrap_or(0));
            if let KubeWatchEvent::Bookmark {
                resource_version, ..
            } = event
            {
                out.trace(TraceEvent::Kube(KubeTrace::BookmarkSent {
                    server: node,
                    id,
                    revision: *resource_version,
                }));
            }
        }
        let sent = self.cost.watch_response.times(events.len() as u64);
        self.processor.spend(sent);
        let (to, call) = (watch.from, watch.call);
        let events = Arc::new(events);
        out.send(to, Body::Kube(KubeMessage::Events { call, events }));
    }

    /// If a test has planted a fault, changes the events of a watch: drops updates, reverses the order, or moves
    /// bookmarks too far ahead.
    fn spoil(&self, events: &mut Vec<KubeWatchEvent>) {
        if self.planted.is(PlantedBug::DropsUpdates) {
            events.retain(|event| !matches!(event, KubeWatchEvent::Modified(_)));
        }
        if self.planted.is(PlantedBug::SendsNewestFirst) {
            events.reverse();
        }
        for event in events {
            if let KubeWatchEvent::Bookmark {
                resource_version, ..
            } = event
                && self.planted.is(PlantedBug::BookmarksTooFar)
            {
                *resource_version += 100;
            }
        }
    }

    /// Ends a watch: closes the client's stream and removes the watch.
    pub(super) fn end_watch(&mut self, id: u64, why: WatchEnd, out: &mut Outbox<ApiServerTimer>) {
        let Some(watch) = self.watches.get(&id) else {
            return;
        };
        out.send(
            watch.from,
            Body::Kube(KubeMessage::End { call: watch.call }),
        );
        self.forget_watch(id, why, out);
    }

    fn forget_watch(&mut self, id: u64, why: WatchEnd, out: &mut Outbox<ApiServerTimer>) {
        let Some(watch) = self.watches.remove(&id) else {
            return;
        };
        out.trace(TraceEvent::Kube(KubeTrace::WatchEnded {
            server: self.node,
            id,
            why,
        }));
        self.by_call.remove(&(watch.from, watch.call));
        let resource = watch.request.resource.name;
        let Some(storage) = self.storages.get_mut(resource) else {
            return;
        };
        match &watch.what {
            WatchKind::Cached { watcher, key } => {
                self.by_watcher.remove(&(resource, *watcher));
                if let Some(cacher) = storage.cacher.as_mut() {
                    cacher.dispatcher.stop_watcher(*watcher);
                    cacher.watch_gone(key);
                }
            }
            WatchKind::Storage { name } => {
                let (request, found) = storage.stream.cancel(name);
                self.by_name.remove(name);
                if found && storage.member() != NodeId::EVENTS_ETCD {
                    out.trace(TraceEvent::Client(ClientTrace::Ended {
                        node: self.node,
                        watch: name.clone(),
                        reason: "".into(),
                    }));
                }
                self.send_watch(resource, request, out);
            }
        }
    }

    /// Removes the watches of a client that has lost its connection. The server still processes the client's pending
    /// requests, except reads from etcd, at their full cost.
    pub fn client_gone(&mut self, from: NodeId, out: &mut Outbox<ApiServerTimer>) {
        let of_it = self.by_call.range((from, 0)..=(from, u64::MAX));
        let ids: Vec<u64> = of_it.map(|(_, id)| *id).collect();
        for id in ids {
            self.forget_watch(id, WatchEnd::ClientGone, out);
        }
    }

    /// Handles a client's report that the client has read `bytes` bytes from the stream of a watch.
    pub fn window_returned(
        &mut self,
        from: NodeId,
        (call, bytes): (u64, u64),
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let Some(id) = self.by_call.get(&(from, call)).copied() else {
            return;
        };
        let watch = self.watches.get_mut(&id).expect("it is known by its call");
        watch.unread = watch.unread.saturating_sub(bytes);
        self.pump_watch(id, out);
    }

    // Watches of resources without a cache.

    /// Handles a response of the etcd watch that serves a client's watch.
    pub(super) fn handle_raw_watch_response(
        &mut self,
        resource: &'static str,
        name: &Arc<str>,
        response: &WatchResponse,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let Some(id) = self.by_name.get(name).copied() else {
            return;
        };
        let Some(storage) = self.storages.get_mut(resource) else {
            return;
        };
        storage.raw_decodes += response.events.len() as u64;
        let resource = storage.resource;
        let watch = &self.watches[&id];
        let KubeVerb::Watch { target, .. } = &watch.request.verb else {
            return;
        };
        let passes = |object: &Object| target.selects(object);
        let mut events = Vec::new();
        for event in &response.events {
            let revision = event.kv.mod_revision as u64;
            // The previous object is compacted, so the server cannot know whether the watch selected that object
            // (`parseEvent`).
            if event.prev_kv.is_none() && !event.is_create() {
                let kind = match event.kind {
                    EventKind::Put => "PUT",
                    EventKind::Delete => "DELETE",
                };
                let why = format!(
                    "etcd event received with PrevKv=nil (key=\"{}\", modRevision={revision}, type={kind})",
                    event.kv.key
                );
                events.push(KubeWatchEvent::Error(StatusError::WatchStorage(why.into())));
                self.send_events(id, events, out);
                return self.end_watch(id, WatchEnd::NoPreviousObject, out);
            }
            let before = event.prev_kv.as_ref();
            let before = before
                .map(|kv| storage::object(resource, kv))
                .filter(&passes);
            let now = (event.kind == EventKind::Put).then(|| storage::object(resource, &event.kv));
            match (before, now.filter(&passes)) {
                (None, Some(now)) => events.push(KubeWatchEvent::Added(Arc::new(now))),
                (Some(_), Some(now)) => events.push(KubeWatchEvent::Modified(Arc::new(now))),
                (Some(before), None) => {
                    events.push(KubeWatchEvent::Deleted(Arc::new(before.at(revision))));
                }
                (None, None) => {}
            }
        }
        self.send_events(id, events, out);
    }

    /// Handles the end of an etcd watch that serves a client's watch. The reason is an internal error, such as a member
    /// without a leader, or the compaction of the watch's next revision.
    pub(super) fn raw_ended(
        &mut self,
        name: &Arc<str>,
        internal: Option<Arc<str>>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let Some(id) = self.by_name.get(name).copied() else {
            return;
        };
        let error = internal.map_or(StatusError::WatchTooOld, |why| {
            StatusError::WatchStorage(format!("Internal error occurred: {why}").into())
        });
        self.send_events(id, vec![KubeWatchEvent::Error(error)], out);
        self.end_watch(id, WatchEnd::EtcdEnded, out);
    }
}

fn why(reason: EndReason) -> WatchEnd {
    match reason {
        EndReason::TooSlow { .. } => WatchEnd::TooSlow,
        EndReason::Invalidated => WatchEnd::EventLost,
        EndReason::Stopped => WatchEnd::ClientGone,
        EndReason::CacheLost => WatchEnd::CacheLost,
    }
}

/// Returns the number of bytes that an event takes up in the client's stream window.
pub fn event_bytes(event: &KubeWatchEvent) -> u64 {
    EVENT_FRAME_BYTES + event.object_bytes()
}
