//! The links between nodes, and the messages that the links hold.

use std::sync::Arc;

use crate::base::ordered::OrdMap;

use crate::api::Response;
use crate::api::log_entry::LogEntry;
use crate::api::message::{Body, EtcdMessage, KubeMessage};
use crate::base::digest::Sparse;
use crate::base::ids::{MessageId, NodeId};
use crate::base::proto::size;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::{KubeResponse, KubeVerb, KubeWatchEvent};
use crate::raft::RaftPayload;
use crate::sim::network::Link;
use crate::trace::NetTrace;

use super::{FIRST_MEMBER, InFlightMessage};

/// The default delay of a link in one direction: 250 µs, as on a loopback interface, where a put and its response take
/// a third of a millisecond. Responses to etcdctl arrive without delay, so that commands follow one another at a fixed
/// interval.
pub(super) const DELAY: SimDuration = SimDuration(250);

/// The size of the gRPC and HTTP/2 headers of a message, in bytes.
const FRAME_BYTES: u64 = 14;

/// The sizes of the client's and of the server's message of a TLS 1.3 handshake, in bytes. The server's message
/// contains its certificate.
const HELLO_BYTES: (u64, u64) = (500, 2_000);

/// The connection number of a message that a partition loses. No link has this number, so the message never arrives.
const LOST: u32 = u32::MAX;

/// All links. Each direction of a link has its own entry.
#[derive(Clone, Debug, Hash)]
pub(super) struct Network {
    seed: u64,
    links: OrdMap<(NodeId, NodeId), LinkDirection>,
    /// The bandwidth of links for which the user set no bandwidth.
    bandwidth: u64,
    sent: u64,
    /// Whether connections to members begin with a TLS handshake.
    uses_tls: Sparse<bool>,
}

#[derive(Clone, Debug, Hash)]
struct LinkDirection {
    link: Link,
    /// The number of the link's current connection. The number increases when the connection breaks.
    connection: u32,
    /// Whether the link has a bandwidth of its own.
    is_limited: bool,
    is_cut: bool,
    /// The messages that the link holds, each with its size on the link in bytes.
    held: Vec<(InFlightMessage, u64)>,
    /// The additional delay of watch responses, if the user has set one.
    watches: Sparse<Option<Box<WatchLane>>>,
    /// The number of the last connection that began with a TLS handshake.
    secured: Sparse<Option<u32>>,
}

/// The streams of all watches in one connection. A watch response crosses the link and then its stream.
#[derive(Clone, Debug, PartialEq, Hash)]
struct WatchLane {
    link: Link,
    /// The watch responses that wait for the release, each with its size on the link in bytes.
    held: Vec<(InFlightMessage, u64)>,
}

impl Network {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            links: OrdMap::new(),
            bandwidth: 0,
            sent: 0,
            uses_tls: Sparse(false),
        }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Replaces the random numbers of all later messages: their delays, losses and copies.
    pub(super) fn reseed(&mut self, seed: u64) {
        self.seed = seed;
        for wire in self.links.values_mut() {
            wire.link.reseed(seed);
            if let Some(watches) = &mut *wire.watches {
                watches.link.reseed(seed);
            }
        }
    }

    fn wire(&mut self, from: NodeId, to: NodeId) -> &mut LinkDirection {
        let (seed, bandwidth) = (self.seed, self.bandwidth);
        self.links.get_or_insert_with((from, to), || {
            let label = format!("link {} {}", number(from), number(to));
            let delay = if to == NodeId::Etcdctl {
                SimDuration(0)
            } else {
                DELAY
            };
            let mut link = Link::new(delay, Rng::stream(seed, &label));
            link.set_bandwidth(SimTime(0), bandwidth);
            LinkDirection {
                link,
                connection: 0,
                is_limited: false,
                is_cut: false,
                held: Vec::new(),
                watches: Sparse::default(),
                secured: Sparse::default(),
            }
        })
    }

    /// The next message of each existing connection then begins with a handshake, too.
    pub(super) fn set_tls(&mut self, uses_tls: bool) {
        self.uses_tls = Sparse(uses_tls);
    }

    /// Each request of etcdctl has a connection of its own.
    fn needs_handshake(&mut self, from: NodeId, to: NodeId) -> bool {
        if !*self.uses_tls || !to.is_member() {
            return false;
        }
        let wire = self.wire(from, to);
        let connection = Some(wire.connection);
        let is_new = std::mem::replace(&mut *wire.secured, connection) != connection;
        is_new || from == NodeId::Etcdctl
    }

    /// Sends the two messages of a handshake. Returns the time at which the second message arrives.
    fn shake_hands(&mut self, now: SimTime, from: NodeId, to: NodeId) -> SimTime {
        let there = self.link(from, to).pass(now, HELLO_BYTES.0).arrives;
        self.link(to, from).pass(there, HELLO_BYTES.1).arrives
    }

    /// Returns one direction of a link, so that its settings can be changed.
    pub(super) fn link(&mut self, from: NodeId, to: NodeId) -> &mut Link {
        &mut self.wire(from, to).link
    }

    /// Returns the streams of the watches in one direction of a link, so that their settings can be changed.
    pub(super) fn watch_lane(&mut self, from: NodeId, to: NodeId) -> &mut Link {
        let label = format!("watches {} {}", number(from), number(to));
        let rng = Rng::stream(self.seed, &label);
        let lane = self.wire(from, to).watches.get_or_insert_with(|| {
            Box::new(WatchLane {
                link: Link::new(SimDuration(0), rng),
                held: Vec::new(),
            })
        });
        &mut lane.link
    }

    pub(super) fn limit_link(
        &mut self,
        now: SimTime,
        (from, to): (NodeId, NodeId),
        bandwidth: u64,
    ) {
        let wire = self.wire(from, to);
        wire.is_limited = true;
        wire.link.set_bandwidth(now, bandwidth);
    }

    /// Changes the bandwidth of all links for which the user set no bandwidth.
    pub(super) fn limit_bandwidth(&mut self, now: SimTime, bandwidth: u64) {
        self.bandwidth = bandwidth;
        let links: Vec<(NodeId, NodeId)> = self.links.keys().copied().collect();
        for (from, to) in links {
            let wire = self.wire(from, to);
            if !wire.is_limited {
                wire.link.set_bandwidth(now, bandwidth);
            }
        }
    }

    /// Returns one direction of a link; `None` if it has no settings and has carried no messages.
    pub(super) fn get(&self, from: NodeId, to: NodeId) -> Option<&Link> {
        self.links.get(&(from, to)).map(|w| &w.link)
    }

    /// Returns true if messages of this connection can still arrive.
    pub(super) fn is_current(&self, from: NodeId, to: NodeId, connection: u32) -> bool {
        let wire = self.links.get(&(from, to));
        wire.is_some_and(|w| w.connection == connection)
    }

    /// Sends a message. Returns the trace event of the message. If the link does not hold the message, also returns the
    /// arrival time and the message in flight.
    pub(super) fn send(
        &mut self,
        now: SimTime,
        from: NodeId,
        to: NodeId,
        body: Arc<Body>,
    ) -> (NetTrace, Option<(SimTime, InFlightMessage)>) {
        self.sent += 1;
        let message = MessageId(self.sent);
        let window_bytes = payload(&body);
        let bytes = FRAME_BYTES
            + match self.bandwidth {
                0 => window_bytes,
                // On a link with a bandwidth, the values in a range response have their assumed size.
                _ => assumed(&body).unwrap_or(window_bytes),
            };
        let needs_handshake = self.needs_handshake(from, to);
        let now = match needs_handshake {
            true => self.shake_hands(now, from, to),
            false => now,
        };
        let wire = self.wire(from, to);
        let is_lost = wire.is_cut && from.is_member() && to.is_member();
        let flight = InFlightMessage {
            message,
            from,
            to,
            connection: if is_lost { LOST } else { wire.connection },
            bytes: window_bytes,
            body: body.clone(),
            is_after_handshake: Sparse(needs_handshake),
        };
        let mut sent = Sent {
            arrives: None,
            lost: Vec::new(),
            duplicated: false,
        };
        let mut due = None;
        let lane = wire.watches.as_mut().filter(|_| is_watch_response(&body));
        if wire.link.held || wire.is_cut && !is_lost {
            wire.held.push((flight, bytes));
        } else if let Some(lane) = lane.filter(|lane| lane.link.held) {
            lane.held.push((flight, bytes));
        } else {
            let mut passage = wire.link.pass(now, bytes);
            if let Some(lane) = wire.watches.as_mut().filter(|_| is_watch_response(&body)) {
                passage.arrives = lane.link.pass(passage.arrives, 0).arrives;
            }
            sent = Sent {
                arrives: Some(passage.arrives),
                lost: passage.lost,
                duplicated: passage.duplicated,
            };
            due = Some((passage.arrives, flight));
        }
        let event = NetTrace::Sent {
            message,
            from,
            to,
            arrives: sent.arrives,
            lost: sent.lost,
            duplicated: sent.duplicated,
            bytes,
            body,
            is_after_handshake: needs_handshake,
        };
        (event, due)
    }

    /// Cuts one direction of a link. Messages between members are lost, which raft tolerates. All other messages wait,
    /// because TCP retransmits them until the link works again.
    pub(super) fn partition(&mut self, from: NodeId, to: NodeId) {
        let wire = self.wire(from, to);
        wire.is_cut = true;
        if from.is_member() && to.is_member() {
            // In-flight messages are lost, too.
            wire.connection += 1;
        }
    }

    pub(super) fn is_partitioned(&self) -> bool {
        self.links.values().any(|wire| wire.is_cut)
    }

    pub(super) fn is_cut(&self, from: NodeId, to: NodeId) -> bool {
        self.links.get(&(from, to)).is_some_and(|wire| wire.is_cut)
    }

    /// Ends all partitions. Returns the directions whose held messages can continue.
    pub(super) fn heal(&mut self) -> Vec<(NodeId, NodeId)> {
        let cut = self.links.iter().filter(|(_, wire)| wire.is_cut);
        let mut cut: Vec<(NodeId, NodeId)> = cut.map(|(ends, _)| *ends).collect();
        for (from, to) in &cut {
            self.wire(*from, *to).is_cut = false;
        }
        cut.retain(|(from, to)| !self.wire(*from, *to).link.held);
        cut
    }

    pub(super) fn release(
        &mut self,
        now: SimTime,
        from: NodeId,
        to: NodeId,
    ) -> Vec<(SimTime, InFlightMessage)> {
        let wire = self.wire(from, to);
        wire.link.held = false;
        let held = std::mem::take(&mut wire.held);
        held.into_iter()
            .map(|(flight, bytes)| {
                let passage = wire.link.pass(now, bytes);
                (passage.arrives, flight)
            })
            .collect()
    }

    pub(super) fn release_watches(
        &mut self,
        now: SimTime,
        from: NodeId,
        to: NodeId,
    ) -> Vec<(SimTime, InFlightMessage)> {
        self.watch_lane(from, to).held = false;
        let wire = self.wire(from, to);
        let Some(lane) = wire.watches.as_mut() else {
            return Vec::new();
        };
        let held = std::mem::take(&mut lane.held);
        held.into_iter()
            .map(|(flight, bytes)| {
                let crossed = wire.link.pass(now, bytes).arrives;
                (lane.link.pass(crossed, 0).arrives, flight)
            })
            .collect()
    }

    /// Returns the number of bytes that a node has sent and that wait at links. The bytes wait until the link is free,
    /// or until the link releases the held messages.
    pub(super) fn backlog(&self, now: SimTime, from: NodeId) -> u64 {
        let links = self.links.range((from, NodeId::Member(0))..);
        let links = links.take_while(|((sender, _), _)| *sender == from);
        links.map(|(_, wire)| wire.backlog(now)).sum()
    }

    pub(super) fn is_holding(&self, a: NodeId, b: NodeId) -> bool {
        [(a, b), (b, a)]
            .iter()
            .filter_map(|way| self.links.get(way))
            .any(|wire| !wire.held.is_empty() || !wire.held_watches().is_empty())
    }

    /// Breaks the connection between two nodes. Held messages are lost.
    pub(super) fn cut(&mut self, now: SimTime, a: NodeId, b: NodeId) -> Vec<MessageId> {
        let mut lost = Vec::new();
        for (from, to) in [(a, b), (b, a)] {
            let wire = self.wire(from, to);
            wire.connection += 1;
            wire.link.drop_backlog(now);
            lost.extend(wire.held.drain(..).map(|(flight, _)| flight.message));
            if let Some(lane) = wire.watches.as_mut() {
                lane.link.drop_backlog(now);
                lost.extend(lane.held.drain(..).map(|(flight, _)| flight.message));
            }
        }
        lost
    }

    /// Drops the bytes that wait in one direction of a link, because the process of the sender ended.
    pub(super) fn drop_backlog(&mut self, now: SimTime, from: NodeId, to: NodeId) {
        if let Some(wire) = self.links.get_mut(&(from, to)) {
            wire.link.drop_backlog(now);
        }
    }
}

impl LinkDirection {
    fn held_watches(&self) -> &[(InFlightMessage, u64)] {
        self.watches.as_ref().map_or(&[], |lane| &lane.held)
    }

    fn backlog(&self, now: SimTime) -> u64 {
        let held = self.held.iter().chain(self.held_watches());
        let held = held.map(|(_, bytes)| bytes);
        self.link.backlog(now) + held.sum::<u64>()
    }
}

struct Sent {
    arrives: Option<SimTime>,
    lost: Vec<SimTime>,
    duplicated: bool,
}

fn is_watch_response(body: &Body) -> bool {
    match body {
        Body::Etcd(EtcdMessage::WatchAnswer { .. })
        | Body::Kube(KubeMessage::Events { .. } | KubeMessage::End { .. }) => true,
        Body::Etcd(
            EtcdMessage::Call { .. }
            | EtcdMessage::Answer { .. }
            | EtcdMessage::Watch { .. }
            | EtcdMessage::Peer(_)
            | EtcdMessage::PeerRemoved,
        )
        | Body::Kube(KubeMessage::Call { .. } | KubeMessage::Answer { .. }) => false,
    }
}

/// Returns the assumed size of the values in a range response from etcd, in bytes; `None` for other messages.
fn assumed(body: &Body) -> Option<u64> {
    match body {
        Body::Etcd(EtcdMessage::Answer { reply, .. }) => match &**reply {
            Ok(Response::Range(range) | Response::RangeStream(range)) => Some(range.kvs.weight()),
            _ => None,
        },
        _ => None,
    }
}

/// The first member has the number 0, and each kind of node has its own range of numbers.
pub(super) fn number(node: NodeId) -> u64 {
    match node {
        // Older worlds, which had only one member, used 0. The random delays of links depend on this number.
        FIRST_MEMBER => 0,
        NodeId::Member(n) => 4 << 32 | u64::from(n),
        NodeId::Client(n) => u64::from(n),
        NodeId::ApiServer(n) => 1 << 32 | u64::from(n),
        NodeId::KubeClient(n) => 2 << 32 | u64::from(n),
        NodeId::Etcdctl => 3 << 32,
        NodeId::Proxy => 5 << 32,
    }
}

fn entry_bytes(entry: &LogEntry) -> u64 {
    match entry {
        LogEntry::Request(request) => size(&**request),
        LogEntry::UserRequest(request, user) => size(&**request) + user.name.len() as u64,
        LogEntry::Checkpoint(_)
        | LogEntry::Empty
        | LogEntry::MemberChange(_)
        | LogEntry::Publish(_) => 0,
    }
}

/// Returns the size of a message's content in bytes. In responses to calls, only keys and values count. In messages of
/// API servers, only objects count.
fn payload(body: &Body) -> u64 {
    match body {
        Body::Etcd(EtcdMessage::Call { request, .. }) => size(&**request),
        Body::Etcd(EtcdMessage::Answer { reply, .. }) => match &**reply {
            Ok(Response::Range(range) | Response::RangeStream(range)) => range.kvs.bytes(),
            _ => 0,
        },
        Body::Etcd(EtcdMessage::Peer(message)) => match &message.payload {
            RaftPayload::Append { entries, .. } => {
                let contents = entries.iter().flat_map(|entry| &entry.data);
                contents.map(|entry| entry_bytes(&entry.content)).sum()
            }
            RaftPayload::Propose(entry) => entry_bytes(&entry.content),
            _ => 0,
        },
        Body::Etcd(EtcdMessage::PeerRemoved) => 0,
        Body::Etcd(EtcdMessage::Watch { request, .. }) => size(request),
        Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) => size(&**response),
        Body::Kube(KubeMessage::Call { request, .. }) => match &request.verb {
            KubeVerb::Create(object) | KubeVerb::Update { object, .. } => object.size_bytes,
            KubeVerb::Get { .. }
            | KubeVerb::List { .. }
            | KubeVerb::Watch { .. }
            | KubeVerb::Patch { .. }
            | KubeVerb::Delete { .. }
            | KubeVerb::Raw(_) => 0,
        },
        Body::Kube(KubeMessage::Answer { answer, .. }) => match &**answer {
            Ok(KubeResponse::Object(object)) => object.size_bytes,
            Ok(KubeResponse::List(list)) => list.items.iter().map(|o| o.size_bytes).sum(),
            Ok(KubeResponse::WatchBegun | KubeResponse::Text(_)) | Err(_) => 0,
        },
        Body::Kube(KubeMessage::Events { events, .. }) => {
            events.iter().map(KubeWatchEvent::object_bytes).sum()
        }
        Body::Kube(KubeMessage::End { .. }) => 0,
    }
}
