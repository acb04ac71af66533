//! The entries of the raft log (`InternalRaftRequest`).

use std::sync::Arc;

use crate::raft::{EntryData, RaftMessage};

use super::{ListedMember, Request};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogEntry {
    /// A request that may change the state of the member.
    Request(Arc<Request>),
    /// A checkpoint: the ids of leases, each with the lease's remaining seconds.
    Checkpoint(Vec<(i64, i64)>),
    /// An entry that a member proposes when it starts. The entry has no effect in the simulator.
    Empty,
    /// A request of a user, while authentication is enabled.
    UserRequest(Arc<Request>, EntryUser),
    /// A change of the membership (`raftpb.ConfChange`).
    MemberChange(Arc<MemberChange>),
    /// The attributes of a member that has started: its id, its name and its client URLs (`ClusterMemberAttrSet`).
    Publish(Arc<ListedMember>),
}

/// The user in the header of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryUser {
    pub name: Arc<str>,
    /// The auth revision at which the member read the token of the request.
    pub auth_revision: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemberChange {
    Add(ListedMember),
    Remove {
        id: u64,
    },
    /// Changes the peer URLs of a member.
    Update {
        id: u64,
        peer_urls: Vec<String>,
    },
    /// Makes a learner a voter.
    Promote {
        id: u64,
    },
}

/// An entry that a member proposed to its cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClusterEntry {
    /// The number of the proposal, which is unique in the cluster.
    pub id: u64,
    pub content: LogEntry,
}

pub type PeerMessage = RaftMessage<Arc<ClusterEntry>>;

impl EntryData for Arc<ClusterEntry> {
    fn changes_members(&self) -> bool {
        matches!(self.content, LogEntry::MemberChange(_))
    }
}
