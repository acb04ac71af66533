//! Numbers of nodes and of what travels between them.

/// A node of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeId {
    /// A member of etcd's cluster, by its number, from 1.
    Member(u32),
    /// The terminal behind which `etcdctl` is typed.
    Etcdctl,
    /// A client of etcd, by its number, from 1.
    Client(u32),
    /// An API server, by its number, from 1.
    ApiServer(u32),
    /// A client of API servers, by its number, from 1.
    KubeClient(u32),
}

impl NodeId {
    /// Whether it is a member of etcd's cluster.
    pub fn is_member(self) -> bool {
        matches!(self, Self::Member(_))
    }
}

/// A message, unique in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u64);

/// A call that was sent to a node: whom the answer goes to, and the caller's own number for it.
///
/// ```
/// use watchglass_engine::base::ids::{Caller, NodeId};
/// let first = Caller { node: NodeId::Etcdctl, call: 1 };
/// assert_ne!(first, Caller { node: NodeId::Client(1), ..first });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller {
    /// The calling node.
    pub node: NodeId,
    /// The number that the caller gave to the call.
    pub call: u64,
}

/// A gRPC stream, by the client that opened it and the client's own count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey {
    /// The client that opened the stream.
    pub client: NodeId,
    /// The number of the stream at the client.
    pub stream: u32,
}
