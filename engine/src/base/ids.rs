//! Numbers of nodes and of what travels between them.

/// A node of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeId {
    /// A member of etcd's cluster, by its number, from 1.
    Member(u32),
    /// The terminal behind which `etcdctl` is typed.
    Etcdctl,
    /// A client of the member, by its number, from 1.
    Client(u32),
    /// An API server, by its number, from 1.
    ApiServer(u32),
    /// A client of API servers, by its number, from 1.
    KubeClient(u32),
}

impl NodeId {
    /// The member that everybody asks while there is no other.
    pub const FIRST_MEMBER: Self = Self::Member(1);
}

/// A message, unique in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u64);

/// A gRPC stream, by the client that opened it and the client's own count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey {
    /// Who opened it.
    pub client: NodeId,
    /// Which of its streams.
    pub stream: u32,
}
