//! A consistency check of all pages: each page must be in use exactly once or be free, and all keys must be in order.
//!
//! Mirrors `Tx.Check`, and also checks the bounds of elements, which bbolt trusts. The input may be any file. Each page
//! is checked only once, so the length of the file limits the work. The check continues after a damaged page.

use super::bucket::BucketHeader;
use super::freelist::Freelist;
use super::leaf::BUCKET;
use super::meta::NO_FREELIST;
use super::page::{Kind, Page};
use super::{AllowedKinds, Damage, Fault, Span, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// One of the two meta pages.
    Meta,
    /// A page of the stored free list, including its overflow pages.
    Freelist,
    Branch,
    Leaf,
    /// An overflow page of the preceding branch or leaf page.
    Overflow,
    /// A free page. If the file has a stored free list, the free pages are the pages in this list. Otherwise, the free
    /// pages are the pages that no tree contains.
    Free,
    /// A page that neither a tree nor the stored free list contains: the page is lost, or its only link is in a damaged
    /// page.
    NotReached,
}

/// The maximum number of faults in [`Findings::damages`].
const DAMAGES_MAX: usize = 1000;

/// The lowest transaction number that counts as a fault. From this number on, transaction numbers could soon overflow.
const TXID_MAX: u64 = u64::MAX >> 1;

/// The result of the consistency check of a database file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The first 1000 faults, in the order in which the check found them.
    pub damages: Vec<Damage>,
    /// The number of further faults, which `damages` does not contain.
    pub more_damages: u64,
    /// The role of each page, by page number. Pages beyond the end of the file are omitted.
    pub uses: Vec<Use>,
    /// The number of buckets, including inline buckets.
    pub buckets: u64,
    /// The number of keys in all buckets. Names of buckets are not counted.
    pub keys: u64,
    /// The total size of headers, elements, keys and values in branch and leaf pages, in bytes.
    pub filled_bytes: u64,
}

impl Findings {
    /// Returns the unused pages, in ascending order: all pages except the meta pages, the pages of trees, and the pages
    /// that store the free list. If the file has no stored free list, these are the free pages.
    pub fn unused(&self) -> impl Iterator<Item = u64> + '_ {
        let uses = (0..).zip(&self.uses);
        uses.filter(|(_, used)| matches!(used, Use::Free | Use::NotReached))
            .map(|(page, _)| page)
    }
}

/// A page or link that the check has not processed yet.
enum Task {
    Page {
        id: u64,
        /// The page that contains the link, and the offset of the link in the file.
        from: (u64, u64),
        low: Option<Span>,
        high: Option<Span>,
    },
    Inline(Page),
    /// The child pages of a branch page, starting with child `index`. All their keys must be less than `high`.
    Children {
        page: Page,
        index: usize,
        high: Option<Span>,
    },
}

/// A consistency check that the caller runs step by step.
///
/// ```
/// use watchglass_engine::bbolt::check::{Checker, Use};
/// use watchglass_engine::bbolt::{Db, Options};
/// let view = Db::new(Options::default()).view();
/// let mut checker = Checker::new(&view);
/// while !checker.step(100) {}
/// let findings = checker.finish();
/// assert_eq!(findings.damages, []);
/// assert_eq!(findings.uses, [Use::Meta, Use::Meta, Use::Freelist, Use::Leaf]);
/// ```
pub struct Checker {
    view: View,
    uses: Vec<Option<Use>>,
    free: Vec<bool>,
    tasks: Vec<Task>,
    /// The number of pages marked as in use.
    reached: u64,
    /// The number of branch and leaf pages that the check has entered.
    entered: u64,
    findings: Findings,
}

impl Checker {
    /// Starts a check and reads the free list.
    pub fn new(view: &View) -> Self {
        let meta = view.meta();
        let held = view.pages().held();
        let pages = meta.high_water.min(held) as usize;
        let mut checker = Self {
            view: view.clone(),
            uses: vec![None; pages],
            free: vec![false; pages],
            tasks: Vec::new(),
            reached: 0,
            entered: 0,
            findings: Findings::default(),
        };
        for page in checker.uses.iter_mut().take(2) {
            *page = Some(Use::Meta);
        }
        if meta.high_water > held {
            let counted = meta.high_water;
            checker.damage(Damage {
                page: meta.page_id(),
                offset: meta.page_id() * u64::from(meta.page_size) + 56,
                fault: Fault::Truncated { counted, held },
            });
        }
        if meta.txid >= TXID_MAX {
            let (page, offset) = checker.meta_field(48);
            checker.damage(Damage {
                page,
                offset,
                fault: Fault::Transaction(meta.txid),
            });
        }
        if meta.freelist != NO_FREELIST {
            checker.freelist(meta.freelist);
        }
        checker.tasks.push(Task::Page {
            id: meta.root.page,
            from: checker.meta_field(16),
            low: None,
            high: None,
        });
        checker
    }

    /// Checks up to `count` more pages and links. Returns true when the check is complete.
    pub fn step(&mut self, count: usize) -> bool {
        for _ in 0..count {
            match self.tasks.pop() {
                Some(Task::Page {
                    id,
                    from,
                    low,
                    high,
                }) => self.page(id, from, low.as_deref(), high),
                Some(Task::Inline(page)) => self.elements(&page, None, None),
                Some(Task::Children { page, index, high }) => self.child(page, index, high),
                None => return true,
            }
        }
        self.tasks.is_empty()
    }

    /// Returns the number of checked pages and the total number of pages.
    pub fn progress(&self) -> (u64, u64) {
        (self.reached, self.uses.len() as u64)
    }

    /// Returns the number of branch and leaf pages that the check has entered, without their overflow pages.
    pub fn entered(&self) -> u64 {
        self.entered
    }

    /// Completes the check and returns its findings.
    pub fn run(mut self) -> Findings {
        while !self.step(usize::MAX) {}
        self.finish()
    }

    /// Returns the findings. Call this method after [`step`](Self::step) has returned true.
    pub fn finish(mut self) -> Findings {
        let has_list = self.view.meta().freelist != NO_FREELIST;
        // In a damaged file, a damaged page may have contained the only link to a page that the check did not reach.
        let is_whole = self.findings.damages.is_empty();
        let size = u64::from(self.view.meta().page_size);
        for index in 0..self.uses.len() {
            let page = index as u64;
            let fault = match (self.uses[index], self.free[index]) {
                (Some(_), true) => Fault::FreeInUse,
                (None, false) if has_list && is_whole => Fault::Lost,
                _ => continue,
            };
            self.damage(Damage {
                page,
                offset: page * size,
                fault,
            });
        }
        let unused = |free: &bool| {
            if has_list && !free {
                Use::NotReached
            } else {
                Use::Free
            }
        };
        self.findings.uses = self
            .uses
            .iter()
            .zip(&self.free)
            .map(|(used, free)| used.unwrap_or(unused(free)))
            .collect();
        self.findings
    }

    /// Returns the number of the meta page in use, and the file offset of the field at byte `at` of that page's body.
    fn meta_field(&self, at: u64) -> (u64, u64) {
        let meta = self.view.meta();
        let page = meta.page_id();
        (page, page * u64::from(meta.page_size) + 16 + at)
    }

    fn damage(&mut self, damage: Damage) {
        if self.findings.damages.len() < DAMAGES_MAX {
            self.findings.damages.push(damage);
        } else {
            self.findings.more_damages += 1;
        }
    }

    fn freelist(&mut self, id: u64) {
        let from = self.meta_field(32);
        let Some(page) = self.claim(id, from, Use::Freelist) else {
            return;
        };
        let ids = match Freelist::read(&page) {
            Ok(ids) => ids,
            Err(damage) => return self.damage(damage),
        };
        for id in ids {
            let place = usize::try_from(id).ok().filter(|_| id >= 2);
            match place.and_then(|at| self.free.get_mut(at)) {
                Some(free) if !*free => *free = true,
                _ => self.damage(page.damage(16, Fault::FreelistEntry(id))),
            }
        }
    }

    /// Marks a page and its overflow pages as used. `from` is the position of the link to the page: the number of the
    /// page that contains the link, and the file offset of the link. Returns `None` if the page cannot be read or is
    /// already in use.
    fn claim(&mut self, id: u64, from: (u64, u64), used: Use) -> Option<Page> {
        let held = self.uses.len() as u64;
        if id >= held {
            self.damage(Damage {
                page: from.0,
                offset: from.1,
                fault: Fault::NoSuchPage { linked: id, held },
            });
            return None;
        }
        if self.uses[id as usize].is_some() {
            self.damage(Damage {
                page: id,
                offset: from.1,
                fault: Fault::ReachedTwice,
            });
            return None;
        }
        let page = match self.view.page(id) {
            Ok(page) => page,
            Err(damage) => {
                // The page is damaged, but in use.
                self.uses[id as usize] = Some(used);
                self.damage(damage);
                return None;
            }
        };
        let used = match page.kind() {
            Kind::Branch if used == Use::Leaf => Use::Branch,
            _ => used,
        };
        let overflow = page.overflow();
        if id + u64::from(overflow) >= held {
            self.damage(page.damage(12, Fault::Overflow { overflow, held }));
        }
        for other in id..(id + u64::from(overflow) + 1).min(held) {
            // The check reports only the first overlap of a page: pages that claim each other would otherwise take
            // quadratic time.
            if self.uses[other as usize].is_some() {
                self.damage(Damage {
                    page: other,
                    offset: page.offset() + 12,
                    fault: Fault::ReachedTwice,
                });
                break;
            }
            self.reached += 1;
            let is_first = used == Use::Freelist || other == id;
            self.uses[other as usize] = Some(if is_first { used } else { Use::Overflow });
        }
        Some(page)
    }

    fn page(&mut self, id: u64, from: (u64, u64), low: Option<&[u8]>, high: Option<Span>) {
        let Some(page) = self.claim(id, from, Use::Leaf) else {
            return;
        };
        if !matches!(page.kind(), Kind::Branch | Kind::Leaf) {
            let flags = page.kind().flags();
            let expected = AllowedKinds::BranchOrLeaf;
            return self.damage(page.damage(8, Fault::WrongKind { flags, expected }));
        }
        self.entered += 1;
        self.elements(&page, low, high);
    }

    /// Checks the elements of a branch or leaf page. The first key must be `low`, because a writer uses the first key
    /// of a page to find the link to this page. All keys must be less than `high`.
    fn elements(&mut self, page: &Page, low: Option<&[u8]>, high: Option<Span>) {
        match (page.kind(), page.count()) {
            (Kind::Branch, 0) => self.damage(page.damage(10, Fault::EmptyBranch)),
            (Kind::Branch, 1) => self.damage(page.damage(10, Fault::SingleBranch)),
            (_, 0) if low.is_some() => self.damage(page.damage(10, Fault::EmptyLeaf)),
            _ => {}
        }
        let mut before: Option<Span> = None;
        let mut filled_bytes = 16;
        for index in 0..page.count() {
            let at = 16 + 16 * usize::from(index);
            let number = u32::from(index);
            let item = match page.item(usize::from(index)) {
                Ok(item) => item,
                Err(damage) => {
                    self.damage(damage);
                    continue;
                }
            };
            let key = &item.key;
            filled_bytes += (16 + key.len() + item.value.len()) as u64;
            // The check of this page ends here, because overlapping elements could make the check read the same bytes
            // many times.
            if filled_bytes > page.bytes().len() as u64 {
                self.damage(page.damage(at, Fault::Overlap(number)));
                break;
            }
            if key.is_empty() {
                self.damage(page.damage(at, Fault::EmptyKey(number)));
            }
            let is_in_order = before.as_ref().is_none_or(|before| before < key)
                && low.is_none_or(|low| index > 0 || low == &**key)
                && high.as_ref().is_none_or(|high| key < high);
            if !is_in_order {
                self.damage(page.damage(at, Fault::KeyOrder(number)));
            }
            before = Some(item.key.clone());
            if page.kind() == Kind::Branch {
                continue;
            }
            if item.flags & BUCKET == 0 {
                self.findings.keys += 1;
            } else {
                self.bucket(page, number, at, &item.value);
            }
        }
        // The parent page has already counted the bytes of an inline page, as part of a value.
        if !page.is_inline() {
            self.findings.filled_bytes += filled_bytes;
        }
        if page.kind() == Kind::Branch {
            self.tasks.push(Task::Children {
                page: page.clone(),
                index: 0,
                high,
            });
        }
    }

    /// Schedules the check of child `index` of a branch page, and then the checks of the remaining children.
    fn child(&mut self, page: Page, index: usize, high: Option<Span>) {
        let count = usize::from(page.count());
        if index == count {
            return;
        }
        let next = (index + 1 < count).then(|| page.item(index + 1).ok());
        let child_high = match next {
            Some(next) => next.map(|item| item.key),
            None => high.clone(),
        };
        let from = (page.id(), page.offset() + 16 * index as u64 + 24);
        let item = page.item(index);
        self.tasks.push(Task::Children {
            page,
            index: index + 1,
            high,
        });
        // A damaged element is reported by `elements`.
        if let Ok(item) = item {
            self.tasks.push(Task::Page {
                id: item.child,
                from,
                low: Some(item.key),
                high: child_high,
            });
        }
    }

    fn bucket(&mut self, page: &Page, index: u32, at: usize, value: &Span) {
        let fault = || page.damage(at, Fault::BucketValue(index));
        self.findings.buckets += 1;
        match (BucketHeader::read(value), value.from_offset(16)) {
            (Some(header), _) if header.page != 0 => self.tasks.push(Task::Page {
                id: header.page,
                from: (page.id(), page.offset() + at as u64),
                low: None,
                high: None,
            }),
            (Some(_), Some(inline)) => {
                let offset = page.offset() + inline.offset_in(page.bytes());
                match Page::open_inline(page.id(), offset, inline) {
                    Ok(inline) => self.tasks.push(Task::Inline(inline)),
                    Err(damage) => self.damage(damage),
                }
            }
            _ => self.damage(fault()),
        }
    }
}
