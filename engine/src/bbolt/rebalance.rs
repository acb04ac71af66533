//! Merges small nodes. As its first step, a commit finds the nodes that have become too small through deletes, and
//! merges each of them into a sibling.
//!
//! Mirrors `rebalance` of `node.go` and `bucket.go`. bbolt visits nodes and buckets in the order of a Go map, which
//! differs from run to run. The simulator visits nodes in the order of page numbers and buckets in the order of names.

use std::sync::Arc;

use super::Damage;
use super::bucket::Bucket;
use super::node::Node;
use super::options::MergeBelow;
use super::report::Merge;
use super::space::Space;

impl Bucket {
    /// Merges the nodes of this bucket and of its child buckets that are too small.
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub(super) fn rebalance(&mut self, space: &mut Space) -> Result<(), Damage> {
        let ids: Vec<u64> = self.nodes.keys().copied().collect();
        for id in ids {
            // A merge may have removed the node.
            if self.nodes.contains_key(&id) {
                self.rebalance_from(space, id)?;
            }
        }
        let names: Vec<_> = self.buckets.keys().cloned().collect();
        for name in names {
            let child = self.buckets.get_mut(&name).expect("a name of the map");
            child.rebalance(space)?;
        }
        Ok(())
    }

    /// Merges the node `id` if it is too small, and then its ancestors if they became too small.
    fn rebalance_from(&mut self, space: &mut Space, mut id: u64) -> Result<(), Damage> {
        while self.node(id).is_unbalanced {
            let page_bytes = space.page_size() as usize;
            let threshold = match space.options.merge_below {
                MergeBelow::QuarterPage => page_bytes / 4,
                MergeBelow::HalfFill => page_bytes * self.fill as usize / 1000 / 2,
            };
            let node = self.node_mut(id);
            node.is_unbalanced = false;
            if node.bytes() > threshold && node.items.len() > node.min_keys() {
                return Ok(());
            }
            let Some(parent) = node.parent else {
                return self.collapse_root(space, id);
            };
            if node.items.is_empty() {
                self.remove(space, id, parent, None)?;
            } else {
                self.merge(space, id, parent)?;
            }
            id = parent;
        }
        Ok(())
    }

    /// Replaces a root that has a single child by that child.
    fn collapse_root(&mut self, space: &mut Space, root: u64) -> Result<(), Damage> {
        let node = self.node(root);
        if node.is_leaf || node.items.len() != 1 {
            return Ok(());
        }
        let id = node.items[0].child;
        self.materialize(space, id, Some(root))?;
        let child = self.take(id);
        for grandchild in &child.children {
            self.node_mut(*grandchild).parent = Some(root);
        }
        let node = self.node_mut(root);
        node.is_leaf = child.is_leaf;
        node.items = child.items;
        node.children = child.children;
        let into = Some(root);
        space.report.merges.push(Merge { from: id, into });
        space.free(id)
    }

    /// Merges a node and its left sibling. The first child has no left sibling and is merged with its right sibling
    /// instead. The elements move to the left node of the two.
    fn merge(&mut self, space: &mut Space, id: u64, parent: u64) -> Result<(), Damage> {
        let siblings = &self.node(parent).items;
        assert!(siblings.len() > 1, "a parent has two children at least");
        let index = self.index_in(id, parent);
        let is_first = index == 0;
        let sibling = siblings[if is_first { 1 } else { index - 1 }].child;
        self.materialize(space, sibling, Some(parent))?;
        let (left, right) = if is_first {
            (id, sibling)
        } else {
            (sibling, id)
        };
        let node = self.node(right);
        let (items, children) = (node.items.clone(), node.children.clone());
        for child in &children {
            self.node_mut(*child).parent = Some(left);
        }
        let node = self.node_mut(left);
        node.items.extend(items);
        node.children.extend(children);
        self.remove(space, right, parent, Some(left))
    }

    /// Removes the node `id` from its parent and frees the node's page.
    fn remove(
        &mut self,
        space: &mut Space,
        id: u64,
        parent: u64,
        into: Option<u64>,
    ) -> Result<(), Damage> {
        let node = self.take(id);
        let key = node.first_key.expect("a child page has a first key");
        let parent = self.node_mut(parent);
        parent.delete(&key);
        parent.children.retain(|child| *child != id);
        space.report.merges.push(Merge { from: id, into });
        space.free(id)
    }

    fn index_in(&self, id: u64, parent: u64) -> usize {
        let key = self.node(id).first_key.as_deref().unwrap_or_default();
        self.node(parent).search(key)
    }

    fn take(&mut self, id: u64) -> Node {
        let node = self.nodes.remove(&id).expect("the node is in memory");
        Arc::unwrap_or_clone(node)
    }
}
