//! Writes sentences about the work that the member does for watchers.

use crate::observe::Past;
use crate::trace::WatchTrace;

use super::watch::{list, number};

/// Describes one event. Returns `None` if the event needs no sentence.
pub(in crate::view) fn one(what: &WatchTrace, past: Past<'_>) -> Option<String> {
    let who = |watcher: &u64| past.name_of(*watcher);
    Some(match what {
        WatchTrace::StreamOpened { .. } => return None,
        WatchTrace::LeaderMissing { .. } => {
            "The member has known no leader for three election timeouts: it ends the stream, which needs a leader."
                .into()
        }
        WatchTrace::StreamClosed { watchers, .. } => format!(
            "etcd closes the stream and {} on it.",
            number(u64::from(*watchers), "watch", "watches")
        ),
        WatchTrace::Created {
            watcher,
            start_rev,
            next_rev,
            synced: true,
            ..
        } if *start_rev > 0 => format!(
            "{} is synced: no event is missing, and it waits for revision {next_rev}.",
            who(watcher)
        ),
        WatchTrace::Created {
            watcher,
            synced: true,
            ..
        } => format!(
            "{} is synced: the next write to its keys notifies it immediately.",
            who(watcher)
        ),
        WatchTrace::Created {
            watcher, next_rev, ..
        } => format!(
            "{} is unsynced: it needs revision {next_rev}, which a sync pass reads from the backend.",
            who(watcher)
        ),
        WatchTrace::Refused { reason, .. } => format!("etcd refuses the watch: {reason}."),
        WatchTrace::Canceled { stream, watch_id } => {
            match past.watch_log.name_at(*stream, *watch_id) {
                Some(name) => format!("etcd cancels {name}."),
                None => format!("etcd cancels watch {watch_id} of the stream."),
            }
        }
        WatchTrace::Notified { told, .. } => format!(
            "etcd notifies {}.",
            number(u64::from(*told), "watcher", "watchers")
        ),
        WatchTrace::BecameVictim { watcher, from, .. } => format!(
            "The channel of {} is full: it becomes a victim and holds the batch of revision {from}.",
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
        } => format!("No event is missing for {}: it is synced.", who(watcher)),
        WatchTrace::CaughtUp {
            watcher,
            from,
            to,
            more_from,
            ..
        } => {
            let who = who(watcher);
            let got = if from == to {
                format!("etcd sends {who} revision {from}")
            } else {
                format!("etcd sends {who} revisions {from} to {to}")
            };
            match more_from {
                0 => format!("{got}: {who} is synced."),
                more => format!("{got}; the batch is full, so {who} stays unsynced at revision {more}."),
            }
        }
        WatchTrace::Overtaken {
            watcher,
            wanted,
            compact_revision,
        } => format!(
            "{} needs revision {wanted}, but everything before {compact_revision} is compacted: \
             etcd cancels the watch.",
            who(watcher)
        ),
        WatchTrace::PassedOver {
            watcher,
            wanted,
            to,
        } => format!(
            "{} needs revision {wanted}, which is compacted, and its channel is full: this version \
             of etcd moves the watcher to revision {} without an error.",
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
                "unsynced, because of newer writes"
            };
            format!(
                "The channel has room again{tried}: etcd sends the held batch, and {who} is {place}."
            )
        }
        WatchTrace::Progress { revision, .. } => {
            format!(
                "etcd sends a progress notification: everything up to revision {revision} was sent."
            )
        }
        WatchTrace::ProgressWithheld { .. } => {
            "etcd does not respond to the progress request: not every watch of the stream is synced.".into()
        }
    })
}

fn swept(picked: u64, from: i64, to: i64, rows: u64) -> String {
    let takes = format!(
        "A sync pass takes {}",
        number(picked, "watcher", "watchers")
    );
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

/// Describes at least two events of the same kind in one sentence.
pub(in crate::view) fn many(all: &[&WatchTrace], past: Past<'_>) -> Option<String> {
    let who = || {
        let ids = all.iter().filter_map(|what| watcher_of(what));
        list(&ids.map(|id| past.name_of(id)).collect::<Vec<_>>())
    };
    let n = all.len() as u64;
    Some(match all[0] {
        WatchTrace::StreamOpened { .. } => return None,
        WatchTrace::LeaderMissing { .. } => {
            format!("etcd ends {n} streams, which need a leader.")
        }
        WatchTrace::StreamClosed { .. } => {
            let ended = all.iter().map(|what| match what {
                WatchTrace::StreamClosed { watchers, .. } => u64::from(*watchers),
                _ => 0,
            });
            let ended = number(ended.sum(), "watch", "watches");
            format!("etcd closes {n} streams and {ended} on them.")
        }
        WatchTrace::Created { synced: true, .. } => format!(
            "{} are synced: the next write to their keys notifies them immediately.",
            who()
        ),
        WatchTrace::Created { .. } => format!(
            "{} are unsynced: they need older revisions, which a sync pass reads from the backend.",
            who()
        ),
        WatchTrace::Refused { .. } => format!("etcd refuses {n} watches."),
        WatchTrace::Canceled { .. } => format!("etcd cancels {n} watches."),
        WatchTrace::BecameVictim { .. } => format!(
            "The channels of {} are full: they become victims, and each holds its batch.",
            who()
        ),
        WatchTrace::CaughtUp { events: 0, .. } => {
            format!("No event is missing for {}: they are synced.", who())
        }
        WatchTrace::CaughtUp { more_from: 0, .. } => {
            format!(
                "etcd sends the missing events to {}: they are synced.",
                who()
            )
        }
        WatchTrace::CaughtUp { .. } => format!(
            "etcd sends one full response each to {}: they stay unsynced.",
            who()
        ),
        WatchTrace::Overtaken {
            compact_revision, ..
        } => format!(
            "{} need revisions before {compact_revision}, which are compacted: etcd cancels the watches.",
            who()
        ),
        WatchTrace::PassedOver { to, .. } => format!(
            "{} need compacted revisions, and their channels are full: this version of etcd moves \
             the watchers to revision {} without an error.",
            who(),
            to + 1
        ),
        WatchTrace::VictimSent { synced: true, .. } => format!(
            "The channels have room again: etcd sends the held batches, and {} are synced.",
            who()
        ),
        WatchTrace::VictimSent { .. } => format!(
            "The channels have room again: etcd sends the held batches, and {} are unsynced, \
             because of newer writes.",
            who()
        ),
        WatchTrace::Progress { revision, .. } => format!(
            "etcd sends progress notifications to {n} watches: everything up to revision {revision} \
             was sent."
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
        | WatchTrace::ProgressWithheld { .. }
        | WatchTrace::LeaderMissing { .. } => None,
    }
}

/// Returns a number that is equal for events of the same kind. One sentence describes all events of a kind.
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
        WatchTrace::LeaderMissing { .. } => 18,
    }
}
