//! Stable sorts with one copy of the algorithm for all types.
//!
//! The sorts of the standard library are compiled again for each type and each comparison, which was 5 % of the program
//! that the page loads. Here, one sort of places calls the comparison through a pointer, and the elements then move to
//! their places. Code that sorts in each step keeps the sorts of the standard library, which are faster.

use std::cmp::Ordering;

/// ```
/// use watchglass_engine::base::small_sort::SmallSort;
/// let mut words = ["bb", "a", "cc", "d"];
/// words.small_sort_by_key(|word| word.len());
/// assert_eq!(words, ["a", "d", "bb", "cc"]);
/// words.small_sort();
/// assert_eq!(words, ["a", "bb", "cc", "d"]);
/// ```
pub trait SmallSort<T> {
    fn small_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    fn small_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.small_sort_by(|a, b| key(a).cmp(&key(b)));
    }

    fn small_sort(&mut self)
    where
        T: Ord,
    {
        self.small_sort_by(T::cmp);
    }
}

impl<T> SmallSort<T> for [T] {
    fn small_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = sorted_places(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        move_to_places(order, &mut |a, b| self.swap(a, b));
    }
}

/// Returns the places of the elements in their order.
fn sorted_places(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..len).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Moves each element to its place, along the cycles of the permutation.
fn move_to_places(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn the_order_is_that_of_the_standard_library() {
        let mut rng = Rng::stream(7, "sort");
        for len in 0..60 {
            let mut items: Vec<(u64, u64)> = (0..len).map(|at| (rng.below(8), at)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            items.small_sort_by_key(|(key, _)| *key);
            assert_eq!(items, expected);
        }
    }
}
