//! A counted tree of keys, which returns the number of keys in a range in logarithmic time.
//!
//! The proposal estimates the number of scanned keys with such a tree ("segment tree, also known as a statistic tree").
//! The tree contains all keys of the index, including keys whose newest generation ends with a tombstone, because a
//! request for a range visits these keys until a compaction removes them. To save memory, the tree can contain a sample
//! of the keys. A hash of the key decides whether the sample contains the key, so the sample does not depend on the
//! order of inserts. The shape of the tree depends only on its keys: the priority of a node is computed from a hash of
//! the node's key, and is larger than the priorities of all nodes below.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::digest::Digest;

type Link = Option<Arc<TreeNode>>;

/// A counted tree. Copies share unchanged nodes.
///
/// ```
/// use watchglass_engine::base::bytes::KeyRange;
/// use watchglass_engine::qos::CountedTree;
/// let mut tree = CountedTree::default();
/// for key in ["/a/1", "/a/2", "/b"] {
///     tree.insert(key.into());
/// }
/// assert_eq!(tree.count(&KeyRange::Between("/a/".into(), "/a0".into())), 2);
/// assert_eq!(tree.count(&KeyRange::From("/a/2".into())), 2);
/// ```
#[derive(Clone, Debug)]
pub struct CountedTree {
    root: Link,
    /// The sampling rate: the tree contains about one in `one_in` keys. 1 means all keys.
    one_in: u64,
}

#[derive(Debug)]
struct TreeNode {
    key: Bytes,
    priority: u64,
    size: u64,
    left: Link,
    right: Link,
}

impl Default for CountedTree {
    fn default() -> Self {
        Self::sampled(1)
    }
}

/// Hashes only the number of keys and the sampling rate. The index, which is hashed separately, determines the rest of
/// the tree.
impl Hash for CountedTree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (size(&self.root), self.one_in).hash(state);
    }
}

impl CountedTree {
    /// Creates an empty tree that contains about one in `one_in` keys.
    pub fn sampled(one_in: u64) -> Self {
        Self {
            root: None,
            one_in: one_in.max(1),
        }
    }

    /// Returns the sampling rate: the tree contains about one in this number of keys.
    pub fn one_in(&self) -> u64 {
        self.one_in
    }

    pub fn len(&self) -> u64 {
        size(&self.root)
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Adds a key, unless the sample excludes the key.
    pub fn insert(&mut self, key: Bytes) {
        let hash = Digest::of(&key.as_slice());
        if mixed(hash) <= u64::MAX / self.one_in && !self.contains(&key) {
            let priority = mixed(!hash);
            self.root = insert(self.root.take(), key, priority);
        }
    }

    fn contains(&self, key: &[u8]) -> bool {
        let mut link = &self.root;
        while let Some(node) = link {
            link = match key.cmp(&node.key) {
                Ordering::Less => &node.left,
                Ordering::Equal => return true,
                Ordering::Greater => &node.right,
            };
        }
        false
    }

    /// Returns the number of keys in the tree that are less than `key`.
    fn rank(&self, key: &[u8]) -> u64 {
        let (mut link, mut rank) = (&self.root, 0);
        while let Some(node) = link {
            link = if node.key.as_slice() < key {
                rank += size(&node.left) + 1;
                &node.right
            } else {
                &node.left
            };
        }
        rank
    }

    /// Returns the number of keys in a range. The number is exact if the tree contains all keys, and an estimate if the
    /// tree contains a sample.
    pub fn count(&self, keys: &KeyRange) -> u64 {
        let counted = match keys {
            KeyRange::One(key) => return u64::from(self.contains(key) || self.one_in > 1),
            KeyRange::From(key) => self.len() - self.rank(key),
            KeyRange::Between(key, end) => self.rank(end).saturating_sub(self.rank(key)),
        };
        counted * self.one_in
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubtreePart {
    /// All keys of the subtree are in the range, so the count adds the size of the subtree.
    Added,
    /// The range contains some keys of the subtree, so the count descends.
    Descended {
        /// Whether the range contains the key of the node itself.
        adds_own: bool,
    },
    /// The range contains no key of the subtree.
    Skipped,
}

/// A subtree that a count reaches. A subtree contains all keys between its first and its last key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subtree {
    /// The depth of the subtree; 0 for the whole tree.
    pub level: u32,
    /// The number of keys in the tree before the first key of the subtree.
    pub before: u64,
    pub size: u64,
    /// The first and the last key of the subtree.
    pub ends: [Bytes; 2],
    pub part: SubtreePart,
}

impl CountedTree {
    /// Returns the subtrees that a count of the keys in a range reaches, down to a maximum depth.
    pub fn subtrees(&self, keys: &KeyRange, levels: u32) -> Vec<Subtree> {
        let mut reached = Vec::new();
        reach(&self.root, keys, (0, levels), 0, &mut reached);
        reached
    }
}

fn reach(
    link: &Link,
    keys: &KeyRange,
    (level, levels): (u32, u32),
    before: u64,
    reached: &mut Vec<Subtree>,
) {
    let Some(node) = link.as_ref().filter(|_| level < levels) else {
        return;
    };
    let ends = [first(node), last(node)].map(|node| node.key.clone());
    let [starts_inside, ends_inside] = [&ends[0], &ends[1]].map(|key| keys.contains(key));
    let is_before = ends[1] < *keys.start();
    let is_after = ends[0] >= *keys.start() && !starts_inside;
    let part = if starts_inside && ends_inside {
        SubtreePart::Added
    } else if is_before || is_after {
        SubtreePart::Skipped
    } else {
        let adds_own = keys.contains(&node.key);
        SubtreePart::Descended { adds_own }
    };
    reached.push(Subtree {
        level,
        before,
        size: node.size,
        ends,
        part,
    });
    if matches!(part, SubtreePart::Descended { .. }) {
        let depth = (level + 1, levels);
        reach(&node.left, keys, depth, before, reached);
        let before = before + size(&node.left) + 1;
        reach(&node.right, keys, depth, before, reached);
    }
}

fn first(mut node: &TreeNode) -> &TreeNode {
    while let Some(left) = &node.left {
        node = left;
    }
    node
}

fn last(mut node: &TreeNode) -> &TreeNode {
    while let Some(right) = &node.right {
        node = right;
    }
    node
}

fn size(link: &Link) -> u64 {
    link.as_ref().map_or(0, |node| node.size)
}

fn node(key: Bytes, priority: u64, left: Link, right: Link) -> Link {
    let size = size(&left) + size(&right) + 1;
    Some(Arc::new(TreeNode {
        key,
        priority,
        size,
        left,
        right,
    }))
}

fn insert(link: Link, key: Bytes, priority: u64) -> Link {
    let Some(top) = link else {
        return node(key, priority, None, None);
    };
    if priority > top.priority {
        let (left, right) = split(Some(top), &key);
        return node(key, priority, left, right);
    }
    let (own, left, right) = (top.key.clone(), top.left.clone(), top.right.clone());
    match key < own {
        true => node(own, top.priority, insert(left, key, priority), right),
        false => node(own, top.priority, left, insert(right, key, priority)),
    }
}

/// Divides a tree into the keys before `key` and the keys after `key`.
fn split(link: Link, key: &Bytes) -> (Link, Link) {
    let Some(top) = link else {
        return (None, None);
    };
    let (own, priority) = (top.key.clone(), top.priority);
    if own < *key {
        let (middle, right) = split(top.right.clone(), key);
        (node(own, priority, top.left.clone(), middle), right)
    } else {
        let (left, middle) = split(top.left.clone(), key);
        (left, node(own, priority, middle, top.right.clone()))
    }
}

/// Mixes the bits of a hash, so that each input bit affects all output bits (the finalizer of MurmurHash3).
fn mixed(mut hash: u64) -> u64 {
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(factor);
    }
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_like_a_sorted_list() {
        let mut tree = CountedTree::default();
        let mut keys: Vec<Bytes> = Vec::new();
        for n in 0..3_000_u64 {
            let key = Bytes::from(format!("/k/{}", mixed(n) % 2_000));
            tree.insert(key.clone());
            keys.push(key);
        }
        keys.sort();
        keys.dedup();
        assert_eq!(tree.len(), keys.len() as u64);
        for pair in keys.chunks(7) {
            let range = KeyRange::Between(pair[0].clone(), "/k/5".into());
            let expected = keys.iter().filter(|key| range.contains(key)).count() as u64;
            assert_eq!(tree.count(&range), expected, "{range:?}");
        }
    }

    #[test]
    fn the_subtrees_of_a_count_add_up_to_the_count() {
        let mut tree = CountedTree::default();
        for n in 0..1_000_u64 {
            tree.insert(Bytes::from(format!("/k/{n:03}")));
        }
        for (from, to) in [
            ("/k/", "/k0"),
            ("/k/100", "/k/900"),
            ("/k/5", "/k/50"),
            ("/a", "/b"),
        ] {
            let keys = KeyRange::Between(from.into(), to.into());
            let reached = tree.subtrees(&keys, 100);
            let added = reached.iter().map(|subtree| match subtree.part {
                SubtreePart::Added => subtree.size,
                SubtreePart::Descended { adds_own } => adds_own.into(),
                SubtreePart::Skipped => 0,
            });
            assert_eq!(added.sum::<u64>(), tree.count(&keys), "{keys:?}");
            assert!(reached.len() < 120, "{} subtrees", reached.len());
        }
        let all = tree.subtrees(&KeyRange::From("/".into()), 100);
        assert_eq!((all.len(), all[0].part), (1, SubtreePart::Added));
    }

    #[test]
    fn a_sample_estimates_within_four_standard_deviations() {
        let mut tree = CountedTree::sampled(16);
        for n in 0..20_000 {
            tree.insert(Bytes::from(format!("/registry/pods/default/web-{n}")));
        }
        let found = tree.count(&KeyRange::From("/".into()));
        // The relative standard deviation is sqrt(15 / 20,000) = 2.74 %.
        assert!((17_810..22_190).contains(&found), "{found}");
    }
}
