//! The largest groups of a list, and the sum of the others. A prefix can have millions of groups.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::LIST_MAX;

/// A group of keys that has a rank among the other groups.
pub(super) trait Ranked: Default {
    type Rank: Ord + Copy;

    /// Returns the rank; the largest rank is the first in the list.
    fn rank(&self) -> Self::Rank;

    /// Adds the counts of another group.
    fn add_group(&mut self, other: &Self);
}

/// The groups with the highest ranks, at most [`LIST_MAX`], and the number and the sum of the others.
pub(super) struct Largest<G: Ranked> {
    /// The groups, largest first; equal groups in the order in which they were added.
    groups: BTreeMap<(Reverse<G::Rank>, u64), G>,
    count: u64,
    others: Option<(u64, G)>,
}

impl<G: Ranked> Default for Largest<G> {
    fn default() -> Self {
        Self {
            groups: BTreeMap::new(),
            count: 0,
            others: None,
        }
    }
}

impl<G: Ranked> Largest<G> {
    pub(super) fn finish(self) -> (Vec<G>, Option<(u64, G)>) {
        (self.groups.into_values().collect(), self.others)
    }
}

impl<G: Ranked> Extend<G> for Largest<G> {
    fn extend<I: IntoIterator<Item = G>>(&mut self, groups: I) {
        for group in groups {
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
    }
}
