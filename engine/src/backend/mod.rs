//! The physical database of a member: named buckets of ordered rows in a bbolt file.
//!
//! Mirrors `server/storage/backend`: writes are collected in a batch, and one bbolt transaction commits the batch after
//! 10,000 operations or 100 ms. Reads check the batch before the file. The simulation has no separate event for a
//! commit. If a batch is overdue, the next use of the backend commits the batch and records the time at which the batch
//! was due. etcd keeps a write transaction open from one commit to the next. The simulator stores only the batch and
//! the read transactions that were open when the write transaction began. Left out: locks.

mod bucket;
mod defragment;
mod open;
mod page_cache;
mod rows;
mod snapshot;

use std::hash::{Hash, Hasher};
use std::ops::Bound;
use std::sync::Arc;

use im::OrdMap;

use crate::api::{Difference, Profile};
use crate::base::Bytes;
use crate::base::digest::{Sparse, Undigested};
use crate::base::durations::Durations;
use crate::base::planted::Planted;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::bbolt::node::FILL_SEQUENTIAL;
use crate::bbolt::{Crash, Cursor, Damage, Db, Disk, Lookup, Options, Report, Span, View};

pub use bucket::Bucket;
pub use defragment::Defragmentation;
pub use open::OpenError;
pub use page_cache::{PageCache, PageCount};
pub use snapshot::SnapshotStatus;

/// `--backend-batch-limit`: the number of operations after which a batch is committed.
pub const BATCH_OPS_MAX: u32 = 10_000;
/// `--backend-batch-interval`: the maximum time that a change waits for its commit.
pub const BATCH_INTERVAL: SimDuration = SimDuration::from_millis(100);

const PS_PER_US: u64 = 1_000_000;

/// The key of a row in the bucket `meta`. The row contains the revision of the last finished compaction. The raft log
/// has no entry for this row, so a restart loses the row if it is not yet committed.
const FINISHED_COMPACTION: &str = "finishedCompactRev";

/// The key of a row in the bucket `meta`. The row contains the index of the last applied raft entry.
const CONSISTENT_INDEX: &str = "consistent_index";

/// The changed rows of a bucket by key. `None` stands for a deleted row.
type Batch = OrdMap<Bytes, Option<Bytes>>;

/// A commit of the batch to the database file.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The time at which the commit began, according to the member's clock.
    pub at: SimTime,
    /// The time for which the disk wrote.
    pub took: SimDuration,
    /// The number of puts and deletes in the batch.
    pub operations: u32,
    pub report: Report,
    /// The number of pages that the commit wrote, including the meta page.
    pub pages: PageCount,
}

/// A member's database: a bbolt file and the batch of changes since the last commit.
///
/// ```
/// use watchglass_engine::backend::{Backend, Bucket};
/// use watchglass_engine::base::time::SimTime;
/// let mut b = Backend::default();
/// b.put(Bucket::Meta, "consistent_index".into(), "4".into());
/// assert_eq!(b.rows(Bucket::Meta).count(), 1);
/// assert_eq!((b.pending_ops(), b.file().meta().txid), (1, 2));
/// b.advance(SimTime(100_000));
/// assert_eq!((b.pending_ops(), b.file().meta().txid), (0, 3));
/// assert_eq!(b.rows(Bucket::Meta).count(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Backend {
    db: Db,
    /// Changes since the last commit, by bucket.
    batch: [Batch; Bucket::ALL.len()],
    pending_ops: u32,
    row_counts: [u64; Bucket::ALL.len()],
    /// For each bucket, a key that is at least as great as all keys of the bucket in the file. The backend does not
    /// search the file for greater keys.
    last_keys: [Bytes; Bucket::ALL.len()],
    /// The time of the last call of the backend, according to the member's clock.
    now: SimTime,
    /// The time at which the member's process started.
    started: SimTime,
    /// The time at which the batch is due for its commit; `None` if the batch is empty.
    due: Option<SimTime>,
    /// The transaction IDs of the readers that were open when the current write transaction began, right after the last
    /// commit. Only these readers prevent the write transaction from reusing pending pages.
    readers_at_begin: Vec<u64>,
    /// The number of pages written since the process started.
    pages_written: PageCount,
    /// The durations of the commits since the process started.
    commits: Durations,
    /// The end of the last commit.
    commit_end: Sparse<SimTime>,
    /// The duration of writing a page, in picoseconds, by its place on the disk.
    page_write_ps: Undigested<PageCount>,
    /// The page cache. With `None`, the whole file is in memory and reads are not counted.
    page_cache: Option<PageCache>,
    /// The last commit, which is used only for display.
    last_commit: Undigested<Option<Arc<Commit>>>,
    /// The number of pages that the file had when the disk became full; `None` if the disk has space.
    full_at: Option<u64>,
    /// Whether a commit failed because the disk is full. After such a failure, etcd ends its process.
    has_failed: bool,
}

impl Default for Backend {
    fn default() -> Self {
        Self::new(Profile::V3_4)
    }
}

impl Backend {
    /// Creates an empty database with etcd's buckets.
    pub fn new(profile: Profile) -> Self {
        let mut db = Db::new(Self::options(profile));
        let mut tx = db.begin();
        for bucket in Bucket::AT_START {
            let created = tx.create_bucket(&[], bucket.name().as_bytes());
            created.expect("a new database has no buckets");
        }
        db.commit(tx).expect("a new database is not damaged");
        Self::over(db)
    }

    /// Sets the etcd version whose bbolt options apply to later writes.
    pub fn set_profile(&mut self, profile: Profile) {
        self.db.set_options(Self::options(profile));
    }

    fn options(profile: Profile) -> Options {
        match profile.has(Difference::UsesBbolt14) {
            false => Options::etcd_3_4(),
            true => Options::etcd_3_6(),
        }
    }

    fn over(db: Db) -> Self {
        Self {
            db,
            batch: Default::default(),
            pending_ops: 0,
            row_counts: [0; Bucket::ALL.len()],
            last_keys: Default::default(),
            now: SimTime(0),
            started: SimTime(0),
            due: None,
            readers_at_begin: Vec::new(),
            pages_written: PageCount::default(),
            commits: Durations::default(),
            commit_end: Sparse::default(),
            page_write_ps: Undigested::default(),
            page_cache: None,
            last_commit: Undigested(None),
            full_at: None,
            has_failed: false,
        }
    }

    /// Sets whether the disk is full. On a full disk, a commit can write the pages that the file already has, but the
    /// file cannot grow.
    pub fn set_disk_full(&mut self, is_full: bool) {
        self.full_at = is_full.then(|| self.db.view().meta().high_water);
    }

    pub fn is_disk_full(&self) -> bool {
        self.full_at.is_some()
    }

    /// Returns true if a commit failed since the process started.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    pub fn put(&mut self, bucket: Bucket, key: Bytes, value: Bytes) {
        if !self.contains(bucket, &key) {
            self.row_counts[bucket as usize] += 1;
        }
        self.batch[bucket as usize].insert(key, Some(value));
        self.add_operation();
    }

    /// Deletes a row; returns true if the row existed.
    pub fn delete(&mut self, bucket: Bucket, key: &Bytes) -> bool {
        let is_there = self.contains(bucket, key);
        if is_there {
            self.row_counts[bucket as usize] -= 1;
        }
        self.batch[bucket as usize].insert(key.clone(), None);
        self.add_operation();
        is_there
    }

    fn add_operation(&mut self) {
        self.pending_ops += 1;
        if self.due.is_none() {
            let ticks = (self.now - self.started).0 / BATCH_INTERVAL.0;
            self.due = Some(self.started + SimDuration((ticks + 1) * BATCH_INTERVAL.0));
        }
    }

    fn contains(&self, bucket: Bucket, key: &Bytes) -> bool {
        match self.batch[bucket as usize].get(key) {
            Some(change) => change.is_some(),
            None => self.get(bucket, key).is_some(),
        }
    }

    pub fn get(&self, bucket: Bucket, key: &Bytes) -> Option<Span> {
        self.reader(bucket).get(key)
    }

    /// Returns a reader for several rows of a bucket.
    pub fn reader(&self, bucket: Bucket) -> Reader<'_> {
        Reader {
            backend: self,
            bucket,
            in_file: None,
        }
    }

    /// Returns the rows whose keys are `start` or greater, in key order.
    pub fn rows_from<'a>(
        &'a self,
        bucket: Bucket,
        start: &Bytes,
    ) -> impl Iterator<Item = (Span, Span)> + use<'a> {
        let batch = self.batch[bucket as usize].range(start.clone()..);
        let is_in_file = *start <= self.last_keys[bucket as usize];
        let cursor = is_in_file.then(|| self.cursor(bucket)).flatten();
        rows::forwards(cursor, start, batch)
    }

    /// Returns all rows of a bucket, in key order.
    pub fn rows(&self, bucket: Bucket) -> impl Iterator<Item = (Span, Span)> + use<'_> {
        self.rows_from(bucket, &Bytes::default())
    }

    /// Returns all rows of a bucket, the greatest key first.
    pub fn rows_backwards(&self, bucket: Bucket) -> impl Iterator<Item = (Span, Span)> + use<'_> {
        rows::backwards(
            self.cursor(bucket),
            self.batch[bucket as usize].iter().rev(),
        )
    }

    /// Returns a cursor over the bucket in the file; `None` if the file does not have the bucket.
    fn cursor(&self, bucket: Bucket) -> Option<Cursor> {
        let cursor = self.db.view().cursor(&[bucket.name().as_bytes()]);
        cursor.expect("the pages of a database are not damaged")
    }

    /// Returns true if the database has the bucket. Only the bucket `qos` can be missing.
    pub fn has_bucket(&self, bucket: Bucket) -> bool {
        !self.batch[bucket as usize].is_empty() || self.cursor(bucket).is_some()
    }

    pub fn row_count(&self, bucket: Bucket) -> u64 {
        self.row_counts[bucket as usize]
    }

    /// Advances the time to `now` and commits the batch if it was due by then.
    pub fn advance(&mut self, now: SimTime) {
        self.now = self.now.max(now);
        if let Some(due) = self.due
            && due <= now
        {
            self.commit_at(due);
        }
    }

    /// Commits the batch if it has [`BATCH_OPS_MAX`] operations. Call this at the end of a write transaction.
    pub fn commit_if_full(&mut self) {
        if self.pending_ops >= BATCH_OPS_MAX {
            self.commit();
        }
    }

    /// Commits the batch now (`ForceCommit`).
    pub fn commit(&mut self) {
        self.commit_at(self.now);
    }

    /// Commits the batch, and then the row that the next log entry would change. The pages that a commit frees count as
    /// used until the commit after it.
    pub fn commit_twice(&mut self) {
        self.commit();
        let key = Bytes::from(CONSISTENT_INDEX);
        let index = self.get(Bucket::Meta, &key);
        let index = index.map_or_else(|| Bytes::from(&[0; 8][..]), |index| Bytes::from(&*index));
        self.put(Bucket::Meta, key, index);
        self.commit();
    }

    fn commit_at(&mut self, at: SimTime) {
        self.due = None;
        if self.pending_ops == 0 {
            return;
        }
        let before = self.full_at.map(|pages| (pages, self.clone()));
        let mut tx = self.db.begin_beside(&self.readers_at_begin);
        for bucket in Bucket::ALL {
            let batch = std::mem::take(&mut self.batch[bucket as usize]);
            let Some((last, _)) = batch.get_max() else {
                continue;
            };
            let path = [bucket.name().as_bytes()];
            if bucket == Bucket::Qos && self.cursor(bucket).is_none() {
                let created = tx.create_bucket(&[], path[0]);
                created.expect("the database does not have the bucket");
            }
            // In etcd, only `UnsafeSeqPut` sets the fill percent. So a batch without puts keeps bbolt's default fill
            // percent.
            if bucket == Bucket::Key && batch.iter().any(|(_, value)| value.is_some()) {
                let set = tx.set_fill(&path, FILL_SEQUENTIAL);
                set.expect("every bucket is created with the database");
            }
            let last_key = &mut self.last_keys[bucket as usize];
            for (key, value) in batch.range::<_, Bytes>(..=&*last_key) {
                let changed = match value {
                    Some(value) => tx.put(&path, key, value),
                    None => tx.delete(&path, key),
                };
                changed.expect("a row fits and the pages are not damaged");
            }
            let behind = (Bound::Excluded(&*last_key), Bound::Unbounded);
            let behind = batch.range::<_, Bytes>(behind);
            let rows = behind.filter_map(|(key, value)| Some((key.clone(), value.clone()?)));
            let appended = tx.append(&path, rows);
            appended.expect("a row fits and the pages are not damaged");
            if *last_key < *last {
                *last_key = last.clone();
            }
        }
        let report = self.db.commit(tx);
        let report = report.expect("the pages of a database are not damaged");
        if let Some((pages, before)) = before
            && self.db.view().meta().high_water > pages
        {
            *self = before;
            self.has_failed = true;
            return;
        }
        self.readers_at_begin = self.db.readers().to_vec();
        let operations = std::mem::take(&mut self.pending_ops);
        let page_bytes = self.db.options().page_size;
        let pages = PageCount::written(&report, page_bytes);
        self.pages_written.add_all(pages);
        let prices = *self.page_write_ps;
        let took_ps = pages.sequential * prices.sequential + pages.random * prices.random;
        let took = SimDuration(took_ps / PS_PER_US);
        self.commits.add(took);
        if took.0 > 0 {
            *self.commit_end = at.max(*self.commit_end) + took;
        }
        if let Some(cache) = &mut self.page_cache {
            for write in &report.writes {
                let count = write.bytes.len() as u64 / u64::from(page_bytes);
                (write.page..write.page + count).for_each(|page| cache.hold(page));
            }
        }
        self.last_commit = Undigested(Some(Arc::new(Commit {
            at,
            took,
            operations,
            report,
            pages,
        })));
    }

    /// Sets the size of the page cache in bytes and empties it. If the size is 0, the whole file is in memory and reads
    /// are not counted.
    pub fn set_page_cache(&mut self, bytes: u64) {
        let pages = bytes / u64::from(self.db.options().page_size);
        self.page_cache = (bytes > 0).then(|| PageCache::new(pages));
    }

    /// Returns the size of the page cache in bytes; 0 if the whole file is in memory.
    pub fn page_cache_bytes(&self) -> u64 {
        let pages = self.page_cache.as_ref().map_or(0, PageCache::pages_max);
        pages * u64::from(self.db.options().page_size)
    }

    /// Returns the number of bytes of the file that are in memory. The operating system counts these bytes as the
    /// memory of etcd, which maps the file, and takes them back when it needs them.
    pub fn bytes_in_memory(&self) -> u64 {
        let page_size = u64::from(self.db.options().page_size);
        match &self.page_cache {
            Some(cache) => cache.pages() * page_size,
            None => self.db.bytes(),
        }
    }

    /// Returns the page cache with its counts of page reads since the process started; `None` if the whole file is in
    /// memory.
    pub fn page_cache(&self) -> Option<&PageCache> {
        self.page_cache.as_ref()
    }

    /// Returns the durations of the commits since the process started.
    pub fn commits(&self) -> &Durations {
        &self.commits
    }

    /// Returns the time until which the commits write. Until then, they hold the lock of the batch.
    pub fn commit_end(&self) -> SimTime {
        *self.commit_end
    }

    /// Sets the duration of writing a page, in picoseconds, by its place on the disk.
    pub fn set_page_write_ps(&mut self, prices: PageCount) {
        self.page_write_ps = Undigested(prices);
    }

    /// Returns the number of pages that commits have written since the process started, including meta pages.
    pub fn pages_written(&self) -> PageCount {
        self.pages_written
    }

    /// Counts the pages that a read of these rows needs.
    pub fn count_row_reads(&mut self, bucket: Bucket, keys: impl IntoIterator<Item = Bytes>) {
        if let Some(mut cache) = self.page_cache.take() {
            self.each_page_of_rows(bucket, keys, |page| cache.read(page));
            self.page_cache = Some(cache);
        }
    }

    /// Visits the pages that a read of these rows needs, in the order of the reads. bbolt searches each row from the
    /// root of its bucket. So a row needs the branch pages on its path and its leaf page, unless the row is in the
    /// batch.
    pub fn each_page_of_rows(
        &self,
        bucket: Bucket,
        keys: impl IntoIterator<Item = Bytes>,
        mut visit: impl FnMut(u64),
    ) {
        let found = self.db.view().lookup(&[bucket.name().as_bytes()]);
        let found = found.expect("the pages of a database are not damaged");
        let lookup = found.expect("every bucket is created with the database");
        for key in keys {
            if self.batch[bucket as usize].contains_key(&key) {
                continue;
            }
            let pages = lookup.pages_to(&key);
            let pages = pages.expect("the pages of a database are not damaged");
            for page in pages {
                page.numbers().for_each(&mut visit);
            }
        }
    }

    /// Counts the pages that a read of the whole file needs, from the first page to the last.
    pub fn count_file_read(&mut self) {
        let pages = self.db.view().meta().high_water;
        if let Some(cache) = &mut self.page_cache {
            (0..pages).for_each(|page| cache.read(page));
        }
    }

    /// Begins a read transaction on the state of the file after the last commit. Until [`end_read`](Self::end_read),
    /// commits do not reuse the pages that the transaction sees.
    pub fn begin_read(&mut self) -> View {
        self.db.begin_read()
    }

    pub fn end_read(&mut self, view: &View) {
        self.db.end_read(view);
    }

    /// Stops the process. Nothing is committed until [`start`](Self::start).
    pub fn stop(&mut self, now: SimTime) {
        self.advance(now);
        self.due = None;
    }

    /// Simulates a power failure during the commit of the batch. Afterwards, the file contains the state before or
    /// after this commit. With an empty batch, the file does not change. The caller must start the process again.
    ///
    /// # Errors
    /// Returns an error if the file can no longer be opened. This happens only if a test has planted a fault.
    pub fn crash(
        &mut self,
        now: SimTime,
        planted: Planted,
        rng: &mut Rng,
    ) -> Result<Crash, Damage> {
        self.advance(now);
        if self.pending_ops == 0 || self.is_disk_full() {
            self.clear_page_cache();
            self.stop(now);
            return Ok(Crash::default());
        }
        let before = self.clone();
        let mut disk = Disk::new(self.db.view().pages().clone());
        self.commit_at(now);
        let commit = self.last_commit().cloned();
        let commit = commit.expect("there were operations");
        let crash = disk.commit_until_crash(&commit.report, planted, rng);
        let pages = disk.into_pages();
        let file = self.db.recovered(&before.db, pages, &commit.report)?;
        if file.view().meta().txid != commit.report.txid {
            *self = before;
        }
        self.db = file;
        self.due = None;
        self.clear_page_cache();
        Ok(crash)
    }

    fn clear_page_cache(&mut self) {
        if let Some(cache) = &mut self.page_cache {
            cache.clear();
        }
    }

    /// Starts the process at `now` with the file after the last commit. The process then reapplies the log entries that
    /// follow this commit. These entries write the same rows as the batch, so the rows stay in the batch. Rows that a
    /// compaction deleted after the commit exist again, because the log has no entries for these deletions. The start
    /// counts one read of the whole file (`MAP_POPULATE`).
    pub fn start(&mut self, now: SimTime) {
        self.db.reopen();
        self.pages_written = PageCount::default();
        self.commits = Durations::default();
        self.commit_end = Sparse::default();
        if let Some(cache) = &mut self.page_cache {
            cache.forget_counts();
        }
        self.count_file_read();
        self.readers_at_begin = Vec::new();
        (self.now, self.started, self.due) = (now, now, None);
        self.has_failed = false;
        self.last_commit = Undigested(None);
        let mut batch = std::mem::take(&mut self.batch);
        self.pending_ops = 0;
        let finished = Bytes::from(FINISHED_COMPACTION);
        if batch[Bucket::Meta as usize].remove(&finished).is_some()
            && self.get(Bucket::Meta, &finished).is_none()
        {
            self.row_counts[Bucket::Meta as usize] -= 1;
        }
        for (bucket, batch) in Bucket::ALL.into_iter().zip(batch) {
            for (key, value) in batch {
                match value {
                    Some(_) => {
                        self.batch[bucket as usize].insert(key, value);
                        self.add_operation();
                    }
                    None if bucket == Bucket::Key => self.row_counts[bucket as usize] += 1,
                    None => {
                        self.batch[bucket as usize].insert(key, None);
                        self.add_operation();
                    }
                }
            }
        }
    }

    /// Returns a copy of the backend at the time `now`. The copy has committed any batch that was due by then.
    pub fn at(&self, now: SimTime) -> Self {
        let mut there = self.clone();
        there.advance(now);
        there
    }

    /// Returns the index of the last log entry whose changes the file contains.
    pub fn file_index(&self) -> u64 {
        let path = [Bucket::Meta.name().as_bytes()];
        let found = self.db.view().get(&path, CONSISTENT_INDEX.as_bytes());
        let found = found.ok().flatten();
        let number = found.and_then(|value| (*value).try_into().ok());
        number.map_or(0, u64::from_be_bytes)
    }

    /// Returns a view of the file after the last commit.
    pub fn file(&self) -> View {
        self.db.view()
    }

    /// Returns the bbolt database, without the batch.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Returns the number of operations since the last commit.
    pub fn pending_ops(&self) -> u32 {
        self.pending_ops
    }

    /// Returns the rows of a bucket that changed since the last commit; `None` means deleted.
    pub fn batch(&self, bucket: Bucket) -> impl Iterator<Item = (&Bytes, Option<&Bytes>)> {
        let batch = self.batch[bucket as usize].iter();
        batch.map(|(key, value)| (key, value.as_ref()))
    }

    /// Returns the time at which the batch is due for its commit, if the batch is not empty.
    pub fn due(&self) -> Option<SimTime> {
        self.due
    }

    /// Returns the last commit since the process started.
    pub fn last_commit(&self) -> Option<&Arc<Commit>> {
        self.last_commit.as_ref()
    }
}

// The hash covers the rows but not the pages. So two runs with the same rows have the same hash, even if their messages
// arrived in different orders and the pages differ. The hash also covers the file's size, which the quota checks, and
// the open readers, which affect the growth of the file.
impl Hash for Backend {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.row_counts.hash(state);
        self.db.bytes().hash(state);
        (self.db.readers(), &self.readers_at_begin).hash(state);
        (self.pages_written, self.commits.count, &self.page_cache).hash(state);
        self.commit_end.hash(state);
        if let Some(pages) = self.full_at {
            (pages, self.has_failed).hash(state);
        }
        for bucket in Bucket::ALL {
            for (key, value) in self.rows(bucket) {
                (key, value).hash(state);
            }
        }
    }
}

/// A reader of a bucket, which checks the batch before the file.
pub struct Reader<'a> {
    backend: &'a Backend,
    bucket: Bucket,
    in_file: Option<Lookup>,
}

impl Reader<'_> {
    pub fn get(&mut self, key: &Bytes) -> Option<Span> {
        let (backend, bucket) = (self.backend, self.bucket);
        if let Some(change) = backend.batch[bucket as usize].get(key) {
            return change.clone().map(Span::from);
        }
        if *key > backend.last_keys[bucket as usize] {
            return None;
        }
        let in_file = self.in_file.get_or_insert_with(|| {
            let found = backend.db.view().lookup(&[bucket.name().as_bytes()]);
            let found = found.expect("the pages of a database are not damaged");
            found.expect("every bucket is created with the database")
        });
        let found = in_file.get(key);
        found.expect("the pages of a database are not damaged")
    }
}
