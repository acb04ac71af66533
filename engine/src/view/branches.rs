//! The comparison of two branches of a run: their last common step, and the differences at their ends.
//!
//! The comparison reads the newest revision of each key, up to [`KEYS_COMPARED`] keys. It does not compare caches,
//! clients and leases.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::words::key as words;
use crate::world::World;

use super::names;

/// The maximum number of keys that the comparison reads from each branch, in key order.
pub const KEYS_COMPARED: i64 = 10_000;
/// The maximum number of rows in each table of a comparison.
pub const ROWS_MAX: usize = 200;
/// The maximum number of bytes of a value in a comparison.
const VALUE_BYTES_SHOWN: usize = 60;

/// The first step in which two branches differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstDifference {
    pub step: u64,
    /// For each branch: the time of the step in simulated microseconds, and the sentence about it. `None` if the branch
    /// has ended before the step.
    pub sides: [Option<(u64, String)>; 2],
}

/// The comparison of two branches. Each pair contains one value for each branch, in the order in which the request
/// names the branches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchesView {
    pub branches: [u32; 2],
    /// The last step that both branches have; 0 if they have no step in common.
    pub shared_steps: u64,
    /// The first difference between the branches after the shared steps. `None` if there is no difference in the steps
    /// that were compared.
    pub first_difference: Option<FirstDifference>,
    /// The first command after the shared steps that printed other output in the second branch, with both outputs.
    pub first_output: Option<(String, [String; 2])>,
    /// For each branch: the commands after the shared steps, oldest first, and the number of later commands that the
    /// list omits.
    pub commands: [(Vec<String>, u64); 2],
    /// The state at the end of each branch.
    pub ends: [BranchEnd; 2],
    /// The keys with differences between the branches, in key order.
    pub keys: Vec<(String, [Option<KeyEnd>; 2])>,
    /// The number of keys with differences that `keys` does not contain.
    pub keys_omitted: u64,
    /// The number of keys that are the same on both branches.
    pub same_keys: u64,
    /// Whether a branch has more keys than the comparison reads.
    pub has_more_keys: bool,
    /// The watchers with differences between the branches, ordered by name.
    pub watchers: Vec<(String, [Option<WatcherEnd>; 2])>,
    /// The number of watchers with differences that `watchers` does not contain.
    pub watchers_omitted: u64,
    /// The number of watchers that are the same on both branches.
    pub same_watchers: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchEnd {
    pub steps: u64,
    pub revision: i64,
    /// The compact revision; -1 before the first compaction.
    pub compact_revision: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyEnd {
    /// The value, cut to a maximum length, for display.
    pub value: String,
    /// The revision of the last put.
    pub mod_revision: i64,
    /// The number of puts in the key's current generation.
    pub version: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatcherEnd {
    /// The keys that the watcher watches, for display.
    pub range: String,
    /// The group that contains the watcher, such as `synced`.
    pub state: String,
    /// The number of revisions that the watcher is behind.
    pub behind: i64,
}

/// The caller fills in the branches, the shared steps and the commands.
pub fn branches_view(worlds: [&World; 2]) -> BranchesView {
    let mut view = BranchesView {
        ends: worlds.map(|world| {
            let store = world.at_endpoint().store();
            BranchEnd {
                steps: world.steps(),
                revision: store.current_rev(),
                compact_revision: store.compact_rev(),
            }
        }),
        ..BranchesView::default()
    };
    let mut keys = BTreeMap::new();
    for (side, world) in worlds.into_iter().enumerate() {
        let store = world.at_endpoint().store();
        let all = KeyRange::From(Bytes::from("\0"));
        let read = store.range(&all, 0, KEYS_COMPARED);
        let read = read.expect("the current revision can always be read");
        view.has_more_keys |= read.count > KEYS_COMPARED;
        for kv in read.kvs {
            let row = (kv.value, kv.mod_revision, kv.version);
            keys.entry(kv.key).or_insert([None, None])[side] = Some(row);
        }
    }
    for (key, ends) in keys {
        if ends[0] == ends[1] {
            view.same_keys += 1;
        } else if view.keys.len() == ROWS_MAX {
            view.keys_omitted += 1;
        } else {
            let ends = ends.map(|end| {
                end.map(|(value, mod_revision, version)| KeyEnd {
                    value: shortened(&value),
                    mod_revision,
                    version,
                })
            });
            view.keys.push((key.to_text(), ends));
        }
    }
    let mut watchers = BTreeMap::new();
    for (side, world) in worlds.into_iter().enumerate() {
        let head = view.ends[side].revision;
        for (id, watcher) in world.at_endpoint().watchable().watchers() {
            let end = WatcherEnd {
                range: names::range(&watcher.range),
                state: names::shown_state(world, id).to_owned(),
                behind: names::behind(world, id, watcher, head),
            };
            let name = names::name(world, id, watcher);
            watchers.entry(name).or_insert([None, None])[side] = Some(end);
        }
    }
    for (name, ends) in watchers {
        if ends[0] == ends[1] {
            view.same_watchers += 1;
        } else if view.watchers.len() == ROWS_MAX {
            view.watchers_omitted += 1;
        } else {
            view.watchers.push((name, ends));
        }
    }
    view
}

fn shortened(value: &Bytes) -> String {
    if value.len() <= VALUE_BYTES_SHOWN {
        return value.to_text();
    }
    let start = Bytes::from(&value[..VALUE_BYTES_SHOWN]).to_text();
    words::shortened(&start, value.len())
}
