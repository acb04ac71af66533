//! Names of watchers, watcher states and key ranges, for all views.

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::mvcc::{Watcher, WatcherId, WatcherState};
use crate::world::World;

/// Returns the name of the watcher's watch, or the watcher's number if its client no longer exists.
pub fn name(world: &World, id: WatcherId, watcher: &Watcher) -> String {
    let key = world.at_endpoint().stream_key(watcher.stream);
    match key.and_then(|key| world.watch_name(key, watcher.watch_id)) {
        Some(name) => name.to_string(),
        None => format!("watcher {}", id.0),
    }
}

/// Returns the number of revisions that a watcher is behind. A synced watcher is never behind, even if its last event
/// is older than the newest revision.
pub(super) fn behind(world: &World, id: WatcherId, watcher: &Watcher, head: i64) -> i64 {
    match world.at_endpoint().watchable().state(id) {
        Some(WatcherState::Synced) => 0,
        _ => head
            .saturating_sub(watcher.min_rev)
            .saturating_add(1)
            .max(0),
    }
}

/// Returns the name of the group that contains a watcher.
pub fn state(world: &World, id: WatcherId) -> &'static str {
    match world.at_endpoint().watchable().state(id) {
        Some(WatcherState::Synced) => "synced",
        Some(WatcherState::Unsynced) => "unsynced",
        Some(WatcherState::Victim) => "victim",
        Some(WatcherState::Compacted) => "compacted",
        None => "gone",
    }
}

/// Formats a range for display: a key, a prefix with a star, or both ends.
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
