//! Ordered maps and sets whose copies share unchanged entries, for collections of dozens to thousands of entries:
//! watchers, streams, timers, leases.
//!
//! The simulator saves copies of its whole state (keyframes), so every collection in the state must be cheap to copy.
//! The key index and the rows can have a million entries and are B-trees from the crate `im`. If the forty smaller
//! collections were also B-trees, the code of all B-trees would be a fifth of the page's download. So the smaller
//! collections are sorted chunks behind reference-counted pointers, which need a tenth of the code. The methods have
//! the names and meanings of the methods of `im::OrdMap` and `im::OrdSet`.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Bound, Index, RangeBounds};
use std::sync::Arc;

/// The maximum number of entries in a chunk. A change to a shared chunk copies the whole chunk. An insertion moves all
/// later entries of the chunk.
const CHUNK: usize = 32;

type Chunk<K, V> = Arc<Vec<(K, V)>>;

/// An ordered map that is cheap to copy.
///
/// ```
/// use watchglass_engine::base::ordered::OrdMap;
/// let mut map: OrdMap<u32, &str> = (0..100).map(|n| (n, "old")).collect();
/// let before = map.clone();
/// map.insert(7, "new");
/// assert_eq!((before.get(&7), map.get(&7)), (Some(&"old"), Some(&"new")));
/// assert_eq!(map.range(98..).map(|(k, _)| *k).collect::<Vec<_>>(), [98, 99]);
/// ```
#[derive(Clone)]
pub struct OrdMap<K, V> {
    /// Sorted chunks of entries. No chunk is empty.
    chunks: Arc<Vec<Chunk<K, V>>>,
}

/// A position in a map: the index of a chunk, and the index of an entry in that chunk. The position after the last
/// entry consists of the number of chunks and 0.
type Place = (usize, usize);

impl<K, V> OrdMap<K, V> {
    pub fn new() -> Self {
        Self {
            chunks: Arc::new(Vec::new()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            chunks: &self.chunks,
            front: (0, 0),
            back: (self.chunks.len(), 0),
        }
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// Returns all values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub fn get_min(&self) -> Option<&(K, V)> {
        self.chunks.first()?.first()
    }

    pub fn get_max(&self) -> Option<&(K, V)> {
        self.chunks.last()?.last()
    }
}

impl<K: Ord, V> OrdMap<K, V> {
    /// Returns the position of the first key for which `before` is false. `before` must be true for all keys before
    /// that position and false for all later keys.
    fn partition<Q>(&self, before: impl Fn(&Q) -> bool) -> Place
    where
        K: Borrow<Q>,
        Q: ?Sized,
    {
        let chunk = self
            .chunks
            .partition_point(|chunk| chunk.last().is_some_and(|(key, _)| before(key.borrow())));
        let entry = self.chunks.get(chunk).map_or(0, |chunk| {
            chunk.partition_point(|(key, _)| before(key.borrow()))
        });
        (chunk, entry)
    }

    fn find<Q>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let place = self.partition::<Q>(|k| k < key);
        match self.chunks.get(place.0).map(|chunk| &chunk[place.1].0) {
            Some(found) if found.borrow() == key => Ok(place),
            _ => Err(place),
        }
    }

    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let (chunk, entry) = self.find(key).ok()?;
        Some(&self.chunks[chunk][entry].1)
    }

    pub fn contains_key<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.find(key).is_ok()
    }

    pub fn range<R, Q>(&self, range: R) -> Iter<'_, K, V>
    where
        R: RangeBounds<Q>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let front = match range.start_bound() {
            Bound::Included(key) => self.partition::<Q>(|k| k < key),
            Bound::Excluded(key) => self.partition::<Q>(|k| k <= key),
            Bound::Unbounded => (0, 0),
        };
        let back = match range.end_bound() {
            Bound::Included(key) => self.partition::<Q>(|k| k <= key),
            Bound::Excluded(key) => self.partition::<Q>(|k| k < key),
            Bound::Unbounded => (self.chunks.len(), 0),
        };
        Iter {
            chunks: &self.chunks,
            front,
            // If the range ends before its start, the iterator is empty.
            back: back.max(front),
        }
    }
}

impl<K: Ord + Clone, V: Clone> OrdMap<K, V> {
    fn chunk_mut(&mut self, chunk: usize) -> &mut Vec<(K, V)> {
        Arc::make_mut(&mut Arc::make_mut(&mut self.chunks)[chunk])
    }

    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let (chunk, entry) = self.find(key).ok()?;
        Some(&mut self.chunk_mut(chunk)[entry].1)
    }

    /// Sets the value of `key`. Returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (mut chunk, mut entry) = match self.find(&key) {
            Ok((chunk, entry)) => {
                let old = &mut self.chunk_mut(chunk)[entry].1;
                return Some(std::mem::replace(old, value));
            }
            Err(place) => place,
        };
        if chunk == self.chunks.len() {
            // A key after all existing keys is inserted at the end of the last chunk.
            match self.chunks.last() {
                Some(last) => (chunk, entry) = (chunk - 1, last.len()),
                None => Arc::make_mut(&mut self.chunks).push(Arc::default()),
            }
        }
        let entries = self.chunk_mut(chunk);
        entries.insert(entry, (key, value));
        if entries.len() > CHUNK {
            // If the caller inserts keys in ascending order, the full chunk stays full and the new entry starts the
            // next chunk.
            let at = if entry == CHUNK { CHUNK } else { CHUNK / 2 };
            let rest = entries.split_off(at);
            Arc::make_mut(&mut self.chunks).insert(chunk + 1, Arc::new(rest));
        }
        None
    }

    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        if !self.contains_key(&key) {
            self.insert(key.clone(), make());
        }
        self.get_mut(&key)
            .expect("it was there or has been put there")
    }

    /// Returns mutable references to all values. Copies every shared chunk.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let chunks = Arc::make_mut(&mut self.chunks).iter_mut();
        chunks.flat_map(|chunk| Arc::make_mut(chunk).iter_mut().map(|(_, value)| value))
    }

    pub fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let (chunk, entry) = self.find(key).ok()?;
        let entries = self.chunk_mut(chunk);
        let (_, value) = entries.remove(entry);
        if entries.is_empty() {
            Arc::make_mut(&mut self.chunks).remove(chunk);
        }
        Some(value)
    }
}

impl<K, V> Default for OrdMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Allows `map[&key]` for a key that exists in the map.
///
/// # Panics
/// Panics if the map does not contain the key. Use [`OrdMap::get`] for a key that may be missing.
impl<K: Borrow<Q> + Ord, V, Q: Ord + ?Sized> Index<&Q> for OrdMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("a key that is there")
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for OrdMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for OrdMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.chunks, &other.chunks) || self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for OrdMap<K, V> {}

impl<K: Hash, V: Hash> Hash for OrdMap<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        for (key, value) in self.iter() {
            key.hash(state);
            value.hash(state);
        }
    }
}

impl<K: Ord + Clone, V: Clone> FromIterator<(K, V)> for OrdMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<'a, K, V> IntoIterator for &'a OrdMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

/// An iterator over the entries of a map in order, from both ends.
#[derive(Debug)]
pub struct Iter<'a, K, V> {
    chunks: &'a [Chunk<K, V>],
    front: Place,
    /// The position after the last remaining entry.
    back: Place,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        if self.front == self.back {
            return None;
        }
        let (chunk, entry) = self.front;
        let entries = &self.chunks[chunk];
        self.front = match entry + 1 == entries.len() {
            true => (chunk + 1, 0),
            false => (chunk, entry + 1),
        };
        let (key, value) = &entries[entry];
        Some((key, value))
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front == self.back {
            return None;
        }
        self.back = match self.back {
            (chunk, 0) => (chunk - 1, self.chunks[chunk - 1].len() - 1),
            (chunk, entry) => (chunk, entry - 1),
        };
        let (key, value) = &self.chunks[self.back.0][self.back.1];
        Some((key, value))
    }
}

/// An ordered set that is cheap to copy.
///
/// ```
/// use watchglass_engine::base::ordered::OrdSet;
/// let mut set = OrdSet::new();
/// set.insert(2);
/// set.insert(1);
/// assert!(set.contains(&1));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [&1, &2]);
/// ```
#[derive(Clone)]
pub struct OrdSet<A> {
    map: OrdMap<A, ()>,
}

impl<A> OrdSet<A> {
    pub fn new() -> Self {
        Self { map: OrdMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    pub fn len(&self) -> usize {
        self.map.len()
    }

    pub fn iter(&self) -> Members<'_, A> {
        self.map.iter().map(|(member, ())| member)
    }

    pub fn get_min(&self) -> Option<&A> {
        self.map.get_min().map(|(member, ())| member)
    }

    pub fn get_max(&self) -> Option<&A> {
        self.map.get_max().map(|(member, ())| member)
    }
}

impl<A: Ord> OrdSet<A> {
    pub fn contains<Q>(&self, member: &Q) -> bool
    where
        A: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.map.contains_key(member)
    }

    pub fn range<R, Q>(&self, range: R) -> impl DoubleEndedIterator<Item = &A>
    where
        R: RangeBounds<Q>,
        A: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.map.range(range).map(|(member, ())| member)
    }
}

impl<A: Ord + Clone> OrdSet<A> {
    /// Adds `member`. Returns `Some` if the set already contained `member`.
    pub fn insert(&mut self, member: A) -> Option<()> {
        self.map.insert(member, ())
    }

    /// Removes `member`. Returns `Some` if the set contained `member`.
    pub fn remove<Q>(&mut self, member: &Q) -> Option<()>
    where
        A: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.map.remove(member)
    }
}

pub type Members<'a, A> = std::iter::Map<Iter<'a, A, ()>, fn((&'a A, &'a ())) -> &'a A>;

impl<'a, A> IntoIterator for &'a OrdSet<A> {
    type Item = &'a A;
    type IntoIter = Members<'a, A>;

    fn into_iter(self) -> Members<'a, A> {
        self.iter()
    }
}

impl<A> Default for OrdSet<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: fmt::Debug> fmt::Debug for OrdSet<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<A: PartialEq> PartialEq for OrdSet<A> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl<A: Eq> Eq for OrdSet<A> {}

impl<A: Hash> Hash for OrdSet<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.map.hash(state);
    }
}

impl<A: Ord + Clone> FromIterator<A> for OrdSet<A> {
    fn from_iter<I: IntoIterator<Item = A>>(members: I) -> Self {
        members
            .into_iter()
            .map(|member| (member, ()))
            .collect::<OrdMap<_, _>>()
            .into()
    }
}

impl<A> From<OrdMap<A, ()>> for OrdSet<A> {
    fn from(map: OrdMap<A, ()>) -> Self {
        Self { map }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn like_the_map_of_std(
            changes in prop::collection::vec((0_u16..300, prop::option::of(any::<u8>())), 0..900),
            copied in 0_usize..900,
            from in 0_u16..300,
            to in 0_u16..300,
        ) {
            let mut map = OrdMap::new();
            let mut naive = BTreeMap::new();
            let mut kept = None;
            for (n, (key, value)) in changes.into_iter().enumerate() {
                if n == copied {
                    kept = Some((map.clone(), naive.clone()));
                }
                match value {
                    Some(value) => prop_assert_eq!(map.insert(key, value), naive.insert(key, value)),
                    None => prop_assert_eq!(map.remove(&key), naive.remove(&key)),
                }
                if let Some(value) = map.get_mut(&from) {
                    *value = value.wrapping_add(1);
                    *naive.get_mut(&from).unwrap() = *value;
                }
            }
            for (map, naive) in kept.into_iter().chain([(map, naive)]) {
                prop_assert_eq!(map.len(), naive.len());
                prop_assert_eq!(map.is_empty(), naive.is_empty());
                prop_assert!(map.iter().eq(naive.iter()));
                prop_assert!(map.iter().rev().eq(naive.iter().rev()));
                prop_assert_eq!(map.get(&to), naive.get(&to));
                prop_assert_eq!(map.get_min().map(|e| e.0), naive.keys().next().copied());
                prop_assert_eq!(map.get_max().map(|e| e.0), naive.keys().next_back().copied());
                if from <= to {
                    prop_assert!(map.range(from..to).eq(naive.range(from..to)));
                    prop_assert!(map.range(from..=to).rev().eq(naive.range(from..=to).rev()));
                }
                let after = (Bound::Excluded(from), Bound::Unbounded);
                prop_assert!(map.range(after).eq(naive.range(after)));
                prop_assert!(map.range(..to).eq(naive.range(..to)));
            }
        }
    }
}
