//! All revisions of one key, divided into generations: each generation starts when the key is created and ends when the
//! key is deleted.
//!
//! Mirrors `server/storage/mvcc/key_index.go`.
//!
//! A put appends its revision to the newest generation. A delete appends a *tombstone* revision, which ends that
//! generation, and adds a new, empty generation for the next put. For example, `put 1.0, put 2.0, tombstone 3.0, put
//! 4.0, tombstone 5.0` results in
//!
//! ```text
//! generations:
//!     {empty}
//!     {4.0, 5.0(t)}
//!     {1.0, 2.0, 3.0(t)}
//! ```
//!
//! A compaction at revision n drops all revisions that no read at n or later can need. In the generation that exists at
//! n, these are the revisions before the newest revision <= n. Generations that ended before n are dropped completely.
//!
//! ```text
//! compact(2):  {empty} {4.0, 5.0(t)} {2.0, 3.0(t)}
//! compact(3):  {empty} {4.0, 5.0(t)} {3.0(t)}       a tombstone at n itself stays: a watch
//! compact(4):  {empty} {4.0, 5.0(t)}                 from 3 must still see the delete
//! compact(5):  {empty} {5.0(t)}
//! compact(6):  {empty}                               -> the key leaves the tree
//! ```
//!
//! etcd 3.4.33, 3.5.15 and earlier also dropped a tombstone at n ([`Profile::V3_4`]).
//!
//! ```
//! use watchglass_engine::{api::Profile, mvcc::{KeyIndex, Revision}};
//! let mut ki = KeyIndex::new("/key1".into());
//! ki.put(Revision::new(2, 0));
//! ki.put(Revision::new(3, 0));
//! ki.tombstone(Revision::new(4, 0)).unwrap();
//! ki.put(Revision::new(5, 0));
//! assert_eq!(ki.generations.len(), 2);
//! assert_eq!(ki.generations[0].ver, 3); // two puts and the tombstone
//! let at3 = ki.get(3).unwrap();
//! assert_eq!((at3.modified.main, at3.created.main, at3.version), (3, 2, 2));
//! assert!(ki.get(4).is_none()); // deleted at 4
//! let mut kept = Vec::new();
//! ki.compact(4, Profile::V3_6, &mut kept);
//! assert_eq!(kept, [Revision::new(4, 0)]);
//! ```

use crate::api::{Difference, Profile};
use crate::base::Bytes;

use super::revision::Revision;
use super::revision_list::RevisionList;

/// The index of one key: the revisions of the key that compactions have not removed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyIndex {
    pub key: Bytes,
    pub modified: Revision,
    /// The generations, oldest first. All generations except the last end with a tombstone. The last generation is
    /// empty while the key is deleted.
    pub generations: Vec<Generation>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Generation {
    /// The number of changes made in this generation so far, including the tombstone and compacted changes.
    pub ver: i64,
    /// The revision of the first put of this generation.
    pub created: Revision,
    /// The revisions that compactions have not removed, oldest first.
    pub revs: RevisionList,
}

/// The index entry of a key at a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FoundRevision {
    /// The change that a read returns: the newest change at or before the requested revision.
    pub modified: Revision,
    /// The revision of the first put of the generation, which created the key.
    pub created: Revision,
    /// The number of puts in the generation up to `modified`.
    pub version: i64,
}

/// The position of a change in its key's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placed {
    /// The number of the generation, counted from the oldest remaining generation.
    pub generation: u32,
    /// The number of changes in that generation up to and including this change, counting compacted changes.
    pub ver: i64,
}

/// The error that a delete returns if the key does not exist (upstream's `ErrRevisionNotFound`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RevisionNotFound;

impl KeyIndex {
    pub fn new(key: Bytes) -> Self {
        Self {
            key,
            modified: Revision::default(),
            generations: Vec::new(),
        }
    }

    /// Appends the revision of a put and returns its position.
    ///
    /// # Panics
    /// Panics if `rev` is not newer than the last change, because the revisions of a store always increase.
    pub fn put(&mut self, rev: Revision) -> Placed {
        assert!(
            rev > self.modified,
            "'put' with an unexpected smaller revision: {rev} after {}",
            self.modified
        );
        if self.generations.is_empty() {
            // Most keys have a single generation, so the initial capacity is 1.
            self.generations.reserve_exact(1);
            self.generations.push(Generation::default());
        }
        let newest = self.generations.last_mut().expect("one was just ensured");
        if newest.revs.is_empty() {
            newest.created = rev;
        }
        newest.revs.push(rev);
        newest.ver += 1;
        let ver = newest.ver;
        self.modified = rev;
        Placed {
            generation: (self.generations.len() - 1) as u32,
            ver,
        }
    }

    /// Appends a tombstone, which ends the newest generation, and adds an empty generation. Returns the position of the
    /// tombstone.
    ///
    /// # Panics
    /// Panics if the index has no generations. The tree never contains such an index.
    pub fn tombstone(&mut self, rev: Revision) -> Result<Placed, RevisionNotFound> {
        let newest = self
            .generations
            .last()
            .expect("tombstone on an empty key index");
        if newest.revs.is_empty() {
            return Err(RevisionNotFound);
        }
        let placed = self.put(rev);
        self.generations.push(Generation::default());
        Ok(placed)
    }

    /// Rebuilds the index of a key at start-up from the key's first row, which is a put.
    pub fn restore(key: Bytes, created: Revision, modified: Revision, ver: i64) -> Self {
        let only = Generation {
            ver,
            created,
            revs: RevisionList::from_iter([modified]),
        };
        Self {
            key,
            modified,
            generations: vec![only],
        }
    }

    /// Rebuilds the index of a key at start-up from the key's first row, which is a tombstone because the puts were
    /// compacted.
    pub fn restore_tombstone(key: Bytes, rev: Revision) -> Self {
        let mut index = Self::restore(key, Revision::default(), rev, 1);
        index.generations.push(Generation::default());
        index
    }

    /// Returns the change that a read at `at_rev` returns, or `None` if the key did not exist at that revision.
    pub fn get(&self, at_rev: i64) -> Option<FoundRevision> {
        let g = self.find_generation(at_rev)?;
        let n = g.newest_at(at_rev)?;
        Some(FoundRevision {
            modified: g.revs[n],
            created: g.created,
            version: g.ver - (g.revs.len() - n - 1) as i64,
        })
    }

    /// Returns the changes at or after `rev`. If a transaction changed the key several times, returns only the last
    /// change.
    ///
    /// Only the page's diagrams and the test cases from upstream use this method. No request uses it.
    pub fn since(&self, rev: i64) -> Vec<Revision> {
        let since = Revision::new(rev, 0);
        let first = (1..self.generations.len())
            .rev()
            .find(|&i| {
                let g = &self.generations[i];
                !g.revs.is_empty() && g.created < since
            })
            .unwrap_or(0);
        let mut out: Vec<Revision> = Vec::new();
        for &r in self.generations[first..].iter().flat_map(|g| g.revs.iter()) {
            if r < since {
                continue;
            }
            match out.last_mut() {
                Some(last) if last.main == r.main => *last = r,
                _ => out.push(r),
            }
        }
        out
    }

    /// Drops the revisions that no read at `at_rev` or later needs. Appends to `available` the revision at or before
    /// `at_rev` whose row must stay in the backend.
    ///
    /// # Panics
    /// Panics if the index is empty. The tree never contains such an index.
    pub fn compact(&mut self, at_rev: i64, profile: Profile, available: &mut Vec<Revision>) {
        assert!(!self.is_empty(), "compact on an empty key index");
        let (gen_index, kept) = self.locate(at_rev, profile);
        let generation = &mut self.generations[gen_index];
        let mut dropped_before = gen_index;
        if let Some(n) = kept {
            generation.revs.drop_front(n);
            let lone_tombstone =
                generation.revs.len() == 1 && gen_index + 1 != self.generations.len();
            if lone_tombstone && !profile.has(Difference::KeepsCompactedTombstone) {
                dropped_before += 1;
            } else {
                available.push(self.generations[gen_index].revs[0]);
            }
        }
        self.generations.drain(..dropped_before);
    }

    /// Returns the revision that [`compact`](Self::compact) at `at_rev` would keep, without compacting. Never returns a
    /// tombstone: versions of etcd that treat tombstones differently therefore compute the same hash.
    pub fn keep(&self, at_rev: i64, profile: Profile) -> Option<Revision> {
        if self.is_empty() {
            return None;
        }
        let (gen_index, kept) = self.locate(at_rev, profile);
        let n = kept?;
        let g = &self.generations[gen_index];
        let is_tombstone = gen_index + 1 != self.generations.len() && n + 1 == g.revs.len();
        (!is_tombstone).then(|| g.revs[n])
    }

    /// Returns the index of the generation to which a compaction at `at_rev` applies, and the index of the newest
    /// revision <= `at_rev` in that generation.
    fn locate(&self, at_rev: i64, profile: Profile) -> (usize, Option<usize>) {
        let last = self.generations.len() - 1;
        let ends_in_time = |g: &Generation| {
            let tombstone = g
                .revs
                .last()
                .expect("only the last generation may be empty")
                .main;
            match profile.has(Difference::KeepsCompactedTombstone) {
                true => tombstone >= at_rev,
                false => tombstone > at_rev,
            }
        };
        let gen_index = (0..last)
            .find(|&i| ends_in_time(&self.generations[i]))
            .unwrap_or(last);
        (gen_index, self.generations[gen_index].newest_at(at_rev))
    }

    /// Returns the index in [`generations`](Self::generations) of the generation whose newest change is `rev`.
    pub fn place_of(&self, rev: Revision) -> Option<usize> {
        let newest = |g: &Generation| g.revs.last().copied();
        // Only the last generation can be empty. An empty generation counts as newer than every revision.
        let found = self
            .generations
            .binary_search_by(|g| newest(g).map_or(std::cmp::Ordering::Greater, |r| r.cmp(&rev)));
        found.ok()
    }

    /// Returns true if no revisions of the key remain: the only generation is empty.
    pub fn is_empty(&self) -> bool {
        self.generations.len() == 1 && self.generations[0].revs.is_empty()
    }

    /// Returns the generation of the key at `rev`, or `None` if the key did not exist at that revision.
    pub fn find_generation(&self, rev: i64) -> Option<&Generation> {
        self.find_generation_index(rev)
            .map(|i| &self.generations[i])
    }

    /// Returns the index in [`generations`](Self::generations) of the key's generation at `rev`, or `None` if the key
    /// did not exist at that revision.
    pub fn find_generation_index(&self, rev: i64) -> Option<usize> {
        let last = self.generations.len().checked_sub(1)?;
        for (i, g) in self.generations.iter().enumerate().rev() {
            let (Some(first), Some(end)) = (g.revs.first(), g.revs.last()) else {
                continue;
            };
            if i != last && end.main <= rev {
                return None;
            }
            // Compares the newest revision first: a read of the current revision then does not load the oldest
            // revision.
            if end.main <= rev || first.main <= rev {
                return Some(i);
            }
        }
        None
    }
}

impl Generation {
    /// Returns the index of the newest revision at or before `at_rev`.
    pub fn newest_at(&self, at_rev: i64) -> Option<usize> {
        self.revs.newest_at(at_rev)
    }

    /// Walks from the newest revision to the oldest while `f` returns true. Returns the index of the first revision for
    /// which `f` returns false, or `None` if `f` returns true for all. Only upstream's test cases use this method;
    /// reads use [`newest_at`](Self::newest_at).
    pub fn walk(&self, f: impl Fn(&Revision) -> bool) -> Option<usize> {
        let newer = self.revs.iter().rev().position(|rev| !f(rev))?;
        Some(self.revs.len() - 1 - newer)
    }
}
