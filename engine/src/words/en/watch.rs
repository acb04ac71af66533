//! The texts of the Watch view: watches without a watcher, the forecast for each watcher, and its history.

use crate::base::time::SimDuration;

/// The names of the states of a watch without a watcher.
pub const DISCONNECTED: &str = "disconnected";
pub const REQUESTED: &str = "requested";
pub const RECONNECTING: &str = "reconnecting";
pub const CANCELED: &str = "canceled";
pub const STOPPED: &str = "stopped";
pub const ENDED: &str = "ended";

/// The reasons why the member has no watcher for a watch.
pub const CANCELED_BY_ETCD: &str =
    "etcd canceled the watch; the client has not received the response";
pub const CLIENT_STARTS_AGAIN: &str =
    "the client is stopped; after a restart, the client lists before it watches";
pub const NOTHING_LEFT: &str = "the client is stopped and has lost the watch";
pub const CANCELED_BY_CLIENT: &str = "canceled by its client";

/// The forecasts of a watcher that contain no numbers. A forecast says when the watcher will receive its next events.
pub const ETCD_PAUSED: &str =
    "etcd is paused, so nothing happens to the watcher until etcd resumes.";
pub const CHANNEL_FULL: &str =
    "The channel of the watcher's stream is full: the next event makes the watcher a victim.";
pub const UP_TO_DATE: &str = "The watcher has received all events. The next write to its keys notifies it \
    immediately.";
pub const COMPACTED: &str = "etcd canceled the watcher, because its next revision is compacted. The client receives \
    the error, and the watch ends.";

/// Returns the reason why a watch has no watcher: its client cannot connect, because etcd is stopped. Here and below,
/// `from` is the first revision that the client will watch, or 0 for new events only.
pub fn etcd_stopped(from: i64) -> String {
    format!("etcd is stopped; the client will watch {}", start(from))
}

/// Returns the reason why a watch has no watcher: its client is disconnected.
pub fn disconnected(from: i64) -> String {
    format!(
        "no connection to etcd; the client will watch {}",
        start(from)
    )
}

/// Returns the reason why a watch has no watcher: etcd has not confirmed the watch yet.
pub fn requested(from: i64) -> String {
    format!(
        "the client asked etcd to watch {}; no response yet",
        start(from)
    )
}

fn start(from: i64) -> String {
    match from {
        0 => "for new events".to_owned(),
        revision => format!("from revision {revision} on"),
    }
}

/// Adds a second reason to the reason why a watch has no watcher: etcd is paused.
pub fn and_etcd_paused(reason: &str) -> String {
    format!("{reason}; etcd is paused")
}

/// Adds a second reason to the reason why a watch has no watcher: the client is paused.
pub fn and_client_paused(reason: &str) -> String {
    format!("{reason}; the client is paused")
}

/// Adds a second reason to the reason why a watch has no watcher: the link holds messages.
pub fn and_link_held(reason: &str) -> String {
    format!("{reason}; the link is held")
}

/// Returns the reason why a watch has no watcher: etcd canceled the watch because of a compaction.
pub fn compacted_at(compacted: i64, needed: i64) -> String {
    format!("etcd was compacted at revision {compacted}, but the watch needed revision {needed}")
}

/// Returns the label of the last row, which stands for all key ranges without a row of their own.
pub fn other_ranges(ranges: usize) -> String {
    format!("{ranges} other ranges")
}

/// Returns the forecast of a watcher whose start revision is in the future.
pub fn waits_for(revision: i64) -> String {
    format!("The watcher waits for revision {revision}: it ignores writes with lower revisions.")
}

// The forecasts of an unsynced watcher. The first argument is the time until the next sync pass, if known.

/// Returns the forecast of a watcher that the next sync pass does not select.
pub fn pass_picks_others(left: Option<SimDuration>, others: usize) -> String {
    format!(
        "{} picks {others} other watchers; a later sync pass picks this watcher.",
        sync_pass(left)
    )
}

/// Returns the forecast of a watcher whose next revision is compacted and whose channel is full.
pub fn canceled_later(needed: i64, compacted: i64) -> String {
    format!(
        "The watcher needs revision {needed}, but all revisions before {compacted} are compacted. etcd cancels the \
         watcher as soon as the channel of its stream has room."
    )
}

/// Returns the forecast of a watcher whose next revision is compacted.
pub fn pass_cancels(left: Option<SimDuration>, needed: i64, compacted: i64) -> String {
    format!(
        "{} cancels the watcher: the watcher needs revision {needed}, but all revisions before {compacted} are \
         compacted.",
        sync_pass(left)
    )
}

/// Returns the forecast of a watcher that is not missing any event.
pub fn pass_finds_nothing(left: Option<SimDuration>) -> String {
    format!(
        "{} finds no events for the watcher, which becomes synced.",
        sync_pass(left)
    )
}

/// Returns the forecast of a watcher whose channel is full.
pub fn pass_finds_full_channel(left: Option<SimDuration>, from: i64) -> String {
    format!(
        "{} finds the channel of the watcher's stream full: the watcher becomes a victim and holds the batch of \
         revision {from}.",
        sync_pass(left)
    )
}

/// Returns the forecast of a watcher to which the next sync pass will send a batch. `more_passes` is the number of
/// further sync passes until the watcher is synced.
pub fn pass_sends(
    left: Option<SimDuration>,
    events: u64,
    from: i64,
    to: i64,
    more_passes: u64,
) -> String {
    let events = match events {
        1 => "1 event".to_owned(),
        events => format!("{events} events"),
    };
    let revisions = match from == to {
        true => format!("revision {from}"),
        false => format!("revisions {from} to {to}"),
    };
    let sends = format!("{} sends {events} ({revisions})", sync_pass(left));
    match more_passes {
        0 => format!("{sends}, and the watcher becomes synced."),
        1 => format!(
            "{sends}, the maximum for one response. One more sync pass brings the watcher to the current revision."
        ),
        more => format!(
            "{sends}, the maximum for one response. {more} more sync passes bring the watcher to the current \
             revision."
        ),
    }
}

fn sync_pass(left: Option<SimDuration>) -> String {
    match left {
        Some(left) => format!("The sync pass in {left}"),
        None => "The next sync pass".to_owned(),
    }
}

/// Returns the forecast of a victim. `client` is the state of the victim's client; empty if the client works normally.
/// `newer` is the oldest missing revision that is not in the batch of the victim.
pub fn victim(retry: SimDuration, client: &str, newer: Option<i64>) -> String {
    let client = match client {
        "" => String::new(),
        state => format!(" (client: {state})"),
    };
    let then = match newer {
        Some(revision) => {
            format!("then the watcher is unsynced, because revision {revision} is still missing")
        }
        None => {
            "then the watcher is synced, because no revision after the batch is missing".to_owned()
        }
    };
    format!(
        "etcd holds the batch and tries to send it again every {retry} until the channel has room{client}; {then}."
    )
}

/// Describes a write that the watcher received immediately.
pub fn sent(revision: i64) -> String {
    format!("etcd sends revision {revision}.")
}

/// Describes consecutive writes that the watcher received immediately.
pub fn sent_many(writes: u64, from: i64, to: i64) -> String {
    format!("etcd sends the events of {writes} writes, revisions {from} to {to}.")
}
