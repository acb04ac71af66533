//! Reads an imported database file row by row, and builds the views of its contents.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::rows::{Met, RowWalk};
use super::value::stored_value;
use super::{
    BUSY_KEYS_MAX, DAMAGES_MAX, FileBucket, FileLease, FileOverview, FileSpace, LIST_MAX,
    MAP_CELLS_MAX, PrefixList, PrefixRow, StoredValue,
};
use crate::api::{Difference, KeyValue, Profile};
use crate::backend::Bucket;
use crate::base::crc32c::Crc32c;
use crate::base::{Bytes, proto};
use crate::bbolt::check::{Findings, Use};
use crate::bbolt::{File, Span};
use crate::etcd::FileIdentity;
use crate::etcd::lease_row::LeaseRow;
use crate::mvcc::{BucketKey, Revision};
use crate::words::file as words;

/// The size of an element's fixed part in a leaf page, without the key and the value, in bytes.
const ELEMENT_BYTES: u64 = 16;

/// When the rows of one step have this size in bytes, the step ends. The last row can exceed this limit.
const BYTES_AT_ONCE: usize = 1 << 20;

#[derive(Clone, Debug, Default)]
struct KeySummary {
    rows: u64,
    generations: u64,
    bytes: u64,
    newest_bytes: u64,
    newest: Revision,
    is_deleted: bool,
    lease: i64,
}

/// The key and the lease of a row in the bucket `key`. The value is not decoded.
#[derive(Debug, Default)]
struct SummedRow {
    key: Bytes,
    lease: i64,
}

proto::row! {
    SummedRow { key = 1, lease = 6 }
}

/// The counts for all rows of a file. The file is read in several steps.
pub struct FileSummary {
    walk: RowWalk,
    /// The checksum over all buckets, which `snapshot status` prints.
    crc: Crc32c,
    buckets: Vec<FileBucket>,
    keys: BTreeMap<Bytes, KeySummary>,
    meta: Vec<(Span, Span)>,
    /// The leases in the order of the file, which is the order of their IDs as unsigned numbers.
    leases: Vec<FileLease>,
    tombstones: u64,
    revision: i64,
    /// The number of rows in the bucket `key` whose key or value cannot be decoded.
    unreadable: u64,
}

impl FileSummary {
    /// Creates a summary that has not visited any row.
    pub fn new(file: &File) -> Self {
        Self {
            walk: RowWalk::new(file.view()),
            crc: Crc32c::new(),
            buckets: Vec::new(),
            keys: BTreeMap::new(),
            meta: Vec::new(),
            leases: Vec::new(),
            tombstones: 0,
            revision: 0,
            unreadable: 0,
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
                    Some(Bucket::Meta) => self.meta.push((key, value)),
                    Some(Bucket::Lease) => self.add_lease(&key, &value),
                    _ => {}
                }
            }
        }
    }

    fn add_row(&mut self, key: &[u8], value: &[u8]) {
        let row = BucketKey::decode(key).zip(proto::decode::<SummedRow>(value));
        let Some((at, row)) = row else {
            self.unreadable += 1;
            return;
        };
        let bytes = (key.len() + value.len()) as u64 + ELEMENT_BYTES;
        let summary = self.keys.entry(row.key).or_default();
        if summary.rows == 0 || summary.is_deleted {
            summary.generations += 1;
        }
        summary.rows += 1;
        summary.bytes += bytes;
        summary.newest_bytes = bytes;
        summary.newest = at.revision;
        summary.is_deleted = at.tombstone;
        summary.lease = if at.tombstone { 0 } else { row.lease };
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
    fn common_prefix(&self) -> &[u8] {
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
        let compacted = self.meta_revision("finishedCompactRev");
        let scheduled = self.meta_revision("scheduledCompactRev");
        let alive = self.keys.values().filter(|key| !key.is_deleted).count() as u64;
        let prefixes = self.prefixes(self.common_prefix());
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
            rows: self.keys.values().map(|key| key.rows).sum::<u64>() + self.unreadable,
            tombstones: self.tombstones,
            total_keys: match self.profile().has(Difference::CountsLiveKeys) {
                true => alive,
                false => self.buckets.iter().map(|bucket| bucket.rows).sum(),
            },
            space: self.space(file, findings),
            buckets: self.buckets.clone(),
            prefixes,
            busy: self.busy(),
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
        let newest = self.keys.values().filter(|key| !key.is_deleted);
        let newest_bytes = newest.map(|key| key.newest_bytes).sum();
        let all: u64 = self.keys.values().map(|key| key.bytes).sum();
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

    fn busy(&self) -> Vec<PrefixRow> {
        let mut busiest: Vec<(&Bytes, &KeySummary)> = Vec::new();
        for found in &self.keys {
            let at = busiest.partition_point(|(_, key)| key.rows >= found.1.rows);
            if at < BUSY_KEYS_MAX {
                busiest.truncate(BUSY_KEYS_MAX - 1);
                busiest.insert(at, found);
            }
        }
        let rows = busiest.into_iter().map(|(key, summary)| {
            let mut row = group(key, true);
            row.add(summary);
            row
        });
        rows.collect()
    }

    /// Returns the leases with the most keys, the number of keys whose lease is in the file, and the number of keys
    /// whose lease is missing.
    fn leases(&self) -> (Vec<FileLease>, u64, u64) {
        let mut leases = self.leases.clone();
        let (mut attached, mut lost) = (0, 0);
        for key in self.keys.values().filter(|key| key.lease != 0) {
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

    /// Groups the keys with a prefix by the text between the prefix and the next `/`.
    pub fn prefixes(&self, prefix: &[u8]) -> PrefixList {
        let from = (Bound::Included(Bytes::from(prefix)), Bound::Unbounded);
        let inside = self.keys.range(from);
        let inside = inside.take_while(|(key, _)| key.starts_with(prefix));
        let mut rows: Vec<PrefixRow> = Vec::new();
        for (key, summary) in inside {
            let rest = &key[prefix.len()..];
            let slash = rest.iter().skip(1).position(|byte| *byte == b'/');
            let end = slash.map_or(key.len(), |at| prefix.len() + at + 2);
            let is_key = slash.is_none();
            match rows.last_mut() {
                Some(last) if last.prefix == key[..end] && last.is_key == is_key => {}
                _ => rows.push(group(&key[..end], is_key)),
            }
            if let Some(last) = rows.last_mut() {
                last.add(summary);
            }
        }
        let order = most_first(rows.iter().map(PrefixRow::bytes));
        let mut others = None;
        for at in order.iter().skip(LIST_MAX) {
            let (count, all) = others.get_or_insert_with(|| (0, PrefixRow::default()));
            *count += 1;
            all.add_group(&rows[*at]);
        }
        let order = order.iter().take(LIST_MAX);
        let rows = order.map(|at| rows[*at].clone()).collect();
        PrefixList {
            prefix: prefix.to_vec(),
            rows,
            others,
        }
    }

    /// Returns the newest row of a key.
    pub fn value(&self, file: &File, key: &[u8], shows_secrets: bool) -> Option<StoredValue> {
        let summary = self.keys.get(&Bytes::from(key))?;
        let row = BucketKey {
            revision: summary.newest,
            tombstone: summary.is_deleted,
        };
        let bucket = [Bucket::Key.name().as_bytes()];
        let found = file.view().get(&bucket, &row.encode()).ok().flatten()?;
        let kv: KeyValue = proto::decode(&found)?;
        Some(StoredValue {
            revision: summary.newest.main,
            is_deleted: summary.is_deleted,
            ..stored_value(&kv, shows_secrets)
        })
    }
}

/// Returns the indexes of the given weights, sorted by weight, largest first. Equal weights keep their order.
fn most_first(weights: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = weights.map(|weight| u64::MAX - weight).zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

fn group(prefix: &[u8], is_key: bool) -> PrefixRow {
    PrefixRow {
        prefix: prefix.to_vec(),
        text: Bytes::from(prefix).to_text(),
        is_key,
        ..PrefixRow::default()
    }
}

impl PrefixRow {
    fn add(&mut self, key: &KeySummary) {
        let (newest_rows, newest_bytes) = match key.is_deleted {
            true => (0, 0),
            false => (1, key.newest_bytes),
        };
        self.keys += newest_rows;
        self.newest_rows += newest_rows;
        self.newest_bytes += newest_bytes;
        self.older_rows += key.rows - newest_rows;
        self.older_bytes += key.bytes - newest_bytes;
        self.generations += key.generations;
        self.revision = self.revision.max(key.newest.main);
    }

    fn add_group(&mut self, other: &Self) {
        self.keys += other.keys;
        self.newest_rows += other.newest_rows;
        self.newest_bytes += other.newest_bytes;
        self.older_rows += other.older_rows;
        self.older_bytes += other.older_bytes;
        self.generations += other.generations;
        self.revision = self.revision.max(other.revision);
    }
}
