//! The faults that a test can plant in a leader, see [`planted`](crate::base::planted).

use super::{ConfState, EntryData, RaftId, RaftNode, ReadContext};
use crate::base::planted::PlantedBug;

impl<T: EntryData> RaftNode<T> {
    /// Returns the voters, and the number of them that commits an entry.
    pub(super) fn counted_members(&self) -> (Vec<RaftId>, u32) {
        let first = self.planted_members.as_ref();
        let members = first.unwrap_or(self.members());
        let mut counted = members.voters().to_vec();
        if self.planted.is(PlantedBug::CountsLearners) {
            counted.extend_from_slice(members.learners());
        }
        match self.planted.is(PlantedBug::CommitsBeforeQuorum) {
            true => (counted, 1),
            false => (counted, members.quorum()),
        }
    }

    pub(super) fn remember_members(&mut self, previous: ConfState) {
        if self.planted.is(PlantedBug::CommitsWithOldQuorum) {
            self.planted_members.get_or_insert(previous);
        }
    }

    /// Serves a read without a confirmation. Returns false if the read must be confirmed.
    pub(super) fn serves_unconfirmed(&mut self, read: ReadContext, committed: u64) -> bool {
        let is_planted = self.planted.is(PlantedBug::ReadsUnconfirmed);
        if is_planted {
            self.answer_read(read, committed);
        }
        is_planted
    }

    pub(super) fn changes_twice(&self) -> bool {
        self.planted.is(PlantedBug::ChangesTwice)
    }
}
