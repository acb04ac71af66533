//! The votes of an election, and the size of a quorum (`quorum/majority.go`).

use std::collections::BTreeMap;

use super::RaftId;

/// The result of an election after some or all votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteResult {
    /// The election is undecided until more votes arrive.
    Pending,
    /// The candidate won: a quorum granted its votes.
    Won,
    /// The candidate lost: no quorum can grant its votes any more.
    Lost,
}

/// The votes that a candidate has received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VoteTally {
    votes: BTreeMap<RaftId, bool>,
}

impl VoteTally {
    /// Records a vote. A second vote of the same member does not count.
    pub(super) fn record(&mut self, voter: RaftId, granted: bool) {
        self.votes.entry(voter).or_insert(granted);
    }

    /// Returns the result of an election with this number of voters.
    ///
    /// ```
    /// use watchglass_engine::raft::vote::{VoteResult, VoteTally};
    /// assert_eq!(VoteTally::default().result(3), VoteResult::Pending);
    /// ```
    pub fn result(&self, voters: u32) -> VoteResult {
        let count =
            |wanted: bool| self.votes.values().filter(|vote| **vote == wanted).count() as u32;
        if count(true) >= quorum(voters) {
            VoteResult::Won
        } else if count(false) > voters - quorum(voters) {
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
