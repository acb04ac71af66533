//! The links between the pages of a file, collected while the file is read in its own order.
//!
//! etcd reuses free pages, so in a file with a history, the pages of a tree are in any order. With the links, the pages
//! that a walk needs next can be loaded with few long reads (`read_ahead`).
//!
//! Left out: links of branch pages that are not whole in the bytes of one call. The pages below them are read one by
//! one.

use std::collections::BTreeMap;

use super::page::{HEADER_BYTES, Kind, Page, u16_at, u32_at, u64_at};
use super::{Span, View};

/// The maximum number of links per page of the file. Each page in use has one link; free pages can contain old links.
const LINKS_PER_PAGE: usize = 2;

/// The links of a file's branch pages, and the lengths of its pages.
///
/// ```
/// use watchglass_engine::bbolt::page_links::PageLinks;
/// use watchglass_engine::bbolt::{Db, Options};
/// let db = Db::new(Options::default());
/// let mut links = PageLinks::new(&db.view());
/// links.collect(0, &db.to_bytes());
/// assert_eq!(links.children(3), []);
/// assert_eq!(links.overflow(3), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PageLinks {
    page_bytes: usize,
    /// The number of overflow pages of each page, by page number.
    overflow: Vec<u32>,
    /// The child pages of each branch page.
    children: BTreeMap<u32, Vec<u32>>,
    links: usize,
}

impl PageLinks {
    pub fn new(view: &View) -> Self {
        let pages = view.meta().high_water.min(view.pages().held());
        Self {
            page_bytes: view.meta().page_size as usize,
            overflow: vec![0; pages as usize],
            children: BTreeMap::new(),
            links: 0,
        }
    }

    /// Collects the links in `bytes`, which begin at byte `at` of the file, where a page begins.
    pub fn collect(&mut self, at: u64, bytes: &[u8]) {
        let size = self.page_bytes;
        for (id, start) in (at / size as u64..).zip((0..bytes.len()).step_by(size)) {
            let rest = &bytes[start..];
            if rest.len() < HEADER_BYTES || u64_at(rest, 0) != id {
                continue;
            }
            let Some(place) = self.overflow.get_mut(id as usize) else {
                return;
            };
            let (kind, overflow) = (Kind::from_flags(u16_at(rest, 8)), u32_at(rest, 12));
            if !matches!(kind, Some(Kind::Branch | Kind::Leaf)) {
                continue;
            }
            *place = overflow;
            let length = (overflow as usize).saturating_add(1).saturating_mul(size);
            if kind == Some(Kind::Branch) && length <= rest.len() {
                self.add_children(id, Span::from(&rest[..length]));
            }
        }
    }

    fn add_children(&mut self, id: u64, bytes: Span) {
        let Ok(page) = Page::open(id, 0, bytes, self.page_bytes as u32) else {
            return;
        };
        let count = usize::from(page.count());
        if self.links + count > LINKS_PER_PAGE * self.overflow.len() {
            return;
        }
        let children =
            (0..count).filter_map(|index| u32::try_from(page.item(index).ok()?.child).ok());
        self.links += count;
        self.children.insert(id as u32, children.collect());
    }

    /// Returns the child pages of a page, in the order of their keys; none for a leaf page.
    pub fn children(&self, id: u32) -> &[u32] {
        self.children.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of overflow pages of a page.
    pub fn overflow(&self, id: u32) -> u32 {
        self.overflow.get(id as usize).copied().unwrap_or(0)
    }

    /// Returns the number of pages of the file.
    pub fn pages(&self) -> usize {
        self.overflow.len()
    }

    pub fn page_bytes(&self) -> u64 {
        self.page_bytes as u64
    }
}
