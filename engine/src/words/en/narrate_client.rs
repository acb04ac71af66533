//! The sentences about clients: their requests, the responses that they receive, and changes of their state.

use std::fmt::Display;

use crate::base::time::SimDuration;

use super::grammar::{list, number};

/// Sentences about clients that request new watches.
pub fn watch_from_now(watch: &str) -> String {
    format!("{watch} asks etcd for new events.")
}

pub fn watch_from(watch: &str, revision: i64) -> String {
    format!("{watch} asks etcd for events from revision {revision} on.")
}

pub fn watches_from_now(watches: &[&str]) -> String {
    let watches = list(watches);
    format!("{watches} ask etcd for new events.")
}

pub fn watches_from(watches: &[&str], revision: i64) -> String {
    let watches = list(watches);
    format!("{watches} ask etcd for events from revision {revision} on.")
}

pub fn watches_from_different_revisions(watches: &[&str]) -> String {
    let watches = list(watches);
    format!("{watches} ask etcd for events from different revisions on.")
}

/// Sentences about clients that resume watches.
pub fn resumes_from_now(watch: &str) -> String {
    format!("{watch} resumes: it requests new events.")
}

pub fn resumes_from(watch: &str, revision: i64) -> String {
    format!("{watch} resumes: it requests events from revision {revision} on.")
}

pub fn all_resume(watches: &[&str]) -> String {
    let watches = list(watches);
    format!("{watches} resume: each watch requests events from its next revision on.")
}

/// Sentences about the end of watches. `reason` is etcd's own text.
pub fn cancellation_requested(watches: &[&str]) -> String {
    let watches = list(watches);
    format!("The client requests the cancellation of {watches}.")
}

pub fn ended(watches: &[&str], reason: &str) -> String {
    let watches = list(watches);
    format!("{watches} ended: {reason}.")
}

/// Sentences about responses that reach watches. Equal responses to several watches share one sentence.
pub fn watches_refused(watches: &[&str]) -> String {
    let watches = list(watches);
    format!("etcd refuses {watches}.")
}

pub fn watches_confirmed(watches: &[&str]) -> String {
    let watches = list(watches);
    format!("etcd confirms {watches}.")
}

pub fn cancellation_received(watches: &[&str]) -> String {
    let who = receivers(watches);
    format!("{who} the cancellation.")
}

pub fn progress_received(watches: &[&str], revision: i64) -> String {
    let who = receivers(watches);
    format!("{who} a progress notification: nothing is missing up to revision {revision}.")
}

pub fn event_received(watches: &[&str], kind: &str, key: &str, revision: i64) -> String {
    let who = receivers(watches);
    format!("{who} {kind} {key} of revision {revision}.")
}

pub fn events_received(watches: &[&str], events: usize, from: i64, to: i64) -> String {
    let who = receivers(watches);
    match from == to {
        true => format!("{who} {events} events of revision {from}."),
        false => format!("{who} {events} events, revisions {from} to {to}."),
    }
}

fn receivers(watches: &[&str]) -> String {
    let names = list(watches);
    match watches.len() {
        1 => format!("{names} receives"),
        _ => format!("{names} receive"),
    }
}

/// Sentences about clients that list keys, poll, or retry requests.
pub fn listed(client: &str, keys: u32, revision: i64) -> String {
    let (keys, next) = (number(keys.into(), "key", "keys"), revision + 1);
    format!("{client} lists {keys} at revision {revision} and watches from revision {next}.")
}

pub fn polled(client: &str, revision: i64, keys: u32, changes: u32) -> String {
    let keys = number(keys.into(), "key", "keys");
    let changes = number(changes.into(), "change", "changes");
    format!("{client} reads {keys} at revision {revision} and finds {changes}.")
}

pub fn cache_timed_out(client: &str, revision: i64) -> String {
    format!("A read by {client} fails: its cache has not reached revision {revision} within 3 s.")
}

pub fn poll_refused(client: &str, error: impl Display) -> String {
    format!("A read by {client} fails: {error}.")
}

pub fn poll_at_revision_refused(client: &str, revision: i64, error: impl Display) -> String {
    format!("A read by {client} at revision {revision} fails: {error}.")
}

pub fn retries_after_error(client: &str, error: &str, delay: SimDuration) -> String {
    format!("{client}: {error}. {client} sends the request again in {delay}.")
}

pub fn retries_without_response(client: &str, timeout: SimDuration, delay: SimDuration) -> String {
    format!("{client}: no response within {timeout}. {client} sends the request again in {delay}.")
}

pub fn retries_without_connection(client: &str, delay: SimDuration) -> String {
    format!("{client}: the connection broke. {client} sends the request again in {delay}.")
}

pub fn keys_gone(client: &str, keys: &[String]) -> String {
    let names = list(keys);
    match keys.len() {
        1 => format!("{client} learns that {names} no longer exists."),
        _ => format!("{client} learns that {names} no longer exist."),
    }
}

/// Sentences about clients that keep a lease alive.
pub fn lease_gone(client: &str, lease: i64) -> String {
    format!("{client} learns that lease {lease:x} no longer exists.")
}

pub fn lease_renewed(client: &str, lease: i64, ttl_s: i64) -> String {
    format!("{client} learns that lease {lease:x} is renewed for {ttl_s} s.")
}

/// Returns the sentence about a request that the monitor of etcd QoS reports: the number of scanned keys, the duration
/// and the size of the request.
pub fn monitored(
    client: &str,
    request: &str,
    keys: u64,
    latency: SimDuration,
    traffic: u64,
) -> String {
    let keys = number(keys, "key", "keys");
    let bytes = number(traffic, "byte", "bytes");
    format!(
        "The monitor sends {client} a report on a {request} request: {keys} scanned, {latency}, {bytes}."
    )
}

pub fn monitor_ended(client: &str, error: impl Display) -> String {
    format!("The monitor stream of {client} ends: {error}.")
}

/// Sentences about nodes that pause, resume, disconnect, connect, stop or start.
pub fn paused(node: &str) -> String {
    format!("{node} is paused.")
}

pub fn resumed(node: &str, waiting: u32) -> String {
    match waiting {
        0 => format!("{node} resumes."),
        1 => format!("{node} resumes and handles 1 waiting message."),
        n => format!("{node} resumes and handles {n} waiting messages."),
    }
}

pub fn disconnected(client: &str) -> String {
    format!("The connection of {client} breaks.")
}

pub fn reconnected(client: &str) -> String {
    format!("{client} reconnects.")
}

pub fn stopped(client: &str) -> String {
    format!("The process {client} stops.")
}

pub fn restarted(client: &str) -> String {
    format!("The process {client} restarts.")
}

/// Sentences about commands of etcdctl that run until they are ended.
pub fn holds_key(client: &str, key: &str) -> String {
    format!("{client} reads {key}, the oldest key of the lock or election.")
}

pub fn command_ran(client: &str) -> String {
    format!("The command of {client} has run.")
}

pub fn copied(client: &str, keys: u64) -> String {
    let keys = number(keys, "key", "keys");
    format!("{client} has copied {keys}.")
}

pub fn process_failed(client: &str, error: impl Display) -> String {
    format!("{client} ends with an error: {error}.")
}
