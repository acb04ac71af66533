//! A cursor over the keys of a bucket, which moves in key order, forwards and backwards.
//!
//! Mirrors `cursor.go`. A cursor reads the state that the bucket had when the cursor was created. The cursor reads a
//! page only when it moves into that page. In a damaged file, a move returns the fault that it finds. A cycle of pages
//! is also reported as a fault.

use std::sync::Arc;

use super::bucket::Bucket;
use super::leaf::BUCKET;
use super::node::{Item, Node};
use super::page::{Kind, Page};
use super::pages::Pages;
use super::{Damage, Fault, Span};

/// A page, or the node that a transaction has loaded from that page.
#[derive(Clone, Debug)]
pub(super) enum Ref {
    Page(Page),
    Node(u64, Arc<Node>),
}

impl Ref {
    pub(super) fn is_leaf(&self) -> bool {
        match self {
            Self::Page(page) => page.kind() == Kind::Leaf,
            Self::Node(_, node) => node.is_leaf,
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Page(page) => usize::from(page.count()),
            Self::Node(_, node) => node.items.len(),
        }
    }

    fn item(&self, index: usize) -> Result<Item, Damage> {
        match self {
            Self::Page(page) => page.item(index),
            Self::Node(_, node) => Ok(node.items[index].clone()),
        }
    }

    pub(super) fn child(&self, index: usize) -> Result<u64, Damage> {
        if self.count() == 0 {
            return Err(self.damage(Fault::EmptyBranch));
        }
        Ok(self.item(index)?.child)
    }

    /// Returns the number of the page and its offset in the file, in bytes.
    pub(super) fn place(&self) -> (u64, u64) {
        match self {
            Self::Page(page) => (page.id(), page.offset()),
            Self::Node(id, _) => (*id, 0),
        }
    }

    /// Returns the number of the page, and the position of `part` (a range of the page), in bytes from the start of the
    /// file.
    pub(super) fn place_of(&self, part: &Span) -> (u64, u64) {
        match self {
            Self::Page(page) => (page.id(), page.offset() + part.offset_in(page.bytes())),
            Self::Node(id, _) => (*id, 0),
        }
    }

    pub(super) fn damage(&self, fault: Fault) -> Damage {
        let (page, offset) = self.place();
        Damage {
            page,
            offset,
            fault,
        }
    }

    /// Returns the index of the first key that is not less than `key`, and true if that key equals `key`.
    pub(super) fn search(&self, key: &[u8]) -> Result<(usize, bool), Damage> {
        match self {
            Self::Page(page) => page.search(key),
            Self::Node(_, node) => {
                let index = node.search(key);
                let is_exact = node.items.get(index).is_some_and(|item| &*item.key == key);
                Ok((index, is_exact))
            }
        }
    }
}

/// A page on the path to a key, and the index of the page's element that continues the path.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) at: Ref,
    pub(super) index: usize,
}

impl Step {
    /// Returns the element at the index, or `None` if the index is after the last element.
    pub(super) fn item(&self) -> Result<Option<Item>, Damage> {
        (self.index < self.at.count())
            .then(|| self.at.item(self.index))
            .transpose()
    }
}

/// A key in a bucket, with its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    pub key: Span,
    /// The value. For a bucket, the value is the bucket's header, followed by its page if the bucket is inline.
    pub value: Span,
    /// Whether the key is the name of a bucket.
    pub is_bucket: bool,
}

impl From<Item> for Entry {
    fn from(item: Item) -> Self {
        Self {
            key: item.key,
            value: item.value,
            is_bucket: item.flags & BUCKET != 0,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Forwards,
    Backwards,
}

/// A position among the keys of a bucket.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options};
/// let mut db = Db::new(Options::default());
/// let mut tx = db.begin();
/// tx.create_bucket(&[], b"key")?;
/// for key in [b"a", b"b", b"c"] {
///     tx.put(&[b"key"], key, b"")?;
/// }
/// let mut cursor = tx.cursor(&[b"key"])?;
/// assert_eq!(&*cursor.seek(b"aa")?.unwrap().key, b"b");
/// assert_eq!(&*cursor.next()?.unwrap().key, b"c");
/// assert_eq!(cursor.next()?, None);
/// assert_eq!(&*cursor.last()?.unwrap().key, b"c");
/// # Ok::<(), watchglass_engine::bbolt::TxError>(())
/// ```
#[derive(Clone)]
pub struct Cursor {
    bucket: Bucket,
    pages: Pages,
    path: Vec<Step>,
    way: Way,
    /// The number of pages that the cursor may still enter before it changes direction. In a damaged file, this limit
    /// stops a cursor that follows a cycle of pages.
    left: u64,
}

impl Cursor {
    pub(super) fn new(bucket: Bucket, pages: Pages) -> Self {
        Self {
            bucket,
            pages,
            path: Vec::new(),
            way: Way::Forwards,
            left: 0,
        }
    }

    /// Moves to the first key.
    ///
    /// # Errors
    /// Returns an error if the cursor enters a damaged page.
    pub fn first(&mut self) -> Result<Option<Entry>, Damage> {
        self.start(Way::Forwards);
        self.enter(self.bucket.header.page)?;
        self.descend()?;
        self.entry_or_next()
    }

    /// Moves to the last key.
    ///
    /// # Errors
    /// Returns an error if the cursor enters a damaged page.
    pub fn last(&mut self) -> Result<Option<Entry>, Damage> {
        self.start(Way::Backwards);
        self.enter(self.bucket.header.page)?;
        self.descend()?;
        self.entry()
    }

    /// Moves to `key`, or to the next key if `key` does not exist.
    ///
    /// # Errors
    /// Returns an error if the cursor enters a damaged page.
    pub fn seek(&mut self, key: &[u8]) -> Result<Option<Entry>, Damage> {
        self.start(Way::Forwards);
        self.path = self.bucket.seek(&self.pages, key)?;
        self.entry_or_next()
    }

    /// Moves to the next key. At the last key, returns `None` and does not move.
    ///
    /// # Errors
    /// Returns an error if the cursor enters a damaged page.
    #[expect(
        clippy::should_implement_trait,
        reason = "bbolt's name; a cursor can turn around, and an iterator cannot"
    )]
    pub fn next(&mut self) -> Result<Option<Entry>, Damage> {
        self.turn(Way::Forwards);
        loop {
            let Some(depth) = self
                .path
                .iter()
                .rposition(|step| step.index + 1 < step.at.count())
            else {
                return Ok(None);
            };
            self.path.truncate(depth + 1);
            self.path[depth].index += 1;
            self.descend()?;
            // An empty leaf is skipped.
            if let Some(entry) = self.entry()? {
                return Ok(Some(entry));
            }
        }
    }

    /// Moves to the previous key. At the first key, returns `None` and clears the position.
    ///
    /// # Errors
    /// Returns an error if the cursor enters a damaged page.
    pub fn prev(&mut self) -> Result<Option<Entry>, Damage> {
        self.turn(Way::Backwards);
        let Some(depth) = self.path.iter().rposition(|step| step.index > 0) else {
            self.path.clear();
            return Ok(None);
        };
        self.path.truncate(depth + 1);
        self.path[depth].index -= 1;
        self.descend()?;
        self.entry()
    }

    /// Returns the numbers of the pages from the root to the current key, each with the index of the element on the
    /// path. For the page of an inline bucket, the number is the number of the page that contains the inline bucket.
    pub fn path(&self) -> Vec<(u64, u64)> {
        let steps = self.path.iter();
        steps
            .map(|step| (step.at.place().0, step.index as u64))
            .collect()
    }

    fn start(&mut self, way: Way) {
        self.path.clear();
        self.way = way;
        self.left = self.pages.held().max(1);
    }

    fn turn(&mut self, way: Way) {
        if self.way != way {
            self.way = way;
            self.left = self.pages.held().max(1);
        }
    }

    fn enter(&mut self, id: u64) -> Result<(), Damage> {
        let at = self.bucket.at(&self.pages, id)?;
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| at.damage(Fault::ReachedTwice))?;
        let index = match self.way {
            Way::Forwards => 0,
            Way::Backwards => at.count().saturating_sub(1),
        };
        self.path.push(Step { at, index });
        Ok(())
    }

    /// Moves from the current element down to a leaf.
    fn descend(&mut self) -> Result<(), Damage> {
        while let Some(step) = self.path.last().filter(|step| !step.at.is_leaf()) {
            let child = step.at.child(step.index)?;
            self.enter(child)?;
        }
        Ok(())
    }

    fn entry(&self) -> Result<Option<Entry>, Damage> {
        let item = self.path.last().map(Step::item).transpose()?;
        Ok(item.flatten().map(Entry::from))
    }

    fn entry_or_next(&mut self) -> Result<Option<Entry>, Damage> {
        match self.entry()? {
            Some(entry) => Ok(Some(entry)),
            None => self.next(),
        }
    }
}
