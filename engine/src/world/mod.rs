//! The world: all nodes, the network between them, and the schedule.
//!
//! The world is the only module that knows all kinds of nodes. [`World::step`] takes the next event from the schedule,
//! delivers the event to its node, and schedules the effects that the node requests. If several messages reach one node
//! at the same time, they are one step.

mod clients;
mod clock;
pub mod config;
mod cost;
mod crowd;
mod disk;
mod etcdctl;
mod kube;
mod kubectl;
mod life;
mod link;
mod membership;
pub mod memory;
mod mirror;
mod network;
mod node;
pub mod op;
mod partition;
pub mod populate;
mod process;
mod proxy;
mod resolve;
mod seed;
pub mod setting;

use std::sync::Arc;

use crate::base::ordered::{OrdMap, OrdSet};

use crate::api::Request;
use crate::api::log_entry::PeerMessage;
use crate::api::message::{Body, EtcdMessage};
use crate::base::digest::{Digest, Sparse};
use crate::base::ids::{Caller, MessageId, NodeId, StreamKey};
use crate::base::planted::Planted;
use crate::base::time::{SimDuration, SimTime};
use crate::client::etcd::EtcdctlProcess;
use crate::client::etcd::client;
use crate::client::etcd::client::Client;
use crate::etcd::{self, EtcdServer, SnapshotFile};
use crate::raft::RaftPayload;
use crate::sim::Schedule;
use crate::sim::cost::CostModel;
use crate::sim::network::Link;
use crate::sim::outbox::RequestId;
use crate::sim::schedule::{SchedulePlace, ScheduledEvent};
use crate::trace::{ClientTrace, Event, EventId, NetTrace, Tape, TraceEvent};

pub use config::Config;
pub use etcdctl::{COMMAND_TIMEOUT, Destination, WITHOUT_LIMIT};
pub use kubectl::{KUBECTL, Kubectl};

use clock::Clock;
use crowd::Crowd;
use etcdctl::EtcdctlNode;
use network::Network;
use node::{Member, Node, Timer};
use op::WorldOp;

/// A simulated world: its nodes, network, schedule and time.
///
/// Clones are cheap, because a clone shares nodes, rows and the index with the original. The keyframes of a run are
/// clones.
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
/// assert_eq!(world.at_endpoint().store().current_rev(), 2);
/// assert!(!trace.is_empty());
/// ```
#[derive(Clone, Debug, Hash)]
pub struct World {
    config: Config,
    now: SimTime,
    steps: u64,
    events: u64,
    requests: u64,
    due: Schedule<WorldEvent>,
    nodes: OrdMap<NodeId, Node>,
    /// The nodes of clients, API servers and members of a cluster, by name.
    names: OrdMap<Arc<str>, NodeId>,
    kubectl: kubectl::TypedKubectl,
    /// The client of each watch, by the name of the watch.
    watches: OrdMap<Arc<str>, NodeId>,
    /// The number for the name of the next watch that the user does not name. Such watches are named w1, w2, … A name
    /// is never reused.
    free_watch_number: u32,
    network: Network,
    clocks: OrdMap<NodeId, Clock>,
    paused: OrdSet<NodeId>,
    /// The messages and timers that wait until their paused node resumes, in order of arrival.
    waiting: OrdMap<NodeId, Vec<(SimTime, WorldEvent)>>,
    backups: OrdMap<Arc<str>, Arc<etcd::Backup>>,
    planted: Planted,
    cost: CostModel,
}

/// The member with the name `etcd`. Nodes connect to this member unless they select another member.
const FIRST_MEMBER: NodeId = NodeId::Member(1);

type Cause = Option<EventId>;
type Trace<'a> = &'a mut dyn Listener;

/// An object that receives the trace events of a run.
trait Listener {
    /// Returns true if the listener needs trace events. If not, nodes do not collect events.
    fn hears(&self) -> bool;

    fn hear(&mut self, event: Event);
}

impl<F: FnMut(Event) + ?Sized> Listener for &mut F {
    fn hears(&self) -> bool {
        true
    }

    fn hear(&mut self, event: Event) {
        self(event);
    }
}

/// A listener that ignores all trace events, for runs without a trace.
struct Nobody;

impl Listener for Nobody {
    fn hears(&self) -> bool {
        false
    }

    fn hear(&mut self, _: Event) {}
}

/// The maximum simulated time of a run, which is a hundred years. Times up to this maximum do not overflow.
const TIME_MAX: SimTime = SimTime(100 * 365 * 24 * 3600 * 1_000_000);

/// The maximum number of messages that arrive at one node in one step. Further messages arrive in the next steps, so
/// that no step takes too long.
const ARRIVALS_PER_STEP: u32 = 1_000;

/// A scheduled event, and the trace event that caused the scheduled event.
#[derive(Clone, Debug, Hash)]
struct WorldEvent {
    cause: Option<EventId>,
    what: WorldEventKind,
}

#[derive(Clone, Debug, Hash)]
enum WorldEventKind {
    /// A request typed in the terminal leaves the terminal.
    Typed {
        id: RequestId,
        to: NodeId,
        request: Arc<Request>,
    },
    /// The timeout of a typed request has passed.
    Timeout {
        id: RequestId,
    },
    Arrive(InFlightMessage),
    Timer(NodeId, Timer),
    /// A request of a `kubectl` command leaves its client.
    Kubectl {
        id: RequestId,
        request: Arc<Kubectl>,
    },
    /// The timeout of a `kubectl` request has passed.
    KubectlTimeout {
        id: RequestId,
    },
    /// An operation that the user typed takes effect.
    Op(Arc<WorldOp>),
    /// The next pods of a population are added, starting at this index.
    Populate(populate::Population, u64),
    /// The remaining watches of a crowd are started. A crowd is the watches of one `watch --many` command.
    Crowd(Box<Crowd>),
    /// The operating system kills a process that uses too much memory.
    OutOfMemory(NodeId),
    /// A process that the operating system killed starts again.
    Restart(NodeId),
    /// A wait ends, such as the wait of a `run` command.
    Woken {
        slept: SimDuration,
    },
    /// The process of a member ends, because the member cannot write its database.
    DiskFailed(NodeId),
    /// The process of an API server ends, some time after SIGTERM.
    Drained(NodeId),
}

#[derive(Clone, Debug, PartialEq, Hash)]
struct InFlightMessage {
    message: MessageId,
    from: NodeId,
    to: NodeId,
    /// The number of the connection that carries the message. If the connection breaks, the message is lost.
    connection: u32,
    bytes: u64,
    body: Arc<Body>,
    /// Whether the message follows a TLS handshake, whose work its receiver has not done yet.
    is_after_handshake: Sparse<bool>,
}

impl ScheduledEvent for WorldEvent {
    type Name = (NodeId, Timer);

    fn name(&self) -> Option<Self::Name> {
        match self.what {
            WorldEventKind::Timer(node, timer) => Some((node, timer)),
            _ => None,
        }
    }
}

impl WorldEvent {
    /// Returns the node of the timer; `None` if the event is not a timer.
    fn timer_of(&self) -> Option<NodeId> {
        self.name().map(|(node, _)| node)
    }

    /// Returns the receiver of the message; `None` if the event is not a message.
    fn arrives_at(&self) -> Option<NodeId> {
        match &self.what {
            WorldEventKind::Arrive(flight) => Some(flight.to),
            _ => None,
        }
    }
}

impl World {
    /// Creates a world with the configured members. Several members form a cluster, whose first election takes place
    /// after one to two seconds.
    pub fn new(config: Config) -> Self {
        let members = config.members;
        let mut world = Self::with_members(config, members);
        if members > 1 {
            world.start_cluster(members);
        }
        world
    }

    /// Creates a world with several members. The members do not communicate with each other.
    pub fn with_members(config: Config, members: u32) -> Self {
        let cost = config.format.cost().model();
        let mut nodes = OrdMap::new();
        for n in 1..=members {
            let server = EtcdServer::new(config.profile).seeded(config.seed);
            let server = server.with_cost(cost);
            let server = server.with_sync_pass_costs(config.format.sync_pass_costs());
            let member = Member::new(server);
            nodes.insert(NodeId::Member(n), Node::Member(Arc::new(member)));
        }
        let etcdctl = EtcdctlNode::new(FIRST_MEMBER);
        nodes.insert(NodeId::Etcdctl, Node::Etcdctl(Arc::new(etcdctl)));
        let mut world = Self {
            now: SimTime(0),
            steps: 0,
            events: 0,
            requests: 0,
            due: Schedule::default(),
            nodes,
            names: OrdMap::new(),
            kubectl: kubectl::TypedKubectl::default(),
            watches: OrdMap::new(),
            free_watch_number: 1,
            network: Network::new(config.seed),
            clocks: OrdMap::new(),
            paused: OrdSet::new(),
            waiting: OrdMap::new(),
            backups: OrdMap::new(),
            planted: Planted::default(),
            cost,
            config,
        };
        if let Some(file) = world.config.snapshot.clone() {
            world.start_on(&file);
        }
        world
    }

    /// Disables the limits of the QoS rules in a new world. Everything else is the same as in a world with the limits.
    #[must_use]
    pub fn without_qos_rules(mut self) -> Self {
        let members: Vec<NodeId> = self.members().map(|(node, _)| node).collect();
        for node in members {
            if let Some(member) = self.state::<Member>(node) {
                member.server.ignore_qos_rules();
            }
        }
        self
    }

    pub fn with_cluster(config: Config, members: u32) -> Self {
        Self::new(Config { members, ..config })
    }

    fn start_cluster(&mut self, members: u32) {
        for n in 1..=members {
            let (node, seed) = (NodeId::Member(n), self.config.seed);
            self.names.insert(self.node_name(node).into(), node);
            if let Some(member) = self.state::<Member>(node) {
                member.server = member.server.clone().in_cluster(n, members, seed);
            }
            self.with_member(node, None, &mut Nobody, |member, out| {
                member.start_raft(out);
            });
        }
    }

    /// Starts the first member from `file`. The terminal can also restore the file as a snapshot.
    fn start_on(&mut self, file: &SnapshotFile) {
        let name = file.identity.name.clone();
        self.backups.insert(name, file.backup().clone());
        self.with_member(FIRST_MEMBER, None, &mut Nobody, |member, out| {
            member.start_on(file, out);
        });
    }

    /// Plants a bug that a test must detect. Call this before the first step.
    #[cfg(feature = "planted-bugs")]
    pub fn planted(mut self, planted: Planted) -> Self {
        self.planted = planted;
        let members: Vec<NodeId> = self.members().map(|(node, _)| node).collect();
        for node in members {
            if let Some(member) = self.state::<Member>(node) {
                member.server.plant(planted);
            }
        }
        self
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the prices of work on machines and links.
    pub fn cost(&self) -> &CostModel {
        &self.cost
    }

    pub fn now(&self) -> SimTime {
        self.now
    }

    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the nodes whose IDs are between `first` and `last` (both included), in the order of creation.
    fn of_kind(&self, first: NodeId, last: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.range(first..=last).map(|(id, node)| (*id, node))
    }

    /// Returns the members, sorted by number. The second etcd, which stores only Event objects, is not among them. A
    /// removed member is among them until it stops.
    pub fn members(&self) -> impl Iterator<Item = (NodeId, &EtcdServer)> {
        let etcds = self.etcds();
        etcds.filter(|(id, _)| *id != NodeId::EVENTS_ETCD && !self.is_removed(*id))
    }

    /// Returns the members and, if the world has a second etcd for Event objects, its member.
    pub fn etcds(&self) -> impl Iterator<Item = (NodeId, &EtcdServer)> {
        let members = self.of_kind(NodeId::Member(0), NodeId::EVENTS_ETCD);
        members.filter_map(|(id, node)| match node {
            Node::Member(member) => Some((id, &member.server)),
            _ => None,
        })
    }

    pub fn member(&self, node: NodeId) -> Option<&EtcdServer> {
        match self.nodes.get(&node)? {
            Node::Member(member) => Some(&member.server),
            _ => None,
        }
    }

    /// Returns the member to which the terminal sends requests.
    pub fn endpoint(&self) -> NodeId {
        self.etcdctl().endpoint()
    }

    /// Returns the state of the member to which the terminal sends requests.
    ///
    /// # Panics
    /// Never, because every world has this member.
    pub fn at_endpoint(&self) -> &EtcdServer {
        let found = self.member(self.endpoint());
        found.expect("the member of the terminal exists")
    }

    /// Returns the etcd clients in the order of creation.
    pub fn clients(&self) -> impl Iterator<Item = (NodeId, &Client)> {
        let clients = self.of_kind(NodeId::Client(0), NodeId::Client(u32::MAX));
        clients.filter_map(|(id, node)| match node {
            Node::Client(client) => Some((id, &**client)),
            _ => None,
        })
    }

    pub fn client(&self, node: NodeId) -> Option<&Client> {
        match self.nodes.get(&node)? {
            Node::Client(client) => Some(client),
            _ => None,
        }
    }

    pub fn client_named(&self, name: &str) -> Option<(NodeId, &Client)> {
        let node = *self.names.get(name)?;
        Some((node, self.client(node)?))
    }

    /// Returns the client that has the watch with this name, even if the watch has ended.
    pub fn holder(&self, watch: &str) -> Option<(NodeId, &Client)> {
        let node = *self.watches.get(watch)?;
        Some((node, self.client(node)?))
    }

    /// Returns true if a watch with this name exists and has not ended.
    pub fn has_watch(&self, name: &str) -> bool {
        self.holder(name)
            .is_some_and(|(_, client)| client.has_watch(name))
    }

    pub fn has_watches(&self) -> bool {
        self.watches.keys().any(|name| self.has_watch(name))
    }

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

    /// Returns one direction of a link; `None` if it has no settings and has carried no messages.
    pub fn link(&self, from: NodeId, to: NodeId) -> Option<&Link> {
        self.network.get(from, to)
    }

    pub fn is_paused(&self, node: NodeId) -> bool {
        self.paused.contains(&node)
    }

    /// Returns the number of scheduled events.
    pub fn due_count(&self) -> u64 {
        self.due.len()
    }

    /// Returns the number of clients, both of etcd and of API servers.
    pub fn node_count(&self) -> u64 {
        (self.clients().count() + self.kube_clients().count()) as u64
    }

    /// Returns the time of the next scheduled event.
    pub fn next_at(&self) -> Option<SimTime> {
        self.due.next_at()
    }

    /// Schedules an operation after the configured delay between commands. Call [`World::check`] first: an impossible
    /// operation has no effect.
    pub fn do_op(&mut self, op: Arc<WorldOp>) {
        self.add(self.config.command_pace, WorldEventKind::Op(op));
    }

    /// Schedules a step after `duration`, so that at least this much time passes.
    pub fn sleep(&mut self, duration: SimDuration) {
        self.add(duration, WorldEventKind::Woken { slept: duration });
    }

    fn add(&mut self, after: SimDuration, what: WorldEventKind) -> SchedulePlace {
        self.due
            .add(self.now + after, WorldEvent { cause: None, what })
    }

    /// Returns true if the world can wait for `duration` without exceeding the maximum time.
    pub fn can_sleep(&self, duration: SimDuration) -> bool {
        self.now.0.saturating_add(duration.0) <= TIME_MAX.0
    }

    /// Returns true if the next scheduled event is before the maximum time. Some events, such as the expiry of a long
    /// lease, can be after the maximum time.
    pub fn can_step(&self) -> bool {
        self.next_at().is_some_and(|at| at <= TIME_MAX)
    }

    /// Removes the commands and requests that the user typed and that have not taken effect yet. Returns the number of
    /// removed events.
    ///
    /// The removed events are requests that have not arrived, waits that have not ended, operations that have not
    /// started, and the remaining pods and watches of populations and crowds.
    pub fn drop_undelivered(&mut self) -> u64 {
        let forgotten = self.forget_typed();
        let dropped = self.due.retain(|due| {
            let is_typed =
                matches!(&due.what, WorldEventKind::Arrive(f) if f.from == NodeId::Etcdctl);
            !is_typed
                && !matches!(
                    due.what,
                    WorldEventKind::Typed { .. }
                        | WorldEventKind::Kubectl { .. }
                        | WorldEventKind::Op(_)
                        | WorldEventKind::Populate(..)
                        | WorldEventKind::Crowd(_)
                        | WorldEventKind::Woken { .. }
                )
        });
        forgotten + dropped
    }

    /// Returns true if the next event is the arrival of a message at or before the time `by`.
    pub fn a_message_arrives_by(&self, by: SimTime) -> bool {
        let next = self.due.iter().next();
        next.is_some_and(|(at, due)| at <= by && matches!(due.what, WorldEventKind::Arrive(_)))
    }

    /// Returns true if the watch will receive more events as time passes: a message to or from the watch's client is in
    /// flight, or a sync pass will send events to the watch. To receive all events, let time pass while this is true.
    pub fn is_pending(&self, watch: &str) -> bool {
        let found = self.holder(watch).or_else(|| self.client_named(watch));
        let Some((node, client)) = found else {
            return false;
        };
        // The client library waits for a response even if the member does not respond.
        if client
            .process()
            .is_some_and(EtcdctlProcess::awaits_response)
        {
            return true;
        }
        if self.is_paused(node) || self.is_paused(client.etcd()) || !client.is_connected() {
            return false;
        }
        let flying = self.due.iter().any(|(_, due)| match &due.what {
            WorldEventKind::Arrive(f) => f.from == node || f.to == node,
            WorldEventKind::Timer(n, Timer::Client(client::ClientTimer::Read)) => *n == node,
            _ => false,
        });
        flying || client.is_logging_in() || self.is_behind(node, client.etcd())
    }

    /// Returns true if the watch has received all events: the watch is synced, its client reads, and no response for
    /// the watch is in flight, in a channel or in a queue.
    pub fn is_settled(&self, watch: &str) -> bool {
        let Some((node, client)) = self.holder(watch) else {
            return false;
        };
        let Some((stream, watch_id)) = client.place_of(watch) else {
            return false;
        };
        let etcd = client.etcd();
        let is_paused = self.is_paused(node) || self.is_paused(etcd);
        let is_reading = client.unread() > 0 || self.is_flying(node, etcd);
        if is_paused || is_reading || !client.is_connected() {
            return false;
        }
        let key = StreamKey {
            client: node,
            stream,
        };
        self.member(etcd)
            .is_some_and(|member| member.is_settled(key, watch_id))
    }

    /// Returns true if a message between a client and its member is in flight. Messages that a link holds count, too.
    fn is_flying(&self, node: NodeId, etcd: NodeId) -> bool {
        let of_node = |f: &InFlightMessage| f.from == node || f.to == node;
        let is_one =
            |what: &WorldEventKind| matches!(what, WorldEventKind::Arrive(f) if of_node(f));
        let mut waiting = self.waiting.values().flatten();
        self.due.iter().any(|(_, due)| is_one(&due.what))
            || waiting.any(|(_, due)| is_one(&due.what))
            || self.network.is_holding(node, etcd)
    }

    /// Returns true if the next sync pass or victim retry can send events to this client: one of the client's watchers
    /// is unsynced or a victim.
    fn is_behind(&self, client: NodeId, member: NodeId) -> bool {
        let Some(etcd) = self.member(member) else {
            return false;
        };
        let kv = etcd.watchable();
        let of_client = |stream| etcd.stream_key(stream).is_some_and(|k| k.client == client);
        let mut behind = kv.unsynced().chain(kv.victims().map(|(id, _)| id));
        let armed = etcd.needs_sync_pass() || kv.a_victim_has_room();
        armed && behind.any(|id| kv.watcher(id).is_some_and(|w| of_client(w.stream)))
    }

    /// Executes the next event and reports all trace events to `trace`. Returns false if no event is scheduled.
    pub fn step(&mut self, mut trace: &mut dyn FnMut(Event)) -> bool {
        self.do_next(&mut trace)
    }

    /// Executes the next event without a trace. The resulting state is the same as with a trace.
    pub fn step_untraced(&mut self) -> bool {
        self.do_next(&mut Nobody)
    }

    fn do_next(&mut self, trace: Trace<'_>) -> bool {
        if self.due.is_empty() {
            return false;
        }
        self.steps += 1;
        // Requests from the terminal belong to the next step.
        while self.due.next().is_some_and(WorldEvent::is_at_terminal) {
            self.dispatch_next(trace);
        }
        if let Some(to) = self.dispatch_next(trace) {
            // Other messages that reach the same node at the same time belong to this step.
            let is_one = |due: &WorldEvent| due.arrives_at() == Some(to);
            let mut arrivals = 1;
            while arrivals < ARRIVALS_PER_STEP
                && let Some(due) = self.due.pop_if(self.now, is_one)
            {
                self.dispatch(due, trace);
                arrivals += 1;
            }
        }
        self.pass_over();
        // Responses to the terminal belong to the previous step.
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

    /// Executes the next event. Returns the receiver if the event is a message; `None` for other events.
    fn dispatch_next(&mut self, trace: Trace<'_>) -> Option<NodeId> {
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

    fn dispatch(&mut self, due: WorldEvent, trace: Trace<'_>) {
        match due.what {
            WorldEventKind::Typed { id, to, request } => {
                self.send_typed(due.cause, (id, to), request, trace);
            }
            WorldEventKind::Timeout { id } => self.etcdctl_times_out(due.cause, id, trace),
            WorldEventKind::Timer(node, timer) => self.wake(node, due.cause, timer, trace),
            WorldEventKind::Kubectl { id, request } => {
                self.send_kubectl(due.cause, id, &request, trace)
            }
            WorldEventKind::KubectlTimeout { id } => self.kubectl_times_out(id),
            WorldEventKind::Arrive(flight) => self.arrive(due.cause, flight, trace),
            WorldEventKind::Op(op) => self.apply(due.cause, &op, trace),
            WorldEventKind::Populate(pods, from) => self.populate(due.cause, (pods, from), trace),
            WorldEventKind::Crowd(crowd) => self.continue_crowd(due.cause, *crowd, trace),
            WorldEventKind::OutOfMemory(node) => self.kill(due.cause, node, trace),
            WorldEventKind::Restart(node) => self.restart(due.cause, node, trace),
            WorldEventKind::DiskFailed(node) => self.disk_failed(due.cause, node, trace),
            WorldEventKind::Drained(node) => self.drained(due.cause, node, trace),
            WorldEventKind::Woken { slept } => {
                let passed = TraceEvent::TimePassed {
                    duration_us: slept.0,
                };
                self.tell(None, due.cause, passed, trace);
            }
        }
    }

    fn arrive(&mut self, cause: Cause, flight: InFlightMessage, trace: Trace<'_>) {
        let (message, to) = (flight.message, flight.to);
        let is_current = self.network.is_current(flight.from, to, flight.connection);
        let is_stopped = matches!(to, NodeId::Member(_) | NodeId::Proxy) && !self.is_running(to);
        // etcdctl tries to deliver its request until the request times out.
        let waits = self.is_paused(to) || is_stopped && flight.from == NodeId::Etcdctl;
        if !is_current || is_stopped && !waits {
            let broken = TraceEvent::Net(NetTrace::Broken { message });
            let cause = self.tell(to, cause, broken, trace);
            if is_current {
                self.refuse_call(cause, &flight, trace);
            }
            return;
        }
        if waits {
            let waits = TraceEvent::Net(NetTrace::Waits { message });
            let cause = self.tell(to, cause, waits, trace);
            let what = WorldEventKind::Arrive(flight);
            return self.wait(to, WorldEvent { cause, what });
        }
        let arrived = TraceEvent::Net(NetTrace::Arrived { message });
        let cause = self.tell(to, cause, arrived, trace);
        match to {
            NodeId::Member(_) => self.reach_member(cause, &flight, trace),
            NodeId::Client(_) => {
                self.with(to, cause, trace, |client: &mut Client, out| {
                    client.handle(&flight.body, flight.bytes, out);
                });
            }
            NodeId::Etcdctl => self.reach_etcdctl(cause, &flight.body, trace),
            NodeId::ApiServer(_) => self.reach_apiserver(cause, &flight, trace),
            NodeId::KubeClient(_) => self.reach_kube_client(cause, &flight, trace),
            NodeId::Proxy => self.reach_proxy(cause, flight.from, &flight.body, trace),
        }
    }

    fn reach_member(&mut self, cause: Cause, flight: &InFlightMessage, trace: Trace<'_>) {
        let node = flight.from;
        if let Body::Etcd(EtcdMessage::Peer(message)) = &*flight.body
            && let RaftPayload::Snapshot(_) = &message.payload
        {
            return self.deliver_snapshot(cause, message, trace);
        }
        let is_after_handshake = *flight.is_after_handshake;
        self.with_member(flight.to, cause, trace, |member, out| {
            let is_call = matches!(&*flight.body, Body::Etcd(EtcdMessage::Call { .. }));
            if is_after_handshake && !is_call {
                member.spend_on_handshake();
            }
            match &*flight.body {
                Body::Etcd(EtcdMessage::Call { call, request }) => {
                    let call = *call;
                    let caller = Caller { node, call };
                    match is_after_handshake {
                        true => member.handle_after_handshake(caller, request, out),
                        false => member.handle(caller, request, out),
                    }
                }
                Body::Etcd(EtcdMessage::Peer(message)) => member.peer_message(message, out),
                Body::Etcd(EtcdMessage::Watch { stream, request }) => {
                    let (client, stream) = (node, *stream);
                    member.watch_request(StreamKey { client, stream }, request, out);
                }
                Body::Etcd(EtcdMessage::Answer { call, reply }) => {
                    member.forwarded_reply(*call, reply, out);
                }
                // The member never receives these messages; they are for clients and API servers.
                Body::Etcd(EtcdMessage::WatchAnswer { .. }) | Body::Kube(_) => {}
                Body::Etcd(EtcdMessage::PeerRemoved) => member.peer_removed(out),
            }
        });
    }

    /// Delivers a snapshot of the leader's store.
    ///
    /// The message does not contain the state. When the message arrives, the receiver reads the state from the sender.
    /// If the sender's process has ended, there is no state to read, as if a connection had broken.
    fn deliver_snapshot(&mut self, cause: Cause, message: &PeerMessage, trace: Trace<'_>) {
        let (from, to) = (NodeId::Member(message.from), NodeId::Member(message.to));
        let state = self
            .member(from)
            .and_then(|member| member.outgoing_snapshot(message));
        let Some(state) = state else {
            return;
        };
        if self.has_full_disk(to) {
            self.with_member(from, cause, trace, |member, out| {
                member.snapshot_failed(message.to, out);
            });
            return;
        }
        self.with_member(to, cause, trace, |member, out| {
            member.peer_snapshot(message, state, out);
        });
        if !self.is_paused(from) {
            self.with_member(from, cause, trace, |member, out| {
                member.snapshot_arrived(message.to, out);
            });
        }
    }

    /// Stores a message or a timer until its node resumes.
    fn wait(&mut self, node: NodeId, due: WorldEvent) {
        let now = self.now;
        self.waiting
            .get_or_insert_with(node, Vec::new)
            .push((now, due));
    }

    /// Reports that a node changed, or that the whole world changed if `node` is `None`.
    fn changed(
        &mut self,
        cause: Cause,
        node: Option<NodeId>,
        sentence: impl Into<Arc<str>>,
        trace: Trace<'_>,
    ) -> Cause {
        let sentence = sentence.into();
        let event = TraceEvent::Client(ClientTrace::Changed { node, sentence });
        self.tell(node, cause, event, trace)
    }

    /// Reports one trace event on a node; `None` stands for the whole world.
    fn tell(
        &mut self,
        node: impl Into<Option<NodeId>>,
        cause: Cause,
        what: TraceEvent,
        trace: Trace<'_>,
    ) -> Cause {
        let mut tape = if trace.hears() {
            Tape::default()
        } else {
            Tape::off()
        };
        tape.push(what);
        self.record(node.into(), cause, tape, trace)
    }

    /// Numbers the trace events that one node wrote in one call, and reports them. Each event is the cause of the next
    /// event. The numbers are assigned even without a listener, so that tracing has no effect on the state.
    fn record(
        &mut self,
        node: Option<NodeId>,
        mut cause: Cause,
        tape: Tape,
        trace: Trace<'_>,
    ) -> Cause {
        if tape.is_off() {
            self.events += tape.len();
            return if tape.is_empty() {
                cause
            } else {
                Some(EventId(self.events))
            };
        }
        for what in tape.into_events() {
            self.events += 1;
            let id = EventId(self.events);
            trace.hear(Event {
                id,
                at: self.now,
                step: self.steps,
                node,
                cause,
                what,
            });
            cause = Some(id);
        }
        cause
    }

    /// Returns a digest of the complete state. Equal configurations and inputs have equal digests, both natively and in
    /// WebAssembly.
    pub fn digest(&self) -> u64 {
        Digest::of(self)
    }
}
