//! The work that a raft node passes to its member (`Ready` in `node.go`).

use super::{HardState, LogMark, LoggedEntry, RaftId, RaftMessage, RaftRole, ReadState};

/// The soft state of a node: its role, and the leader that it knows. Unlike the hard state, the soft state is not
/// stored on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SoftState {
    pub leader: Option<RaftId>,
    pub role: RaftRole,
}

/// The work for a member. The member
///
/// 1. sends `messages`,
/// 2. stores `snapshot`, `entries` and `hard_state`, and syncs them if `must_sync` is true,
/// 3. sends `messages_after_sync`, applies the snapshot and then `committed` to its state,
/// 4. calls [`RaftNode::advance`](super::RaftNode::advance).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RaftReady<T> {
    /// The role and the leader; `None` if neither has changed.
    pub soft_state: Option<SoftState>,
    /// The hard state; `None` if it has not changed.
    pub hard_state: Option<HardState>,
    /// The position of a received snapshot that replaces the log and the state.
    pub snapshot: Option<LogMark>,
    /// The entries to write. The first entry replaces all stored entries from its index on.
    pub entries: Vec<LoggedEntry<T>>,
    /// Whether a sync is necessary. No sync is necessary if only the commit index has changed.
    pub must_sync: bool,
    /// The messages that do not wait for the sync. Only a leader has such messages: it replicates entries while its own
    /// disk writes them.
    pub messages: Vec<RaftMessage<T>>,
    /// The messages that wait for the sync, such as votes and acknowledgements.
    pub messages_after_sync: Vec<RaftMessage<T>>,
    /// The committed entries to apply, in order. All of them are already synced.
    pub committed: Vec<LoggedEntry<T>>,
    /// The linearizable reads that a quorum has confirmed.
    pub read_states: Vec<ReadState>,
}
