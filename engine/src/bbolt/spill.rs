//! Writes changed nodes. A commit splits each changed node into parts that fit on a page, and writes each part to a new
//! page.
//!
//! Mirrors `spill` of `node.go` and `bucket.go`: children are written first, in key order, then their parents with the
//! new page numbers, then the bucket's header in the parent bucket. Buckets are visited in the order of names, as in
//! `rebalance.rs`.

use std::sync::Arc;

use super::bucket::Bucket;
use super::leaf::BUCKET;
use super::node::{Item, Node, pages_for, to_pages};
use super::report::Split;
use super::space::Space;
use super::{Damage, Span};

/// A written page, and the element that its parent stores for the page.
struct Part {
    /// The key of the parent's element before this write.
    old_key: Span,
    item: Item,
}

impl Bucket {
    /// Writes all changed nodes of the bucket and its child buckets, and updates the root page in the header. Returns
    /// true if the header may have changed.
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub(super) fn spill(&mut self, space: &mut Space) -> Result<bool, Damage> {
        let buckets = std::mem::take(&mut self.buckets);
        for (name, child) in buckets {
            self.spill_child(space, name, child)?;
        }
        if !self.is_materialized() {
            return Ok(false);
        }
        let mut parts = self.spill_node(space, self.header.page)?;
        // After a split of the root, the parts need a new root above them.
        while parts.len() > 1 {
            let mut root = Node {
                is_leaf: false,
                ..Node::new_leaf()
            };
            for part in parts {
                root.put(&part.old_key, part.item);
            }
            parts = self.write(space, 0, &root)?;
        }
        self.header.page = parts[0].item.child;
        Ok(true)
    }

    fn spill_child(
        &mut self,
        space: &mut Space,
        name: Span,
        mut child: Self,
    ) -> Result<(), Damage> {
        let value = if child.is_inlineable(space.page_size()) {
            if !child.is_inline() {
                space.free(child.header.page)?;
            }
            child.to_inline_value()
        } else if child.spill(space)? {
            Span::from(child.header.to_bytes())
        } else {
            return Ok(());
        };
        let item = Item {
            flags: BUCKET,
            child: 0,
            key: name.clone(),
            value,
        };
        self.leaf_mut(space, &name)?.put(&name, item);
        Ok(())
    }

    fn spill_node(&mut self, space: &mut Space, id: u64) -> Result<Vec<Part>, Damage> {
        let node = self.nodes.remove(&id).expect("the node is in memory");
        let mut node = Arc::unwrap_or_clone(node);
        let mut children: Vec<(Span, u64)> = std::mem::take(&mut node.children)
            .into_iter()
            .map(|child| (self.node(child).items[0].key.clone(), child))
            .collect();
        children.sort_unstable();
        for (_, child) in children {
            for part in self.spill_node(space, child)? {
                node.put(&part.old_key, part.item);
            }
        }
        self.write(space, id, &node)
    }

    /// Writes a node to new pages. `id` is the node's old page, or 0 if the node is new.
    fn write(&self, space: &mut Space, id: u64, node: &Node) -> Result<Vec<Part>, Damage> {
        let page_size = space.page_size();
        if id != 0 {
            space.free(id)?;
        }
        let mut parts = Vec::new();
        let mut start = 0;
        for end in node.split_points(page_size, self.fill) {
            let items = &node.items[start..end];
            let count = pages_for(items, page_size);
            let page = space.allocate(count);
            let bytes = to_pages(items, node.is_leaf, page, count, page_size);
            space.write(page, bytes);
            let key = items
                .first()
                .map(|item| item.key.clone())
                .unwrap_or_default();
            let old_key = node.first_key.as_ref().filter(|_| start == 0);
            parts.push(Part {
                old_key: old_key.unwrap_or(&key).clone(),
                item: Item {
                    child: page,
                    key,
                    ..Item::default()
                },
            });
            start = end;
        }
        if parts.len() > 1 {
            let into = parts.iter().map(|part| part.item.child).collect();
            space.report.splits.push(Split { from: id, into });
        }
        Ok(parts)
    }
}
