//! The writes that an imported file still contains, by writer, by kind, by namespace, by the reason of events, and by
//! the day on which the Kubernetes objects were created.
//!
//! A compaction removes old values, so only the writes after the compact revision are complete. The rates and the
//! shares count only these writes. The writer of a value is the field manager with the newest time, which names a
//! workflow, not an authenticated user. Deletes have no writer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::before::Before;
use crate::base::small_sort::SmallSort;
use crate::kube::stored_object::{Stored, WrittenBy};
use crate::kube::timestamp::{self, SECONDS_MAX};

/// The writer of a stored value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Writer {
    Manager {
        manager: String,
        /// `Apply` or `Update`.
        operation: String,
        /// The changed subresource; empty for the object itself.
        subresource: String,
    },
    /// Several managers wrote the object in the same second, and the file does not tell which of them was last.
    Several,
    /// An object without field managers.
    NoManager,
    Encrypted,
    /// A value that is not an object of Kubernetes.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum KindOfValue {
    Object {
        /// The group and version, such as `apps/v1`.
        api_version: String,
        kind: String,
    },
    Encrypted,
    /// A value that is not an object of Kubernetes.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Namespace {
    Named(String),
    /// The objects without a namespace.
    Cluster,
    /// The values whose namespace cannot be read: encrypted values, and values that are not objects.
    Unknown,
}

/// The reason of an event of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reason {
    /// The field `reason`, such as `FailedScheduling`. It can be empty.
    Event(String),
    /// The value is not an event, or cannot be read.
    NoEvent,
}

/// The day on which an object was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Created {
    /// The day in UTC, counted from 1970-01-01.
    On(i64),
    /// An object without a creation timestamp, or a value that is not an object or cannot be read.
    Unknown,
}

impl Created {
    /// Returns the day as in `2026-03-01`; `None` if it is unknown.
    pub fn date(self) -> Option<String> {
        match self {
            Self::On(day) => {
                let mut date = timestamp::format(day.unsigned_abs() * DAY_S.unsigned_abs());
                date.truncate("2026-03-01".len());
                Some(date)
            }
            Self::Unknown => None,
        }
    }
}

const DAY_S: i64 = 24 * 3_600;

/// The numbers of changes after the compact revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The puts.
    pub writes: u64,
    /// The puts whose value is equal to the previous value of the key.
    pub same: u64,
    /// The puts of an object that changed only the times of its field managers, or its resource version.
    pub only_times: u64,
    pub deletes: u64,
}

impl Changes {
    /// Returns the number of puts that changed nothing or only times.
    pub fn unchanged(&self) -> u64 {
        self.same + self.only_times
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.writes += other.writes;
        self.same += other.same;
        self.only_times += other.only_times;
        self.deletes += other.deletes;
    }
}

/// The values of one writer, kind or namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WriteGroup<N> {
    pub name: N,
    /// The number of live keys whose newest value belongs to the group.
    pub keys: u64,
    /// The number of stored values.
    pub revisions: u64,
    /// The size of the stored values with their rows, in bytes.
    pub bytes: u64,
    pub changes: Changes,
}

/// Who wrote the values of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WritersView {
    /// The revision after which the file contains each change; 0 if it contains all changes.
    pub since: i64,
    pub changes: Changes,
    /// The times of the first and of the last change whose time is known, in seconds since 1970; `None` if fewer than
    /// two times are known, or if they are not in order.
    pub times: Option<(i64, i64)>,
    /// The writers with the most writes first, then those with the most stored values.
    pub writers: Vec<WriteGroup<Writer>>,
    pub kinds: Vec<WriteGroup<KindOfValue>>,
    pub namespaces: Vec<WriteGroup<Namespace>>,
    pub reasons: Vec<WriteGroup<Reason>>,
    /// The newest day first.
    pub created: Vec<WriteGroup<Created>>,
}

impl WritersView {
    /// Returns the times as dates in UTC, without a suffix.
    pub fn dates(&self) -> Option<(String, String)> {
        let date = |seconds: i64| {
            let text = timestamp::format(seconds.unsigned_abs());
            text.trim_end_matches('Z').replace('T', " ")
        };
        self.times.map(|(first, last)| (date(first), date(last)))
    }

    /// Returns the duration of the covered time, in seconds; `None` if it is unknown.
    pub fn seconds(&self) -> Option<u64> {
        let (first, last) = self.times?;
        u64::try_from(last - first).ok().filter(|s| *s > 0)
    }

    /// Returns the number of writes in an hour, if `writes` is the number in the covered time.
    pub fn per_hour(&self, writes: u64) -> Option<u64> {
        let seconds = self.seconds()?;
        Some((writes.saturating_mul(3_600) + seconds / 2) / seconds)
    }
}

fn is_date(seconds: &i64) -> bool {
    (0..=SECONDS_MAX as i64).contains(seconds)
}

/// The indexes of the groups of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Groups {
    writer: u32,
    kind: u32,
    namespace: u32,
    reason: u32,
    created: u32,
}

/// The groups with their names, in the order of their first value.
#[derive(Debug)]
struct Tally<N> {
    groups: Vec<WriteGroup<N>>,
    places: BTreeMap<N, u32>,
}

impl<N: Ord + Clone> Tally<N> {
    fn new() -> Self {
        Self {
            groups: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    fn place(&mut self, name: N) -> u32 {
        if let Some(place) = self.places.get(&name) {
            return *place;
        }
        let place = self.groups.len() as u32;
        self.places.insert(name.clone(), place);
        self.groups.push(WriteGroup {
            name,
            keys: 0,
            revisions: 0,
            bytes: 0,
            changes: Changes::default(),
        });
        place
    }

    fn add(&mut self, place: u32, bytes: u64, changes: &Changes) {
        if let Some(group) = self.groups.get_mut(place as usize) {
            group.revisions += 1;
            group.bytes += bytes;
            group.changes.add(changes);
        }
    }

    fn delete(&mut self, place: u32, changes: &Changes) {
        if let Some(group) = self.groups.get_mut(place as usize) {
            group.changes.add(changes);
        }
    }

    /// Returns the groups with the numbers of their live keys.
    fn finish(&self, keys: impl Iterator<Item = u32>) -> Vec<WriteGroup<N>> {
        let mut groups = self.groups.clone();
        for place in keys {
            if let Some(group) = groups.get_mut(place as usize) {
                group.keys += 1;
            }
        }
        groups
            .small_sort_by_key(|group| std::cmp::Reverse((group.changes.writes, group.revisions)));
        groups
    }
}

/// Counts the rows of a file by writer, kind and namespace, in the order of their revisions.
#[derive(Debug)]
pub(super) struct WriteLog {
    since: i64,
    changes: Changes,
    first_time: Option<i64>,
    last_time: Option<i64>,
    writers: Tally<Writer>,
    kinds: Tally<KindOfValue>,
    namespaces: Tally<Namespace>,
    reasons: Tally<Reason>,
    created: Tally<Created>,
}

impl WriteLog {
    /// Returns the number of all groups.
    pub(super) fn groups(&self) -> u64 {
        let groups = [
            self.writers.groups.len(),
            self.kinds.groups.len(),
            self.namespaces.groups.len(),
            self.reasons.groups.len(),
            self.created.groups.len(),
        ];
        groups.iter().sum::<usize>() as u64
    }

    /// Creates a log of a store that was compacted at revision `since`, or never if `since` is 0.
    pub(super) fn new(since: i64) -> Self {
        Self {
            since,
            changes: Changes::default(),
            first_time: None,
            last_time: None,
            writers: Tally::new(),
            kinds: Tally::new(),
            namespaces: Tally::new(),
            reasons: Tally::new(),
            created: Tally::new(),
        }
    }

    /// Counts a put. `previous` is the previous value of the key in the same generation. Returns the groups of the
    /// value, the change, which is zero at and before the compact revision, and the value for the next put.
    pub(super) fn put(
        &mut self,
        revision: i64,
        bytes: u64,
        value: &[u8],
        previous: Option<&Before>,
    ) -> (Groups, Changes, Before) {
        let stored = Stored::of(value);
        let now = Before::of(value, &stored);
        let before = previous.and_then(Before::object);
        let (mut time, mut writer) = (None, Writer::Other);
        let (mut reason, mut created) = (Reason::NoEvent, Created::Unknown);
        let (kind, namespace) = match &stored {
            Stored::Object(object) => {
                writer = match object.written_by(before.map(|before| &*before.managers)) {
                    WrittenBy::Several => Writer::Several,
                    WrittenBy::NoManager => Writer::NoManager,
                    WrittenBy::Manager(manager) => Writer::Manager {
                        manager: manager.manager.to_string(),
                        operation: manager.operation.to_string(),
                        subresource: manager.subresource.to_string(),
                    },
                };
                if let Some(text) = &object.reason {
                    reason = Reason::Event(text.to_string());
                }
                if let Some(seconds) = object.created.filter(is_date) {
                    created = Created::On(seconds / DAY_S);
                }
                time = now.object().and_then(|object| object.time);
                // A write that changes no field leaves the times as they were.
                if before.is_some_and(|before| before.time >= time) {
                    time = None;
                }
                let kind = KindOfValue::Object {
                    api_version: object.api_version.to_string(),
                    kind: object.kind.to_string(),
                };
                let namespace = match &*object.namespace {
                    "" => Namespace::Cluster,
                    name => Namespace::Named(name.to_owned()),
                };
                (kind, namespace)
            }
            Stored::Encrypted => {
                writer = Writer::Encrypted;
                (KindOfValue::Encrypted, Namespace::Unknown)
            }
            Stored::Other => (KindOfValue::Other, Namespace::Unknown),
        };
        let mut changes = Changes::default();
        if revision > self.since {
            changes.writes = 1;
            let is_same = previous.is_some_and(|old| old.is_same(&now));
            let has_new_times = previous.is_some_and(|old| old.differs_only_in_times(&now));
            changes.same = u64::from(is_same);
            changes.only_times = u64::from(!is_same && has_new_times);
            if let Some(time) = time.filter(is_date) {
                self.first_time.get_or_insert(time);
                self.last_time = Some(time);
            }
        }
        let groups = Groups {
            writer: self.writers.place(writer),
            kind: self.kinds.place(kind),
            namespace: self.namespaces.place(namespace),
            reason: self.reasons.place(reason),
            created: self.created.place(created),
        };
        self.changes.add(&changes);
        self.writers.add(groups.writer, bytes, &changes);
        self.kinds.add(groups.kind, bytes, &changes);
        self.namespaces.add(groups.namespace, bytes, &changes);
        self.reasons.add(groups.reason, bytes, &changes);
        self.created.add(groups.created, bytes, &changes);
        (groups, changes, now)
    }

    /// Returns the kind of a value.
    pub(super) fn kind(&self, groups: Groups) -> Option<&KindOfValue> {
        let group = self.kinds.groups.get(groups.kind as usize)?;
        Some(&group.name)
    }

    /// Counts the delete of a key. `groups` has the groups of its last value, if the file contains the value.
    pub(super) fn delete(&mut self, revision: i64, groups: Option<Groups>) -> Changes {
        let mut changes = Changes::default();
        if revision > self.since {
            changes.deletes = 1;
        }
        self.changes.add(&changes);
        let Some(groups) = groups else {
            return changes;
        };
        self.kinds.delete(groups.kind, &changes);
        self.namespaces.delete(groups.namespace, &changes);
        self.reasons.delete(groups.reason, &changes);
        self.created.delete(groups.created, &changes);
        changes
    }

    /// Returns the view. `live` has the groups of the newest value of each live key.
    pub(super) fn view(&self, live: impl Iterator<Item = Groups> + Clone) -> WritersView {
        let times = self.first_time.zip(self.last_time);
        let mut created = self.created.finish(live.clone().map(|key| key.created));
        created.small_sort_by_key(|group| std::cmp::Reverse(group.name.date()));
        WritersView {
            since: self.since,
            changes: self.changes,
            times: times.filter(|(first, last)| first < last),
            writers: self.writers.finish(live.clone().map(|key| key.writer)),
            kinds: self.kinds.finish(live.clone().map(|key| key.kind)),
            namespaces: self
                .namespaces
                .finish(live.clone().map(|key| key.namespace)),
            reasons: self.reasons.finish(live.map(|key| key.reason)),
            created,
        }
    }
}
