//! The members of a cluster, and the entries that change them (`confchange/confchange.go`, `raftpb.ConfState`).
//!
//! An entry changes at most one member. A node uses the new members as soon as it applies the entry, and a leader
//! appends no second change before it has applied the first one. So the quorums before and after each change have a
//! member in common. Left out: joint consensus, with which one entry changes several members. etcd never uses it.

use crate::base::digest::Sparse;

use super::RaftId;
use super::vote::quorum;

pub trait EntryData: Clone {
    /// Returns true if the entry changes the members of the cluster (`EntryConfChange`).
    fn changes_members(&self) -> bool;
}

impl EntryData for &str {
    fn changes_members(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConfChange {
    /// Adds a voter, or makes a learner a voter (`ConfChangeAddNode`).
    AddNode(RaftId),
    AddLearnerNode(RaftId),
    RemoveNode(RaftId),
}

/// The members of a cluster.
///
/// ```
/// use watchglass_engine::raft::{ConfChange, ConfState};
/// let state = ConfState::of_voters(vec![1, 2, 3]).after(ConfChange::AddLearnerNode(4));
/// assert_eq!((state.voters(), state.learners()), (&[1, 2, 3][..], &[4][..]));
/// let state = state.after(ConfChange::AddNode(4)).after(ConfChange::RemoveNode(1));
/// assert_eq!((state.voters(), state.learners()), (&[2, 3, 4][..], &[][..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfState {
    voters: Vec<RaftId>,
    learners: Sparse<Vec<RaftId>>,
}

impl ConfState {
    /// Creates a state without learners. The voters must be sorted.
    pub fn of_voters(voters: Vec<RaftId>) -> Self {
        Self {
            voters,
            learners: Sparse::default(),
        }
    }

    /// Returns the voters, sorted. Only voters count for a quorum.
    pub fn voters(&self) -> &[RaftId] {
        &self.voters
    }

    /// Returns the learners, sorted. A learner receives the log, but does not count for a quorum and never becomes a
    /// candidate.
    pub fn learners(&self) -> &[RaftId] {
        &self.learners
    }

    pub fn is_voter(&self, member: RaftId) -> bool {
        self.voters.contains(&member)
    }

    /// Returns all members, sorted.
    pub fn members(&self) -> Vec<RaftId> {
        let mut members = [self.voters(), self.learners()].concat();
        members.sort_unstable();
        members
    }

    /// Returns true if more than half of the voters satisfy a condition.
    pub fn is_quorum(&self, has_agreed: impl Fn(RaftId) -> bool) -> bool {
        let agreed = self.voters.iter().filter(|voter| has_agreed(**voter));
        agreed.count() as u32 >= self.quorum()
    }

    pub fn quorum(&self) -> u32 {
        quorum(self.voters.len() as u32)
    }

    #[must_use]
    pub fn after(mut self, change: ConfChange) -> Self {
        let (ConfChange::AddNode(member)
        | ConfChange::AddLearnerNode(member)
        | ConfChange::RemoveNode(member)) = change;
        self.voters.retain(|voter| *voter != member);
        self.learners.retain(|learner| *learner != member);
        let members = match change {
            ConfChange::AddNode(_) => &mut self.voters,
            ConfChange::AddLearnerNode(_) => &mut *self.learners,
            ConfChange::RemoveNode(_) => return self,
        };
        members.push(member);
        members.sort_unstable();
        self
    }
}
