//! The next pages of a walk, loaded before they are read.
//!
//! etcd reuses free pages, so the pages of a file with a history are in any order, and a browser needs about a
//! millisecond for each read of a `File`. With a [`ReadPlan`], the next pages are loaded in the order of the file, with
//! few long reads.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Span;
use super::read_plan::ReadPlan;

/// The maximum length of one read, in bytes, unless a page is longer.
const READ_BYTES: u64 = 8 << 20;

/// The length of a gap between two pages that is read, too: another read would take longer.
const GAP_BYTES: u64 = 512 << 10;

/// The number of pages before the window that stay in memory: a second reader follows the first one.
const PAGES_BEHIND: usize = 64;

/// The loaded and the missing pages of a window of a walk. A read never waits: a page that is not loaded is read in
/// blocks. The first such page after the window begins the next window.
///
/// ```
/// use watchglass_engine::bbolt::page_links::PageLinks;
/// use watchglass_engine::bbolt::read_ahead::ReadAhead;
/// use watchglass_engine::bbolt::read_plan::ReadPlan;
/// use watchglass_engine::bbolt::{Db, Options};
/// let db = Db::new(Options::default());
/// let (view, file) = (db.view(), db.to_bytes());
/// let mut links = PageLinks::new(&view);
/// links.collect(0, &file);
/// let mut ahead = ReadAhead::default();
/// ahead.set_plan(ReadPlan::new(&links, &view));
/// ahead.start(1 << 20);
/// let root = 3 * 4096;
/// assert_eq!(ahead.read(root, 4096), None);
/// assert_eq!(ahead.wanted(), Some(root..root + 4096));
/// ahead.take(root, &file[root as usize..]);
/// assert_eq!(ahead.wanted(), None);
/// assert_eq!(ahead.read(root, 4096).as_deref(), Some(&file[root as usize..]));
/// ```
#[derive(Debug, Default)]
pub struct ReadAhead {
    plan: Option<ReadPlan>,
    is_started: bool,
    /// The maximum length of the pages of a window, in bytes.
    most: u64,
    /// The places of the pages that are loaded or missing.
    window: Range<usize>,
    loaded: BTreeMap<u64, Span>,
    /// The end of each missing page in the file, by its start.
    missing: BTreeMap<u64, u64>,
}

impl ReadAhead {
    pub fn set_plan(&mut self, plan: ReadPlan) {
        self.plan = Some(plan);
    }

    /// Begins a walk, with windows of up to `most` bytes.
    pub fn start(&mut self, most: u64) {
        self.stop();
        (self.is_started, self.most) = (true, most);
    }

    /// Ends the walk, and removes its pages from memory.
    pub fn stop(&mut self) {
        *self = Self {
            plan: self.plan.take(),
            ..Self::default()
        };
    }

    /// Changes the length of the next windows.
    pub fn limit(&mut self, most: u64) {
        self.most = most;
    }

    /// Returns the `length` bytes of a page that starts at byte `at`, or `None` if the page is not loaded.
    pub fn read(&mut self, at: u64, length: usize) -> Option<Span> {
        let loaded = self.loaded.get(&at).and_then(|page| page.slice(0, length));
        if loaded.is_none() {
            self.move_to(at);
        }
        loaded
    }

    /// Moves the window forward to a page after its end.
    fn move_to(&mut self, at: u64) {
        let Some(plan) = self.plan.as_ref().filter(|_| self.is_started) else {
            return;
        };
        let Some(place) = plan.place(at).filter(|place| *place >= self.window.end) else {
            return;
        };
        let behind = plan.parts(place.saturating_sub(PAGES_BEHIND)..place);
        let kept = behind.into_iter().filter_map(|part| {
            let page = self.loaded.remove(&part.start)?;
            Some((part.start, page))
        });
        self.loaded = kept.collect();
        self.window = plan.window(place, self.most);
        let parts = plan.parts(self.window.clone());
        self.missing = parts
            .into_iter()
            .map(|part| (part.start, part.end))
            .collect();
    }

    /// Returns the next range of the file to read: missing pages, with short gaps between them.
    pub fn wanted(&self) -> Option<Range<u64>> {
        let mut pages = self.missing.iter().map(|(start, end)| *start..*end);
        let mut range = pages.next()?;
        for page in pages {
            let is_near = page.start.saturating_sub(range.end) <= GAP_BYTES;
            if !is_near || page.end.saturating_sub(range.start) > READ_BYTES {
                break;
            }
            range.end = range.end.max(page.end);
        }
        Some(range)
    }

    /// Takes the missing pages in `bytes`, which begin at byte `at` of the file.
    pub fn take(&mut self, at: u64, bytes: &[u8]) {
        let end = at + bytes.len() as u64;
        while let Some((&start, &page_end)) = self.missing.range(at..end).next() {
            self.missing.remove(&start);
            let page = &bytes[(start - at) as usize..(page_end.min(end) - at) as usize];
            self.loaded.insert(start, Span::from(page));
        }
    }
}
