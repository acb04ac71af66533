//! What watchers, their states and ranges of keys are called, in every view.

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::mvcc::{Watcher, WatcherId, WatcherState};
use crate::world::World;

/// What a person calls a watcher: its watch's name, or its number when its client is gone.
pub fn name(world: &World, id: WatcherId, watcher: &Watcher) -> String {
    let key = world.at_endpoint().stream_key(watcher.stream);
    match key.and_then(|key| world.watch_name(key, watcher.watch_id)) {
        Some(name) => name.to_string(),
        None => format!("watcher {}", id.0),
    }
}

/// Revisions that a watcher has not received. A synced watcher has received all, also when its last event is older.
pub(super) fn behind(world: &World, id: WatcherId, watcher: &Watcher, head: i64) -> i64 {
    match world.at_endpoint().watchable().state(id) {
        Some(WatcherState::Synced) => 0,
        _ => head
            .saturating_sub(watcher.min_rev)
            .saturating_add(1)
            .max(0),
    }
}

/// Which group a watcher is in, in a word.
pub fn state(world: &World, id: WatcherId) -> &'static str {
    match world.at_endpoint().watchable().state(id) {
        Some(WatcherState::Synced) => "synced",
        Some(WatcherState::Unsynced) => "unsynced",
        Some(WatcherState::Victim) => "victim",
        Some(WatcherState::Compacted) => "compacted",
        None => "gone",
    }
}

/// A range as a person reads it: a key, a prefix with a star, or both ends.
pub fn range(range: &KeyRange) -> String {
    match range {
        KeyRange::One(key) => key.to_text(),
        KeyRange::From(key) if **key == [0] => "every key".into(),
        KeyRange::From(key) => format!("{key} …"),
        KeyRange::Between(from, end) if is_prefix(from, end) => format!("{from}*"),
        KeyRange::Between(from, end) => format!("{from} … {end}"),
    }
}

fn is_prefix(from: &Bytes, end: &Bytes) -> bool {
    crate::base::bytes::prefix_end(from) == *end
}
