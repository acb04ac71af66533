//! Builds the Storage view from a member's database file, page by page.

use std::collections::BTreeSet;

use super::page::{Chosen, kind_at, page_view};
use super::touched::touched;
use super::tree::KeyTree;
use super::{CommitView, DEFRAG_BYTES_MAX, PageCell, PageKind, StorageQuery, StorageView};
use super::{index, strip};
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::time::SimTime;
use crate::mvcc::{Revision, TreeIndex};

/// The maximum number of operations in the batch of uncommitted changes. For larger batches, the view omits the size
/// after `defrag`.
const OPS_MAX: u32 = 256;

/// A member's database file, and the state of the member's process.
#[derive(Clone, Copy, Debug)]
pub struct StorageMoment<'a> {
    /// The file, and the batch of uncommitted changes.
    pub backend: &'a Backend,
    /// The keys in memory; `None` while the process is not running.
    pub index: Option<&'a TreeIndex>,
    /// The current time on the member's clock.
    pub now: SimTime,
    /// The rows that the read at the cursor reads, by their keys in the bucket `key`.
    pub rows_read: &'a [Bytes],
    /// The member's quota in bytes, and whether it has the alarm `NOSPACE`; `None` while the process is not running.
    pub quota: Option<(u64, bool)>,
}

pub fn storage_view(moment: StorageMoment<'_>, query: &StorageQuery) -> StorageView {
    let backend = moment.backend;
    let (db, view) = (backend.db(), backend.file());
    let written: BTreeSet<u64> = backend.last_commit().map_or_else(BTreeSet::new, |commit| {
        let size = view.meta().page_size as usize;
        let writes = commit.report.writes.iter();
        let pages = writes.flat_map(|w| w.page..w.page + (w.bytes.len() / size) as u64);
        pages.collect()
    });
    let tree = KeyTree::new(backend, &view, moment.index);
    let wanted = query.row.as_ref().map(|row| {
        let revision = row.revision.map(|(main, sub)| Revision::new(main, sub));
        (Bytes::from(row.key.as_slice()), revision)
    });
    let row = tree.row(wanted.as_ref().map(|(key, revision)| (key, *revision)));
    let path = row.and_then(|row| tree.path(row));
    let page_count = view.meta().high_water;
    let cells = strip::cells(backend, &written, query.first);
    let shown = query.page.filter(|page| *page < page_count);
    // The leaf that contains the row, or that will contain the row after the next commit.
    let leaf = path.as_ref().and_then(|path| path.pages.last().copied());
    let levels = tree.levels(row, &written);
    let last_leaf = levels
        .last()
        .and_then(|leaves| Some(leaves.pages.last()?.id));
    let shown = shown
        .or(leaf)
        .or(last_leaf)
        .unwrap_or(view.meta().root.page);
    let row_key = row.map(|row| row.encode()).unwrap_or_default();
    let chosen = match query.element {
        // If the selected page no longer exists, its element number does not apply to the page shown instead.
        Some(element) if query.page == Some(shown) => Chosen::Place(element),
        _ => Chosen::Row(&row_key),
    };
    let key = path.as_ref().map(|path| Bytes::from(path.key.as_slice()));
    StorageView {
        page_bytes: u64::from(view.meta().page_size),
        bytes: db.bytes(),
        bytes_in_use: db.bytes_in_use(),
        bytes_after_defrag: after_defrag(backend),
        page_count,
        free: db.freelist().free_count(),
        pending: db.freelist().pending_count(),
        readers: db.readers().to_vec(),
        txid: view.meta().txid,
        commit: backend.last_commit().map(|commit| CommitView {
            at_us: commit.at.0,
            operations: u64::from(commit.operations),
            written: commit
                .report
                .writes
                .iter()
                .map(|write| write.page)
                .collect(),
            bytes: commit.report.bytes_written(),
            freed: commit.report.freed.clone(),
        }),
        touched: touched(backend, moment.rows_read),
        quota_bytes: moment.quota.map(|(bytes, _)| bytes),
        has_no_space: moment.quota.is_some_and(|(_, has_no_space)| has_no_space),
        batch_rows: in_batch(backend, true),
        batch_removes: in_batch(backend, false),
        batch: tree.batch(),
        commit_in_us: backend.due().map(|due| due.0.saturating_sub(moment.now.0)),
        index: moment
            .index
            .map(|index| index::row(index, key.as_ref(), &tree)),
        levels,
        page: Some(page_view(
            &view,
            shown,
            kind_of_page(backend, &cells, shown),
            chosen,
        )),
        path,
        pages: cells,
        metrics: None,
    }
}

/// Returns the number of puts in the batch of uncommitted changes if `puts` is true, and the number of removed rows if
/// `puts` is false.
fn in_batch(backend: &Backend, puts: bool) -> u64 {
    let changes = Bucket::ALL.into_iter().flat_map(|b| backend.batch(b));
    changes.filter(|(_, value)| value.is_some() == puts).count() as u64
}

/// Returns the use of a page. The page can be outside the strip, which is the displayed part of the file.
fn kind_of_page(backend: &Backend, cells: &[PageCell], id: u64) -> PageKind {
    if let Some(cell) = cells.iter().find(|cell| cell.id == id) {
        return cell.kind;
    }
    let freelist = backend.db().freelist();
    if freelist.pending().any(|(pending, _)| pending == id) {
        PageKind::Pending
    } else if freelist.contains(id) {
        PageKind::Free
    } else {
        kind_at(&backend.file(), id)
    }
}

/// Runs `defrag` on a copy of the file and returns the resulting file size. Returns `None` if the file or the batch is
/// too large, or if a snapshot is open.
fn after_defrag(backend: &Backend) -> Option<u64> {
    let is_large = backend.db().bytes() > DEFRAG_BYTES_MAX || backend.pending_ops() > OPS_MAX;
    if is_large || !backend.db().readers().is_empty() {
        return None;
    }
    let mut copy = backend.clone();
    copy.defragment();
    Some(copy.db().bytes())
}
