//! The lanes of the Messages view: one row per node. The terminal and the member are at the top. The clients follow in
//! the order of creation, so that a new client does not move existing lanes. If there are many clients, the clients
//! without recent messages share a lane.

use crate::base::ids::NodeId;
use crate::base::ordered::OrdMap;
use crate::client::kube::client::{KubeApp, KubeClient};
use crate::client::kube::controller::Controller;
use crate::observe::Past;
use crate::observe::traffic::Message;
use crate::world::World;

use super::NodeLane;
use crate::view::node_state;
use crate::words::messages as words;

/// The maximum number of clients that have a lane of their own.
const CLIENTS_MAX: usize = 8;

/// The lanes of the view, and the lane of each node.
pub(in crate::view) struct Lanes {
    pub(in crate::view) views: Vec<NodeLane>,
    by_node: OrdMap<NodeId, u32>,
    /// The lane that clients without a lane of their own share.
    others: u32,
}

impl Lanes {
    /// Returns the sender's lane and the receiver's lane.
    pub(in crate::view) fn ends(&self, message: &Message) -> (u32, u32) {
        (self.lane(message.from), self.lane(message.to))
    }

    pub(in crate::view) fn lane(&self, node: NodeId) -> u32 {
        self.by_node.get(&node).copied().unwrap_or(self.others)
    }

    pub(in crate::view) fn nodes(&self) -> impl Iterator<Item = (NodeId, u32)> {
        self.by_node.iter().map(|(node, lane)| (*node, *lane))
    }
}

pub(in crate::view) fn lanes(m: Past<'_>, drawn: &[Message]) -> Lanes {
    let mut views: Vec<NodeLane> = Vec::new();
    let mut add = |view: NodeLane| {
        views.push(view);
        views.len() as u32 - 1
    };
    let etcdctl = add(NodeLane {
        name: "etcdctl".into(),
        role: words::THIS_TERMINAL.into(),
        ..NodeLane::default()
    });
    let mut by_node = OrdMap::from_iter([(NodeId::Etcdctl, etcdctl)]);
    for (node, _) in m.world.etcds() {
        let lane = add(NodeLane {
            name: m.world.node_name(node),
            role: words::MEMBER.into(),
            state: node_state::of(m.world, node).text(),
            clock: clock(m.world, node),
        });
        by_node.insert(node, lane);
    }
    let proxy = m.world.proxy().map(|_| NodeId::Proxy);
    let servers = m.world.apiservers().map(|(node, _)| node);
    for node in proxy.into_iter().chain(servers) {
        let lane = add(NodeLane {
            name: m.world.node_name(node),
            role: role(m.world, node).into(),
            state: node_state::of(m.world, node).text(),
            clock: clock(m.world, node),
        });
        by_node.insert(node, lane);
    }
    let clients = clients(m.world);
    let total = clients.len();
    let busy = busy(drawn, total);
    let mut shown = 0;
    for (node, role) in clients {
        if total > CLIENTS_MAX && !busy.contains(&node) {
            continue;
        }
        let lane = add(NodeLane {
            name: m.world.node_name(node),
            role: role.into(),
            state: node_state::of(m.world, node).text(),
            clock: clock(m.world, node),
        });
        by_node.insert(node, lane);
        shown += 1;
    }
    let more = total - shown;
    let others = match more {
        0 => etcdctl,
        _ => add(NodeLane {
            name: words::others(more),
            role: words::CLIENTS.into(),
            ..NodeLane::default()
        }),
    };
    Lanes {
        views,
        by_node,
        others,
    }
}

/// Returns the clients of etcd and of API servers, each with its role.
fn clients(world: &World) -> Vec<(NodeId, &'static str)> {
    let of_etcd = world.clients().map(|(node, _)| node);
    let of_servers = world.kube_clients().map(|(node, _)| node);
    let all = of_etcd.chain(of_servers);
    all.map(|node| (node, role(world, node))).collect()
}

pub(in crate::view) fn role(world: &World, node: NodeId) -> &'static str {
    let (client, kube_client) = (world.client(node), world.kube_client(node));
    match (node, kube_client.map(KubeClient::app)) {
        (NodeId::Member(_), _) => words::MEMBER,
        (NodeId::ApiServer(_), _) => words::API_SERVER,
        (NodeId::Proxy, _) => words::GRPC_PROXY,
        (_, Some(KubeApp::Informer(_))) => match kube_client.and_then(KubeClient::controller) {
            Some(Controller::Kubelet(_)) => words::KUBELET,
            Some(Controller::StatefulSet(_)) => words::STATEFUL_SET_CONTROLLER,
            None => words::INFORMER,
        },
        (_, Some(KubeApp::Kubelets(_))) => words::KUBELETS,
        (NodeId::Etcdctl, _) | (_, Some(KubeApp::Kubectl)) => words::THIS_TERMINAL,
        (_, Some(KubeApp::Load(_))) => words::LOAD,
        (_, Some(KubeApp::Watch { .. })) => words::WATCHES,
        _ => match client {
            Some(client) if client.app().is_some() => words::LISTS_AND_WATCHES,
            Some(client) if client.poller().is_some() => words::POLLS,
            Some(client) if client.load().is_some() => words::LOAD,
            _ => words::CLIENT,
        },
    }
}

/// Returns the clients that get lanes of their own, because they have the newest messages. Returns an empty list if
/// there are enough lanes for all clients.
fn busy(drawn: &[Message], total: usize) -> Vec<NodeId> {
    let mut busy = Vec::new();
    if total <= CLIENTS_MAX {
        return busy;
    }
    for message in drawn.iter().rev() {
        for node in [message.from, message.to] {
            let is_client = matches!(node, NodeId::Client(_) | NodeId::KubeClient(_));
            if is_client && !busy.contains(&node) && busy.len() + 1 < CLIENTS_MAX {
                busy.push(node);
            }
        }
    }
    busy
}

/// Describes the error of a node's clock. The description is empty if the clock is correct.
fn clock(world: &World, node: NodeId) -> String {
    let clock = world.clock(node);
    words::clock(clock.offset_us, clock.drift_ppm)
}
