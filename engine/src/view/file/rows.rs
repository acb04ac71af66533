//! Walks over all rows of a file, in steps. Pages that are damaged are passed over.

use crate::bbolt::bucket::{BucketHeader, HEADER};
use crate::bbolt::leaf::BUCKET;
use crate::bbolt::page::{Kind, Page};
use crate::bbolt::{Span, View};

/// What the walk meets, in the order of the file's keys.
#[derive(Clone, Debug)]
pub enum Met {
    /// A bucket begins.
    Bucket(Span),
    /// A row of the bucket that began last.
    Row(Span, Span),
}

/// A page, and the element to go on with.
struct Frame {
    page: Page,
    index: usize,
    is_root: bool,
    /// Bytes that the elements from `index` on can have: more would be those of elements before.
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

/// The walk.
pub struct RowWalk {
    view: View,
    /// Pages that were entered: each is entered once, whatever links to it.
    entered: Vec<bool>,
    path: Vec<Frame>,
    pages: u64,
    has_skipped: bool,
}

impl RowWalk {
    /// Begins at the first bucket.
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

    /// Meets up to so many more elements; true when there are none left.
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
                // etcd's buckets hold no buckets.
                (_, true) => self.has_skipped = true,
            }
        }
        self.path.is_empty()
    }

    /// Pages that were entered.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Whether something was passed over.
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
