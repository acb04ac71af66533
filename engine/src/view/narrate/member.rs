//! Sentences about what the member does with watchers.

use crate::observe::Past;
use crate::trace::WatchTrace;

use super::watch::{list, number};

/// One thing that happened, in a sentence; `None` when it is not worth one.
pub(in crate::view) fn one(what: &WatchTrace, past: Past<'_>) -> Option<String> {
    let who = |watcher: &u64| past.name_of(*watcher);
    Some(match what {
        WatchTrace::StreamOpened { .. } => return None,
        WatchTrace::StreamClosed { watchers, .. } => format!(
            "Its stream is closed, and {} with it.",
            number(u64::from(*watchers), "watch", "watches")
        ),
        WatchTrace::Created {
            watcher,
            start_rev,
            next_rev,
            synced: true,
            ..
        } if *start_rev > 0 => format!(
            "{} is synced, for nothing is missing: it waits for revision {next_rev}.",
            who(watcher)
        ),
        WatchTrace::Created {
            watcher,
            synced: true,
            ..
        } => format!(
            "{} is synced: the next write that concerns it is handed to it at once.",
            who(watcher)
        ),
        WatchTrace::Created {
            watcher, next_rev, ..
        } => format!(
            "{} is unsynced: it wants revision {next_rev}, so a sweep reads it back.",
            who(watcher)
        ),
        WatchTrace::Refused { reason, .. } => format!("The watch is refused: {reason}."),
        WatchTrace::Canceled { stream, watch_id } => {
            match past.watch_log.name_at(*stream, *watch_id) {
                Some(name) => format!("etcd ends the watch {name}."),
                None => format!("etcd ends watch {watch_id} of the stream."),
            }
        }
        WatchTrace::Notified { told, .. } => format!(
            "{} told of it.",
            number(u64::from(*told), "watcher is", "watchers are")
        ),
        WatchTrace::BecameVictim { watcher, from, .. } => format!(
            "The channel of {} is full: it becomes a victim and keeps the batch of revision {from}.",
            who(watcher)
        ),
        WatchTrace::Swept {
            picked,
            from,
            to,
            rows,
            ..
        } => swept(*picked, *from, *to, *rows),
        WatchTrace::CaughtUp {
            watcher, events: 0, ..
        } => format!("There is nothing for {}: it is synced.", who(watcher)),
        WatchTrace::CaughtUp {
            watcher,
            from,
            to,
            more_from,
            ..
        } => {
            let who = who(watcher);
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
            who(watcher)
        ),
        WatchTrace::PassedOver {
            watcher,
            wanted,
            to,
        } => format!(
            "{} wants revision {wanted}, which was compacted, and its channel is full: this etcd moves it \
             to revision {} without a word.",
            who(watcher),
            to + 1
        ),
        WatchTrace::VictimSent {
            watcher,
            synced,
            tries,
        } => {
            let who = who(watcher);
            let tried = match tries {
                0 | 1 => String::new(),
                n => format!(" after {n} tries"),
            };
            let place = if *synced {
                "synced"
            } else {
                "unsynced, for more was written meanwhile"
            };
            format!(
                "The channel has room again{tried}: {who} sends the batch it kept and is {place}."
            )
        }
        WatchTrace::Progress { revision, .. } => {
            format!(
                "etcd tells how far it has come: everything up to revision {revision} was sent."
            )
        }
        WatchTrace::ProgressWithheld { .. } => {
            "The progress request stays unanswered: not every watch of the stream is synced.".into()
        }
    })
}

fn swept(picked: u64, from: i64, to: i64, rows: u64) -> String {
    let takes = format!("A sweep takes {}", number(picked, "watcher", "watchers"));
    if from > to {
        return format!("{takes} and has nothing to read.");
    }
    let revisions = if from == to {
        format!("revision {from}")
    } else {
        format!("revisions {from} to {to}")
    };
    format!(
        "{takes} and reads {revisions} once, {}.",
        number(rows, "row", "rows")
    )
}

/// Things of one kind, at least two of them, in a sentence.
pub(in crate::view) fn many(all: &[&WatchTrace], past: Past<'_>) -> Option<String> {
    let who = || {
        let ids = all.iter().filter_map(|what| watcher_of(what));
        list(&ids.map(|id| past.name_of(id)).collect::<Vec<_>>())
    };
    let n = all.len() as u64;
    Some(match all[0] {
        WatchTrace::StreamOpened { .. } => return None,
        WatchTrace::StreamClosed { .. } => {
            let ended = all.iter().map(|what| match what {
                WatchTrace::StreamClosed { watchers, .. } => u64::from(*watchers),
                _ => 0,
            });
            let ended = number(ended.sum(), "watch", "watches");
            format!("Its {n} streams are closed, and {ended} with them.")
        }
        WatchTrace::Created { synced: true, .. } => format!(
            "{} are synced: the next write that concerns them is handed to them at once.",
            who()
        ),
        WatchTrace::Created { .. } => format!(
            "{} are unsynced: what they want is in the past, so a sweep reads it back.",
            who()
        ),
        WatchTrace::Refused { .. } => format!("{n} watches are refused."),
        WatchTrace::Canceled { .. } => format!("etcd ends {n} watches."),
        WatchTrace::BecameVictim { .. } => format!(
            "The channels of {} are full: they become victims, and each keeps its batch.",
            who()
        ),
        WatchTrace::CaughtUp { events: 0, .. } => {
            format!("There is nothing for {}: they are synced.", who())
        }
        WatchTrace::CaughtUp { more_from: 0, .. } => {
            format!("{} get what they lacked and are synced.", who())
        }
        WatchTrace::CaughtUp { .. } => format!(
            "{} get as much as one response holds and stay unsynced.",
            who()
        ),
        WatchTrace::Overtaken {
            compact_revision, ..
        } => format!(
            "{} want revisions before {compact_revision}, which were compacted: they are canceled.",
            who()
        ),
        WatchTrace::PassedOver { to, .. } => format!(
            "{} want revisions that were compacted, and their channels are full: this etcd moves them to \
             revision {} without a word.",
            who(),
            to + 1
        ),
        WatchTrace::VictimSent { synced: true, .. } => format!(
            "The channels have room again: {} send the batches they kept and are synced.",
            who()
        ),
        WatchTrace::VictimSent { .. } => format!(
            "The channels have room again: {} send the batches they kept and are unsynced, for more \
             was written meanwhile.",
            who()
        ),
        WatchTrace::Progress { revision, .. } => format!(
            "etcd tells {n} watches how far they have come: everything up to revision {revision} was \
             sent."
        ),
        WatchTrace::Notified { .. }
        | WatchTrace::Swept { .. }
        | WatchTrace::ProgressWithheld { .. } => return one(all[0], past),
    })
}

fn watcher_of(what: &WatchTrace) -> Option<u64> {
    match what {
        WatchTrace::Created { watcher, .. }
        | WatchTrace::BecameVictim { watcher, .. }
        | WatchTrace::CaughtUp { watcher, .. }
        | WatchTrace::Overtaken { watcher, .. }
        | WatchTrace::PassedOver { watcher, .. }
        | WatchTrace::VictimSent { watcher, .. } => Some(*watcher),
        WatchTrace::StreamOpened { .. }
        | WatchTrace::StreamClosed { .. }
        | WatchTrace::Refused { .. }
        | WatchTrace::Canceled { .. }
        | WatchTrace::Notified { .. }
        | WatchTrace::Swept { .. }
        | WatchTrace::Progress { .. }
        | WatchTrace::ProgressWithheld { .. } => None,
    }
}

/// What tells kinds apart that are told of in one sentence each.
pub(in crate::view) fn kind(what: &WatchTrace) -> u8 {
    match what {
        WatchTrace::StreamOpened { .. } => 0,
        WatchTrace::StreamClosed { .. } => 1,
        WatchTrace::Created { synced: true, .. } => 2,
        WatchTrace::Created { .. } => 3,
        WatchTrace::Refused { .. } => 4,
        WatchTrace::Canceled { .. } => 5,
        WatchTrace::Notified { .. } => 6,
        WatchTrace::BecameVictim { .. } => 7,
        WatchTrace::Swept { .. } => 8,
        WatchTrace::CaughtUp { events: 0, .. } => 9,
        WatchTrace::CaughtUp { more_from: 0, .. } => 10,
        WatchTrace::CaughtUp { .. } => 11,
        WatchTrace::Overtaken { .. } => 12,
        WatchTrace::PassedOver { .. } => 17,
        WatchTrace::VictimSent { synced: true, .. } => 13,
        WatchTrace::VictimSent { .. } => 14,
        WatchTrace::Progress { .. } => 15,
        WatchTrace::ProgressWithheld { .. } => 16,
    }
}
