//! Visits all rows of a file, in steps. Skips damaged pages.

use crate::bbolt::bucket::{BucketHeader, HEADER};
use crate::bbolt::leaf::BUCKET;
use crate::bbolt::page::{Kind, Page};
use crate::bbolt::{Span, View};

/// An element that the walk visits. Elements are visited in the order of keys in the file.
#[derive(Clone, Debug)]
pub enum Met {
    /// The start of a bucket, with its name.
    Bucket(Span),
    /// A row: its key and its value. The row belongs to the last bucket that the walk reported.
    Row(Span, Span),
}

/// A page on the path from the root, with the index of its next element to visit.
struct Frame {
    page: Page,
    index: usize,
    is_root: bool,
    /// The number of bytes of the page that no element before `index` uses. If an element needs more bytes, the element
    /// overlaps earlier elements, which is damage.
    left: usize,
}

impl Frame {
    fn new(page: Page, is_root: bool) -> Self {
        Self {
            left: page.bytes().len(),
            index: 0,
            page,
            is_root,
        }
    }
}

/// A walk over all rows of a file, which can stop after any number of elements.
pub struct RowWalk {
    view: View,
    /// Whether the walk has visited each page. The walk visits a page only once, even if several links point to the
    /// page.
    entered: Vec<bool>,
    path: Vec<Frame>,
    pages: u64,
    has_skipped: bool,
}

impl RowWalk {
    /// Creates a walk that starts at the first bucket.
    pub fn new(view: &View) -> Self {
        let held = view.pages().held().min(view.meta().high_water);
        let mut walk = Self {
            view: view.clone(),
            entered: vec![false; held as usize],
            path: Vec::new(),
            pages: 0,
            has_skipped: false,
        };
        walk.enter(view.meta().root.page, true);
        walk
    }

    /// Visits up to `count` more elements and calls `meet` for each bucket and row. Returns true if no elements
    /// remain.
    pub fn step(&mut self, count: usize, mut meet: impl FnMut(Met)) -> bool {
        for _ in 0..count {
            let Some(frame) = self.path.last_mut() else {
                return true;
            };
            if frame.index == usize::from(frame.page.count()) {
                self.path.pop();
                continue;
            }
            let item = frame.page.item(frame.index);
            let (kind, is_root) = (frame.page.kind(), frame.is_root);
            frame.index += 1;
            let Ok(item) = item else {
                self.has_skipped = true;
                continue;
            };
            match frame.left.checked_sub(item.key.len() + item.value.len()) {
                Some(left) => frame.left = left,
                None => {
                    self.has_skipped = true;
                    self.path.pop();
                    continue;
                }
            }
            match (kind, item.flags & BUCKET != 0) {
                (Kind::Branch, _) => self.enter(item.child, is_root),
                (_, false) if is_root => {}
                (_, false) => meet(Met::Row(item.key, item.value)),
                (_, true) if is_root => {
                    meet(Met::Bucket(item.key));
                    self.enter_bucket(&item.value);
                }
                // etcd has no nested buckets.
                (_, true) => self.has_skipped = true,
            }
        }
        self.path.is_empty()
    }

    /// Returns the number of pages that the walk has visited.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Returns true if damaged pages or elements were skipped.
    pub fn has_skipped(&self) -> bool {
        self.has_skipped
    }

    fn enter_bucket(&mut self, value: &Span) {
        let header = BucketHeader::read(value).unwrap_or_default();
        if header.page != 0 {
            return self.enter(header.page, false);
        }
        let inline = value.from_offset(HEADER);
        match inline.map(|bytes| Page::open_inline(0, 0, bytes)) {
            Some(Ok(page)) => self.path.push(Frame::new(page, false)),
            _ => self.has_skipped = true,
        }
    }

    fn enter(&mut self, id: u64, is_root: bool) {
        let place = usize::try_from(id).ok();
        let is_new = place.and_then(|at| self.entered.get_mut(at));
        let is_new = is_new.is_some_and(|entered| !std::mem::replace(entered, true));
        let page = self.view.page(id).ok().filter(|_| is_new);
        match page.filter(|page| matches!(page.kind(), Kind::Branch | Kind::Leaf)) {
            Some(page) => {
                self.pages += 1;
                self.path.push(Frame::new(page, is_root));
            }
            None => self.has_skipped = true,
        }
    }
}
