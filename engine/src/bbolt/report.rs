//! What a transaction did, as plain data: the pages it read, freed, took and wrote, and which nodes it cut or merged.
//!
//! The writes are in the order in which bbolt writes them: data pages by number, then (after an fsync) the meta page. A
//! simulated disk can stop in between.

use im::OrdSet;

use crate::base::Bytes;

/// Pages that were taken in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The first page.
    pub page: u64,
    /// How many pages.
    pub count: u64,
    /// Whether the pages were in the free list; they are new otherwise.
    pub is_reused: bool,
}

/// A node that was cut into several pages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The page it was read from, 0 if it was in none.
    pub from: u64,
    /// The pages that it became.
    pub into: Vec<u64>,
}

/// A node whose elements went to another one, so that its page is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Merge {
    /// The page that is free.
    pub from: u64,
    /// The page of the node that took the elements, 0 if it is in none; `None` when there was no element left.
    pub into: Option<u64>,
}

/// Pages that were written at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// The first page.
    pub page: u64,
    /// The content, a whole number of pages.
    pub bytes: Bytes,
}

/// What a transaction did.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options};
/// let mut db = Db::new(Options::default());
/// let mut tx = db.begin();
/// tx.create_bucket(&[], b"key")?;
/// tx.put(&[b"key"], b"a", b"1")?;
/// let report = db.commit(tx)?;
/// // The root bucket and the free list have new pages: copy-on-write.
/// assert_eq!(report.freed, [3, 2]);
/// assert_eq!(report.writes.iter().map(|write| write.page).collect::<Vec<_>>(), [4, 5, 0]);
/// assert_eq!((report.txid, report.meta_page, report.bytes_written()), (2, 0, 3 * 4096));
/// # Ok::<(), watchglass_engine::bbolt::TxError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Report {
    /// The transaction.
    pub txid: u64,
    /// The meta page that it wrote: 0 or 1.
    pub meta_page: u64,
    /// Branch and leaf pages that it read from the file.
    pub read: OrdSet<u64>,
    /// Pages that no reader could see any more, and that became free before it began.
    pub released: Vec<u64>,
    /// Pages that it freed, pending until the next transaction at least.
    pub freed: Vec<u64>,
    /// Pages that it took.
    pub allocated: Vec<Run>,
    /// Nodes that became several.
    pub splits: Vec<Split>,
    /// Nodes that were merged into others, or were empty.
    pub merges: Vec<Merge>,
    /// What it wrote, in this order; the last is the meta page.
    pub writes: Vec<Write>,
    /// The first page that was never used, before it.
    pub high_water_before: u64,
    /// The first page that was never used, after it.
    pub high_water: u64,
    /// Bytes of the file after it.
    pub file_bytes: u64,
}

impl Report {
    /// Bytes of all writes, the meta page's included.
    pub fn bytes_written(&self) -> u64 {
        self.writes.iter().map(|w| w.bytes.len() as u64).sum()
    }

    pub(super) fn write(&mut self, page: u64, bytes: Bytes) {
        self.writes.push(Write { page, bytes });
    }
}
