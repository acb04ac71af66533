//! What is the matter with a node, in a few words: the same in every picture.

use crate::base::ids::NodeId;
use crate::world::World;

/// What keeps a node from doing its work; empty when nothing does.
pub(super) fn of(world: &World, node: NodeId) -> String {
    if world.is_paused(node) {
        return "paused".into();
    }
    let Some(client) = world.client(node) else {
        return String::new();
    };
    let held = |from, to| world.link(from, to).is_some_and(|link| link.held);
    if !client.is_running() {
        "stopped".into()
    } else if !client.is_connected() {
        "disconnected".into()
    } else if held(NodeId::Etcd, node) || held(node, NodeId::Etcd) {
        "held".into()
    } else if client.per_response().0 > 0 {
        format!("slow {}", client.per_response())
    } else {
        String::new()
    }
}
