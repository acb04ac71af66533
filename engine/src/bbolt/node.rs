//! A node: a page in memory during a transaction. Its elements are a list that can grow and shrink.
//!
//! Mirrors `node.go`. The number of a node is the number of the page that the node was read from. The root of an inline
//! or new bucket has no page of its own; its number is 0.

use super::branch::BranchElement;
use super::leaf::LeafElement;
use super::page::{ELEMENT_BYTES, HEADER_BYTES, Kind, Page, write_header};
use super::{Damage, Span};

/// The minimum number of keys on each side of a split.
const MIN_KEYS_PER_PAGE: usize = 2;

/// An element of a node (bbolt's `inode`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Item {
    /// The flags of an element in a leaf: [`BUCKET`](super::leaf::BUCKET) for a nested bucket, or else 0.
    pub flags: u32,
    /// The number of the child page; used only in a branch.
    pub child: u64,
    pub key: Span,
    /// The value; used only in a leaf.
    pub value: Span,
}

impl Item {
    fn bytes(&self) -> usize {
        ELEMENT_BYTES + self.key.len() + self.value.len()
    }
}

/// A branch or leaf page in memory.
///
/// ```
/// use watchglass_engine::bbolt::Span;
/// use watchglass_engine::bbolt::node::{Item, Node};
/// let mut node = Node::new_leaf();
/// for key in ["b", "a", "c"] {
///     let key = Span::from(key.as_bytes());
///     node.put(&key.clone(), Item { key, ..Item::default() });
/// }
/// assert_eq!(node.items().iter().map(|item| &*item.key).collect::<Vec<_>>(), [b"a", b"b", b"c"]);
/// assert_eq!(node.bytes(), 16 + 3 * (16 + 1));
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Node {
    pub(super) is_leaf: bool,
    /// Whether a delete may have left the node too small.
    pub(super) is_unbalanced: bool,
    /// The first key at the time of reading the page. The parent's element for this node has the same key.
    pub(super) first_key: Option<Span>,
    pub(super) parent: Option<u64>,
    /// The children of this node that are in memory.
    pub(super) children: Vec<u64>,
    pub(super) items: Vec<Item>,
}

impl Node {
    pub fn new_leaf() -> Self {
        Self {
            is_leaf: true,
            is_unbalanced: false,
            first_key: None,
            parent: None,
            children: Vec::new(),
            items: Vec::new(),
        }
    }

    /// Reads a branch or leaf page.
    ///
    /// # Errors
    /// Returns an error if an element extends beyond the end of the page.
    pub fn read(page: &Page, parent: Option<u64>) -> Result<Self, Damage> {
        let items = (0..usize::from(page.count()))
            .map(|index| page.item(index))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            is_leaf: page.kind() == Kind::Leaf,
            first_key: items.first().map(|item| item.key.clone()),
            parent,
            items,
            ..Self::new_leaf()
        })
    }

    /// Returns the elements, in key order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns true if the node is a leaf, whose elements have values instead of child pages.
    pub fn is_leaf(&self) -> bool {
        self.is_leaf
    }

    /// Returns the total size of the header, the elements, the keys and the values, in bytes.
    pub fn bytes(&self) -> usize {
        bytes_of(&self.items)
    }

    /// A node with this number of keys or fewer is merged into a sibling, whatever its size in bytes.
    pub(super) fn min_keys(&self) -> usize {
        if self.is_leaf { 1 } else { 2 }
    }

    /// Returns the index of the first element whose key is not less than `key`.
    pub fn search(&self, key: &[u8]) -> usize {
        // etcd writes revisions in ascending order, so most keys belong at the end.
        match self.items.last() {
            Some(last) if &*last.key < key => self.items.len(),
            _ => self.items.partition_point(|item| &*item.key < key),
        }
    }

    /// Replaces the element whose key is `old_key`. If no element has that key, inserts `item` at the key's position.
    ///
    /// # Panics
    /// Panics if the key is empty.
    pub fn put(&mut self, old_key: &[u8], item: Item) {
        assert!(!item.key.is_empty(), "a key is not empty");
        let index = self.search(old_key);
        match self.items.get_mut(index) {
            Some(there) if &*there.key == old_key => *there = item,
            _ => self.items.insert(index, item),
        }
    }

    pub fn delete(&mut self, key: &[u8]) {
        let index = self.search(key);
        if self.items.get(index).is_some_and(|item| &*item.key == key) {
            self.items.remove(index);
            self.is_unbalanced = true;
        }
    }

    /// Splits the elements into parts for one page each and returns the end index of each part. Every part but the last
    /// is filled up to `fill` thousandths of a page of `page_size` bytes.
    pub(super) fn split_points(&self, page_size: u32, fill: u32) -> Vec<usize> {
        let fill = fill.clamp(FILL_MIN, FILL_MAX);
        let threshold = (u64::from(page_size) * u64::from(fill) / 1000) as usize;
        let mut points = Vec::new();
        let mut start = 0;
        loop {
            let rest = &self.items[start..];
            if rest.len() <= 2 * MIN_KEYS_PER_PAGE || fits(rest, page_size as usize) {
                break;
            }
            start += split_index(rest, threshold);
            points.push(start);
        }
        points.push(self.items.len());
        points
    }
}

/// The fill percent of a new bucket (half a page), in thousandths.
pub const FILL_DEFAULT: u32 = 500;
/// The fill percent for sequential writes, in thousandths. etcd sets this value for the bucket `key`, and during a
/// defragmentation for all buckets.
pub const FILL_SEQUENTIAL: u32 = 900;
const FILL_MIN: u32 = 100;
const FILL_MAX: u32 = 1000;

fn bytes_of(items: &[Item]) -> usize {
    HEADER_BYTES + items.iter().map(Item::bytes).sum::<usize>()
}

fn fits(items: &[Item], page_bytes: usize) -> bool {
    let mut bytes = HEADER_BYTES;
    items.iter().all(|item| {
        bytes += item.bytes();
        bytes < page_bytes
    })
}

fn split_index(items: &[Item], threshold: usize) -> usize {
    let mut bytes = HEADER_BYTES;
    let last = items.len() - MIN_KEYS_PER_PAGE - 1;
    for (index, item) in items[..last].iter().enumerate() {
        if index >= MIN_KEYS_PER_PAGE && bytes + item.bytes() > threshold {
            return index;
        }
        bytes += item.bytes();
    }
    last
}

/// Returns the number of pages of `page_size` bytes that the items need.
pub(super) fn pages_for(items: &[Item], page_size: u32) -> u64 {
    bytes_of(items).div_ceil(page_size as usize) as u64
}

/// Encodes the items as branch or leaf page `id`, which takes `pages` pages of `page_size` bytes.
///
/// # Panics
/// Panics if there are 65,535 or more items. A split prevents this case.
pub(super) fn to_pages(
    items: &[Item],
    is_leaf: bool,
    id: u64,
    pages: u64,
    page_size: u32,
) -> Vec<u8> {
    let mut out = vec![0; (pages * u64::from(page_size)) as usize];
    write(items, is_leaf, id, pages as u32 - 1, &mut out);
    out
}

/// Encodes the items as the page of an inline bucket. The page has the number 0 and no unused bytes.
pub(super) fn to_inline_page(items: &[Item]) -> Vec<u8> {
    let mut out = vec![0; bytes_of(items)];
    write(items, true, 0, 0, &mut out);
    out
}

fn write(items: &[Item], is_leaf: bool, id: u64, overflow: u32, out: &mut [u8]) {
    assert!(items.len() < 0xffff, "the count of elements has 16 bits");
    let kind = if is_leaf { Kind::Leaf } else { Kind::Branch };
    write_header(out, id, kind, items.len() as u16, overflow);
    let mut data_at = HEADER_BYTES + items.len() * ELEMENT_BYTES;
    for (index, item) in items.iter().enumerate() {
        let at = HEADER_BYTES + index * ELEMENT_BYTES;
        let pos = (data_at - at) as u32;
        let key_bytes = item.key.len() as u32;
        if is_leaf {
            LeafElement {
                flags: item.flags,
                pos,
                key_bytes,
                value_bytes: item.value.len() as u32,
            }
            .write(out, at);
        } else {
            let child = item.child;
            BranchElement {
                pos,
                key_bytes,
                child,
            }
            .write(out, at);
        }
        for part in [&item.key, &item.value] {
            out[data_at..data_at + part.len()].copy_from_slice(part);
            data_at += part.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(value_bytes: &[usize]) -> Node {
        let mut node = Node::new_leaf();
        for (i, bytes) in value_bytes.iter().enumerate() {
            let key = Span::from(vec![i as u8]);
            let value = Span::from(vec![0; *bytes]);
            node.items.push(Item {
                key,
                value,
                ..Item::default()
            });
        }
        node
    }

    #[test]
    fn four_keys_are_never_split() {
        assert_eq!(leaf(&[5000; 4]).split_points(4096, 500), [4]);
        assert_eq!(leaf(&[5000; 5]).split_points(4096, 500), [2, 5]);
    }

    #[test]
    fn parts_are_filled_up_to_the_fill_percent() {
        // Each element takes 117 bytes: 17 elements fit below 2048 bytes, and 31 fit below 3686 bytes.
        assert_eq!(leaf(&[100; 60]).split_points(4096, 500)[0], 17);
        assert_eq!(leaf(&[100; 60]).split_points(4096, 900)[0], 31);
    }
}
