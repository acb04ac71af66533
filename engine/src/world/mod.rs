//! Everything that is simulated, and the step that moves it.
//!
//! Only the world knows all kinds of nodes. [`World::step`] takes the one thing that is due next,
//! hands it to its node, and turns what the node wants done into things due later. The messages that
//! reach one node at one moment are one step.

mod apply_op;
mod check_op;
mod clock;
pub mod config;
mod crowd;
mod etcdctl;
mod kube;
mod life;
pub mod op;
pub mod populate;
mod process;
mod wires;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::ordered::{OrdMap, OrdSet};

use crate::api::Request;
use crate::api::message::Body;
use crate::apiserver::{self, ApiServer};
use crate::base::digest::{Digest, Undigested};
use crate::base::ids::{MessageId, NodeId, StreamKey};
use crate::base::planted::Planted;
use crate::base::time::{SimDuration, SimTime};
use crate::client::kube::KubeClient;
use crate::client::{self, Client};
use crate::etcd::{self, EtcdServer};
use crate::sim::network::Link;
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::sim::schedule::Place;
use crate::sim::{Outbox, Schedule};
use crate::trace::{Event, EventId, NetTrace, TraceEvent};

pub use config::Config;
pub use kube::{KUBECTL, Kubectl};

use clock::Clock;
use crowd::Crowd;
use etcdctl::Etcdctl;
use op::WorldOp;
use wires::Wires;

/// A world: one member, its clients, the things due, and the time.
///
/// Cloning one is cheap (rows and index are shared), which is what keyframes are made of.
///
/// ```
/// use watchglass_engine::api::{PutRequest, Request};
/// use watchglass_engine::world::{Config, World};
/// let mut world = World::new(Config::default());
/// let put = PutRequest { key: "a".into(), value: "1".into(), ..PutRequest::default() };
/// let id = world.submit(Request::Put(put).into());
/// let mut trace = Vec::new();
/// while world.reply(id).is_none() {
///     world.step(&mut |event| trace.push(event));
/// }
/// assert_eq!(world.etcd().store().current_rev(), 2);
/// assert!(!trace.is_empty());
/// ```
#[derive(Clone, Debug, Hash)]
pub struct World {
    config: Config,
    now: SimTime,
    steps: u64,
    events: u64,
    requests: u64,
    due: Schedule<Due>,
    etcd: EtcdServer,
    clients: OrdMap<u32, Client>,
    apiservers: OrdMap<u32, ApiServer>,
    kube_clients: OrdMap<u32, KubeClient>,
    /// API servers and their clients by name.
    kube_names: OrdMap<Arc<str>, NodeId>,
    /// What was typed behind `kubectl` and is not answered.
    kubectl_open: OrdSet<RequestId>,
    /// Whether an answer was taken depends on who looks: a replay leaves it.
    kubectl_replies: Undigested<BTreeMap<RequestId, KubectlReply>>,
    /// Clients by name.
    names: OrdMap<Arc<str>, u32>,
    /// Watches by name, with the client that holds each.
    watches: OrdMap<Arc<str>, u32>,
    /// The number of the first of the names w1, w2, … that is free. Names are never given up.
    free_watch_number: u32,
    wires: Wires,
    clocks: OrdMap<NodeId, Clock>,
    paused: OrdSet<NodeId>,
    /// What waits for a node that is paused, in order.
    waiting: OrdMap<NodeId, Vec<(SimTime, Due)>>,
    /// Requests that came as messages, and whom the answer goes to.
    calls: OrdMap<RequestId, (NodeId, u64)>,
    etcdctl: Etcdctl,
    /// Whom the end of the member's process cut off; none while it runs.
    etcd_stopped: Option<Vec<NodeId>>,
    /// What `snapshot save` kept, by name.
    backups: OrdMap<Arc<str>, Arc<etcd::Backup>>,
    planted: Planted,
}

/// How long a run can last: a hundred years. Far from where microseconds would overflow.
const TIME_MAX: SimTime = SimTime(100 * 365 * 24 * 3600 * 1_000_000);

/// Messages that reach one node at one moment in one step; more take several steps, so that no step takes long.
const ARRIVALS_PER_STEP: u32 = 1_000;

/// Something due, and the event that made it so.
#[derive(Clone, Debug, Hash)]
struct Due {
    cause: Option<EventId>,
    what: What,
}

#[derive(Clone, Debug, Hash)]
enum What {
    /// A request that was typed leaves the terminal.
    Typed {
        id: RequestId,
        request: Arc<Request>,
    },
    /// Nobody waits for the answer any longer.
    Timeout { id: RequestId },
    /// A message reaches a node.
    Arrive(Flight),
    /// One of the member's timers fires.
    Etcd(etcd::Timer),
    /// One of a client's timers fires.
    Client(u32, client::Timer),
    /// One of an API server's timers fires.
    ApiServer(u32, apiserver::Timer),
    /// One of the timers of a client of API servers fires.
    KubeClient(u32, client::kube::Timer),
    /// Something is typed behind `kubectl`.
    Kubectl {
        id: RequestId,
        request: Arc<Kubectl>,
    },
    /// Nobody waits for its answer any longer.
    KubectlTimeout { id: RequestId },
    /// A person does something.
    Op(Arc<WorldOp>),
    /// More of the pods come that are there from the beginning, from this one on.
    Populate(populate::Population, u64),
    /// The other watches of a crowd begin.
    Crowd(Box<Crowd>),
    /// Somebody wanted time to pass, and now it has.
    Woken { slept: SimDuration },
}

/// A message on its way.
#[derive(Clone, Debug, Hash)]
struct Flight {
    message: MessageId,
    from: NodeId,
    to: NodeId,
    /// The connection it belongs to: when that breaks, it is lost.
    connection: u32,
    bytes: u64,
    body: Arc<Body>,
}

impl Due {
    /// The receiver, if it is a message.
    fn arrives_at(&self) -> Option<NodeId> {
        match &self.what {
            What::Arrive(flight) => Some(flight.to),
            _ => None,
        }
    }
}

impl What {
    /// The node it is for, if it is a timer.
    fn timer_of(&self) -> Option<NodeId> {
        match self {
            Self::Etcd(_) => Some(NodeId::FIRST_MEMBER),
            Self::Client(n, _) => Some(NodeId::Client(*n)),
            Self::ApiServer(n, _) => Some(NodeId::ApiServer(*n)),
            Self::KubeClient(n, _) => Some(NodeId::KubeClient(*n)),
            _ => None,
        }
    }
}

impl World {
    /// A world before anything has happened.
    pub fn new(config: Config) -> Self {
        Self {
            now: SimTime(0),
            steps: 0,
            events: 0,
            requests: 0,
            due: Schedule::default(),
            etcd: EtcdServer::new(config.profile).seeded(config.seed),
            clients: OrdMap::new(),
            apiservers: OrdMap::new(),
            kube_clients: OrdMap::new(),
            kube_names: OrdMap::new(),
            kubectl_open: OrdSet::new(),
            kubectl_replies: Undigested::default(),
            names: OrdMap::new(),
            watches: OrdMap::new(),
            free_watch_number: 1,
            wires: Wires::new(config.seed),
            clocks: OrdMap::new(),
            paused: OrdSet::new(),
            waiting: OrdMap::new(),
            calls: OrdMap::new(),
            etcdctl: Etcdctl::default(),
            etcd_stopped: None,
            backups: OrdMap::new(),
            planted: Planted::default(),
            config,
        }
    }

    /// The same with a fault, for tests of those who should find it. To be planted before
    /// anything happens.
    #[cfg(feature = "planted-bugs")]
    pub fn planted(mut self, planted: Planted) -> Self {
        self.planted = planted;
        self.etcd.plant(planted);
        self
    }

    /// What it was made from.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The present.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The member.
    pub fn etcd(&self) -> &EtcdServer {
        &self.etcd
    }

    /// The clients, in the order in which they came.
    pub fn clients(&self) -> impl Iterator<Item = (NodeId, &Client)> {
        self.clients.iter().map(|(n, c)| (NodeId::Client(*n), c))
    }

    /// A client by its number.
    pub fn client(&self, node: NodeId) -> Option<&Client> {
        match node {
            NodeId::Client(n) => self.clients.get(&n),
            _ => None,
        }
    }

    /// The client of this name.
    pub fn client_named(&self, name: &str) -> Option<(NodeId, &Client)> {
        let n = self.names.get(name)?;
        Some((NodeId::Client(*n), &self.clients[n]))
    }

    /// The client that holds the watch of this name, or once did.
    pub fn holder(&self, watch: &str) -> Option<(NodeId, &Client)> {
        let n = self.watches.get(watch)?;
        Some((NodeId::Client(*n), &self.clients[n]))
    }

    /// Whether there is a watch of this name that has not ended.
    pub fn has_watch(&self, name: &str) -> bool {
        self.holder(name)
            .is_some_and(|(_, client)| client.has_watch(name))
    }

    /// The name of the watch that has this id on this stream.
    pub fn watch_name(&self, key: StreamKey, watch_id: i64) -> Option<&Arc<str>> {
        let stream = match key.client {
            NodeId::ApiServer(_) => {
                let mut streams = self.apiserver(key.client)?.streams();
                streams.find(|s| s.number() == key.stream)?
            }
            client => self.client(client)?.stream(key.stream)?,
        };
        stream.name_of(watch_id)
    }

    /// A link's direction, once anything was said about it or over it.
    pub fn link(&self, from: NodeId, to: NodeId) -> Option<&Link> {
        self.wires.get(from, to)
    }

    /// Whether a node stands still.
    pub fn is_paused(&self, node: NodeId) -> bool {
        self.paused.contains(&node)
    }

    /// How many things are due.
    pub fn due_count(&self) -> u64 {
        self.due.len()
    }

    /// How many clients there are, of etcd and of API servers.
    pub fn node_count(&self) -> u64 {
        (self.clients.len() + self.kube_clients.len()) as u64
    }

    /// When the next thing is due.
    pub fn next_at(&self) -> Option<SimTime> {
        self.due.next_at()
    }

    /// Does something to the world, after the config's pace. Whether it can be done is for
    /// [`World::check`] to say first.
    pub fn do_op(&mut self, op: Arc<WorldOp>) {
        self.add(self.config.command_pace, What::Op(op));
    }

    /// Lets at least `duration` pass: a step that is due then.
    pub fn sleep(&mut self, duration: SimDuration) {
        self.add(duration, What::Woken { slept: duration });
    }

    fn add(&mut self, after: SimDuration, what: What) -> Place {
        self.due.add(self.now + after, Due { cause: None, what })
    }

    /// Whether time can still run on for so long.
    pub fn can_sleep(&self, duration: SimDuration) -> bool {
        self.now.0.saturating_add(duration.0) <= TIME_MAX.0
    }

    /// Whether something is due before the end of time: a lease may be granted for longer.
    pub fn can_step(&self) -> bool {
        self.next_at().is_some_and(|at| at <= TIME_MAX)
    }

    /// Drops requests that were sent and have not arrived, sleeps that have not ended, operations that were not begun,
    /// and the rest of a population or crowd. Says how many there were.
    pub fn drop_undelivered(&mut self) -> u64 {
        let forgotten = self.forget_typed();
        let dropped = self.due.retain(|due| {
            let is_typed = matches!(&due.what, What::Arrive(f) if f.from == NodeId::Etcdctl);
            !is_typed
                && !matches!(
                    due.what,
                    What::Typed { .. }
                        | What::Kubectl { .. }
                        | What::Op(_)
                        | What::Populate(..)
                        | What::Crowd(_)
                        | What::Woken { .. }
                )
        });
        forgotten + dropped
    }

    /// Whether the next thing is a message that arrives by then.
    pub fn a_message_arrives_by(&self, by: SimTime) -> bool {
        let next = self.due.iter().next();
        next.is_some_and(|(at, due)| at <= by && matches!(due.what, What::Arrive(_)))
    }

    /// Whether something is on its way to or from the client of a watch, or a sweep will have
    /// something for it: whoever waits for the watch's events should let time run on.
    pub fn is_pending(&self, watch: &str) -> bool {
        let found = self.holder(watch).or_else(|| self.client_named(watch));
        let Some((node, client)) = found else {
            return false;
        };
        if self.is_paused(node) || self.is_paused(NodeId::FIRST_MEMBER) || !client.is_connected() {
            return false;
        }
        let flying = self.due.iter().any(|(_, due)| match &due.what {
            What::Arrive(f) => f.from == node || f.to == node,
            What::Client(n, client::Timer::Read) => NodeId::Client(*n) == node,
            _ => false,
        });
        flying || self.lacks_events(node)
    }

    /// Whether all that there is for a watch has reached it: it is synced, its client reads, and
    /// nothing for it is on its way, in a channel or in a queue.
    pub fn is_settled(&self, watch: &str) -> bool {
        let Some((node, client)) = self.holder(watch) else {
            return false;
        };
        let Some((stream, watch_id)) = client.place_of(watch) else {
            return false;
        };
        let stands = [node, NodeId::FIRST_MEMBER]
            .iter()
            .any(|n| self.is_paused(*n));
        if stands || !client.is_connected() || client.unread() > 0 || self.is_flying(node) {
            return false;
        }
        let key = StreamKey {
            client: node,
            stream,
        };
        self.etcd.is_settled(key, watch_id)
    }

    /// Whether a message is on its way to or from a client, held ones included.
    fn is_flying(&self, node: NodeId) -> bool {
        let of_node = |f: &Flight| f.from == node || f.to == node;
        let is_one = |what: &What| matches!(what, What::Arrive(f) if of_node(f));
        let mut waiting = self.waiting.values().flatten();
        self.due.iter().any(|(_, due)| is_one(&due.what))
            || waiting.any(|(_, due)| is_one(&due.what))
            || self.wires.is_holding(node, NodeId::FIRST_MEMBER)
    }

    /// Whether a watcher of this client is unsynced, or a victim with room again.
    fn lacks_events(&self, node: NodeId) -> bool {
        let kv = self.etcd.watchable();
        let of_node = |stream| {
            self.etcd
                .stream_key(stream)
                .is_some_and(|k| k.client == node)
        };
        let mut behind = kv.unsynced().chain(kv.victims().map(|(id, _)| id));
        let armed = self.etcd.next_sync().is_some() || kv.a_victim_has_room();
        armed && behind.any(|id| kv.watcher(id).is_some_and(|w| of_node(w.stream)))
    }

    /// Does the next thing that is due and tells `trace` what happened. False when nothing is due.
    pub fn step(&mut self, trace: &mut dyn FnMut(Event)) -> bool {
        if self.due.is_empty() {
            return false;
        }
        self.steps += 1;
        // What the terminal sends belongs to the step that follows.
        while self.due.next().is_some_and(Due::is_at_terminal) {
            self.dispatch_next(trace);
        }
        if let Some(to) = self.dispatch_next(trace) {
            // Other messages that reach the same node at the same moment belong to this step.
            let is_one = |due: &Due| due.arrives_at() == Some(to);
            let mut arrivals = 1;
            while arrivals < ARRIVALS_PER_STEP
                && let Some(due) = self.due.pop_if(self.now, is_one)
            {
                self.dispatch(due, trace);
                arrivals += 1;
            }
        }
        self.pass_over();
        // What reaches the terminal belongs to the step before.
        while self
            .due
            .next()
            .is_some_and(|due| due.arrives_at() == Some(NodeId::Etcdctl))
        {
            self.dispatch_next(trace);
            self.pass_over();
        }
        true
    }

    /// Does the next thing that is due. Returns the receiver if it was a message.
    fn dispatch_next(&mut self, trace: &mut dyn FnMut(Event)) -> Option<NodeId> {
        let (at, due) = self.due.pop()?;
        assert!(
            at >= self.now,
            "time runs forward: {at} is due at {}",
            self.now
        );
        self.now = at;
        let to = due.arrives_at();
        self.dispatch(due, trace);
        to
    }

    fn dispatch(&mut self, due: Due, trace: &mut dyn FnMut(Event)) {
        match due.what {
            What::Typed { id, request } => self.send_typed(due.cause, id, request, trace),
            What::Timeout { id } => self.etcdctl_times_out(due.cause, id, trace),
            What::Etcd(timer) => {
                let mut out = Outbox::default();
                self.etcd
                    .wake(self.local_now(NodeId::FIRST_MEMBER), timer, &mut out);
                self.follow_etcd(due.cause, out, trace);
            }
            What::Client(n, timer) => {
                self.with_client(n, due.cause, trace, |client, out| client.wake(timer, out));
            }
            What::ApiServer(n, timer) => {
                self.with_apiserver(n, due.cause, trace, |server, now, out| {
                    server.wake(now, timer, out);
                });
            }
            What::KubeClient(n, timer) => {
                self.with_kube_client(n, due.cause, trace, |client, now, out| {
                    client.wake(now, timer, out);
                });
            }
            What::Kubectl { id, request } => self.send_kubectl(due.cause, id, &request, trace),
            What::KubectlTimeout { id } => self.kubectl_times_out(id),
            What::Arrive(flight) => self.arrive(due.cause, flight, trace),
            What::Op(op) => self.apply(due.cause, &op, trace),
            What::Populate(pods, from) => self.populate(due.cause, (pods, from), trace),
            What::Crowd(crowd) => self.continue_crowd(due.cause, *crowd, trace),
            What::Woken { slept } => {
                let passed = TraceEvent::TimePassed {
                    duration_us: slept.0,
                };
                self.tell(due.cause, passed, trace);
            }
        }
    }

    fn arrive(&mut self, cause: Option<EventId>, flight: Flight, trace: &mut dyn FnMut(Event)) {
        let message = flight.message;
        let is_current = self
            .wires
            .is_current(flight.from, flight.to, flight.connection);
        let is_stopped = flight.to == NodeId::FIRST_MEMBER && !self.etcd_runs();
        // etcdctl tries again for as long as it waits.
        let waits = self.is_paused(flight.to) || is_stopped && flight.from == NodeId::Etcdctl;
        if !is_current || is_stopped && !waits {
            let broken = TraceEvent::Net(NetTrace::Broken { message });
            self.tell(cause, broken, trace);
            return;
        }
        if waits {
            let waits = TraceEvent::Net(NetTrace::Waits { message });
            let cause = self.tell(cause, waits, trace);
            let to = flight.to;
            let what = What::Arrive(flight);
            return self.wait(to, Due { cause, what });
        }
        let arrived = TraceEvent::Net(NetTrace::Arrived { message });
        let cause = self.tell(cause, arrived, trace);
        match flight.to {
            NodeId::Member(_) => {
                let mut out = Outbox::default();
                self.reach_etcd(flight.from, &flight.body, &mut out);
                self.follow_etcd(cause, out, trace);
            }
            NodeId::Client(n) => {
                let (body, bytes) = (flight.body, flight.bytes);
                self.with_client(n, cause, trace, |client, out| {
                    client.handle(&body, bytes, out);
                });
            }
            NodeId::Etcdctl => self.reach_etcdctl(&flight.body),
            NodeId::ApiServer(n) => self.reach_apiserver(cause, n, &flight, trace),
            NodeId::KubeClient(n) => self.reach_kube_client(cause, n, &flight, trace),
        }
    }

    fn reach_etcd(&mut self, from: NodeId, body: &Body, out: &mut Outbox<etcd::Timer>) {
        let now = self.local_now(NodeId::FIRST_MEMBER);
        match body {
            Body::Call { call, request } => {
                self.requests += 1;
                let id = RequestId(self.requests);
                self.calls.insert(id, (from, *call));
                self.etcd.handle(now, id, request, out);
            }
            Body::Watch { stream, request } => {
                let key = StreamKey {
                    client: from,
                    stream: *stream,
                };
                self.etcd.watch_request(now, key, request, out);
            }
            // Only clients and API servers are sent these.
            Body::Answer { .. }
            | Body::WatchAnswer { .. }
            | Body::KubeCall { .. }
            | Body::KubeAnswer { .. }
            | Body::KubeEvents { .. }
            | Body::KubeEnd { .. } => {}
        }
    }

    /// Puts something aside until its node goes on.
    fn wait(&mut self, node: NodeId, due: Due) {
        let now = self.now;
        self.waiting
            .get_or_insert_with(node, Vec::new)
            .push((now, due));
    }

    /// Lets a client do something, and follows what it wants done.
    fn with_client(
        &mut self,
        n: u32,
        cause: Option<EventId>,
        trace: &mut dyn FnMut(Event),
        act: impl FnOnce(&mut Client, &mut Outbox<client::Timer>),
    ) {
        let Some(client) = self.clients.get_mut(&n) else {
            return;
        };
        let mut out = Outbox::default();
        act(client, &mut out);
        let node = NodeId::Client(n);
        let last = self.record(cause, &mut out.trace, trace);
        for (after, timer) in out.timers {
            self.set_timer(node, (after, What::Client(n, timer)), last);
        }
        self.send_all(node, out.messages, last, trace);
        self.return_credits(node, out.credits, last, trace);
    }

    /// Lets etcd send more to a node that has read.
    fn return_credits(
        &mut self,
        node: NodeId,
        credits: Vec<(u32, u64)>,
        last: Option<EventId>,
        trace: &mut dyn FnMut(Event),
    ) {
        for (stream, bytes) in credits {
            let mut etcd_out = Outbox::default();
            let key = StreamKey {
                client: node,
                stream,
            };
            let now = self.local_now(NodeId::FIRST_MEMBER);
            self.etcd.window_returned(now, key, bytes, &mut etcd_out);
            self.follow_etcd(last, etcd_out, trace);
        }
    }

    /// Does what the member wants done.
    fn follow_etcd(
        &mut self,
        cause: Option<EventId>,
        mut out: Outbox<etcd::Timer>,
        trace: &mut dyn FnMut(Event),
    ) {
        let last = self.record(cause, &mut out.trace, trace);
        for (after, timer) in out.timers {
            self.set_timer(NodeId::FIRST_MEMBER, (after, What::Etcd(timer)), last);
        }
        for (id, reply) in out.replies {
            if let Some((client, call)) = self.calls.remove(&id) {
                let reply = Arc::new(reply);
                out.messages.push((client, Body::Answer { call, reply }));
            }
        }
        self.send_all(NodeId::FIRST_MEMBER, out.messages, last, trace);
    }

    /// Wakes a node when so much of its own time has passed.
    fn set_timer(
        &mut self,
        node: NodeId,
        (after, what): (SimDuration, What),
        cause: Option<EventId>,
    ) {
        let after = self.world_span(node, after);
        self.due.add(self.now + after, Due { cause, what });
    }

    fn send_all(
        &mut self,
        from: NodeId,
        messages: Vec<(NodeId, Body)>,
        cause: Option<EventId>,
        trace: &mut dyn FnMut(Event),
    ) {
        for (to, body) in messages {
            let (sent, flight) = self.wires.send(self.now, from, to, Arc::new(body));
            let sent_at = self.tell(cause, TraceEvent::Net(sent), trace);
            if let Some((at, flight)) = flight {
                let what = What::Arrive(flight);
                let due = Due {
                    cause: sent_at,
                    what,
                };
                self.due.add(at, due);
            }
        }
    }

    /// Tells of one event.
    fn tell(
        &mut self,
        cause: Option<EventId>,
        what: TraceEvent,
        trace: &mut dyn FnMut(Event),
    ) -> Option<EventId> {
        self.record(cause, &mut vec![what], trace)
    }

    /// Numbers the events of a step, each caused by the one before it, and hands them on. Numbers
    /// are given whether anybody listens or not, so that tracing changes nothing.
    fn record(
        &mut self,
        cause: Option<EventId>,
        events: &mut Vec<TraceEvent>,
        trace: &mut dyn FnMut(Event),
    ) -> Option<EventId> {
        let mut cause = cause;
        for what in events.drain(..) {
            self.events += 1;
            let id = EventId(self.events);
            trace(Event {
                id,
                at: self.now,
                step: self.steps,
                cause,
                what,
            });
            cause = Some(id);
        }
        cause
    }

    /// The digest of the whole state: equal for equal config and inputs, natively and in wasm.
    pub fn digest(&self) -> u64 {
        Digest::of(self)
    }
}
