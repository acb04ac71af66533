//! The state of a node in a few words. All views use this text.

use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::world::World;

/// Returns the reason why a node does not work normally; empty if the node works normally.
pub(super) fn of(world: &World, node: NodeId) -> String {
    if world.is_paused(node) {
        return "paused".into();
    }
    let (is_running, is_connected, per_response, peer) = match node {
        NodeId::Member(_) | NodeId::Etcdctl => return String::new(),
        NodeId::Client(_) => match world.client(node) {
            Some(c) => (c.is_running(), c.is_connected(), c.per_response(), c.etcd()),
            None => return String::new(),
        },
        NodeId::ApiServer(_) => match world.apiserver(node) {
            Some(s) => (s.is_running(), s.is_connected(), SimDuration(0), s.etcd()),
            None => return String::new(),
        },
        NodeId::KubeClient(_) => match world.kube_client(node) {
            Some(c) => (
                c.is_running(),
                c.is_connected(),
                c.per_response(),
                c.server(),
            ),
            None => return String::new(),
        },
    };
    let held = |from, to| world.link(from, to).is_some_and(|link| link.held);
    if !is_running {
        "stopped".into()
    } else if !is_connected {
        "disconnected".into()
    } else if held(peer, node) || held(node, peer) {
        "held".into()
    } else if per_response.0 > 0 {
        format!("slow {per_response}")
    } else {
        String::new()
    }
}
