//! Starts, stops, connects and disconnects nodes of all kinds except members, and pauses nodes of all kinds.

use crate::apiserver::ApiServer;
use crate::base::ids::NodeId;
use crate::client::etcd::client::Client;
use crate::client::kube::client::KubeClient;
use crate::trace::{ClientTrace, TraceEvent};

use super::node::Node;
use super::resolve::{ResolvedOp, refuse, resolved};
use super::{Cause, Trace, World, WorldEventKind};
use crate::base::time::SimDuration;
use crate::words::changes as words;

/// The time between SIGTERM and the end of an API server. Upstream waits for the open requests, at most for
/// `--request-timeout`; open watches make it wait the whole time.
const DRAIN: SimDuration = SimDuration::from_millis(60_000);

/// A change to a node's process or connection: start, stop, connect or disconnect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LifeChange {
    Disconnect,
    Connect,
    Stop,
    Start,
}

impl World {
    pub(super) fn resolve_life<'a>(
        &self,
        name: &'a str,
        change: LifeChange,
    ) -> Result<ResolvedOp<'a>, String> {
        if change == LifeChange::Start
            && let Some(joining) = self.joining(name)
        {
            self.check_join()?;
            return resolved(move |world, cause, trace| world.join_member(cause, joining, trace));
        }
        let node = self.named(name)?;
        self.check_life(node, change)?;
        resolved(move |world, cause, trace| match change {
            LifeChange::Stop if node.is_member() => world.stop_etcd(cause, node, trace),
            LifeChange::Start if node.is_member() => world.start_etcd(cause, node, trace),
            LifeChange::Start => {
                world.forget_restart(node);
                world.change_life(cause, node, change, trace);
            }
            _ => world.change_life(cause, node, change, trace),
        })
    }

    /// Checks whether `change` is possible for a node.
    pub(super) fn check_life(&self, node: NodeId, change: LifeChange) -> Result<(), String> {
        let name = self.node_name(node);
        let (running, connected) = match self.nodes.get(&node) {
            Some(Node::ApiServer(server)) => (server.is_running(), server.is_connected()),
            Some(Node::KubeClient(client)) => (client.is_running(), client.is_connected()),
            Some(Node::Client(client)) => (client.is_running(), client.is_connected()),
            Some(Node::Member(_)) => {
                return match change {
                    LifeChange::Stop => self.check_etcd(node, true),
                    LifeChange::Start => self.check_etcd(node, false),
                    LifeChange::Disconnect | LifeChange::Connect => Err(format!(
                        "{name} is an etcd member and cannot be disconnected; \
                         type `fault partition {name}` to cut its links"
                    )),
                };
            }
            Some(Node::Proxy(_))
                if matches!(change, LifeChange::Disconnect | LifeChange::Connect) =>
            {
                return Err(format!(
                    "{name} is no client; type `stop {name}`, or `fault partition {name}` to cut its links"
                ));
            }
            Some(Node::Proxy(_)) if self.is_paused(node) => {
                return Err(format!("{name} is paused; type `resume {name}` first"));
            }
            Some(Node::Proxy(proxy)) => (proxy.is_running(), true),
            Some(Node::Etcdctl(_)) | None => return Ok(()),
        };
        match change {
            LifeChange::Disconnect => refuse(!connected, || format!("{name} is not connected")),
            LifeChange::Connect => {
                refuse(!running, || {
                    format!("{name} is stopped; type `start {name}` to start it")
                })?;
                refuse(connected, || format!("{name} is already connected"))
            }
            LifeChange::Stop => refuse(!running, || format!("{name} is already stopped")),
            LifeChange::Start => {
                refuse(running, || format!("{name} is already running"))?;
                let etcdctl = self.client(node);
                let ends_for_good = etcdctl.is_some_and(|c| {
                    c.app().is_none()
                        && c.keeps_alive().is_none()
                        && c.monitor_stream().is_none()
                        && c.poller().is_none()
                        && c.load().is_none()
                });
                refuse(ends_for_good, || {
                    format!(
                        "{name} was an `etcdctl watch`, which cannot be restarted, because it stores nothing; type a \
                         new `watch` command instead"
                    )
                })
            }
        }
    }

    pub(super) fn pause(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        self.paused.insert(node);
        let timers = self.due.extract(|due| due.timer_of() == Some(node));
        self.waiting
            .get_or_insert_with(node, Vec::new)
            .extend(timers);
        let event = TraceEvent::Client(ClientTrace::Paused { node });
        self.tell(node, cause, event, trace);
    }

    pub(super) fn resume(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        self.paused.remove(&node);
        let waiting = self.waiting.remove(&node).unwrap_or_default();
        let event = TraceEvent::Client(ClientTrace::Resumed {
            node,
            waiting: waiting.len() as u32,
        });
        self.tell(node, cause, event, trace);
        for (at, due) in waiting {
            self.due.add(at.max(self.now), due);
        }
    }

    pub(super) fn change_life(
        &mut self,
        cause: Cause,
        node: NodeId,
        change: LifeChange,
        trace: Trace<'_>,
    ) {
        let event = match change {
            LifeChange::Disconnect => ClientTrace::Disconnected { node },
            LifeChange::Connect => ClientTrace::Connected { node },
            LifeChange::Stop => ClientTrace::Stopped { node },
            LifeChange::Start => ClientTrace::Started { node },
        };
        let cause = self.tell(node, cause, TraceEvent::Client(event), trace);
        match (node, change) {
            (NodeId::Client(_), change) => {
                self.with(
                    node,
                    cause,
                    trace,
                    |client: &mut Client, out| match change {
                        LifeChange::Disconnect => client.disconnected(),
                        LifeChange::Connect => client.connected(out),
                        LifeChange::Stop => client.stop(),
                        LifeChange::Start => client.start(out),
                    },
                );
                if matches!(change, LifeChange::Disconnect | LifeChange::Stop) {
                    self.cut(cause, node, trace);
                }
            }
            (NodeId::ApiServer(_), LifeChange::Stop) => self.stop_apiserver(cause, node, trace),
            (NodeId::ApiServer(_), change) => {
                if change == LifeChange::Disconnect {
                    self.cut_streams(cause, node, trace);
                }
                let stopped = self.stopped_peers(node);
                self.with(
                    node,
                    cause,
                    trace,
                    |server: &mut ApiServer, out| match change {
                        LifeChange::Disconnect => server.disconnected(out),
                        LifeChange::Connect => server.connected(out),
                        LifeChange::Start => server.start(stopped, out),
                        LifeChange::Stop => {}
                    },
                );
            }
            (NodeId::KubeClient(_), change) => {
                if matches!(change, LifeChange::Disconnect | LifeChange::Stop) {
                    self.cut_kube(cause, node, self.peer_of(node), trace);
                }
                self.with(
                    node,
                    cause,
                    trace,
                    |client: &mut KubeClient, out| match change {
                        LifeChange::Disconnect => client.disconnected(out),
                        LifeChange::Connect => client.connected(),
                        LifeChange::Stop => client.stop(out),
                        LifeChange::Start => client.start(out),
                    },
                );
            }
            (NodeId::Proxy, LifeChange::Stop) => self.stop_proxy(cause, trace),
            (NodeId::Proxy, LifeChange::Start) => self.start_proxy(),
            (NodeId::Member(_) | NodeId::Etcdctl | NodeId::Proxy, _) => {}
        }
    }

    /// Lets an API server drain its requests: it refuses new requests, serves the open ones, and ends later.
    pub(super) fn drain(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        let sentence = words::drains(&self.node_name(node), DRAIN);
        self.changed(cause, Some(node), sentence, trace);
        if let Some(server) = self.state::<ApiServer>(node) {
            server.drain();
        }
        self.add(DRAIN, WorldEventKind::Drained(node));
    }

    /// Ends the process of an API server that has drained its requests.
    pub(super) fn drained(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        if self.apiserver(node).is_some_and(ApiServer::is_draining) {
            self.change_life(cause, node, LifeChange::Stop, trace);
        }
    }

    /// Stops the process of an API server, which disconnects its clients.
    fn stop_apiserver(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        self.cut_streams(cause, node, trace);
        if let Some(server) = self.state::<ApiServer>(node) {
            server.stop();
        }
        self.due.retain(|due| due.timer_of() != Some(node));
        for client in self.clients_of(node) {
            self.break_connections(cause, client, node, trace);
            self.with(client, cause, trace, |client: &mut KubeClient, out| {
                client.cut_off(out);
            });
        }
    }

    /// Breaks a client's connection. In-flight messages are lost, and the member closes the client's streams.
    fn cut(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        if let Some(waiting) = self.waiting.get_mut(&node) {
            waiting.retain(|(_, due)| !matches!(due.what, WorldEventKind::Arrive(_)));
        }
        self.cut_streams(cause, node, trace);
    }
}
