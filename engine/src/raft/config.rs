//! The configuration of a raft node (`raft.Config`, with the values that etcd sets in `bootstrap.go`).

use super::ConfState;

/// The number that identifies a member in its cluster. A number is never used for a second member.
pub type RaftId = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RaftConfig {
    pub id: RaftId,
    /// The members of the cluster when the node starts. Applied entries change the members of the node.
    pub members: ConfState,
    /// The election timeout, in ticks (`--election-timeout` divided by `--heartbeat-interval`). Each node adds a random
    /// number of ticks that is less than this timeout.
    pub election_ticks: u32,
    pub heartbeat_ticks: u32,
    /// Whether a node asks for votes before it increases its term (`--pre-vote`). The default is off in etcd 3.4, and
    /// on in 3.5 and later.
    pub pre_vote: bool,
    /// Whether CheckQuorum is on. With CheckQuorum, a leader steps down if no quorum replies during an election
    /// timeout, and a node ignores candidates while it hears from its leader.
    pub check_quorum: bool,
    /// The maximum number of entries in a message, and the maximum number of committed entries in a
    /// [`RaftReady`](super::RaftReady). etcd limits the number of bytes instead (`maxSizePerMsg`).
    pub entries_per_message: u32,
    /// The maximum number of unacknowledged messages with entries that the leader sends to one follower
    /// (`maxInflightMsgs`).
    pub messages_in_flight: u32,
}

impl RaftConfig {
    /// Creates the configuration of etcd 3.4 for a member of a cluster with these voters.
    pub fn new(id: RaftId, voters: Vec<RaftId>) -> Self {
        Self {
            id,
            members: ConfState::of_voters(voters),
            election_ticks: 10,
            heartbeat_ticks: 1,
            pre_vote: false,
            check_quorum: true,
            entries_per_message: 512,
            messages_in_flight: 512,
        }
    }
}
