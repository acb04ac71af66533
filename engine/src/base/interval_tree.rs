//! A map from key ranges to values. A search finds all ranges that contain a key.
//!
//! Mirrors the use of `pkg/adt/interval_tree.go` for watchers. Upstream uses a red-black tree. Here, a sorted list
//! represents a balanced tree: the middle entry of the list is the root, and each entry stores the greatest end in its
//! subtree. A change copies the list. A search takes O(log n + k) steps for k results.

use std::sync::Arc;

use super::Bytes;

/// A map from half-open key ranges to values. An end of `None` means "to the end of the keyspace".
///
/// ```
/// use watchglass_engine::base::interval_tree::IntervalTree;
/// let mut tree: IntervalTree<Vec<i32>> = IntervalTree::default();
/// tree.entry("a".into(), Some("c".into())).push(1);
/// tree.entry("b".into(), None).push(2);
/// let found: Vec<&Vec<i32>> = tree.containing(b"b").collect();
/// assert_eq!(found, [&vec![1], &vec![2]]);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct IntervalTree<V> {
    nodes: Arc<Vec<Node<V>>>,
}

#[derive(Clone, Debug, Hash)]
struct Node<V> {
    begin: Bytes,
    end: Option<Bytes>,
    /// The greatest end in this node's subtree. The subtree is the part of the list that has this node in its middle.
    max_end: Option<Bytes>,
    value: V,
}

impl<V> Default for IntervalTree<V> {
    fn default() -> Self {
        Self {
            nodes: Arc::new(Vec::new()),
        }
    }
}

impl<V: Clone + Default> IntervalTree<V> {
    /// Returns a mutable reference to the value of exactly this range. Inserts a default value if the range is missing.
    pub fn entry(&mut self, begin: Bytes, end: Option<Bytes>) -> &mut V {
        let nodes = Arc::make_mut(&mut self.nodes);
        let at = match find(nodes, &begin, end.as_ref()) {
            Ok(at) => at,
            Err(at) => {
                let max_end = end.clone();
                nodes.insert(
                    at,
                    Node {
                        begin,
                        end,
                        max_end,
                        value: V::default(),
                    },
                );
                remember_ends(nodes);
                at
            }
        };
        &mut nodes[at].value
    }

    /// Returns the value of exactly this range.
    pub fn get(&self, begin: &Bytes, end: Option<&Bytes>) -> Option<&V> {
        find(&self.nodes, begin, end)
            .ok()
            .map(|at| &self.nodes[at].value)
    }

    /// Removes exactly this range with its value.
    pub fn remove(&mut self, begin: &Bytes, end: Option<&Bytes>) {
        if let Ok(at) = find(&self.nodes, begin, end) {
            let nodes = Arc::make_mut(&mut self.nodes);
            nodes.remove(at);
            remember_ends(nodes);
        }
    }

    /// Returns the values of all ranges that contain `key`, ordered by the start of the range.
    pub fn containing<'a>(&'a self, key: &'a [u8]) -> impl Iterator<Item = &'a V> + 'a {
        let mut found = Vec::new();
        collect(&self.nodes, key, &mut found);
        found.into_iter()
    }

    pub fn len(&self) -> u64 {
        self.nodes.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// Returns a sort key for the end of a range: `None`, "to the end", is greater than every key.
fn end_order(end: Option<&Bytes>) -> (bool, Option<&Bytes>) {
    (end.is_none(), end)
}

fn find<V>(nodes: &[Node<V>], begin: &Bytes, end: Option<&Bytes>) -> Result<usize, usize> {
    nodes.binary_search_by(|n| (&n.begin, end_order(n.end.as_ref())).cmp(&(begin, end_order(end))))
}

fn remember_ends<V>(nodes: &mut [Node<V>]) -> Option<Option<Bytes>> {
    if nodes.is_empty() {
        return None;
    }
    let middle = nodes.len() / 2;
    let (left, rest) = nodes.split_at_mut(middle);
    let (node, right) = rest.split_first_mut()?;
    let mut max = node.end.clone();
    for below in [remember_ends(left), remember_ends(right)]
        .into_iter()
        .flatten()
    {
        if end_order(below.as_ref()) > end_order(max.as_ref()) {
            max = below;
        }
    }
    node.max_end.clone_from(&max);
    Some(max)
}

fn collect<'a, V>(nodes: &'a [Node<V>], key: &[u8], found: &mut Vec<&'a V>) {
    let Some(node) = nodes.get(nodes.len() / 2) else {
        return;
    };
    let ends_after = |end: &Option<Bytes>| end.as_ref().is_none_or(|e| key < e.as_slice());
    if !ends_after(&node.max_end) {
        return;
    }
    let middle = nodes.len() / 2;
    collect(&nodes[..middle], key, found);
    if key >= node.begin.as_slice() {
        if ends_after(&node.end) {
            found.push(&node.value);
        }
        collect(&nodes[middle + 1..], key, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn agrees_with_asking_every_range() {
        let mut rng = Rng::stream(7, "interval tree");
        let mut tree: IntervalTree<Vec<u64>> = IntervalTree::default();
        let mut all: Vec<(Bytes, Option<Bytes>, u64)> = Vec::new();
        for id in 0..300 {
            let begin = Bytes::from(vec![rng.below(20) as u8 + 1, rng.below(5) as u8]);
            let mut end = begin.to_vec();
            end[0] += rng.below(6) as u8;
            end.push(0);
            let end = rng.chance(4, 5).then(|| Bytes::from(end));
            tree.entry(begin.clone(), end.clone()).push(id);
            all.push((begin, end, id));
            if rng.chance(1, 3) {
                let (begin, end, _) = all[rng.below(all.len() as u64) as usize].clone();
                tree.remove(&begin, end.as_ref());
                all.retain(|(b, e, _)| (b, e) != (&begin, &end));
            }
            let key = [rng.below(26) as u8, rng.below(6) as u8];
            let mut got: Vec<u64> = tree.containing(&key).flatten().copied().collect();
            got.sort_unstable();
            let holds = |b: &Bytes, e: &Option<Bytes>| {
                &key[..] >= b.as_slice() && e.as_ref().is_none_or(|e| &key[..] < e.as_slice())
            };
            let want: Vec<u64> = all
                .iter()
                .filter(|(b, e, _)| holds(b, e))
                .map(|(_, _, id)| *id)
                .collect();
            assert_eq!(got, want);
        }
    }
}
