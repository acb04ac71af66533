//! The keys below a prefix in groups: the largest groups of a list, and the sum of the others. A prefix can have
//! millions of groups.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::LIST_MAX;

/// A group of keys that has a rank among the other groups.
pub(super) trait Group: Default {
    /// Creates the group of the keys with this prefix, or of the single key.
    fn new(prefix: &[u8], is_key: bool) -> Self;

    fn is_of(&self, prefix: &[u8], is_key: bool) -> bool;

    /// Returns the rank; the largest rank is the first in the list.
    fn rank(&self) -> (u64, u64);

    /// Adds the counts of another group.
    fn add_group(&mut self, other: &Self);
}

/// The groups with the highest ranks, at most [`LIST_MAX`], and the number and the sum of the others.
#[derive(Default)]
pub(super) struct LargestGroups<G> {
    /// The groups, largest first; equal groups in the order in which they were added.
    groups: BTreeMap<(Reverse<(u64, u64)>, u64), G>,
    /// The group of the last key, which can still grow.
    last: Option<G>,
    count: u64,
    others: Option<(u64, G)>,
}

impl<G: Group> LargestGroups<G> {
    /// Returns the group of a key below a prefix of this length. The name of the group ends at the next `/` after the
    /// first byte. The keys must come in their order.
    pub(super) fn group_of(&mut self, key: &[u8], prefix: usize) -> &mut G {
        let rest = key.get(prefix..).unwrap_or_default();
        let slash = rest.iter().skip(1).position(|byte| *byte == b'/');
        let (name, is_key) = match slash {
            Some(at) => (&key[..prefix + at + 2], false),
            None => (key, true),
        };
        match self.last.take_if(|last| last.is_of(name, is_key)) {
            Some(last) => self.last.insert(last),
            None => {
                self.close_last();
                self.last.insert(G::new(name, is_key))
            }
        }
    }

    fn close_last(&mut self) {
        let Some(group) = self.last.take() else {
            return;
        };
        self.groups
            .insert((Reverse(group.rank()), self.count), group);
        self.count += 1;
        if self.groups.len() > LIST_MAX
            && let Some((_, smallest)) = self.groups.pop_last()
        {
            let (count, all) = self.others.get_or_insert_with(|| (0, G::default()));
            *count += 1;
            all.add_group(&smallest);
        }
    }

    pub(super) fn finish(mut self) -> (Vec<G>, Option<(u64, G)>) {
        self.close_last();
        (self.groups.into_values().collect(), self.others)
    }
}
