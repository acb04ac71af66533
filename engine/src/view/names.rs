//! Names of watchers, watcher states and key ranges, for all views.

use std::sync::Arc;

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::mvcc::{Watcher, WatcherId, WatcherState};
use crate::words::names as words;
use crate::world::World;

/// Returns the name of the watcher's watch, or the watcher's number if its client no longer exists.
pub fn name(world: &World, id: WatcherId, watcher: &Watcher) -> String {
    match watch_name(world, watcher) {
        Some(name) => name.to_string(),
        None => words::watcher(id.0),
    }
}

/// Returns the name of the watcher's watch; `None` if its client no longer exists.
pub(super) fn watch_name<'a>(world: &'a World, watcher: &Watcher) -> Option<&'a Arc<str>> {
    let key = world.at_endpoint().stream_key(watcher.stream)?;
    world.watch_name(key, watcher.watch_id)
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

/// Returns the name of the group that contains a watcher, for lessons and the terminal.
pub fn state(world: &World, id: WatcherId) -> &'static str {
    match world.at_endpoint().watchable().state(id) {
        Some(WatcherState::Synced) => "synced",
        Some(WatcherState::Unsynced) => "unsynced",
        Some(WatcherState::Victim) => "victim",
        Some(WatcherState::Compacted) => "compacted",
        None => "gone",
    }
}

/// Returns the name of the group that contains a watcher, for views.
pub(super) fn shown_state(world: &World, id: WatcherId) -> &'static str {
    match world.at_endpoint().watchable().state(id) {
        Some(WatcherState::Synced) => words::SYNCED,
        Some(WatcherState::Unsynced) => words::UNSYNCED,
        Some(WatcherState::Victim) => words::VICTIM,
        Some(WatcherState::Compacted) => words::COMPACTED,
        None => words::GONE,
    }
}

/// Formats a range for display: a key, a prefix with a star, or both ends.
pub fn range(range: &KeyRange) -> String {
    range_or(range, words::EVERY_KEY)
}

/// Formats a range like [`range`]. `every_key` is the text for all keys.
pub(super) fn range_or(range: &KeyRange, every_key: &str) -> String {
    match range {
        KeyRange::One(key) => key.to_text(),
        KeyRange::From(key) if **key == [0] => every_key.into(),
        KeyRange::From(key) => format!("{key} …"),
        KeyRange::Between(from, end) if is_prefix(from, end) => format!("{from}*"),
        KeyRange::Between(from, end) => format!("{from} … {end}"),
    }
}

fn is_prefix(from: &Bytes, end: &Bytes) -> bool {
    crate::base::bytes::prefix_end(from) == *end
}
