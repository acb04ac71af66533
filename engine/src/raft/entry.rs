//! Entries of the log, positions in the log, and the state that a member stores together with its log.

use super::{EntryData, RaftId};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoggedEntry<T> {
    /// The term of the leader that appended the entry.
    pub term: u64,
    /// The position in the log, from 1.
    pub index: u64,
    /// The proposed data; `None` in the empty entry that each leader appends first.
    pub data: Option<T>,
}

impl<T> LoggedEntry<T> {
    pub fn mark(&self) -> LogMark {
        LogMark {
            term: self.term,
            index: self.index,
        }
    }
}

impl<T: EntryData> LoggedEntry<T> {
    pub fn changes_members(&self) -> bool {
        self.data.as_ref().is_some_and(EntryData::changes_members)
    }
}

/// A position in a log: an index, and the term of the entry at that index. If two logs contain the same position, they
/// are equal up to that position. Positions are ordered by term, then by index: a voter refuses a candidate whose last
/// position is smaller than the voter's own last position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogMark {
    /// The term of the entry; 0 before the first entry.
    pub term: u64,
    /// The index of the entry; 0 before the first entry.
    pub index: u64,
}

/// The state that a member stores together with its log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HardState {
    pub term: u64,
    /// The candidate that the member voted for in this term; `None` if the member has not voted.
    pub vote: Option<RaftId>,
    /// The index of the last entry that the member knows to be committed.
    pub commit: u64,
}
