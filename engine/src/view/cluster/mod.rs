//! The Cluster view: the members with their logs and revisions, the cut links, the newest linearizable read with the
//! quorum that confirmed it, and the operations of clients with an order that explains them.

pub mod build;
mod connections;
pub mod history;
pub mod inside;

use serde::{Deserialize, Serialize};

/// The maximum number of entries of each log in the view.
pub const ENTRIES_MAX: u64 = 24;
/// The maximum number of operations in the view.
pub const OPERATIONS_MAX: usize = 24;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterQuery {
    /// The key whose operations are shown; `None` for the key of the newest operation.
    pub key: Option<Vec<u8>>,
}

/// The members of a cluster, and the operations of its clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterView {
    pub members: Vec<ClusterMemberView>,
    /// The greatest index of an entry in any member's log.
    pub last_index: u64,
    /// The cut links: the positions of the sender and of the receiver in [`ClusterView::members`].
    pub cuts: Vec<[u32; 2]>,
    /// The newest linearizable read for which the current leader requested the confirmation of a quorum.
    pub read: Option<QuorumReadView>,
    /// The operations of clients on one key.
    pub history: Option<OperationsView>,
    /// The nodes around the members; empty if only the terminal uses the members.
    pub peers: Vec<PeerView>,
}

/// The kind of a node around the members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PeerKind {
    ApiServer,
    Proxy,
    /// A client of etcd, or the terminal.
    #[default]
    EtcdClient,
    /// A second etcd, which stores the events of API servers.
    EventsEtcd,
    /// A client of API servers.
    KubeClient,
}

/// A node around the members, or several similar nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeerView {
    /// The name; empty for several nodes.
    pub name: String,
    pub kind: PeerKind,
    /// The role in a word or two, such as `informer`.
    pub role: String,
    /// The number of nodes, or of the kubelets that one node simulates.
    pub count: u64,
    /// The reason why the node does not work normally, such as `paused`; empty if the node works normally.
    pub state: String,
    /// Whether the process runs and is not paused.
    pub is_running: bool,
    /// The number of caches of an API server.
    pub caches: u64,
    pub caches_ready: u64,
    pub connections: Vec<ConnectionView>,
}

/// The connection of a node to a member, a proxy or an API server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionView {
    pub to: String,
    /// The number of watches that the server serves on this connection.
    pub watches: u64,
    /// The newest request; empty if none of the newest messages is a request.
    pub asked: String,
    /// Whether both processes run and no fault separates them.
    pub is_open: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemberState {
    /// The member follows a leader, or knows no leader.
    #[default]
    Follower,
    /// The member asks the other members whether they would vote for it (pre-vote).
    PreCandidate,
    /// The member is a learner: it receives the log, but does not vote.
    Learner,
    /// The member requests votes.
    Candidate,
    Leader,
    Paused,
    Stopped,
}

/// A member of a cluster, with its role, its log and its store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterMemberView {
    /// The name, such as `etcd-1`.
    pub name: String,
    pub state: MemberState,
    /// Whether the member's disk is full. The process ends at the next commit that needs more pages.
    pub is_disk_full: bool,
    /// The newest term that the member knows.
    pub term: u64,
    /// The position in [`ClusterView::members`] of the leader that the member follows.
    pub leader: Option<u32>,
    /// The last index of the log.
    pub last: u64,
    /// The index of the last entry that the member knows to be committed.
    pub committed: u64,
    /// The index of the last applied entry.
    pub applied: u64,
    pub revision: i64,
    /// The number of reads that wait until a quorum confirms their read index.
    pub reads_for_quorum: u64,
    /// The number of reads that wait until the store has applied their read index.
    pub reads_for_store: u64,
    /// The parts of the member, such as its store and its backend.
    pub inside: MemberInside,
    /// The entries of the log, at most [`ENTRIES_MAX`], up to [`ClusterView::last_index`].
    pub entries: Vec<LogEntryView>,
}

/// The parts of a member: their sizes, and which parts the step at the cursor used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberInside {
    /// The parts that the step at the cursor used.
    pub active: Vec<MemberPart>,
    /// The number of Raft proposals without a result.
    pub pending: u64,
    pub keys: u64,
    /// The size of the database file, in bytes.
    pub db_bytes: u64,
    pub watchers: u64,
    pub leases: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MemberPart {
    /// The gRPC server, which receives requests and sends responses.
    Api,
    Raft,
    /// The loop that applies committed entries.
    Apply,
    /// The store: the key index and the revisions.
    Mvcc,
    /// The database file.
    Backend,
    Watchers,
    Lessor,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogEntryView {
    pub index: u64,
    /// The term of the leader that appended the entry.
    pub term: u64,
    /// The content of the entry in a few words, such as `a=1`.
    pub label: String,
}

/// A linearizable read (ReadIndex). Before the read is served, a quorum must confirm that the leader is still the
/// leader.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuorumReadView {
    /// The position of the leader in [`ClusterView::members`].
    pub leader: u32,
    /// The position of the member that serves the read.
    pub member: u32,
    /// The index that the member's store must reach.
    pub index: u64,
    /// The positions in [`ClusterView::members`] of the members that confirmed the read, until a quorum was complete.
    /// The leader ignores later confirmations.
    pub confirmed_by: Vec<u32>,
    pub is_confirmed: bool,
}

/// The operations of clients on one key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationsView {
    pub key: String,
    /// The time at the cursor, in microseconds.
    pub now_us: u64,
    /// The newest operations in the order of their calls, at most [`OPERATIONS_MAX`].
    pub operations: Vec<OperationView>,
    /// The number of older operations, which are not in `operations`.
    pub older: u64,
    /// The result of the linearizability check of all operations on the key.
    pub verdict: OperationsVerdict,
}

/// The result of the linearizability check of the operations on a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum OperationsVerdict {
    /// The history is linearizable: there is an order of the operations that explains all responses.
    #[default]
    Linearizable,
    /// The history is not linearizable: no order of the operations explains the responses.
    Contradiction,
    /// Unknown, because the check does not support a request that wrote the key, such as a transaction or a put with a
    /// lease.
    WrittenOtherwise,
    /// Unknown, because the key has too many operations, or the check needs too many states.
    TooLarge,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationView {
    pub client: String,
    /// The member that receives the request.
    pub member: String,
    /// The operation with its value, such as `put 2`, `get 1` or `del`.
    pub label: String,
    /// The time at which the client called the operation, in microseconds.
    pub called_us: u64,
    /// The time at which the client received the response, in microseconds.
    pub returned_us: Option<u64>,
    pub is_write: bool,
    pub outcome: OperationOutcome,
    /// The operation's position, counted from 1, in the order of operations that explains all responses.
    pub place: Option<u32>,
    /// Whether the operation is one of the operations that contradict each other.
    pub contradicts: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperationOutcome {
    #[default]
    Done,
    /// The client has not received a response yet.
    Open,
    /// The operation failed with an error. A write may take effect nevertheless.
    Failed,
    /// A serializable read, which may return an old value and is not part of the check.
    Serializable,
}
