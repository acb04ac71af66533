//! The nodes around the members (API servers, the gRPC proxy, and their clients) with their connections, from the state
//! of the world.
//!
//! A watch counts where it is served: in the streams of a member, and in the watches of an API server. The newest
//! request of a connection is one of the newest messages of the run.

use std::collections::BTreeMap;

use crate::apiserver::ReadyState;
use crate::base::ids::NodeId;
use crate::client::kube::client::KubeApp;
use crate::observe::Past;
use crate::view::messages::lanes;
use crate::view::narrate::message::{self, ArrowKind};
use crate::view::node_state;

use super::{ConnectionView, PeerKind, PeerView};

/// The number of newest messages that are searched for the newest request of each connection.
const MESSAGES: usize = 400;
/// The maximum number of similar nodes that the view contains one by one.
const ALIKE_MAX: usize = 3;

/// The direction of a request: the node that sent it, and its server.
type Ends = (NodeId, NodeId);

struct Connections<'a> {
    past: Past<'a>,
    watches: BTreeMap<Ends, u64>,
    asked: BTreeMap<Ends, String>,
}

/// Returns the nodes around the members: API servers first, the terminal last. Empty if only the terminal uses the
/// members.
pub(super) fn peers(past: Past<'_>) -> Vec<PeerView> {
    let world = past.world;
    let is_alone = world.apiservers().next().is_none()
        && world.proxy().is_none()
        && world.clients().next().is_none()
        && world.kube_clients().next().is_none();
    if is_alone {
        return Vec::new();
    }
    let all = Connections::new(past);
    let mut nodes: Vec<(NodeId, PeerView)> = Vec::new();
    for (node, server) in world.apiservers() {
        let ready = server.storages().filter_map(|storage| storage.cacher());
        let ready: Vec<bool> = ready
            .map(|cacher| cacher.ready().state() == ReadyState::Ready)
            .collect();
        let mut to: Vec<NodeId> = server.peers();
        to.retain(|member| *member == server.etcd() || all.watches.contains_key(&(node, *member)));
        nodes.push((
            node,
            PeerView {
                caches: ready.len() as u64,
                caches_ready: ready.iter().filter(|is_ready| **is_ready).count() as u64,
                ..all.peer(node, PeerKind::ApiServer, to)
            },
        ));
    }
    for (node, client) in world.clients() {
        let peer = all.peer(node, PeerKind::EtcdClient, client.members());
        nodes.push((node, peer));
    }
    for (node, client) in world.kube_clients() {
        let to = match client.app() {
            KubeApp::Kubectl => all.asked_by(node),
            _ => vec![client.server()],
        };
        let kubelets = client.kubelets().map(|kubelets| kubelets.spec().nodes);
        let peer = PeerView {
            count: kubelets.unwrap_or(1).into(),
            ..all.peer(node, PeerKind::KubeClient, to)
        };
        nodes.push((node, peer));
    }
    let events = world.member(NodeId::EVENTS_ETCD).is_some();
    let events = events.then_some((NodeId::EVENTS_ETCD, PeerKind::EventsEtcd, Vec::new()));
    let proxy = world.proxy();
    let proxy = proxy.map(|proxy| (NodeId::Proxy, PeerKind::Proxy, vec![proxy.etcd()]));
    let terminal = (
        NodeId::Etcdctl,
        PeerKind::EtcdClient,
        all.asked_by(NodeId::Etcdctl),
    );
    // The terminal stands beside the proxy, because its newest requests can connect it to the proxy and to members.
    for (node, kind, to) in events.into_iter().chain(proxy).chain([terminal]) {
        nodes.push((node, all.peer(node, kind, to)));
    }
    grouped(nodes)
}

impl<'a> Connections<'a> {
    fn new(past: Past<'a>) -> Self {
        let mut watches = BTreeMap::new();
        for (member, etcd) in past.world.etcds() {
            for (key, state) in etcd.watch_streams() {
                let stream = etcd.watchable().stream(state.store);
                let count = stream.map_or(0, |stream| stream.watchers.len() as u64);
                *watches.entry((key.client, member)).or_default() += count;
            }
        }
        for (node, server) in past.world.apiservers() {
            for (_, watch) in server.watches() {
                *watches.entry((watch.client, node)).or_default() += 1;
            }
        }
        let mut newest = BTreeMap::new();
        for message in past.recorded.newest_messages(past.step, MESSAGES) {
            let kind = message::kind(&message);
            let is_request = matches!(kind, ArrowKind::Request | ArrowKind::WatchControl);
            if is_request && !message.from.is_member() {
                newest.insert((message.from, message.to), message);
            }
        }
        let asked = newest.into_iter();
        Self {
            past,
            watches,
            asked: asked
                .map(|(ends, message)| (ends, message::label(past, &message)))
                .collect(),
        }
    }

    /// Returns the servers that received the newest requests of a node.
    fn asked_by(&self, node: NodeId) -> Vec<NodeId> {
        let all = self.asked.keys().filter(|(from, _)| *from == node);
        all.map(|(_, to)| *to).collect()
    }

    fn is_connected(&self, node: NodeId) -> bool {
        let world = self.past.world;
        match node {
            NodeId::Member(_) | NodeId::Etcdctl | NodeId::Proxy => true,
            NodeId::Client(_) => world.client(node).is_some_and(|c| c.is_connected()),
            NodeId::ApiServer(_) => world.apiserver(node).is_some_and(|s| s.is_connected()),
            NodeId::KubeClient(_) => world.kube_client(node).is_some_and(|c| c.is_connected()),
        }
    }

    fn peer(&self, node: NodeId, kind: PeerKind, to: Vec<NodeId>) -> PeerView {
        let world = self.past.world;
        let is_open = |to: NodeId| {
            let is_cut = world.is_cut(node, to) || world.is_cut(to, node);
            self.is_connected(node) && world.is_running(node) && world.is_running(to) && !is_cut
        };
        PeerView {
            name: world.node_name(node),
            kind,
            role: lanes::role(world, node).into(),
            count: 1,
            state: node_state::of(world, node).text(),
            is_running: world.is_running(node) && !world.is_paused(node),
            connections: (to.into_iter())
                .map(|to| ConnectionView {
                    to: world.node_name(to),
                    watches: self.watches.get(&(node, to)).copied().unwrap_or_default(),
                    asked: self.asked.get(&(node, to)).cloned().unwrap_or_default(),
                    is_open: is_open(to),
                })
                .collect(),
            ..PeerView::default()
        }
    }
}

/// Merges nodes of the same role and state with connections to the same servers, if there are too many of them.
fn grouped(nodes: Vec<(NodeId, PeerView)>) -> Vec<PeerView> {
    let mut groups: BTreeMap<_, Vec<PeerView>> = BTreeMap::new();
    for (place, (node, peer)) in nodes.into_iter().enumerate() {
        let to = peer.connections.iter().map(|c| (c.to.clone(), c.is_open));
        let likeness = (
            peer.role.clone(),
            peer.state.clone(),
            to.collect::<Vec<_>>(),
        );
        // API servers are never merged, because their clients are drawn below them.
        let own = matches!(node, NodeId::ApiServer(_)).then_some(place);
        groups
            .entry((peer.kind, own, likeness))
            .or_default()
            .push(peer);
    }
    let mut all = Vec::new();
    for group in groups.into_values() {
        if group.len() <= ALIKE_MAX {
            all.extend(group);
            continue;
        }
        let count = group.iter().map(|peer| peer.count).sum();
        let merged = group.into_iter().reduce(|mut merged, peer| {
            for (sum, one) in merged.connections.iter_mut().zip(peer.connections) {
                sum.watches += one.watches;
                if !one.asked.is_empty() {
                    sum.asked = one.asked;
                }
            }
            merged
        });
        all.extend(merged.map(|merged| PeerView {
            name: String::new(),
            count,
            ..merged
        }));
    }
    all
}
