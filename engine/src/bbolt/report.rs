//! The report of a write transaction: the pages that it read, freed, allocated and wrote, and the nodes that it split
//! and merged.
//!
//! The writes are in bbolt's order: data pages by number, then, after an fsync, the meta page. A simulated power
//! failure can occur between any two writes.

use im::OrdSet;

use crate::base::Bytes;

/// A run of contiguous pages that the transaction allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The number of the first page.
    pub page: u64,
    pub count: u64,
    /// Whether the pages come from the free list. Otherwise, the pages are at the end of the database.
    pub is_reused: bool,
}

/// A split of one node into several pages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The page that the node was read from, or 0 for a new node.
    pub from: u64,
    /// The pages that contain the parts of the node.
    pub into: Vec<u64>,
}

/// A merge of one node into another, or the removal of an empty node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Merge {
    /// The page that the merge freed.
    pub from: u64,
    /// The old page of the node that received the elements, or `None` if an empty node was removed.
    pub into: Option<u64>,
}

/// One call that writes contiguous pages to the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// The number of the first page.
    pub page: u64,
    /// The bytes of the pages. The length is a whole number of pages.
    pub bytes: Bytes,
}

/// The report of a write transaction.
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
    pub txid: u64,
    /// The meta page that the commit wrote: 0 or 1.
    pub meta_page: u64,
    /// The branch and leaf pages that the transaction read from the file.
    pub read: OrdSet<u64>,
    /// The pending pages that became free at the start of the transaction because no reader could see them.
    pub released: Vec<u64>,
    /// The pages that the transaction freed. The pages are pending until the next write transaction, or longer if a
    /// reader can see them.
    pub freed: Vec<u64>,
    pub allocated: Vec<Run>,
    pub splits: Vec<Split>,
    /// The nodes that the transaction merged or removed.
    pub merges: Vec<Merge>,
    /// The writes, in order. The last write is the meta page.
    pub writes: Vec<Write>,
    /// The high-water mark before the transaction: the number of the first page that was never used.
    pub high_water_before: u64,
    pub high_water: u64,
    /// The length of the file after the transaction, in bytes.
    pub file_bytes: u64,
}

impl Report {
    /// Returns the total size of all writes in bytes, including the meta page.
    pub fn bytes_written(&self) -> u64 {
        self.writes.iter().map(|w| w.bytes.len() as u64).sum()
    }

    pub(super) fn write(&mut self, page: u64, bytes: Bytes) {
        self.writes.push(Write { page, bytes });
    }
}
