//! Linearizable reads without a log entry: ReadIndex (`read_only.go`, mode `ReadOnlySafe`).
//!
//! When a read begins, the leader records its commit index, and sends heartbeats to check that it is still the leader.
//! If a quorum replies, no other leader had committed newer entries when the read began.

use std::collections::{BTreeSet, VecDeque};

use super::{ConfState, RaftId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadContext {
    pub member: RaftId,
    /// The number that the member gave to the read. A member never uses a number twice, not even after a restart.
    pub number: u64,
}

/// A confirmed read: the member serves the read when its state contains the entry at `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadState {
    pub number: u64,
    /// The commit index of the leader when it received the read.
    pub index: u64,
}

/// The reads for which a leader waits for a quorum, in order of arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct PendingReads {
    reads: VecDeque<PendingRead>,
    confirmed: Option<PendingRead>,
}

/// A pending read. The leader has not yet received the replies of a quorum, which confirm that this node is still the
/// leader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PendingRead {
    pub context: ReadContext,
    /// The commit index of the leader when it received the read.
    pub index: u64,
    /// The members that replied to a heartbeat that contained this read.
    pub confirmed_by: BTreeSet<RaftId>,
}

impl PendingReads {
    /// Adds a read with its commit index, unless the read is already pending.
    pub(super) fn add(&mut self, context: ReadContext, index: u64) {
        if self.reads.iter().all(|read| read.context != context) {
            self.reads.push_back(PendingRead {
                context,
                index,
                confirmed_by: BTreeSet::new(),
            });
        }
    }

    /// Returns the newest read, and whether a quorum has confirmed it.
    pub(super) fn last(&self) -> Option<(&PendingRead, bool)> {
        let pending = self.reads.back().map(|read| (read, false));
        pending.or_else(|| self.confirmed.as_ref().map(|read| (read, true)))
    }

    /// Returns the newest pending read. Its confirmation confirms all earlier reads.
    pub(super) fn newest(&self) -> Option<ReadContext> {
        self.reads.back().map(|read| read.context)
    }

    /// Records that a member replied to a heartbeat that contained this read. Returns the confirmed reads with their
    /// indexes.
    pub(super) fn confirm(
        &mut self,
        context: ReadContext,
        by: RaftId,
        members: &ConfState,
    ) -> Vec<(ReadContext, u64)> {
        let place = self.reads.iter().position(|read| read.context == context);
        let Some(place) = place else {
            return Vec::new();
        };
        let confirmed_by = &mut self.reads[place].confirmed_by;
        confirmed_by.insert(by);
        if !members.is_quorum(|voter| confirmed_by.contains(&voter)) {
            return Vec::new();
        }
        let confirmed: Vec<PendingRead> = self.reads.drain(..=place).collect();
        self.confirmed = confirmed.last().cloned();
        let confirmed = confirmed.into_iter();
        confirmed.map(|read| (read.context, read.index)).collect()
    }
}
