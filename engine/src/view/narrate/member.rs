//! Writes sentences about the work that the member does for watchers.

use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::observe::Past;
use crate::trace::WatchTrace;
use crate::words::narrate_member as words;

/// Describes one event. Returns `None` if the event needs no sentence.
pub(in crate::view) fn one(what: &WatchTrace, past: Past<'_>) -> Option<String> {
    let who = |watcher: &u64| past.name_of(*watcher);
    Some(match what {
        WatchTrace::StreamOpened { .. } => return None,
        WatchTrace::LeaderMissing { .. } => words::LEADER_MISSING.into(),
        WatchTrace::StreamClosed { watchers, .. } => words::stream_closed(*watchers),
        WatchTrace::Created {
            watcher,
            start_rev,
            next_rev,
            synced: true,
            ..
        } if *start_rev > 0 => words::synced_from(&who(watcher), *next_rev),
        WatchTrace::Created {
            watcher,
            synced: true,
            ..
        } => words::synced(&who(watcher)),
        WatchTrace::Created {
            watcher, next_rev, ..
        } => words::unsynced(&who(watcher), *next_rev),
        WatchTrace::Refused { reason, .. } => words::refused(reason),
        WatchTrace::Canceled { stream, watch_id } => {
            match past.watch_log.name_at(*stream, *watch_id) {
                Some(name) => words::canceled(name),
                None => words::canceled_without_name(*watch_id),
            }
        }
        WatchTrace::Notified { watchers, .. } => words::notified(*watchers),
        WatchTrace::BecameVictim { watcher, from, .. } => words::victim(&who(watcher), *from),
        WatchTrace::Swept {
            picked, from, to, ..
        } if from > to => words::sync_pass_without_reads(*picked),
        WatchTrace::Swept {
            picked,
            from,
            to,
            rows,
            took_us,
            ..
        } => words::sync_pass(*picked, *from, *to, *rows, SimDuration(*took_us)),
        WatchTrace::CaughtUp {
            watcher, events: 0, ..
        } => words::nothing_missing(&who(watcher)),
        WatchTrace::CaughtUp {
            watcher,
            from,
            to,
            more_from: 0,
            ..
        } => words::events_sent(&who(watcher), *from, *to),
        WatchTrace::CaughtUp {
            watcher,
            from,
            to,
            more_from,
            ..
        } => words::full_batch_sent(&who(watcher), *from, *to, *more_from),
        WatchTrace::Overtaken {
            watcher,
            wanted,
            compact_revision,
        } => words::compacted(&who(watcher), *wanted, *compact_revision),
        WatchTrace::PassedOver {
            watcher,
            wanted,
            to,
        } => words::passed_over(&who(watcher), *wanted, to + 1),
        WatchTrace::VictimSent {
            watcher,
            synced,
            tries,
        } => words::batch_sent(&who(watcher), *synced, *tries),
        WatchTrace::Progress { revision, .. } => words::progress(*revision),
        WatchTrace::ProgressWithheld { .. } => words::PROGRESS_WITHHELD.into(),
        WatchTrace::PrevKvRead { .. } => return previous_values(&[what]),
    })
}

/// Describes several events (at least two) of the same kind in one sentence.
pub(in crate::view) fn many(all: &[&WatchTrace], past: Past<'_>) -> Option<String> {
    let who = || -> Vec<String> {
        let ids = all.iter().filter_map(|what| watcher_of(what));
        ids.map(|id| past.name_of(id)).collect()
    };
    let n = all.len();
    Some(match all[0] {
        WatchTrace::StreamOpened { .. } => return None,
        WatchTrace::LeaderMissing { .. } => words::leader_missing(n),
        WatchTrace::StreamClosed { .. } => {
            let ended = all.iter().map(|what| match what {
                WatchTrace::StreamClosed { watchers, .. } => u64::from(*watchers),
                _ => 0,
            });
            words::streams_closed(n, ended.sum())
        }
        WatchTrace::Created { synced: true, .. } => words::all_synced(&who()),
        WatchTrace::Created { .. } => words::all_unsynced(&who()),
        WatchTrace::Refused { .. } => words::all_refused(n),
        WatchTrace::Canceled { .. } => words::all_canceled(n),
        WatchTrace::BecameVictim { .. } => words::all_victims(&who()),
        WatchTrace::CaughtUp { events: 0, .. } => words::nothing_missing_for_all(&who()),
        WatchTrace::CaughtUp { more_from: 0, .. } => words::events_sent_to_all(&who()),
        WatchTrace::CaughtUp { .. } => words::full_batches_sent(&who()),
        WatchTrace::Overtaken {
            compact_revision, ..
        } => words::all_compacted(&who(), *compact_revision),
        WatchTrace::PassedOver { to, .. } => words::all_passed_over(&who(), to + 1),
        WatchTrace::VictimSent { synced: true, .. } => words::batches_sent_to_synced(&who()),
        WatchTrace::VictimSent { .. } => words::batches_sent_to_unsynced(&who()),
        WatchTrace::Progress { revision, .. } => words::progress_to_all(n, *revision),
        WatchTrace::Notified { .. }
        | WatchTrace::Swept { .. }
        | WatchTrace::ProgressWithheld { .. } => return one(all[0], past),
        WatchTrace::PrevKvRead { .. } => return previous_values(all),
    })
}

/// Describes the reads of previous values. Steps of API servers need no sentence about these reads, because every event
/// of a cache has one.
fn previous_values(all: &[&WatchTrace]) -> Option<String> {
    let (mut reads, mut found) = (0, 0);
    for what in all {
        if let WatchTrace::PrevKvRead {
            stream,
            reads: more,
            found: of_these,
        } = what
            && !matches!(stream.client, NodeId::ApiServer(_))
        {
            reads += more;
            found += of_these;
        }
    }
    (reads > 0).then(|| words::previous_values(reads, found))
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
        | WatchTrace::PrevKvRead { .. }
        | WatchTrace::Progress { .. }
        | WatchTrace::ProgressWithheld { .. }
        | WatchTrace::LeaderMissing { .. } => None,
    }
}

/// Returns a number for the kind of an event. Events with equal numbers are described in one sentence.
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
        WatchTrace::PrevKvRead { .. } => 19,
    }
}
