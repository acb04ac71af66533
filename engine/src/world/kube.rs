//! API servers and their clients in the world: lookups, operations and message delivery.

use std::sync::Arc;

use crate::api::message::{Body, KubeMessage};
use crate::apiserver::{self, ApiServer, ApiServerConfig, EVENTS_ETCD_NAME, EventsEtcd};
use crate::base::ids::{NodeId, StreamKey};
use crate::base::time::SimDuration;
use crate::client::kube::client;
use crate::client::kube::client::{KubeApp, KubeClient};
use crate::client::kube::controller::Controller;
use crate::client::kube::kubelets::Kubelets;
use crate::client::kube::load;
use crate::client::kube::reflector::{Reflector, ReflectorSpec};
use crate::etcd::{EtcdServer, GrpcProxy};
use crate::kube::gates::KubeVersion;
use crate::trace::{KubeTrace, NetTrace, TraceEvent};
use crate::words::changes as words;

use super::config::FormatVersion;
use super::kubectl::KUBECTL;
use super::life::LifeChange;
use super::node::{Member, Node, Timer};
use super::op::{StartInformer, StartKubelets};
use super::resolve::{ResolvedOp, refuse, resolved};
use super::{Cause, FIRST_MEMBER, InFlightMessage, Trace, World, WorldEventKind};

const APISERVERS_MAX: usize = 16;

/// The maximum number of kubelets that one client simulates.
const KUBELETS_MAX: u32 = 15_000;

/// The minimum interval between two consecutive lists that one client sends for its kubelets.
const LIST_INTERVAL_MIN: SimDuration = SimDuration(1_000_000 / load::RATE_MAX);

impl World {
    // Lookups.

    /// Returns the API servers in the order of creation.
    pub fn apiservers(&self) -> impl Iterator<Item = (NodeId, &ApiServer)> {
        let servers = self.of_kind(NodeId::ApiServer(0), NodeId::ApiServer(u32::MAX));
        servers.filter_map(|(id, node)| match node {
            Node::ApiServer(server) => Some((id, &**server)),
            _ => None,
        })
    }

    pub fn apiserver(&self, node: NodeId) -> Option<&ApiServer> {
        match self.nodes.get(&node)? {
            Node::ApiServer(server) => Some(server),
            _ => None,
        }
    }

    pub fn apiserver_named(&self, name: &str) -> Option<(NodeId, &ApiServer)> {
        self.apiservers()
            .find(|(_, server)| &**server.name() == name)
    }

    /// Returns the clients of API servers in the order of creation.
    pub fn kube_clients(&self) -> impl Iterator<Item = (NodeId, &KubeClient)> {
        let clients = self.of_kind(NodeId::KubeClient(0), NodeId::KubeClient(u32::MAX));
        clients.filter_map(|(id, node)| match node {
            Node::KubeClient(client) => Some((id, &**client)),
            _ => None,
        })
    }

    pub fn kube_client(&self, node: NodeId) -> Option<&KubeClient> {
        match self.nodes.get(&node)? {
            Node::KubeClient(client) => Some(client),
            _ => None,
        }
    }

    pub fn kube_client_named(&self, name: &str) -> Option<(NodeId, &KubeClient)> {
        let node = *self.names.get(name)?;
        Some((node, self.kube_client(node)?))
    }

    /// Returns the node ID of the API server, or of the client of API servers, with this name.
    pub(super) fn kube_node(&self, name: &str) -> Option<NodeId> {
        let node = *self.names.get(name)?;
        matches!(node, NodeId::ApiServer(_) | NodeId::KubeClient(_)).then_some(node)
    }

    pub fn node_name(&self, node: NodeId) -> String {
        match (node, self.nodes.get(&node)) {
            (FIRST_MEMBER, _) if self.config().members == 1 => "etcd".into(),
            (NodeId::EVENTS_ETCD, _) => EVENTS_ETCD_NAME.into(),
            (NodeId::Member(n), Some(Node::Member(member))) => match &*member.name {
                Some(name) => name.to_string(),
                None => format!("etcd-{n}"),
            },
            (NodeId::Member(n), _) => format!("etcd-{n}"),
            (_, Some(Node::Etcdctl(_))) => super::etcdctl::ETCDCTL.into(),
            (_, Some(Node::Client(client))) => (**client.name()).into(),
            (_, Some(Node::ApiServer(server))) => (**server.name()).into(),
            (_, Some(Node::KubeClient(client))) => (**client.name()).into(),
            (_, Some(Node::Proxy(_))) => super::proxy::NAME.into(),
            (_, Some(Node::Member(_)) | None) => String::new(),
        }
    }

    /// Returns true if the client of API servers with this name will receive more as time passes: a message to or from
    /// the client is in flight, a request has no response yet, or a message is unread.
    pub fn is_kube_pending(&self, name: &str) -> bool {
        let Some((node, client)) = self.kube_client_named(name) else {
            return false;
        };
        if self.is_paused(node) {
            return false;
        }
        let server = self.apiserver(client.server());
        let is_busy = server.is_some_and(|s| s.open_requests() > 0 && !client.has_ended());
        let flying = self.due.iter().any(|(_, due)| match &due.what {
            WorldEventKind::Arrive(f) => {
                let ends = [f.from, f.to];
                ends.contains(&node) || ends.contains(&client.server())
            }
            WorldEventKind::Timer(n, Timer::KubeClient(client::KubeClientTimer::Read)) => {
                *n == node
            }
            _ => false,
        });
        flying || is_busy || client.unread() > 0
    }

    /// Returns the API server with this name. Without a name, returns the first API server.
    ///
    /// # Errors
    /// Returns a sentence for the user with the reason why there is no such API server.
    pub fn server_for(&self, name: Option<&str>) -> Result<NodeId, String> {
        let known: Vec<&str> = self.apiservers().map(|(_, s)| &**s.name()).collect();
        if known.is_empty() {
            return Err("no API server exists; type `apiserver api-1` to start one".into());
        }
        let found = match name {
            None => self.apiservers().next(),
            Some(name) => self.apiserver_named(name),
        };
        found.map(|(node, _)| node).ok_or_else(|| {
            let name = name.unwrap_or_default();
            format!(
                "API server {name} does not exist; the API servers are: {}",
                known.join(", ")
            )
        })
    }

    // Operations of the user.

    /// Resolves the start of an API server. A stopped API server starts again with new flags.
    pub(super) fn resolve_apiserver<'a>(
        &self,
        name: &'a str,
        config: &'a ApiServerConfig,
    ) -> Result<ResolvedOp<'a>, String> {
        for etcd in config.etcd_servers.members() {
            refuse(self.member(etcd).is_none(), || {
                let name = self.node_name(etcd);
                format!("there is no member {name}; `--etcd-servers` must name members of this run")
            })?;
        }
        let is_new = self.member(NodeId::EVENTS_ETCD).is_none();
        if config.events_etcd == EventsEtcd::Own && is_new {
            self.free_name(EVENTS_ETCD_NAME)?;
        }
        let stopped = self.apiserver_named(name);
        let stopped = stopped.filter(|(_, server)| !server.is_running());
        let stopped = stopped.map(|(node, _)| node);
        if stopped.is_none() {
            refuse(self.apiservers().count() >= APISERVERS_MAX, || {
                format!("a world can have at most {APISERVERS_MAX} API servers")
            })?;
            self.free_name(name)?;
        }
        resolved(move |world, cause, trace| {
            world.start_apiserver(cause, (name, stopped), config, trace);
        })
    }

    fn start_apiserver(
        &mut self,
        cause: Cause,
        (name, stopped): (&str, Option<NodeId>),
        config: &ApiServerConfig,
        trace: Trace<'_>,
    ) {
        if config.events_etcd == EventsEtcd::Own {
            self.add_events_etcd(cause, trace);
        }
        if let Some(node) = stopped {
            let before = self.apiserver(node).map(|s| s.config().events_etcd);
            self.forget_restart(node);
            if let Some(server) = self.state::<ApiServer>(node) {
                server.set_config(config.clone());
            }
            self.tell_of_events_etcd(cause, node, before, trace);
            return self.change_life(cause, node, LifeChange::Start, trace);
        }
        let node = NodeId::ApiServer(self.apiservers().count() as u32 + 1);
        let seed = self.seed();
        let server = ApiServer::new(node, name.into(), config.clone(), seed);
        let server = server.with_registry(self.config.format.deletes_in_two_steps());
        let server = Node::ApiServer(Arc::new(server.planted(self.planted)));
        let cause = self.add_node(cause, node, (name.into(), server), trace);
        self.tell_of_events_etcd(cause, node, None, trace);
        let cost = self.cost;
        let stopped = self.stopped_peers(node);
        self.with(node, cause, trace, |server: &mut ApiServer, out| {
            server.set_cost(cost, out);
            server.start(stopped, out);
        });
    }

    /// Returns the stopped members among the members to which an API server connects. Returns none if the API server
    /// connects to only one member.
    pub(super) fn stopped_peers(&self, server: NodeId) -> Vec<NodeId> {
        let mut peers = self.peers_of(server);
        match peers.len() {
            1 => peers.clear(),
            _ => peers.retain(|peer| !self.runs(*peer)),
        }
        peers
    }

    /// Adds the second etcd, which stores only Event objects, if the world does not have a second etcd yet.
    fn add_events_etcd(&mut self, cause: Cause, trace: Trace<'_>) {
        if self.member(NodeId::EVENTS_ETCD).is_some() {
            return;
        }
        let server = EtcdServer::new(self.config.profile).seeded(self.seed());
        let member = Member::new(server.with_cost(self.cost));
        let node = (EVENTS_ETCD_NAME.into(), Node::Member(Arc::new(member)));
        self.add_node(cause, NodeId::EVENTS_ETCD, node, trace);
    }

    /// If an API server uses a second etcd for Event objects, or used one before, reports which etcd now stores these
    /// objects.
    fn tell_of_events_etcd(
        &mut self,
        cause: Cause,
        server: NodeId,
        before: Option<EventsEtcd>,
        trace: Trace<'_>,
    ) {
        let etcd = self.apiserver(server).map(|s| s.config().events_etcd);
        let is_own = etcd == Some(EventsEtcd::Own);
        if is_own || before == Some(EventsEtcd::Own) {
            let event = KubeTrace::EventsEtcd { server, is_own };
            self.tell(server, cause, TraceEvent::Kube(event), trace);
        }
    }

    pub(super) fn add_kube_client(
        &mut self,
        cause: Cause,
        name: &str,
        server: NodeId,
        app: KubeApp,
        trace: Trace<'_>,
    ) -> (NodeId, Cause) {
        let node = NodeId::KubeClient(self.kube_clients().count() as u32 + 1);
        let client = KubeClient::new(node, name.into(), server, app, self.seed());
        let client = Node::KubeClient(Arc::new(client));
        let cause = self.add_node(cause, node, (name.into(), client), trace);
        (node, cause)
    }

    pub(super) fn start_kube_client(
        &mut self,
        cause: Cause,
        name: &str,
        server: NodeId,
        app: KubeApp,
        trace: Trace<'_>,
    ) {
        let (node, cause) = self.add_kube_client(cause, name, server, app, trace);
        self.with(node, cause, trace, |client: &mut KubeClient, out| {
            client.start(out);
        });
    }

    pub(super) fn start_informer(
        &mut self,
        cause: Cause,
        start: &StartInformer,
        server: NodeId,
        trace: Trace<'_>,
    ) {
        // client-go enables the feature gate WatchListClient by default since 1.35.
        let of_release = || {
            if self.config.format == FormatVersion::V1 {
                return false;
            }
            let known = self.apiservers().find(|(node, _)| *node == server);
            known.is_some_and(|(_, server)| server.config().version >= KubeVersion::V1_35)
        };
        let spec = ReflectorSpec {
            resource: start.resource,
            target: start.target.clone(),
            watch_list: start.watch_list.unwrap_or_else(of_release),
            first_list: start.first_list,
            without_bookmarks: start.without_bookmarks,
        };
        let app = KubeApp::Informer(Box::new(Reflector::new(spec)));
        let (node, cause) = self.add_kube_client(cause, &start.name, server, app, trace);
        let controller = start.controller.as_ref().map(Controller::new);
        self.with(node, cause, trace, |client: &mut KubeClient, out| {
            client.set_controller(controller);
            client.start(out);
        });
    }

    pub(super) fn resolve_kubelets<'a>(
        &self,
        start: &'a StartKubelets,
    ) -> Result<ResolvedOp<'a>, String> {
        let server = self.server_for(start.server.as_deref())?;
        let spec = start.spec;
        if spec.nodes == 0 || spec.nodes > KUBELETS_MAX {
            return Err(format!("`kubelets` accepts 1 to {KUBELETS_MAX} nodes"));
        }
        if spec.interval() < LIST_INTERVAL_MIN {
            let least = SimDuration(LIST_INTERVAL_MIN.0 * u64::from(spec.nodes));
            return Err(format!(
                "--every must be at least {least} for {} nodes, because all kubelets together can list at most {} \
                 times per second",
                spec.nodes,
                1_000_000 / LIST_INTERVAL_MIN.0
            ));
        }
        self.free_name(&start.name)?;
        resolved(move |world, cause, trace| {
            let app = KubeApp::Kubelets(Box::new(Kubelets::new(spec)));
            world.start_kube_client(cause, &start.name, server, app, trace);
        })
    }

    pub(super) fn resolve_move<'a>(
        &self,
        name: &'a str,
        server: &'a str,
    ) -> Result<ResolvedOp<'a>, String> {
        let to = self.server_for(Some(server))?;
        let Some((node, client)) = self.kube_client_named(name) else {
            return Err(format!("no client of API servers is named {name}"));
        };
        refuse(client.server() == to, || {
            format!("{name} is already connected to {server}")
        })?;
        resolved(move |world, cause, trace| {
            let cause = world.changed(cause, Some(node), words::moved(name, server), trace);
            world.cut_kube(cause, node, world.peer_of(node), trace);
            world.with(node, cause, trace, |client: &mut KubeClient, out| {
                client.move_to(to, out);
            });
        })
    }

    /// Returns the clients with a connection to this server.
    pub(super) fn clients_of(&self, server: NodeId) -> Vec<NodeId> {
        let of_it = self.kube_clients().filter(|(node, client)| {
            client.server() == server || self.link(*node, server).is_some()
        });
        of_it.map(|(node, _)| node).collect()
    }

    /// Breaks the connection between a client and an API server.
    pub(super) fn cut_kube(
        &mut self,
        cause: Cause,
        client: NodeId,
        server: NodeId,
        trace: Trace<'_>,
    ) {
        self.break_connections(cause, client, server, trace);
        self.abandon(cause, client, |_| true, trace);
        self.with(server, cause, trace, |server: &mut ApiServer, out| {
            server.client_gone(client, out);
        });
    }

    pub(super) fn break_connections(
        &mut self,
        cause: Cause,
        a: NodeId,
        b: NodeId,
        trace: Trace<'_>,
    ) {
        for message in self.network.cut(self.now, a, b) {
            let broken = TraceEvent::Net(NetTrace::Broken { message });
            self.tell(a, cause, broken, trace);
        }
    }

    /// Returns the node at the other end of a node's default link: the node's member or API server.
    pub(super) fn peer_of(&self, node: NodeId) -> NodeId {
        match self.nodes.get(&node) {
            Some(Node::KubeClient(client)) => client.server(),
            Some(Node::Client(client)) => client.etcd(),
            Some(Node::ApiServer(server)) => server.etcd(),
            Some(Node::Proxy(proxy)) => proxy.etcd(),
            Some(Node::Etcdctl(_) | Node::Member(_)) | None => self.endpoint(),
        }
    }

    /// Returns the nodes that a node connects to.
    pub(super) fn peers_of(&self, node: NodeId) -> Vec<NodeId> {
        match self.nodes.get(&node) {
            Some(Node::ApiServer(server)) => server.peers(),
            Some(Node::Client(client)) => client.members(),
            _ => vec![self.peer_of(node)],
        }
    }

    // Message delivery.

    pub(super) fn reach_apiserver(
        &mut self,
        cause: Cause,
        flight: &InFlightMessage,
        trace: Trace<'_>,
    ) {
        let (from, to, body) = (flight.from, flight.to, &*flight.body);
        let is_call = matches!(body, Body::Kube(KubeMessage::Call { .. }));
        let serves = |server: &ApiServer| server.is_running() && !(is_call && server.is_draining());
        if !self.apiserver(to).is_some_and(serves) {
            if let Body::Kube(KubeMessage::Call { call, .. }) = body {
                self.with(from, cause, trace, |client: &mut KubeClient, out| {
                    client.refused(to, *call, out);
                });
            }
            return;
        }
        self.with(to, cause, trace, |server: &mut ApiServer, out| match from {
            NodeId::Member(_) => server.handle_etcd((from, body), flight.bytes, out),
            from => server.handle_client(from, body, out),
        });
    }

    pub(super) fn reach_kube_client(
        &mut self,
        cause: Cause,
        flight: &InFlightMessage,
        trace: Trace<'_>,
    ) {
        let body = &flight.body;
        let bytes = match &**body {
            Body::Kube(KubeMessage::Events { events, .. }) => {
                events.iter().map(apiserver::event_bytes).sum()
            }
            _ => flight.bytes,
        };
        self.with(flight.to, cause, trace, |client: &mut KubeClient, out| {
            if client.is_running() {
                client.handle(flight.from, body, bytes, out);
            }
        });
    }

    /// Closes the streams from a node to its member, and breaks the connection between them.
    pub(super) fn cut_streams(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        for etcd in self.peers_of(node) {
            self.cut_streams_to(cause, node, etcd, trace);
        }
    }

    pub(super) fn cut_streams_to(
        &mut self,
        cause: Cause,
        node: NodeId,
        etcd: NodeId,
        trace: Trace<'_>,
    ) {
        self.break_connections(cause, node, etcd, trace);
        self.abandon_at(cause, etcd, |caller| caller.node == node, trace);
        let streams = self.member(etcd).map(|member| member.watch_streams());
        let streams = streams.into_iter().flatten().map(|(key, _)| key);
        let keys: Vec<StreamKey> = streams.filter(|key| key.client == node).collect();
        for key in keys {
            self.with_member(etcd, cause, trace, |member, out| {
                member.close_stream(key, out);
            });
        }
        let now = self.local_now(etcd);
        let has_clients = self.member(etcd).is_some_and(EtcdServer::has_qos_clients);
        if has_clients && let Some(member) = self.state::<Member>(etcd) {
            member.server.forget_client(node, now);
        }
        if etcd == NodeId::Proxy
            && let Some(proxy) = self.state::<GrpcProxy>(etcd)
        {
            proxy.forget_client(now, node);
        }
    }

    /// Removes obsolete timers from the start of the schedule, so that the next scheduled event is not obsolete.
    pub(super) fn pass_over(&mut self) {
        while let Some(due) = self.due.next() {
            let is_void = match &due.what {
                WorldEventKind::Timer(node, timer) => self.is_void(*node, *timer),
                _ => false,
            };
            if !is_void {
                return;
            }
            self.due.pop();
        }
    }

    // Checks.

    /// Returns the node with this name. The node can be of any kind.
    pub(super) fn named(&self, name: &str) -> Result<NodeId, String> {
        match self.names.get(name) {
            Some(NodeId::Client(_)) | None => self.known_client(name),
            Some(node) => Ok(*node),
        }
    }

    /// Returns the first of the names w1, w2, … that belongs to no watch and no client.
    pub fn free_watch_name(&self) -> String {
        format!("w{}", self.free_watch_number)
    }

    /// Checks whether a new node or watch can have this name.
    ///
    /// # Errors
    /// Returns a sentence for the user if the name is already in use.
    pub fn free_name(&self, name: &str) -> Result<(), String> {
        let taken =
            self.names.contains_key(name) || self.watches.contains_key(name) || name == KUBECTL;
        if taken {
            return Err(format!("{name} already exists; choose another name"));
        }
        Ok(())
    }
}
