//! Sentences about watchers, clients and what stands between them.

use crate::api::{EventKind, WatchResponse};
use crate::trace::{ClientTrace, Event, NetTrace, TraceEvent, WatchTrace};

use super::narrate::{Past, name};

/// Sentences that a step is told in when it has more of them.
const SENTENCES_MAX: usize = 3;

/// What a write did to watchers.
pub(super) fn after_write(events: &[Event], past: Past<'_>) -> Vec<String> {
    let watched = events.iter().filter_map(|e| match &e.what {
        TraceEvent::Watch(what) => member(what, past),
        _ => None,
    });
    shortened(watched.collect())
}

/// A step that wrote nothing and was about watches; `None` when it was about something else.
pub(super) fn quiet(events: &[Event], past: Past<'_>) -> Option<String> {
    let told = events.iter().filter_map(|e| match &e.what {
        TraceEvent::Watch(what) => member(what, past),
        TraceEvent::Client(what) => client(what, past),
        TraceEvent::Net(NetTrace::Waits { .. }) => {
            Some("A message arrives at a node that stands still, and waits.".into())
        }
        TraceEvent::Net(NetTrace::Broken { .. }) => {
            Some("A message is lost: its connection broke under it.".into())
        }
        _ => None,
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| shortened(told).join(" "))
}

fn shortened(mut told: Vec<String>) -> Vec<String> {
    if told.len() > SENTENCES_MAX {
        let more = told.len() - SENTENCES_MAX;
        told.truncate(SENTENCES_MAX);
        told.push(format!("And {more} more of the kind."));
    }
    told
}

pub(super) fn member(what: &WatchTrace, past: Past<'_>) -> Option<String> {
    Some(match what {
        WatchTrace::Created {
            watcher,
            next_rev,
            synced,
            ..
        } => {
            let who = past.name_of(*watcher);
            if *synced {
                format!("{who} is synced: the next write that concerns it is handed to it at once.")
            } else {
                format!(
                    "{who} is unsynced: it wants revision {next_rev}, so a sweep reads it back."
                )
            }
        }
        WatchTrace::Refused { reason, .. } => format!("The watch is refused: {reason}."),
        WatchTrace::Canceled { watch_id, .. } => format!("Watch {watch_id} is canceled."),
        WatchTrace::StreamClosed { watchers, .. } => {
            format!("Its stream is closed, and {} with it.", watches(*watchers))
        }
        WatchTrace::Notified { told: 1, .. } => "One watcher is told.".into(),
        WatchTrace::Notified { told, .. } => format!("{told} watchers are told."),
        WatchTrace::BecameVictim { watcher, from, .. } => format!(
            "The channel of {} is full: it becomes a victim and keeps the batch of revision {from}.",
            past.name_of(*watcher)
        ),
        WatchTrace::Swept {
            picked,
            from,
            to,
            rows,
            ..
        } => format!(
            "A sweep takes {} and reads revisions {from} to {to} once, {}.",
            watchers(*picked),
            if *rows == 1 {
                "1 row".into()
            } else {
                format!("{rows} rows")
            }
        ),
        WatchTrace::CaughtUp {
            watcher, events: 0, ..
        } => format!(
            "There was nothing for {}: it is synced.",
            past.name_of(*watcher)
        ),
        WatchTrace::CaughtUp {
            watcher,
            from,
            to,
            more_from,
            ..
        } => {
            let who = past.name_of(*watcher);
            let got = if from == to {
                format!("{who} gets revision {from}")
            } else {
                format!("{who} gets revisions {from} to {to}")
            };
            match more_from {
                0 => format!("{got} and is synced."),
                more => format!("{got}; the batch is full, so it stays unsynced at {more}."),
            }
        }
        WatchTrace::Overtaken {
            watcher,
            wanted,
            compact_revision,
        } => format!(
            "{} wants revision {wanted}, but everything before {compact_revision} was compacted: it \
             is canceled.",
            past.name_of(*watcher)
        ),
        WatchTrace::VictimSent {
            watcher,
            synced,
            tries,
        } => {
            let who = past.name_of(*watcher);
            let tried = match tries {
                0 | 1 => String::new(),
                n => format!(" after {n} tries"),
            };
            let place = if *synced { "synced" } else { "unsynced" };
            format!(
                "The channel has room again{tried}: {who} sends the batch it kept and is {place}."
            )
        }
        WatchTrace::Progress { revision, .. } => {
            format!("Progress {revision}: everything up to there was sent.")
        }
        WatchTrace::ProgressWithheld { .. } => {
            "The progress request stays unanswered: not every watch of the stream is synced.".into()
        }
        WatchTrace::StreamOpened { .. } => return None,
    })
}

fn watches(n: u32) -> String {
    if n == 1 {
        "1 watch".into()
    } else {
        format!("{n} watches")
    }
}

fn watchers(n: u64) -> String {
    if n == 1 {
        "1 watcher".into()
    } else {
        format!("{n} watchers")
    }
}

pub(super) fn client(what: &ClientTrace, past: Past<'_>) -> Option<String> {
    let node = |node| past.watch_log.node_name(node);
    Some(match what {
        ClientTrace::Wants {
            watch, start_rev, ..
        } => match start_rev {
            0 => format!("{watch} asks to watch from now on."),
            rev => format!("{watch} asks to watch from revision {rev}."),
        },
        ClientTrace::Received {
            watch, response, ..
        } => received(watch, response)?,
        ClientTrace::ResumesFrom {
            watch, revision, ..
        } => match revision {
            0 => format!("{watch} asks again, from now on."),
            revision => format!("{watch} asks again, from revision {revision}."),
        },
        ClientTrace::Ended { watch, reason, .. } if reason.is_empty() => {
            format!("{watch} ends.")
        }
        ClientTrace::Ended { watch, .. } => format!("{watch} has ended."),
        ClientTrace::Listed {
            node: at,
            keys,
            revision,
        } => format!(
            "{} listed {} at revision {revision}, and watches from {}.",
            node(*at),
            if *keys == 1 {
                "1 key".into()
            } else {
                format!("{keys} keys")
            },
            revision + 1
        ),
        ClientTrace::KeptAlive {
            node: at,
            lease,
            ttl_s: 0,
        } => format!("{} hears that lease {lease:x} is gone.", node(*at)),
        ClientTrace::KeptAlive {
            node: at,
            lease,
            ttl_s,
        } => format!(
            "{} has kept lease {lease:x} alive: {ttl_s} s again.",
            node(*at)
        ),
        ClientTrace::FoundGone { node: at, keys } => {
            let names: Vec<String> = keys.iter().take(3).map(name).collect();
            format!(
                "{} finds out that {} no longer there.",
                node(*at),
                gone(&names, keys.len())
            )
        }
        ClientTrace::Paused { node: at } => format!("{} stands still.", node(*at)),
        ClientTrace::Resumed { node: at, .. } => format!("{} goes on.", node(*at)),
        ClientTrace::Disconnected { node: at } => {
            format!("The connection of {} breaks.", node(*at))
        }
        ClientTrace::Connected { node: at } => format!("{} is connected again.", node(*at)),
        ClientTrace::Stopped { node: at } => format!("{} ends.", node(*at)),
        ClientTrace::Started { node: at } => format!("{} begins.", node(*at)),
        ClientTrace::Changed {
            node: Some(at),
            what,
        } => format!("{}: {what}.", node(*at)),
        ClientTrace::Changed { node: None, what } => format!("From now on: {what}."),
        ClientTrace::Opened { .. } => return None,
    })
}

fn gone(names: &[String], total: usize) -> String {
    let list = names.join(", ");
    match total - names.len() {
        0 if total == 1 => format!("{list} is"),
        0 => format!("{list} are"),
        more => format!("{list} and {more} more are"),
    }
}

fn received(watch: &str, response: &WatchResponse) -> Option<String> {
    if response.created {
        return Some(if response.canceled {
            format!("{watch} hears why it cannot begin.")
        } else {
            format!("{watch} hears that it has begun.")
        });
    }
    if response.canceled {
        return Some(format!("{watch} hears that it was canceled."));
    }
    let revision = response.header.revision;
    Some(match response.events.as_slice() {
        [] => format!("{watch} hears that it has seen everything up to revision {revision}."),
        [one] => {
            let what = match one.kind {
                EventKind::Put => "PUT",
                EventKind::Delete => "DELETE",
            };
            let (key, at) = (name(&one.kv.key), one.kv.mod_revision);
            format!("{watch} receives {what} {key} of revision {at}.")
        }
        many => format!(
            "{watch} receives {} events, revisions {} to {}.",
            many.len(),
            many[0].kv.mod_revision,
            many[many.len() - 1].kv.mod_revision
        ),
    })
}
