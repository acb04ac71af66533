//! Describes each step in one sentence, based on the events of the step. The caption, the log line and the text for
//! screen readers all use this sentence.

pub(super) mod client;
mod kube;
mod lease;
pub(super) mod member;
pub mod message;
pub(super) mod message_kube;
mod qos;
pub(super) mod watch;

use std::collections::BTreeSet;

use crate::api::EtcdError;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::time::SimDuration;
use crate::observe::Past;
use crate::trace::{ChangeKind, Event, FirstRead, TraceEvent};

/// The maximum number of bytes of a value in a sentence.
const VALUE_BYTES: usize = 32;

/// The maximum number of keys that a sentence names.
const KEYS_NAMED: usize = 3;

/// The maximum number of characters of a key in a sentence.
const KEY_CHARS: usize = 64;

/// Describes the step at the cursor.
pub fn sentence(past: Past<'_>) -> String {
    let events = past.events;
    let removes_rows = |e: &Event| matches!(e.what, TraceEvent::CompactionBatch { .. });
    if let Some(refusal) = refusal(events)
        && !events.iter().any(removes_rows)
    {
        return refusal;
    }
    if let Some(installed) = events.iter().find_map(snapshot_installed) {
        return installed;
    }
    let changes: Vec<&TraceEvent> = events
        .iter()
        .map(|e| &e.what)
        .filter(|what| matches!(what, TraceEvent::Changed { .. }))
        .collect();
    let told = match changes.as_slice() {
        [] => return quiet(events, past),
        [one] => match lease::of_key(events) {
            Some(lease) if !is_delete(one) => format!("{} {lease}", change(one, past)),
            Some(_) | None => change(one, past),
        },
        many => together(many),
    };
    let mut sentence = match lease::revoked(events) {
        Some(why) => format!("{why} {told}"),
        None => told,
    };
    for watched in watch::after_write(events, past) {
        sentence.push(' ');
        sentence.push_str(&watched);
    }
    sentence
}

fn refusal(events: &[Event]) -> Option<String> {
    let error = events.iter().find_map(|e| match &e.what {
        TraceEvent::Refused { error } => Some(error),
        _ => None,
    })?;
    Some(match error {
        EtcdError::MemberStopped => {
            "A real etcd process stops here: the data that the request needs is \
            gone, although the check passed. The simulator undoes the request and continues."
                .into()
        }
        EtcdError::DeadlineExceeded if !events.iter().any(is_received) => format!(
            "etcdctl stops waiting: {}. The request still waits for etcd.",
            EtcdError::DeadlineExceeded
        ),
        EtcdError::LimitRequest { .. } => {
            format!("{} Nothing changed.", qos::sentences(events))
        }
        EtcdError::NoSpace => no_space(events),
        error => format!("Refused: {error}. Nothing changed."),
    })
}

/// Describes a write that was refused because the database has no space left.
fn no_space(events: &[Event]) -> String {
    let error = EtcdError::NoSpace;
    let raised = events.iter().find_map(|e| match &e.what {
        TraceEvent::NoSpaceRaised { size, quota } => Some((size, quota)),
        _ => None,
    });
    match raised {
        Some((size, quota)) => format!(
            "Refused: {error}. The database has {size} bytes, the quota is {quota} bytes. etcd raises the alarm \
             NOSPACE and refuses requests that need space."
        ),
        None => format!(
            "Refused: {error}. The alarm NOSPACE is still raised: compact, run `defrag`, then `alarm disarm`."
        ),
    }
}

fn is_received(event: &Event) -> bool {
    matches!(event.what, TraceEvent::Received { .. })
}

fn snapshot_installed(event: &Event) -> Option<String> {
    let TraceEvent::SnapshotInstalled { index, revision } = &event.what else {
        return None;
    };
    Some(format!(
        "A follower installs a snapshot of the leader up to log index {index}, because the leader no longer has the \
         entries that the follower needs. Its store continues at revision {revision}."
    ))
}

/// Describes a step without a write.
fn quiet(events: &[Event], past: Past<'_>) -> String {
    if let Some(kube) = kube::quiet(events, past) {
        return kube;
    }
    if let Some(watched) = watch::quiet(events, past) {
        return watched;
    }
    let mut text = String::new();
    for event in events {
        let next = match &event.what {
            TraceEvent::Read {
                range,
                revision,
                count,
                returned,
                first,
            } => read(range, *revision, *count, *returned, first.as_ref()),
            TraceEvent::AutoCompaction { revision, current } => match revision {
                Some(revision) => {
                    format!(
                        "Automatic compaction: etcd requests a compaction at revision {revision}."
                    )
                }
                None => format!(
                    "Automatic compaction is not due yet. etcd notes the current revision, {current}."
                ),
            },
            TraceEvent::CompactionWaits => {
                "The response to the compaction waits until the rows are removed.".into()
            }
            TraceEvent::Refused { error } => format!("A waiting request is refused: {error}."),
            TraceEvent::NothingChanged { revision } => {
                format!("Nothing changed, so the store stays at revision {revision}.")
            }
            TraceEvent::CompactionScheduled { revision } => format!(
                "Compaction at {revision}: older revisions can no longer be read; etcd removes \
                 obsolete rows next."
            ),
            TraceEvent::CompactionBatch {
                scanned, removed, ..
            } => batch(*scanned, removed.len()),
            TraceEvent::CompactionFinished { revision } => {
                format!("The compaction at {revision} is finished.")
            }
            TraceEvent::Restored {
                backup, revision, ..
            } if backup == revision => format!(
                "etcd is restored from a backup of revision {backup}. Later changes are gone, and \
                 their revisions will be used again."
            ),
            TraceEvent::Restored {
                backup, revision, ..
            } => format!(
                "etcd is restored from a backup of revision {backup} and continues at revision \
                 {revision}: no revision is used twice."
            ),
            TraceEvent::Qos(event) => qos::sentence(event),
            TraceEvent::NoSpaceRaised { .. } => "etcd raises the alarm NOSPACE.".into(),
            TraceEvent::NoSpaceDisarmed => {
                "The alarm NOSPACE is disarmed: etcd accepts writes again.".into()
            }
            TraceEvent::Defragmented { before, after } => format!(
                "etcd rewrites the database file: {} bytes before, {} bytes after, {} bytes in use.",
                before.0, after.0, after.1
            ),
            TraceEvent::Hashed { revision, hash } => {
                format!("The hash of the history up to revision {revision} is {hash}.")
            }
            TraceEvent::TimePassed { duration_us } => {
                format!("{} pass.", SimDuration(*duration_us))
            }
            TraceEvent::Lease(event) => match lease::quiet(event) {
                Some(text) => text,
                None => continue,
            },
            TraceEvent::Received {
                method: "Status", ..
            } => "etcd returns its status.".into(),
            TraceEvent::Received {
                method: "LeaseTimeToLive",
                ..
            } => "etcd returns the remaining time of a lease.".into(),
            TraceEvent::Received {
                method: "LeaseLeases",
                ..
            } => "etcd lists its leases, soonest to expire first.".into(),
            TraceEvent::Received {
                method: "Alarm", ..
            } => "etcd lists its alarms.".into(),
            TraceEvent::Received { .. }
            | TraceEvent::SnapshotInstalled { .. }
            | TraceEvent::Watch(_)
            | TraceEvent::Net(_)
            | TraceEvent::Client(_)
            | TraceEvent::Kube(_)
            | TraceEvent::Applied { .. }
            | TraceEvent::Compared { .. }
            | TraceEvent::Changed { .. }
            | TraceEvent::Committed { .. }
            | TraceEvent::Replied => continue,
        };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&next);
    }
    if text.is_empty() {
        watch::messages(events, past).unwrap_or_else(|| "No new events.".into())
    } else {
        text
    }
}

fn read(
    range: &KeyRange,
    revision: i64,
    count: i64,
    returned: Option<i64>,
    first: Option<&FirstRead>,
) -> String {
    let found = match (range, first, count) {
        (KeyRange::One(key), Some(first), _) => {
            let value = first.value.as_ref().map_or("there".into(), quoted);
            let (key, written) = (name(key), first.mod_revision);
            return format!(
                "At revision {revision}, {key} is {value}, written at revision {written}."
            );
        }
        (KeyRange::One(key), None, 0) => {
            let key = name(key);
            return format!("At revision {revision}, {key} does not exist: the response is empty.");
        }
        (_, _, 0) => return format!("At revision {revision} no key is in that range."),
        (_, _, 1) => format!("At revision {revision} one key is in that range"),
        (_, _, n) => format!("At revision {revision}, {n} keys are in that range"),
    };
    match returned {
        None => format!("{found}; the request asked only for the count."),
        Some(0) => format!("{found}, but none passes the filters."),
        Some(n) if n < count => format!("{found}; {n} of them are returned."),
        Some(_) => format!("{found}."),
    }
}

/// Returns a key as text for a sentence. The text is printable and has at most the maximum length.
pub(super) fn name(key: &Bytes) -> String {
    let text = key.to_text();
    match text.char_indices().nth(KEY_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn batch(scanned: u32, removed: usize) -> String {
    match (scanned, removed) {
        (0, _) => "Compaction found no more rows to check.".into(),
        (scanned, 0) => format!("Compaction checked {} and kept them all.", rows(scanned)),
        (scanned, removed) => {
            format!(
                "Compaction checked {} and removed {removed}.",
                rows(scanned)
            )
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

fn change(what: &TraceEvent, past: Past<'_>) -> String {
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
    let shown = name(key);
    match kind {
        ChangeKind::Create if *generation > 0 || past.came_back(key, *main) => format!(
            "Revision {main}: {shown} is created again as {}. A new generation begins at version 1.",
            quoted(value)
        ),
        ChangeKind::Create => format!(
            "Revision {main}: {shown} is created as {}. A generation begins at version 1.",
            quoted(value)
        ),
        ChangeKind::Update => format!(
            "Revision {main}: {shown} becomes {}, version {version} of the same generation.",
            quoted(value)
        ),
        ChangeKind::Delete => format!(
            "Revision {main}: a tombstone ends the generation of {shown} after {}.",
            if *generation_ver == 2 {
                "one put".to_owned()
            } else {
                format!("{} puts", generation_ver - 1)
            }
        ),
    }
}

fn is_delete(what: &TraceEvent) -> bool {
    matches!(
        what,
        TraceEvent::Changed {
            kind: ChangeKind::Delete,
            ..
        }
    )
}

/// Describes several changes that one revision made.
fn together(changes: &[&TraceEvent]) -> String {
    let (mut first, mut revision) = (None, 0);
    let (mut put, mut deleted) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for what in changes {
        if let TraceEvent::Changed {
            main, kind, key, ..
        } = what
        {
            first.get_or_insert(*main);
            revision = *main;
            let list = match kind {
                ChangeKind::Delete => &mut deleted,
                ChangeKind::Create | ChangeKind::Update => &mut put,
            };
            if seen.insert((*kind == ChangeKind::Delete, key)) {
                list.push(key);
            }
        }
    }
    let parts: Vec<String> = [("puts", put), ("deletes", deleted)]
        .into_iter()
        .filter(|(_, keys)| !keys.is_empty())
        .map(|(verb, keys)| format!("{verb} {}", named(&keys)))
        .collect();
    match first.filter(|first| *first != revision) {
        Some(first) => format!("Revisions {first} to {revision}: {}.", parts.join(" and ")),
        None => format!("Revision {revision}, all at once: {}.", parts.join(" and ")),
    }
}

fn named(keys: &[&Bytes]) -> String {
    let names: Vec<String> = keys.iter().take(KEYS_NAMED).map(|key| name(key)).collect();
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
