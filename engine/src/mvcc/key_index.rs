//! All revisions of one key, split into its lives ("generations").
//!
//! Mirrors `server/storage/mvcc/key_index.go`.
//!
//! A put appends its revision to the newest generation. A delete appends a *tombstone* revision,
//! which ends that generation, and opens an empty one beside it; the next put is the first of the
//! new life. So `put 1.0, put 2.0, tombstone 3.0, put 4.0, tombstone 5.0` gives
//!
//! ```text
//! generations:
//!     {empty}
//!     {4.0, 5.0(t)}
//!     {1.0, 2.0, 3.0(t)}
//! ```
//!
//! Compacting at revision n drops what no read at n or later can need: of the generation alive at
//! n everything before its newest revision <= n, and every generation that ended before n.
//!
//! ```text
//! compact(2):  {empty} {4.0, 5.0(t)} {2.0, 3.0(t)}
//! compact(3):  {empty} {4.0, 5.0(t)} {3.0(t)}       a tombstone at n itself stays: a watch
//! compact(4):  {empty} {4.0, 5.0(t)}                 from 3 must still see the delete
//! compact(5):  {empty} {5.0(t)}
//! compact(6):  {empty}                               -> the key leaves the tree
//! ```
//!
//! Up to 3.4.33 and 3.5.15 etcd dropped the tombstone at n too ([`Profile::V3_4`]).
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
//! assert!(ki.get(4).is_none()); // dead at 4
//! let mut kept = Vec::new();
//! ki.compact(4, Profile::V3_6, &mut kept);
//! assert_eq!(kept, [Revision::new(4, 0)]);
//! ```

use crate::api::Profile;
use crate::base::Bytes;

use super::revision::Revision;
use super::revision_list::RevisionList;

/// Every remaining revision of one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyIndex {
    /// The key.
    pub key: Bytes,
    /// The last change.
    pub modified: Revision,
    /// Its lives, oldest first. Every one but the last ends with a tombstone; the last is empty
    /// while the key is deleted.
    pub generations: Vec<Generation>,
}

/// One generation of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Generation {
    /// Changes ever made in this life, the tombstone and compacted ones included.
    pub ver: i64,
    /// The first put of this generation.
    pub created: Revision,
    /// The revisions that remain, oldest first.
    pub revs: RevisionList,
}

/// The index entry of a key at a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FoundRevision {
    /// The change that answers: the newest at or before the revision asked for.
    pub modified: Revision,
    /// The first put of the generation.
    pub created: Revision,
    /// The number of puts in the generation up to `modified`.
    pub version: i64,
}

/// The position of a change in the history of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placed {
    /// The generation, counted from the oldest that remains.
    pub generation: u32,
    /// The number of changes in that generation, this one and compacted ones included.
    pub ver: i64,
}

/// A delete of a key that is not alive (upstream's `ErrRevisionNotFound`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RevisionNotFound;

impl KeyIndex {
    /// A key without any change.
    pub fn new(key: Bytes) -> Self {
        Self {
            key,
            modified: Revision::default(),
            generations: Vec::new(),
        }
    }

    /// Notes a put. Returns where its revision went.
    ///
    /// # Panics
    /// When `rev` is not newer than the last change: the store must hand out rising revisions.
    pub fn put(&mut self, rev: Revision) -> Placed {
        assert!(
            rev > self.modified,
            "'put' with an unexpected smaller revision: {rev} after {}",
            self.modified
        );
        if self.generations.is_empty() {
            // Most keys have one life and few changes: room for exactly one of each to begin with.
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

    /// Notes a delete: the tombstone ends the newest generation and an empty one follows. Returns
    /// where the tombstone went.
    ///
    /// # Panics
    /// On an index without generations, which the tree never holds.
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

    /// Rebuilds the index of a key from the first row met for it at start-up.
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

    /// The same when that first row is a tombstone: its puts were compacted away.
    pub fn restore_tombstone(key: Bytes, rev: Revision) -> Self {
        let mut index = Self::restore(key, Revision::default(), rev, 1);
        index.generations.push(Generation::default());
        index
    }

    /// The change that answers a read at `at_rev`; `None` when the key was not alive then.
    pub fn get(&self, at_rev: i64) -> Option<FoundRevision> {
        let g = self.find_generation(at_rev)?;
        let n = g.newest_at(at_rev)?;
        Some(FoundRevision {
            modified: g.revs[n],
            created: g.created,
            version: g.ver - (g.revs.len() - n - 1) as i64,
        })
    }

    /// The changes at or after `rev`; of several in one transaction only the last.
    ///
    /// Not on the path of any request any more; kept for pictures and upstream's own cases.
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

    /// Forgets what no read at `at_rev` or later needs, and appends to `available` the revision
    /// at or before `at_rev` whose row must stay in the backend.
    ///
    /// # Panics
    /// On an empty index, which the tree never holds.
    pub fn compact(&mut self, at_rev: i64, profile: Profile, available: &mut Vec<Revision>) {
        assert!(!self.is_empty(), "compact on an empty key index");
        let (gen_index, kept) = self.locate(at_rev, profile);
        let generation = &mut self.generations[gen_index];
        let mut dropped_before = gen_index;
        if let Some(n) = kept {
            generation.revs.drop_front(n);
            let lone_tombstone =
                generation.revs.len() == 1 && gen_index + 1 != self.generations.len();
            if profile == Profile::V3_4 && lone_tombstone {
                dropped_before += 1;
            } else {
                available.push(self.generations[gen_index].revs[0]);
            }
        }
        self.generations.drain(..dropped_before);
    }

    /// Which revision [`compact`](Self::compact) at `at_rev` would keep, without doing it; never
    /// a tombstone, so that hashes agree between versions that differ about it.
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

    /// The generation that `at_rev` cuts, and the index in it of the newest revision <= `at_rev`.
    fn locate(&self, at_rev: i64, profile: Profile) -> (usize, Option<usize>) {
        let last = self.generations.len() - 1;
        let ends_in_time = |g: &Generation| {
            let tombstone = g
                .revs
                .last()
                .expect("only the last generation may be empty")
                .main;
            match profile {
                Profile::V3_6 => tombstone >= at_rev,
                Profile::V3_4 => tombstone > at_rev,
            }
        };
        let gen_index = (0..last)
            .find(|&i| ends_in_time(&self.generations[i]))
            .unwrap_or(last);
        (gen_index, self.generations[gen_index].newest_at(at_rev))
    }

    /// The place in [`generations`](Self::generations) of the life whose newest change is `rev`.
    pub fn place_of(&self, rev: Revision) -> Option<usize> {
        let newest = |g: &Generation| g.revs.last().copied();
        // Only the last generation can be empty; nothing is newer than it would be.
        let found = self
            .generations
            .binary_search_by(|g| newest(g).map_or(std::cmp::Ordering::Greater, |r| r.cmp(&rev)));
        found.ok()
    }

    /// Whether nothing is left of the key: one generation, and that one empty.
    pub fn is_empty(&self) -> bool {
        self.generations.len() == 1 && self.generations[0].revs.is_empty()
    }

    /// The life the key was in at `rev`; `None` when it was not alive.
    pub fn find_generation(&self, rev: i64) -> Option<&Generation> {
        self.find_generation_index(rev)
            .map(|i| &self.generations[i])
    }

    /// The same as a position in [`generations`](Self::generations).
    pub fn find_generation_index(&self, rev: i64) -> Option<usize> {
        let last = self.generations.len().checked_sub(1)?;
        for (i, g) in self.generations.iter().enumerate().rev() {
            let (Some(first), Some(end)) = (g.revs.first(), g.revs.last()) else {
                continue;
            };
            if i != last && end.main <= rev {
                return None;
            }
            // The newest revision first: for a read of the present the oldest is not fetched.
            if end.main <= rev || first.main <= rev {
                return Some(i);
            }
        }
        None
    }
}

impl Generation {
    /// The index of the newest revision at or before `at_rev`.
    pub fn newest_at(&self, at_rev: i64) -> Option<usize> {
        self.revs.newest_at(at_rev)
    }

    /// Walks from the newest revision to the oldest while `f` holds. Returns the index where the
    /// walk stopped, `None` past the oldest revision. Reads use [`newest_at`](Self::newest_at); kept for upstream's own
    /// cases.
    pub fn walk(&self, f: impl Fn(&Revision) -> bool) -> Option<usize> {
        let newer = self.revs.iter().rev().position(|rev| !f(rev))?;
        Some(self.revs.len() - 1 - newer)
    }
}
