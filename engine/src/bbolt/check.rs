//! A consistency check of all pages: every page is in use exactly once, or free, and every key is in order.
//!
//! Mirrors `Tx.Check` and adds the bounds of elements, which bbolt trusts. The file may be anything: each page is
//! checked once, so the file's length bounds the work, and a damaged page does not stop the check.

use super::bucket::BucketHeader;
use super::freelist::Freelist;
use super::leaf::BUCKET;
use super::meta::NO_FREELIST;
use super::page::{Kind, Page};
use super::{Damage, Fault, Span, View};

/// The use of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// One of the two meta pages.
    Meta,
    /// The stored free list, overflow pages included.
    Freelist,
    /// A branch page.
    Branch,
    /// A leaf page.
    Leaf,
    /// A page that belongs to the branch or leaf page before.
    Overflow,
    /// In the stored free list; in a file without a stored free list, in no tree.
    Free,
    /// In no tree and not in the stored free list: lost, or linked from a damaged page.
    NotReached,
}

/// The maximum number of damages kept in full.
const DAMAGES_MAX: usize = 1000;

/// The number of a transaction from which on the count could come to its end.
const TXID_MAX: u64 = u64::MAX >> 1;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The first 1000 damages, in the order in which they were found.
    pub damages: Vec<Damage>,
    /// The number of further damages.
    pub more_damages: u64,
    /// The use of each page, by page number. Pages beyond the end of the file are left out.
    pub uses: Vec<Use>,
    /// Pages from 2 on that are in no tree and hold no free list, in order: the free pages when the list is not stored.
    pub unused: Vec<u64>,
    /// Buckets, including inline buckets.
    pub buckets: u64,
    /// Keys of all buckets, without the names of buckets.
    pub keys: u64,
    /// Bytes of headers, elements, keys and values in branch and leaf pages.
    pub filled_bytes: u64,
}

/// A page or link that is still to be checked.
enum Task {
    Page {
        id: u64,
        /// Page and byte of the link.
        from: (u64, u64),
        low: Option<Span>,
        high: Option<Span>,
    },
    Inline(Page),
    /// The children of a branch page from `index` on, whose keys are less than `high`.
    Children {
        page: Page,
        index: usize,
        high: Option<Span>,
    },
}

/// A check in steps.
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
    /// Pages that are in use as far as is known.
    reached: u64,
    findings: Findings,
}

impl Checker {
    /// Starts the check of a state and its free list.
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

    /// Checks up to `count` more pages and links; true when there are none left.
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

    /// The number of pages checked so far, and of all pages.
    pub fn progress(&self) -> (u64, u64) {
        (self.reached, self.uses.len() as u64)
    }

    /// Checks all pages.
    pub fn run(mut self) -> Findings {
        while !self.step(usize::MAX) {}
        self.finish()
    }

    /// The findings, once [`step`](Self::step) has returned true.
    pub fn finish(mut self) -> Findings {
        let has_list = self.view.meta().freelist != NO_FREELIST;
        // A damaged page may have linked to any of them.
        let is_whole = self.findings.damages.is_empty();
        let size = u64::from(self.view.meta().page_size);
        for index in 0..self.uses.len() {
            let page = index as u64;
            if self.uses[index].is_none() {
                self.findings.unused.push(page);
            }
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

    /// Page and byte of a field of the meta page.
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

    /// Marks a page and its overflow pages as used; `from` is the page and byte of the link that led there. `None`
    /// when the page cannot be read or is used already.
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
            // One report for all of them: pages that claim each other would take quadratic time.
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
            let expected = "branch or leaf";
            return self.damage(page.damage(8, Fault::WrongKind { flags, expected }));
        }
        self.elements(&page, low, high);
    }

    /// Checks the elements of a branch or leaf page, whose first key is `low` and whose keys are less than `high`. A
    /// writer finds the link to a page by the first key of the page.
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
            // What follows could be the same bytes again and again.
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
        // An inline page was counted as a value.
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

    /// Follows one link of a branch page, and leaves the links after it for later.
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
