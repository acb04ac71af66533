//! Prints `show watchers` and `show settings`.

use std::fmt::Write;

use crate::base::bytes::KeyRange;
use crate::base::json::Json;
use crate::mvcc::{Watcher, WatcherId};
use crate::view::names::{behind, range_or, state, watch_name};
use crate::view::watch::AwayState;
use crate::view::watch::away::away;
use crate::world::World;
use crate::world::setting::{SETTINGS, Unit};

/// Prints one line for each watcher: name, stream and ID, state, next revision, number of missing revisions, and range.
/// The watches without a watcher in etcd follow, each with the reason.
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
    for watch in away(world, world.endpoint()) {
        let _ = writeln!(
            text,
            "{}  no watcher, {}  next {}  {}",
            watch.name,
            reason(watch.state),
            watch.next,
            range(&watch.range),
        );
    }
    if text.is_empty() {
        text.push_str("no watchers\n");
    }
    text
}

fn name(world: &World, id: WatcherId, watcher: &Watcher) -> String {
    match watch_name(world, watcher) {
        Some(name) => name.to_string(),
        None => format!("watcher {}", id.0),
    }
}

fn range(range: &KeyRange) -> String {
    range_or(range, "every key")
}

fn reason(state: AwayState) -> &'static str {
    match state {
        AwayState::Disconnected => "disconnected",
        AwayState::Requested => "requested",
        AwayState::Reconnecting => "reconnecting",
        AwayState::Canceled => "canceled",
        AwayState::Stopped => "stopped",
        AwayState::Ended => "ended",
    }
}

/// Prints `show watchers --json`.
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

/// Prints three lines for each setting: its value (with upstream's default, if the value differs), its description, and
/// its source upstream.
pub fn settings(world: &World) -> String {
    let mut text = String::new();
    for info in &SETTINGS {
        let (now, default) = (info.amount(world.setting(info)), info.amount(info.default));
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

/// Prints `show settings --json`.
pub fn settings_json(world: &World) -> String {
    let mut out = String::new();
    {
        let mut array = Json::array(&mut out);
        for info in &SETTINGS {
            let mut object = Json::object(array.item());
            object.string("name", info.name);
            object.value("value", world.setting(info));
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
