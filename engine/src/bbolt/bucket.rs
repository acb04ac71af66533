//! A bucket of a database: a tree of pages with sorted keys. An entry of the tree is either a key with its value or a
//! nested bucket with its name.
//!
//! Mirrors `bucket.go`. In its parent bucket, a bucket is an element: the key is the bucket's name, and the value is
//! the bucket's header. A small bucket is inline: its value also contains its only page. In a write transaction, a
//! bucket also has nodes: changed pages in memory.

use std::sync::Arc;

use im::OrdMap;

use super::cursor::{Ref, Step};
use super::leaf::BUCKET;
use super::node::{FILL_DEFAULT, Item, Node, to_inline_page};
use super::page::{HEADER_BYTES, Kind, Page, u64_at};
use super::pages::Pages;
use super::space::Space;
use super::{AllowedKinds, Damage, Fault, Span};

/// The size of a bucket's header, in bytes.
pub const HEADER: usize = 16;
/// The maximum depth of a tree. A valid tree is less deep: a branch page has at least two children, and a file has
/// fewer than 2^32 pages.
const DEPTH_MAX: usize = 40;

/// The header of a bucket: the first 16 bytes of its value in the parent bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BucketHeader {
    /// The root page of the bucket's tree; 0 if the bucket is inline.
    pub page: u64,
    /// A counter that callers of bbolt can use freely (`NextSequence`).
    pub sequence: u64,
}

impl BucketHeader {
    /// Reads the header. Returns `None` if the value is shorter than a header.
    ///
    /// ```
    /// use watchglass_engine::bbolt::bucket::BucketHeader;
    /// let header = BucketHeader { page: 7, sequence: 1 };
    /// assert_eq!(BucketHeader::read(&header.to_bytes()), Some(header));
    /// ```
    pub fn read(value: &[u8]) -> Option<Self> {
        let value = value.get(..HEADER)?;
        Some(Self {
            page: u64_at(value, 0),
            sequence: u64_at(value, 8),
        })
    }

    pub fn to_bytes(self) -> Vec<u8> {
        [self.page.to_le_bytes(), self.sequence.to_le_bytes()].concat()
    }
}

/// A bucket as a transaction sees it, including uncommitted changes.
#[derive(Clone, Debug, Hash)]
pub struct Bucket {
    pub(super) header: BucketHeader,
    /// The page of an inline bucket. `None` for a bucket with its own pages, and after a child bucket was created in
    /// this bucket.
    pub(super) inline: Option<Page>,
    /// The nodes in memory, by the number of the page that each node was read from.
    pub(super) nodes: OrdMap<u64, Arc<Node>>,
    /// Child buckets that a write transaction has opened.
    pub(super) buckets: OrdMap<Span, Bucket>,
    /// The share of a page that a split fills, in thousandths (bbolt's fill percent).
    pub(super) fill: u32,
}

impl Bucket {
    /// Returns the root bucket, whose header is in the meta page.
    pub(super) fn root(header: BucketHeader) -> Self {
        Self {
            header,
            inline: None,
            nodes: OrdMap::new(),
            buckets: OrdMap::new(),
            fill: FILL_DEFAULT,
        }
    }

    /// Opens a bucket from its value, which is element `index` of `page`.
    ///
    /// # Errors
    /// Returns an error if the value is not the value of a bucket.
    pub(super) fn open(value: &Span, page: &Ref, index: usize) -> Result<Self, Damage> {
        let damage = || page.damage(Fault::BucketValue(index as u32));
        let header = BucketHeader::read(value).ok_or_else(damage)?;
        let mut bucket = Self::root(header);
        if header.page == 0 {
            let bytes = value.from_offset(HEADER).ok_or_else(damage)?;
            let (id, offset) = page.place_of(&bytes);
            bucket.inline = Some(Page::open_inline(id, offset, bytes)?);
        }
        Ok(bucket)
    }

    pub fn header(&self) -> BucketHeader {
        self.header
    }

    /// Returns true if the bucket is inline: its only page is part of its value.
    pub fn is_inline(&self) -> bool {
        self.header.page == 0
    }

    /// Returns true if the root node is in memory, which means that this transaction changes the bucket.
    pub(super) fn is_materialized(&self) -> bool {
        self.nodes.contains_key(&self.header.page)
    }

    /// Returns the node of page `id` if it is in memory, or else the page itself.
    pub(super) fn at(&self, pages: &Pages, id: u64) -> Result<Ref, Damage> {
        if let Some(node) = self.nodes.get(&id) {
            return Ok(Ref::Node(id, node.clone()));
        }
        let page = match &self.inline {
            Some(page) => page.clone(),
            None => pages.page(id)?,
        };
        match page.kind() {
            Kind::Branch | Kind::Leaf => Ok(Ref::Page(page)),
            kind => {
                let flags = kind.flags();
                let expected = AllowedKinds::BranchOrLeaf;
                Err(page.damage(8, Fault::WrongKind { flags, expected }))
            }
        }
    }

    /// Returns the leaf page for `key`. The bucket must have no nodes in memory.
    pub(super) fn leaf(&self, pages: &Pages, key: &[u8]) -> Result<Page, Damage> {
        self.walk_to(pages, key, |_| ())
    }

    /// Returns the pages from the root to the leaf for `key`. The bucket must have no nodes in memory.
    pub(super) fn pages_to(&self, pages: &Pages, key: &[u8]) -> Result<Vec<Page>, Damage> {
        let mut path = Vec::new();
        let leaf = self.walk_to(pages, key, |branch| path.push(branch.clone()))?;
        path.push(leaf);
        Ok(path)
    }

    /// Returns the leaf page for `key`; calls `visit` with each branch page on the way.
    fn walk_to(
        &self,
        pages: &Pages,
        key: &[u8],
        mut visit: impl FnMut(&Page),
    ) -> Result<Page, Damage> {
        let mut id = self.header.page;
        for _ in 0..DEPTH_MAX {
            let page = match &self.inline {
                Some(page) => page.clone(),
                None => pages.page(id)?,
            };
            match page.kind() {
                Kind::Leaf => return Ok(page),
                Kind::Branch if page.count() > 0 => {
                    visit(&page);
                    id = page.child_for(key)?;
                }
                Kind::Branch => return Err(page.damage(10, Fault::EmptyBranch)),
                kind => {
                    let flags = kind.flags();
                    let expected = AllowedKinds::BranchOrLeaf;
                    return Err(page.damage(8, Fault::WrongKind { flags, expected }));
                }
            }
        }
        Err(pages.page(id)?.damage(0, Fault::TooDeep))
    }

    /// Returns the path from the root to the position of `key` in its leaf.
    pub(super) fn seek(&self, pages: &Pages, key: &[u8]) -> Result<Vec<Step>, Damage> {
        let mut path = Vec::new();
        let mut id = self.header.page;
        loop {
            let at = self.at(pages, id)?;
            if path.len() == DEPTH_MAX {
                return Err(at.damage(Fault::TooDeep));
            }
            let (mut index, is_exact) = at.search(key)?;
            if at.is_leaf() {
                path.push(Step { at, index });
                return Ok(path);
            }
            if !is_exact {
                index = index.saturating_sub(1);
            }
            id = at.child(index)?;
            path.push(Step { at, index });
        }
    }

    pub(super) fn item(&self, pages: &Pages, key: &[u8]) -> Result<Option<Item>, Damage> {
        let path = self.seek(pages, key)?;
        let leaf = path.last().expect("a path ends in a leaf");
        let item = leaf.item()?;
        Ok(item.filter(|item| &*item.key == key))
    }

    /// Reads page `id` into a node, unless that node is already in memory.
    ///
    /// # Errors
    /// Returns an error if the page is damaged.
    pub(super) fn materialize(
        &mut self,
        space: &mut Space,
        id: u64,
        parent: Option<u64>,
    ) -> Result<(), Damage> {
        if self.nodes.contains_key(&id) {
            return Ok(());
        }
        let page = match &self.inline {
            Some(page) => page.clone(),
            None => space.page(id)?,
        };
        let node = Node::read(&page, parent)?;
        self.nodes.insert(id, Arc::new(node));
        if let Some(parent) = parent {
            self.node_mut(parent).children.push(id);
        }
        Ok(())
    }

    /// Returns the node of page `id`.
    ///
    /// # Panics
    /// Panics if the node is not in memory.
    pub(super) fn node(&self, id: u64) -> &Node {
        self.nodes.get(&id).expect("the node is in memory")
    }

    /// Returns a mutable reference to the node of page `id`.
    ///
    /// # Panics
    /// Panics if the node is not in memory.
    pub(super) fn node_mut(&mut self, id: u64) -> &mut Node {
        let node = self.nodes.get_mut(&id).expect("the node is in memory");
        Arc::make_mut(node)
    }

    /// Loads the leaf for `key` and all nodes above the leaf.
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub(super) fn leaf_mut(&mut self, space: &mut Space, key: &[u8]) -> Result<&mut Node, Damage> {
        let (mut id, mut parent) = (self.header.page, None);
        loop {
            self.materialize(space, id, parent)?;
            let node = self.node(id);
            if node.is_leaf {
                return Ok(self.node_mut(id));
            }
            let index = node.search(key);
            let is_exact = node.items.get(index).is_some_and(|item| &*item.key == key);
            let index = if is_exact {
                index
            } else {
                index.saturating_sub(1)
            };
            (id, parent) = (node.items[index].child, Some(id));
        }
    }

    /// Loads the last leaf and all nodes above the leaf.
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub(super) fn last_leaf_mut(&mut self, space: &mut Space) -> Result<&mut Node, Damage> {
        let (mut id, mut parent) = (self.header.page, None);
        loop {
            self.materialize(space, id, parent)?;
            match self.node(id).items.last() {
                Some(last) if !self.node(id).is_leaf => (id, parent) = (last.child, Some(id)),
                _ => return Ok(self.node_mut(id)),
            }
        }
    }

    /// Opens the bucket at `path` for a write transaction; the path starts in this bucket. Returns `None` if no bucket
    /// exists at `path`.
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub(super) fn descend(
        &mut self,
        pages: &Pages,
        path: &[&[u8]],
    ) -> Result<Option<&mut Self>, Damage> {
        let Some((name, rest)) = path.split_first() else {
            return Ok(Some(self));
        };
        if !self.buckets.contains_key(*name) {
            let Some(child) = self.child(pages, name)? else {
                return Ok(None);
            };
            self.buckets.insert(Span::from(*name), child);
        }
        let child = self.buckets.get_mut(*name).expect("inserted above");
        child.descend(pages, rest)
    }

    pub(super) fn child(&self, pages: &Pages, name: &[u8]) -> Result<Option<Self>, Damage> {
        let path = self.seek(pages, name)?;
        let leaf = path.last().expect("a path ends in a leaf");
        match leaf.item()? {
            Some(item) if &*item.key == name && item.flags & BUCKET != 0 => {
                Self::open(&item.value, &leaf.at, leaf.index).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Creates an empty inline child bucket. The name must not be in use.
    pub(super) fn create(&mut self, space: &mut Space, name: &[u8]) -> Result<(), Damage> {
        let value = [BucketHeader::default().to_bytes(), to_inline_page(&[])].concat();
        let item = Item {
            flags: BUCKET,
            child: 0,
            key: Span::from(name),
            value: Span::from(value),
        };
        self.leaf_mut(space, name)?.put(name, item);
        // An inline bucket cannot have child buckets, so this bucket gets its own page.
        self.inline = None;
        Ok(())
    }

    /// Frees all pages of the bucket and of its child buckets.
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub(super) fn free_all(&self, space: &mut Space) -> Result<(), Damage> {
        let mut buckets = vec![self.header];
        while let Some(header) = buckets.pop() {
            let mut pages = Vec::new();
            if header.page != 0 {
                pages.push(header.page);
            }
            while let Some(id) = pages.pop() {
                let page = space.page(id)?;
                for index in 0..usize::from(page.count()) {
                    let item = page.item(index)?;
                    if page.kind() == Kind::Branch {
                        pages.push(item.child);
                    } else if item.flags & BUCKET != 0 {
                        buckets.extend(BucketHeader::read(&item.value));
                    }
                }
                space.free(id)?;
            }
        }
        Ok(())
    }

    /// Returns true if a changed bucket can be stored inline: it has no child buckets, and its only leaf is empty or no
    /// larger than a quarter of a page.
    pub(super) fn is_inlineable(&self, page_size: u32) -> bool {
        let Some(root) = self.nodes.get(&self.header.page).filter(|n| n.is_leaf) else {
            return false;
        };
        let is_plain = root.items.iter().all(|item| item.flags & BUCKET == 0);
        is_plain && (root.items.is_empty() || root.bytes() <= page_size as usize / 4)
    }

    /// Encodes an inline bucket as the value of its element.
    pub(super) fn to_inline_value(&self) -> Span {
        let header = BucketHeader {
            page: 0,
            ..self.header
        };
        let root = self.node(self.header.page);
        Span::from([header.to_bytes(), to_inline_page(&root.items)].concat())
    }
}

const _: () = assert!(HEADER == HEADER_BYTES);
