//! The log of a raft node (`log.go` and `log_unstable.go`): its entries, and the indexes up to which they are synced,
//! committed and delivered.

use crate::base::ordered::OrdMap;

use super::{LogMark, LoggedEntry, WriteAheadLog};

/// The log of a raft node. A copy shares the entries with the original.
///
/// ```text
///  start          delivered      stable    committed       last
///    |  entries ……… | ……………………… | ……………… | …………………………… |
/// ```
///
/// `stable` can also be greater than `committed`.
#[derive(Clone, Debug, Hash)]
pub struct RaftLog<T> {
    /// The position of the last entry that compaction removed.
    start: LogMark,
    entries: OrdMap<u64, LoggedEntry<T>>,
    /// The index of the last entry that is known to be synced.
    stable: u64,
    committed: u64,
    delivered: u64,
}

impl<T: Clone> RaftLog<T> {
    /// Creates the log of a member that starts with these written entries. `applied` is the index of the last entry
    /// that the member's state contains.
    ///
    /// # Panics
    /// Panics if the state contains entries that the log does not have, or does not contain all compacted entries.
    pub(super) fn restore(wal: &WriteAheadLog<T>, applied: u64) -> Self {
        let (start, entries) = (wal.start(), wal.entries().clone());
        let last = entries.get_max().map_or(start.index, |(index, _)| *index);
        assert!(
            start.index <= applied && applied <= last,
            "a member's state at {applied} needs a log from {} to {last}",
            start.index
        );
        Self {
            start,
            entries,
            stable: last,
            committed: wal.hard_state().commit.clamp(applied, last),
            delivered: applied,
        }
    }

    /// Returns the position of the last compacted entry.
    pub fn start(&self) -> LogMark {
        self.start
    }

    pub fn last(&self) -> LogMark {
        let last = self.entries.get_max();
        last.map_or(self.start, |(_, entry)| entry.mark())
    }

    pub fn committed(&self) -> u64 {
        self.committed
    }

    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Returns the index of the last synced entry.
    pub fn stable(&self) -> u64 {
        self.stable
    }

    pub fn after(&self, from: u64) -> impl DoubleEndedIterator<Item = &LoggedEntry<T>> {
        self.entries.range(from + 1..).map(|(_, entry)| entry)
    }

    /// Returns the term of the entry at an index; `None` if the entry is compacted or does not exist.
    pub fn term(&self, index: u64) -> Option<u64> {
        if index == self.start.index {
            return Some(self.start.term);
        }
        self.entries.get(&index).map(|entry| entry.term)
    }

    pub fn contains(&self, mark: LogMark) -> bool {
        self.term(mark.index) == Some(mark.term)
    }

    pub(super) fn batch(&self, from: u64, count: u32) -> Vec<LoggedEntry<T>> {
        self.after(from).take(count as usize).cloned().collect()
    }

    /// Appends entries after the entry at `previous`. Removes existing entries that conflict with the new entries.
    /// Returns the index of the last new entry, or `None` if the log does not contain `previous`.
    ///
    /// # Panics
    /// Panics if a committed entry conflicts with a new entry.
    pub(super) fn append_after(
        &mut self,
        previous: LogMark,
        entries: Vec<LoggedEntry<T>>,
    ) -> Option<u64> {
        if !self.contains(previous) {
            return None;
        }
        let last_new = previous.index + entries.len() as u64;
        for entry in entries {
            // An append removes later entries only if one of its entries is new. An old message can contain fewer
            // entries than the log.
            if !self.contains(entry.mark()) {
                self.truncate(entry.index);
                self.entries.insert(entry.index, entry);
            }
        }
        Some(last_new)
    }

    pub(super) fn push(&mut self, term: u64, data: Option<T>) {
        let index = self.last().index + 1;
        self.entries
            .insert(index, LoggedEntry { term, index, data });
    }

    /// Removes the entry at index `from` and all entries after it.
    fn truncate(&mut self, from: u64) {
        if self.last().index < from {
            return;
        }
        assert!(
            from > self.committed,
            "entry {from} conflicts, but {} entries are committed",
            self.committed
        );
        while let Some((last, _)) = self.entries.get_max()
            && *last >= from
        {
            let last = *last;
            self.entries.remove(&last);
        }
        self.stable = self.stable.min(from - 1);
    }

    /// Returns the last position at or before `index` whose term is at most `term`. If the search reaches an entry
    /// whose term is unknown because the entry is compacted, returns its index with term 0.
    pub(super) fn find_conflict_by_term(&self, index: u64, term: u64) -> LogMark {
        let mut index = index.min(self.last().index);
        loop {
            match self.term(index) {
                Some(own) if own > term => index -= 1,
                own => {
                    return LogMark {
                        term: own.unwrap_or(0),
                        index,
                    };
                }
            }
        }
    }

    /// Marks all entries up to `index` as committed.
    ///
    /// # Panics
    /// Panics if the last entry is before `index`.
    pub(super) fn commit_to(&mut self, index: u64) {
        assert!(
            index <= self.last().index,
            "commit {index} of a log that ends at {}",
            self.last().index
        );
        self.committed = self.committed.max(index);
    }

    /// Marks all entries up to a position as synced, unless another entry has replaced the entry at this position.
    pub(super) fn stable_to(&mut self, mark: LogMark) {
        if self.contains(mark) {
            self.stable = self.stable.max(mark.index);
        }
    }

    /// Returns the next entries for the member to apply: at most `count` entries that are committed and synced.
    pub(super) fn deliver(&mut self, count: u32) -> Vec<LoggedEntry<T>> {
        let until = self.deliverable();
        let mut entries = self.batch(self.delivered, count);
        entries.retain(|entry| entry.index <= until);
        if let Some(last) = entries.last() {
            self.delivered = last.index;
        }
        entries
    }

    pub(super) fn deliverable(&self) -> u64 {
        self.committed.min(self.stable)
    }

    /// Removes all entries up to `index`. The member's state must contain these entries.
    ///
    /// # Panics
    /// Panics if one of these entries was not delivered to the member.
    pub(super) fn compact(&mut self, index: u64) {
        assert!(
            index <= self.delivered,
            "entry {index} is not in the member's state"
        );
        let Some(term) = self.term(index) else {
            return;
        };
        self.start = LogMark { term, index };
        while let Some((first, _)) = self.entries.get_min()
            && *first <= index
        {
            let first = *first;
            self.entries.remove(&first);
        }
    }

    /// Removes all entries. The log then starts after the position of a snapshot.
    pub(super) fn install(&mut self, mark: LogMark) {
        *self = Self {
            start: mark,
            entries: OrdMap::new(),
            stable: mark.index,
            committed: mark.index,
            delivered: mark.index,
        };
    }
}
