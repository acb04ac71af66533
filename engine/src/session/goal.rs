//! The goal of a challenge: its picture, and the contents of its store, with which the learner's store is compared.
//!
//! The values of the keys, the leases, and the order of the changes within a transaction are not compared, because the
//! picture does not show them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::Bytes;
use crate::mvcc::{KeyIndex, KvStore};
use crate::view::Views;
use crate::words::challenge as words;

/// The goal of the current challenge.
#[derive(Clone, Debug, Default)]
pub(super) enum GoalState {
    /// Not computed yet, or the lesson is no challenge.
    #[default]
    Unknown,
    /// The solution takes too many steps.
    TooLong,
    Known(Arc<Goal>),
}

#[derive(Debug)]
pub(super) struct Goal {
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
    pub(super) keys: BTreeMap<Bytes, Vec<Life>>,
}

/// A generation of a key: the revision of its creation, its version, and the changes that compactions have not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Life {
    created: i64,
    version: i64,
    pub(super) changes: Vec<Change>,
}

/// A change of a key, and whether it is a delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) revision: i64,
    is_delete: bool,
}

impl Contents {
    pub(super) fn of(store: &KvStore) -> Self {
        let keys = store.index().iter();
        Self {
            revision: store.current_rev(),
            compacted: store.compact_rev(),
            keys: keys.map(|key| (key.key.clone(), lives(key))).collect(),
        }
    }

    /// Returns true if no further command can lead from these contents to the goal, because revisions only grow.
    pub(super) fn is_past(&self, goal: &Self) -> bool {
        let last = self.revision.min(goal.revision);
        let kept = |of: &Self| -> Vec<(Bytes, Change)> {
            let all = of.keys.iter();
            let all =
                all.flat_map(|(key, lives)| changes(lives).map(|change| (key.clone(), change)));
            all.filter(|(_, change)| (goal.compacted + 1..=last).contains(&change.revision))
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

/// Returns the generations with changes. An empty generation tells nothing that the tombstone before it does not tell.
fn lives(key: &KeyIndex) -> Vec<Life> {
    let last = key.generations.len().saturating_sub(1);
    let all = key.generations.iter().enumerate();
    let lives = all.map(|(number, generation)| {
        let end = generation.revs.last().copied().filter(|_| number < last);
        let revisions = generation.revs.iter().copied();
        let changes = revisions.map(|at| Change {
            revision: at.main,
            is_delete: Some(at) == end,
        });
        Life {
            created: generation.created.main,
            version: generation.ver,
            changes: changes.collect(),
        }
    });
    lives.filter(|life| !life.changes.is_empty()).collect()
}

fn changes(lives: &[Life]) -> impl Iterator<Item = Change> {
    lives.iter().flat_map(|life| life.changes.iter().copied())
}

fn difference_of_key(name: &str, mine: &[Life], wanted: &[Life]) -> Option<String> {
    let (has, wants): (Vec<_>, Vec<_>) = (changes(mine).collect(), changes(wanted).collect());
    let only_in = |these: &[Change], others: &[Change]| {
        let mut these = these.iter();
        these.find(|change| !others.contains(change)).copied()
    };
    match (only_in(&wants, &has), only_in(&has, &wants)) {
        (Some(wanted), Some(mine)) if mine.revision < wanted.revision => {
            Some(words::not_in_goal(name, mine.revision))
        }
        (Some(wanted), _) if wanted.is_delete => Some(words::delete_missing(name, wanted.revision)),
        (Some(wanted), _) => Some(words::put_missing(name, wanted.revision)),
        (None, Some(mine)) => Some(words::not_in_goal(name, mine.revision)),
        (None, None) => (mine != wanted).then(|| words::other_generations(name)),
    }
}
