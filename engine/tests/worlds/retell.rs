//! Prints the events of a world up to the breach of a guarantee, to help find the cause.

use std::fmt::Write;

use watchglass_engine::api::WatchResponse;

use super::{RandomWorld, profile_of};

/// The maximum number of actions in the text about a breach. If there are more actions, the text contains the last
/// ones.
const DONE_MAX: usize = 60;

/// The maximum number of responses in the text about a breach. If there are more responses, the text contains the last
/// ones.
const HEARD_MAX: usize = 12;

/// Runs the world of a seed again. Returns a text with two lists about a watch: first the actions before a step, on the
/// store and on the client of the watch, then the responses that the watch received before this step.
pub(crate) fn retell(seed: u64, step: u64, watch: &str) -> String {
    let mut world = RandomWorld::new(seed, |world| world, true);
    world.live();
    let holder = world
        .world
        .holder(watch)
        .map(|(_, client)| &**client.name());
    let concerns = |client: &Option<String>| client.is_none() || client.as_deref() == holder;
    let done = world.done.iter();
    let done: Vec<String> = done
        .filter(|done| done.step < step && concerns(&done.client))
        .map(|done| format!("step {:4}: {}", done.step, done.text))
        .collect();
    let log = world.log.as_ref().expect("it was asked for");
    let heard = log.deliveries(watch, step).unwrap_or_default();
    let heard: Vec<String> = heard
        .iter()
        .map(|d| format!("step {:4}: {}", d.step, told(&d.response)))
        .collect();
    let mut text = format!("SEED={seed}, etcd {}\n", profile_of(seed));
    last(&mut text, "what was done", &done, DONE_MAX);
    last(
        &mut text,
        &format!("what {watch} heard of"),
        &heard,
        HEARD_MAX,
    );
    text
}

fn last(text: &mut String, title: &str, lines: &[String], most: usize) {
    let skipped = lines.len().saturating_sub(most);
    let _ = writeln!(text, "  {title} ({skipped} earlier left out):");
    for line in &lines[skipped..] {
        let _ = writeln!(text, "    {line}");
    }
}

fn told(r: &WatchResponse) -> String {
    let mut text = format!("revision {}", r.header.revision);
    for (flag, word) in [(r.created, "created"), (r.canceled, "canceled")] {
        if flag {
            text = format!("{text} {word}");
        }
    }
    if r.compact_revision != 0 {
        let _ = write!(text, ", compacted at {}", r.compact_revision);
    }
    for e in &r.events {
        let _ = write!(text, " {:?} {}@{}", e.kind, e.kv.key, e.kv.mod_revision);
    }
    text
}
