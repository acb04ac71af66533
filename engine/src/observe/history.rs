//! All changes that one member wrote during a run, including changes that its store has compacted.
//!
//! The history is built from the trace alone. A compaction removes changes from the store, but the page's diagrams
//! still show the positions of these changes.

use std::fmt;

use crate::base::Bytes;
use crate::base::bytes::{KeyRange, escape};
use crate::base::grow;
use crate::base::ids::NodeId;
use crate::base::ordered::OrdMap;
use crate::base::shared_list::SharedList;
use crate::mvcc::Revision;
use crate::trace::{ChangeKind, Event, LeaseTrace, TraceEvent};

use super::stored::StoredChange;

/// The maximum number of bytes in a label.
const LABEL_BYTES: usize = 23;

/// The history of a member. There is one lane for each key, and the lane contains all changes of the key. The lanes are
/// in the order of the first changes of their keys.
#[derive(Clone, Debug)]
pub struct History {
    member: NodeId,
    lanes: Vec<LaneHistory>,
    by_key: OrdMap<Bytes, u32>,
    /// The revisions that changed more than one key, and the number of changes at each of these revisions.
    wide: OrdMap<i64, u32>,
    /// All changes in the order of the run. Each entry contains the number of a lane, and the position of the change in
    /// this lane.
    order: SharedList<(u32, u32)>,
    /// The key ranges that were read, oldest first, each with its step; `None` is a read of a single key. Consecutive
    /// reads of the same range share one entry, and so do consecutive reads of single keys.
    ranges_read: SharedList<(u64, Option<KeyRange>)>,
    /// The leases that ended, oldest first.
    lease_ends: SharedList<LeaseEnd>,
    /// The end of a lease, until the history records the first delete of a key of this lease.
    ending: Option<LeaseEnd>,
    /// For each crash or restore that undid changes: its step, and the history before it. Oldest first.
    taken_back: Vec<(u64, History)>,
}

/// A lane: the changes of one key, oldest first.
#[derive(Clone, Debug)]
pub struct LaneHistory {
    pub key: Bytes,
    /// The changes of the key, oldest first.
    pub changes: Vec<PastChange>,
}

#[derive(Clone, Debug)]
pub struct PastChange {
    /// The main revision, which all changes of a transaction share.
    pub main: i64,
    /// The sub-revision: the number of the change inside the transaction.
    pub sub: u32,
    pub step: u64,
    pub kind: ChangeKind,
    /// The number of the key's generation; 0 for the first generation in the run.
    pub life: u32,
    /// The number of changes in the generation up to and including this change.
    pub life_ver: u32,
    /// The version of the key after the change.
    pub version: u32,
    pub label: Label,
}

#[derive(Clone, Debug)]
pub struct LeaseEnd {
    pub id: i64,
    pub step: u64,
    /// The revision that deleted the keys of the lease; `None` if no key was attached.
    pub main: Option<i64>,
    /// True if the lease expired; false if a client revoked the lease.
    pub expired: bool,
}

impl History {
    pub fn of(member: NodeId) -> Self {
        Self {
            member,
            lanes: Vec::new(),
            by_key: OrdMap::new(),
            wide: OrdMap::new(),
            order: SharedList::default(),
            ranges_read: SharedList::default(),
            lease_ends: SharedList::default(),
            ending: None,
            taken_back: Vec::new(),
        }
    }

    /// Records an event, if it happened on this member.
    pub fn observe(&mut self, event: &Event) {
        if event.node != Some(self.member) {
            return;
        }
        match &event.what {
            TraceEvent::Changed {
                main,
                sub,
                kind,
                key,
                value,
                version,
                generation_ver,
                ..
            } => {
                if let Some(end) = self.ending.take() {
                    let main = Some(*main);
                    self.lease_ends.push(LeaseEnd { main, ..end });
                }
                let at = self.lane_of(key);
                let lane = &mut self.lanes[at as usize];
                self.order.push((at, lane.changes.len() as u32));
                let life = match (kind, lane.changes.last()) {
                    (_, None) => 0,
                    (ChangeKind::Create, Some(last)) => last.life + 1,
                    (_, Some(last)) => last.life,
                };
                let change = PastChange {
                    main: *main,
                    sub: *sub as u32,
                    step: event.step,
                    kind: *kind,
                    life,
                    life_ver: *generation_ver as u32,
                    version: *version as u32,
                    label: Label::of(value),
                };
                grow::push(&mut lane.changes, change);
            }
            TraceEvent::Committed { revision, changes } if *changes > 1 => {
                self.wide.insert(*revision, *changes);
            }
            TraceEvent::Read { range, .. } => self.read(event.step, range),
            TraceEvent::Lease(LeaseTrace::Revoked { id, keys, expired }) => {
                let end = LeaseEnd {
                    id: *id,
                    step: event.step,
                    main: None,
                    expired: *expired,
                };
                match keys {
                    0 => self.lease_ends.push(end),
                    _ => self.ending = Some(end),
                }
            }
            TraceEvent::Restored { backup, .. } => self.take_back(event.step, *backup),
            _ => {}
        }
    }

    fn read(&mut self, step: u64, range: &KeyRange) {
        let range = match range {
            KeyRange::One(_) => None,
            range => Some(range),
        };
        let last = self.ranges_read.last();
        if last.and_then(|(_, last)| last.as_ref()) != range {
            self.ranges_read.push((step, range.cloned()));
        }
    }

    /// Records a change made before the run. The caller passes the oldest change first.
    pub fn begin_with(&mut self, change: &StoredChange) {
        let Revision { main, sub } = change.revision;
        let at = self.lane_of(&change.key);
        if let Some((last, _)) = self.order.last() {
            let last = &self.lanes[*last as usize].changes;
            if last.last().is_some_and(|last| last.main == main) {
                *self.wide.get_or_insert_with(main, || 1) += 1;
            }
        }
        let lane = &mut self.lanes[at as usize];
        self.order.push((at, lane.changes.len() as u32));
        let (life, life_ver) = match (change.kind, lane.changes.last()) {
            (ChangeKind::Delete, Some(last)) => (last.life, last.life_ver + 1),
            (ChangeKind::Delete, None) => (0, 1),
            (ChangeKind::Create, Some(last)) => (last.life + 1, 1),
            (_, last) => (last.map_or(0, |last| last.life), change.version as u32),
        };
        let change = PastChange {
            main,
            sub: sub as u32,
            step: 0,
            kind: change.kind,
            life,
            life_ver,
            version: change.version as u32,
            label: Label::of(&change.value),
        };
        grow::push(&mut lane.changes, change);
    }

    /// Returns the history that was valid at a step. For a step before a crash or a restore that undid changes, this is
    /// the history before that crash or restore.
    pub fn at(&self, step: u64) -> &History {
        let earlier = self.taken_back.iter().find(|(by, _)| step < *by);
        earlier.map_or(self, |(_, history)| history)
    }

    /// Removes the changes after a revision, because a crash or a restore undid these changes.
    fn take_back(&mut self, step: u64, revision: i64) {
        let taken_back = std::mem::take(&mut self.taken_back);
        let before = self.clone();
        self.taken_back = taken_back;
        self.taken_back.push((step, before));
        for lane in &mut self.lanes {
            lane.changes.retain(|change| change.main <= revision);
        }
        // Lanes are numbered without gaps, so lanes without changes are removed.
        let kept: Vec<LaneHistory> = std::mem::take(&mut self.lanes);
        let mut order = Vec::new();
        self.by_key = OrdMap::new();
        for lane in kept.into_iter().filter(|lane| !lane.changes.is_empty()) {
            let at = self.lane_of(&lane.key);
            let places = (0..).zip(&lane.changes);
            order.extend(places.map(|(place, c)| (c.main, c.sub, at, place)));
            self.lanes[at as usize] = lane;
        }
        order.sort_unstable();
        let places = order.into_iter();
        self.order = places.map(|(_, _, at, place)| (at, place)).collect();
        let wide = std::mem::take(&mut self.wide);
        for (rev, changes) in wide.iter().filter(|(rev, _)| **rev <= revision) {
            self.wide.insert(*rev, *changes);
        }
    }

    fn lane_of(&mut self, key: &Bytes) -> u32 {
        let next = self.lanes.len() as u32;
        let i = *self.by_key.get_or_insert_with(key.clone(), || next);
        if i == next {
            let lane = LaneHistory {
                key: key.clone(),
                // Most keys of a large store have one change.
                changes: Vec::with_capacity(1),
            };
            grow::push(&mut self.lanes, lane);
        }
        i
    }

    /// Returns the lanes of the keys that were first changed in `step` or before.
    pub fn lanes_at(&self, step: u64) -> &[LaneHistory] {
        let n = self.lanes.partition_point(|l| l.changes[0].step <= step);
        &self.lanes[..n]
    }

    /// Returns the numbers of the lanes that contain a change by the end of `step`, in key order.
    pub fn numbers_by_key(&self, step: u64) -> impl Iterator<Item = u32> {
        let count = self.lanes_at(step).len() as u32;
        let numbers = self.by_key.values().copied();
        numbers.filter(move |number| *number < count)
    }

    /// Returns, for each change from revision `from` to `to`, the number of its lane, newest first. Omits changes after
    /// `step`.
    pub fn changed_lanes(&self, from: i64, to: i64, step: u64) -> impl Iterator<Item = u32> {
        let is_before = |at: &(u32, u32)| self.change_at(*at).1.main < from;
        let is_until = |at: &(u32, u32)| {
            let change = self.change_at(*at).1;
            change.main <= to && change.step <= step
        };
        let first = self.order.partition_point(is_before);
        let end = self.order.partition_point(is_until).max(first);
        self.order.range(first..end).rev().map(|(lane, _)| *lane)
    }

    /// Returns the key range of the last read in `step` or before; `None` if it was a read of a single key.
    pub fn last_range_read(&self, step: u64) -> Option<&KeyRange> {
        let end = self.ranges_read.partition_point(|(at, _)| *at <= step);
        let (_, range) = self.ranges_read.get(end.checked_sub(1)?)?;
        range.as_ref()
    }

    /// Returns the ends of leases that happened after `step`, oldest first.
    pub fn lease_ends_after(&self, step: u64) -> impl Iterator<Item = &LeaseEnd> {
        let from = self.lease_ends.partition_point(|end| end.step <= step);
        self.lease_ends.range(from..self.lease_ends.len())
    }

    /// Returns the lease whose end caused the change; `None` if a request caused the change.
    pub fn lease_that_ended(&self, change: &PastChange) -> Option<i64> {
        let mut ends = self.lease_ends_after(change.step.checked_sub(1)?);
        let end = ends.find(|end| end.step > change.step || end.main == Some(change.main))?;
        (end.main == Some(change.main)).then_some(end.id)
    }

    pub fn lane(&self, key: &Bytes) -> Option<&LaneHistory> {
        self.by_key.get(key).map(|i| &self.lanes[*i as usize])
    }

    /// Returns the lanes of the keys in a range, in key order.
    pub fn lanes_in<'a>(&'a self, range: &'a KeyRange) -> impl Iterator<Item = &'a LaneHistory> {
        let from = self.by_key.range(range.start()..);
        let inside = from.take_while(|(key, _)| range.contains(key));
        inside.map(|(_, i)| &self.lanes[*i as usize])
    }

    /// Returns all changes from a revision on, each with its key, oldest first.
    pub fn changes_from(&self, main: i64) -> impl Iterator<Item = (&Bytes, &PastChange)> {
        let from = self
            .order
            .partition_point(|at| self.change_at(*at).1.main < main);
        let all = self.order.range(from..self.order.len());
        all.map(|at| self.change_at(*at))
    }

    /// Returns the revisions committed in `step` or before, newest first, each with the number of its step.
    pub fn revisions_by(&self, step: u64) -> impl Iterator<Item = (i64, u64)> {
        let is_by = |at: &(u32, u32)| self.change_at(*at).1.step <= step;
        let end = self.order.partition_point(is_by);
        let changes = self
            .order
            .range(0..end)
            .rev()
            .map(|at| self.change_at(*at).1);
        let mut newer = None;
        changes.filter_map(move |change| {
            let is_another = newer.replace(change.main) != Some(change.main);
            is_another.then_some((change.main, change.step))
        })
    }

    fn change_at(&self, (lane, place): (u32, u32)) -> (&Bytes, &PastChange) {
        let lane = &self.lanes[lane as usize];
        (&lane.key, &lane.changes[place as usize])
    }

    /// Returns the revisions from `from` to `to` that changed more than one key.
    pub fn wide_revisions(&self, from: i64, to: i64) -> impl Iterator<Item = i64> {
        let from = from.min(to);
        self.wide.range(from..=to).map(|(rev, _)| *rev)
    }
}

impl LaneHistory {
    /// Returns the changes that were made in `step` or before.
    pub fn changes_at(&self, step: u64) -> &[PastChange] {
        &self.changes[..self.changes.partition_point(|c| c.step <= step)]
    }
}

impl PastChange {
    pub fn revision(&self) -> Revision {
        Revision::new(self.main, self.sub.into())
    }
}

/// Returns the kind and the name of a Kubernetes object, such as `Pod web-1`; `None` for any other value. The encodings
/// of all objects begin with the same bytes, so a label with the first bytes would be the same for all objects.
fn object_label(value: &[u8]) -> Option<Vec<u8>> {
    let upto_quote = |text: &[u8]| text.iter().position(|byte| *byte == b'"');
    let rest = value.strip_prefix(b"{\"kind\":\"")?;
    let (kind, rest) = rest.split_at(upto_quote(rest)?);
    let rest = rest.strip_prefix(b"\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"")?;
    let name = &rest[..upto_quote(rest)?];
    Some([kind, b" ", name].concat())
}

/// A short label for a change in the Index view: the first bytes of the value, or of the kind and the name of a
/// Kubernetes object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The number of bytes of the whole text. A text that is longer than [`LABEL_BYTES`] is cut.
    len: u8,
    bytes: [u8; LABEL_BYTES],
}

impl Label {
    fn of(value: &[u8]) -> Self {
        let object = object_label(value);
        let shown = object.as_deref().unwrap_or(value);
        let kept = shown.len().min(LABEL_BYTES);
        let mut bytes = [0; LABEL_BYTES];
        bytes[..kept].copy_from_slice(&shown[..kept]);
        Self {
            len: shown.len().min(LABEL_BYTES + 1) as u8,
            bytes,
        }
    }
}

impl fmt::Display for Label {
    /// Writes the bytes, with an escape for each unprintable byte, and an ellipsis if the text is cut.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = usize::from(self.len);
        f.write_str(&escape(&self.bytes[..len.min(LABEL_BYTES)]))?;
        f.write_str(if len > LABEL_BYTES { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube::{Object, codec};

    #[test]
    fn a_label_names_a_kubernetes_object() {
        let label = |value: &[u8]| Label::of(value).to_string();
        let pod = codec::encode(&Object::new("Pod", "default", "web-1"));
        assert_eq!(label(pod.as_bytes()), "Pod web-1");
        assert_eq!(label(b"{\"kind\":\"x\"}"), "{\"kind\":\"x\"}");
        assert_eq!(label(b"value1"), "value1");
    }

    #[test]
    fn a_label_tells_apart_the_pods_of_a_large_run_and_marks_a_cut_text() {
        let label = |value: &[u8]| Label::of(value).to_string();
        let pod = codec::encode(&Object::new("Pod", "default", "pod-100-290"));
        assert_eq!(label(pod.as_bytes()), "Pod pod-100-290");
        let exact = "a".repeat(LABEL_BYTES);
        assert_eq!(label(exact.as_bytes()), exact);
        assert_eq!(label(format!("{exact}b").as_bytes()), format!("{exact}…"));
    }
}
