//! Writes sentences about clients: their requests, the responses that they receive, and changes of their state.

use crate::api::{EventKind, WatchResponse};
use crate::base::ids::NodeId;
use crate::observe::Past;
use crate::trace::{ClientTrace, PollOutcome, Printed, RetryReason};
use crate::words::narrate_client as words;

use super::name;

/// Describes one event. Returns `None` if the event needs no sentence.
pub(in crate::view) fn one(what: &ClientTrace, past: Past<'_>) -> Option<String> {
    let node = |node: &NodeId| past.node_name(*node);
    Some(match what {
        ClientTrace::Opened { .. } => return None,
        ClientTrace::Wants {
            watch, start_rev, ..
        } => match start_rev {
            0 => words::watch_from_now(watch),
            rev => words::watch_from(watch, *rev),
        },
        ClientTrace::Received {
            watch, response, ..
        } => received(&[watch], response),
        ClientTrace::ResumesFrom {
            watch, revision, ..
        } => match revision {
            0 => words::resumes_from_now(watch),
            revision => words::resumes_from(watch, *revision),
        },
        ClientTrace::Ended { watch, reason, .. } => ended(&[watch], reason),
        ClientTrace::Retries {
            node: at,
            why,
            delay,
        } => match why {
            RetryReason::Error(error) => words::retries_after_error(&node(at), error, *delay),
            RetryReason::NoResponse(timeout) => {
                words::retries_without_response(&node(at), *timeout, *delay)
            }
            RetryReason::ConnectionBroke => words::retries_without_connection(&node(at), *delay),
        },
        ClientTrace::Listed {
            node: at,
            keys,
            revision,
        } => words::listed(&node(at), *keys, *revision),
        ClientTrace::Polled {
            node: at,
            outcome:
                PollOutcome::Read {
                    revision,
                    keys,
                    changes,
                },
        } => words::polled(&node(at), *revision, *keys, *changes),
        ClientTrace::Polled {
            node: at,
            outcome: PollOutcome::CacheTimedOut { revision },
        } => words::cache_timed_out(&node(at), *revision),
        ClientTrace::Polled {
            node: at,
            outcome: PollOutcome::Refused { revision, error },
        } => match revision {
            0 => words::poll_refused(&node(at), error),
            revision => words::poll_at_revision_refused(&node(at), *revision, error),
        },
        ClientTrace::KeptAlive {
            node: at,
            lease,
            ttl_s: 0,
        } => words::lease_gone(&node(at), *lease),
        ClientTrace::KeptAlive {
            node: at,
            lease,
            ttl_s,
        } => words::lease_renewed(&node(at), *lease, *ttl_s),
        ClientTrace::Monitored {
            node: at,
            outcome: Ok(row),
        } => words::monitored(&node(at), row.name, row.scan, row.latency, row.traffic),
        ClientTrace::Monitored {
            node: at,
            outcome: Err(error),
        } => words::monitor_ended(&node(at), error),
        ClientTrace::Printed { node: at, printed } => match &**printed {
            // The renewal has a sentence of its own.
            Printed::KeptAlive(_) => return None,
            Printed::Expired(lease) => words::lease_gone(&node(at), *lease),
            Printed::Read(read) => match read.kvs.first() {
                Some(kv) => words::holds_key(&node(at), &name(&kv.key)),
                None => return None,
            },
            Printed::Ran { .. } => words::command_ran(&node(at)),
            Printed::Copied(keys) => words::copied(&node(at), *keys),
            Printed::Failed(error) => words::process_failed(&node(at), error),
        },
        ClientTrace::Ran { watch, .. } => words::command_ran(watch),
        ClientTrace::FoundGone { node: at, keys } => {
            let names: Vec<String> = keys.iter().map(name).collect();
            words::keys_gone(&node(at), &names)
        }
        ClientTrace::Paused { node: at } => words::paused(&node(at)),
        ClientTrace::Resumed { node: at, waiting } => words::resumed(&node(at), *waiting),
        ClientTrace::Disconnected { node: at } => words::disconnected(&node(at)),
        ClientTrace::Connected { node: at } => words::reconnected(&node(at)),
        ClientTrace::Stopped { node: at } => words::stopped(&node(at)),
        ClientTrace::Started { node: at } => words::restarted(&node(at)),
        ClientTrace::Changed { sentence, .. } => sentence.to_string(),
    })
}

/// Describes several events (at least two) of the same kind in one sentence.
pub(in crate::view) fn many(all: &[&ClientTrace], past: Past<'_>) -> Option<String> {
    let watches: Vec<&str> = all.iter().filter_map(|what| watch_of(what)).collect();
    Some(match all[0] {
        ClientTrace::Wants { start_rev, .. } => {
            let same = |what: &&ClientTrace| match what {
                ClientTrace::Wants { start_rev: own, .. } => own == start_rev,
                _ => false,
            };
            match start_rev {
                _ if !all.iter().all(same) => words::watches_from_different_revisions(&watches),
                0 => words::watches_from_now(&watches),
                rev => words::watches_from(&watches, *rev),
            }
        }
        ClientTrace::Received { response, .. } => received(&watches, response),
        ClientTrace::ResumesFrom { .. } => words::all_resume(&watches),
        ClientTrace::Ended { reason, .. } => ended(&watches, reason),
        ClientTrace::Opened { .. }
        | ClientTrace::Listed { .. }
        | ClientTrace::Polled { .. }
        | ClientTrace::Retries { .. }
        | ClientTrace::FoundGone { .. }
        | ClientTrace::KeptAlive { .. }
        | ClientTrace::Monitored { .. }
        | ClientTrace::Printed { .. }
        | ClientTrace::Ran { .. }
        | ClientTrace::Paused { .. }
        | ClientTrace::Resumed { .. }
        | ClientTrace::Disconnected { .. }
        | ClientTrace::Connected { .. }
        | ClientTrace::Stopped { .. }
        | ClientTrace::Started { .. }
        | ClientTrace::Changed { .. } => return one(all[0], past),
    })
}

/// Describes the end of one watch, or the ends of several watches with the same reason.
fn ended(watches: &[&str], reason: &str) -> String {
    match reason {
        "" => words::cancellation_requested(watches),
        reason => words::ended(watches, reason),
    }
}

fn watch_of(what: &ClientTrace) -> Option<&str> {
    match what {
        ClientTrace::Wants { watch, .. }
        | ClientTrace::Received { watch, .. }
        | ClientTrace::ResumesFrom { watch, .. }
        | ClientTrace::Ended { watch, .. } => Some(watch),
        _ => None,
    }
}

/// Returns true if one sentence can describe both of these events.
pub(in crate::view) fn alike(a: &ClientTrace, b: &ClientTrace) -> bool {
    match (a, b) {
        (ClientTrace::Wants { .. }, ClientTrace::Wants { .. })
        | (ClientTrace::ResumesFrom { .. }, ClientTrace::ResumesFrom { .. }) => true,
        (ClientTrace::Ended { reason: a, .. }, ClientTrace::Ended { reason: b, .. }) => a == b,
        (ClientTrace::Received { response: a, .. }, ClientTrace::Received { response: b, .. }) => {
            let said = |r: &WatchResponse| (r.created, r.canceled, r.header.revision);
            said(a) == said(b) && a.events == b.events
        }
        _ => false,
    }
}

/// Describes one response, or several equal responses, to these watches.
fn received(watches: &[&str], response: &WatchResponse) -> String {
    match (response.created, response.canceled) {
        (true, true) => return words::watches_refused(watches),
        (true, false) => return words::watches_confirmed(watches),
        (false, true) => return words::cancellation_received(watches),
        (false, false) => {}
    }
    match response.events.as_slice() {
        [] => words::progress_received(watches, response.header.revision),
        [one] => {
            let kind = match one.kind {
                EventKind::Put => "PUT",
                EventKind::Delete => "DELETE",
            };
            words::event_received(watches, kind, &name(&one.kv.key), one.kv.mod_revision)
        }
        [first, .., last] => {
            let (from, to) = (first.kv.mod_revision, last.kv.mod_revision);
            words::events_received(watches, response.events.len(), from, to)
        }
    }
}
