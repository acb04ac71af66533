//! Sorting, compiled once.
//!
//! std's sort is compiled anew for each type it sorts, some four thousand bytes of the download
//! each time. Here numbers of places are sorted, by whatever order the caller asks for, and then
//! the items are put where they belong.

use std::cmp::Ordering;

/// Sorts by a key. What is equal keeps its order.
///
/// ```
/// use watchglass_engine::base::sort;
/// let mut words = vec!["pear", "fig", "apple", "kiwi"];
/// sort::by_key(&mut words, |word| word.len());
/// assert_eq!(words, ["fig", "pear", "kiwi", "apple"]);
/// ```
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by an order. What is equal keeps its order.
pub fn by<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    let mut places: Vec<usize> = (0..items.len()).collect();
    sort_places(&mut places, &|a, b| order(&items[a], &items[b]));
    // Along each cycle, what belongs at a place is swapped to it from the place where it is.
    for start in 0..places.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut places[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// Sorts what has an order of its own.
pub fn sort<T: Ord>(items: &mut [T]) {
    by(items, T::cmp);
}

fn sort_places(places: &mut [usize], order: &dyn Fn(usize, usize) -> Ordering) {
    places.sort_unstable_by(|a, b| order(*a, *b).then(a.cmp(b)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn like_the_sort_of_std(items in prop::collection::vec((0_u8..20, any::<u8>()), 0..200)) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            let mut got = items.clone();
            by_key(&mut got, |item| item.0);
            prop_assert_eq!(&got, &expected);
            expected.sort();
            sort(&mut got);
            prop_assert_eq!(got, expected);
        }
    }
}
