//! The pages of all trees of a file, in the order in which a walk over all rows reads them.

use std::ops::Range;

use super::View;
use super::blocks::READ_BYTES_MAX;
use super::bucket::BucketHeader;
use super::page_links::PageLinks;

/// The place of a page that is in no tree.
const NOWHERE: u32 = u32::MAX;

/// The order of a walk over all pages: each page comes before its child pages, and child pages are in the order of
/// their keys. In a damaged file, the order omits the pages that no intact page links to.
///
/// ```
/// use watchglass_engine::bbolt::page_links::PageLinks;
/// use watchglass_engine::bbolt::read_plan::ReadPlan;
/// use watchglass_engine::bbolt::{Db, Options};
/// let db = Db::new(Options::default());
/// let mut links = PageLinks::new(&db.view());
/// links.collect(0, &db.to_bytes());
/// let plan = ReadPlan::new(&links, &db.view());
/// assert_eq!(plan.place(3 * 4096), Some(0));
/// assert_eq!(plan.window(0, 1 << 20), 0..1);
/// assert_eq!(plan.parts(0..1), [3 * 4096..4 * 4096]);
/// ```
#[derive(Clone, Debug)]
pub struct ReadPlan {
    page_bytes: u64,
    /// The pages in the order of the walk, each with the number of its overflow pages.
    order: Vec<(u32, u32)>,
    /// The index in `order` of each page, by page number.
    places: Vec<u32>,
}

impl ReadPlan {
    /// Creates the plan of a walk that visits all buckets. Reads the pages of the root bucket.
    pub fn new(links: &PageLinks, view: &View) -> Self {
        let mut plan = Self {
            page_bytes: links.page_bytes(),
            order: Vec::new(),
            places: vec![NOWHERE; links.pages()],
        };
        plan.add_tree(links, view.meta().root.page);
        let mut buckets = view.cursor(&[]).ok().flatten();
        let mut entry = buckets.as_mut().and_then(|buckets| buckets.first().ok()?);
        while let Some(bucket) = entry {
            if bucket.is_bucket
                && let Some(header) = BucketHeader::read(&bucket.value)
            {
                plan.add_tree(links, header.page);
            }
            entry = buckets.as_mut().and_then(|buckets| buckets.next().ok()?);
        }
        plan
    }

    fn add_tree(&mut self, links: &PageLinks, root: u64) {
        // An inline bucket has no page.
        let root = u32::try_from(root).ok().filter(|root| *root != 0);
        let mut next: Vec<u32> = root.into_iter().collect();
        while let Some(page) = next.pop() {
            let place = self.places.get_mut(page as usize);
            let Some(place) = place.filter(|place| **place == NOWHERE) else {
                continue;
            };
            *place = self.order.len() as u32;
            self.order.push((page, links.overflow(page)));
            next.extend(links.children(page).iter().rev());
        }
    }

    /// Returns the place in the walk of the page that contains byte `at`.
    pub fn place(&self, at: u64) -> Option<usize> {
        let page = usize::try_from(at / self.page_bytes).ok()?;
        let place = self.places.get(page).filter(|place| **place != NOWHERE);
        place.map(|place| *place as usize)
    }

    /// Returns the places of the pages from `place` on that have at most `bytes` bytes in total, but at least one page.
    pub fn window(&self, place: usize, bytes: u64) -> Range<usize> {
        let mut left = bytes;
        let mut end = place;
        while let Some((_, overflow)) = self.order.get(end) {
            let length = (u64::from(*overflow) + 1) * self.page_bytes;
            if end > place && length > left {
                break;
            }
            left = left.saturating_sub(length);
            end += 1;
        }
        place..end
    }

    /// Returns where the pages at some places are in the file, in bytes and in ascending order. Leaves out pages that
    /// cannot be read.
    pub fn parts(&self, places: Range<usize>) -> Vec<Range<u64>> {
        let pages = self.order.get(places).unwrap_or_default();
        let part = |(page, overflow): &(u32, u32)| {
            let start = u64::from(*page) * self.page_bytes;
            start..start + (u64::from(*overflow) + 1) * self.page_bytes
        };
        let is_readable = |part: &Range<u64>| part.end - part.start <= READ_BYTES_MAX as u64;
        let mut parts: Vec<Range<u64>> = pages.iter().map(part).filter(is_readable).collect();
        parts.sort_unstable_by_key(|part| part.start);
        parts
    }
}
