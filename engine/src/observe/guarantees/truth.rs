//! What was committed, as the trace tells it: every change with the life of its key.
//!
//! Lives and versions are counted again here from the order of puts and deletes, so that a store
//! that counts wrong is found out.

use std::num::NonZeroU32;

use crate::api::{EventKind, KeyValue, Profile};
use crate::base::Bytes;
use crate::base::grow;
use crate::base::ordered::{OrdMap, OrdSet};
use crate::bbolt::Span;
use crate::mvcc::kv_store::NEVER_COMPACTED;
use crate::trace::{ChangeKind, TraceEvent, WatchTrace};

use super::Known;
use crate::observe::stored::StoredChange;

/// Every change, oldest first, and what was compacted.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    profile: Profile,
    changes: Vec<Fact>,
    /// The last change of each key.
    last: OrdMap<Bytes, u32>,
    /// Every revision that a compaction was about, and the greatest of them.
    compactions: OrdSet<i64>,
    compact_rev: i64,
    /// From which revision to which watchers were moved forward without their events, and why.
    passed_over: Vec<(i64, i64, Known)>,
}

/// One change.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// Its revision.
    pub(super) main: i64,
    /// Put or delete.
    pub(super) kind: EventKind,
    /// The key.
    pub(super) key: Bytes,
    value: Span,
    lease: i64,
    /// Where the key's life began and how many puts it has seen; zeros for a delete.
    create: i64,
    version: u32,
    /// The change of this key before it: how many changes there were by then.
    before: Option<NonZeroU32>,
}

impl Truth {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            changes: Vec::new(),
            last: OrdMap::new(),
            compactions: OrdSet::new(),
            compact_rev: NEVER_COMPACTED,
            passed_over: Vec::new(),
        }
    }

    /// Takes note of an event; the number of the change that it tells of, if it does.
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
            TraceEvent::CompactionScheduled { revision } => {
                self.compactions.insert(*revision);
                self.compact_rev = self.compact_rev.max(*revision);
                None
            }
            _ => None,
        }
    }

    /// Takes note of a change that was made before the run, the oldest first; its number.
    pub(super) fn begin_with(&mut self, change: &StoredChange) -> u32 {
        let number = self.changes.len() as u32;
        let before = self.last.insert(change.key.clone(), number);
        let key = before.map_or(&change.key, |b| &self.changes[b as usize].key);
        let fact = Fact {
            main: change.revision.main,
            kind: match change.kind {
                ChangeKind::Delete => EventKind::Delete,
                ChangeKind::Create | ChangeKind::Update => EventKind::Put,
            },
            key: key.clone(),
            value: change.value.clone(),
            lease: change.lease,
            create: change.create_revision,
            version: change.version as u32,
            before: before.and_then(|before| NonZeroU32::new(before + 1)),
        };
        grow::push(&mut self.changes, fact);
        number
    }

    /// The store was compacted at this revision before the run.
    pub(super) fn begin_compacted(&mut self, revision: i64) {
        self.compactions.insert(revision);
        self.compact_rev = revision;
    }

    /// A backup was restored: what came after it was never committed. The number of changes that stay.
    pub(super) fn restored(&mut self, backup: i64, compacted: i64) -> u32 {
        let keep = self.changes.partition_point(|c| c.main <= backup);
        self.changes.truncate(keep);
        self.last = OrdMap::new();
        for (number, change) in (0..).zip(&self.changes) {
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
        let alive = last.filter(|b| b.kind == EventKind::Put);
        let (kind, create, version) = match kind {
            ChangeKind::Delete => (EventKind::Delete, 0, 0),
            ChangeKind::Create | ChangeKind::Update => (
                EventKind::Put,
                alive.map_or(main, |b| b.create),
                alive.map_or(0, |b| b.version) + 1,
            ),
        };
        let fact = Fact {
            main,
            kind,
            // One text for all changes of a key.
            key: last.map_or(key, |last| &last.key).clone(),
            value: Span::from(value.clone()),
            lease,
            create,
            version,
            before: before.and_then(|before| NonZeroU32::new(before + 1)),
        };
        grow::push(&mut self.changes, fact);
        number
    }

    /// A change by its number.
    pub(super) fn fact(&self, number: u32) -> &Fact {
        &self.changes[number as usize]
    }

    /// Every change with its number.
    pub(super) fn facts(&self) -> impl Iterator<Item = (u32, &Fact)> {
        (0..).zip(&self.changes)
    }

    /// The changes of a key at a revision that are of a kind. More than one only when a
    /// transaction changes the same key again, which deletes to the end of the keyspace allow.
    pub(super) fn find<'a>(
        &'a self,
        main: i64,
        key: &'a Bytes,
        kind: EventKind,
    ) -> impl Iterator<Item = u32> + 'a {
        let from = self.changes.partition_point(|c| c.main < main);
        let at = self.changes[from..]
            .iter()
            .take_while(move |c| c.main == main);
        let is_it = move |c: &Fact| c.key == *key && c.kind == kind;
        (from as u32..)
            .zip(at)
            .filter_map(move |(i, c)| is_it(c).then_some(i))
    }

    /// What stood at a change's key one revision before it.
    pub(super) fn before(&self, number: u32) -> Option<&Fact> {
        let change = self.fact(number);
        let mut before = change.before;
        while let Some(b) = before {
            let found = self.fact(b.get() - 1);
            if found.main < change.main {
                return Some(found).filter(|b| b.kind == EventKind::Put);
            }
            before = found.before;
        }
        None
    }

    /// The oldest revision that can be read, or -1.
    pub(super) fn compact_rev(&self) -> i64 {
        self.compact_rev
    }

    /// Whether a compaction was ever about this very revision.
    pub(super) fn was_compacted_at(&self, revision: i64) -> bool {
        self.compactions.contains(&revision)
    }

    /// Why a watcher was moved forward past this revision, if one was.
    pub(super) fn passed_over(&self, revision: i64) -> Option<Known> {
        let mut moves = self.passed_over.iter();
        let found = moves.find(|(from, to, _)| (*from..=*to).contains(&revision));
        found.map(|(.., why)| *why)
    }

    /// Whether the simulated etcd is one that answers progress requests at once.
    pub(super) fn is_hasty(&self) -> bool {
        self.profile == Profile::V3_4
    }

    /// Whether the simulated etcd loses this change to a compaction at its own revision.
    pub(super) fn is_lost(&self, number: u32) -> bool {
        let change = self.fact(number);
        self.profile == Profile::V3_4
            && change.kind == EventKind::Delete
            && self.was_compacted_at(change.main)
    }
}

impl Fact {
    /// The row that an event about this change brings.
    pub(super) fn kv(&self) -> KeyValue {
        KeyValue {
            key: self.key.clone(),
            create_revision: self.create,
            mod_revision: self.main,
            version: self.version.into(),
            value: Bytes::from(&*self.value),
            lease: self.lease,
        }
    }

    /// Whether the key's life begins with it.
    pub(super) fn is_create(&self) -> bool {
        self.kind == EventKind::Put && self.create == self.main && self.version == 1
    }

    /// The change in a few words, e.g. `put /a`.
    pub(super) fn text(&self) -> String {
        let verb = match self.kind {
            EventKind::Put => "put",
            EventKind::Delete => "delete of",
        };
        format!("{verb} {}", self.key)
    }
}
