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
use crate::api::log_entry::MemberChange;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::time::SimDuration;
use crate::observe::Past;
use crate::trace::{ChangeKind, Event, EventId, FirstRead, TraceEvent};
use crate::words::narrate as words;

/// The maximum number of bytes of a value in a sentence.
const VALUE_BYTES: usize = 32;

/// The maximum number of characters of a key in a sentence.
const KEY_CHARS: usize = 64;

/// Describes the step at the cursor in a sentence.
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
    let sentences = match changes.as_slice() {
        [] => return quiet(events, past),
        [one] => match lease::of_key(events) {
            Some(lease) if !is_delete(one) => format!("{} {lease}", change(one, past)),
            Some(_) | None => change(one, past),
        },
        many => together(many),
    };
    let mut sentence = match lease::revoked(events) {
        Some(why) => format!("{why} {sentences}"),
        None => sentences,
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
        EtcdError::MemberStopped => words::MEMBER_STOPPED.into(),
        EtcdError::DeadlineExceeded if !events.iter().any(is_received) => {
            let is_abandoned = |e: &Event| matches!(e.what, TraceEvent::ReadAbandoned);
            words::deadline_exceeded(error, events.iter().any(is_abandoned))
        }
        EtcdError::LimitRequest { .. } => {
            format!("{} {}", qos::sentences(events), words::NOTHING_CHANGED)
        }
        EtcdError::NoSpace => no_space(events),
        error => words::refused(error),
    })
}

/// Describes a write that was refused because the database has no space left.
fn no_space(events: &[Event]) -> String {
    let error = EtcdError::NoSpace;
    let raised = events.iter().find_map(|e| match &e.what {
        TraceEvent::NoSpaceRaised { size, quota } => Some((*size, *quota)),
        _ => None,
    });
    match raised {
        Some((size, quota)) => words::quota_exceeded(error, size, quota),
        None => words::no_space(error),
    }
}

fn is_received(event: &Event) -> bool {
    matches!(event.what, TraceEvent::Received { .. })
}

fn snapshot_installed(event: &Event) -> Option<String> {
    let TraceEvent::SnapshotInstalled { index, revision } = &event.what else {
        return None;
    };
    Some(words::snapshot_installed(*index, *revision))
}

fn members_changed(change: &MemberChange) -> String {
    match change {
        MemberChange::Add(member) => {
            let urls = member.peer_urls.join(", ");
            words::member_added(member.id, &urls, member.is_learner)
        }
        MemberChange::Remove { id } => words::member_removed(*id),
        MemberChange::Update { id, peer_urls } => words::member_updated(*id, &peer_urls.join(", ")),
        MemberChange::Promote { id } => words::member_promoted(*id),
    }
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
                partial_request: _,
            } => read(range, *revision, *count, *returned, first.as_ref()),
            TraceEvent::RangeChunk { revision, .. } if first_chunk(events) == Some(event.id) => {
                words::range_chunks(*revision, &chunks(events))
            }
            TraceEvent::AutoCompaction { revision, current } => match revision {
                Some(revision) => words::auto_compaction(*revision),
                None => words::auto_compaction_not_due(*current),
            },
            TraceEvent::CompactionWaits => words::COMPACTION_WAITS.into(),
            TraceEvent::Refused { error } => words::waiting_request_refused(error),
            TraceEvent::ReadAbandoned => words::READ_ABANDONED.into(),
            TraceEvent::NothingChanged { revision } => words::unchanged(*revision),
            TraceEvent::CompactionScheduled { revision } => words::compaction_scheduled(*revision),
            TraceEvent::CompactionBatch {
                scanned, removed, ..
            } => words::compaction_batch(*scanned, removed.len()),
            TraceEvent::CompactionFinished { revision } => words::compaction_finished(*revision),
            TraceEvent::Restored {
                backup, revision, ..
            } if backup == revision => words::restored(*backup),
            TraceEvent::Restored {
                backup, revision, ..
            } => words::restored_with_bump(*backup, *revision),
            TraceEvent::Qos(event) => qos::sentence(event),
            TraceEvent::NoSpaceRaised { .. } => words::NO_SPACE_RAISED.into(),
            TraceEvent::NoSpaceDisarmed => words::NO_SPACE_DISARMED.into(),
            TraceEvent::MembersChanged(change) => members_changed(change),
            TraceEvent::Defragmented { before, after } => {
                words::defragmented(before.0, after.0, after.1)
            }
            TraceEvent::Hashed { revision, hash } => words::hash(*revision, *hash),
            TraceEvent::TimePassed { duration_us } => words::time_passed(SimDuration(*duration_us)),
            TraceEvent::Lease(event) => match lease::quiet(event) {
                Some(text) => text,
                None => continue,
            },
            TraceEvent::Received {
                method: "Status", ..
            } => words::STATUS.into(),
            TraceEvent::Received {
                method: "LeaseTimeToLive",
                ..
            } => words::TIME_TO_LIVE.into(),
            TraceEvent::Received {
                method: "LeaseLeases",
                ..
            } => words::LEASES.into(),
            TraceEvent::Received {
                method: "Alarm", ..
            } => words::ALARMS.into(),
            TraceEvent::Received { .. }
            | TraceEvent::RangeChunk { .. }
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
        watch::messages(events, past).unwrap_or_else(|| words::NO_EVENTS.into())
    } else {
        text
    }
}

/// Returns the first event of a step that sends a chunk. The sentence about this event names all chunks of the step.
fn first_chunk(events: &[Event]) -> Option<EventId> {
    let is_chunk = |event: &&Event| matches!(event.what, TraceEvent::RangeChunk { .. });
    events.iter().find(is_chunk).map(|event| event.id)
}

/// Returns the numbers of rows in the chunks that a step sends.
fn chunks(events: &[Event]) -> Vec<u64> {
    let rows = events.iter().filter_map(|event| match event.what {
        TraceEvent::RangeChunk { rows, .. } => Some(rows),
        _ => None,
    });
    rows.collect()
}

fn read(
    range: &KeyRange,
    revision: i64,
    count: i64,
    returned: Option<i64>,
    first: Option<&FirstRead>,
) -> String {
    match (range, first, count) {
        (KeyRange::One(key), Some(first), _) => {
            let value = first.value.as_ref().map(shortened);
            words::key_read(revision, &name(key), value.as_deref(), first.mod_revision)
        }
        (KeyRange::One(key), None, 0) => words::key_missing(revision, &name(key)),
        _ => words::range_read(revision, count, returned),
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
    let (shown, value) = (name(key), shortened(value));
    match kind {
        ChangeKind::Create if *generation > 0 || past.came_back(key, *main) => {
            words::created_again(*main, &shown, &value)
        }
        ChangeKind::Create => words::created(*main, &shown, &value),
        ChangeKind::Update => words::updated(*main, &shown, &value, *version),
        // The tombstone counts as a change, but is not a put.
        ChangeKind::Delete => words::deleted(*main, &shown, generation_ver - 1),
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
    let (put, deleted) = (put.into_iter().map(name), deleted.into_iter().map(name));
    words::changed_together(first.unwrap_or(revision), revision, put, deleted)
}

/// Returns a value as text for a sentence. The text shows at most the maximum number of bytes.
fn shortened(value: &Bytes) -> String {
    match value.get(..VALUE_BYTES) {
        Some(shown) if value.len() > VALUE_BYTES => format!("{}…", Bytes::from(shown)),
        _ => value.to_text(),
    }
}
