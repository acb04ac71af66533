//! Pages of the database file that are read and written, and the page cache between the file and the disk.
//!
//! bbolt maps the file into memory and writes it with `pwrite`, so the cache is the operating system's: it holds what
//! was read or written last, up to the memory that nobody else needs. Here its size is a setting, and the page that was
//! not used for the longest time is evicted, where Linux only approximates that. Counted are the rows that range
//! requests read, a snapshot, which reads the whole file, and the start of a process, which maps the file with
//! `MAP_POPULATE`. Left out: read-ahead, and what transactions, watchers, compactions and commits read.

use im::OrdMap;

use crate::bbolt::Report;

/// Pages, in two parts.
///
/// A page is sequential when it lies right behind the page before it, and random otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageCount {
    /// Pages that directly follow the previous page.
    pub sequential: u64,
    /// All other pages.
    pub random: u64,
}

impl PageCount {
    /// The pages that a commit wrote, in bbolt's order: data pages by number, then the meta page. The first one counts
    /// as random: other files are written between two commits.
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

    /// All pages.
    pub fn total(self) -> u64 {
        self.sequential + self.random
    }

    pub(super) fn add_all(&mut self, other: Self) {
        self.sequential += other.sequential;
        self.random += other.random;
    }

    fn add(&mut self, page: u64, last: Option<u64>) {
        match last.is_some_and(|last| last + 1 == page) {
            true => self.sequential += 1,
            false => self.random += 1,
        }
    }
}

/// The page cache of a member's machine, as far as it holds pages of the database file.
#[derive(Clone, Debug, Hash)]
pub struct PageCache {
    /// The maximum number of pages, at least one.
    pages_max: u64,
    /// The time of the last use of each page.
    used: OrdMap<u64, u64>,
    /// The page that was used at each time, the oldest first.
    pages: OrdMap<u64, u64>,
    /// Uses of pages so far, which is the time.
    uses: u64,
    last_read: Option<u64>,
    last_fetched: Option<u64>,
    hits: PageCount,
    misses: PageCount,
}

impl PageCache {
    /// Creates an empty cache for `pages_max` pages.
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

    /// The most pages that the cache holds.
    pub fn pages_max(&self) -> u64 {
        self.pages_max
    }

    /// Pages in the cache.
    pub fn pages(&self) -> u64 {
        self.used.len() as u64
    }

    /// Pages that were read from memory: sequential means right behind the page that was read before.
    pub fn hits(&self) -> PageCount {
        self.hits
    }

    /// Pages that were read from the disk: sequential means right behind the page that the disk read before.
    pub fn misses(&self) -> PageCount {
        self.misses
    }

    /// Whether a page is in the cache.
    pub fn has(&self, page: u64) -> bool {
        self.used.contains_key(&page)
    }

    /// A page is read.
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

    /// Keeps a page in memory after a read or write.
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

    /// A process starts to count.
    pub(super) fn forget_counts(&mut self) {
        (self.hits, self.misses) = (PageCount::default(), PageCount::default());
    }

    /// The machine lost power, or the file is a new one: nothing of it is in memory. The counts go on.
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
        // The disk read 5, 6, 7 and 8; of the reads from memory 5 does not lie behind 7.
        assert_eq!((cache.misses(), cache.hits()), (count(3, 1), count(0, 1)));
        cache.hold(9);
        cache.read(9);
        assert_eq!((cache.misses(), cache.hits()), (count(3, 1), count(1, 1)));
        cache.clear();
        cache.read(9);
        assert_eq!((cache.pages(), cache.misses()), (1, count(3, 2)));
    }
}
