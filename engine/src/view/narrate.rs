//! One sentence for every step, made from its events: caption, log line and screen reader's text
//! come from this one place.

use crate::api::EtcdError;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::time::SimDuration;
use crate::trace::{ChangeKind, Event, TraceEvent};

/// Bytes of a value that a sentence quotes.
const VALUE_BYTES: usize = 32;

/// Keys that a sentence names one by one.
const KEYS_NAMED: usize = 3;

/// What happened in a step.
pub fn sentence(events: &[Event]) -> String {
    if let Some(refusal) = refusal(events) {
        return refusal;
    }
    let changes: Vec<&TraceEvent> = events
        .iter()
        .map(|e| &e.what)
        .filter(|what| matches!(what, TraceEvent::Changed { .. }))
        .collect();
    match changes.as_slice() {
        [] => quiet(events),
        [one] => change(one),
        many => together(many),
    }
}

fn refusal(events: &[Event]) -> Option<String> {
    events.iter().find_map(|e| {
        match &e.what {
        TraceEvent::Refused {
            error: EtcdError::MemberStopped,
        } => Some(
            "Here etcd stops for good: its index names a revision whose row is gone (“range failed \
             to find revision pair”). The simulator lets the member go on."
                .into(),
        ),
        TraceEvent::Refused { error } => Some(format!("Refused: {error}. Nothing changed.")),
        _ => None,
    }
    })
}

/// A step that wrote nothing.
fn quiet(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        let next = match &event.what {
            TraceEvent::Read {
                range,
                revision,
                count,
                first,
            } => read(range, *revision, *count, first.as_ref()),
            TraceEvent::NothingChanged { revision } => {
                format!("Nothing was changed, so the store stays at revision {revision}.")
            }
            TraceEvent::CompactionScheduled { revision } => format!(
                "Compaction at {revision}: older revisions can no longer be read; their rows go next."
            ),
            TraceEvent::CompactionBatch {
                scanned, removed, ..
            } => batch(*scanned, removed.len()),
            TraceEvent::CompactionFinished { revision } => {
                format!("The compaction at {revision} is finished.")
            }
            TraceEvent::Hashed { revision, hash } => {
                format!("The history up to revision {revision} hashes to {hash}.")
            }
            TraceEvent::TimePassed { duration_us } => {
                format!("{} pass.", SimDuration(*duration_us))
            }
            TraceEvent::Received { method: "Status" } => "The member tells its figures.".into(),
            TraceEvent::Received { .. }
            | TraceEvent::Applied { .. }
            | TraceEvent::Compared { .. }
            | TraceEvent::Changed { .. }
            | TraceEvent::Committed { .. }
            | TraceEvent::Refused { .. }
            | TraceEvent::Replied => continue,
        };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&next);
    }
    if text.is_empty() {
        "Nothing happened.".into()
    } else {
        text
    }
}

fn read(
    range: &KeyRange,
    revision: i64,
    count: i64,
    first: Option<&(Bytes, i64, Bytes)>,
) -> String {
    match (range, first, count) {
        (KeyRange::One(key), Some((_, written, value)), _) => format!(
            "At revision {revision}, {key} is {}, written at revision {written}.",
            quoted(value)
        ),
        (KeyRange::One(key), None, 0) => {
            format!("At revision {revision} there is no {key}: the answer is empty.")
        }
        (_, _, 0) => format!("At revision {revision} no key is in that range."),
        (_, _, 1) => format!("At revision {revision} one key is in that range."),
        (_, _, n) => format!("At revision {revision}, {n} keys are in that range."),
    }
}

fn batch(scanned: u32, removed: usize) -> String {
    match (scanned, removed) {
        (0, _) => "A batch found no more rows to look at.".into(),
        (scanned, 0) => format!("A batch looked at {} and kept them all.", rows(scanned)),
        (scanned, removed) => {
            format!("A batch looked at {} and removed {removed}.", rows(scanned))
        }
    }
}

fn rows(n: u32) -> String {
    if n == 1 {
        "1 row".into()
    } else {
        format!("{n} rows")
    }
}

fn change(what: &TraceEvent) -> String {
    let TraceEvent::Changed {
        main,
        kind,
        key,
        value,
        version,
        generation,
        generation_ver,
        ..
    } = what
    else {
        return String::new();
    };
    match kind {
        ChangeKind::Create if *generation > 0 => format!(
            "Revision {main}: {key} comes back as {}. A new generation begins, at version 1 again.",
            quoted(value)
        ),
        ChangeKind::Create => format!(
            "Revision {main}: {key} is created as {}. A generation begins, at version 1.",
            quoted(value)
        ),
        ChangeKind::Update => format!(
            "Revision {main}: {key} becomes {}, version {version} of the same generation.",
            quoted(value)
        ),
        ChangeKind::Delete => format!(
            "Revision {main}: a tombstone ends the generation of {key} after {}.",
            if *generation_ver == 2 {
                "one put".to_owned()
            } else {
                format!("{} puts", generation_ver - 1)
            }
        ),
    }
}

/// Several changes that share one revision.
fn together(changes: &[&TraceEvent]) -> String {
    let mut revision = 0;
    let (mut put, mut deleted) = (Vec::new(), Vec::new());
    for what in changes {
        if let TraceEvent::Changed {
            main, kind, key, ..
        } = what
        {
            revision = *main;
            match kind {
                ChangeKind::Delete => deleted.push(key),
                ChangeKind::Create | ChangeKind::Update => put.push(key),
            }
        }
    }
    let parts: Vec<String> = [("puts", put), ("deletes", deleted)]
        .into_iter()
        .filter(|(_, keys)| !keys.is_empty())
        .map(|(verb, keys)| format!("{verb} {}", named(&keys)))
        .collect();
    format!("Revision {revision}, all at once: {}.", parts.join(" and "))
}

fn named(keys: &[&Bytes]) -> String {
    let names: Vec<String> = keys
        .iter()
        .take(KEYS_NAMED)
        .map(ToString::to_string)
        .collect();
    match keys.len().checked_sub(KEYS_NAMED) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names.join(", ")),
    }
}

fn quoted(value: &Bytes) -> String {
    if value.is_empty() {
        return "an empty value".into();
    }
    if value.len() <= VALUE_BYTES {
        return format!("“{value}”");
    }
    format!("“{}…”", Bytes::from(&value[..VALUE_BYTES]))
}
