//! The comparison of two states, in steps. First the rows of both files are read side by side, in the order of their
//! revisions. Then the keys of both states are compared in the order of the keys.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use super::LIST_MAX;
use super::build::{BYTES_AT_ONCE, ELEMENT_BYTES, FileSummary, KeyState, SummedRow};
use super::comparison::{
    ChangedKey, ComparedGroup, ComparedSide, ComparisonQuery, ComparisonView, History, KeyChange,
    RevisionRow,
};
use super::csv;
use super::key_list::KeyFilter;
use super::largest::{Group, LargestGroups};
use super::rows::{Met, RowWalk};
use super::search::SAVED_BYTES_MAX;
use super::writers::KindOfValue;
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::mix::Mix;
use crate::base::shared_list::SharedList;
use crate::base::small_sort::SmallSort;
use crate::bbolt::blocks::Blocks;
use crate::bbolt::check::{Findings, Use};
use crate::bbolt::{File, Source, Span};
use crate::etcd::FileIdentity;
use crate::kube::encryption::EncryptionKeys;
use crate::mvcc::hash_kv::KvHasher;
use crate::mvcc::kv_store::NEVER_COMPACTED;
use crate::mvcc::{BucketKey, Revision};
use crate::words::{comparison as words, file as file_words};

/// The number of keys or rows that one step visits.
const AT_ONCE: usize = 500;
/// The bytes that the comparison needs for each row of a file.
const ROW_BYTES: u64 = 17;

/// A file whose state is compared.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    pub identity: &'a FileIdentity,
    pub file: &'a File,
    pub summary: &'a FileSummary,
    pub findings: &'a Findings,
}

impl Compared<'_> {
    fn is_damaged(&self) -> bool {
        !self.findings.damages.is_empty() || !self.summary.is_whole()
    }

    /// Returns the revision to compare, or the reason why the file does not have the state at that revision.
    fn revision(&self, at: Option<i64>) -> Result<i64, String> {
        let (limits, name) = (self.summary.revision_limits(), &self.identity.name);
        match at.unwrap_or(limits.newest) {
            at if at > limits.newest => Err(words::future(name, at, limits.newest)),
            at if at < limits.compacted => Err(words::compacted(name, at, limits.compacted)),
            at if at < 1 => Err(words::NO_REVISION.to_owned()),
            at => Ok(at),
        }
    }
}

/// What the comparison keeps of a row: the hash of its value, and the size of the row in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct RowContent {
    value: u64,
    bytes: u32,
}

/// The result of reading the rows of both files: first of the open file, then of the other file.
#[derive(Debug)]
pub struct RowContents {
    /// The rows of each file; the second list is empty if there is no other file.
    rows: [SharedList<RowContent>; 2],
    history: History,
    hashes: [Option<u32>; 2],
}

/// The two states of a comparison, as its questions about single keys need them.
#[derive(Clone, Debug)]
pub struct ComparedStates {
    /// Whether each state is from the other file instead of the open file.
    pub is_other: [bool; 2],
    pub revisions: [i64; 2],
}

/// A comparison with its position and its result so far.
pub struct ComparisonRun {
    query: ComparisonQuery,
    filter: KeyFilter,
    states: ComparedStates,
    work: Work,
    prefix: Vec<u8>,
    result: Growing,
    /// The number of visited keys and rows, out of `total`.
    done: u64,
    total: u64,
}

enum Work {
    Mark(Box<Marking>),
    Read(Box<Reading>),
    /// The keys are compared from here on.
    Keys(Arc<RowContents>, Bound<Bytes>),
}

enum Growing {
    View(Box<Counts>),
    Table(String),
}

/// The counts of a view.
#[derive(Default)]
struct Counts {
    all: ComparedGroup,
    groups: LargestGroups<ComparedGroup>,
    kinds: BTreeMap<KindOfValue, ComparedGroup>,
    keys: Vec<ChangedKey>,
    matches: u64,
}

/// A finished comparison.
pub struct Comparison {
    pub found: Found,
    pub states: ComparedStates,
    /// The rows of the files, for the next comparison of the same files.
    pub contents: Arc<RowContents>,
}

/// The result of a comparison.
pub enum Found {
    View(Box<ComparisonView>),
    Table(Vec<u8>),
    /// The table would be too large.
    Refused(String),
}

impl ComparisonRun {
    /// Creates a comparison of the open file with another file, or with itself. `contents` are the rows of the same two
    /// files, if an earlier comparison has read them.
    pub fn new(
        query: ComparisonQuery,
        open: Compared<'_>,
        other: Option<Compared<'_>>,
        contents: Option<Arc<RowContents>>,
        is_table: bool,
    ) -> Result<Self, String> {
        let given = [open, other.unwrap_or(open)];
        let at = [
            given[0].revision(query.at[0])?,
            given[1].revision(query.at[1])?,
        ];
        let order = if at[1] < at[0] { [1, 0] } else { [0, 1] };
        let sides = order.map(|side: usize| given[side]);
        let summaries = sides.map(|side| side.summary);
        let prefix = query.prefix.clone();
        let prefix = prefix.unwrap_or_else(|| common_prefix(summaries).to_vec());
        let keys: u64 = summaries.iter().map(|summary| summary.known_keys()).sum();
        let rows: u64 = summaries.iter().map(|summary| summary.stored_rows()).sum();
        let (work, total) = match contents {
            Some(contents) => (Work::keys(contents, &prefix), keys),
            None => {
                let marking = Marking::new(open, other);
                (Work::Mark(marking.into()), 2 * keys + rows)
            }
        };
        Ok(Self {
            result: match is_table {
                true => Growing::Table(csv::line(ChangedKey::COLUMNS)),
                false => Growing::View(Box::default()),
            },
            filter: KeyFilter {
                text: query.text.clone(),
                is_deleted: false,
            },
            states: ComparedStates {
                is_other: order.map(|side| side == 1 && other.is_some()),
                revisions: order.map(|side| at[side]),
            },
            query,
            work,
            prefix,
            done: 0,
            total,
        })
    }

    /// Returns the estimated memory that a comparison needs with the summaries of its files, in bytes.
    pub fn bytes(open: Compared<'_>, other: Option<Compared<'_>>) -> u64 {
        let of = |file: Compared<'_>| file.summary.bytes() + file.summary.stored_rows() * ROW_BYTES;
        of(open) + other.map_or(0, of)
    }

    pub fn progress(&self) -> (u64, u64) {
        (self.done.min(self.total), self.total)
    }

    /// Compares the next rows or keys of the open file and of the other file, or of the open file alone. Returns the
    /// result once nothing is left to compare.
    pub fn step(&mut self, open: Compared<'_>, other: Option<Compared<'_>>) -> Option<Comparison> {
        match &mut self.work {
            Work::Mark(marking) => {
                self.done += AT_ONCE as u64;
                if marking.step(open, other) {
                    self.work = Work::Read(Reading::new(open, other, marking).into());
                }
                None
            }
            Work::Read(reading) if reading.load_ahead() => None,
            Work::Read(reading) => {
                let (rows, is_done) = reading.step();
                self.done += rows;
                if is_done {
                    self.work = Work::keys(Arc::new(reading.finish()), &self.prefix);
                }
                None
            }
            Work::Keys(contents, from) => {
                let (contents, from) = (contents.clone(), from.clone());
                let file = |is_other: bool| other.filter(|_| is_other).unwrap_or(open);
                let sides = self.states.is_other.map(file);
                match self.compare_keys(sides, &contents, from.as_ref()) {
                    Some(last) if !self.is_too_large() => {
                        self.work = Work::Keys(contents, Bound::Excluded(last));
                        None
                    }
                    _ => Some(self.finish(sides, contents)),
                }
            }
        }
    }

    fn finish(&mut self, sides: [Compared<'_>; 2], contents: Arc<RowContents>) -> Comparison {
        let is_too_large = self.is_too_large();
        let found = match std::mem::replace(&mut self.result, Growing::Table(String::new())) {
            Growing::Table(_) if is_too_large => {
                Found::Refused(file_words::saved_too_large(SAVED_BYTES_MAX >> 20))
            }
            Growing::Table(text) => Found::Table(text.into_bytes()),
            Growing::View(counts) => Found::View(self.view(sides, &contents, *counts).into()),
        };
        Comparison {
            found,
            states: self.states.clone(),
            contents,
        }
    }

    fn view(
        &self,
        sides: [Compared<'_>; 2],
        contents: &RowContents,
        counts: Counts,
    ) -> ComparisonView {
        let (groups, others) = counts.groups.finish();
        let mut kinds: Vec<_> = counts.kinds.into_iter().collect();
        kinds.small_sort_by_key(|(_, group)| std::cmp::Reverse(group.rank()));
        let is_other = self.states.is_other;
        let side = |n: usize| {
            let hash = contents.hashes[usize::from(is_other[n])];
            compared_side(sides[n], self.states.revisions[n], hash)
        };
        let mut history = contents.history.clone();
        if let (History::Parts { rows, .. }, true) = (&mut history, is_other[0]) {
            rows.reverse();
        }
        ComparisonView {
            sides: [0, 1].map(side),
            history,
            query: self.query.clone(),
            prefix: self.prefix.clone(),
            groups,
            others,
            all: counts.all,
            kinds,
            keys: counts.keys,
            matches: counts.matches,
        }
    }

    fn is_too_large(&self) -> bool {
        matches!(&self.result, Growing::Table(text) if text.len() > SAVED_BYTES_MAX)
    }

    /// Compares the next keys with the prefix. Returns the last compared key, or `None` if no keys remain.
    fn compare_keys(
        &mut self,
        sides: [Compared<'_>; 2],
        contents: &RowContents,
        from: Bound<&Bytes>,
    ) -> Option<Bytes> {
        let mut keys = [0, 1].map(|n: usize| {
            let keys = sides[n].summary.keys_at(from, self.states.revisions[n]);
            keys.take(AT_ONCE).peekable()
        });
        let (mut last, mut visited) = (None, 0);
        // One file can have more keys in a range than the other, so a step ends before the first list ends.
        while visited < AT_ONCE {
            let next = keys.each_mut().map(|keys| keys.peek().map(|(key, _)| *key));
            let key = next.into_iter().flatten().min()?;
            if !key.starts_with(&self.prefix) {
                return None;
            }
            let states = keys
                .each_mut()
                .map(|keys| keys.next_if(|(next, _)| *next == key))
                .map(|next| next.map(|(_, state)| state));
            visited += states.iter().flatten().count();
            self.meet(contents, key, &states);
            last = Some(key);
        }
        self.done += visited as u64;
        last.cloned()
    }

    /// Counts a key that is in at least one of the files.
    fn meet(&mut self, contents: &RowContents, key: &Bytes, states: &[Option<KeyState<'_>>; 2]) {
        let live = [0, 1].map(|n: usize| {
            let (index, row) = states[n].as_ref()?.row.filter(|(_, row)| !row.tombstone)?;
            let rows = &contents.rows[usize::from(self.states.is_other[n])];
            let content = rows.get(index as usize).copied().unwrap_or_default();
            Some((row.revision, content))
        });
        let change = match live {
            [None, None] => return,
            [None, Some(_)] => Some(KeyChange::Created),
            [Some(_), None] => Some(KeyChange::Deleted),
            [Some(one), Some(other)] if one.1.value != other.1.value => Some(KeyChange::Changed),
            [Some(one), Some(other)] => (one.0 != other.0).then_some(KeyChange::Rewritten),
        };
        let bytes = live.map(|live| live.map(|(_, content)| content.bytes));
        let is_listed = change.is_some_and(|change| {
            self.query.change.is_none_or(|wanted| wanted == change)
                && self.filter.matches(key, false)
        });
        let changed = || {
            let deleted = states[1].as_ref().and_then(|state| state.row);
            ChangedKey {
                key: key.to_vec(),
                text: key.to_text(),
                change: change.unwrap_or(KeyChange::Changed),
                revisions: live.map(|live| live.map(|(revision, _)| revision)),
                bytes: bytes.map(|bytes| bytes.unwrap_or_default().into()),
                deleted: deleted
                    .filter(|(_, row)| row.tombstone)
                    .map(|(_, row)| row.revision.main),
            }
        };
        match &mut self.result {
            Growing::Table(text) if is_listed => text.push_str(&changed().to_csv()),
            Growing::Table(_) => {}
            Growing::View(counts) => {
                counts.all.add(change, bytes);
                let kind = states.iter().flatten().find_map(|state| state.kind);
                let kind = kind.unwrap_or(&KindOfValue::Other);
                if !counts.kinds.contains_key(kind) {
                    counts.kinds.insert(kind.clone(), ComparedGroup::default());
                }
                if let Some(group) = counts.kinds.get_mut(kind) {
                    group.add(change, bytes);
                }
                let group = counts.groups.group_of(key, self.prefix.len());
                group.add(change, bytes);
                if is_listed {
                    counts.matches += 1;
                    if counts.keys.len() < self.query.limit as usize {
                        counts.keys.push(changed());
                    }
                }
            }
        }
    }
}

impl Work {
    /// Starts to compare the keys with a prefix.
    fn keys(contents: Arc<RowContents>, prefix: &[u8]) -> Self {
        Self::Keys(contents, Bound::Included(Bytes::from(prefix)))
    }
}

impl ChangedKey {
    const COLUMNS: [&str; 7] = [
        "key",
        "change",
        "revision_before",
        "revision_after",
        "row_bytes_before",
        "row_bytes_after",
        "deleted_at",
    ];

    fn to_csv(&self) -> String {
        let revision = |at: Option<Revision>| at.map_or_else(String::new, |at| at.main.to_string());
        csv::line([
            &*csv::safe(&self.text),
            self.change.name(),
            &revision(self.revisions[0]),
            &revision(self.revisions[1]),
            &self.bytes[0].to_string(),
            &self.bytes[1].to_string(),
            &self.deleted.map_or_else(String::new, |at| at.to_string()),
        ])
    }
}

fn compared_side(side: Compared<'_>, revision: i64, hash_kv: Option<u32>) -> ComparedSide {
    let limits = side.summary.revision_limits();
    let uses = &side.findings.uses;
    ComparedSide {
        name: side.identity.name.to_string(),
        revision,
        newest: limits.newest,
        compacted: Some(limits.compacted).filter(|at| *at != NEVER_COMPACTED),
        rows: side.summary.stored_rows(),
        bytes: side.identity.bytes,
        pages: uses.len() as u64,
        free_pages: uses.iter().filter(|used| **used == Use::Free).count() as u64,
        hash_kv,
        is_damaged: side.is_damaged(),
    }
}

/// Returns the longest prefix that all keys of both files have in common and that ends in `/`.
fn common_prefix([one, other]: [&FileSummary; 2]) -> &[u8] {
    let [one, other] = [one, other].map(FileSummary::common_prefix);
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let same = one.get(..same).unwrap_or_default();
    match same.iter().rposition(|byte| *byte == b'/') {
        Some(at) => &same[..=at],
        None => &[],
    }
}

/// The rows up to the compact revision that the hash of a store includes: the newest row of each live key. The marks
/// are made key by key.
struct Marking {
    /// The revisions that both files have completely; `None` without another file, or if rows are missing.
    common: Option<(i64, i64)>,
    side: usize,
    after: Option<Bytes>,
    /// Whether each row is the newest row of a key at the newest common revision.
    is_newest: [Vec<bool>; 2],
}

impl Marking {
    fn new(open: Compared<'_>, other: Option<Compared<'_>>) -> Self {
        let sides = [open, other.unwrap_or(open)];
        let limits = sides.map(|side| side.summary.revision_limits());
        // A store that was never compacted starts at revision 1, which has no rows.
        let first = limits.iter().map(|l| l.compacted).max().unwrap_or(0).max(0) + 1;
        let last = limits.iter().map(|l| l.newest).min().unwrap_or(0);
        let is_damaged = sides.iter().any(Compared::is_damaged);
        let is_comparable = other.is_some() && !is_damaged && first <= last;
        let common = is_comparable.then_some((first, last));
        let rows = |side: Compared<'_>| vec![false; side.summary.stored_rows() as usize];
        Self {
            is_newest: match common {
                Some(_) => sides.map(rows),
                None => [Vec::new(), Vec::new()],
            },
            common,
            side: 0,
            after: None,
        }
    }

    /// Marks the rows of the next keys. Returns true once all keys are visited.
    fn step(&mut self, open: Compared<'_>, other: Option<Compared<'_>>) -> bool {
        let side = if self.side == 0 { Some(open) } else { other };
        let (Some((_, last)), Some(side)) = (self.common, side) else {
            return true;
        };
        let from = self
            .after
            .as_ref()
            .map_or(Bound::Unbounded, Bound::Excluded);
        let keys = side.summary.keys_at(from, last);
        let mut after = None;
        for (key, state) in keys.take(AT_ONCE) {
            after = Some(key.clone());
            let place = state.row.filter(|(_, row)| !row.tombstone);
            let marks = &mut self.is_newest[self.side];
            if let Some(mark) = place.and_then(|(index, _)| marks.get_mut(index as usize)) {
                *mark = true;
            }
        }
        if after.is_none() {
            self.side += 1;
        }
        self.after = after;
        self.side == self.is_newest.len()
    }
}

/// The maximum size of the pages of each file that are loaded ahead, in bytes.
const AHEAD_BYTES: u64 = 32 << 20;

/// The rows of the bucket `key` of a file, one by one.
struct RowCursor {
    source: Source,
    walk: RowWalk,
    is_in_bucket: bool,
    is_done: bool,
    next: Option<CursorRow>,
}

#[derive(Clone)]
struct CursorRow {
    at: BucketKey,
    key: Span,
    value: Span,
}

impl RowCursor {
    fn new(file: &File) -> Self {
        let source = file.source().clone();
        if let Some(blocks) = source.blocks() {
            blocks.read_ahead(AHEAD_BYTES);
        }
        Self {
            source,
            walk: RowWalk::new(file.view()),
            is_in_bucket: false,
            is_done: false,
            next: None,
        }
    }

    /// Returns the next row without taking it.
    fn peek(&mut self) -> Option<&CursorRow> {
        while self.next.is_none() && !self.is_done {
            let mut met = None;
            self.is_done = self.walk.step(1, |what| met = Some(what));
            match met {
                Some(Met::Bucket(name)) => {
                    self.is_in_bucket = *name == *Bucket::Key.name().as_bytes();
                }
                // The summary skips the same rows.
                Some(Met::Row(key, value)) if self.is_in_bucket => {
                    let at = BucketKey::decode(&key).filter(|_| SummedRow::read(&value).is_some());
                    self.next = at.map(|at| CursorRow { at, key, value });
                }
                _ => {}
            }
        }
        self.next.as_ref()
    }
}

impl Drop for RowCursor {
    fn drop(&mut self) {
        if let Some(blocks) = self.source.blocks() {
            blocks.end_read_ahead();
        }
    }
}

/// The rows of both files are read side by side.
struct Reading {
    /// The cursor of each file.
    cursors: Vec<RowCursor>,
    common: Option<(i64, i64)>,
    is_newest: [Vec<bool>; 2],
    /// Whether each file has live keys at the newest common revision.
    has_live_keys: [bool; 2],
    encryption: [Arc<EncryptionKeys>; 2],
    rows: [SharedList<RowContent>; 2],
    hashers: [Option<KvHasher>; 2],
    /// The rows of the revision that is being read, if both files have it.
    revision: i64,
    current: [Vec<CursorRow>; 2],
    /// The first revision with different rows.
    parts_at: Option<i64>,
    history: History,
}

impl Reading {
    fn new(open: Compared<'_>, other: Option<Compared<'_>>, marking: &mut Marking) -> Self {
        let sides = [open, other.unwrap_or(open)];
        let files = [Some(open), other].into_iter().flatten();
        let hasher = |side: Compared<'_>| {
            let (_, last) = marking.common?;
            let compacted = side.summary.revision_limits().compacted;
            Some(KvHasher::new(compacted, last, side.summary.profile()))
        };
        Self {
            cursors: files.map(|side| RowCursor::new(side.file)).collect(),
            common: marking.common,
            hashers: sides.map(hasher),
            encryption: sides.map(|side| side.summary.encryption().clone()),
            rows: [SharedList::default(), SharedList::default()],
            revision: 0,
            current: [Vec::new(), Vec::new()],
            parts_at: None,
            history: match (marking.common, other) {
                (_, None) => History::OneFile,
                (Some((first, last)), _) => History::Same { first, last },
                (None, _) if sides.iter().any(Compared::is_damaged) => History::Damaged,
                (None, _) => History::NothingInCommon,
            },
            has_live_keys: marking
                .is_newest
                .each_ref()
                .map(|marks| marks.contains(&true)),
            is_newest: std::mem::take(&mut marking.is_newest),
        }
    }

    /// Loads the next pages of a file. Returns false if no page is missing.
    fn load_ahead(&self) -> bool {
        let mut cursors = self.cursors.iter();
        cursors.any(|cursor| cursor.source.blocks().is_some_and(Blocks::load_ahead))
    }

    /// Reads the next rows. Returns their number, and true once all rows are read.
    fn step(&mut self) -> (u64, bool) {
        let (mut rows, mut bytes) = (0, 0);
        while rows < AT_ONCE as u64 && bytes < BYTES_AT_ONCE {
            let heads = self
                .cursors
                .iter_mut()
                .map(|cursor| cursor.peek().map(|row| row.at.revision));
            let Some(revision) = heads.flatten().min() else {
                self.end_revision();
                return (rows, true);
            };
            if revision.main != self.revision {
                self.end_revision();
                self.revision = revision.main;
            }
            let mut taken = [None, None];
            for (side, cursor) in self.cursors.iter_mut().enumerate() {
                taken[side] = cursor.next.take_if(|row| row.at.revision == revision);
            }
            for (side, row) in taken.iter().enumerate() {
                if let Some(row) = row {
                    (rows, bytes) = (rows + 1, bytes + row.value.len());
                    self.add(side, row);
                }
            }
            self.compare(taken);
        }
        (rows, false)
    }

    fn add(&mut self, side: usize, row: &CursorRow) {
        let index = self.rows[side].len();
        let stored = SummedRow::read(&row.value).unwrap_or_default();
        // A value that is encrypted again has other bytes, also if it is the same.
        let plain = self.encryption[side].decrypt(stored.key, stored.value);
        let value = plain.as_deref().unwrap_or(stored.value);
        let bytes = (row.key.len() + row.value.len()) as u64 + ELEMENT_BYTES;
        self.rows[side].push(RowContent {
            value: Mix::of(value),
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        });
        if let Some(hasher) = &mut self.hashers[side] {
            let is_newest = self.is_newest[side].get(index).copied().unwrap_or(false);
            let is_kept = self.has_live_keys[side].then_some(|_| is_newest);
            hasher.write(&row.key, &row.value, is_kept);
        }
    }

    /// Compares the rows of both files at a revision and sub-revision.
    fn compare(&mut self, taken: [Option<CursorRow>; 2]) {
        let Some((first, last)) = self.common else {
            return;
        };
        if !(first..=last).contains(&self.revision)
            || self.parts_at.is_some_and(|at| at != self.revision)
        {
            return;
        }
        let is_same = match &taken {
            [Some(one), Some(other)] => {
                one.at == other.at && *one.key == *other.key && *one.value == *other.value
            }
            _ => false,
        };
        if !is_same {
            self.parts_at = Some(self.revision);
        }
        for (rows, row) in self.current.iter_mut().zip(taken) {
            if rows.len() < LIST_MAX {
                rows.extend(row);
            }
        }
    }

    /// Reports the rows of the revision that was read, if the files part there.
    fn end_revision(&mut self) {
        let rows = std::mem::take(&mut self.current);
        if let Some((first, last)) = self.common
            && self.parts_at == Some(self.revision)
        {
            self.history = History::Parts {
                first,
                last,
                at: self.revision,
                rows: rows.map(|rows| rows.iter().map(revision_row).collect()),
            };
        }
    }

    fn finish(&mut self) -> RowContents {
        RowContents {
            rows: std::mem::take(&mut self.rows),
            history: self.history.clone(),
            hashes: self
                .hashers
                .each_ref()
                .map(|hasher| hasher.as_ref().map(|h| h.finish().hash)),
        }
    }
}

fn revision_row(row: &CursorRow) -> RevisionRow {
    let stored = SummedRow::read(&row.value).unwrap_or_default();
    RevisionRow {
        text: Bytes::from(stored.key).to_text(),
        is_delete: row.at.tombstone,
        bytes: stored.value.len() as u64,
        version: stored.version,
    }
}
