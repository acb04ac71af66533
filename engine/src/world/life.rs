//! The life of a node besides the member: it connects and disconnects, it begins and ends.

use crate::base::ids::NodeId;
use crate::client::Client;
use crate::trace::{ClientTrace, Event, EventId, TraceEvent};

use super::check_op::refuse;
use super::{What, World};

type Cause = Option<EventId>;
type Trace<'a> = &'a mut dyn FnMut(Event);

/// What can be done to the life of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LifeChange {
    Disconnect,
    Connect,
    Stop,
    Start,
}

impl World {
    /// Whether it can be done to the node of this name.
    pub(super) fn check_life(&self, name: &str, change: LifeChange) -> Result<(), String> {
        let node = self.named(name)?;
        let (running, connected) = match node {
            NodeId::ApiServer(n) => {
                let server = &self.apiservers[&n];
                (server.is_running(), server.is_connected())
            }
            NodeId::KubeClient(n) => {
                let client = &self.kube_clients[&n];
                (client.is_running(), client.is_connected())
            }
            NodeId::Client(n) => {
                let client = &self.clients[&n];
                (client.is_running(), client.is_connected())
            }
            NodeId::Member(_) | NodeId::Etcdctl => return Ok(()),
        };
        match change {
            LifeChange::Disconnect => refuse(!connected, || format!("{name} is not connected")),
            LifeChange::Connect => {
                refuse(!running, || {
                    format!("{name} has ended; `start {name}` begins it again")
                })?;
                refuse(connected, || format!("{name} is connected"))
            }
            LifeChange::Stop => refuse(!running, || format!("{name} has ended already")),
            LifeChange::Start => {
                refuse(running, || format!("{name} runs"))?;
                let etcdctl = self.client(node);
                let ends_for_good =
                    etcdctl.is_some_and(|c| c.app().is_none() && c.keeps_alive().is_none());
                refuse(ends_for_good, || {
                    format!(
                        "{name} was an `etcdctl watch`, which keeps nothing: \
                         type a new watch instead"
                    )
                })
            }
        }
    }

    /// Does it.
    pub(super) fn change_life(
        &mut self,
        cause: Cause,
        node: NodeId,
        change: LifeChange,
        trace: Trace<'_>,
    ) {
        let told = match change {
            LifeChange::Disconnect => ClientTrace::Disconnected { node },
            LifeChange::Connect => ClientTrace::Connected { node },
            LifeChange::Stop => ClientTrace::Stopped { node },
            LifeChange::Start => ClientTrace::Started { node },
        };
        let cause = self.tell(cause, TraceEvent::Client(told), trace);
        match (node, change) {
            (NodeId::Client(n), LifeChange::Disconnect) => {
                self.with_client(n, cause, trace, |c, _| c.disconnected());
                self.cut(cause, node, trace);
            }
            (NodeId::Client(n), LifeChange::Connect) => {
                self.with_client(n, cause, trace, Client::connected);
            }
            (NodeId::Client(n), LifeChange::Stop) => {
                self.with_client(n, cause, trace, |c, _| c.stop());
                self.cut(cause, node, trace);
            }
            (NodeId::Client(n), LifeChange::Start) => {
                self.with_client(n, cause, trace, Client::start);
            }
            (NodeId::ApiServer(n), LifeChange::Disconnect) => {
                self.cut_streams(cause, node, trace);
                self.with_apiserver(n, cause, trace, |s, now, out| s.disconnected(now, out));
            }
            (NodeId::ApiServer(n), LifeChange::Connect) => {
                self.with_apiserver(n, cause, trace, |s, _, out| s.connected(out));
            }
            (NodeId::ApiServer(n), LifeChange::Stop) => {
                self.cut_streams(cause, node, trace);
                if let Some(server) = self.apiservers.get_mut(&n) {
                    server.stop();
                }
                self.due.retain(|due| due.what.timer_of() != Some(node));
                for client in self.clients_of(node) {
                    self.cut_wires(cause, NodeId::KubeClient(client), node, trace);
                    self.with_kube_client(client, cause, trace, |c, now, out| {
                        c.cut_off(now, out);
                    });
                }
            }
            (NodeId::ApiServer(n), LifeChange::Start) => {
                self.with_apiserver(n, cause, trace, |s, now, out| s.start(now, out));
            }
            (NodeId::KubeClient(n), change) => {
                if matches!(change, LifeChange::Disconnect | LifeChange::Stop) {
                    let server = self.kube_clients[&n].server();
                    self.cut_kube(cause, node, server, trace);
                }
                self.with_kube_client(n, cause, trace, |client, now, out| match change {
                    LifeChange::Disconnect => client.disconnected(now, out),
                    LifeChange::Connect => client.connected(),
                    LifeChange::Stop => client.stop(out),
                    LifeChange::Start => client.start(now, out),
                });
            }
            (NodeId::Member(_) | NodeId::Etcdctl, _) => {}
        }
    }

    /// Breaks a client's connection: what flies is lost, and the member closes its streams.
    fn cut(&mut self, cause: Cause, node: NodeId, trace: Trace<'_>) {
        if let Some(waiting) = self.waiting.get_mut(&node) {
            waiting.retain(|(_, due)| !matches!(due.what, What::Arrive(_)));
        }
        self.cut_streams(cause, node, trace);
    }
}
