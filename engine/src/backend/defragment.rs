//! A defragmentation: copies all rows into a new file, without the free and half-full pages of the old file.
//!
//! Mirrors `defrag` and `defragdb` in `backend.go`. The caller copies the rows in steps.

use super::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::digest::Undigested;
use crate::bbolt::node::FILL_SEQUENTIAL;
use crate::bbolt::{Db, Tx};

/// The number of rows that a defragmentation copies in one transaction (`defragLimit`).
const DEFRAGMENT_ROWS: u32 = 10_000;

/// A new file that is being filled with the rows of a backend.
#[derive(Debug)]
pub struct Defragmentation {
    db: Db,
    tx: Tx,
    /// The index of the current bucket in [`Bucket::ALL`].
    bucket: usize,
    /// The row key at which the next step starts; `None` if the new file does not yet have the current bucket.
    from: Option<Bytes>,
    /// The number of rows in the open transaction.
    in_tx: u32,
    rows: u64,
}

impl Defragmentation {
    fn new(backend: &Backend) -> Self {
        let mut db = Db::new(backend.db.options());
        Self {
            tx: db.begin(),
            db,
            bucket: 0,
            from: None,
            in_tx: 0,
            rows: 0,
        }
    }

    /// Returns the number of rows that were copied.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Copies up to `rows` more rows of `backend`, which must not change between the steps. Returns true when no rows
    /// are left.
    pub fn step(&mut self, backend: &Backend, rows: usize) -> bool {
        let mut left = rows;
        while let Some(bucket) = Bucket::ALL.get(self.bucket).copied() {
            if self.from.is_none() && !self.create(backend, bucket) {
                self.bucket += 1;
                continue;
            }
            let path = [bucket.name().as_bytes()];
            let from = self.from.take().unwrap_or_default();
            let mut last = None;
            for (key, value) in backend.rows_from(bucket, &from).take(left) {
                self.in_tx += 1;
                if self.in_tx > DEFRAGMENT_ROWS {
                    self.commit();
                    set_fill(&mut self.tx, bucket);
                }
                let put = self.tx.put(&path, &key, &value);
                put.expect("a row fits and the pages are not damaged");
                self.rows += 1;
                left -= 1;
                last = Some(key);
            }
            match last {
                Some(last) if left == 0 => {
                    // The next step starts after the last key: at this key followed by a zero byte.
                    self.from = Some(Bytes::from([&last, &[0][..]].concat()));
                    return false;
                }
                _ => self.bucket += 1,
            }
        }
        true
    }

    /// Creates the bucket in the new file if the old file has it.
    fn create(&mut self, backend: &Backend, bucket: Bucket) -> bool {
        if !backend.has_bucket(bucket) {
            return false;
        }
        let created = self.tx.create_bucket(&[], bucket.name().as_bytes());
        created.expect("a new database has no buckets");
        set_fill(&mut self.tx, bucket);
        true
    }

    fn commit(&mut self) {
        let next = self.db.begin();
        let tx = std::mem::replace(&mut self.tx, next);
        self.db.commit(tx).expect("a new database is not damaged");
        self.tx = self.db.begin();
        self.in_tx = 0;
    }

    fn finish(mut self) -> Db {
        self.commit();
        self.db.reopen();
        self.db
    }
}

fn set_fill(tx: &mut Tx, bucket: Bucket) {
    let set = tx.set_fill(&[bucket.name().as_bytes()], FILL_SEQUENTIAL);
    set.expect("the bucket was created above");
}

impl Backend {
    /// Commits the batch and copies all rows into a new file (`defrag`).
    pub fn defragment(&mut self) {
        let mut defragmentation = self.begin_defragmentation();
        while !defragmentation.step(self, usize::MAX) {}
        self.finish_defragmentation(defragmentation);
    }

    /// Commits the batch and starts a defragmentation that copies the rows in steps.
    pub fn begin_defragmentation(&mut self) -> Defragmentation {
        self.commit();
        Defragmentation::new(self)
    }

    /// Replaces the file with the new file. Call this method after [`Defragmentation::step`] has returned true.
    pub fn finish_defragmentation(&mut self, defragmentation: Defragmentation) {
        self.db = defragmentation.finish();
        self.set_disk_full(self.is_disk_full());
        self.readers_at_begin = Vec::new();
        self.last_commit = Undigested(None);
        // The defragmentation has just written all pages of the new file in order. The page cache therefore contains
        // the last pages of the file.
        let pages = self.db.view().meta().high_water;
        if let Some(cache) = &mut self.page_cache {
            cache.clear();
            (0..pages).for_each(|page| cache.hold(page));
        }
    }
}
