//! The kinds of nodes, and the functions that run a node of any kind and apply its effects.
//!
//! A node has no access to other nodes. The node writes the effects that it requests to its outbox, and the world
//! applies these effects.

use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage};
use crate::apiserver::{self, ApiServer};
use crate::base::digest::Sparse;
use crate::base::ids::{Caller, NodeId, StreamKey};
use crate::base::time::SimDuration;
use crate::client::etcd::client;
use crate::client::etcd::client::Client;
use crate::client::kube::client as kube_client;
use crate::client::kube::client::KubeClient;
use crate::etcd::{self, EtcdServer, GrpcProxy};
use crate::sim::Outbox;
use crate::trace::{ClientTrace, TraceEvent};

use super::etcdctl::EtcdctlNode;
use super::{Cause, Trace, World, WorldEvent, WorldEventKind};

/// A node with its state. Clones of a world share the state of a node until the node changes.
#[derive(Clone, Debug, Hash)]
pub(super) enum Node {
    Member(Arc<Member>),
    Etcdctl(Arc<EtcdctlNode>),
    Client(Arc<Client>),
    ApiServer(Arc<ApiServer>),
    /// A client of API servers. The first `kubectl` command adds a client of this kind for kubectl.
    KubeClient(Arc<KubeClient>),
    Proxy(Arc<GrpcProxy>),
}

/// A member of an etcd cluster, with the state of its process.
#[derive(Clone, Debug, Hash)]
pub(super) struct Member {
    pub(super) server: EtcdServer,
    /// The nodes that lost their connection when the process stopped; `None` while the process is running.
    pub(super) cut_off: Option<Vec<NodeId>>,
    /// The number of times that the operating system killed the process.
    pub(super) kills: u64,
    /// The name of a member that joined the cluster; `None` for the first members.
    pub(super) name: Sparse<Option<Arc<str>>>,
    /// Whether the process has ended because the member was removed from the cluster.
    pub(super) is_removed: Sparse<bool>,
}

impl Member {
    pub(super) fn new(server: EtcdServer) -> Self {
        Self {
            server,
            cut_off: None,
            kills: 0,
            name: Sparse::default(),
            is_removed: Sparse::default(),
        }
    }
}

/// A timer of any kind of node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Timer {
    Member(etcd::MemberTimer),
    Client(client::ClientTimer),
    ApiServer(apiserver::ApiServerTimer),
    KubeClient(kube_client::KubeClientTimer),
    Proxy(etcd::ProxyTimer),
}

/// A kind of node that the world can run.
pub(super) trait NodeKind: Clone {
    type Timer;

    /// Returns the state of the node; `None` if the node is of another kind.
    fn of(node: &mut Node) -> Option<&mut Arc<Self>>;

    /// Converts a timer of this kind of node to the type that all kinds of nodes share.
    fn timer(timer: Self::Timer) -> Timer;
}

macro_rules! kind {
    ($kind:ident, $variant:ident, $timer:ty) => {
        impl NodeKind for $kind {
            type Timer = $timer;

            fn of(node: &mut Node) -> Option<&mut Arc<Self>> {
                match node {
                    Node::$variant(state) => Some(state),
                    _ => None,
                }
            }

            fn timer(timer: Self::Timer) -> Timer {
                Timer::$variant(timer)
            }
        }
    };
}

kind!(Member, Member, etcd::MemberTimer);
kind!(Client, Client, client::ClientTimer);
kind!(ApiServer, ApiServer, apiserver::ApiServerTimer);
kind!(KubeClient, KubeClient, kube_client::KubeClientTimer);
kind!(GrpcProxy, Proxy, etcd::ProxyTimer);

impl World {
    /// Adds a node to the world and registers its name.
    pub(super) fn add_node(
        &mut self,
        cause: Cause,
        id: NodeId,
        (name, node): (Arc<str>, Node),
        trace: Trace<'_>,
    ) -> Cause {
        self.nodes.insert(id, node);
        self.names.insert(name.clone(), id);
        let event = TraceEvent::Client(ClientTrace::Opened { node: id, name });
        self.tell(id, cause, event, trace)
    }

    /// Returns the mutable state of a node; `None` if the node is not of kind `K`.
    pub(super) fn state<K: NodeKind>(&mut self, node: NodeId) -> Option<&mut K> {
        self.nodes.get_mut(&node).and_then(K::of).map(Arc::make_mut)
    }

    /// Runs an operation on a node with the time of the node's own clock, and applies the effects of the operation.
    pub(super) fn with<K: NodeKind>(
        &mut self,
        node: NodeId,
        cause: Cause,
        trace: Trace<'_>,
        act: impl FnOnce(&mut K, &mut Outbox<K::Timer>),
    ) {
        let now = self.local_now(node);
        let Some(state) = self.state::<K>(node) else {
            return;
        };
        let mut out = if trace.hears() {
            Outbox::new(now)
        } else {
            Outbox::untraced(now)
        };
        act(state, &mut out);
        self.follow(node, cause, out.map_timers(K::timer), trace);
    }

    /// Runs an operation on a member, and applies the effects of the operation.
    pub(super) fn with_member(
        &mut self,
        node: NodeId,
        cause: Cause,
        trace: Trace<'_>,
        act: impl FnOnce(&mut EtcdServer, &mut Outbox<etcd::MemberTimer>),
    ) {
        let mut has_failed = false;
        self.with(node, cause, trace, |member: &mut Member, out| {
            if member.cut_off.is_none() {
                member.server.advance(out);
            }
            act(&mut member.server, out);
            member.server.plan_commit(out);
            has_failed = member.server.store().backend().has_failed();
        });
        if has_failed && self.runs(node) {
            let what = WorldEventKind::DiskFailed(node);
            self.due.add(self.now, WorldEvent { cause, what });
        }
    }

    pub(super) fn wake(&mut self, node: NodeId, cause: Cause, timer: Timer, trace: Trace<'_>) {
        match timer {
            Timer::Member(etcd::MemberTimer::Removed) => self.end_removed(cause, node, trace),
            Timer::Member(timer) => self.with_member(node, cause, trace, |member, out| {
                member.wake(timer, out);
            }),
            Timer::Client(timer) => self.with(node, cause, trace, |client: &mut Client, out| {
                client.wake(timer, out);
            }),
            Timer::ApiServer(timer) => {
                self.with(node, cause, trace, |server: &mut ApiServer, out| {
                    server.wake(timer, out);
                });
            }
            Timer::KubeClient(timer) => {
                self.with(node, cause, trace, |client: &mut KubeClient, out| {
                    client.wake(timer, out);
                });
            }
            Timer::Proxy(timer) => {
                self.with(node, cause, trace, |proxy: &mut GrpcProxy, out| {
                    proxy.wake(timer, out);
                });
            }
        }
    }

    /// Returns true if a timer of a node is obsolete.
    pub(super) fn is_void(&self, node: NodeId, timer: Timer) -> bool {
        match (self.nodes.get(&node), timer) {
            (Some(Node::Member(member)), Timer::Member(timer)) => member.server.is_void(timer),
            (Some(Node::Client(client)), Timer::Client(timer)) => client.is_void(timer),
            (Some(Node::ApiServer(server)), Timer::ApiServer(timer)) => server.is_void(timer),
            (Some(Node::KubeClient(client)), Timer::KubeClient(timer)) => client.is_void(timer),
            (Some(Node::Proxy(proxy)), Timer::Proxy(timer)) => proxy.is_void(timer),
            (node, _) => node.is_none(),
        }
    }

    /// Applies the effects that a node wrote to its outbox.
    fn follow(&mut self, node: NodeId, cause: Cause, mut out: Outbox<Timer>, trace: Trace<'_>) {
        let last = self.record(Some(node), cause, out.trace, trace);
        for (after, timer) in out.timers {
            self.set_timer(node, (after, timer), last);
        }
        for (caller, reply) in out.replies {
            let (call, reply) = (caller.call, Arc::new(reply));
            out.messages
                .push((caller.node, Body::Etcd(EtcdMessage::Answer { call, reply })));
        }
        self.send_all(node, out.messages, last, trace);
        self.check_memory(node, last);
        for (id, reply) in out.kubectl {
            self.kubectl_done(id, reply);
        }
        if !out.abandoned.is_empty() {
            self.abandon(last, node, |call| out.abandoned.contains(&call), trace);
        }
        for (member, stream, bytes) in out.credits {
            let client = node;
            self.with_member(member, last, trace, |member, out| {
                member.window_returned(StreamKey { client, stream }, bytes, out);
            });
        }
        for (server, call, bytes) in out.kube_credits {
            self.with(server, last, trace, |server: &mut ApiServer, out| {
                server.window_returned(node, (call, bytes), out);
            });
        }
    }

    /// Returns true if a server notices that a client waits for no response any more. A paused process does not notice.
    fn notices_abandoned(&self, server: NodeId) -> bool {
        self.config.format.abandons_reads() && !self.is_paused(server)
    }

    /// Stops the reads of a node that waits for no response to some of its calls any more.
    pub(super) fn abandon(
        &mut self,
        cause: Cause,
        client: NodeId,
        is_abandoned: impl Fn(u64) -> bool,
        trace: Trace<'_>,
    ) {
        let is_gone = |caller: Caller| caller.node == client && is_abandoned(caller.call);
        if let Node::KubeClient(kube_client) = &self.nodes[&client] {
            let server = kube_client.server();
            if self.notices_abandoned(server) {
                self.with(server, cause, trace, |server: &mut ApiServer, out| {
                    server.abandon_reads(is_gone, out);
                });
            }
            return;
        }
        let members: Vec<NodeId> = self.etcds().map(|(member, _)| member).collect();
        for member in members {
            self.abandon_at(cause, member, is_gone, trace);
        }
    }

    /// Stops the reads of a member for the calls that `is_gone` selects.
    pub(super) fn abandon_at(
        &mut self,
        cause: Cause,
        member: NodeId,
        is_gone: impl Fn(Caller) -> bool,
        trace: Trace<'_>,
    ) {
        let has_read = |etcd: &EtcdServer| etcd.can_abandon(&is_gone);
        if self.notices_abandoned(member) && self.member(member).is_some_and(has_read) {
            self.with_member(member, cause, trace, |member, out| {
                member.abandon_reads(is_gone, out);
            });
        }
    }

    /// Sets a timer of a node. The duration is measured on the node's clock. The new timer replaces an earlier timer of
    /// the same name. A stopped member has no timers. If the node is paused, the timer waits until the node resumes.
    fn set_timer(&mut self, node: NodeId, (after, timer): (SimDuration, Timer), cause: Cause) {
        if node.is_member() && !self.runs(node) {
            return;
        }
        let at = self.now + self.world_span(node, after);
        let what = WorldEventKind::Timer(node, timer);
        let due = WorldEvent { cause, what };
        if self.is_paused(node) {
            let waiting = self.waiting.get_or_insert_with(node, Vec::new);
            waiting.push((at, due));
        } else {
            self.due.add(at, due);
        }
    }

    pub(super) fn send_all(
        &mut self,
        from: NodeId,
        messages: Vec<(NodeId, Body)>,
        cause: Cause,
        trace: Trace<'_>,
    ) {
        for (to, body) in messages {
            if self.is_unstarted(to) {
                self.refuse_connection(from, cause, &body, trace);
                continue;
            }
            let (sent, flight) = self.network.send(self.now, from, to, Arc::new(body));
            let cause = self.tell(from, cause, TraceEvent::Net(sent), trace);
            if let Some((at, flight)) = flight {
                let what = WorldEventKind::Arrive(flight);
                self.due.add(at, WorldEvent { cause, what });
            }
        }
    }
}
