//! The part of a raft node that survives a crash: the written entries and the hard state (`wal/wal.go`).
//!
//! Left out: the files (segments) of the log, and the encoding of its records.

use crate::base::ordered::OrdMap;

use super::{HardState, LogMark, LoggedEntry, RaftReady};

/// The write-ahead log of a member: its written entries and its hard state. A copy shares the entries with the
/// original.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WriteAheadLog<T> {
    hard_state: HardState,
    start: LogMark,
    entries: OrdMap<u64, LoggedEntry<T>>,
}

impl<T> Default for WriteAheadLog<T> {
    fn default() -> Self {
        Self {
            hard_state: HardState::default(),
            start: LogMark::default(),
            entries: OrdMap::new(),
        }
    }
}

impl<T: Clone> WriteAheadLog<T> {
    /// Creates the log of a new cluster, which starts with `count` committed and applied entries of the term `term`.
    pub fn bootstrapped(term: u64, count: u64) -> Self {
        Self {
            hard_state: HardState {
                term,
                vote: None,
                commit: count,
            },
            start: LogMark { term, index: count },
            entries: OrdMap::new(),
        }
    }

    /// Writes the snapshot position, entries and hard state of a [`RaftReady`].
    pub fn save(&mut self, ready: &RaftReady<T>) {
        if let Some(mark) = ready.snapshot {
            self.start = mark;
            self.entries = OrdMap::new();
        }
        if let Some(first) = ready.entries.first() {
            while let Some((last, _)) = self.entries.get_max()
                && *last >= first.index
            {
                let last = *last;
                self.entries.remove(&last);
            }
        }
        for entry in &ready.entries {
            self.entries.insert(entry.index, entry.clone());
        }
        if let Some(hard_state) = ready.hard_state {
            self.hard_state = hard_state;
        }
    }

    /// Removes all entries up to `index`. The stored state of the member must contain these entries.
    pub fn compact(&mut self, index: u64) {
        let Some(entry) = self.entries.get(&index) else {
            return;
        };
        self.start = entry.mark();
        while let Some((first, _)) = self.entries.get_min()
            && *first <= index
        {
            let first = *first;
            self.entries.remove(&first);
        }
    }

    pub fn hard_state(&self) -> HardState {
        self.hard_state
    }

    pub fn start(&self) -> LogMark {
        self.start
    }

    /// Returns the entries of the log as a map from index to entry.
    pub fn entries(&self) -> &OrdMap<u64, LoggedEntry<T>> {
        &self.entries
    }
}
