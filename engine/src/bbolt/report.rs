//! The report of a transaction, as plain data: pages read, freed, allocated and written, nodes split and merged.
//!
//! The writes are in bbolt's order: data pages by number, then, after an fsync, the meta page. A simulated disk can
//! stop between any two of them.

use im::OrdSet;

use crate::base::Bytes;

/// Contiguous pages that were allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The first page.
    pub page: u64,
    /// The number of pages.
    pub count: u64,
    /// Whether the pages were in the free list. Otherwise they are at the end of the database.
    pub is_reused: bool,
}

/// A node that was split into several pages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The page that the node was read from; 0 for a new node.
    pub from: u64,
    /// The pages of the parts.
    pub into: Vec<u64>,
}

/// A node that was merged into another node, or removed because it was empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Merge {
    /// The page that the merge freed.
    pub from: u64,
    /// The old page of the node that received the elements; `None` when there were no elements.
    pub into: Option<u64>,
}

/// One write of contiguous pages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// The first page.
    pub page: u64,
    /// The content, a whole number of pages.
    pub bytes: Bytes,
}

/// The report of a transaction.
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
    /// The meta page that the commit wrote: 0 or 1.
    pub meta_page: u64,
    /// Branch and leaf pages that were read from the file.
    pub read: OrdSet<u64>,
    /// Pending pages that became free when the transaction began, as no reader could see them.
    pub released: Vec<u64>,
    /// Pages that were freed. They are pending until the next write transaction, or longer for a reader.
    pub freed: Vec<u64>,
    /// Pages that were allocated.
    pub allocated: Vec<Run>,
    /// Nodes that were split.
    pub splits: Vec<Split>,
    /// Nodes that were merged or removed.
    pub merges: Vec<Merge>,
    /// The writes, in order; the last is the meta page.
    pub writes: Vec<Write>,
    /// The high-water mark before the transaction: the first page that was never used.
    pub high_water_before: u64,
    /// The high-water mark after the transaction.
    pub high_water: u64,
    /// Bytes of the file after the transaction.
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
