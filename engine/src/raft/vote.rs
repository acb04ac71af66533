//! The votes of an election, and the size of a quorum (`quorum/majority.go`).

use std::collections::BTreeMap;

use super::{ConfState, RaftId};

/// The result of an election after some or all votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteResult {
    Pending,
    /// The candidate won: a quorum granted its votes.
    Won,
    /// The candidate lost: no quorum can grant its votes any more.
    Lost,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VoteTally {
    votes: BTreeMap<RaftId, bool>,
}

impl VoteTally {
    /// Records a vote. A second vote of the same member does not count.
    pub(super) fn record(&mut self, voter: RaftId, granted: bool) {
        self.votes.entry(voter).or_insert(granted);
    }

    /// Returns the result of an election among these members. Only the votes of voters count.
    ///
    /// ```
    /// use watchglass_engine::raft::ConfState;
    /// use watchglass_engine::raft::vote::{VoteResult, VoteTally};
    /// let members = ConfState::of_voters(vec![1, 2, 3]);
    /// assert_eq!(VoteTally::default().result(&members), VoteResult::Pending);
    /// ```
    pub fn result(&self, members: &ConfState) -> VoteResult {
        let vote = |voter| self.votes.get(&voter).copied();
        if members.is_quorum(|voter| vote(voter) == Some(true)) {
            VoteResult::Won
        } else if !members.is_quorum(|voter| vote(voter) != Some(false)) {
            VoteResult::Lost
        } else {
            VoteResult::Pending
        }
    }
}

/// Returns the size of a majority.
///
/// ```
/// use watchglass_engine::raft::vote::quorum;
/// assert_eq!([1, 2, 3, 4, 5].map(quorum), [1, 2, 2, 3, 3]);
/// ```
pub fn quorum(voters: u32) -> u32 {
    voters / 2 + 1
}
