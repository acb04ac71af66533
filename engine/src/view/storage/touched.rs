//! The pages that a read or a commit touched, in order.

use super::strip::kind_of;
use super::{PageKind, TOUCHED_MAX, TOUCHED_ROWS_MAX, TouchedBy, TouchedPage, TouchedPages};
use crate::backend::{Backend, Bucket, PageCount};
use crate::base::Bytes;

/// Returns the pages that a read of these rows needs or, without rows, the pages that the last commit wrote. Rows that
/// are only in the batch need no page.
pub(super) fn touched(backend: &Backend, rows: &[Bytes]) -> Option<TouchedPages> {
    let mut touched = Touched::default();
    if !rows.is_empty() {
        let counted = rows.iter().take(TOUCHED_ROWS_MAX).cloned();
        backend.each_page_of_rows(Bucket::Key, counted, |page| touched.add(page));
        return Some(touched.of(backend, TouchedBy::Read, rows.len() as u64));
    }
    let size = u64::from(backend.file().meta().page_size);
    for write in &backend.last_commit()?.report.writes {
        let count = write.bytes.len() as u64 / size;
        (write.page..write.page + count).for_each(|page| touched.add(page));
    }
    Some(touched.of(backend, TouchedBy::Commit, 0))
}

#[derive(Default)]
struct Touched {
    /// The first pages, each with whether it is sequential.
    pages: Vec<(u64, bool)>,
    count: PageCount,
    last: Option<u64>,
}

impl Touched {
    fn add(&mut self, page: u64) {
        let before = self.count.sequential;
        self.count.add(page, self.last);
        self.last = Some(page);
        if self.pages.len() < TOUCHED_MAX {
            self.pages.push((page, self.count.sequential > before));
        }
    }

    fn of(self, backend: &Backend, by: TouchedBy, rows: u64) -> TouchedPages {
        let view = backend.file();
        let page = |(id, is_sequential)| TouchedPage {
            id,
            kind: match id {
                0 | 1 => PageKind::Meta,
                // An overflow page has no header of its own.
                id => view
                    .page(id)
                    .map_or(PageKind::Overflow, |page| kind_of(page.kind())),
            },
            is_sequential,
        };
        TouchedPages {
            by,
            pages: self.pages.into_iter().map(page).collect(),
            sequential: self.count.sequential,
            random: self.count.random,
            rows,
        }
    }
}
