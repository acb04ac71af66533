//! The sentences about API servers, their caches and their clients.

use std::fmt::Display;

use crate::base::time::SimDuration;

use super::grammar::number;

/// Returns the sentence about the events of a step that have no sentence of their own. The sentence contains their
/// number.
pub fn more_events(more: usize) -> String {
    match more {
        1 => "1 more event follows.".to_owned(),
        more => format!("{more} more events follow."),
    }
}

/// Sentences about a cache that lists its objects.
pub fn cache_lists(server: &str, resource: &str) -> String {
    format!("{server} lists all {resource} for its cache.")
}

pub fn cache_relists(server: &str, resource: &str, closed: u32) -> String {
    let watches = number(closed.into(), "client watch", "client watches");
    format!("{server} closes {watches} of {resource} and lists all {resource} again.")
}

pub fn cache_ready(server: &str, resource: &str, objects: u64, revision: u64) -> String {
    let (objects, next) = (number(objects, "object", "objects"), revision + 1);
    format!(
        "The {resource} cache of {server} has {objects} at revision {revision}: the cache is ready and watches from \
         revision {next}."
    )
}

/// Sentences about the events and progress notifications that a cache receives.
pub const OLDEST_EVENT_LEAVES: &str = "The cache drops the oldest event from its history.";

pub fn cache_moved_by_event(server: &str, resource: &str, from: u64, to: u64) -> String {
    format!(
        "The {resource} cache of {server} receives an event and moves from revision {from} to {to}."
    )
}

pub fn cache_moved_by_progress(server: &str, resource: &str, from: u64, to: u64) -> String {
    format!(
        "The {resource} cache of {server} receives a progress notification and moves from revision {from} to {to}."
    )
}

pub fn cache_unchanged(server: &str, resource: &str, revision: u64) -> String {
    format!(
        "The {resource} cache of {server} receives a progress notification and stays at revision {revision}."
    )
}

pub fn window_resized(before: u32, after: u32) -> String {
    format!("The capacity of the cache's history changes from {before} to {after} events.")
}

pub fn cache_lost(server: &str, resource: &str, reason: &str) -> String {
    format!(
        "The {resource} cache of {server} loses its watch: {reason}. The cache is not ready until it has relisted."
    )
}

pub fn cache_checked(server: &str, resource: &str, is_consistent: bool) -> String {
    match is_consistent {
        true => format!("The {resource} cache of {server} has the same objects as etcd."),
        false => format!(
            "The {resource} cache of {server} differs from etcd: it drops its snapshots, and etcd serves lists at an \
             exact revision."
        ),
    }
}

pub fn progress_request(server: &str, resource: &str, waiting: u32) -> String {
    let reads = number(waiting.into(), "read is waiting", "reads are waiting");
    format!("{server} asks etcd for a progress notification on its {resource} watch; {reads}.")
}

/// Sentences about requests to API servers.
pub fn request(client: &str, server: &str, request: &str) -> String {
    format!("{client} asks {server}: {request}.")
}

pub fn read_waits(server: &str, needed: u64, cache_revision: u64) -> String {
    format!(
        "The read needs revision {needed}, and the cache of {server} is at {cache_revision}: the read waits."
    )
}

pub fn read_falls_back(server: &str) -> String {
    format!("The read has waited too long for the cache, so {server} reads from etcd instead.")
}

pub fn refused(server: &str, code: u32, message: &str) -> String {
    format!("{server} refuses: {code} {message}.")
}

/// Sentences about responses of API servers, one for each source of a response. A sentence can name the revision of the
/// response and the duration of a wait.
pub fn response_from_cache(
    server: &str,
    revision: Option<u64>,
    waited: Option<SimDuration>,
) -> String {
    response(server, "from its cache", revision, waited)
}

pub fn response_from_snapshot(
    server: &str,
    revision: Option<u64>,
    waited: Option<SimDuration>,
) -> String {
    response(server, "from a snapshot", revision, waited)
}

pub fn response_from_etcd(
    server: &str,
    revision: Option<u64>,
    waited: Option<SimDuration>,
) -> String {
    response(server, "from etcd", revision, waited)
}

pub fn immediate_response(
    server: &str,
    revision: Option<u64>,
    waited: Option<SimDuration>,
) -> String {
    response(server, "immediately", revision, waited)
}

fn response(
    server: &str,
    source: &str,
    revision: Option<u64>,
    waited: Option<SimDuration>,
) -> String {
    let mut text = format!("{server} responds {source}");
    if let Some(revision) = revision {
        text.push_str(&format!(" at revision {revision}"));
    }
    if let Some(waited) = waited {
        text.push_str(&format!(" after waiting {waited}"));
    }
    text.push('.');
    text
}

/// Sentences about watches of API servers.
pub const WATCH_STARTS_WITH_OBJECTS: &str = "The watch starts with all existing objects.";

pub fn watch_starts_after(revision: u64) -> String {
    format!("The watch starts after revision {revision}.")
}

pub fn watch_of_lost_client(server: &str) -> String {
    format!("{server} closes a client's watch: the client went away.")
}

pub fn watch_of_slow_client(server: &str) -> String {
    format!("{server} closes a client's watch: the client was too slow.")
}

pub fn watch_behind_history(server: &str) -> String {
    format!(
        "{server} closes a client's watch: the history no longer contains the next event of this watch."
    )
}

pub fn watch_of_lost_cache(server: &str) -> String {
    format!("{server} closes a client's watch: the cache lost its own watch.")
}

pub fn watch_ended_by_etcd(server: &str) -> String {
    format!("{server} closes a client's watch: etcd ended the corresponding etcd watch.")
}

pub fn watch_without_previous_object(server: &str) -> String {
    format!("{server} closes a client's watch: etcd sent an event without the previous object.")
}

pub fn watch_timed_out(server: &str) -> String {
    format!("{server} closes a client's watch: the watch has reached its timeout.")
}

pub fn bookmark(server: &str, revision: u64) -> String {
    format!("{server} sends a bookmark at revision {revision}.")
}

pub fn watch_confirmed(client: &str) -> String {
    format!("The watch of {client} is confirmed.")
}

pub fn stream_closed(client: &str) -> String {
    format!("The stream of {client} closed without an error.")
}

pub fn stream_broken(client: &str) -> String {
    format!("The stream of {client} broke.")
}

/// Sentences about the responses and events that a client of API servers receives.
pub fn objects_received(client: &str, objects: u64, revision: u64) -> String {
    let objects = number(objects, "object", "objects");
    format!("{client} receives {objects}, as of revision {revision}.")
}

pub fn received(client: &str, object: impl Display) -> String {
    format!("{client} receives {object}.")
}

pub fn lines_received(client: &str, lines: u64) -> String {
    let lines = number(lines, "line", "lines");
    format!("{client} receives {lines}.")
}

pub fn error_received(client: &str, code: u32, error: impl Display) -> String {
    format!("{client} receives an error: {code} {error}.")
}

pub fn events_received(client: &str, events: usize) -> String {
    let events = number(events as u64, "event", "events");
    format!("{client} receives {events}.")
}

pub fn events_and_error_received(client: &str, events: usize) -> String {
    let events = number(events as u64, "event", "events");
    format!("{client} receives {events}, one of which is an error.")
}

/// Sentences about the objects of reflectors, informers and kubelets.
pub fn replaced(client: &str, objects: u64, revision: u64) -> String {
    let objects = number(objects, "object", "objects");
    format!("{client} now holds {objects}, as of revision {revision}.")
}

pub fn missed_deletes(client: &str, deletes: usize) -> String {
    let deletes = number(deletes as u64, "missed delete", "missed deletes");
    format!("{client} discovers {deletes}.")
}

pub fn back_off_without_connection(client: &str, delay: SimDuration) -> String {
    format!("{client} waits {delay}: no connection.")
}

pub fn back_off_after_stream(client: &str, delay: SimDuration) -> String {
    format!("{client} waits {delay}: the stream ended early.")
}

pub fn back_off_after_error(client: &str, delay: SimDuration, error: &str) -> String {
    format!("{client} waits {delay}: {error}.")
}

pub fn added(client: &str, object: impl Display) -> String {
    format!("{client} adds {object}.")
}

pub fn updated(client: &str, object: impl Display) -> String {
    format!("{client} updates {object}.")
}

pub fn deleted(client: &str, object: impl Display) -> String {
    format!("{client} deletes {object}.")
}

pub fn container_started(client: &str, pod: &str, uid: impl Display) -> String {
    format!("{client} starts the container of {pod} (uid {uid}).")
}

pub fn container_stopped(client: &str, pod: &str, uid: impl Display) -> String {
    format!("{client} stops the container of {pod} (uid {uid}).")
}

/// Sentences about the etcd in which an API server stores the Event objects.
pub fn events_in_own_etcd(server: &str) -> String {
    format!("{server} stores events in a second etcd, etcd-events.")
}

pub fn events_in_shared_etcd(server: &str) -> String {
    format!("{server} stores events in the same etcd as all other resources.")
}
