//! An API server, with its caches, its connection to etcd and the requests of its clients.
//!
//! Mirrors the reads, writes and watches of objects in `k8s.io/apiserver`. All other steps (authentication, admission,
//! priority and fairness, conversion, encoding) take no time here. After the loss of the connection to etcd, the server
//! repeats the pending reads on the new connection, but not the pending writes. etcd's client library does the same.

use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage};
use crate::api::{EtcdError, Reply, Request, Response, StatusRequest, WatchRequest, WatchResponse};
use crate::base::digest::Sparse;
use crate::base::ids::{Caller, NodeId};
use crate::base::ordered::OrdMap;
use crate::base::planted::Planted;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::client::etcd::client::ClientTraffic;
use crate::client::etcd::{RangeStreams, WatchGrpcStream, retry};
use crate::mvcc::kv_store::FIRST_REVISION;
use crate::sim::Outbox;
use crate::sim::cost::CostModel;
use crate::sim::processor::Processor;
use crate::trace::{ClientTrace, KubeTrace, RetryReason, TraceEvent, WatchEnd, WatchOptions};

use super::cache_watcher::CacheWatcherId;
use super::cacher::{Cacher, CacherActions, touched};
use super::compactor::{self, Compactor};
use super::config::{ApiServerConfig, CurrentRevision, Endpoint, EventsEtcd};
use super::dispatch::{BOOKMARK_TIMER, DispatchTimer};
use super::event_rate_limit::EventBuckets;
use super::feature_support::FeatureSupportChecker;
use super::flow_control::FlowControl;
use super::freshness::FreshnessTimer;
use super::metrics::KubeMetrics;
use super::request::{Call, CallReason, ClientWatch, InFlight, WatchKind};
use super::scan::LastScan;
use super::serve::ReadyAnswer;
use super::storage;
use super::work::ServerWork;
use crate::kube::feature::Feature;
use crate::kube::gates::ConsistentLists;
use crate::kube::resource::{EVENTS, Resource};

/// The error of etcd's client after a request timeout (`context.DeadlineExceeded`).
pub(super) const DEADLINE_EXCEEDED: &str = "context deadline exceeded";

/// The error of etcd's client after the API server's client has gone (`context.Canceled`).
const CANCELED: &str = "context canceled";

/// The maximum duration of a write (`requestTimeoutUpperBound`, `endpoints/handlers/rest.go`).
const WRITE_TIMEOUT_MAX: SimDuration = SimDuration::from_millis(34_000);

/// A timer of an API server. The server ignores a stale timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApiServerTimer {
    /// A timer of the reads that wait for a cache.
    Freshness(&'static str, FreshnessTimer),
    /// The time budget for slow watchers of a cache is used up.
    Budget(&'static str),
    /// A cache checks which watchers need a bookmark.
    Bookmark(&'static str),
    /// A cache has decoded an event.
    Decoded(&'static str),
    /// The processor finishes a job.
    JobEnds,
    /// A cache restarts, or its reflector requests a new watch.
    Retry(&'static str),
    /// A request to etcd timed out.
    Call(u64),
    WatchDeadline(u64),
    Compact,
    /// The server compares a cache with etcd.
    Check(&'static str),
    /// The server reads the key that announces compactions.
    CompactRev,
    /// The caches look whether etcd was compacted.
    CompactPoll,
    /// The pause before another attempt is over, so the server repeats a request to etcd.
    Resend(u64),
    /// A request has waited for seats too long.
    QueueLimit(u64),
}

/// An API server.
///
/// ```
/// use watchglass_engine::apiserver::{ApiServer, ApiServerConfig};
/// use watchglass_engine::base::ids::NodeId;
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::sim::Outbox;
/// let config = ApiServerConfig::default();
/// let mut server = ApiServer::new(NodeId::ApiServer(1), "api-1".into(), config, 42);
/// let mut out = Outbox::new(SimTime(0));
/// server.start(Vec::new(), &mut out);
/// assert_eq!(out.messages.len(), 2); // a version request, and a list of pods
/// ```
#[derive(Clone, Debug, Hash)]
pub struct ApiServer {
    pub(super) node: NodeId,
    name: Arc<str>,
    /// The member that the server sends requests to.
    etcd: NodeId,
    pub(super) seed: u64,
    pub(super) config: ApiServerConfig,
    running: bool,
    /// Whether the process has received SIGTERM: it serves only the open requests.
    draining: Sparse<bool>,
    /// The time that each cache takes to process an event from etcd.
    per_event: SimDuration,
    pub(super) connected: bool,
    pub(super) features: FeatureSupportChecker,
    pub(super) storages: OrdMap<&'static str, Storage>,
    pub(super) requests: OrdMap<u64, InFlight>,
    pub(super) watches: OrdMap<u64, ClientWatch>,
    pub(super) by_watcher: OrdMap<(&'static str, CacheWatcherId), u64>,
    /// The server's number for each client's watch. The key consists of the client and the client's number for the
    /// request.
    pub(super) by_call: OrdMap<(NodeId, u64), u64>,
    /// The server's number for each client's watch of a resource without a cache. The key is the name of the etcd watch
    /// that serves the client's watch.
    pub(super) by_name: OrdMap<Arc<str>, u64>,
    calls: OrdMap<u64, Call>,
    pub(super) next_request: u64,
    next_call: u64,
    next_stream: u32,
    pub(super) uids: u64,
    pub(super) rng: Rng,
    pub(super) planted: Planted,
    pub(super) work: ServerWork,
    pub(super) cost: CostModel,
    /// The processor of the server's machine, with the responses that the processor works on.
    pub(super) processor: Processor<ReadyAnswer>,
    /// The number of times that the operating system killed the process.
    kills: u64,
    /// The field values found in the last long response from etcd.
    pub(super) scan: LastScan,
    pub(super) compactor: Compactor,
    pub(super) event_buckets: Sparse<EventBuckets>,
    traffic: ClientTraffic,
    /// The stopped members, if the server uses several members.
    stopped: Sparse<Vec<NodeId>>,
    /// Whether the server checks objects and deletes pods in two steps.
    pub(super) has_registry: Sparse<bool>,
    pub(super) metrics: KubeMetrics,
    /// The seats of requests, if the server counts seats.
    pub(super) flow: Sparse<Option<FlowControl>>,
    /// The chunks of lists from etcd that are not complete.
    range_streams: Sparse<RangeStreams>,
    /// The time at which the server tries again to read lists as streams, after etcd has refused one.
    pub(super) no_streams_until: Sparse<SimTime>,
}

/// The stream to etcd for one resource, and the cache of the resource, if any.
#[derive(Clone, Debug, Hash)]
pub struct Storage {
    pub(super) resource: &'static Resource,
    pub(super) stream: WatchGrpcStream,
    /// The member that serves the stream.
    member: Endpoint,
    pub(super) cacher: Option<Cacher>,
    /// The number of events decoded for watches without a cache.
    pub(super) raw_decodes: u64,
}

impl Storage {
    pub fn resource(&self) -> &'static Resource {
        self.resource
    }

    pub fn cacher(&self) -> Option<&Cacher> {
        self.cacher.as_ref()
    }

    /// Returns the member that serves the etcd watches.
    pub fn member(&self) -> NodeId {
        self.member.0
    }

    /// Returns the number of etcd watches on the stream of this resource.
    pub fn etcd_watches(&self) -> u32 {
        self.stream.watches().count() as u32
    }

    /// Returns the number of events decoded for watches without a cache.
    pub fn raw_decodes(&self) -> u64 {
        self.raw_decodes
    }
}

impl ApiServer {
    /// Creates a server that is not running.
    pub fn new(node: NodeId, name: Arc<str>, config: ApiServerConfig, seed: u64) -> Self {
        let flow = Sparse(flow_of(&config));
        let rng = Rng::stream(seed, &format!("api server {name}"));
        Self {
            node,
            name,
            etcd: config.etcd_servers.requests(),
            seed,
            config,
            running: false,
            draining: Sparse::default(),
            per_event: SimDuration(0),
            connected: false,
            features: FeatureSupportChecker::default(),
            storages: OrdMap::new(),
            requests: OrdMap::new(),
            watches: OrdMap::new(),
            by_watcher: OrdMap::new(),
            by_call: OrdMap::new(),
            by_name: OrdMap::new(),
            calls: OrdMap::new(),
            next_request: 0,
            next_call: 0,
            next_stream: 0,
            uids: 0,
            rng,
            planted: Planted::default(),
            work: ServerWork::default(),
            cost: CostModel::FREE,
            processor: Processor::new(CostModel::FREE.server_cores),
            kills: 0,
            scan: LastScan::default(),
            compactor: Compactor::default(),
            event_buckets: Sparse::default(),
            traffic: ClientTraffic::default(),
            stopped: Sparse::default(),
            has_registry: Sparse::default(),
            metrics: KubeMetrics::default(),
            flow,
            range_streams: Sparse::default(),
            no_streams_until: Sparse::default(),
        }
    }

    /// Returns the server with a planted fault, for tests of the checkers.
    pub fn planted(self, planted: Planted) -> Self {
        Self { planted, ..self }
    }

    /// Returns the server with or without the rules of Kubernetes' registries for writes: checks of objects and
    /// namespaces, updates without a change, and deletions in two steps.
    pub fn with_registry(mut self, has_registry: bool) -> Self {
        self.has_registry = Sparse(has_registry);
        self
    }

    // Getters.

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the traffic with etcd: the numbers of requests sent, keys received and events received.
    pub fn traffic(&self) -> ClientTraffic {
        self.traffic
    }

    pub fn etcd(&self) -> NodeId {
        self.etcd
    }

    /// Returns the members that the server connects to.
    pub fn peers(&self) -> Vec<NodeId> {
        let own = (self.config.events_etcd == EventsEtcd::Own).then_some(NodeId::EVENTS_ETCD);
        self.config.etcd_servers.members().chain(own).collect()
    }

    /// Returns the first running member that can receive the requests for a resource.
    fn running_for(&self, resource: Option<&str>) -> Option<NodeId> {
        if self.is_in_events_etcd(resource) {
            return self
                .runs(NodeId::EVENTS_ETCD)
                .then_some(NodeId::EVENTS_ETCD);
        }
        let mut members = self.config.etcd_servers.members();
        members.find(|member| self.runs(*member))
    }

    /// Returns the next running member after `member`. The next member takes over the watches of `member`.
    fn running_after(&self, member: NodeId) -> Option<NodeId> {
        if member == NodeId::EVENTS_ETCD {
            return self.runs(member).then_some(member);
        }
        let mut members = self.config.etcd_servers.after(member);
        members.find(|member| self.runs(*member))
    }

    /// Returns `member` if this member runs, otherwise the next running member.
    fn running_from(&self, member: NodeId) -> Option<NodeId> {
        match self.runs(member) {
            true => Some(member),
            false => self.running_after(member),
        }
    }

    fn runs(&self, member: NodeId) -> bool {
        !self.stopped.contains(&member)
    }

    /// Returns true if the second etcd stores the resource.
    fn is_in_events_etcd(&self, resource: Option<&str>) -> bool {
        self.config.events_etcd == EventsEtcd::Own && resource == Some(EVENTS.name)
    }

    pub fn config(&self) -> &ApiServerConfig {
        &self.config
    }

    /// Replaces the configuration. The process must be stopped.
    pub fn set_config(&mut self, config: ApiServerConfig) {
        self.etcd = config.etcd_servers.requests();
        self.flow = Sparse(flow_of(&config));
        self.config = config;
    }

    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Returns true if the process has received SIGTERM and has not ended yet.
    pub fn is_draining(&self) -> bool {
        *self.draining
    }

    /// Handles SIGTERM: from now on, the server serves only the open requests.
    pub fn drain(&mut self) {
        *self.draining = true;
    }

    /// Returns true if the connection to etcd is open.
    pub fn is_connected(&self) -> bool {
        self.connected
    }

    /// Returns true if etcd supports progress requests, according to the configuration or to the versions that etcd
    /// reported.
    pub fn supports_progress(&self) -> bool {
        self.config.assume_progress || self.features.supports_request_progress()
    }

    /// Returns true if the server sends progress requests (`delegator.ConsistentReadSupported`). The server sends none
    /// if the feature gate is off, or if etcd's version does not handle them correctly.
    fn asks_for_progress(&self) -> bool {
        let is_on = self.config.gates.consistent_lists != ConsistentLists::FromEtcd;
        is_on && self.supports_progress()
    }

    /// Replaces the random numbers of the server from now on. The uids of new objects keep their seed.
    pub fn reseed(&mut self, seed: u64) {
        self.rng.reseed(seed);
        for storage in self.storages.values_mut() {
            if let Some(cacher) = &mut storage.cacher {
                cacher.dispatcher.reseed(seed);
            }
        }
    }

    /// Returns the storages: one for each resource that has a cache or was requested.
    pub fn storages(&self) -> impl Iterator<Item = &Storage> {
        let storages = self.storages.values();
        storages.filter(|storage| storage.resource.name != compactor::COMPACT_REV_KEY)
    }

    pub fn cacher(&self, resource: &str) -> Option<&Cacher> {
        self.storages.get(resource)?.cacher.as_ref()
    }

    /// Returns the watch streams to etcd.
    pub fn streams(&self) -> impl Iterator<Item = &WatchGrpcStream> {
        self.storages.values().map(|storage| &storage.stream)
    }

    /// Returns the watches of clients, each with its number.
    pub fn watches(&self) -> impl Iterator<Item = (u64, WatchInfo<'_>)> {
        self.watches.iter().map(|(id, watch)| (*id, info(watch)))
    }

    /// Returns the cost of all lists on this server.
    pub fn work(&self) -> &ServerWork {
        &self.work
    }

    /// Sets the cost model, which determines how much processor time the server's work takes.
    pub fn set_cost(&mut self, cost: CostModel, out: &mut Outbox<ApiServerTimer>) {
        self.cost = cost;
        self.processor.set_cores(out.now, cost.server_cores);
        self.plan_job_end(out);
    }

    /// Returns the number of responses that the server's processor works on.
    pub fn jobs(&self) -> u64 {
        self.processor.running()
    }

    /// Returns the processor time of all jobs that have ended.
    pub fn processor_time(&self) -> SimDuration {
        self.processor.used()
    }

    /// Returns the memory of the responses that the server works on, in bytes.
    pub fn memory(&self) -> u64 {
        self.processor.memory()
    }

    /// Returns true if the server encodes lists piece by piece, so that responses need no memory. Runs of old format
    /// versions count the memory of complete responses.
    pub fn streams_lists(&self) -> bool {
        self.has_registry.0 && self.config.streams_lists()
    }

    /// Returns the seats of requests, if the server counts seats.
    pub fn flow_control(&self) -> Option<&FlowControl> {
        self.flow.as_ref()
    }

    pub fn kills(&self) -> u64 {
        self.kills
    }

    pub fn count_kill(&mut self) {
        self.kills += 1;
    }

    pub fn cost(&self) -> &CostModel {
        &self.cost
    }

    /// Returns the number of pending client requests.
    pub fn open_requests(&self) -> u64 {
        self.requests.len() as u64
    }

    /// Returns true if a client's request, or a request to etcd, is pending.
    pub fn is_busy(&self) -> bool {
        !self.calls.is_empty() || !self.requests.is_empty()
    }

    /// Returns true if a timer is stale: the work of the timer is no longer needed.
    pub fn is_void(&self, timer: ApiServerTimer) -> bool {
        match timer {
            ApiServerTimer::Freshness(resource, timer) => self
                .cacher(resource)
                .is_none_or(|c| c.freshness.is_void(timer)),
            ApiServerTimer::Budget(resource) => self
                .cacher(resource)
                .is_none_or(|c| !c.dispatcher.is_blocked()),
            ApiServerTimer::Bookmark(resource) => self
                .cacher(resource)
                .is_none_or(|c| !c.looks_for_bookmarks || c.dispatcher.registered() == 0),
            ApiServerTimer::Retry(resource) => {
                self.cacher(resource).is_none_or(|c| !c.reflecting.waits())
            }
            ApiServerTimer::Decoded(resource) => {
                self.cacher(resource).is_none_or(|c| c.decoding().is_none())
            }
            ApiServerTimer::JobEnds => self.processor.running() == 0,
            ApiServerTimer::Call(call) | ApiServerTimer::Resend(call) => {
                !self.calls.contains_key(&call)
            }
            ApiServerTimer::WatchDeadline(id) => !self.watches.contains_key(&id),
            ApiServerTimer::QueueLimit(id) => {
                !self.flow.as_ref().is_some_and(|flow| flow.is_queued(id))
            }
            ApiServerTimer::Check(_)
            | ApiServerTimer::Compact
            | ApiServerTimer::CompactRev
            | ApiServerTimer::CompactPoll => !self.running,
        }
    }

    // Start, stop and connections.

    /// Starts the process: the server requests etcd's version, and each cache lists. If the server uses several
    /// members, `stopped` contains the members that the server cannot connect to yet.
    pub fn start(&mut self, stopped: Vec<NodeId>, out: &mut Outbox<ApiServerTimer>) {
        self.running = true;
        self.connected = true;
        self.stopped = Sparse(stopped);
        self.ask(CallReason::Version, Request::Status(StatusRequest {}), out);
        for (resource, size) in self.config.caches.clone() {
            let of = (self.node, &*self.name.clone());
            let policy = (self.config.freshness(), self.config.gates.snapshots);
            let mut cacher = Cacher::new(of, (resource, size), policy, (self.seed, out.now));
            cacher.resyncs = self.config.etcd_resync;
            let concurrent = self.config.is_set(Feature::ConcurrentWatchObjectDecode);
            cacher.decodes_concurrently = Sparse(concurrent);
            if !self.config.gates.selector_index {
                cacher.cache = cacher.cache.without_indexes();
            }
            self.storage_mut(resource).cacher = Some(cacher);
            self.with_cacher(resource.name, out, |cacher, actions| {
                cacher.start_caching(actions)
            });
            self.plan_check(resource.name, out);
        }
        self.slow(self.per_event, out);
        self.plan_compaction(out);
        if self.config.compaction_interval.0 > 0 && self.config.gates.snapshots {
            out.timer(compactor::FIRST_READ, ApiServerTimer::CompactRev);
            out.timer(compactor::POLL, ApiServerTimer::CompactPoll);
        }
    }

    /// Watches the key that announces compactions, from this revision on.
    fn watch_compactions(&mut self, from: u64, out: &mut Outbox<ApiServerTimer>) {
        let name: Arc<str> = format!("{}/{}", self.name, compactor::COMPACT_REV_KEY).into();
        let resource = &compactor::COMPACT_REV;
        self.watch_etcd(resource, &name, resource.prefix, from - 1, out);
    }

    /// Sets the processing time of each event from etcd, to simulate expensive decoding or a busy processor.
    pub fn slow(&mut self, per_event: SimDuration, out: &mut Outbox<ApiServerTimer>) {
        let now = out.now;

        self.per_event = per_event;
        let names: Vec<&'static str> = self.storages.keys().copied().collect();
        for name in names {
            self.with_cacher(name, out, |cacher, actions| {
                cacher.slow(now, per_event, actions)
            });
        }
    }

    /// Ends the process; its memory is lost.
    pub fn stop(&mut self) {
        self.running = false;
        *self.draining = false;
        self.connected = false;
        self.features = FeatureSupportChecker::default();
        self.storages = OrdMap::new();
        self.requests = OrdMap::new();
        self.watches = OrdMap::new();
        self.by_watcher = OrdMap::new();
        self.by_call = OrdMap::new();
        self.by_name = OrdMap::new();
        self.calls = OrdMap::new();
        self.processor.clear();
        self.compactor = Compactor::default();
        self.flow = Sparse(flow_of(&self.config));
        self.range_streams = Sparse::default();
        self.no_streams_until = Sparse::default();
        self.event_buckets = Sparse::default();
    }

    /// Handles the loss of the connection to etcd: in-flight messages are lost.
    pub fn disconnected(&mut self, out: &mut Outbox<ApiServerTimer>) {
        self.connected = false;
        self.fail_writes(|_| true, out);
    }

    /// Fails the writes that had no response when the connection was lost. The client library repeats the server's
    /// reads, but not the server's writes.
    fn fail_writes(
        &mut self,
        is_broken: impl Fn(NodeId) -> bool,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let is_lost = |call: &Call| {
            let is_write = matches!(*call.request, Request::Txn(_) | Request::Compact(_));
            is_write && is_broken(call.to.0)
        };
        let calls = self.calls.iter().filter(|(_, call)| is_lost(call));
        let lost: Vec<u64> = calls.map(|(number, _)| *number).collect();
        for number in lost {
            let call = self.calls.remove(&number).expect("it was just listed");
            let why = "rpc error: code = Unavailable desc = error reading from server: EOF";
            self.failed(call.what, why, out);
        }
    }

    /// Handles the end of a member's process. The reads without a response and the watches continue on the next running
    /// member. If no member runs, the reads and the watches wait.
    pub fn member_stopped(&mut self, etcd: NodeId, out: &mut Outbox<ApiServerTimer>) {
        if !self.runs(etcd) {
            return;
        }
        self.stopped.push(etcd);
        self.fail_writes(|to| to == etcd, out);
        self.leave_stopped_members(out);
    }

    pub fn member_started(&mut self, etcd: NodeId, out: &mut Outbox<ApiServerTimer>) {
        if self.runs(etcd) {
            return;
        }
        self.stopped.retain(|member| *member != etcd);
        // The requests that waited for this member can be sent now.
        self.use_member(etcd, etcd, out);
        self.leave_stopped_members(out);
    }

    /// Sends the pending requests of stopped members to running members, and moves the watches.
    fn leave_stopped_members(&mut self, out: &mut Outbox<ApiServerTimer>) {
        for from in self.stopped.0.clone() {
            if let Some(to) = self.running_after(from) {
                self.use_member(from, to, out);
            }
        }
    }

    /// Sends the pending requests and the watches of one member to another member.
    fn use_member(&mut self, from: NodeId, to: NodeId, out: &mut Outbox<ApiServerTimer>) {
        if !self.connected {
            return;
        }
        let calls = self.calls.iter().filter(|(_, call)| call.to.0 == from);
        let calls: Vec<u64> = calls.map(|(number, _)| *number).collect();
        for number in calls {
            self.send_call(number, to, out);
        }
        let storages = self.storages.values().filter(|s| s.member.0 == from);
        let names: Vec<&'static str> = storages.map(|storage| storage.resource.name).collect();
        for name in names {
            self.resume_stream(name, to, out);
        }
    }

    /// Repeats a request after an error, if the client library would repeat it. Returns true if the server will send
    /// the request again.
    fn retry_call(
        &mut self,
        number: u64,
        error: EtcdError,
        out: &mut Outbox<ApiServerTimer>,
    ) -> bool {
        let count = self.config.etcd_servers.members().count();
        let Some(call) = self.calls.get_mut(&number) else {
            return false;
        };
        *call.failed += 1;
        let failed = *call.failed;
        if !retry::is_safe(&call.request, error) || failed >= retry::ATTEMPTS_MAX {
            return false;
        }
        let last = call.to.0;
        let next = self.running_after(last).unwrap_or(last);
        let delay = retry::pause(failed, count);
        out.trace(TraceEvent::Client(ClientTrace::Retries {
            node: self.node,
            why: RetryReason::Error(error.to_string().into()),
            delay,
        }));
        match delay.0 {
            0 => self.send_call(number, next, out),
            _ => {
                let call = self.calls.get_mut(&number).expect("it was just found");
                call.to = Endpoint(next);
                out.timer(delay, ApiServerTimer::Resend(number));
            }
        }
        true
    }

    fn send_call(&mut self, call: u64, to: NodeId, out: &mut Outbox<ApiServerTimer>) {
        let pending = self.calls.get_mut(&call).expect("the call is pending");
        pending.to = Endpoint(to);
        let request = pending.request.clone();
        self.range_streams.forget(call);
        self.traffic.requests += 1;
        out.send(to, Body::Etcd(EtcdMessage::Call { call, request }));
    }

    /// Resumes the watches of a resource on a new stream of a member.
    fn resume_stream(
        &mut self,
        resource: &'static str,
        member: NodeId,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        self.next_stream += 1;
        let number = self.next_stream;
        let storage = self
            .storages
            .get_mut(resource)
            .expect("the storage was listed");
        storage.member = Endpoint(member);
        // The server also resumes a stream without watches, because the stream may still wait for the response to a
        // watch that has ended.
        let request = storage.stream.resume(number);
        let is_observed = member != NodeId::EVENTS_ETCD;
        for (watch, _, revision) in storage.stream.watches().filter(|_| is_observed) {
            out.trace(TraceEvent::Client(ClientTrace::ResumesFrom {
                node: self.node,
                watch: watch.clone(),
                revision,
            }));
        }
        self.send_watch(resource, request, out);
    }

    /// Restores the connection to etcd: sends the pending reads again, and resumes the watches.
    pub fn connected(&mut self, out: &mut Outbox<ApiServerTimer>) {
        self.connected = true;
        let calls = self.calls.iter();
        let calls: Vec<(u64, NodeId)> = calls.map(|(number, call)| (*number, call.to.0)).collect();
        for (number, to) in calls {
            if let Some(to) = self.running_from(to) {
                self.send_call(number, to, out);
            }
        }
        let storages = self.storages.values();
        let storages: Vec<(&'static str, NodeId)> = storages
            .map(|storage| (storage.resource.name, storage.member.0))
            .collect();
        for (name, member) in storages {
            let member = self.running_from(member).unwrap_or(member);
            self.resume_stream(name, member, out);
        }
    }

    pub fn wake(&mut self, timer: ApiServerTimer, out: &mut Outbox<ApiServerTimer>) {
        let now = out.now;

        if self.is_void(timer) {
            return;
        }
        match timer {
            ApiServerTimer::Freshness(resource, timer) => {
                self.with_cacher(resource, out, |cacher, actions| {
                    let rv = cacher.cache.cache_rv();
                    cacher.freshness.wake(now, timer, rv, &mut actions.wants);
                });
            }
            ApiServerTimer::Budget(resource) => {
                self.with_cacher(resource, out, |cacher, actions| {
                    cacher.wake_dispatcher(now, DispatchTimer::Budget, actions);
                });
            }
            ApiServerTimer::Bookmark(resource) => {
                self.with_cacher(resource, out, |cacher, actions| {
                    cacher.looks_for_bookmarks = false;
                    cacher.wake_dispatcher(now, DispatchTimer::Bookmark, actions);
                });
            }
            ApiServerTimer::Decoded(resource) => {
                self.with_cacher(resource, out, |cacher, actions| cacher.take(now, actions));
            }
            ApiServerTimer::Retry(resource) => {
                self.with_cacher(resource, out, |cacher, actions| cacher.retry(actions));
            }
            ApiServerTimer::JobEnds => self.end_jobs(out),
            ApiServerTimer::Call(number) => self.give_up(number, DEADLINE_EXCEEDED, out),
            ApiServerTimer::WatchDeadline(id) => self.end_watch(id, WatchEnd::TimedOut, out),
            ApiServerTimer::QueueLimit(id) => self.leave_queue(id, out),
            ApiServerTimer::Compact => {
                self.ask(CallReason::CompactTurn, self.compactor.turn(), out)
            }
            ApiServerTimer::Check(resource) => self.check_cache(resource, out),
            ApiServerTimer::CompactRev => {
                let question = storage::one(compactor::COMPACT_REV_KEY, 0);
                self.ask(CallReason::CompactRev, question, out);
            }
            ApiServerTimer::CompactPoll => {
                let compacted = self.compactor.compacted();
                let names: Vec<&'static str> = self.storages.keys().copied().collect();
                for name in names.into_iter().filter(|_| compacted > 0) {
                    self.with_cacher(name, out, |cacher, _| cacher.cache.compact(compacted));
                }
                out.timer(compactor::POLL, ApiServerTimer::CompactPoll);
            }
            ApiServerTimer::Resend(number) => {
                let to = self.calls[&number].to.0;
                if let (Some(to), true) = (self.running_from(to), self.connected) {
                    self.send_call(number, to, out);
                }
            }
        }
    }

    /// Gives up a request to etcd. The client's request that needs the response fails.
    fn give_up(&mut self, number: u64, why: &str, out: &mut Outbox<ApiServerTimer>) {
        self.range_streams.forget(number);
        let call = self.calls.remove(&number).expect("the call is pending");
        out.abandoned.push(number);
        self.failed(call.what, why, out);
    }

    /// Gives up the reads from etcd for clients' requests that `is_gone` selects, because the clients wait for no
    /// response any more.
    pub fn abandon_reads(
        &mut self,
        is_gone: impl Fn(Caller) -> bool,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let requests = &self.requests;
        let is_read =
            |call: &Call| matches!(*call.request, Request::Range(_) | Request::RangeStream(_));
        let is_abandoned = |call: &Call| match call.what {
            CallReason::Request(id) if is_read(call) => requests.get(&id).is_some_and(|request| {
                let (node, call) = (request.from, request.call);
                is_gone(Caller { node, call })
            }),
            _ => false,
        };
        let calls = self.calls.iter().filter(|(_, call)| is_abandoned(call));
        let numbers: Vec<u64> = calls.map(|(number, _)| *number).collect();
        for number in numbers {
            self.give_up(number, CANCELED, out);
        }
    }

    // Messages from etcd.

    pub fn handle_etcd(
        &mut self,
        (from, body): (NodeId, &Body),
        bytes: u64,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        match body {
            Body::Etcd(EtcdMessage::Answer { call, reply }) => {
                let whole;
                let mut reply: &Reply = reply;
                if matches!(reply, Ok(Response::RangeStream(_))) && self.calls.contains_key(call) {
                    let Some(received) = self.range_streams.receive(*call, reply.clone()) else {
                        return;
                    };
                    whole = received;
                    reply = &whole;
                }
                if let Ok(Response::Range(range)) = reply {
                    self.traffic.keys += range.kvs.len() as u64;
                }
                if let Err(error) = reply
                    && self.retry_call(*call, *error, out)
                {
                    return;
                }
                self.range_streams.forget(*call);
                if let Some(call) = self.calls.remove(call) {
                    self.answered(call.what, reply, out);
                }
            }
            Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) => {
                self.watch_answered((from, *stream), response, bytes, out);
            }
            Body::Etcd(EtcdMessage::Call { .. })
            | Body::Etcd(
                EtcdMessage::Watch { .. } | EtcdMessage::Peer(_) | EtcdMessage::PeerRemoved,
            )
            | Body::Kube(_) => {}
        }
    }

    fn answered(&mut self, what: CallReason, reply: &Reply, out: &mut Outbox<ApiServerTimer>) {
        let now = out.now;

        if let CallReason::Check(resource) = what {
            return self.checked(resource, reply, out);
        }
        if let (Err(error), false) = (reply, matches!(what, CallReason::Request(_))) {
            return self.failed(what, &error.to_string(), out);
        }
        match (what, reply) {
            (CallReason::Version, Ok(Response::Status(status))) => {
                self.features.answered(&status.version);
            }
            (CallReason::CacherList(resource), Ok(Response::Range(range))) => {
                let decoded = self.cost.decode(range.kvs.len() as u64, range.kvs.weight());
                self.processor.spend(decoded);
                let names_all = self
                    .config
                    .is_on(Feature::AllowUnsafeMalformedObjectDeletion);
                let found = self.storages[resource].resource;
                if let Some(error) = storage::undecodable(found, range.kvs.iter(), names_all) {
                    return self.failed(what, &error.to_string(), out);
                }
                self.with_cacher(resource, out, |cacher, actions| {
                    cacher.listed(now, range, actions)
                });
            }
            (CallReason::Revision(resource, call), Ok(Response::Range(range))) => {
                let revision = match self.config.current_revision {
                    CurrentRevision::Header => range.header.revision,
                    // If the resource has no objects, any state of the cache since the first revision is new enough.
                    CurrentRevision::WithLastRev => {
                        let newest = range.kvs.iter().next();
                        newest.map_or(FIRST_REVISION, |kv| kv.mod_revision)
                    }
                } as u64;
                self.with_cacher(resource, out, |cacher, actions| {
                    let rv = cacher.cache.cache_rv();
                    let response = Ok(revision);
                    cacher
                        .freshness
                        .revision(now, call, response, rv, &mut actions.wants);
                });
            }
            (CallReason::WatchRevision(id), Ok(Response::Range(range))) => {
                let revision = range.header.revision as u64;
                if let Some(request) = self.requests.get_mut(&id) {
                    request.revision_took = now - request.received;
                }
                self.begin_watch(id, revision, out);
            }
            (CallReason::Request(id), reply) => self.etcd_answered(id, reply, out),
            (CallReason::CompactTurn, Ok(Response::Txn(txn))) => match self.compactor.answered(txn)
            {
                Some(at) => self.ask(CallReason::Compact(at), compactor::compaction(at), out),
                None => self.plan_compaction(out),
            },
            (CallReason::Compact(at), Ok(_)) => {
                self.compactor.compacts(at);
                self.plan_compaction(out);
            }
            (CallReason::CompactRev, Ok(Response::Range(range))) => {
                if let Some(kv) = range.kvs.first() {
                    self.compactor.hears(&kv.value);
                }
                self.watch_compactions(range.header.revision as u64, out);
            }
            _ => {}
        }
    }

    /// Handles a request to etcd that failed or timed out.
    fn failed(&mut self, what: CallReason, why: &str, out: &mut Outbox<ApiServerTimer>) {
        let now = out.now;

        let why: Arc<str> = why.into();
        match what {
            CallReason::Version => {}
            CallReason::CompactTurn | CallReason::Compact(_) => self.plan_compaction(out),
            CallReason::Check(resource) => self.plan_check(resource, out),
            CallReason::CompactRev => out.timer(compactor::FIRST_READ, ApiServerTimer::CompactRev),
            CallReason::CacherList(resource) => {
                self.with_cacher(resource, out, |cacher, actions| {
                    cacher.list_failed(now, &why, actions)
                });
            }
            CallReason::Revision(resource, call) => {
                self.with_cacher(resource, out, |cacher, actions| {
                    let rv = cacher.cache.cache_rv();
                    cacher
                        .freshness
                        .revision(now, call, Err(why), rv, &mut actions.wants);
                });
            }
            CallReason::WatchRevision(id) | CallReason::Request(id) => {
                self.refuse_by_storage(id, why, out);
            }
        }
    }

    fn watch_answered(
        &mut self,
        (etcd, stream): (NodeId, u32),
        response: &Arc<WatchResponse>,
        bytes: u64,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let now = out.now;

        let events = response.events.len() as u64;
        let decoded = self.cost.decode(events, bytes);
        self.processor.spend(self.cost.watch(events).and(decoded));
        let found = self.storages.values().find(|s| s.stream.number() == stream);
        let Some(resource) = found.map(|storage| storage.resource.name) else {
            out.credits.push((etcd, stream, bytes));
            return;
        };
        let storage = self.storages.get_mut(resource).expect("it was just found");
        let received = storage.stream.receive(response.clone());
        let cachers = storage.cacher.as_ref().map(|c| c.watch_name.clone());
        if received.is_closed {
            // The client library opens the next stream on the next member.
            let next = self.running_after(etcd).unwrap_or(etcd);
            self.resume_stream(resource, next, out);
        }
        for request in received.sends {
            self.send_watch(resource, Some(request), out);
        }
        let is_observed = etcd != NodeId::EVENTS_ETCD;
        let mut taken = false;
        for (name, response) in received.delivered {
            self.traffic.events += response.events.len() as u64;
            if is_observed {
                out.trace(TraceEvent::Client(ClientTrace::Received {
                    node: self.node,
                    watch: name.clone(),
                    stream,
                    response: response.clone(),
                }));
            }
            if resource == compactor::COMPACT_REV_KEY {
                let found = response.events.iter().rev();
                let mut found = found.filter(|event| &*event.kv.key == resource.as_bytes());
                if let Some(event) = found.next() {
                    self.compactor.hears(&event.kv.value);
                }
            } else if cachers.as_ref() == Some(&name) {
                taken = true;
                self.with_cacher(resource, out, |cacher, actions| {
                    cacher.handle_watch_response(now, &response, (stream, bytes), actions);
                });
            } else {
                self.handle_raw_watch_response(resource, &name, &response, out);
            }
        }
        if !taken {
            out.credits.push((etcd, stream, bytes));
        }
        for (name, why) in received.ended {
            if is_observed {
                out.trace(TraceEvent::Client(ClientTrace::Ended {
                    node: self.node,
                    watch: name.clone(),
                    reason: why.clone(),
                }));
            }
            if resource == compactor::COMPACT_REV_KEY {
                out.timer(compactor::FIRST_READ, ApiServerTimer::CompactRev);
            } else if cachers.as_ref() == Some(&name) {
                self.with_cacher(resource, out, |cacher, actions| {
                    cacher.watch_ended(now, &why, received.is_closed, actions);
                });
            } else {
                self.raw_ended(&name, received.is_closed.then_some(why), out);
            }
        }
    }

    /// Sends a request to etcd now, or when the server connects if there is no connection.
    pub(super) fn ask(
        &mut self,
        what: CallReason,
        request: Request,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        self.next_call += 1;
        let call = self.next_call;
        self.count_etcd_request(what, &request);
        let request = Arc::new(request);
        let is_limited = match what {
            CallReason::CacherList(_)
            | CallReason::Version
            | CallReason::CompactTurn
            | CallReason::Compact(_)
            | CallReason::CompactRev => false,
            CallReason::Check(_)
            | CallReason::Revision(..)
            | CallReason::WatchRevision(_)
            | CallReason::Request(_) => true,
        };
        if is_limited {
            out.timer(self.timeout_of(what), ApiServerTimer::Call(call));
        }
        let resource = self.resource_of(what);
        let running = self.running_for(resource);
        let kept = Call {
            what,
            request,
            to: Endpoint(running.unwrap_or(match self.is_in_events_etcd(resource) {
                true => NodeId::EVENTS_ETCD,
                false => self.etcd,
            })),
            failed: Sparse::default(),
        };
        self.calls.insert(call, kept);
        // Without a connection, the request is sent when the server connects.
        if let (Some(to), true) = (running, self.connected) {
            self.send_call(call, to, out);
        }
    }

    /// Returns the time after which the server gives up a request to etcd.
    fn timeout_of(&self, what: CallReason) -> SimDuration {
        let timeout = self.config.request_timeout;
        match what {
            CallReason::Request(id)
                if self
                    .requests
                    .get(&id)
                    .is_some_and(|open| open.request.verb.is_write()) =>
            {
                timeout.min(WRITE_TIMEOUT_MAX)
            }
            _ => timeout,
        }
    }

    /// Returns the resource of a request to etcd; `None` if the request concerns no resource.
    pub(super) fn resource_of(&self, what: CallReason) -> Option<&'static str> {
        match what {
            CallReason::CacherList(resource)
            | CallReason::Revision(resource, _)
            | CallReason::Check(resource) => Some(resource),
            CallReason::WatchRevision(id) | CallReason::Request(id) => {
                self.requests.get(&id).map(|r| r.request.resource.name)
            }
            CallReason::Version
            | CallReason::CompactTurn
            | CallReason::Compact(_)
            | CallReason::CompactRev => None,
        }
    }

    /// Schedules the next compaction, unless compactions are off.
    fn plan_compaction(&self, out: &mut Outbox<ApiServerTimer>) {
        let interval = self.config.compaction_interval;
        if interval.0 > 0 {
            out.timer(interval, ApiServerTimer::Compact);
        }
    }

    pub(super) fn storage_mut(&mut self, resource: &'static Resource) -> &mut Storage {
        let member = match self.is_in_events_etcd(Some(resource.name)) {
            true => NodeId::EVENTS_ETCD,
            false => self.config.etcd_servers.watches(),
        };
        let member = self.running_from(member).unwrap_or(member);
        let (next, planted) = (&mut self.next_stream, self.planted);
        self.storages.get_or_insert_with(resource.name, || {
            *next += 1;
            Storage {
                resource,
                stream: WatchGrpcStream::new(*next).planted(planted),
                member: Endpoint(member),
                cacher: None,
                raw_decodes: 0,
            }
        })
    }

    /// Starts an etcd watch of all keys with a prefix. The watch receives the changes after the revision `after`.
    pub(super) fn watch_etcd(
        &mut self,
        resource: &'static Resource,
        name: &Arc<str>,
        prefix: &str,
        after: u64,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let create = storage::watch(prefix, after);
        // The second etcd has its own revisions. The trace reports only the watches of the first etcd.
        let is_observed = !self.is_in_events_etcd(Some(resource.name));
        if is_observed {
            out.trace(TraceEvent::Client(ClientTrace::Wants {
                node: self.node,
                watch: name.clone(),
                stream: 0,
                range: crate::base::bytes::KeyRange::new(&create.key, &create.range_end),
                start_rev: create.start_revision,
                options: WatchOptions {
                    prev_kv: true,
                    progress_notify: true,
                    ..WatchOptions::default()
                },
            }));
        }
        let storage = self.storage_mut(resource);
        let request = storage.stream.watch(name.clone(), create);
        self.send_watch(resource.name, request, out);
    }

    pub(super) fn send_watch(
        &mut self,
        resource: &'static str,
        request: Option<WatchRequest>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let storage = &self.storages[resource];
        let is_connected = self.connected && self.runs(storage.member.0);
        if let (Some(request), true) = (request, is_connected) {
            self.traffic.requests += 1;
            let stream = storage.stream.number();
            let body = Body::Etcd(EtcdMessage::Watch { stream, request });
            out.send(storage.member.0, body);
        }
    }

    /// Runs an operation of a cache and executes the actions that the cache requests.
    pub(super) fn with_cacher(
        &mut self,
        resource: &'static str,
        out: &mut Outbox<ApiServerTimer>,
        act: impl FnOnce(&mut Cacher, &mut CacherActions),
    ) {
        let storage = self.storages.get_mut(resource);
        let Some(cacher) = storage.and_then(|storage| storage.cacher.as_mut()) else {
            return;
        };
        let mut actions = CacherActions::default();
        act(cacher, &mut actions);
        self.follow(resource, actions, out);
    }

    fn follow(
        &mut self,
        resource: &'static str,
        actions: CacherActions,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        out.trace.extend(actions.trace);
        let read = actions.credits.into_iter();
        let Storage {
            resource: found,
            member,
            ..
        } = self.storages[resource];
        out.credits
            .extend(read.map(|(stream, bytes)| (member.0, stream, bytes)));
        if let Some((from, revision)) = actions.page {
            let page = storage::page(
                found.prefix,
                from.as_deref(),
                storage::CACHER_PAGE,
                revision,
            );
            self.ask(CallReason::CacherList(resource), page, out);
        }
        if actions.cancels_watch {
            let storage = self.storages.get_mut(resource).expect("it has a cache");
            let watch = storage.cacher.as_ref().map(|c| c.watch_name.clone());
            let request = watch.and_then(|name| storage.stream.cancel(&name).0);
            self.send_watch(resource, request, out);
        }
        if let Some(after) = actions.watch {
            let name = self.cacher(resource).map(|c| c.watch_name.clone());
            let name = name.expect("it has just said so");
            self.watch_etcd(found, &name, found.prefix, after, out);
        }
        if let Some(at) = actions.decoded {
            out.timer(at - out.now, ApiServerTimer::Decoded(resource));
        }
        if let Some(after) = actions.retries {
            out.timer(after, ApiServerTimer::Retry(resource));
        }
        for call in actions.wants.calls {
            let question = match self.config.current_revision {
                CurrentRevision::Header => storage::current_revision(found),
                CurrentRevision::WithLastRev => storage::last_revision(found),
            };
            self.ask(CallReason::Revision(resource, call), question, out);
        }
        self.tell_of_waits(resource, out);
        if self.asks_for_progress() {
            for echo in &actions.wants.progress {
                self.ask_progress(resource, *echo, out);
            }
        }
        for (after, timer) in actions.wants.timers {
            out.timer(after, ApiServerTimer::Freshness(resource, timer));
        }
        for (after, timer) in &actions.dispatched.timers {
            if let DispatchTimer::Budget = timer {
                out.timer(*after, ApiServerTimer::Budget(resource));
            }
        }
        for watcher in touched(&actions.dispatched) {
            if let Some(id) = self.by_watcher.get(&(resource, watcher)).copied() {
                self.pump_watch(id, out);
            }
        }
        self.arm_bookmarks(resource, out);
        for outcome in actions.wants.done {
            self.waited(outcome, out);
        }
        if actions.became_ready {
            self.became_ready(resource, out);
        }
    }

    fn ask_progress(
        &mut self,
        resource: &'static str,
        echo: Option<u64>,
        out: &mut Outbox<ApiServerTimer>,
    ) {
        let storage = &self.storages[resource];
        let waiting = storage.cacher.as_ref().map_or(0, |c| c.freshness.waiting());
        let has_watch = storage
            .cacher
            .as_ref()
            .is_some_and(|c| !c.reflecting.waits_for_watch());
        if !has_watch {
            return;
        }
        if self.connected {
            out.trace(TraceEvent::Kube(KubeTrace::ProgressAsked {
                server: self.node,
                resource,
                waiting,
            }));
        }
        self.send_watch(resource, Some(WatchRequest::Progress { echo }), out);
    }

    /// Reports in the trace the required revision of each read that has started to wait for the cache.
    fn tell_of_waits(&mut self, resource: &'static str, out: &mut Outbox<ApiServerTimer>) {
        let Some(cacher) = self.storages[resource].cacher.as_ref() else {
            return;
        };
        let cache_revision = cacher.cache.cache_rv();
        for (read, waiting) in cacher.freshness.waits() {
            let Some(waiting) = waiting else { continue };
            let Some(request) = self.requests.get_mut(&read.0) else {
                continue;
            };
            let needed = waiting.needed.unwrap_or(0);
            if request.needed == 0 && needed > 0 {
                request.needed = needed;
                out.trace(TraceEvent::Kube(KubeTrace::Waits {
                    server: self.node,
                    id: read.0,
                    needed,
                    cache_revision,
                    deadline: waiting.deadline,
                }));
            }
        }
    }

    /// Sets the timer for bookmarks if there are watchers.
    fn arm_bookmarks(&mut self, resource: &'static str, out: &mut Outbox<ApiServerTimer>) {
        let storage = self.storages.get_mut(resource);
        let Some(cacher) = storage.and_then(|s| s.cacher.as_mut()) else {
            return;
        };
        if cacher.dispatcher.registered() == 0 {
            cacher.looks_for_bookmarks = false;
        } else if !cacher.looks_for_bookmarks {
            let jitter = self.rng.below(BOOKMARK_TIMER.0 / 4);
            cacher.looks_for_bookmarks = true;
            let after = crate::base::time::SimDuration(BOOKMARK_TIMER.0 + jitter);
            out.timer(after, ApiServerTimer::Bookmark(resource));
        }
    }
}

/// A client's watch, as shown in a view.
#[derive(Clone, Copy, Debug, Hash)]
pub struct WatchInfo<'a> {
    pub client: NodeId,
    /// The client's number for the request.
    pub call: u64,
    pub request: &'a crate::kube::KubeRequest,
    /// The number of the watcher in the cache; `None` without a cache.
    pub watcher: Option<CacheWatcherId>,
    pub sent: u64,
    /// The revision up to which the watch received all events.
    pub revision: u64,
    /// The number of sent bytes that the client has not read.
    pub unread: u64,
    /// The time when the server ends the watch.
    pub deadline: SimTime,
}

fn info(watch: &ClientWatch) -> WatchInfo<'_> {
    WatchInfo {
        client: watch.from,
        call: watch.call,
        request: &watch.request,
        watcher: match &watch.what {
            WatchKind::Cached { watcher, .. } => Some(*watcher),
            WatchKind::Storage { .. } => None,
        },
        sent: watch.sent,
        revision: watch.revision,
        unread: watch.unread,
        deadline: watch.deadline,
    }
}

fn flow_of(config: &ApiServerConfig) -> Option<FlowControl> {
    config
        .has_fairness
        .then(|| FlowControl::new(config.max_in_flight))
}
