//! The messages between raft nodes (`raftpb.Message`). Each kind of message has exactly the fields that it needs.

use super::{LogMark, LoggedEntry, RaftId, ReadContext};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RaftMessage<T> {
    pub from: RaftId,
    pub to: RaftId,
    /// The term of the sender. A request for a pre-vote, and the reply that grants it, have the next term. Forwarded
    /// requests have term 0, because they are valid in any term.
    pub term: u64,
    pub payload: RaftPayload<T>,
}

/// The content of a message. The name of the message in etcd's raft library is in parentheses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RaftPayload<T> {
    /// A candidate asks for a vote (`MsgVote`, `MsgPreVote`).
    Vote {
        last: LogMark,
        pre: bool,
        /// Whether the election is a leader transfer. In a leader transfer, voters accept the candidate even while they
        /// hear from their leader.
        transfer: bool,
    },
    /// The reply to a candidate (`MsgVoteResp`, `MsgPreVoteResp`).
    VoteReply { pre: bool, granted: bool },
    /// The leader sends entries to a follower (`MsgApp`).
    Append {
        /// The position of the entry before the first sent entry.
        previous: LogMark,
        /// The entries; empty if the message only probes or only announces the commit index.
        entries: Vec<LoggedEntry<T>>,
        commit: u64,
    },
    /// The follower has accepted entries or a snapshot: its log equals the leader's log up to `index` (`MsgAppResp`).
    Appended { index: u64 },
    /// The follower has rejected entries, because its log does not contain the entry before the sent entries
    /// (`MsgAppResp` with `Reject`).
    AppendRejected {
        /// The index of the entry before the sent entries.
        index: u64,
        /// The position of the last entry in the follower's log that the leader's log may also contain.
        hint: LogMark,
    },
    /// A message that shows that the leader is alive (`MsgHeartbeat`).
    Heartbeat {
        /// The smaller of the leader's commit index and the index of the last entry that the follower has acknowledged.
        commit: u64,
        /// The newest pending read. The reply confirms this read and all earlier reads.
        read: Option<ReadContext>,
    },
    /// The reply to a heartbeat (`MsgHeartbeatResp`).
    HeartbeatReply { read: Option<ReadContext> },
    /// The position of the leader's state, for a follower that needs compacted entries (`MsgSnap`). The leader's member
    /// sends the state with this message. If the state is newer than the position in the message, the leader's member
    /// replaces the position in the message with the position of the state.
    Snapshot(LogMark),
    /// The leader asks a follower to take over (`MsgTimeoutNow`).
    TimeoutNow,
    /// A proposal that a follower forwards to the leader (`MsgProp`).
    Propose(T),
    /// A read that a follower forwards to the leader (`MsgReadIndex`).
    ReadIndex(ReadContext),
    /// The leader's reply to a forwarded read: the commit index of the read (`MsgReadIndexResp`).
    ReadIndexReply {
        read: ReadContext,
        /// The index that the follower's state must reach before the follower serves the read.
        index: u64,
    },
    /// A request for a leader transfer that a follower forwards to the leader (`MsgTransferLeader`).
    TransferLeader { to: RaftId },
}

impl<T> RaftPayload<T> {
    /// Returns true if the message is valid in any term.
    pub(super) fn is_forwarded(&self) -> bool {
        matches!(
            self,
            Self::Propose(_) | Self::ReadIndex(_) | Self::TransferLeader { .. }
        )
    }

    /// Returns true if the message must wait for a sync: before the sender sends the message, the sender's disk must
    /// contain the vote that the message grants or the entries that the message acknowledges.
    pub(super) fn is_promise(&self) -> bool {
        matches!(self, Self::VoteReply { .. } | Self::Appended { .. })
    }

    pub(super) fn is_from_leader(&self) -> bool {
        matches!(
            self,
            Self::Append { .. } | Self::Heartbeat { .. } | Self::Snapshot(_)
        )
    }
}
