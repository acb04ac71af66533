//! The strip: adjacent pages of a file, with the use of each page. Only the page headers are read.

use std::collections::BTreeSet;

use super::{PAGES_MAX, PageCell, PageKind};
use crate::backend::Backend;
use crate::bbolt::View;
use crate::bbolt::page::Kind;

/// Returns at most [`PAGES_MAX`] adjacent pages, including page `first`. The first page number is a multiple of
/// [`PAGES_MAX`].
pub(super) fn cells(backend: &Backend, written: &BTreeSet<u64>, first: u64) -> Vec<PageCell> {
    let view = backend.file();
    let page_count = view.meta().high_water;
    let first = first.min(page_count.saturating_sub(1)) / PAGES_MAX * PAGES_MAX;
    let end = page_count.min(first + PAGES_MAX);
    let mut kinds = vec![PageKind::Leaf; end as usize];
    let mut set = |id: u64, kind| {
        if let Some(place) = kinds.get_mut(id as usize) {
            *place = kind;
        }
    };
    // Only the header of an earlier page shows that a page is an overflow page, so headers before the window are read,
    // too.
    let mut id = 2;
    let freelist = backend.db().freelist();
    for (start, length) in freelist.runs() {
        id = headers(&view, id..start.min(end), &mut set);
        (start..(start + length).min(end)).for_each(|free| set(free, PageKind::Free));
        id = id.max(start + length);
    }
    headers(&view, id..end, &mut set);
    for (pending, _) in freelist.pending() {
        set(pending, PageKind::Pending);
    }
    (0..2).for_each(|meta| set(meta, PageKind::Meta));
    let shown = (first..end).zip(kinds.into_iter().skip(first as usize));
    let cell = |(id, kind)| PageCell {
        id,
        kind,
        is_written: written.contains(&id),
    };
    shown.map(cell).collect()
}

/// Visits the pages of a range that contains no free pages. Returns the number of the first page after the visited
/// pages.
fn headers(view: &View, range: std::ops::Range<u64>, set: &mut impl FnMut(u64, PageKind)) -> u64 {
    let mut id = range.start;
    while id < range.end {
        let header = view.pages().header(id);
        let (kind, overflow) = header.unwrap_or((Kind::Leaf, 0));
        set(id, kind_of(kind));
        let behind = range.end.min(id + 1 + u64::from(overflow));
        (id + 1..behind).for_each(|page| set(page, PageKind::Overflow));
        id = behind;
    }
    id
}

pub(super) fn kind_of(kind: Kind) -> PageKind {
    match kind {
        Kind::Meta => PageKind::Meta,
        Kind::Freelist => PageKind::Freelist,
        Kind::Branch => PageKind::Branch,
        Kind::Leaf => PageKind::Leaf,
    }
}
