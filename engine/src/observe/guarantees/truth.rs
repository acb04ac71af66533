//! The committed changes according to the trace, each with the generation of its key.
//!
//! This module counts generations and versions independently of the store, from the order of puts and deletes, so that
//! the checkers notice if the store counts wrongly.

use std::num::NonZeroU32;

use crate::api::{Difference, EventKind, KeyValue, Profile};
use crate::base::Bytes;
use crate::base::ordered::{OrdMap, OrdSet};
use crate::base::shared_list::SharedList;
use crate::bbolt::Span;
use crate::mvcc::kv_store::NEVER_COMPACTED;
use crate::trace::{ChangeKind, TraceEvent, WatchTrace};

use super::Known;
use crate::observe::stored::StoredChange;
use crate::words::guarantees as words;

/// The committed changes, oldest first, and the compactions of a run. A change is identified by its number, which is
/// its index in the list of changes.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    profile: Profile,
    changes: SharedList<Fact>,
    /// The number of the last committed change of each key.
    last: OrdMap<Bytes, u32>,
    /// The lease of each change that has a lease, by the number of the change.
    leases: OrdMap<u32, i64>,
    compactions: OrdSet<i64>,
    compact_rev: i64,
    /// Ranges of revisions that watchers skipped because of a bug: the first revision, the last revision and the bug.
    passed_over: Vec<(i64, i64, Known)>,
    /// Whether a member installed a snapshot of its leader.
    has_snapshot: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) main: i64,
    pub(super) key: Bytes,
    value: Span,
    /// The create revision of the generation; 0 only for a delete.
    create: i64,
    version: u32,
    /// The number of the key's previous change, plus 1; `None` if the key has no previous change.
    before: Option<NonZeroU32>,
}

/// A committed row, as the trace reported it.
#[derive(Clone, Copy, Debug)]
pub struct CommittedRow<'a> {
    pub key: &'a [u8],
    pub revision: i64,
    pub value: &'a [u8],
}

/// A committed change of a key, with the rows before and after it; a missing row is `None`.
#[derive(Clone, Copy, Debug)]
pub struct CommittedChange<'a> {
    pub revision: i64,
    pub key: &'a [u8],
    /// The row one revision earlier.
    pub before: Option<CommittedRow<'a>>,
    pub after: Option<CommittedRow<'a>>,
}

impl Truth {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            changes: SharedList::default(),
            last: OrdMap::new(),
            leases: OrdMap::new(),
            compactions: OrdSet::new(),
            compact_rev: NEVER_COMPACTED,
            passed_over: Vec::new(),
            has_snapshot: false,
        }
    }

    /// Records an event. Returns the number of the change if the event reports a change.
    pub(super) fn observe(&mut self, what: &TraceEvent) -> Option<u32> {
        match what {
            TraceEvent::Changed {
                main,
                kind,
                key,
                value,
                lease,
                ..
            } => Some(self.changed(*main, *kind, key, value, *lease)),
            TraceEvent::Watch(WatchTrace::PassedOver { wanted, to, .. }) => {
                self.passed_over.push((*wanted, *to, Known::PassedOver));
                None
            }
            TraceEvent::Watch(WatchTrace::Swept { from, to, .. }) if *from < 0 => {
                self.passed_over.push((*from, *to, Known::NegativeStart));
                None
            }
            TraceEvent::SnapshotInstalled { .. } => {
                self.has_snapshot = true;
                None
            }
            TraceEvent::CompactionScheduled { revision } => {
                self.compactions.insert(*revision);
                self.compact_rev = self.compact_rev.max(*revision);
                None
            }
            _ => None,
        }
    }

    /// Records a change made before the run and returns its number. The caller passes the oldest change first.
    pub(super) fn begin_with(&mut self, change: &StoredChange) -> u32 {
        let number = self.changes.len() as u32;
        let before = self.last.insert(change.key.clone(), number);
        let key = before.map_or(&change.key, |b| &self.changes[b as usize].key);
        let fact = Fact {
            main: change.revision.main,
            key: key.clone(),
            value: change.value.clone(),
            create: change.create_revision,
            version: change.version as u32,
            before: before.and_then(|before| NonZeroU32::new(before + 1)),
        };
        self.changes.push(fact);
        self.note_lease(number, change.lease);
        number
    }

    /// Sets the revision at which the store was compacted before the run.
    pub(super) fn begin_compacted(&mut self, revision: i64) {
        self.compactions.insert(revision);
        self.compact_rev = revision;
    }

    /// Removes the changes that a restored backup does not contain. Returns the number of remaining changes.
    pub(super) fn restored(&mut self, backup: i64, compacted: i64) -> u32 {
        let keep = self.changes.partition_point(|c| c.main <= backup);
        self.changes = self.changes.first(keep);
        self.leases = self
            .leases
            .iter()
            .filter(|(number, _)| (**number as usize) < keep)
            .map(|(n, lease)| (*n, *lease))
            .collect();
        self.last = OrdMap::new();
        for (number, change) in (0..).zip(self.changes.iter()) {
            self.last.insert(change.key.clone(), number);
        }
        self.compact_rev = compacted;
        if compacted > backup {
            self.compactions.insert(compacted);
        }
        keep as u32
    }

    fn changed(
        &mut self,
        main: i64,
        kind: ChangeKind,
        key: &Bytes,
        value: &Bytes,
        lease: i64,
    ) -> u32 {
        let number = self.changes.len() as u32;
        let before = self.last.insert(key.clone(), number);
        let last = before.map(|b| &self.changes[b as usize]);
        let alive = last.filter(|b| b.kind() == EventKind::Put);
        let (create, version) = match kind {
            ChangeKind::Delete => (0, 0),
            ChangeKind::Create | ChangeKind::Update => (
                alive.map_or(main, |b| b.create),
                alive.map_or(0, |b| b.version) + 1,
            ),
        };
        let fact = Fact {
            main,
            // All changes of a key share the bytes of the key.
            key: last.map_or(key, |last| &last.key).clone(),
            value: Span::from(value.clone()),
            create,
            version,
            before: before.and_then(|before| NonZeroU32::new(before + 1)),
        };
        self.changes.push(fact);
        self.note_lease(number, lease);
        number
    }

    fn note_lease(&mut self, number: u32, lease: i64) {
        if lease != 0 {
            self.leases.insert(number, lease);
        }
    }

    pub(super) fn fact(&self, number: u32) -> &Fact {
        &self.changes[number as usize]
    }

    /// Returns all changes, each with its number.
    pub(super) fn facts(&self) -> impl Iterator<Item = (u32, &Fact)> {
        (0..).zip(self.changes.iter())
    }

    /// Returns the numbers of a key's changes of one kind at one revision. There are several such changes only if a
    /// transaction changes the key more than once. etcd accepts such a transaction only if the transaction contains a
    /// delete of all keys up to the end of the keyspace.
    pub(super) fn find<'a>(
        &'a self,
        main: i64,
        key: &'a Bytes,
        kind: EventKind,
    ) -> impl Iterator<Item = u32> + 'a {
        let from = self.changes.partition_point(|c| c.main < main);
        let later = self.changes.range(from..self.changes.len());
        let at = later.take_while(move |c| c.main == main);
        let is_it = move |c: &Fact| c.key == *key && c.kind() == kind;
        (from as u32..)
            .zip(at)
            .filter_map(move |(i, c)| is_it(c).then_some(i))
    }

    /// Returns the key-value pair of a change, as in an event.
    pub(super) fn kv(&self, number: u32) -> KeyValue {
        let fact = self.fact(number);
        KeyValue {
            key: fact.key.clone(),
            create_revision: fact.create,
            mod_revision: fact.main,
            version: fact.version.into(),
            value: Bytes::from(&*fact.value),
            lease: self.leases.get(&number).copied().unwrap_or_default(),
        }
    }

    /// The put that a change replaced or deleted; `None` if the key did not exist one revision earlier.
    pub(super) fn before(&self, number: u32) -> Option<u32> {
        let change = self.fact(number);
        let mut before = change.before;
        while let Some(b) = before {
            let number = b.get() - 1;
            let found = self.fact(number);
            if found.main < change.main {
                return (found.kind() == EventKind::Put).then_some(number);
            }
            before = found.before;
        }
        None
    }

    /// Returns the newest revision with a change, or 0 if there is no change.
    pub(super) fn revision(&self) -> i64 {
        self.changes.last().map_or(0, |change| change.main)
    }

    /// Returns the rows of a key prefix at a revision, in the order of their keys.
    pub(super) fn rows_at<'a>(
        &'a self,
        prefix: &'a [u8],
        revision: i64,
    ) -> impl Iterator<Item = CommittedRow<'a>> {
        let keys = self.last.range(Bytes::from(prefix.to_vec())..);
        let inside = keys.take_while(move |(key, _)| key.starts_with(prefix));
        inside.filter_map(move |(_, last)| {
            let mut fact = self.fact(*last);
            while fact.main > revision {
                fact = self.fact(fact.before?.get() - 1);
            }
            fact.row()
        })
    }

    /// Returns all changes after a revision, oldest first.
    pub(super) fn changes_after(&self, revision: i64) -> impl Iterator<Item = CommittedChange<'_>> {
        let from = self.changes.partition_point(|c| c.main <= revision);
        let later = (from as u32..).zip(self.changes.range(from..self.changes.len()));
        later.map(|(number, fact)| CommittedChange {
            revision: fact.main,
            key: &fact.key,
            before: self.before(number).and_then(|put| self.fact(put).row()),
            after: fact.row(),
        })
    }

    /// Returns the oldest revision that can be read, or -1 if there was no compaction.
    pub(super) fn compact_rev(&self) -> i64 {
        self.compact_rev
    }

    /// Returns true if there was a compaction at exactly this revision.
    pub(super) fn was_compacted_at(&self, revision: i64) -> bool {
        self.compactions.contains(&revision)
    }

    /// Returns the bug that made a watcher skip this revision, if any.
    pub(super) fn passed_over(&self, revision: i64) -> Option<Known> {
        let mut moves = self.passed_over.iter();
        let found = moves.find(|(from, to, _)| (*from..=*to).contains(&revision));
        found.map(|(.., why)| *why)
    }

    /// Returns true if the simulated etcd responds to a progress request immediately, even if events are still in
    /// flight.
    pub(super) fn is_hasty(&self) -> bool {
        !self.profile.has(Difference::OrdersProgress)
    }

    /// Returns true if the client library resumes at the revision of the last progress notification.
    pub(super) fn resumes_at_progress(&self) -> bool {
        !self.profile.has(Difference::ResumesAfterProgress)
    }

    pub(super) fn has_snapshot(&self) -> bool {
        self.has_snapshot
    }

    /// Returns true if a snapshot of the leader may have caused watches to receive events from before their start.
    pub(super) fn lowers_starts(&self) -> bool {
        !self.profile.has(Difference::KeepsFutureStart) && self.has_snapshot
    }

    /// Returns true if the simulated etcd lost this delete in a compaction at the delete's own revision.
    pub(super) fn is_lost(&self, number: u32) -> bool {
        let change = self.fact(number);
        !self.profile.has(Difference::KeepsCompactedTombstone)
            && change.kind() == EventKind::Delete
            && self.was_compacted_at(change.main)
    }
}

impl Fact {
    /// Returns the row that the change wrote; `None` for a delete.
    fn row(&self) -> Option<CommittedRow<'_>> {
        (self.kind() == EventKind::Put).then(|| CommittedRow {
            key: &self.key,
            revision: self.main,
            value: &self.value,
        })
    }

    pub(super) fn kind(&self) -> EventKind {
        match self.version {
            0 => EventKind::Delete,
            _ => EventKind::Put,
        }
    }

    /// Returns true if the change starts a generation of its key.
    pub(super) fn is_create(&self) -> bool {
        self.kind() == EventKind::Put && self.create == self.main && self.version == 1
    }

    /// Returns the change in a few words, e.g. `put /a`.
    pub(super) fn text(&self) -> String {
        match self.kind() {
            EventKind::Put => words::put(&self.key),
            EventKind::Delete => words::delete(&self.key),
        }
    }

    /// Returns the change with its revision, e.g. `revision 7 (put /a)`.
    pub(super) fn name(&self) -> String {
        words::at_revision(self.main, &self.text())
    }
}
