//! `show watchers` and `show settings`: every watcher and how far it has come; sizes and periods.

use std::fmt::Write;

use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::json::Json;
use crate::mvcc::{Watcher, WatcherId, WatcherState};
use crate::world::World;
use crate::world::op::{SETTINGS, Unit};

/// One watcher a line: name, stream and id, state, next revision, how far behind, range.
pub fn watchers(world: &World) -> String {
    let head = world.at_endpoint().store().current_rev();
    let mut text = String::new();
    for (id, watcher) in world.at_endpoint().watchable().watchers() {
        let behind = behind(world, id, watcher, head);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}  stream {} watch_id {}  {}  next {}  behind {behind}  {}",
            name(world, id, watcher),
            watcher.stream.0,
            watcher.watch_id,
            state(world, id),
            watcher.min_rev,
            range(&watcher.range),
        );
    }
    if text.is_empty() {
        text.push_str("no watchers\n");
    }
    text
}

/// The same as JSON.
pub fn watchers_json(world: &World) -> String {
    let mut out = String::new();
    push_watchers(&mut out, world);
    out
}

/// Appends all watchers as a JSON array.
pub fn push_watchers(out: &mut String, world: &World) {
    let head = world.at_endpoint().store().current_rev();
    let mut array = Json::array(out);
    for (id, watcher) in world.at_endpoint().watchable().watchers() {
        let mut object = Json::object(array.item());
        object.string("name", &name(world, id, watcher));
        object.value("stream", watcher.stream.0);
        object.value("watch_id", watcher.watch_id);
        object.string("state", state(world, id));
        object.string("range", &range(&watcher.range));
        object.value("start_revision", watcher.start_rev);
        object.value("next_revision", watcher.min_rev);
        object.value("behind", behind(world, id, watcher, head));
    }
}

/// What a person calls a watcher: its watch's name, or its number when its client is gone.
pub fn name(world: &World, id: WatcherId, watcher: &Watcher) -> String {
    let key = world.at_endpoint().stream_key(watcher.stream);
    match key.and_then(|key| world.watch_name(key, watcher.watch_id)) {
        Some(name) => name.to_string(),
        None => format!("watcher {}", id.0),
    }
}

/// Revisions that a watcher lacks: a synced one none, whatever revision its last event had.
fn behind(world: &World, id: WatcherId, watcher: &Watcher, head: i64) -> i64 {
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

/// One setting a line: name, value, upstream's default, where it comes from.
pub fn settings(world: &World) -> String {
    let mut text = String::new();
    for info in &SETTINGS {
        let (now, default) = (
            info.amount(world.setting(info.setting)),
            info.amount(info.default),
        );
        let changed = if now == default {
            String::new()
        } else {
            format!(" (default {default})")
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} = {now}{changed}\n    {}\n    {}",
            info.name, info.what, info.source
        );
    }
    text
}

/// The same as JSON.
pub fn settings_json(world: &World) -> String {
    let mut out = String::new();
    {
        let mut array = Json::array(&mut out);
        for info in &SETTINGS {
            let mut object = Json::object(array.item());
            object.string("name", info.name);
            object.value("value", world.setting(info.setting));
            object.value("default", info.default);
            object.string(
                "unit",
                match info.unit {
                    Unit::Count => "count",
                    Unit::Bytes => "bytes",
                    Unit::Micros => "microseconds",
                },
            );
            object.string("what", info.what);
            object.string("source", info.source);
        }
    }
    out
}
