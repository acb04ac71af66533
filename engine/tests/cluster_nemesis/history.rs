//! The history of a cluster: what the members applied, in the order of the log.
//!
//! The first member that applies an entry determines the changes of the entry; every other member must make the same
//! changes. The guarantees to watches are checked against this common history, whichever member serves a watch.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchglass_engine::api::Profile;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::observe::Guard;
use watchglass_engine::trace::{ChangeKind, ClientTrace, Event, TraceEvent};
use watchglass_engine::world::World;

/// The parts of a change that must be equal on all members.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AppliedChange {
    main: i64,
    sub: i64,
    kind: ChangeKind,
    key: Bytes,
    value: Bytes,
    version: i64,
    lease: i64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Position {
    index: u64,
    /// The number of changes that the member has made so far while it applies the entry.
    changes: usize,
    is_first: bool,
    is_snapshot: bool,
}

pub(super) struct ClusterHistory {
    guard: Guard,
    positions: BTreeMap<NodeId, Position>,
    entries: BTreeMap<u64, Vec<AppliedChange>>,
    /// All changes, by revision and sub-revision.
    known: BTreeMap<(i64, i64), AppliedChange>,
    /// For each key, its values with their revisions, oldest first; a value is `None` if the key was deleted.
    values: BTreeMap<Bytes, Vec<(i64, Option<Bytes>)>>,
    revision: i64,
    watch_events: u64,
    snapshots: u64,
    changes: u64,
}

impl ClusterHistory {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            guard: Guard::new(NodeId::Member(1), profile),
            positions: BTreeMap::new(),
            entries: BTreeMap::new(),
            known: BTreeMap::new(),
            values: BTreeMap::new(),
            revision: 1,
            watch_events: 0,
            snapshots: 0,
            changes: 0,
        }
    }

    pub(super) fn revision(&self) -> i64 {
        self.revision
    }

    pub(super) fn value_at(&self, key: &Bytes, revision: i64) -> Option<&Bytes> {
        let values = self.values.get(key)?;
        let place = values.partition_point(|(at, _)| *at <= revision);
        values[..place].last()?.1.as_ref()
    }

    pub(super) fn changed_at(&self, key: &Bytes, revision: i64) -> bool {
        let values = self.values.get(key);
        values.is_some_and(|values| values.iter().any(|(at, _)| *at == revision))
    }

    pub(super) fn keys_at(&self, revision: i64) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        let keys = self.values.keys();
        keys.filter_map(move |key| Some((key, self.value_at(key, revision)?)))
    }

    pub(super) fn watch_events(&self) -> u64 {
        self.watch_events
    }

    pub(super) fn snapshots(&self) -> u64 {
        self.snapshots
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Records an event.
    ///
    /// # Errors
    /// Returns an error if two members apply different entries at one index, or if a watch's guarantee is broken.
    pub(super) fn observe(&mut self, mut event: Event) -> Result<(), String> {
        let member = event.node.filter(|node| node.is_member());
        let is_first = match (member, &event.what) {
            (Some(member), TraceEvent::Applied { index }) => self.applied(member, *index)?,
            (Some(member), TraceEvent::Changed { .. }) => self.changed(member, &event.what)?,
            (Some(member), TraceEvent::MembersChanged(_)) => {
                let is_first = self.positions[&member].is_first;
                self.changes += u64::from(is_first);
                is_first
            }
            (Some(member), TraceEvent::CompactionScheduled { .. }) => {
                self.positions[&member].is_first
            }
            (Some(member), TraceEvent::SnapshotInstalled { index, .. }) => {
                let entry = self.entries.get(index);
                let changes = entry.ok_or("a snapshot of an unknown entry")?.len();
                let position = Position {
                    index: *index,
                    changes,
                    is_first: false,
                    is_snapshot: true,
                };
                self.positions.insert(member, position);
                self.snapshots += 1;
                true
            }
            _ => true,
        };
        if let TraceEvent::Client(ClientTrace::Received { response, .. }) = &event.what {
            self.watch_events += response.events.len() as u64;
        }
        if is_first {
            event.node = member.map(|_| NodeId::Member(1)).or(event.node);
            self.guard.observe(&event);
        }
        match self.guard.unexplained().next() {
            Some(breach) => Err(format!(
                "{} is broken for {}: {}",
                breach.guarantee, breach.watch, breach.what
            )),
            None => Ok(()),
        }
    }

    /// Records that a member begins to apply an entry. Returns true if no other member has applied this entry before.
    fn applied(&mut self, member: NodeId, index: u64) -> Result<bool, String> {
        let before = self.positions.get(&member).copied().unwrap_or_default();
        if before.index != 0 {
            let expected = self.entries[&before.index].len();
            if before.changes != expected {
                let (index, changes) = (before.index, before.changes);
                return Err(format!(
                    "{member:?} made {changes} of {expected} changes of entry {index}"
                ));
            }
            if before.index + 1 != index {
                return Err(format!(
                    "{member:?} applied entry {index} after entry {}",
                    before.index
                ));
            }
        }
        let is_first = !self.entries.contains_key(&index);
        self.entries.entry(index).or_default();
        let position = Position {
            index,
            changes: 0,
            is_first,
            is_snapshot: false,
        };
        self.positions.insert(member, position);
        Ok(is_first)
    }

    /// Records a change. Returns true if no other member has made this change before.
    fn changed(&mut self, member: NodeId, what: &TraceEvent) -> Result<bool, String> {
        let TraceEvent::Changed {
            main,
            sub,
            kind,
            key,
            value,
            version,
            lease,
            ..
        } = what
        else {
            return Ok(false);
        };
        let change = AppliedChange {
            main: *main,
            sub: *sub,
            kind: *kind,
            key: key.clone(),
            value: value.clone(),
            version: *version,
            lease: *lease,
        };
        let position = self.positions.get_mut(&member);
        let position = position.ok_or("a change without an entry")?;
        if position.is_snapshot {
            return match self.known.get(&(change.main, change.sub)) {
                Some(known) if *known == change => Ok(false),
                known => Err(format!(
                    "a snapshot contains {change:?}, but the members made the change {known:?}"
                )),
            };
        }
        let place = position.changes;
        position.changes += 1;
        let entry = self.entries.entry(position.index).or_default();
        if !position.is_first {
            return match entry.get(place) {
                Some(known) if *known == change => Ok(false),
                known => Err(format!(
                    "entry {} has different results: {known:?}, but on {member:?} {change:?}",
                    position.index
                )),
            };
        }
        self.revision = self.revision.max(change.main);
        let value = (change.kind != ChangeKind::Delete).then(|| change.value.clone());
        let values = self.values.entry(change.key.clone()).or_default();
        values.push((change.main, value));
        self.known.insert((change.main, change.sub), change.clone());
        entry.push(change);
        Ok(true)
    }

    /// Returns the open watches that have not received all events.
    pub(super) fn restless(&self, world: &World) -> Vec<Arc<str>> {
        let live = self.guard.live();
        live.filter(|name| !world.is_settled(name))
            .cloned()
            .collect()
    }

    pub(super) fn finish(&mut self, world: &World) -> Result<(), String> {
        self.guard.finish(world);
        match self.guard.unexplained().next() {
            Some(breach) => Err(format!(
                "{} is broken for {}: {}",
                breach.guarantee, breach.watch, breach.what
            )),
            None => Ok(()),
        }
    }
}
