//! The state of a node. All views use this state.

use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::words::node_state as words;
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeState {
    Normal,
    Paused,
    Stopped,
    /// The node has no connection to its server.
    Disconnected,
    /// A link of the node holds messages.
    Held,
    /// The client is slow: it needs this time for each response.
    Slow(SimDuration),
}

impl NodeState {
    /// Returns the reason why the node does not work normally; empty if the node works normally.
    pub(super) fn text(self) -> String {
        match self {
            Self::Normal => String::new(),
            Self::Paused => words::PAUSED.to_owned(),
            Self::Stopped => words::STOPPED.to_owned(),
            Self::Disconnected => words::DISCONNECTED.to_owned(),
            Self::Held => words::HELD.to_owned(),
            Self::Slow(per_response) => words::slow(per_response),
        }
    }
}

/// Returns the state of a node. A member or the terminal is either paused or normal.
pub(super) fn of(world: &World, node: NodeId) -> NodeState {
    if world.is_paused(node) {
        return NodeState::Paused;
    }
    let (is_running, is_connected, per_response, peer) = match node {
        NodeId::Member(_) | NodeId::Etcdctl => return NodeState::Normal,
        NodeId::Client(_) => match world.client(node) {
            Some(c) => (c.is_running(), c.is_connected(), c.per_response(), c.etcd()),
            None => return NodeState::Normal,
        },
        NodeId::ApiServer(_) => match world.apiserver(node) {
            Some(s) => (s.is_running(), s.is_connected(), SimDuration(0), s.etcd()),
            None => return NodeState::Normal,
        },
        NodeId::KubeClient(_) => match world.kube_client(node) {
            Some(c) => (
                c.is_running(),
                c.is_connected(),
                c.per_response(),
                c.server(),
            ),
            None => return NodeState::Normal,
        },
        NodeId::Proxy => match world.proxy() {
            Some(p) => (p.is_running(), true, SimDuration(0), p.etcd()),
            None => return NodeState::Normal,
        },
    };
    let held = |from, to| world.link(from, to).is_some_and(|link| link.held);
    if !is_running {
        NodeState::Stopped
    } else if !is_connected {
        NodeState::Disconnected
    } else if held(peer, node) || held(node, peer) {
        NodeState::Held
    } else if per_response.0 > 0 {
        NodeState::Slow(per_response)
    } else {
        NodeState::Normal
    }
}
