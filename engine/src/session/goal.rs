//! The goal of a challenge: its picture, and the contents of its store, with which the learner's store is compared.
//!
//! The values of the keys and the leases are not compared.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::Bytes;
use crate::mvcc::{KeyIndex, KvStore, Revision};
use crate::view::Views;
use crate::words::challenge as words;

/// The goal of a challenge.
#[derive(Debug)]
pub(super) struct Goal {
    /// The name of the challenge.
    pub(super) name: String,
    /// The picture of the goal.
    pub(super) views: Views,
    /// The contents of the store that a task without conditions compares.
    pub(super) contents: Contents,
}

/// The contents of a store, without the values of the keys.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) revision: i64,
    /// The compact revision; -1 if the store was never compacted.
    pub(super) compacted: i64,
    keys: BTreeMap<Bytes, KeyIndex>,
}

impl Contents {
    pub(super) fn of(store: &KvStore) -> Self {
        let keys = store.index().iter();
        Self {
            revision: store.current_rev(),
            compacted: store.compact_rev(),
            keys: keys.map(|key| (key.key.clone(), key.clone())).collect(),
        }
    }

    /// Returns true if no further command can lead from these contents to the goal, because revisions only grow.
    pub(super) fn is_past(&self, goal: &Self) -> bool {
        let last = self.revision.min(goal.revision);
        let kept = |of: &Self| -> Vec<(Bytes, Change)> {
            let all = of.keys.values();
            let all = all.flat_map(|key| changes(key).map(|change| (key.key.clone(), change)));
            all.filter(|(_, change)| (goal.compacted + 1..=last).contains(&change.at.main))
                .collect()
        };
        self.revision > goal.revision || self.compacted > goal.compacted || kept(self) != kept(goal)
    }

    /// Returns a sentence about the first key that differs from the goal.
    pub(super) fn difference(&self, goal: &Self) -> Option<String> {
        let names = self.keys.keys().chain(goal.keys.keys());
        let names: BTreeSet<_> = names.collect();
        names.into_iter().find_map(|name| {
            let text = name.to_text();
            match (self.keys.get(name), goal.keys.get(name)) {
                (None, _) => Some(words::key_missing(&text)),
                (_, None) => Some(words::key_not_in_goal(&text)),
                (Some(mine), Some(wanted)) => difference_of_key(&text, mine, wanted),
            }
        })
    }
}

/// A revision of a key, and whether it is a tombstone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    at: Revision,
    is_delete: bool,
}

fn changes(key: &KeyIndex) -> impl Iterator<Item = Change> {
    let last = key.generations.len().saturating_sub(1);
    let all = key.generations.iter().enumerate();
    all.flat_map(move |(number, generation)| {
        let end = generation.revs.last().copied().filter(|_| number < last);
        let revisions = generation.revs.iter().copied();
        revisions.map(move |at| Change {
            at,
            is_delete: Some(at) == end,
        })
    })
}

fn difference_of_key(name: &str, mine: &KeyIndex, wanted: &KeyIndex) -> Option<String> {
    let (has, wants): (Vec<_>, Vec<_>) = (changes(mine).collect(), changes(wanted).collect());
    let only_in = |these: &[Change], others: &[Change]| {
        these
            .iter()
            .find(|change| !others.contains(change))
            .copied()
    };
    match (only_in(&wants, &has), only_in(&has, &wants)) {
        (Some(wanted), Some(mine)) if mine.at < wanted.at => {
            Some(words::not_in_goal(name, mine.at.main))
        }
        (Some(wanted), _) if wanted.is_delete => Some(words::delete_missing(name, wanted.at.main)),
        (Some(wanted), _) => Some(words::put_missing(name, wanted.at.main)),
        (None, Some(mine)) => Some(words::not_in_goal(name, mine.at.main)),
        (None, None) => versions(name, mine, wanted),
    }
}

/// Returns the sentence about a key whose generations or versions differ although its revisions do not.
fn versions(name: &str, mine: &KeyIndex, wanted: &KeyIndex) -> Option<String> {
    let generations = |key: &KeyIndex| -> Vec<(usize, i64)> {
        let all = key.generations.iter();
        all.map(|generation| (generation.revs.len(), generation.ver))
            .collect()
    };
    (generations(mine) != generations(wanted)).then(|| words::other_generations(name))
}
