//! Receives requests, and serves reads from the cache, a snapshot or etcd.
//!
//! Mirrors `CacheDelegator`, `Cacher.GetList`, and `GetList` of `storage/etcd3/store.go`.

use std::sync::Arc;

use crate::api::message::{Body, KubeMessage};
use crate::api::{EtcdError, RangeResponse, Reply, Response};
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::interner::Interner;
use crate::base::planted::PlantedBug;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::list_options::{ContinueAt, ListOptions, ListVerb, ResourceVersion};
use crate::kube::{KubeAnswer, KubeRequest, KubeResponse, KubeVerb, ObjectList, ServedBy, query};
use crate::sim::Outbox;
use crate::sim::processor::ProcessorWork;
use crate::trace::{Answered, KubeTrace, TraceEvent};

use super::flow_control::{self, FlowDecision, ResourceStats, Seating};
use super::freshness::{ReadId, ReadSpec, Target, Verdict, WaitOutcome};
use super::list::{ListResult, Listing};
use super::request::{CallReason, EtcdList, InFlight};
use super::routing::{
    Meaning, OnTimeout, ReadRequest, Route, RoutingCache, ServedFrom, Wait, route,
};
use super::scan::Scan;
use super::server::{ApiServer, ApiServerTimer, DEADLINE_EXCEEDED};
use super::storage;
use super::work::WorkCost;
use crate::kube::continue_token::ContinueToken;
use crate::kube::feature::Feature;
use crate::kube::gates::KubeVersion;
use crate::kube::object::{Key, Object};
use crate::kube::reason::Reason;
use crate::kube::request::WatchTarget;
use crate::kube::resource::Resource;
use crate::kube::status::StatusError;

/// The time for which the server sends ordinary reads to an etcd without streams (`rangeStreamRecheckInterval`).
const STREAM_RECHECK: SimDuration = SimDuration::from_millis(600_000);

/// The measurements of a response, for the trace and for the cost of lists.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Figures {
    pub(super) revision: Option<u64>,
    pub(super) items: u64,
    pub(super) fetched: u64,
    pub(super) index: Option<Arc<str>>,
    /// The size of the examined objects, in bytes.
    pub(super) bytes: u64,
    /// The work of converting the objects, and of collecting the memory of the response.
    pub(super) after_read: Sparse<(SimDuration, SimDuration)>,
}

/// A response that the server sends when its processor has finished the work for the response.
#[derive(Clone, Debug, Hash)]
pub(super) struct ReadyAnswer {
    id: u64,
    answer: KubeAnswer,
    figures: Figures,
}

impl ApiServer {
    pub fn handle_client(&mut self, from: NodeId, body: &Body, out: &mut Outbox<ApiServerTimer>) {
        match body {
            Body::Kube(KubeMessage::Call { call, request }) => {
                self.asked(from, *call, request, out)
            }
            Body::Etcd(_)
            | Body::Kube(KubeMessage::Answer { .. })
            | Body::Kube(KubeMessage::Events { .. })
            | Body::Kube(KubeMessage::End { .. }) => {}
        }
    }

    fn asked(
        &mut self,
        from: NodeId,
        call: u64,
        request: &Arc<KubeRequest>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let now = out.now;

        self.next_request += 1;
        let id = self.next_request;
        let mut route = self.route_of(now, request);
        let is_from_cache = route
            .as_ref()
            .is_some_and(|route| route.served_from == ServedFrom::Cache);
        let admission = self.admit(now, id, request, is_from_cache);
        if admission == FlowDecision::Refused {
            route = Some(super::routing::too_many());
        }
        let echoes = self.config().echo;
        let (by, reason) = match &route {
            None if matches!(request.verb, KubeVerb::Raw(_)) => (ServedBy::Nobody, Reason::Refused),
            None => (ServedBy::Etcd, Reason::Write),
            Some(route) if route.reason == Reason::ConsistentList && echoes => {
                (ServedBy::Cache, Reason::ConsistentListByEcho)
            }
            Some(route) => (served_by(&route.served_from), route.reason),
        };
        out.trace(TraceEvent::Kube(KubeTrace::Asked {
            server: self.node,
            id,
            client: from,
            call,
            request: request.clone(),
            by,
            reason,
        }));
        let in_flight = InFlight {
            from,
            call,
            request: request.clone(),
            received: now,
            route: route.clone(),
            by,
            fell_back: false,
            revision_took: SimDuration(0),
            wait_took: SimDuration(0),
            etcd_since: None,
            etcd_took: SimDuration(0),
            needed: 0,
            listing: None,
            seating: Sparse(
                self.flow
                    .as_ref()
                    .map_or_else(Seating::default, |flow| flow.seating(id)),
            ),
            write: Sparse::default(),
        };
        self.requests.insert(id, in_flight);
        match admission {
            FlowDecision::Served | FlowDecision::Refused => self.begin(id, out),
            FlowDecision::Queued => {
                let limit = flow_control::wait_limit(self.config().request_timeout);
                out.timer(limit, ApiServerTimer::QueueLimit(id));
            }
        }
    }

    fn begin(&mut self, id: u64, out: &mut Outbox<ApiServerTimer>) {
        let in_flight = &self.requests[&id];
        let request = in_flight.request.clone();
        match (in_flight.route.clone(), &request.verb) {
            (_, KubeVerb::Raw(path)) => {
                let answer = self.serve_path(path);
                self.answer(id, answer, Figures::default(), out);
            }
            (None, _) => self.write(id, out),
            (Some(route), _) => self.serve(id, &route, out),
        }
    }

    /// Serves a path that belongs to no resource, or returns the error of a path or query that cannot be decoded.
    fn serve_path(&self, path: &str) -> KubeAnswer {
        match query::decode(path) {
            Err(StatusError::NoSuchPath) | Ok(_) => {
                if let Some(page) = self.page(path) {
                    return page.map(|text| KubeResponse::Text(text.into()));
                }
                let version = self.config().version.to_string();
                query::text_at(path, &version).map(KubeResponse::Text)
            }
            Err(error) => Err(error),
        }
    }

    /// Decides whether the server serves a new request, because of its seats or of `--max-requests-inflight`.
    fn admit(
        &mut self,
        now: SimTime,
        id: u64,
        request: &KubeRequest,
        is_from_cache: bool,
    ) -> FlowDecision {
        let is_by_size = self.config().is_on(Feature::SizeBasedListCostEstimate);
        let stats = self.stats_of(request.resource);
        let Some(flow) = self.flow.as_mut() else {
            return match self.is_full_for(request) {
                true => FlowDecision::Refused,
                false => FlowDecision::Served,
            };
        };
        match flow.seats(request, stats, is_from_cache, is_by_size) {
            Some(seats) => flow.admit(now, id, seats),
            None => FlowDecision::Served,
        }
    }

    /// Returns true if the server refuses this request because of `--max-requests-inflight`. Writes and watches have no
    /// limit here.
    fn is_full_for(&self, request: &KubeRequest) -> bool {
        let limit = self.config().max_in_flight;
        let counts = |verb: &KubeVerb| matches!(verb, KubeVerb::Get { .. } | KubeVerb::List { .. });
        if limit == 0 || !counts(&request.verb) {
            return false;
        }
        let open = self.requests.values();
        open.filter(|open| counts(&open.request.verb)).count() as u64 >= limit
    }

    /// Returns the route of a read in the current state of the server; `None` for a write.
    pub fn route_of(&self, now: SimTime, request: &KubeRequest) -> Option<Route> {
        let options = request.verb.options()?.clone();
        let verb = match &request.verb {
            KubeVerb::Get { .. } => ListVerb::Get,
            KubeVerb::List { .. } => ListVerb::List,
            KubeVerb::Watch { .. } => ListVerb::Watch,
            KubeVerb::Create(_)
            | KubeVerb::Update { .. }
            | KubeVerb::Patch { .. }
            | KubeVerb::Delete { .. }
            | KubeVerb::Raw(_) => return None,
        };
        let continues = options.continue_token.is_some();
        let (is_recursive, has_selector, unsupported) = match &request.verb {
            KubeVerb::List { target, .. } | KubeVerb::Watch { target, .. } => {
                let (_, is_recursive) = target.list_key(request.resource, continues);
                let unsupported = target.predicate.fields.unsupported(request.resource);
                (is_recursive, !target.predicate.is_empty(), unsupported)
            }
            _ => (false, false, None),
        };
        let read = ReadRequest {
            verb,
            options,
            is_recursive,
            has_selector,
        };
        let gates = &self.config().gates;
        if let Some(error) = unsupported {
            return Some(super::routing::unsupported_field(&read, gates, &error));
        }
        let Some(cacher) = self.cacher(request.resource.name) else {
            return Some(super::routing::route_uncached(&read, gates));
        };
        let ready = cacher.ready().check(now);
        let view = RoutingCache::of(cacher.cache(), ready, self.supports_progress());
        Some(route(&read, gates, &view))
    }

    fn serve(&mut self, id: u64, route: &Route, out: &mut Outbox<ApiServerTimer>) {
        let request = self.requests[&id].request.clone();
        if let ServedFrom::Refused(error) = &route.served_from {
            return self.answer(id, Err(error.clone()), Figures::default(), out);
        }
        if matches!(request.verb, KubeVerb::Watch { .. }) {
            return self.serve_watch(id, route, out);
        }
        if route.served_from == ServedFrom::Etcd {
            return self.read_etcd(id, route.meaning, out);
        }
        match route.wait {
            Wait::No => self.serve_from_cache(id, out),
            Wait::UntilCurrent => self.begin_wait(id, Target::Current, route.on_timeout, out),
            Wait::Until(rv) => self.begin_wait(id, Target::At(rv), route.on_timeout, out),
            // The server routes this request again when the cache becomes ready.
            Wait::UntilReady => {}
        }
    }

    pub(super) fn begin_wait(
        &mut self,
        id: u64,
        target: Target,
        on_timeout: OnTimeout,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let now = out.now;

        let resource = self.requests[&id].request.resource.name;
        let planted = self.planted.is(PlantedBug::ReadsWithoutWaiting);
        self.with_cacher(resource, out, |cacher, actions| {
            let cache_rv = cacher.cache.cache_rv();
            let target = if planted {
                Target::At(cache_rv)
            } else {
                target
            };
            let spec = ReadSpec {
                target,
                expected_size: cacher.cache.store().len(),
                on_timeout,
            };
            let freshness = &mut cacher.freshness;
            freshness.begin(now, ReadId(id), spec, cache_rv, &mut actions.wants);
        });
    }

    /// Handles a read whose wait has ended.
    pub(super) fn waited(&mut self, outcome: WaitOutcome, out: &mut Outbox<ApiServerTimer>) {
        let id = outcome.read.0;
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        request.wait_took = outcome.waited;
        request.revision_took = SimDuration((out.now - request.received).0 - outcome.waited.0);
        let is_watch = matches!(request.request.verb, KubeVerb::Watch { .. });
        match outcome.verdict {
            Verdict::FromCache { required } => {
                request.needed = required;
                if is_watch {
                    self.begin_watch(id, required, out);
                } else {
                    self.serve_from_cache(id, out);
                }
            }
            Verdict::FromEtcd => {
                request.fell_back = true;
                request.by = ServedBy::Etcd;
                out.trace(TraceEvent::Kube(KubeTrace::FallsBack {
                    server: self.node,
                    id,
                }));
                self.read_etcd(id, Meaning::MostRecent, out);
            }
            Verdict::Refused(error) => self.refuse(id, error, out),
        }
    }

    /// Serves the requests that waited until the cache became ready.
    pub(super) fn became_ready(
        &mut self,
        resource: &'static str,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let waits = |r: &InFlight| {
            let until_ready = r.route.as_ref().is_some_and(|r| r.wait == Wait::UntilReady);
            until_ready && r.request.resource.name == resource
        };
        let waiting = self.requests.iter().filter(|(_, r)| waits(r));
        let ids: Vec<u64> = waiting.map(|(id, _)| *id).collect();
        for id in ids {
            let request = self.requests[&id].request.clone();
            let Some(route) = self.route_of(out.now, &request) else {
                continue;
            };
            let in_flight = self.requests.get_mut(&id).expect("it was just listed");
            in_flight.route = Some(route.clone());
            in_flight.by = served_by(&route.served_from);
            self.serve(id, &route, out);
        }
    }

    fn serve_from_cache(&mut self, id: u64, out: &mut Outbox<ApiServerTimer>) {
        let in_flight = &self.requests[&id];
        let request = in_flight.request.clone();
        let route = in_flight.route.clone().expect("a read has a route");
        let Some(cacher) = self.cacher(request.resource.name) else {
            return;
        };
        let cache = cacher.cache();
        match &request.verb {
            KubeVerb::Get {
                namespace, name, ..
            } => {
                let key = key_of(request.resource, namespace, name);
                let (found, rv) = cache.get(&key);
                let found = found.cloned();
                self.answer_object(id, request.resource, name, found, rv, out);
            }
            KubeVerb::List { target, options } => {
                let listing = listing(request.resource, target, options, route.honours_limit);
                let result = match (&route.served_from, route.meaning) {
                    (ServedFrom::Snapshot, Meaning::Exact(rv)) => cache.list_exact(rv, &listing),
                    _ => Ok(cache.list(&listing)),
                };
                match result {
                    Ok(result) => self.answer_list(id, result, out),
                    // The cache removed the snapshot while the request waited. etcd may still have the revision.
                    Err(_) => {
                        self.requests.get_mut(&id).expect("it is served").by = ServedBy::Etcd;
                        self.read_etcd(id, route.meaning, out);
                    }
                }
            }
            KubeVerb::Watch { .. }
            | KubeVerb::Create(_)
            | KubeVerb::Update { .. }
            | KubeVerb::Patch { .. }
            | KubeVerb::Delete { .. }
            | KubeVerb::Raw(_) => {}
        }
    }

    fn answer_object(
        &mut self,
        id: u64,
        resource: &Resource,
        name: &str,
        found: Option<Arc<Object>>,
        revision: u64,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let figures = Figures {
            revision: Some(found.as_ref().map_or(revision, |o| o.resource_version)),
            items: u64::from(found.is_some()),
            fetched: u64::from(found.is_some()),
            index: None,
            bytes: 0,
            ..Figures::default()
        };
        let answer = match found {
            Some(object) => Ok(KubeResponse::Object(object)),
            None => Err(not_found(resource, name)),
        };
        self.work_on(id, answer, figures, out);
    }

    fn answer_list(&mut self, id: u64, list: ListResult, out: &mut Outbox<ApiServerTimer>) {
        let figures = Figures {
            revision: Some(list.resource_version),
            items: list.items.len() as u64,
            fetched: list.fetched,
            index: list.index.map(|index| index.to_string().into()),
            bytes: list.fetched_bytes,
            ..Figures::default()
        };
        let mut list = list;
        if self.planted.is(PlantedBug::ListsTooLittle) {
            list.items.pop();
        }
        let list = ObjectList {
            resource_version: list.resource_version,
            items: list.items,
            not_kept: 0,
            continue_token: list.continue_token,
            remaining: list.remaining,
        };
        let answer = Ok(KubeResponse::List(Arc::new(list)));
        self.work_on(id, answer, figures, out);
    }

    /// Starts the work for a response. The server sends the response when the work is done.
    fn work_on(
        &mut self,
        id: u64,
        answer: KubeAnswer,
        mut figures: Figures,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let work = self.work_of(id, &answer, &mut figures);
        let ready = ReadyAnswer {
            id,
            answer,
            figures,
        };
        if let Some(ready) = self.processor.run(out.now, work, ready) {
            return self.answer(id, ready.answer, ready.figures, out);
        }
        if let Some(request) = self.requests.get_mut(&id)
            && let Some(since) = request.etcd_since
        {
            request.etcd_took = out.now - since;
        }
        self.plan_job_end(out);
    }

    fn work_of(&self, id: u64, answer: &KubeAnswer, figures: &mut Figures) -> ProcessorWork {
        let cost = &self.cost;
        let (found, decoded) = match self.requests.get(&id).map(|request| request.by) {
            Some(ServedBy::Etcd) => {
                let work = cost.decode(figures.fetched, figures.bytes);
                (work, figures.bytes)
            }
            _ => (cost.check(figures.fetched), 0),
        };
        let sent = match answer {
            Ok(KubeResponse::List(list)) => list.items.iter().map(|o| o.size_bytes).sum(),
            Ok(KubeResponse::Object(object)) => object.size_bytes,
            Ok(KubeResponse::WatchBegun | KubeResponse::Text(_)) | Err(_) => 0,
        };
        let mut encoded = cost.encode(sent);
        if self.streams_lists() {
            // The server encodes an object when the client has read the objects before.
            encoded.memory = 0;
        }
        let converted = cost.convert_object.times(figures.items);
        let collected = cost.collect_byte.times(decoded + sent);
        figures.after_read = Sparse((converted.alone(), collected.alone()));
        let read = cost.request.and(found);
        read.and(encoded).and(converted).and(collected)
    }

    pub(super) fn end_jobs(&mut self, out: &mut Outbox<ApiServerTimer>) {
        for ready in self.processor.finished(out.now) {
            self.answer(ready.id, ready.answer, ready.figures, out);
        }
        self.plan_job_end(out);
    }

    pub(super) fn plan_job_end(&self, out: &mut Outbox<ApiServerTimer>) {
        if let Some(at) = self.processor.next() {
            out.timer(at - out.now, ApiServerTimer::JobEnds);
        }
    }

    /// Sends the response to a request and removes the request.
    pub(super) fn answer(
        &mut self,
        id: u64,
        answer: KubeAnswer,
        figures: Figures,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let Some(request) = self.requests.remove(&id) else {
            return;
        };
        let etcd_took = match request.etcd_took {
            SimDuration(0) => request
                .etcd_since
                .map_or(SimDuration(0), |since| out.now - since),
            took => took,
        };
        self.metrics.answered(&request, &answer, &figures);
        let (code, message) = match &answer {
            Ok(_) if matches!(request.request.verb, KubeVerb::Create(_)) => (201, "".into()),
            Ok(_) => (200, "".into()),
            Err(error) => (error.code(), error.to_string().into()),
        };
        if matches!(request.request.verb, KubeVerb::List { .. }) && answer.is_ok() {
            let cost = WorkCost {
                lists: 1,
                objects: figures.fetched,
                bytes: figures.bytes,
                returned: figures.items,
            };
            self.work.listed(out.now, request.by, cost);
        }
        out.trace(TraceEvent::Kube(KubeTrace::Answered {
            server: self.node,
            id,
            how: Answered {
                by: request.by,
                code,
                message,
                revision: figures.revision,
                items: figures.items,
                fetched: figures.fetched,
                index: figures.index,
                fell_back: request.fell_back,
                revision_took: request.revision_took,
                wait_took: request.wait_took,
                etcd_took,
                convert: figures.after_read.0.0,
                collect: figures.after_read.0.1,
                seats: request.seating.seats,
                queue_took: request.seating.queue_took,
            },
        }));
        let answer = Body::Kube(KubeMessage::Answer {
            call: request.call,
            answer: Arc::new(answer),
        });
        out.send(request.from, answer);
        self.free_seats(id, out);
    }

    /// Frees the seats of a request, and starts the requests that waited for them.
    fn free_seats(&mut self, id: u64, out: &mut Outbox<ApiServerTimer>) {
        let now = out.now;

        let Some(flow) = self.flow.as_mut() else {
            return;
        };
        flow.release(id);
        while let Some((next, seating)) = self.flow.as_mut().and_then(|flow| flow.seat_next(now)) {
            let in_flight = self.requests.get_mut(&next).expect("it is queued");
            in_flight.received = now;
            in_flight.seating = Sparse(seating);
            let request = in_flight.request.clone();
            let route = self.route_of(now, &request);
            let in_flight = self.requests.get_mut(&next).expect("it is queued");
            if let Some(route) = &route {
                in_flight.by = served_by(&route.served_from);
            }
            in_flight.route = route;
            self.begin(next, out);
        }
    }

    /// Refuses a request that has waited for seats too long.
    pub(super) fn leave_queue(&mut self, id: u64, out: &mut Outbox<ApiServerTimer>) {
        let error = StatusError::TooManyInFlight;
        self.answer(id, Err(error), Figures::default(), out);
    }

    /// Returns what the server knows of the objects of a resource before it serves a list.
    fn stats_of(&self, resource: &Resource) -> Option<ResourceStats> {
        let Some(cacher) = self.cacher(resource.name) else {
            return self.flow.as_ref()?.listed(resource.name);
        };
        let store = cacher.cache().store();
        Some(ResourceStats {
            objects: store.len(),
            bytes: store.bytes(),
        })
    }

    /// Refuses a request because etcd failed or did not respond in time.
    pub(super) fn refuse_by_storage(
        &mut self,
        id: u64,
        why: Arc<str>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let error = match &request.request.verb {
            KubeVerb::Watch { .. } => StatusError::WatchStorage(why),
            verb if &*why == DEADLINE_EXCEEDED => match verb.is_write() {
                true => StatusError::WriteTimeout,
                false => StatusError::ReadTimeout,
            },
            _ => StatusError::Storage(why),
        };
        self.refuse(id, error, out);
    }

    // Reads from etcd.

    pub(super) fn read_etcd(
        &mut self,
        id: u64,
        meaning: Meaning,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let in_flight = self.requests.get_mut(&id).expect("it is served");
        in_flight.etcd_since = Some(out.now);
        let request = in_flight.request.clone();
        let resource = request.resource;
        match &request.verb {
            KubeVerb::Get {
                namespace, name, ..
            } => {
                let question = storage::one(&key_of(resource, namespace, name), 0);
                self.ask(CallReason::Request(id), question, out);
            }
            KubeVerb::List { target, options }
            | KubeVerb::Watch {
                target, options, ..
            } => {
                // A list that accepts any version gets the newest data from etcd. The list's limit applies.
                let listing = listing(resource, target, options, true);
                let revision = match meaning {
                    Meaning::Exact(rv) => rv,
                    _ => 0,
                };
                let list = EtcdList {
                    page: listing.limit as i64,
                    listing,
                    meaning,
                    revision,
                    items: Vec::new(),
                    fetched: 0,
                    fetched_bytes: 0,
                    is_of_future: Sparse::default(),
                };
                self.ask_for_page(id, list, out);
            }
            KubeVerb::Create(_)
            | KubeVerb::Update { .. }
            | KubeVerb::Patch { .. }
            | KubeVerb::Delete { .. }
            | KubeVerb::Raw(_) => {}
        }
    }

    /// Returns true if the server reads this list as a stream (`shouldStream`): the list is complete, and etcd has not
    /// refused a stream in the last [`STREAM_RECHECK`].
    fn reads_as_stream(&self, now: SimTime, list: &EtcdList) -> bool {
        let listing = &list.listing;
        self.config().is_set(Feature::EtcdRangeStream)
            && listing.is_recursive
            && listing.limit == 0
            && listing.start.is_none()
            && now >= *self.no_streams_until
    }

    fn ask_for_page(&mut self, id: u64, list: EtcdList, out: &mut Outbox<ApiServerTimer>) {
        let from = list.listing.start.as_deref().map(str::as_bytes);
        let key = &list.listing.key;
        let question = if self.reads_as_stream(out.now, &list) {
            storage::stream(key, list.revision as i64)
        } else if list.listing.is_recursive {
            storage::page(key, from, list.page, list.revision as i64)
        } else {
            storage::one(key, list.revision as i64)
        };
        self.requests.get_mut(&id).expect("it is served").listing = Some(list);
        self.ask(CallReason::Request(id), question, out);
    }

    /// Handles etcd's reply to a request that the server sent for a client's request.
    pub(super) fn etcd_answered(
        &mut self,
        id: u64,
        reply: &Reply,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let Some(in_flight) = self.requests.get_mut(&id) else {
            return;
        };
        let request = in_flight.request.clone();
        let resource = request.resource;
        match (&request.verb, reply) {
            (KubeVerb::Get { name, options, .. }, Ok(Response::Range(range))) => {
                let current = range.header.revision as u64;
                let requested = options.resource_version.parsed();
                let too_large =
                    (requested > current).then_some(StatusError::TooLargeResourceVersion {
                        requested,
                        current,
                        retry_after_s: 0,
                    });
                let kv = range.kvs.first();
                let has_gate = self
                    .config()
                    .is_on(Feature::AllowUnsafeMalformedObjectDeletion);
                let undecodable = kv.and_then(|kv| storage::undecodable_object(kv, has_gate));
                let refusal = options.version_error(true).or(too_large).or(undecodable);
                if let Some(error) = refusal {
                    return self.refuse(id, error, out);
                }
                let found = kv.map(|kv| Arc::new(storage::object(resource, kv)));
                let revision = range.header.revision as u64;
                self.answer_object(id, resource, name, found, revision, out);
            }
            (KubeVerb::List { .. } | KubeVerb::Watch { .. }, reply) => {
                let list = in_flight.listing.take().expect("a list is under way");
                self.page_received(id, list, reply, out);
            }
            (_, Ok(Response::Range(range))) => self.state_read(id, range, out),
            (_, Ok(Response::Txn(txn))) => self.written(id, txn, out),
            (_, Err(error)) => self.refuse_by_storage(id, error.to_string().into(), out),
            (_, Ok(_)) => {}
        }
    }

    fn page_received(
        &mut self,
        id: u64,
        mut list: EtcdList,
        reply: &Reply,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let resource = self.requests[&id].request.resource;
        if *list.is_of_future {
            let current = match reply {
                Ok(Response::Range(range)) => range.header.revision as u64,
                _ => 0,
            };
            let error = StatusError::TooLargeResourceVersion {
                requested: list.revision,
                current,
                retry_after_s: 0,
            };
            return self.refuse(id, error, out);
        }
        let range = match reply {
            Ok(Response::Range(range)) => range,
            Ok(_) => return,
            // Before 1.34, the client received etcd's own error.
            Err(EtcdError::FutureRev) if self.config().version >= KubeVersion::V1_34 => {
                list.is_of_future = Sparse(true);
                self.requests.get_mut(&id).expect("it is served").listing = Some(list);
                let question = storage::current_revision(resource);
                return self.ask(CallReason::Request(id), question, out);
            }
            Err(EtcdError::UnknownMethod) => {
                *self.no_streams_until = out.now + STREAM_RECHECK;
                return self.ask_for_page(id, list, out);
            }
            Err(error) => {
                let start = list.listing.start.as_deref();
                let error = storage::list_error(error, start, &list.listing.key);
                return self.refuse(id, error, out);
            }
        };
        let current = range.header.revision as u64;
        if let Meaning::NotOlderThan(requested) = list.meaning
            && current < requested
        {
            let error = StatusError::TooLargeResourceVersion {
                requested,
                current,
                retry_after_s: 0,
            };
            return self.refuse(id, error, out);
        }
        if list.revision == 0 {
            list.revision = current;
        }
        let has_gate = self
            .config()
            .is_on(Feature::AllowUnsafeMalformedObjectDeletion);
        let read = match list.listing.limit {
            0 => range.kvs.len() as u64,
            limit => limit,
        };
        let rows = range.kvs.iter().take(read as usize);
        if let Some(error) = storage::undecodable(resource, rows, has_gate) {
            return self.refuse(id, error, out);
        }
        list.fetched += range.kvs.len() as u64;
        let limit = list.listing.limit;
        let mut last = None;
        let mut interner = Interner::default();
        let wanted = Scan::wanted(resource, &range.kvs, &list.listing.predicate);
        if let Some((field, value)) = wanted.filter(|_| limit == 0) {
            let scan = Scan::of(&self.scan, &range.kvs, field);
            list.fetched_bytes += scan.bytes;
            let rows = scan.places(value);
            let objects = rows.map(|kv| storage::object_with(&mut interner, resource, kv));
            let found = objects.filter(|object| list.listing.predicate.matches(object));
            list.items.extend(found.map(Arc::new));
            let newest = range.kvs.last();
            last = newest.map(|kv| String::from_utf8_lossy(&kv.key).into_owned());
        } else {
            for kv in range.kvs.iter() {
                if limit > 0 && list.items.len() as u64 == limit {
                    break;
                }
                last = Some(String::from_utf8_lossy(&kv.key).into_owned());
                let object = storage::object_with(&mut interner, resource, kv);
                list.fetched_bytes += object.size_bytes;
                if list.listing.predicate.matches(&object) {
                    list.items.push(Arc::new(object));
                }
            }
        }
        let is_full = limit > 0 && list.items.len() as u64 == limit;
        let stopped_early =
            last.as_deref().map(str::as_bytes) != range.kvs.last().map(|kv| &*kv.key);
        let has_more = range.more || stopped_early && !range.kvs.is_empty();
        match last {
            Some(last) if has_more && !is_full => {
                // The selector removed many objects of the page, so the next page is larger.
                list.page = (list.page * 2).min(storage::PAGE_MAX);
                list.listing.start = Some(format!("{last}\0"));
                self.ask_for_page(id, list, out);
            }
            last => self.listed_from_etcd(id, list, range, last.filter(|_| has_more), out),
        }
    }

    fn listed_from_etcd(
        &mut self,
        id: u64,
        list: EtcdList,
        range: &RangeResponse,
        more_after: Option<String>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        if matches!(self.requests[&id].request.verb, KubeVerb::Watch { .. }) {
            return self.begin_raw_watch(id, list, out);
        }
        let list_resource = self.requests[&id].request.resource;
        let key = &list.listing.key;
        let token = more_after.map(|last| ContinueToken::after(&last, key, list.revision).encode());
        let remaining = range.count - range.kvs.len() as i64;
        let is_complete = token.is_none() && list.listing.start.is_none();
        if is_complete
            && **key == *list_resource.prefix
            && let Some(flow) = self.flow.as_mut()
        {
            let stats = ResourceStats {
                objects: list.fetched,
                bytes: list.fetched_bytes,
            };
            flow.record_list(list_resource.name, stats);
        }
        let counts = token.is_some() && list.listing.predicate.is_empty();
        let result = ListResult {
            resource_version: list.revision,
            items: list.items,
            continue_token: token,
            remaining: counts.then(|| u64::try_from(remaining).unwrap_or(0)),
            fetched: list.fetched,
            fetched_bytes: list.fetched_bytes,
            index: None,
        };
        self.answer_list(id, result, out);
    }

    fn refuse(&mut self, id: u64, error: StatusError, out: &mut Outbox<ApiServerTimer>) {
        if matches!(self.requests[&id].request.verb, KubeVerb::Watch { .. }) {
            return self.refuse_watch(id, error, out);
        }
        self.answer(id, Err(error), Figures::default(), out);
    }
}

fn served_by(from: &ServedFrom) -> ServedBy {
    match from {
        ServedFrom::Cache => ServedBy::Cache,
        ServedFrom::Snapshot => ServedBy::Snapshot,
        ServedFrom::Etcd => ServedBy::Etcd,
        ServedFrom::Refused(_) => ServedBy::Nobody,
    }
}

pub(super) fn key_of(resource: &Resource, namespace: &str, name: &str) -> Key {
    Object::new(resource.kind, namespace, name).key(resource.prefix)
}

pub(super) fn not_found(resource: &Resource, name: &str) -> StatusError {
    StatusError::NotFound {
        resource: resource.name.into(),
        name: name.into(),
    }
}

pub(super) fn listing(
    resource: &Resource,
    target: &WatchTarget,
    options: &ListOptions,
    honours_limit: bool,
) -> Listing {
    let (key, is_recursive) = target.list_key(resource, options.continue_token.is_some());
    let token = options.continue_token.as_deref();
    let token = token.and_then(|text| ContinueToken::decode(text).ok());
    let start = token.map(|token| token.from_key(&key));
    Listing {
        key,
        is_recursive,
        predicate: target.predicate.clone(),
        limit: if honours_limit { options.limit } else { 0 },
        start,
    }
}

/// The result determines the revision at which etcd reads the list.
pub(super) fn meaning_without_cache(options: &ListOptions) -> Result<Meaning, StatusError> {
    use crate::kube::list_options::ResourceVersionMatch::{Exact, NotOlderThan, Unsupported};
    Ok(match (options.continue_at()?, options.resource_version) {
        (Some(ContinueAt::Exact(rv)), _) => Meaning::Exact(rv),
        (Some(ContinueAt::Latest), _) | (None, ResourceVersion::Unset) => Meaning::MostRecent,
        (None, ResourceVersion::Any) => Meaning::Any,
        (None, ResourceVersion::At(rv)) => {
            if let Some(error) = options.version_error(true) {
                return Err(error);
            }
            match options.resource_version_match {
                Some(Exact) => Meaning::Exact(rv),
                None if options.limit > 0 => Meaning::Exact(rv),
                Some(NotOlderThan | Unsupported(_)) | None => Meaning::NotOlderThan(rv),
            }
        }
    })
}
