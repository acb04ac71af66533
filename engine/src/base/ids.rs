//! Identifiers of nodes, messages, calls and streams.

/// A node of the simulation: a program that sends and receives messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeId {
    /// A member of the etcd cluster, numbered from 1.
    Member(u32),
    /// The terminal in which the user types `etcdctl` commands.
    Etcdctl,
    /// A client of etcd, numbered from 1.
    Client(u32),
    /// An API server, numbered from 1.
    ApiServer(u32),
    /// A client of API servers, numbered from 1.
    KubeClient(u32),
    /// A gRPC proxy in front of a member.
    Proxy,
}

impl NodeId {
    /// The single member of a second etcd, which stores the events of API servers (`--etcd-servers-overrides`). The
    /// second etcd has its own revisions, and its member does not belong to the cluster of the first etcd.
    pub const EVENTS_ETCD: Self = Self::Member(u32::MAX);

    pub fn is_member(self) -> bool {
        matches!(self, Self::Member(_))
    }
}

/// The number of a message, unique in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u64);

/// The origin of a call: the node that made the call, and the number that this node gave to the call.
///
/// ```
/// use watchglass_engine::base::ids::{Caller, NodeId};
/// let first = Caller { node: NodeId::Etcdctl, call: 1 };
/// assert_ne!(first, Caller { node: NodeId::Client(1), ..first });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller {
    pub node: NodeId,
    /// The number that the caller gave to the call.
    pub call: u64,
}

/// The identity of a gRPC stream: the client that opened the stream, and the client's number for the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey {
    pub client: NodeId,
    /// The number that the client gave to the stream.
    pub stream: u32,
}
