//! A program that uses etcd through the client library.
//!
//! There are seven kinds of programs. The first runs the watches that the user creates, like `etcdctl watch`. The
//! second lists a prefix and then watches the prefix ([`list_watch`](super::list_watch)). The third keeps a lease
//! alive, like `etcdctl lease keep-alive`. The fourth reads a prefix at an interval ([`poll`](super::poll)). The fifth
//! generates load ([`load`](super::load)). The sixth receives the requests of the QoS monitor
//! ([`monitor_stream`](super::monitor_stream)). The seventh is a command of etcdctl that runs until it is ended
//! ([`process`](super::process)).

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::ordered::OrdMap;

use super::process::{ProcessNext, ProcessSpec};
use super::{EtcdctlProcess, LeaseKeepAlive, MonitorStream, Received, WatchGrpcStream};
use crate::api::error::Code;
use crate::api::message::{Body, EtcdMessage};
use crate::api::{
    EtcdError, LeaseKeepAliveResponse, Profile, QosContent, QosResponse, Reply, Request, Response,
    WatchCreateRequest, WatchRequest, WatchResponse,
};
use crate::base::bytes::KeyRange;
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::planted::Planted;
use crate::base::time::SimDuration;
use crate::client::load_calls::{AfterCall, CallOutcome, LoadPace};
use crate::qos::monitor::MonitorQuery;
use crate::sim::Outbox;
use crate::trace::{ClientTrace, PollOutcome, Printed, RetryReason, TraceEvent, WatchOptions};

use super::list_watch::{ListWatch, ListWatchNext};
use super::load::EtcdLoad;
use super::login::{Login, LoginOutcome};
use super::poll::{PROGRESS_INTERVAL, Poller};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientTimer {
    /// The client has processed a response, and reads the next response.
    Read,
    /// Send the next renewal of the lease.
    KeepAlive,
    Poll,
    /// A read that waits for the client's copy of the keys can request a progress notification.
    Progress,
    /// The next request of the load is due.
    Request,
    /// The load generator gives up the request that still has no response.
    Timeout,
    /// The client library gives up the lease of a process, because no renewal has arrived since the renewal with this
    /// number.
    Deadline(u32),
    /// `make-mirror` prints the number of copied keys.
    Count,
}

/// The time within which the first renewal of a process must arrive: `--dial-timeout` and a second
/// (`firstKeepAliveTimeout`).
const FIRST_RENEWAL_MAX: SimDuration = SimDuration::from_millis(3_000);

/// The interval at which `make-mirror` prints the number of copied keys.
const COUNT_EVERY: SimDuration = SimDuration::from_millis(30_000);

/// The traffic between a client and etcd: the numbers of requests sent, keys received and events received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClientTraffic {
    /// The number of requests: reads, watches, cancellations, progress requests, and renewals of leases.
    pub requests: u64,
    /// The number of keys in responses to reads.
    pub keys: u64,
    /// The number of events in watch responses.
    pub events: u64,
}

/// A client of etcd.
///
/// ```
/// use watchglass_engine::api::WatchCreateRequest;
/// use watchglass_engine::base::ids::NodeId;
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::client::etcd::client::Client;
/// use watchglass_engine::sim::Outbox;
/// let mut client = Client::new(NodeId::Client(1), "w1".into(), NodeId::Member(1));
/// let mut out = Outbox::new(SimTime(0));
/// client.watch("w1".into(), 0, WatchCreateRequest::default(), &mut out);
/// assert_eq!(out.messages.len(), 1); // one create request for the member
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Client {
    node: NodeId,
    name: Arc<str>,
    /// The member that the client sends requests to.
    etcd: NodeId,
    /// The client's streams, by a fixed index (the stream's "place"). After a broken connection, a stream gets a new
    /// number but keeps its place.
    streams: OrdMap<u32, WatchGrpcStream>,
    /// The fixed index (place) of each stream, by the stream's current number.
    places: OrdMap<u32, u32>,
    next_number: u32,
    connected: bool,
    running: bool,
    /// The time that the client takes to process each watch response.
    per_response: SimDuration,
    /// The received responses that the client has not read yet. Each response is stored with the number of its stream
    /// and its size in bytes.
    inbox: VecDeque<(u32, Arc<WatchResponse>, u64)>,
    reading: bool,
    list_watch: Option<ListWatch>,
    keep_alive: Option<LeaseKeepAlive>,
    monitor: Option<MonitorStream>,
    process: Sparse<Option<Box<EtcdctlProcess>>>,
    /// The requests that `watch … -- COMMAND` sends for each event, by the name of the watch.
    commands: Sparse<OrdMap<Arc<str>, Arc<Request>>>,
    /// The watch of each pending request of a command in [`commands`](Self::commands).
    command_calls: Sparse<OrdMap<u64, Arc<str>>>,
    poller: Option<Poller>,
    load: Option<Box<EtcdLoad>>,
    calls: u64,
    traffic: ClientTraffic,
    planted: Planted,
    /// The version of the client library.
    profile: Sparse<Profile>,
    balancer: Sparse<Balancer>,
    /// The user of the client, and the number of the last login's call; 0 before the first login.
    login: Sparse<Option<(Login, u64)>>,
}

/// The distribution of a load's requests among several members (`round_robin`).
#[derive(Clone, Debug, Default, PartialEq, Hash)]
struct Balancer {
    /// The members in the order of the endpoints; empty if the client uses one member.
    members: Vec<NodeId>,
    stopped: Vec<NodeId>,
    /// The call numbers of the requests without a response, each with the member that received the request.
    open: OrdMap<u64, NodeId>,
}

impl Balancer {
    /// Returns the member that receives the call with the number `call`: the running members take turns.
    fn member_of(&self, call: u64) -> Option<NodeId> {
        let running = self.members.iter().filter(|m| !self.stopped.contains(m));
        let running: Vec<&NodeId> = running.collect();
        let place = call.checked_rem(running.len() as u64)?;
        Some(*running[place as usize])
    }
}

impl Client {
    /// Creates a connected client without watches or leases.
    pub fn new(node: NodeId, name: Arc<str>, etcd: NodeId) -> Self {
        Self {
            node,
            name,
            etcd,
            streams: OrdMap::new(),
            places: OrdMap::new(),
            next_number: 0,
            connected: true,
            running: true,
            per_response: SimDuration(0),
            inbox: VecDeque::new(),
            reading: false,
            list_watch: None,
            keep_alive: None,
            monitor: None,
            process: Sparse::default(),
            commands: Sparse::default(),
            command_calls: Sparse::default(),
            poller: None,
            load: None,
            calls: 0,
            traffic: ClientTraffic::default(),
            planted: Planted::default(),
            profile: Sparse::default(),
            balancer: Sparse::default(),
            login: Sparse::default(),
        }
    }

    /// Sets the user of the client. The client logs in before it sends its first request.
    pub fn log_in_as(&mut self, login: Option<Login>) {
        *self.login = login.map(|login| (login, 0));
    }

    /// Replaces the random numbers of the client's load from now on.
    pub fn reseed(&mut self, seed: u64) {
        if let Some(load) = &mut self.load {
            load.reseed(seed);
        }
    }

    /// Distributes the requests of the load among members. An empty list has no effect.
    pub fn distribute(&mut self, members: Vec<NodeId>) {
        self.balancer.members = members;
    }

    /// Returns the members that the client connects to.
    pub fn members(&self) -> Vec<NodeId> {
        match self.distributes() {
            true => self.balancer.members.clone(),
            false => vec![self.etcd],
        }
    }

    /// Returns true if the client distributes its requests among members.
    pub fn distributes(&self) -> bool {
        !self.balancer.members.is_empty()
    }

    /// Handles the end of the process of one of several members: open requests fail, and further requests go to the
    /// other members.
    pub fn member_stopped(&mut self, etcd: NodeId, out: &mut Outbox<ClientTimer>) {
        self.balancer.stopped.push(etcd);
        let open = self.balancer.open.iter().filter(|(_, to)| **to == etcd);
        let open: Vec<u64> = open.map(|(call, _)| *call).collect();
        for call in open {
            self.balancer.open.remove(&call);
            self.load_answered(call, &Err(EtcdError::MemberStopped), out);
        }
    }

    /// Handles the start of a member's process, if the client uses several members.
    pub fn member_started(&mut self, etcd: NodeId) {
        self.balancer.stopped.retain(|member| *member != etcd);
    }

    /// Returns the client with this version of the client library.
    pub fn with_profile(self, profile: Profile) -> Self {
        Self {
            profile: Sparse(profile),
            ..self
        }
    }

    /// Returns the client with a planted fault, for tests of the checkers.
    pub fn planted(self, planted: Planted) -> Self {
        Self { planted, ..self }
    }

    pub fn list_watch(node: NodeId, name: Arc<str>, etcd: NodeId, app: ListWatch) -> Self {
        Self {
            list_watch: Some(app),
            ..Self::new(node, name, etcd)
        }
    }

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub fn etcd(&self) -> NodeId {
        self.etcd
    }

    /// Returns the list-and-watch application; `None` if the client runs another program.
    pub fn app(&self) -> Option<&ListWatch> {
        self.list_watch.as_ref()
    }

    /// Returns the keep-alive state of the client's lease, if the client keeps a lease alive.
    pub fn keeps_alive(&self) -> Option<&LeaseKeepAlive> {
        self.keep_alive.as_ref()
    }

    /// Returns the stream of the QoS monitor; `None` if the client has no such stream.
    pub fn monitor_stream(&self) -> Option<&MonitorStream> {
        self.monitor.as_ref()
    }

    /// Returns the command of etcdctl that the client runs; `None` if the client runs another program.
    pub fn process(&self) -> Option<&EtcdctlProcess> {
        self.process.as_deref()
    }

    pub fn poller(&self) -> Option<&Poller> {
        self.poller.as_ref()
    }

    /// Returns the load, if the client generates load.
    pub fn load(&self) -> Option<&EtcdLoad> {
        self.load.as_deref()
    }

    pub fn traffic(&self) -> ClientTraffic {
        self.traffic
    }

    pub fn is_connected(&self) -> bool {
        self.connected
    }

    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Returns true if the client's login has no response yet.
    pub fn is_logging_in(&self) -> bool {
        let login = self.login.as_ref();
        login.is_some_and(|(login, call)| login.is_pending() && *call > 0)
    }

    pub fn per_response(&self) -> SimDuration {
        self.per_response
    }

    /// Returns the number of received responses that the client has not read yet.
    pub fn unread(&self) -> u64 {
        self.inbox.len() as u64
    }

    pub fn streams(&self) -> impl Iterator<Item = &WatchGrpcStream> {
        self.streams.values()
    }

    pub fn stream(&self, number: u32) -> Option<&WatchGrpcStream> {
        self.streams.get(self.places.get(&number)?)
    }

    pub fn has_watch(&self, name: &str) -> bool {
        self.streams()
            .any(|s| s.watches().any(|(n, ..)| &**n == name))
    }

    /// Returns the number of a watch's stream and the ID of the watch; `None` until the member has created the watch.
    pub fn place_of(&self, watch: &str) -> Option<(u32, i64)> {
        self.streams().find_map(|stream| {
            let (_, id, _) = stream.watches().find(|(name, ..)| &***name == watch)?;
            Some((stream.number(), id?))
        })
    }

    /// Returns true if a timer is stale: the work of the timer is no longer needed.
    pub fn is_void(&self, timer: ClientTimer) -> bool {
        match timer {
            ClientTimer::Read => !self.reading,
            ClientTimer::KeepAlive => {
                let waits = self.keep_alive.as_ref().is_some_and(LeaseKeepAlive::waits);
                !waits || !self.connected
            }
            ClientTimer::Poll | ClientTimer::Progress | ClientTimer::Request => !self.connected,
            ClientTimer::Deadline(renewal) => self
                .process()
                .is_none_or(|process| process.has_ended() || process.renewals() != renewal),
            ClientTimer::Count => self
                .process()
                .is_none_or(|process| process.copied().is_none()),
            ClientTimer::Timeout => self.load().is_none_or(|load| load.calls.open() == 0),
        }
    }

    // Commands of the user.

    /// Starts a watch on the stream with the fixed index `place`, and opens the stream if necessary.
    pub fn watch(
        &mut self,
        name: Arc<str>,
        place: u32,
        create: WatchCreateRequest,
        out: &mut Outbox<ClientTimer>,
    ) {
        out.trace(TraceEvent::Client(ClientTrace::Wants {
            node: self.node,
            watch: name.clone(),
            stream: place,
            range: watched(&create),
            start_rev: create.start_revision,
            options: WatchOptions {
                no_put: create.no_put,
                no_delete: create.no_delete,
                prev_kv: create.prev_kv,
                progress_notify: create.progress_notify,
                fragment: create.fragment,
            },
        }));
        let Self {
            next_number,
            places,
            planted,
            profile,
            ..
        } = self;
        let stream = self.streams.get_or_insert_with(place, || {
            *next_number += 1;
            places.insert(*next_number, place);
            WatchGrpcStream::new(*next_number)
                .with_profile(**profile)
                .planted(*planted)
        });
        let request = stream.watch(name, create);
        let number = stream.number();
        self.send(number, request, out);
    }

    /// Sends the first renewal of a lease; further renewals follow, so that the lease stays alive.
    pub fn keep_alive(&mut self, lease: i64, out: &mut Outbox<ClientTimer>) {
        self.keep_alive = Some(LeaseKeepAlive::new(lease));
        self.renew(out);
    }

    /// Returns true if the client has to log in before it sends requests. The first such call starts the login.
    fn awaits_login(&mut self, out: &mut Outbox<ClientTimer>) -> bool {
        match &*self.login {
            Some((login, _)) if !login.is_pending() => false,
            Some((_, call)) => {
                if *call == 0 {
                    self.log_in(out);
                }
                true
            }
            None => false,
        }
    }

    /// Logs in. The requests of the client wait for the response.
    fn log_in(&mut self, out: &mut Outbox<ClientTimer>) {
        self.lose_calls();
        self.calls += 1;
        self.traffic.requests += 1;
        let Some((login, call)) = &mut *self.login else {
            return;
        };
        login.restart();
        *call = self.calls;
        let (call, request) = (self.calls, Arc::new(login.request()));
        out.send(self.etcd, Body::Etcd(EtcdMessage::Call { call, request }));
    }

    /// Handles a reply of the login, or a reply that refuses the token. Returns true if the reply needs no more work.
    fn login_answered(&mut self, call: u64, reply: &Reply, out: &mut Outbox<ClientTimer>) -> bool {
        let Some((login, login_call)) = &mut *self.login else {
            return false;
        };
        if login.is_pending() != (call == *login_call) {
            // A request that the client sent before it logged in again.
            return login.is_pending();
        }
        match login.take(reply) {
            Ok(LoginOutcome::LoggedIn) => self.begin_session(out),
            Ok(LoginOutcome::LogsInAgain) => self.log_in(out),
            Ok(LoginOutcome::Other) => return false,
            Err(error) => self.login_failed(error, out),
        }
        true
    }

    /// Ends the watches and the process of a client that cannot log in.
    fn login_failed(&mut self, error: EtcdError, out: &mut Outbox<ClientTimer>) {
        let next = self
            .process
            .as_deref()
            .map(|_| EtcdctlProcess::refused(error));
        self.follow_process(next.unwrap_or_default(), out);
        if let Some((_, call)) = &mut *self.login {
            *call = 0;
        }
        let reason: Arc<str> = error.to_string().into();
        let response = Arc::new(WatchResponse {
            watch_id: -1,
            canceled: true,
            cancel_reason: reason.to_string(),
            ..WatchResponse::default()
        });
        for stream in self.streams.values() {
            for (watch, ..) in stream.watches() {
                out.trace(TraceEvent::Client(ClientTrace::Received {
                    node: self.node,
                    watch: watch.clone(),
                    stream: stream.number(),
                    response: response.clone(),
                }));
                out.trace(TraceEvent::Client(ClientTrace::Ended {
                    node: self.node,
                    watch: watch.clone(),
                    reason: reason.clone(),
                }));
            }
        }
        self.streams = OrdMap::new();
        self.places = OrdMap::new();
    }

    /// Drops the open requests of the load and of the poller.
    fn lose_calls(&mut self) {
        if let Some(load) = &mut self.load {
            load.calls.drop_open();
            self.balancer.open = OrdMap::new();
        }
        if let Some(poller) = &mut self.poller {
            poller.lose();
        }
    }

    fn renew(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.keep_alive.is_none() || self.awaits_login(out) {
            return;
        }
        let (Some(keep), true) = (&mut self.keep_alive, self.connected) else {
            return;
        };
        if let Some(request) = keep.renew() {
            self.call(Request::LeaseKeepAlive(request), out);
        }
    }

    /// Starts a command of etcdctl that runs until it is ended.
    pub fn run(&mut self, spec: ProcessSpec, out: &mut Outbox<ClientTimer>) {
        self.process.0 = Some(EtcdctlProcess::new(spec).into());
        self.start_process(out);
    }

    fn start_process(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.process.is_none() || self.awaits_login(out) {
            return;
        }
        let Some(process) = self.process.as_deref_mut() else {
            return;
        };
        let next = process.start();
        if matches!(process.spec(), ProcessSpec::Mirror(_)) {
            out.timer(COUNT_EVERY, ClientTimer::Count);
        }
        self.follow_process(next, out);
    }

    /// Interrupts the command of etcdctl, like Ctrl-C.
    pub fn interrupt(&mut self, out: &mut Outbox<ClientTimer>) {
        let next = self.process.as_deref_mut().map(EtcdctlProcess::interrupt);
        self.follow_process(next.unwrap_or_default(), out);
    }

    fn follow_process(&mut self, actions: Vec<ProcessNext>, out: &mut Outbox<ClientTimer>) {
        for action in actions {
            let Some(process) = self.process.as_deref_mut() else {
                return;
            };
            match action {
                ProcessNext::Call(request) => self.call_of_process(None, request.into(), out),
                ProcessNext::CallTo(to, request) => {
                    self.call_of_process(Some(to), request.into(), out);
                }
                ProcessNext::KeepAlive(lease) => {
                    self.keep_alive = Some(LeaseKeepAlive::new(lease));
                    let deadline = ClientTimer::Deadline(process.renewals());
                    out.timer(FIRST_RENEWAL_MAX, deadline);
                    self.renew(out);
                }
                ProcessNext::Watch(create) => {
                    let name = process.next_watch_name(&self.name);
                    self.watch(name, 0, create, out);
                }
                ProcessNext::Unwatch => {
                    let name = process.watch_name(&self.name);
                    self.unwatch(&name, out);
                }
                ProcessNext::Print(printed) => {
                    out.trace(TraceEvent::Client(ClientTrace::Printed {
                        node: self.node,
                        printed: printed.into(),
                    }))
                }
                ProcessNext::End => {
                    let name = process.watch_name(&self.name);
                    process.end();
                    self.keep_alive = None;
                    self.unwatch(&name, out);
                }
            }
        }
    }

    fn call_of_process(
        &mut self,
        to: Option<NodeId>,
        request: Arc<Request>,
        out: &mut Outbox<ClientTimer>,
    ) {
        if let Some(process) = self.process.as_deref_mut() {
            process.called(self.calls + 1, to, request.clone());
        }
        if self.connected {
            self.call_member(to, request, out);
        }
    }

    /// Passes the end of a lease, or of its renewals, to the process.
    fn lost_lease(&mut self, out: &mut Outbox<ClientTimer>) {
        let next = self.process.as_deref_mut().map(EtcdctlProcess::lost_lease);
        self.follow_process(next.unwrap_or_default(), out);
    }

    /// Prints the number of copied keys, as `make-mirror` does at regular intervals.
    fn count_copied(&mut self, out: &mut Outbox<ClientTimer>) {
        if let Some(copied) = self.process().and_then(EtcdctlProcess::copied) {
            out.timer(COUNT_EVERY, ClientTimer::Count);
            let print = ProcessNext::Print(Printed::Copied(copied));
            self.follow_process(vec![print], out);
        }
    }

    /// Sets the request that a watch sends for each event.
    pub fn run_for_events(&mut self, watch: Arc<str>, request: Arc<Request>) {
        self.commands.insert(watch, request);
    }

    /// Opens a stream of the QoS monitor.
    pub fn monitor(&mut self, query: MonitorQuery, out: &mut Outbox<ClientTimer>) {
        self.monitor = Some(MonitorStream::new(query));
        self.open_monitor(out);
    }

    /// Requests the remaining responses of the QoS monitor's stream.
    fn open_monitor(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.monitor.is_none() || self.awaits_login(out) {
            return;
        }
        let request = self.monitor.as_ref().and_then(MonitorStream::request);
        if let (Some(request), true) = (request, self.connected) {
            self.call(Request::Qos(request), out);
        }
    }

    fn monitored(&mut self, reply: &Reply, out: &mut Outbox<ClientTimer>) {
        let Some(stream) = &mut self.monitor else {
            return;
        };
        let outcome = match reply {
            Ok(Response::Qos(QosResponse {
                content: QosContent::Request(row),
                ..
            })) => Ok(row.clone()),
            Ok(_) => return,
            Err(error) => Err(*error),
        };
        stream.receive(outcome.is_err());
        out.trace(TraceEvent::Client(ClientTrace::Monitored {
            node: self.node,
            outcome,
        }));
    }

    /// Sends the first poll; further polls follow at the poller's interval.
    pub fn poll(&mut self, poller: Poller, out: &mut Outbox<ClientTimer>) {
        self.poller = Some(poller);
        self.begin(out);
        self.next_poll(out);
    }

    pub fn generate(&mut self, load: EtcdLoad, out: &mut Outbox<ClientTimer>) {
        self.load = Some(Box::new(load));
        self.begin_load(out);
    }

    fn begin_load(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.load.is_none() || self.awaits_login(out) {
            return;
        }
        if let Some(load) = &mut self.load {
            out.timer(load.gap(), ClientTimer::Request);
        }
    }

    /// Sends the next request of the load. If the load does not wait for responses, sets the timer for the following
    /// request.
    fn next_request(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.load.is_none() || self.awaits_login(out) {
            return;
        }
        let call = self.calls + 1;
        let Some(load) = &mut self.load else {
            return;
        };
        let request = load.next(&self.name);
        match load.calls.sent(out.now, call, request.clone()) {
            Some(timeout) => out.timer(timeout, ClientTimer::Timeout),
            None => out.timer(load.gap(), ClientTimer::Request),
        }
        self.call(request, out);
    }

    fn load_answered(&mut self, call: u64, reply: &Reply, out: &mut Outbox<ClientTimer>) {
        let Some(load) = &mut self.load else {
            return;
        };
        let (calls, rng) = load.rng();
        let outcome = match reply {
            Ok(_) => CallOutcome::Succeeded,
            Err(error) => match error.code() {
                Code::ResourceExhausted | Code::Unavailable | Code::DeadlineExceeded => {
                    CallOutcome::MayRepeat
                }
                _ => CallOutcome::Failed,
            },
        };
        match (calls.answered(out.now, call, outcome, rng), reply) {
            (AfterCall::Nothing, _) => {}
            (AfterCall::Repeats(delay), Err(error)) => {
                self.repeat(RetryReason::Error(error.to_string().into()), delay, out);
            }
            (AfterCall::Continues | AfterCall::Repeats(_), _) => {
                out.timer(load.gap(), ClientTimer::Request);
            }
        }
    }

    /// Gives up the load generator's request that still has no response.
    fn give_up(&mut self, out: &mut Outbox<ClientTimer>) {
        let Some(load) = &mut self.load else {
            return;
        };
        let LoadPace::Closed(timeout) = load.spec().pace else {
            return;
        };
        let (calls, rng) = load.rng();
        out.abandoned.extend(calls.open_calls());
        if let Some(delay) = calls.gives_up(out.now, rng) {
            self.repeat(RetryReason::NoResponse(timeout), delay, out);
        }
    }

    /// Schedules a retry of the load generator's last request.
    fn repeat(&self, why: RetryReason, delay: SimDuration, out: &mut Outbox<ClientTimer>) {
        out.timer(delay, ClientTimer::Request);
        out.trace(TraceEvent::Client(ClientTrace::Retries {
            node: self.node,
            why,
            delay,
        }));
    }

    /// Sends a poll unless the previous request is still pending, and sets the timer for the next poll.
    fn next_poll(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.poller.is_none() || self.awaits_login(out) {
            return;
        }
        let next_call = self.calls + 1;
        let Some(poller) = &mut self.poller else {
            return;
        };
        out.timer(poller.spec().every, ClientTimer::Poll);
        // A cache serves no read before its list.
        if self
            .list_watch
            .as_ref()
            .is_some_and(|copy| copy.seen() == 0)
        {
            return;
        }
        if let Some(request) = poller.tick(next_call) {
            self.call(request, out);
        }
    }

    fn renewed(&mut self, response: &LeaseKeepAliveResponse, out: &mut Outbox<ClientTimer>) {
        let Some(keep) = &mut self.keep_alive else {
            return;
        };
        if let Some(after) = keep.renewed(response) {
            out.timer(after, ClientTimer::KeepAlive);
        }
        out.trace(TraceEvent::Client(ClientTrace::KeptAlive {
            node: self.node,
            lease: response.id,
            ttl_s: response.ttl,
        }));
        if let Some(process) = self.process.as_deref_mut() {
            let next = process.renewed(response);
            if !process.has_ended() && response.ttl > 0 {
                let patience = LeaseKeepAlive::patience(response.ttl);
                out.timer(patience, ClientTimer::Deadline(process.renewals()));
            }
            self.follow_process(next, out);
        }
    }

    /// Ends the watch with this name, and sends a cancel request if the member knows the watch.
    pub fn unwatch(&mut self, name: &str, out: &mut Outbox<ClientTimer>) {
        let places: Vec<u32> = self.streams.keys().copied().collect();
        for place in places {
            let stream = self.streams.get_mut(&place).expect("it was just listed");
            let number = stream.number();
            let (request, found) = stream.cancel(name);
            if found {
                out.trace(TraceEvent::Client(ClientTrace::Ended {
                    node: self.node,
                    watch: name.into(),
                    reason: "".into(),
                }));
                self.send(number, request, out);
            }
        }
    }

    /// Requests a progress notification on the stream of a watch. If the watch has ended, uses the client's first
    /// stream.
    pub fn progress(&mut self, name: &str, out: &mut Outbox<ClientTimer>) {
        let holds = |s: &&WatchGrpcStream| s.watches().any(|(n, ..)| &**n == name);
        let found = self.streams().find(holds).or(self.streams().next());
        if let Some(number) = found.map(WatchGrpcStream::number) {
            self.send(number, Some(WatchRequest::Progress { echo: None }), out);
        }
    }

    /// Sets the time that the client takes to process each watch response.
    pub fn slow(&mut self, per_response: SimDuration, out: &mut Outbox<ClientTimer>) {
        self.per_response = per_response;
        if per_response.0 == 0 {
            self.read_all(out);
        }
    }

    /// Handles the loss of the connection. The client still reads the responses that it has received.
    pub fn disconnected(&mut self) {
        self.connected = false;
        self.lose_calls();
    }

    /// Reconnects and resumes the watches.
    pub fn connected(&mut self, out: &mut Outbox<ClientTimer>) {
        self.connected = true;
        // The library logs in before it opens a stream. Other requests use the old token until a member refuses it.
        let has_streams = self.load.is_none() && self.poller.is_none();
        match self.login.is_some() && has_streams {
            true => self.log_in(out),
            false => self.begin_session(out),
        }
    }

    /// Begins to send requests, and resumes the watches.
    fn begin_session(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.list_watch.as_ref().is_some_and(ListWatch::is_listing) {
            self.begin(out);
        }
        self.renew(out);
        let pending = self.process().and_then(EtcdctlProcess::pending);
        match pending {
            Some((to, request)) => self.call_of_process(to, request, out),
            None if self.process().is_some_and(|process| !process.has_begun()) => {
                self.start_process(out);
            }
            None => {}
        }
        self.open_monitor(out);
        self.next_poll(out);
        self.begin_load(out);
        let places: Vec<u32> = self.streams.keys().copied().collect();
        self.places = OrdMap::new();
        for place in places {
            self.next_number += 1;
            let number = self.next_number;
            self.places.insert(number, place);
            let stream = self.streams.get_mut(&place).expect("it was just listed");
            let request = stream.resume(number);
            for (name, _, revision) in stream.watches() {
                out.trace(TraceEvent::Client(ClientTrace::ResumesFrom {
                    node: self.node,
                    watch: name.clone(),
                    revision,
                }));
            }
            self.send(number, request, out);
        }
    }

    /// Ends the process, which loses its streams and unread responses. A list-and-watch client keeps the state that
    /// [`Memory`](super::list_watch::Memory) selects.
    pub fn stop(&mut self) {
        self.running = false;
        self.connected = false;
        self.streams = OrdMap::new();
        self.places = OrdMap::new();
        self.inbox.clear();
        self.reading = false;
        if let Some(app) = &mut self.list_watch {
            app.stop();
        }
        if let Some(process) = self.process.as_deref_mut() {
            process.reset();
            self.keep_alive = None;
        }
        self.command_calls = Sparse::default();
        if let Some(keep) = &mut self.keep_alive {
            *keep = LeaseKeepAlive::new(keep.lease());
        }
        if let Some(stream) = &mut self.monitor {
            *stream = MonitorStream::new(stream.query());
        }
        if let Some(poller) = &mut self.poller {
            poller.stop();
        }
        if let Some(load) = &mut self.load {
            load.calls.stop();
            self.balancer.open = OrdMap::new();
        }
        if let Some((login, call)) = &mut *self.login {
            login.restart();
            *call = 0;
        }
    }

    pub fn start(&mut self, out: &mut Outbox<ClientTimer>) {
        self.running = true;
        self.connected = true;
        self.begin(out);
        self.renew(out);
        self.start_process(out);
        self.open_monitor(out);
        self.next_poll(out);
        self.begin_load(out);
    }

    fn begin(&mut self, out: &mut Outbox<ClientTimer>) {
        if self.list_watch.is_none() || self.awaits_login(out) {
            return;
        }
        if let Some(app) = &mut self.list_watch {
            let next = app.start();
            self.follow(next, out);
        }
    }

    // Messages and timers.

    pub fn handle(&mut self, body: &Body, bytes: u64, out: &mut Outbox<ClientTimer>) {
        match body {
            Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) => {
                self.inbox.push_back((*stream, response.clone(), bytes));
                if self.per_response.0 == 0 {
                    self.read_all(out);
                } else if !self.reading {
                    self.reading = true;
                    out.timer(self.per_response, ClientTimer::Read);
                }
            }
            Body::Etcd(EtcdMessage::Answer { call, reply }) => {
                if self.login_answered(*call, reply, out) {
                    return;
                }
                if self.distributes() {
                    self.balancer.open.remove(call);
                }
                self.load_answered(*call, reply, out);
                self.answered(*call, reply, out);
            }
            // A client receives none of these messages.
            Body::Etcd(EtcdMessage::Call { .. })
            | Body::Etcd(
                EtcdMessage::Watch { .. } | EtcdMessage::Peer(_) | EtcdMessage::PeerRemoved,
            )
            | Body::Kube(_) => {}
        }
    }

    pub fn wake(&mut self, timer: ClientTimer, out: &mut Outbox<ClientTimer>) {
        if self.is_void(timer) {
            return;
        }
        match timer {
            ClientTimer::KeepAlive => self.renew(out),
            ClientTimer::Poll => self.next_poll(out),
            ClientTimer::Progress => {
                let outcome = self.poller.as_mut().and_then(Poller::paced);
                self.trace_poll(outcome, out);
                self.serve_from_copy(out);
            }
            ClientTimer::Request => self.next_request(out),
            ClientTimer::Timeout => self.give_up(out),
            ClientTimer::Deadline(_) => self.lost_lease(out),
            ClientTimer::Count => self.count_copied(out),
            ClientTimer::Read => {
                self.reading = false;
                self.read_one(out);
                if !self.inbox.is_empty() {
                    self.reading = true;
                    out.timer(self.per_response, ClientTimer::Read);
                }
            }
        }
    }

    fn read_all(&mut self, out: &mut Outbox<ClientTimer>) {
        while self.read_one(out) {}
    }

    fn read_one(&mut self, out: &mut Outbox<ClientTimer>) -> bool {
        let Some((number, response, bytes)) = self.inbox.pop_front() else {
            return false;
        };
        out.credits.push((self.etcd, number, bytes));
        let place = self.places.get(&number);
        let Some(stream) = place.and_then(|place| self.streams.get_mut(place)) else {
            return true; // The stream and its watches have ended.
        };
        let received = stream.receive(response);
        if received.is_closed {
            let place = self.places.remove(&number);
            self.streams
                .remove(&place.expect("the stream was just found"));
        }
        self.take(number, received, out);
        true
    }

    fn take(&mut self, number: u32, received: Received, out: &mut Outbox<ClientTimer>) {
        if received.needs_token {
            self.log_in(out);
        }
        for request in received.sends {
            self.send(number, Some(request), out);
        }
        for (watch, response) in received.delivered {
            self.traffic.events += response.events.len() as u64;
            if let Some(app) = &mut self.list_watch {
                app.apply(&response);
            }
            out.trace(TraceEvent::Client(ClientTrace::Received {
                node: self.node,
                watch: watch.clone(),
                stream: number,
                response: response.clone(),
            }));
            self.run_commands(&watch, &response, out);
            let is_compacted = response.compact_revision != 0;
            if let Some(process) = self.process.as_deref_mut()
                && *watch == *process.watch_name(&self.name)
            {
                let next = match response.canceled {
                    true => process.lost_watch(is_compacted),
                    false => process.watched(&response),
                };
                self.follow_process(next, out);
            }
        }
        for (watch, reason) in received.ended {
            out.trace(TraceEvent::Client(ClientTrace::Ended {
                node: self.node,
                watch,
                reason,
            }));
            if let Some(app) = &mut self.list_watch {
                let next = app.start_over();
                self.follow(next, out);
            }
        }
        self.serve_from_copy(out);
    }

    /// Serves the read that waits for the client's copy of the keys, or requests a progress notification for it.
    fn serve_from_copy(&mut self, out: &mut Outbox<ClientTimer>) {
        let (Some(poller), Some(copy)) = (&mut self.poller, &self.list_watch) else {
            return;
        };
        let outcome = poller.serve(copy);
        let requests = outcome.is_none() && poller.requests_progress();
        self.trace_poll(outcome, out);
        if requests {
            out.timer(PROGRESS_INTERVAL, ClientTimer::Progress);
            let name = self.name.clone();
            self.progress(&name, out);
        }
    }

    fn trace_poll(&self, outcome: Option<PollOutcome>, out: &mut Outbox<ClientTimer>) {
        if let Some(outcome) = outcome {
            out.trace(TraceEvent::Client(ClientTrace::Polled {
                node: self.node,
                outcome,
            }));
        }
    }

    fn answered(&mut self, call: u64, reply: &Reply, out: &mut Outbox<ClientTimer>) {
        if let Some(watch) = self.command_calls.remove(&call) {
            out.trace(TraceEvent::Client(ClientTrace::Ran {
                node: self.node,
                watch,
                reply: reply.clone().into(),
            }));
        }
        let process = self.process.as_deref_mut();
        match process.and_then(|process| process.answered(call, reply)) {
            Some(next) => self.follow_process(next, out),
            // The other requests of a process are renewals.
            None if self.process.is_some() && reply.is_err() => {
                if let Some(keep) = &mut self.keep_alive {
                    out.timer(keep.failed(), ClientTimer::KeepAlive);
                }
            }
            None => {}
        }
        match reply {
            Ok(Response::LeaseKeepAlive(response)) => self.renewed(response, out),
            Ok(Response::Range(range)) => self.traffic.keys += range.kvs.len() as u64,
            _ => {}
        }
        self.monitored(reply, out);
        if self.polled(call, reply, out) {
            return self.serve_from_copy(out);
        }
        let Some(app) = &mut self.list_watch else {
            return;
        };
        let Ok(Response::Range(range)) = reply else {
            return;
        };
        let (listed, next) = app.listed(range);
        out.trace(TraceEvent::Client(ClientTrace::Listed {
            node: self.node,
            keys: listed.keys,
            revision: range.header.revision,
        }));
        if !listed.gone.is_empty() {
            out.trace(TraceEvent::Client(ClientTrace::FoundGone {
                node: self.node,
                keys: listed.gone,
            }));
        }
        self.follow(next, out);
    }

    fn follow(&mut self, next: ListWatchNext, out: &mut Outbox<ClientTimer>) {
        match next {
            ListWatchNext::Nothing => {}
            ListWatchNext::List(request) => self.call(request, out),
            ListWatchNext::Watch(create) => self.watch(self.name.clone(), 0, create, out),
        }
    }

    /// Passes a response to the poller, and sends the poller's next request. Returns true if the response was for the
    /// poller.
    fn polled(&mut self, call: u64, reply: &Reply, out: &mut Outbox<ClientTimer>) -> bool {
        let poller = self.poller.as_mut();
        let Some((outcomes, next)) = poller.and_then(|poller| poller.answered(call, reply)) else {
            return false;
        };
        for outcome in outcomes {
            self.trace_poll(Some(outcome), out);
        }
        if let Some(request) = next {
            self.call(request, out);
        }
        true
    }

    /// Sends the requests of `watch … -- COMMAND` for the events of a response.
    fn run_commands(
        &mut self,
        watch: &Arc<str>,
        response: &WatchResponse,
        out: &mut Outbox<ClientTimer>,
    ) {
        let Some(request) = self.commands.get(watch).cloned() else {
            return;
        };
        for _ in &response.events {
            self.call_member(None, request.clone(), out);
            self.command_calls.insert(self.calls, watch.clone());
        }
    }

    /// Sends a unary request.
    fn call(&mut self, request: Request, out: &mut Outbox<ClientTimer>) {
        self.call_member(None, request.into(), out);
    }

    /// Sends a unary request to a member; `None` selects the client's own member.
    fn call_member(
        &mut self,
        to: Option<NodeId>,
        request: Arc<Request>,
        out: &mut Outbox<ClientTimer>,
    ) {
        self.calls += 1;
        self.traffic.requests += 1;
        let request = match &*self.login {
            Some((login, _)) => login.with_token(&request).into(),
            None => request,
        };
        let call = self.calls;
        let balanced = self.balancer.member_of(call);
        if let Some(to) = balanced {
            self.balancer.open.insert(call, to);
        }
        let to = to.or(balanced).unwrap_or(self.etcd);
        out.send(to, Body::Etcd(EtcdMessage::Call { call, request }));
    }

    fn send(&mut self, stream: u32, request: Option<WatchRequest>, out: &mut Outbox<ClientTimer>) {
        // Without a connection, the client sends nothing. When the client connects again, `resume` requests all
        // watches.
        if let (Some(mut request), true) = (request, self.connected) {
            if self.awaits_login(out) {
                return;
            }
            if let (WatchRequest::Create(create), Some((login, _))) = (&mut request, &*self.login) {
                *create.token = login.token().cloned();
            }
            self.traffic.requests += 1;
            out.send(
                self.etcd,
                Body::Etcd(EtcdMessage::Watch { stream, request }),
            );
        }
    }
}

/// Returns the key range of a create request. As in the member, an empty key means `\0`.
pub fn watched(create: &WatchCreateRequest) -> KeyRange {
    let key = if create.key.is_empty() {
        crate::base::Bytes::zero()
    } else {
        create.key.clone()
    };
    KeyRange::new(&key, &create.range_end)
}
