//! A list of pieces that grows at its end. Copies of the list share its full pieces.
//!
//! A run has lists with a million entries. When a `Vec` is full, it moves to a larger allocation. A part of this
//! allocation stays unused, and the old allocation leaves a hole in memory. A copy of a `Vec` needs the same memory
//! once more. In a [`SharedList`], full pieces never move, and copies share the full pieces.

use std::ops::{Index, Range};
use std::sync::Arc;

/// The number of entries in a full piece.
const PIECE: usize = 1_024;

/// A list whose copies share its full pieces.
///
/// ```
/// use watchglass_engine::base::shared_list::SharedList;
/// let mut steps: SharedList<u64> = (0..3_000).collect();
/// let branch = steps.first(2_500);
/// steps.push(3_000);
/// assert_eq!((steps.len(), branch.len(), branch.last()), (3_001, 2_500, Some(&2_499)));
/// assert_eq!(steps.partition_point(|step| *step < 1_234), 1_234);
/// ```
#[derive(Clone, Debug)]
pub struct SharedList<T> {
    full: Vec<Arc<[T]>>,
    /// The last piece, with fewer than [`PIECE`] entries.
    newest: Vec<T>,
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self {
            full: Vec::new(),
            newest: Vec::new(),
        }
    }
}

impl<T> SharedList<T> {
    pub fn len(&self) -> usize {
        self.full.len() * PIECE + self.newest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn push(&mut self, entry: T) {
        self.newest.push(entry);
        if self.newest.len() == PIECE {
            self.full.push(self.newest.drain(..).collect());
        }
    }

    pub fn get(&self, place: usize) -> Option<&T> {
        match self.full.get(place / PIECE) {
            Some(piece) => piece.get(place % PIECE),
            None => self.newest.get(place - self.full.len() * PIECE),
        }
    }

    pub fn last(&self) -> Option<&T> {
        self.get(self.len().checked_sub(1)?)
    }

    pub fn iter(&self) -> ListIter<'_, T> {
        self.range(0..self.len())
    }

    /// Returns an iterator over the entries in a range of indexes.
    ///
    /// # Panics
    /// Panics if the range ends after the end of the list.
    pub fn range(&self, range: Range<usize>) -> ListIter<'_, T> {
        assert!(range.end <= self.len(), "a range ends within the list");
        ListIter { list: self, range }
    }

    /// All entries for which `is_before` is true must precede the other entries.
    pub fn partition_point(&self, mut is_before: impl FnMut(&T) -> bool) -> usize {
        let full = self
            .full
            .partition_point(|piece| is_before(&piece[PIECE - 1]));
        let piece = self.full.get(full).map_or(&self.newest[..], |piece| piece);
        full * PIECE + piece.partition_point(is_before)
    }
}

impl<T: Clone> SharedList<T> {
    /// Returns a copy of the first `count` entries, which shares the full pieces.
    ///
    /// # Panics
    /// Panics if the list has fewer than `count` entries.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let full = count / PIECE;
        Self {
            full: self.full[..full].to_vec(),
            newest: self.range(full * PIECE..count).cloned().collect(),
        }
    }

    /// Returns a mutable reference to the entry at an index. Copies the entry's piece if the piece is shared.
    pub fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        let before = self.full.len() * PIECE;
        match self.full.get_mut(place / PIECE) {
            Some(piece) => Arc::make_mut(piece).get_mut(place % PIECE),
            None => self.newest.get_mut(place - before),
        }
    }

    /// Inserts an entry at an index. The following entries move by one index.
    ///
    /// # Panics
    /// Panics if the index is greater than the length.
    pub fn insert(&mut self, place: usize, entry: T) {
        assert!(place <= self.len(), "an entry is added within the list");
        let (mut from, mut moving) = (place % PIECE, entry);
        for piece in self.full.iter_mut().skip(place / PIECE) {
            let rest = &mut Arc::make_mut(piece)[from..];
            rest.rotate_right(1);
            std::mem::swap(&mut rest[0], &mut moving);
            from = 0;
        }
        let last = self.newest.split_off(from);
        self.push(moving);
        for entry in last {
            self.push(entry);
        }
    }
}

impl<T> FromIterator<T> for SharedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut list = Self::default();
        for entry in entries {
            list.push(entry);
        }
        list
    }
}

impl<T> Index<usize> for SharedList<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        self.get(place).expect("there is an entry at this place")
    }
}

#[derive(Clone, Debug)]
pub struct ListIter<'a, T> {
    list: &'a SharedList<T>,
    range: Range<usize>,
}

impl<'a, T> Iterator for ListIter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.list.get(self.range.next()?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<&'a T> {
        self.list.get(self.range.nth(n)?)
    }
}

impl<T> DoubleEndedIterator for ListIter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.list.get(self.range.next_back()?)
    }
}

impl<T> ExactSizeIterator for ListIter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let plain: Vec<usize> = (0..length).collect();
            let list: SharedList<usize> = plain.iter().copied().collect();
            assert!(list.iter().eq(&plain), "{length}");
            assert!(list.iter().rev().eq(plain.iter().rev()), "{length}");
            assert_eq!(list.last(), plain.last());
            for place in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE] {
                let place = place.min(length);
                assert_eq!(list.partition_point(|n| *n < place), place);
                assert!(list.first(place).iter().eq(&plain[..place]));
                let (mut list, mut plain) = (list.clone(), plain.clone());
                list.insert(place, 7);
                plain.insert(place, 7);
                assert!(list.iter().eq(&plain), "{length}, {place}");
                *list.get_mut(place).unwrap() += 1;
                assert_eq!(list[place], 8);
            }
        }
    }

    #[test]
    fn a_copy_stays_as_it_was() {
        let mut list: SharedList<usize> = (0..2 * PIECE).collect();
        let copy = list.clone();
        *list.get_mut(5).unwrap() = 0;
        list.insert(PIECE, 1);
        assert!(copy.iter().copied().eq(0..2 * PIECE));
    }
}
