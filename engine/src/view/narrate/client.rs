//! Writes sentences about clients: their requests, the responses that they receive, and changes of their state.

use crate::api::{EventKind, WatchResponse};
use crate::base::ids::NodeId;
use crate::observe::Past;
use crate::trace::{ClientTrace, PollOutcome};

use super::name;
use super::watch::{list, number};

/// Describes one event. Returns `None` if the event needs no sentence.
pub(in crate::view) fn one(what: &ClientTrace, past: Past<'_>) -> Option<String> {
    let node = |node: &NodeId| past.node_name(*node);
    Some(match what {
        ClientTrace::Opened { .. } => return None,
        ClientTrace::Wants {
            watch, start_rev, ..
        } => match start_rev {
            0 => format!("{watch} requests a watch for new events."),
            rev => format!("{watch} requests a watch from revision {rev}."),
        },
        ClientTrace::Received {
            watch, response, ..
        } => received(&[watch], response),
        ClientTrace::ResumesFrom {
            watch, revision, ..
        } => match revision {
            0 => format!("{watch} requests to resume with new events."),
            revision => format!("{watch} requests to resume from revision {revision}."),
        },
        ClientTrace::Ended { watch, reason, .. } if reason.is_empty() => {
            format!("{watch} requests its cancellation.")
        }
        ClientTrace::Ended { watch, reason, .. } => format!("{watch} ended: {reason}."),
        ClientTrace::Retries {
            node: at,
            why,
            delay,
        } => format!(
            "{}: {why}. It sends the request again in {delay}.",
            node(at)
        ),
        ClientTrace::Listed {
            node: at,
            keys,
            revision,
        } => format!(
            "{} listed {} at revision {revision} and watches from revision {}.",
            node(at),
            number(u64::from(*keys), "key", "keys"),
            revision + 1
        ),
        ClientTrace::Polled {
            node: at,
            outcome:
                PollOutcome::Read {
                    revision,
                    keys,
                    changes,
                },
        } => format!(
            "{} read {} at revision {revision} and found {}.",
            node(at),
            number(u64::from(*keys), "key", "keys"),
            number(u64::from(*changes), "change", "changes")
        ),
        ClientTrace::Polled {
            node: at,
            outcome: PollOutcome::Refused { revision, error },
        } => match revision {
            0 => format!("{} cannot read: {error}.", node(at)),
            revision => format!("{} cannot read revision {revision}: {error}.", node(at)),
        },
        ClientTrace::KeptAlive {
            node: at,
            lease,
            ttl_s: 0,
        } => format!("{} learns that lease {lease:x} no longer exists.", node(at)),
        ClientTrace::KeptAlive {
            node: at,
            lease,
            ttl_s,
        } => format!("{} renewed lease {lease:x} for {ttl_s} s.", node(at)),
        ClientTrace::Monitored {
            node: at,
            outcome: Ok(row),
        } => format!(
            "{} receives a {} request from the monitor: {}, {}, {}.",
            node(at),
            row.kind.name(),
            number(row.scan, "key", "keys"),
            row.latency,
            number(row.traffic, "byte", "bytes")
        ),
        ClientTrace::Monitored {
            node: at,
            outcome: Err(error),
        } => format!("The monitor of {} ends: {error}.", node(at)),
        ClientTrace::FoundGone { node: at, keys } => {
            let names: Vec<String> = keys.iter().map(name).collect();
            let exist = if keys.len() == 1 { "exists" } else { "exist" };
            format!(
                "{} learns that {} no longer {exist}.",
                node(at),
                list(&names)
            )
        }
        ClientTrace::Paused { node: at } => format!("{} is paused.", node(at)),
        ClientTrace::Resumed { node: at, waiting } => match waiting {
            0 => format!("{} resumes.", node(at)),
            1 => format!("{} resumes and handles 1 waiting message.", node(at)),
            n => format!("{} resumes and handles {n} waiting messages.", node(at)),
        },
        ClientTrace::Disconnected { node: at } => {
            format!("The connection of {} breaks.", node(at))
        }
        ClientTrace::Connected { node: at } => format!("{} reconnects.", node(at)),
        ClientTrace::Stopped { node: at } => format!("The process {} stops.", node(at)),
        ClientTrace::Started { node: at } => format!("The process {} restarts.", node(at)),
        ClientTrace::Changed {
            node: Some(at),
            what,
        } => format!("{}: {what}.", node(at)),
        ClientTrace::Changed { node: None, what } => format!("From now on {what}."),
    })
}

/// Describes at least two events of the same kind in one sentence.
pub(in crate::view) fn many(all: &[&ClientTrace], past: Past<'_>) -> Option<String> {
    let watches: Vec<&str> = all.iter().filter_map(|what| watch_of(what)).collect();
    let who = || list(&watches);
    Some(match all[0] {
        ClientTrace::Wants { start_rev, .. } => {
            let same = |what: &&ClientTrace| match what {
                ClientTrace::Wants { start_rev: own, .. } => own == start_rev,
                _ => false,
            };
            let from = match start_rev {
                _ if !all.iter().all(same) => "from different revisions".into(),
                0 => "for new events".into(),
                rev => format!("from revision {rev}"),
            };
            format!("{} request watches {from}.", who())
        }
        ClientTrace::Received { response, .. } => received(&watches, response),
        ClientTrace::ResumesFrom { .. } => {
            format!("{} request to resume, each from its next revision.", who())
        }
        ClientTrace::Ended { reason, .. } if reason.is_empty() => {
            format!("{} request their cancellation.", who())
        }
        ClientTrace::Ended { reason, .. } => format!("{} ended: {reason}.", who()),
        ClientTrace::Opened { .. }
        | ClientTrace::Listed { .. }
        | ClientTrace::Polled { .. }
        | ClientTrace::Retries { .. }
        | ClientTrace::FoundGone { .. }
        | ClientTrace::KeptAlive { .. }
        | ClientTrace::Monitored { .. }
        | ClientTrace::Paused { .. }
        | ClientTrace::Resumed { .. }
        | ClientTrace::Disconnected { .. }
        | ClientTrace::Connected { .. }
        | ClientTrace::Stopped { .. }
        | ClientTrace::Started { .. }
        | ClientTrace::Changed { .. } => return one(all[0], past),
    })
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

/// Returns true if one sentence can describe both events.
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
fn received<T: AsRef<str>>(watches: &[T], response: &WatchResponse) -> String {
    let who = list(watches);
    let alone = watches.len() == 1;
    let verb = |single: &'static str, several: &'static str| if alone { single } else { several };
    if response.created && response.canceled {
        return format!("etcd refused {who}.");
    }
    if response.created {
        return format!("etcd confirms {who}.");
    }
    let receive = verb("receives", "receive");
    if response.canceled {
        return format!("{who} {receive} the cancellation.");
    }
    let revision = response.header.revision;
    match response.events.as_slice() {
        [] => format!(
            "{who} {receive} a progress notification: nothing is missing up to revision {revision}."
        ),
        [one] => {
            let what = match one.kind {
                EventKind::Put => "PUT",
                EventKind::Delete => "DELETE",
            };
            let (key, at) = (name(&one.kv.key), one.kv.mod_revision);
            format!("{who} {receive} {what} {key} of revision {at}.")
        }
        many => {
            let (n, from) = (many.len(), many[0].kv.mod_revision);
            match many[n - 1].kv.mod_revision {
                to if to == from => format!("{who} {receive} {n} events of revision {from}."),
                to => format!("{who} {receive} {n} events, revisions {from} to {to}."),
            }
        }
    }
}
