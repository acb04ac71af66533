//! Reads an imported database file row by row, and builds the views of its contents.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use super::before::Before;
use super::key_list::{KeyFilter, KeyOrder, KeyRow};
use super::largest::{Group, LargestGroups};
use super::maintenance::RevisionLimits;
use super::rows::{Met, RowWalk};
use super::value::{stored_at, stored_value};
use super::writers::{Changes, Groups, KindOfValue, WriteLog, WritersView};
use super::{
    DAMAGES_MAX, FileBucket, FileLease, FileOverview, FileSpace, KeyRevision, LIST_MAX,
    MAP_CELLS_MAX, PrefixList, PrefixRow, StoredValue,
};
use crate::api::{Difference, KeyValue, Profile};
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::crc32c::Crc32c;
use crate::base::proto::{self, Content};
use crate::base::shared_list::SharedList;
use crate::bbolt::check::{Findings, Use};
use crate::bbolt::{File, Span};
use crate::etcd::FileIdentity;
use crate::etcd::lease_row::LeaseRow;
use crate::kube::encryption::EncryptionKeys;
use crate::mvcc::kv_store::{FIRST_REVISION, NEVER_COMPACTED};
use crate::mvcc::{BucketKey, Revision};
use crate::words::file as words;

/// The size of an element's fixed part in a leaf page, without the key and the value, in bytes.
pub(super) const ELEMENT_BYTES: u64 = 16;

/// The maximum number of levels below the common prefix of all keys at which the first list of groups is.
const LEVELS_MAX: usize = 3;

/// The rows of the bucket `meta` with the compact revision, and with the revision of a compaction that has started.
const FINISHED: &str = "finishedCompactRev";
const SCHEDULED: &str = "scheduledCompactRev";

/// The rows of the bucket `meta` that the overview shows.
const META_ROWS: [&str; 5] = [
    FINISHED,
    SCHEDULED,
    "consistent_index",
    "term",
    "storageVersion",
];

/// When the rows of one step have this size in bytes, the step ends. The last row can exceed this limit.
pub(super) const BYTES_AT_ONCE: usize = 1 << 20;

/// The estimated bytes per key, in addition to the bytes of the key. Measured in a browser.
const KEY_BYTES: u64 = 190;

/// The bytes per row.
const ROW_BYTES: u64 = 16;

/// The estimated bytes per writer, kind, namespace or lease.
const GROUP_BYTES: u64 = 300;

/// A key with its rows. A file can have millions of keys, so a summary has no value, and counts of rows have 32 bits.
#[derive(Clone, Debug, Default)]
struct KeySummary {
    rows: u32,
    generations: u32,
    bytes: u64,
    newest_bytes: u32,
    /// The index of the newest row in [`FileSummary::rows`].
    last_row: u32,
    is_deleted: bool,
    lease: i64,
    writes: u32,
    same: u32,
    only_times: u32,
    deletes: u32,
    /// The newest value; `None` if the file has no value of the key.
    last_put: Option<LastPut>,
    /// The newest value, for the next put; `None` if the key is deleted.
    before: Option<Before>,
}

impl KeySummary {
    fn changes(&self) -> Changes {
        Changes {
            writes: self.writes.into(),
            same: self.same.into(),
            only_times: self.only_times.into(),
            deletes: self.deletes.into(),
        }
    }

    fn add_changes(&mut self, changes: &Changes) {
        self.writes += changes.writes as u32;
        self.same += changes.same as u32;
        self.only_times += changes.only_times as u32;
        self.deletes += changes.deletes as u32;
    }
}

#[derive(Clone, Debug)]
struct LastPut {
    /// The index in [`FileSummary::rows`] of the row that contains the value.
    row: u32,
    bytes: u32,
    version: i64,
    groups: Groups,
}

/// A row of the bucket `key`, without its content, and the index of the previous row of the same key.
#[derive(Clone, Copy, Debug)]
struct RowLink {
    main: i64,
    /// The sub-revision, and in the lowest bit whether the row is a tombstone.
    sub_and_mark: u32,
    /// The index of the previous row; equal to the row's own index for the first row of a key.
    previous: u32,
}

impl RowLink {
    fn new(at: BucketKey, previous: u32) -> Self {
        let sub = u32::try_from(at.revision.sub).unwrap_or(u32::MAX >> 1);
        Self {
            main: at.revision.main,
            sub_and_mark: sub << 1 | u32::from(at.tombstone),
            previous,
        }
    }

    fn key(self) -> BucketKey {
        BucketKey {
            revision: Revision::new(self.main, i64::from(self.sub_and_mark >> 1)),
            tombstone: self.sub_and_mark & 1 == 1,
        }
    }
}

/// The fields of a row in the bucket `key` that the summary needs.
#[derive(Debug, Default)]
pub(super) struct SummedRow<'a> {
    pub(super) key: &'a [u8],
    pub(super) version: i64,
    pub(super) value: &'a [u8],
    lease: i64,
}

impl<'a> SummedRow<'a> {
    /// Reads a row; returns `None` if the row cannot be decoded.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut row = Self::default();
        let is_whole = proto::each_field(bytes, |number, content| match (number, content) {
            (1, Content::Bytes(key)) => row.key = key,
            (4, Content::Int(version)) => row.version = version as i64,
            (5, Content::Bytes(value)) => row.value = value,
            (6, Content::Int(lease)) => row.lease = lease as i64,
            _ => {}
        });
        is_whole.then_some(row)
    }
}

/// The counts for all rows of a file. The file is read in several steps.
pub struct FileSummary {
    walk: RowWalk,
    /// The checksum over all buckets, which `snapshot status` prints.
    crc: Crc32c,
    buckets: Vec<FileBucket>,
    /// The index of each key in `summaries`.
    keys: BTreeMap<Bytes, u32>,
    summaries: SharedList<KeySummary>,
    /// The size of all keys, in bytes.
    key_bytes: u64,
    /// All rows of the bucket `key`, in the order of their revisions.
    rows: SharedList<RowLink>,
    log: WriteLog,
    meta: Vec<(Span, Span)>,
    /// The leases in the order of the file, which is the order of their IDs as unsigned numbers.
    leases: Vec<FileLease>,
    tombstones: u64,
    revision: i64,
    /// The number of rows in the bucket `key` whose key or value cannot be decoded.
    unreadable: u64,
    encryption: Arc<EncryptionKeys>,
    /// The number of values that are decrypted.
    decrypted: u64,
}

impl FileSummary {
    /// Creates a summary that has not visited any row. Encrypted values are decrypted with the given keys.
    pub fn new(file: &File, encryption: Arc<EncryptionKeys>) -> Self {
        let meta = [Bucket::Meta.name().as_bytes()];
        // The walk visits the bucket `meta` after the bucket `key`.
        let compacted = |name: &str| {
            let value = file.view().get(&meta, name.as_bytes()).ok().flatten();
            value
                .and_then(|value| BucketKey::decode(&value))
                .map_or(0, |at| at.revision.main)
        };
        Self {
            log: WriteLog::new(compacted(FINISHED).max(compacted(SCHEDULED))),
            rows: SharedList::default(),
            summaries: SharedList::default(),
            key_bytes: 0,
            walk: RowWalk::new(file.view()),
            crc: Crc32c::new(),
            buckets: Vec::new(),
            keys: BTreeMap::new(),
            meta: Vec::new(),
            leases: Vec::new(),
            tombstones: 0,
            revision: 0,
            unreadable: 0,
            encryption,
            decrypted: 0,
        }
    }

    /// Counts up to `count` more rows, or fewer if the rows are large. Returns true if no rows remain.
    pub fn step(&mut self, count: usize) -> bool {
        let mut bytes = 0;
        let mut met = Vec::new();
        for _ in 0..count {
            let is_done = self.walk.step(1, |what| met.push(what));
            for what in met.drain(..) {
                if let Met::Row(key, value) = &what {
                    bytes += key.len() + value.len();
                }
                self.meet(what);
            }
            if is_done || bytes > BYTES_AT_ONCE {
                return is_done;
            }
        }
        false
    }

    /// Returns a stored value of a key as the API server reads it: decrypted, if a key decrypts it.
    pub fn plain<'v>(&self, key: &[u8], value: &'v [u8]) -> Cow<'v, [u8]> {
        let plain = self.encryption.decrypt(key, value);
        plain.map_or(Cow::Borrowed(value), Cow::Owned)
    }

    pub fn encryption(&self) -> &Arc<EncryptionKeys> {
        &self.encryption
    }

    /// Returns the newest revision that was read.
    pub fn revision(&self) -> i64 {
        self.revision
    }

    /// Returns the newest revision and the compact revision of the store, as a member that starts on the file has them.
    pub fn revision_limits(&self) -> RevisionLimits {
        let compacted = self
            .meta_revision(FINISHED)
            .max(self.meta_revision(SCHEDULED));
        let compacted = compacted.unwrap_or(NEVER_COMPACTED);
        RevisionLimits {
            newest: self.revision.max(compacted).max(FIRST_REVISION),
            compacted,
        }
    }

    /// Returns the number of live keys with a prefix.
    pub fn live_keys(&self, prefix: &[u8]) -> u64 {
        let from = (Bound::Included(Bytes::from(prefix)), Bound::Unbounded);
        let inside = self.keys.range(from);
        let inside = inside.take_while(|(key, _)| key.starts_with(prefix));
        let is_live = |index: u32| self.summary(index).is_some_and(|key| !key.is_deleted);
        inside.filter(|(_, index)| is_live(**index)).count() as u64
    }

    /// Returns the number of rows in the bucket `key` that can be decoded.
    pub fn stored_rows(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Returns the number of keys, including deleted keys.
    pub fn known_keys(&self) -> u64 {
        self.keys.len() as u64
    }

    /// Returns the estimated memory of the summary, in bytes.
    pub fn bytes(&self) -> u64 {
        let groups = self.log.groups() + self.leases.len() as u64;
        let keys = self.key_bytes + self.known_keys() * KEY_BYTES;
        keys + self.stored_rows() * ROW_BYTES + groups * GROUP_BYTES
    }

    fn summary(&self, index: u32) -> Option<&KeySummary> {
        self.summaries.get(index as usize)
    }

    /// Returns the summary of a key.
    fn of_key(&self, key: &[u8]) -> Option<&KeySummary> {
        self.summary(*self.keys.get(&Bytes::from(key))?)
    }

    /// Returns all keys that exist or have a row, in the order of their first row.
    fn summaries(&self) -> impl Iterator<Item = &KeySummary> + Clone {
        self.summaries.iter()
    }

    /// Returns the revision of a row.
    fn revision_of(&self, row: u32) -> Revision {
        let row = self.rows.get(row as usize);
        row.map_or(Revision::default(), |row| row.key().revision)
    }

    /// Returns the number of pages read so far.
    pub fn pages(&self) -> u64 {
        self.walk.pages()
    }

    fn meet(&mut self, what: Met) {
        match what {
            Met::Bucket(name) => {
                self.crc.update(&name);
                self.buckets.push(FileBucket {
                    name: String::from_utf8_lossy(&name).into_owned(),
                    ..FileBucket::default()
                });
            }
            Met::Row(key, value) => {
                self.crc.update(&key);
                self.crc.update(&value);
                let Some(bucket) = self.buckets.last_mut() else {
                    return;
                };
                bucket.rows += 1;
                bucket.bytes += (key.len() + value.len()) as u64;
                match Bucket::from_name(&bucket.name) {
                    Some(Bucket::Key) => self.add_row(&key, &value),
                    Some(Bucket::Meta) if META_ROWS.iter().any(|name| *key == *name.as_bytes()) => {
                        self.meta.push(((&*key).into(), (&*value).into()));
                    }
                    Some(Bucket::Lease) => self.add_lease(&key, &value),
                    _ => {}
                }
            }
        }
    }

    fn add_row(&mut self, key: &[u8], span: &Span) {
        let row = BucketKey::decode(key).zip(SummedRow::read(span));
        let Some((at, row)) = row else {
            self.unreadable += 1;
            return;
        };
        let bytes = (key.len() + span.len()) as u64 + ELEMENT_BYTES;
        let index = self.rows.len() as u32;
        let name = Bytes::from(row.key);
        let known = self.keys.get(&name).copied();
        let place = known.unwrap_or_else(|| {
            let place = self.summaries.len() as u32;
            self.keys.insert(name, place);
            self.summaries.push(KeySummary::default());
            self.key_bytes += row.key.len() as u64;
            place
        });
        let Some(summary) = self.summaries.get_mut(place as usize) else {
            return;
        };
        let is_first = summary.rows == 0;
        let is_new = is_first || summary.is_deleted;
        self.rows.push(RowLink::new(
            at,
            if is_first { index } else { summary.last_row },
        ));
        summary.generations += u32::from(is_new);
        summary.rows += 1;
        summary.bytes += bytes;
        summary.newest_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        summary.is_deleted = at.tombstone;
        summary.last_row = index;
        summary.lease = if at.tombstone { 0 } else { row.lease };
        let before = summary.before.take();
        let changes = if at.tombstone {
            let last = summary.last_put.as_ref();
            self.log
                .delete(at.revision.main, last.map(|put| put.groups))
        } else {
            let plain = self.encryption.decrypt(row.key, row.value);
            self.decrypted += u64::from(plain.is_some());
            let value = plain.as_deref().unwrap_or(row.value);
            let (groups, changes, now) =
                self.log
                    .put(at.revision.main, bytes, value, before.as_ref());
            summary.before = Some(now);
            summary.last_put = Some(LastPut {
                row: index,
                bytes: row.value.len() as u32,
                version: row.version,
                groups,
            });
            changes
        };
        summary.add_changes(&changes);
        self.tombstones += u64::from(at.tombstone);
        self.revision = at.revision.main;
    }

    fn add_lease(&mut self, key: &[u8], value: &[u8]) {
        let id = key.try_into().map(i64::from_be_bytes);
        if let (Ok(id), Some(row)) = (id, proto::decode::<LeaseRow>(value)) {
            let lease = FileLease {
                id,
                ttl_s: row.ttl_s,
                remaining_s: row.remaining_ttl_s,
                keys: 0,
            };
            self.leases.push(lease);
        }
    }

    /// Returns the value of a row in the bucket `meta`.
    fn meta(&self, name: &str) -> Option<&[u8]> {
        let found = self.meta.iter().find(|(key, _)| **key == *name.as_bytes());
        found.map(|(_, value)| &**value)
    }

    fn meta_revision(&self, name: &str) -> Option<i64> {
        BucketKey::decode(self.meta(name)?).map(|key| key.revision.main)
    }

    fn meta_number(&self, name: &str) -> Option<u64> {
        self.meta(name)?.try_into().ok().map(u64::from_be_bytes)
    }

    fn storage_version(&self) -> String {
        let value = self.meta("storageVersion");
        value.map_or_else(String::new, |v| String::from_utf8_lossy(v).into())
    }

    /// Returns the etcd version that wrote the file. Up to 3.5, a file does
    /// not contain its version.
    pub fn profile(&self) -> Profile {
        let stated = Profile::closest(&self.storage_version());
        stated.unwrap_or(match self.meta_number("term") {
            None => Profile::V3_4,
            Some(_) => Profile::V3_5,
        })
    }

    /// Returns the longest common prefix of all keys that ends in `/`; empty if this prefix is only `/`.
    pub(super) fn common_prefix(&self) -> &[u8] {
        let first = self.keys.keys().next();
        let last = self.keys.keys().next_back();
        let (Some(first), Some(last)) = (first, last) else {
            return &[];
        };
        let same = first.iter().zip(last.iter()).take_while(|(a, b)| a == b);
        let same = &first[..same.count().min(first.len().saturating_sub(1))];
        match same.iter().rposition(|byte| *byte == b'/') {
            Some(at) if at > 0 => &first[..=at],
            _ => &[],
        }
    }

    /// Returns the overview of the file. Call this after [`step`](Self::step) has returned true.
    pub fn overview(
        &self,
        identity: &FileIdentity,
        file: &File,
        findings: &Findings,
    ) -> FileOverview {
        let trailer = file.trailer();
        let is_whole = findings.damages.is_empty() && !self.walk.has_skipped();
        let compacted = self.meta_revision(FINISHED);
        let scheduled = self.meta_revision(SCHEDULED);
        let alive = self.summaries().filter(|key| !key.is_deleted).count() as u64;
        let prefixes = self.first_prefixes();
        let (leases, attached_keys, lost_leases) = self.leases();
        FileOverview {
            name: identity.name.to_string(),
            bytes: identity.bytes,
            sha256: identity.sha256,
            trailer_matches: trailer.map(|trailer| *trailer == identity.sha256),
            metas: [0, 1].map(|n: usize| file.metas()[n].as_ref().err().map(ToString::to_string)),
            txid: file.view().meta().txid,
            hash: is_whole.then(|| self.crc.clone().finish()),
            revision: self.revision.max(compacted.unwrap_or(0)),
            compacted,
            scheduled: scheduled.filter(|at| Some(*at) > compacted),
            consistent_index: self.meta_number("consistent_index"),
            term: self.meta_number("term"),
            storage_version: self.storage_version(),
            profile: self.profile().to_string(),
            keys: alive,
            rows: self.rows.len() as u64 + self.unreadable,
            tombstones: self.tombstones,
            total_keys: match self.profile().has(Difference::CountsLiveKeys) {
                true => alive,
                false => self.buckets.iter().map(|bucket| bucket.rows).sum(),
            },
            space: self.space(file, findings),
            buckets: self.buckets.clone(),
            prefixes,
            writers: self.writers(),
            decrypted: self.decrypted,
            lease_count: self.leases.len() as u64,
            leases,
            attached_keys,
            lost_leases,
            damages: findings
                .damages
                .iter()
                .take(DAMAGES_MAX)
                .map(ToString::to_string)
                .collect(),
            more_damages: findings.more_damages
                + findings.damages.len().saturating_sub(DAMAGES_MAX) as u64,
            refusal: findings.damages.first().map(words::damaged),
        }
    }

    fn space(&self, file: &File, findings: &Findings) -> FileSpace {
        let uses = &findings.uses;
        let count = |used: Use| uses.iter().filter(|u| **u == used).count() as u64;
        let map_pages = (uses.len() as u64).div_ceil(MAP_CELLS_MAX).max(1);
        let cell = |cell: &[Use]| {
            let free = cell.iter().filter(|u| **u == Use::Free).count();
            (free * 100 / cell.len()) as u8
        };
        let newest = self.summaries().filter(|key| !key.is_deleted);
        let newest_bytes = newest.map(|key| u64::from(key.newest_bytes)).sum();
        let all: u64 = self.summaries().map(|key| key.bytes).sum();
        FileSpace {
            page_bytes: u64::from(file.view().meta().page_size),
            pages: uses.len() as u64,
            branch: count(Use::Branch),
            leaf: count(Use::Leaf),
            overflow: count(Use::Overflow),
            meta: count(Use::Meta) + count(Use::Freelist),
            free: count(Use::Free),
            not_reached: count(Use::NotReached),
            newest_bytes,
            older_bytes: all - newest_bytes,
            map: uses.chunks(map_pages as usize).map(cell).collect(),
            map_pages,
        }
    }

    fn writers(&self) -> WritersView {
        let live = self.summaries().filter(|key| !key.is_deleted);
        let live = live.filter_map(|key| key.last_put.as_ref());
        self.log.view(live.map(|put| put.groups))
    }

    /// Visits up to `count` keys after `after` and calls `meet` for the keys that match the filter. Returns the last
    /// visited key; `None` if no keys remain.
    pub(super) fn visit(
        &self,
        after: Option<&Bytes>,
        count: usize,
        filter: &KeyFilter,
        mut meet: impl FnMut(KeyAt<'_>),
    ) -> Option<Bytes> {
        let from = after.map_or(Bound::Unbounded, |key| Bound::Excluded(key.clone()));
        let mut last = None;
        for (key, index) in self.keys.range((from, Bound::Unbounded)).take(count) {
            last = Some(key);
            let Some(summary) = self.summary(*index) else {
                continue;
            };
            if filter.matches(key, summary.is_deleted) {
                let rows = self;
                meet(KeyAt { key, summary, rows });
            }
        }
        last.cloned()
    }

    /// Returns the rows of a key with their indexes, newest first.
    fn rows_of(&self, summary: &KeySummary) -> impl Iterator<Item = (u32, BucketKey)> {
        let first = self.rows.get(summary.last_row as usize);
        let mut next = first.map(|row| (summary.last_row, *row));
        std::iter::from_fn(move || {
            let (index, row) = next?;
            // Each row points to an earlier row.
            let previous = (row.previous < index).then_some(row.previous);
            next = previous.and_then(|at| Some((at, *self.rows.get(at as usize)?)));
            Some((index, row.key()))
        })
    }

    /// Returns the newest row of a key at a revision with its index; `None` if the file has no such row.
    fn row_at(&self, summary: &KeySummary, revision: i64) -> Option<(u32, BucketKey)> {
        let mut rows = self.rows_of(summary);
        rows.find(|(_, row)| row.revision.main <= revision)
    }

    /// Returns the keys from a start on in their order, with their newest rows at a revision.
    pub(super) fn keys_at(
        &self,
        from: Bound<&Bytes>,
        revision: i64,
    ) -> impl Iterator<Item = (&Bytes, KeyState<'_>)> {
        let keys = self.keys.range::<Bytes, _>((from, Bound::Unbounded));
        keys.filter_map(move |(key, index)| {
            let summary = self.summary(*index)?;
            let put = summary.last_put.as_ref();
            let state = KeyState {
                row: self.row_at(summary, revision),
                kind: put.and_then(|put| self.log.kind(put.groups)),
            };
            Some((key, state))
        })
    }

    /// Returns the newest row of a key at a revision.
    pub fn key_at(&self, key: &[u8], revision: i64) -> Option<BucketKey> {
        let (_, row) = self.row_at(self.of_key(key)?, revision)?;
        Some(row)
    }

    /// Returns true if all rows of the bucket `key` were decoded.
    pub(super) fn is_whole(&self) -> bool {
        !self.walk.has_skipped() && self.unreadable == 0
    }

    /// Returns the leases with the most keys, the number of keys whose lease is in the file, and the number of keys
    /// whose lease is missing.
    fn leases(&self) -> (Vec<FileLease>, u64, u64) {
        let mut leases = self.leases.clone();
        let (mut attached, mut lost) = (0, 0);
        for key in self.summaries().filter(|key| key.lease != 0) {
            let found = leases.binary_search_by(|lease| (lease.id as u64).cmp(&(key.lease as u64)));
            match found.ok().and_then(|at| leases.get_mut(at)) {
                Some(lease) => (lease.keys, attached) = (lease.keys + 1, attached + 1),
                None => lost += 1,
            }
        }
        let order = most_first(leases.iter().map(|lease| lease.keys));
        let order = order.into_iter().take(LIST_MAX);
        let leases = order.filter_map(|at| leases.get(at).cloned()).collect();
        (leases, attached, lost)
    }

    /// Returns the groups below a prefix with at least 95 % of the bytes, if there are several groups. Stays above the
    /// single keys.
    fn first_prefixes(&self) -> PrefixList {
        let mut list = self.prefixes(self.common_prefix());
        for _ in 0..LEVELS_MAX {
            let others = list.others.iter().map(|(_, row)| row);
            let all: u64 = list.rows.iter().chain(others).map(PrefixRow::bytes).sum();
            let first = list.rows.first();
            let Some(first) = first.filter(|row| !row.is_key && row.bytes() >= all / 100 * 95)
            else {
                return list;
            };
            let below = self.prefixes(&first.prefix);
            if below.rows.len() < 2 || below.rows[0].is_key {
                return list;
            }
            list = below;
        }
        list
    }

    /// Groups the keys with a prefix by the text between the prefix and the next `/`.
    pub fn prefixes(&self, prefix: &[u8]) -> PrefixList {
        let from = (Bound::Included(Bytes::from(prefix)), Bound::Unbounded);
        let inside = self.keys.range(from);
        let inside = inside.take_while(|(key, _)| key.starts_with(prefix));
        let mut groups: LargestGroups<PrefixRow> = LargestGroups::default();
        for (key, index) in inside {
            if let Some(summary) = self.summary(*index) {
                let revision = self.revision_of(summary.last_row).main;
                groups.group_of(key, prefix.len()).add(summary, revision);
            }
        }
        let (rows, others) = groups.finish();
        PrefixList {
            prefix: prefix.to_vec(),
            rows,
            others,
        }
    }

    /// Returns the value of a key at one of its revisions, or its last value. Returns `None` if the value cannot be
    /// read.
    pub fn value(
        &self,
        file: &File,
        key: &[u8],
        at: Option<Revision>,
        shows_secrets: bool,
    ) -> Option<StoredValue> {
        let summary = self.of_key(key)?;
        let revisions = self.rows_of(summary).take(LIST_MAX);
        let newest = Some(self.revision_of(summary.last_row));
        let stored = match self.key_value(file, key, at) {
            Some(mut kv) => {
                if let Some(plain) = self.encryption.decrypt(&kv.key, &kv.value) {
                    kv.value = plain.into();
                }
                stored_value(&kv, shows_secrets)
            }
            None if at.is_none() && summary.last_put.is_none() => StoredValue {
                key: key.to_vec(),
                text: Bytes::from(key).to_text(),
                ..StoredValue::default()
            },
            None => return None,
        };
        Some(StoredValue {
            at: at.or(summary
                .last_put
                .as_ref()
                .map(|put| self.revision_of(put.row))),
            deleted: newest.filter(|_| summary.is_deleted).map(|at| at.main),
            revisions: revisions
                .map(|(_, row)| KeyRevision {
                    revision: row.revision,
                    is_delete: row.tombstone,
                })
                .collect(),
            revision_count: summary.rows.into(),
            ..stored
        })
    }

    /// Returns the row with the stored value of a key at one of its revisions, or with its last value.
    pub fn key_value(&self, file: &File, key: &[u8], at: Option<Revision>) -> Option<KeyValue> {
        let last = || Some(self.of_key(key)?.last_put.as_ref()?.row);
        let revision = match at {
            Some(revision) => revision,
            None => self.revision_of(last()?),
        };
        stored_row(file, key, revision)
    }

    /// Returns the key with this index as a row of a list, with its object from the file.
    pub(super) fn key_row(&self, file: &File, key: &Bytes) -> Option<KeyRow> {
        let summary = self.of_key(key)?;
        let rows = self;
        Some(KeyAt { key, summary, rows }.row(file))
    }
}

/// Reads the row of a key at a revision.
fn stored_row(file: &File, key: &[u8], revision: Revision) -> Option<KeyValue> {
    let bucket = [Bucket::Key.name().as_bytes()];
    let found = file.view().get(&bucket, &revision.encode());
    proto::decode(&found.ok().flatten()?).filter(|kv: &KeyValue| *kv.key == *key)
}

/// A key at a revision.
pub(super) struct KeyState<'a> {
    /// The newest row with its index; `None` if the file has no row of the key at the revision.
    pub(super) row: Option<(u32, BucketKey)>,
    /// The kind of the last value in the file; `None` if the file has no value of the key.
    pub(super) kind: Option<&'a KindOfValue>,
}

/// A key that a visit meets.
pub(super) struct KeyAt<'a> {
    pub(super) key: &'a Bytes,
    summary: &'a KeySummary,
    rows: &'a FileSummary,
}

impl KeyAt<'_> {
    pub(super) fn is_deleted(&self) -> bool {
        self.summary.is_deleted
    }

    /// Returns the place of the key in an order; the smallest place is the first.
    pub(super) fn rank(&self, order: KeyOrder) -> Reverse<(i64, u64)> {
        let (summary, put) = (self.summary, self.summary.last_put.as_ref());
        Reverse(match order {
            KeyOrder::Writes => (summary.writes.into(), summary.rows.into()),
            KeyOrder::Version => (put.map_or(0, |put| put.version), 0),
            KeyOrder::Size => (put.map_or(0, |put| put.bytes.into()), 0),
            KeyOrder::Newest => (self.rows.revision_of(summary.last_row).main, 0),
            KeyOrder::Key => (0, 0),
        })
    }

    pub(super) fn value_bytes(&self) -> usize {
        self.summary
            .last_put
            .as_ref()
            .map_or(0, |put| put.bytes as usize)
    }

    /// Reads the newest value; returns `None` if the file has no value of the key.
    pub(super) fn last_value(&self, file: &File) -> Option<Bytes> {
        let put = self.summary.last_put.as_ref()?;
        let row = stored_row(file, self.key, self.rows.revision_of(put.row));
        row.map(|row| row.value)
    }

    pub(super) fn row(&self, file: &File) -> KeyRow {
        let (summary, put) = (self.summary, self.summary.last_put.as_ref());
        let value = self.last_value(file);
        let plain = value.map(|value| self.rows.plain(self.key, &value).into_owned());
        let (object, is_encrypted) = plain.as_deref().map(stored_at).unwrap_or_default();
        KeyRow {
            key: self.key.to_vec(),
            text: self.key.to_text(),
            is_deleted: summary.is_deleted,
            revision: self.rows.revision_of(summary.last_row).main,
            value_revision: put.map(|put| self.rows.revision_of(put.row)),
            version: put.map_or(0, |put| put.version),
            bytes: put.map_or(0, |put| put.bytes.into()),
            generations: summary.generations.into(),
            revisions: summary.rows.into(),
            changes: summary.changes(),
            object,
            is_encrypted,
        }
    }
}

/// Returns the indexes of the given weights, sorted by weight, largest first. Equal weights keep their order.
fn most_first(weights: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = weights.map(|weight| u64::MAX - weight).zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

impl PrefixRow {
    /// Adds a key whose newest row has this revision.
    fn add(&mut self, key: &KeySummary, revision: i64) {
        let (newest_rows, newest_bytes) = match key.is_deleted {
            true => (0, 0),
            false => (1, u64::from(key.newest_bytes)),
        };
        self.keys += newest_rows;
        self.newest_rows += newest_rows;
        self.newest_bytes += newest_bytes;
        self.older_rows += u64::from(key.rows) - newest_rows;
        self.older_bytes += key.bytes - newest_bytes;
        self.changes.add(&key.changes());
        self.revision = self.revision.max(revision);
    }
}

impl Group for PrefixRow {
    fn new(prefix: &[u8], is_key: bool) -> Self {
        Self {
            prefix: prefix.to_vec(),
            text: Bytes::from(prefix).to_text(),
            is_key,
            ..Self::default()
        }
    }

    fn is_of(&self, prefix: &[u8], is_key: bool) -> bool {
        self.prefix == prefix && self.is_key == is_key
    }

    fn rank(&self) -> (u64, u64) {
        (self.bytes(), 0)
    }

    fn add_group(&mut self, other: &Self) {
        self.keys += other.keys;
        self.newest_rows += other.newest_rows;
        self.newest_bytes += other.newest_bytes;
        self.older_rows += other.older_rows;
        self.older_bytes += other.older_bytes;
        self.changes.add(&other.changes);
        self.revision = self.revision.max(other.revision);
    }
}
