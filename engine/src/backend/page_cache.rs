//! Counts the pages of the database file that are read and written, and models the page cache between file and disk.
//!
//! bbolt maps the file into memory and writes it with `pwrite`, so the operating system's page cache contains the most
//! recently used pages that fit in free memory. Here, the size of the cache is a setting, and the least recently used
//! page is evicted; Linux only approximates this order. The counts include the pages that range requests read. Each
//! snapshot, and each start of a process (which maps the file with `MAP_POPULATE`), counts as a read of the whole file.
//! Left out: read-ahead, and the reads of transactions, watchers, compactions and commits.

use im::OrdMap;

use crate::bbolt::Report;

/// A number of pages, divided into sequential and random pages.
///
/// A page is sequential if it directly follows the previous page in the file; otherwise it is random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageCount {
    /// The number of pages that directly follow the previous page in the file.
    pub sequential: u64,
    pub random: u64,
}

impl PageCount {
    /// Counts the pages that a commit wrote, in bbolt's order: data pages by number, then the meta page. The first page
    /// counts as random, because the disk writes other files between two commits.
    ///
    /// ```
    /// use watchglass_engine::backend::{Backend, Bucket};
    /// let mut b = Backend::default();
    /// b.put(Bucket::Meta, "consistent_index".into(), "4".into());
    /// b.commit();
    /// let pages = b.last_commit().unwrap().pages;
    /// // The root page and a meta page.
    /// assert_eq!((pages.sequential, pages.random), (0, 2));
    /// ```
    pub fn written(report: &Report, page_bytes: u32) -> Self {
        let (mut count, mut last) = (Self::default(), None);
        for write in &report.writes {
            let pages = write.bytes.len() as u64 / u64::from(page_bytes);
            for page in write.page..write.page + pages {
                count.add(page, last);
                last = Some(page);
            }
        }
        count
    }

    pub fn total(self) -> u64 {
        self.sequential + self.random
    }

    /// Returns the number of pages that were counted after the count `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            sequential: self.sequential - earlier.sequential,
            random: self.random - earlier.random,
        }
    }

    pub(super) fn add_all(&mut self, other: Self) {
        self.sequential += other.sequential;
        self.random += other.random;
    }

    pub(crate) fn add(&mut self, page: u64, last: Option<u64>) {
        match last.is_some_and(|last| last + 1 == page) {
            true => self.sequential += 1,
            false => self.random += 1,
        }
    }
}

/// The page cache of a member's machine. The cache contains only pages of the database file.
#[derive(Clone, Debug, Hash)]
pub struct PageCache {
    /// The maximum number of pages in the cache; 1 or more.
    pages_max: u64,
    /// The sequence number of the last use of each page.
    used: OrdMap<u64, u64>,
    /// The inverse of `used`: for each sequence number, the page. The least recently used page comes first.
    pages: OrdMap<u64, u64>,
    /// The sequence number of the most recent use of any page.
    uses: u64,
    last_read: Option<u64>,
    last_fetched: Option<u64>,
    hits: PageCount,
    misses: PageCount,
}

impl PageCache {
    pub(super) fn new(pages_max: u64) -> Self {
        Self {
            pages_max: pages_max.max(1),
            used: OrdMap::new(),
            pages: OrdMap::new(),
            uses: 0,
            last_read: None,
            last_fetched: None,
            hits: PageCount::default(),
            misses: PageCount::default(),
        }
    }

    pub fn pages_max(&self) -> u64 {
        self.pages_max
    }

    pub fn pages(&self) -> u64 {
        self.used.len() as u64
    }

    /// Returns the number of pages read from memory. A page is sequential if it directly follows the page that was read
    /// before.
    pub fn hits(&self) -> PageCount {
        self.hits
    }

    /// Returns the number of pages read from the disk. A page is sequential if it directly follows the page that the
    /// disk read before.
    pub fn misses(&self) -> PageCount {
        self.misses
    }

    pub fn has(&self, page: u64) -> bool {
        self.used.contains_key(&page)
    }

    /// Counts a read of a page and adds the page to the cache.
    pub(super) fn read(&mut self, page: u64) {
        if self.has(page) {
            self.hits.add(page, self.last_read);
        } else {
            self.misses.add(page, self.last_fetched);
            self.last_fetched = Some(page);
        }
        self.last_read = Some(page);
        self.hold(page);
    }

    /// Adds a page to the cache after a read or write. If the cache is full, evicts the least recently used page.
    pub(super) fn hold(&mut self, page: u64) {
        self.uses += 1;
        if let Some(before) = self.used.insert(page, self.uses) {
            self.pages.remove(&before);
        }
        self.pages.insert(self.uses, page);
        if self.used.len() as u64 > self.pages_max
            && let Some((oldest, evicted)) = self.pages.get_min().map(|(at, page)| (*at, *page))
        {
            self.pages.remove(&oldest);
            self.used.remove(&evicted);
        }
    }

    /// Resets the counts of reads, when a process starts.
    pub(super) fn forget_counts(&mut self) {
        (self.hits, self.misses) = (PageCount::default(), PageCount::default());
    }

    /// Empties the cache after a power failure or when the file is replaced. The counts continue.
    pub(super) fn clear(&mut self) {
        (self.used, self.pages) = (OrdMap::new(), OrdMap::new());
        (self.last_read, self.last_fetched) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_was_not_used_for_the_longest_time_is_evicted() {
        let mut cache = PageCache::new(3);
        for page in [5, 6, 7, 5, 8] {
            cache.read(page);
        }
        assert!(!cache.has(6) && [5, 7, 8].iter().all(|page| cache.has(*page)));
        let count = |sequential, random| PageCount { sequential, random };
        // The disk read pages 5, 6, 7 and 8. The only read from memory was page 5, which does not follow page 7.
        assert_eq!((cache.misses(), cache.hits()), (count(3, 1), count(0, 1)));
        cache.hold(9);
        cache.read(9);
        assert_eq!((cache.misses(), cache.hits()), (count(3, 1), count(1, 1)));
        cache.clear();
        cache.read(9);
        assert_eq!((cache.pages(), cache.misses()), (1, count(3, 2)));
    }
}
