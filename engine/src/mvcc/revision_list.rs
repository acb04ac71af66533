//! The list of the revisions of one generation. Copies of the store share most of the list.
//!
//! A session saves a copy of the store every few hundred steps. When a key changes for the first time after a copy, the
//! store clones only the unshared part of the key's list. This part contains only the newest revisions, and never the
//! whole history.

use std::ops::Index;
use std::sync::Arc;

use super::revision::Revision;

const CHUNK: usize = 16;

/// The number of revisions by which the capacity of `newest` grows.
const ROOM: usize = 4;

type Chunk = Arc<[Revision; CHUNK]>;

/// A list of revisions, oldest first. A change appends a revision, and a compaction removes revisions from the front.
///
/// ```
/// use watchglass_engine::mvcc::{Revision, RevisionList};
/// let mut list: RevisionList = (2..100).map(|main| Revision::new(main, 0)).collect();
/// list.drop_front(50);
/// assert_eq!((list.len(), list[0].main), (48, 52));
/// assert_eq!(list.last().map(|rev| rev.main), Some(99));
/// ```
#[derive(Clone, Debug, Default)]
pub struct RevisionList {
    /// The older revisions in full chunks, or `None` for a short list.
    full: Option<Arc<Vec<Chunk>>>,
    /// The number of revisions that were dropped from the start of the first full chunk.
    dropped: usize,
    /// The newest revisions. In a short list, these are all revisions.
    newest: Vec<Revision>,
}

impl RevisionList {
    fn full(&self) -> &[Chunk] {
        self.full.as_ref().map_or(&[], |full| full)
    }

    /// Returns the number of revisions in full chunks, without dropped revisions.
    fn in_full(&self) -> usize {
        self.full().len() * CHUNK - self.dropped
    }

    pub fn len(&self) -> usize {
        self.in_full() + self.newest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, place: usize) -> Option<&Revision> {
        match place.checked_sub(self.in_full()) {
            Some(place) => self.newest.get(place),
            None => {
                let place = place + self.dropped;
                Some(&self.full()[place / CHUNK][place % CHUNK])
            }
        }
    }

    pub fn first(&self) -> Option<&Revision> {
        self.get(0)
    }

    pub fn last(&self) -> Option<&Revision> {
        match self.newest.last() {
            Some(last) => Some(last),
            None => self.full().last().map(|chunk| &chunk[CHUNK - 1]),
        }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Revision> {
        let mut full = self.full().iter();
        let first = full.next();
        let first = first.map_or(&[][..], |chunk| &chunk[self.dropped..]);
        let full = full.flat_map(|chunk| chunk.iter());
        first.iter().chain(full).chain(&self.newest)
    }

    pub fn contains(&self, rev: &Revision) -> bool {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            match self[middle].cmp(rev) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        false
    }

    /// Returns the index of the newest revision in the list whose main revision is at most `main`.
    ///
    /// The search starts at the newest chunk, because most reads need a recent revision. In a chunk whose revisions are
    /// all newer, only the first revision is examined.
    pub fn newest_at(&self, main: i64) -> Option<usize> {
        let is_before = |rev: &Revision| rev.main <= main;
        if self.newest.first().is_some_and(is_before) {
            return Some(self.in_full() + self.newest.iter().rposition(is_before)?);
        }
        let chunk = self.full().iter().rposition(|chunk| is_before(&chunk[0]))?;
        let place = chunk * CHUNK + self.full()[chunk].iter().rposition(is_before)?;
        place.checked_sub(self.dropped)
    }

    pub fn push(&mut self, rev: Revision) {
        if self.newest.len() == CHUNK
            && let Ok(chunk) = <[Revision; CHUNK]>::try_from(&self.newest[..])
        {
            Arc::make_mut(self.full.get_or_insert_default()).push(chunk.into());
            self.newest.clear();
        }
        if self.newest.len() == self.newest.capacity() {
            // Most keys have few changes, so the capacity grows slowly.
            let room = if self.newest.is_empty() { 1 } else { ROOM };
            self.newest.reserve_exact(room);
        }
        self.newest.push(rev);
    }

    /// Drops the `count` oldest revisions.
    ///
    /// # Panics
    /// Panics if the list contains fewer than `count` revisions.
    pub fn drop_front(&mut self, count: usize) {
        let Some(of_newest) = count.checked_sub(self.in_full()) else {
            self.dropped += count;
            if let Some(full) = &mut self.full
                && self.dropped >= CHUNK
            {
                Arc::make_mut(full).drain(..self.dropped / CHUNK);
                self.dropped %= CHUNK;
            }
            return;
        };
        (self.full, self.dropped) = (None, 0);
        self.newest.drain(..of_newest);
    }
}

impl Index<usize> for RevisionList {
    type Output = Revision;

    fn index(&self, place: usize) -> &Revision {
        self.get(place).expect("the list has this place")
    }
}

impl FromIterator<Revision> for RevisionList {
    fn from_iter<I: IntoIterator<Item = Revision>>(revisions: I) -> Self {
        let mut list = Self::default();
        for rev in revisions {
            list.push(rev);
        }
        list
    }
}

impl PartialEq for RevisionList {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for RevisionList {}

// Hashes only the revisions, because their division into chunks also depends on compactions.
impl std::hash::Hash for RevisionList {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        for rev in self.iter() {
            rev.hash(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_like_a_plain_one_and_its_copies_stay_as_they_were() {
        let mut plain: Vec<Revision> = Vec::new();
        let mut list = RevisionList::default();
        let mut copies = Vec::new();
        for n in 0..400_usize {
            if n % 7 == 0 {
                copies.push((plain.clone(), list.clone()));
            }
            if n % 45 == 44 {
                let count = n * 31 % (plain.len() + 1);
                plain.drain(..count);
                list.drop_front(count);
            }
            let rev = Revision::new(n as i64, 0);
            plain.push(rev);
            list.push(rev);
            assert_eq!((list.first(), list.last()), (plain.first(), plain.last()));
        }
        copies.push((plain, list));
        for (plain, list) in copies {
            assert_eq!(
                (list.len(), list.is_empty()),
                (plain.len(), plain.is_empty())
            );
            assert!(list.iter().eq(&plain) && list.iter().rev().eq(plain.iter().rev()));
            assert!((0..=plain.len()).all(|place| list.get(place) == plain.get(place)));
            assert!(plain.iter().all(|rev| list.contains(rev)));
            assert!(!list.contains(&Revision::new(1_000, 0)));
            for main in -1..401 {
                let newest = plain.iter().rposition(|rev| rev.main <= main);
                assert_eq!(list.newest_at(main), newest);
            }
            assert_eq!(list, plain.iter().copied().collect());
        }
    }
}
