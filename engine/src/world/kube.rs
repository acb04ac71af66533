//! API servers and their clients in the world: who they are, what is done to them, what reaches them.

use std::sync::Arc;

use crate::api::kube::KubeRequest;
use crate::api::message::Body;
use crate::apiserver::{self, ApiServer, ApiServerConfig};
use crate::base::ids::{NodeId, StreamKey};
use crate::base::time::SimDuration;
use crate::client::kube::{self, KubeApp, KubeClient};
use crate::client::kubelets::Kubelets;
use crate::client::load::{self, Load, LoadSpec};
use crate::clientgo::{Reflector, ReflectorSpec};
use crate::sim::Outbox;
use crate::sim::outbox::{KubectlReply, RequestId};
use crate::trace::{ClientTrace, Event, EventId, NetTrace, TraceEvent};

use super::op::{KubeWatch, StartKubelets};
use super::{Due, Flight, What, World};

type Cause = Option<EventId>;
type Trace<'a> = &'a mut dyn FnMut(Event);

/// The client that sends what is typed behind `kubectl`.
pub const KUBECTL: &str = "kubectl";

/// How long what is typed waits for an answer. kubectl itself would wait for ever; this is longer than
/// an API server works on a request.
const KUBECTL_TIMEOUT: SimDuration = SimDuration::from_millis(90_000);

/// A request that is typed behind `kubectl`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kubectl {
    /// The API server, by name; the first when none is given.
    pub server: Option<String>,
    /// What is asked.
    pub request: Arc<KubeRequest>,
}

impl World {
    // Getters.

    /// The API servers, in the order in which they came.
    pub fn apiservers(&self) -> impl Iterator<Item = (NodeId, &ApiServer)> {
        let servers = self.apiservers.iter();
        servers.map(|(n, server)| (NodeId::ApiServer(*n), server))
    }

    /// An API server by its number.
    pub fn apiserver(&self, node: NodeId) -> Option<&ApiServer> {
        match node {
            NodeId::ApiServer(n) => self.apiservers.get(&n),
            _ => None,
        }
    }

    /// The API server of this name.
    pub fn apiserver_named(&self, name: &str) -> Option<(NodeId, &ApiServer)> {
        self.apiservers()
            .find(|(_, server)| &**server.name() == name)
    }

    /// The clients of API servers, in the order in which they came.
    pub fn kube_clients(&self) -> impl Iterator<Item = (NodeId, &KubeClient)> {
        let clients = self.kube_clients.iter();
        clients.map(|(n, client)| (NodeId::KubeClient(*n), client))
    }

    /// A client of API servers by its number.
    pub fn kube_client(&self, node: NodeId) -> Option<&KubeClient> {
        match node {
            NodeId::KubeClient(n) => self.kube_clients.get(&n),
            _ => None,
        }
    }

    /// The client of API servers of this name.
    pub fn kube_client_named(&self, name: &str) -> Option<(NodeId, &KubeClient)> {
        let node = self.kube_names.get(name)?;
        self.kube_client(*node).map(|client| (*node, client))
    }

    /// The node of this name on Kubernetes' side.
    pub(super) fn kube_node(&self, name: &str) -> Option<NodeId> {
        self.kube_names.get(name).copied()
    }

    /// A node's name.
    pub fn node_name(&self, node: NodeId) -> String {
        match node {
            NodeId::Member(_) => "etcd".into(),
            NodeId::Etcdctl => super::etcdctl::ETCDCTL.into(),
            NodeId::Client(n) => self.clients.get(&n).map_or("", |c| c.name()).into(),
            NodeId::ApiServer(n) => self.apiservers.get(&n).map_or("", |s| s.name()).into(),
            NodeId::KubeClient(n) => self.kube_clients.get(&n).map_or("", |c| c.name()).into(),
        }
    }

    /// Whether something is on its way to or from a client of API servers.
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
            What::Arrive(f) => {
                let ends = [f.from, f.to];
                ends.contains(&node) || ends.contains(&client.server())
            }
            What::KubeClient(n, kube::Timer::Read) => NodeId::KubeClient(*n) == node,
            _ => false,
        });
        flying || is_busy || client.unread() > 0
    }

    // What is typed.

    /// Sends a typed request to an API server; it leaves after the config's pace.
    pub fn kubectl(&mut self, request: Arc<Kubectl>) -> RequestId {
        self.requests += 1;
        let id = RequestId(self.requests);
        self.add(self.config.command_pace, What::Kubectl { id, request });
        self.add(KUBECTL_TIMEOUT, What::KubectlTimeout { id });
        self.kubectl_open.insert(id);
        id
    }

    /// The answer to a typed request, once it is there.
    pub fn kubectl_reply(&self, id: RequestId) -> Option<&KubectlReply> {
        self.kubectl_replies.get(&id)
    }

    /// Takes the answer away.
    pub fn take_kubectl_reply(&mut self, id: RequestId) -> Option<KubectlReply> {
        self.kubectl_replies.remove(&id)
    }

    /// Which API server is asked, when a name is given or none.
    ///
    /// # Errors
    /// A sentence for who typed it.
    pub fn server_for(&self, name: Option<&str>) -> Result<NodeId, String> {
        let known: Vec<&str> = self.apiservers().map(|(_, s)| &**s.name()).collect();
        if known.is_empty() {
            return Err("there is no API server; `apiserver api-1` begins one".into());
        }
        let found = match name {
            None => self.apiservers().next(),
            Some(name) => self.apiserver_named(name),
        };
        found.map(|(node, _)| node).ok_or_else(|| {
            let name = name.unwrap_or_default();
            format!(
                "there is no API server {name}; there are {}",
                known.join(", ")
            )
        })
    }

    pub(super) fn send_kubectl(
        &mut self,
        cause: Cause,
        id: RequestId,
        request: &Kubectl,
        trace: Trace<'_>,
    ) {
        let Ok(server) = self.server_for(request.server.as_deref()) else {
            self.kubectl_done(id, KubectlReply::ConnectionRefused);
            return;
        };
        let (n, cause) = match self.kube_names.get(KUBECTL) {
            Some(NodeId::KubeClient(n)) => (*n, cause),
            _ => self.add_kube_client(cause, KUBECTL, server, KubeApp::Kubectl, trace),
        };
        let asked = request.request.clone();
        self.with_kube_client(n, cause, trace, |client, _, out| {
            client.ask(id, server, asked, out);
        });
    }

    pub(super) fn kubectl_done(&mut self, id: RequestId, reply: KubectlReply) {
        if self.kubectl_open.remove(&id).is_some() {
            self.kubectl_replies.insert(id, reply);
        }
    }

    pub(super) fn kubectl_times_out(&mut self, id: RequestId) {
        if let Some(NodeId::KubeClient(n)) = self.kube_node(KUBECTL)
            && let Some(client) = self.kube_clients.get_mut(&n)
        {
            client.forget(id);
        }
        self.kubectl_done(id, KubectlReply::TimedOut);
    }

    // What a person does.

    pub(super) fn add_apiserver(
        &mut self,
        cause: Cause,
        name: &str,
        config: &ApiServerConfig,
        trace: Trace<'_>,
    ) {
        let n = self.apiservers.len() as u32 + 1;
        let node = NodeId::ApiServer(n);
        let seed = self.config.seed;
        let server = ApiServer::new(node, name.into(), config.clone(), seed);
        self.apiservers.insert(n, server.planted(self.planted));
        self.kube_names.insert(name.into(), node);
        let told = TraceEvent::Client(ClientTrace::Opened {
            node,
            name: name.into(),
        });
        let cause = self.tell(cause, told, trace);
        self.with_apiserver(n, cause, trace, |server, now, out| server.start(now, out));
    }

    pub(super) fn add_kube_client(
        &mut self,
        cause: Cause,
        name: &str,
        server: NodeId,
        app: KubeApp,
        trace: Trace<'_>,
    ) -> (u32, Cause) {
        let n = self.kube_clients.len() as u32 + 1;
        let node = NodeId::KubeClient(n);
        let client = KubeClient::new(node, name.into(), server, app, self.config.seed);
        self.kube_clients.insert(n, client);
        self.kube_names.insert(name.into(), node);
        let told = TraceEvent::Client(ClientTrace::Opened {
            node,
            name: name.into(),
        });
        (n, self.tell(cause, told, trace))
    }

    pub(super) fn start_kube_watch(&mut self, cause: Cause, watch: &KubeWatch, trace: Trace<'_>) {
        let Ok(server) = self.server_for(watch.server.as_deref()) else {
            return;
        };
        let app = KubeApp::Watch {
            request: watch.request.clone(),
            lists: watch.lists,
        };
        let (n, cause) = self.add_kube_client(cause, &watch.name, server, app, trace);
        self.with_kube_client(n, cause, trace, |client, now, out| client.start(now, out));
    }

    pub(super) fn start_informer(
        &mut self,
        cause: Cause,
        (name, server): (&str, Option<&str>),
        spec: &ReflectorSpec,
        trace: Trace<'_>,
    ) {
        let Ok(server) = self.server_for(server) else {
            return;
        };
        let app = KubeApp::Informer(Box::new(Reflector::new(spec.clone())));
        let (n, cause) = self.add_kube_client(cause, name, server, app, trace);
        self.with_kube_client(n, cause, trace, |client, now, out| client.start(now, out));
    }

    pub(super) fn start_load(
        &mut self,
        cause: Cause,
        (name, clients): (&str, u32),
        server: Option<&str>,
        spec: &LoadSpec,
        trace: Trace<'_>,
    ) {
        let Ok(server) = self.server_for(server) else {
            return;
        };
        for name in load::names(name, clients) {
            let app = KubeApp::Load(Box::new(Load::new(spec.clone())));
            let (n, cause) = self.add_kube_client(cause, &name, server, app, trace);
            self.with_kube_client(n, cause, trace, |client, now, out| client.start(now, out));
        }
    }

    pub(super) fn start_kubelets(&mut self, cause: Cause, start: &StartKubelets, trace: Trace<'_>) {
        let Ok(server) = self.server_for(start.server.as_deref()) else {
            return;
        };
        let app = KubeApp::Kubelets(Box::new(Kubelets::new(start.spec)));
        let (n, cause) = self.add_kube_client(cause, &start.name, server, app, trace);
        self.with_kube_client(n, cause, trace, |client, now, out| client.start(now, out));
    }

    pub(super) fn move_client(
        &mut self,
        cause: Cause,
        (client, server): (&str, &str),
        trace: Trace<'_>,
    ) {
        let (Some(NodeId::KubeClient(n)), Some((to, _))) =
            (self.kube_node(client), self.apiserver_named(server))
        else {
            return;
        };
        let node = NodeId::KubeClient(n);
        let cause = self.changed(cause, Some(node), format!("it goes to {server}"), trace);
        let from = self.kube_clients[&n].server();
        self.cut_kube(cause, node, from, trace);
        self.with_kube_client(n, cause, trace, |client, now, out| {
            client.move_to(now, to, out)
        });
    }

    /// Clients that hold a connection to a server.
    pub(super) fn clients_of(&self, server: NodeId) -> Vec<u32> {
        let of_it = self.kube_clients.iter().filter(|(n, client)| {
            client.server() == server || self.link(NodeId::KubeClient(**n), server).is_some()
        });
        of_it.map(|(n, _)| *n).collect()
    }

    /// Breaks the connection between a client and an API server.
    pub(super) fn cut_kube(
        &mut self,
        cause: Cause,
        client: NodeId,
        server: NodeId,
        trace: Trace<'_>,
    ) {
        self.cut_wires(cause, client, server, trace);
        if let NodeId::ApiServer(n) = server {
            self.with_apiserver(n, cause, trace, |s, _, out| s.client_gone(client, out));
        }
    }

    pub(super) fn cut_wires(&mut self, cause: Cause, a: NodeId, b: NodeId, trace: Trace<'_>) {
        for message in self.wires.cut(a, b) {
            self.tell(cause, TraceEvent::Net(NetTrace::Broken { message }), trace);
        }
    }

    /// Whom a node's link goes to when nothing else is said: etcd, or the client's API server.
    pub(super) fn peer_of(&self, node: NodeId) -> NodeId {
        match node {
            NodeId::KubeClient(n) => self.kube_clients[&n].server(),
            NodeId::Member(_) | NodeId::Etcdctl | NodeId::Client(_) | NodeId::ApiServer(_) => {
                NodeId::FIRST_MEMBER
            }
        }
    }

    // What reaches them.

    pub(super) fn reach_apiserver(
        &mut self,
        cause: Cause,
        n: u32,
        flight: &Flight,
        trace: Trace<'_>,
    ) {
        let is_running = self.apiservers.get(&n).is_some_and(ApiServer::is_running);
        if !is_running {
            if let (NodeId::KubeClient(client), Body::KubeCall { call, .. }) =
                (flight.from, &*flight.body)
            {
                let (server, call) = (flight.to, *call);
                self.with_kube_client(client, cause, trace, |c, now, out| {
                    c.refused(now, server, call, out);
                });
            }
            return;
        }
        let (from, body, bytes) = (flight.from, flight.body.clone(), flight.bytes);
        self.with_apiserver(n, cause, trace, |server, now, out| match from {
            NodeId::Member(_) => server.handle_etcd(now, &body, bytes, out),
            from => server.handle_client(now, from, &body, out),
        });
    }

    pub(super) fn reach_kube_client(
        &mut self,
        cause: Cause,
        n: u32,
        flight: &Flight,
        trace: Trace<'_>,
    ) {
        let (from, body) = (flight.from, flight.body.clone());
        let bytes = match &*body {
            Body::KubeEvents { events, .. } => events.iter().map(apiserver::event_bytes).sum(),
            _ => flight.bytes,
        };
        self.with_kube_client(n, cause, trace, |client, now, out| {
            if client.is_running() {
                client.handle(now, from, &body, bytes, out);
            }
        });
    }

    /// Lets an API server do something, and follows what it wants done.
    pub(super) fn with_apiserver(
        &mut self,
        n: u32,
        cause: Cause,
        trace: Trace<'_>,
        act: impl FnOnce(&mut ApiServer, crate::base::time::SimTime, &mut Outbox<apiserver::Timer>),
    ) {
        let node = NodeId::ApiServer(n);
        let now = self.local_now(node);
        let Some(server) = self.apiservers.get_mut(&n) else {
            return;
        };
        let mut out = Outbox::default();
        act(server, now, &mut out);
        let last = self.record(cause, &mut out.trace, trace);
        for (after, timer) in out.timers {
            self.set_timer(node, (after, What::ApiServer(n, timer)), last);
        }
        self.send_all(node, out.messages, last, trace);
        self.return_credits(node, out.credits, last, trace);
    }

    /// Lets a client of API servers do something, and follows what it wants done.
    pub(super) fn with_kube_client(
        &mut self,
        n: u32,
        cause: Cause,
        trace: Trace<'_>,
        act: impl FnOnce(&mut KubeClient, crate::base::time::SimTime, &mut Outbox<kube::Timer>),
    ) {
        let node = NodeId::KubeClient(n);
        let now = self.local_now(node);
        let Some(client) = self.kube_clients.get_mut(&n) else {
            return;
        };
        let mut out = Outbox::default();
        act(client, now, &mut out);
        let last = self.record(cause, &mut out.trace, trace);
        for (after, timer) in out.timers {
            self.set_timer(node, (after, What::KubeClient(n, timer)), last);
        }
        self.send_all(node, out.messages, last, trace);
        for (id, reply) in out.kubectl {
            self.kubectl_done(id, reply);
        }
        for (server, call, bytes) in out.kube_credits {
            if let NodeId::ApiServer(s) = server {
                self.with_apiserver(s, last, trace, |server, now, out| {
                    server.window_returned(now, node, (call, bytes), out);
                });
            }
        }
    }

    /// Closes the streams that a node holds at etcd, and breaks its connection.
    pub(super) fn cut_streams(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        self.cut_wires(cause, node, NodeId::FIRST_MEMBER, trace);
        let streams = self.etcd.watch_streams().map(|(key, _)| key);
        let keys: Vec<StreamKey> = streams.filter(|key| key.client == node).collect();
        for key in keys {
            let mut out = Outbox::default();
            let now = self.local_now(NodeId::FIRST_MEMBER);
            self.etcd.close_stream(now, key, &mut out);
            self.follow_etcd(cause, out, trace);
        }
    }

    /// Passes over timers at the head of the schedule that have become pointless, so that nothing
    /// looks due that is not.
    pub(super) fn pass_over(&mut self) {
        while let Some(at) = self.due.next_at() {
            let (servers, clients, open) =
                (&self.apiservers, &self.kube_clients, &self.kubectl_open);
            let is_void = |due: &Due| match &due.what {
                What::ApiServer(n, timer) => servers.get(n).is_none_or(|s| s.is_void(*timer)),
                What::KubeClient(n, timer) => clients.get(n).is_none_or(|c| c.is_void(*timer)),
                What::KubectlTimeout { id } => !open.contains(id),
                _ => false,
            };
            if self.due.pop_if(at, is_void).is_none() {
                return;
            }
        }
    }

    // Whether it can be done.

    /// The name of a node of any kind.
    pub(super) fn named(&self, name: &str) -> Result<NodeId, String> {
        match self.kube_node(name) {
            Some(node) => Ok(node),
            None => self.known_client(name),
        }
    }

    /// Returns the first of w1, w2, … that neither a watch nor a client has.
    pub fn free_watch_name(&self) -> String {
        format!("w{}", self.free_watch_number)
    }

    /// Says why a new node or watch cannot have this name.
    ///
    /// # Errors
    /// A sentence for the person who wanted it.
    pub fn free_name(&self, name: &str) -> Result<(), String> {
        let taken = self.kube_names.contains_key(name)
            || self.names.contains_key(name)
            || self.watches.contains_key(name)
            || name == KUBECTL;
        if taken {
            return Err(format!(
                "there is a {name} already; give this one another name"
            ));
        }
        Ok(())
    }
}
