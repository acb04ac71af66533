//! The sentences about the work that the member does for watchers.

use crate::base::time::SimDuration;

use super::grammar::{list, number, revisions};

pub const LEADER_MISSING: &str = "The stream requires a leader, and the member has known no leader for three \
    election timeouts, so the member ends the stream.";

pub fn leader_missing(streams: usize) -> String {
    format!("etcd ends {streams} streams that require a leader.")
}

pub fn stream_closed(watches: u32) -> String {
    let watches = number(watches.into(), "watch", "watches");
    format!("etcd closes the stream and {watches} on it.")
}

pub fn streams_closed(streams: usize, watches: u64) -> String {
    let watches = number(watches, "watch", "watches");
    format!("etcd closes {streams} streams and {watches} on these streams.")
}

/// Sentences about watchers that start.
pub fn synced_from(watcher: &str, next: i64) -> String {
    format!("{watcher} is synced: no event is missing, and the watcher waits for revision {next}.")
}

pub fn synced(watcher: &str) -> String {
    format!("{watcher} is synced: the next write to its keys notifies it immediately.")
}

pub fn all_synced(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!("{watchers} are synced: the next write to their keys notifies them immediately.")
}

pub fn unsynced(watcher: &str, next: i64) -> String {
    format!(
        "{watcher} is unsynced: it needs revision {next}, which a sync pass reads from the backend."
    )
}

pub fn all_unsynced(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!(
        "{watchers} are unsynced: they need older revisions, which a sync pass reads from the backend."
    )
}

/// Sentences about watches that etcd refuses or cancels.
pub fn refused(reason: &str) -> String {
    format!("etcd refuses the watch: {reason}.")
}

pub fn all_refused(watches: usize) -> String {
    format!("etcd refuses {watches} watches.")
}

pub fn canceled(watch: &str) -> String {
    format!("etcd cancels {watch}.")
}

pub fn canceled_without_name(watch_id: i64) -> String {
    format!("etcd cancels watch {watch_id} of the stream.")
}

pub fn all_canceled(watches: usize) -> String {
    format!("etcd cancels {watches} watches.")
}

/// Returns the sentence about the number of watchers that a write notifies.
pub fn notified(watchers: u32) -> String {
    let watchers = number(watchers.into(), "watcher", "watchers");
    format!("etcd notifies {watchers}.")
}

/// Sentences about watchers that become victims because their channel is full.
pub fn victim(watcher: &str, from: i64) -> String {
    format!(
        "The channel of {watcher} is full: the watcher becomes a victim and holds the batch of revision {from}."
    )
}

pub fn all_victims(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!(
        "The channels of {watchers} are full: the watchers become victims, and each holds its batch."
    )
}

/// Sentences about retries that send the held batch of a victim. `tries` is the number of failed attempts before this
/// retry.
pub fn batch_sent(watcher: &str, is_synced: bool, tries: u64) -> String {
    let after = match tries {
        0 | 1 => String::new(),
        n => format!(" after {n} tries"),
    };
    let state = match is_synced {
        true => "synced",
        false => "unsynced, because of newer writes",
    };
    format!(
        "The channel has room again{after}: etcd sends the held batch, and {watcher} is {state}."
    )
}

pub fn batches_sent_to_synced(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!("The channels have room again: etcd sends the held batches, and {watchers} are synced.")
}

pub fn batches_sent_to_unsynced(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!(
        "The channels have room again: etcd sends the held batches, and {watchers} are unsynced, because of newer \
         writes."
    )
}

/// Sentences about a sync pass.
pub fn sync_pass(watchers: u64, from: i64, to: i64, rows: u64, took: SimDuration) -> String {
    let watchers = number(watchers, "watcher", "watchers");
    let (revisions, rows) = (revisions(from, to), number(rows, "row", "rows"));
    let pass = format!("A sync pass picks {watchers} and reads {revisions} once ({rows}).");
    match took > SimDuration::from_millis(1) {
        true => format!(
            "{pass} The pass takes {took} and holds the lock of the store: writes wait for its end."
        ),
        false => pass,
    }
}

pub fn sync_pass_without_reads(watchers: u64) -> String {
    let watchers = number(watchers, "watcher", "watchers");
    format!("A sync pass picks {watchers} and has nothing to read.")
}

/// Sentences about the events that a sync pass sends to watchers.
pub fn nothing_missing(watcher: &str) -> String {
    format!("No event is missing for {watcher}: the watcher is synced.")
}

pub fn nothing_missing_for_all(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!("No event is missing for {watchers}: the watchers are synced.")
}

pub fn events_sent(watcher: &str, from: i64, to: i64) -> String {
    let revisions = revisions(from, to);
    format!("etcd sends {revisions} to {watcher}: {watcher} is synced.")
}

pub fn full_batch_sent(watcher: &str, from: i64, to: i64, next: i64) -> String {
    let revisions = revisions(from, to);
    format!(
        "etcd sends {revisions} to {watcher}, the maximum for one response: {watcher} stays unsynced and needs \
        revision {next} next."
    )
}

pub fn events_sent_to_all(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!("etcd sends the missing events to {watchers}: the watchers are synced.")
}

pub fn full_batches_sent(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!(
        "etcd sends one response of the maximum size to each of {watchers}. More changes remain, so the watchers \
        stay unsynced."
    )
}

/// Sentences about watchers that need compacted revisions.
pub fn compacted(watcher: &str, needed: i64, compact_revision: i64) -> String {
    format!(
        "{watcher} needs revision {needed}, but all revisions before {compact_revision} are compacted: etcd cancels \
        the \
         watch."
    )
}

pub fn all_compacted(watchers: &[String], compact_revision: i64) -> String {
    let watchers = list(watchers);
    format!(
        "{watchers} need revisions before {compact_revision}, which are compacted: etcd cancels the watches."
    )
}

pub fn passed_over(watcher: &str, needed: i64, next: i64) -> String {
    format!(
        "{watcher} needs revision {needed}, which is compacted, and its channel is full: this version of etcd moves \
         the watcher to revision {next} without an error."
    )
}

pub fn all_passed_over(watchers: &[String], next: i64) -> String {
    let watchers = list(watchers);
    format!(
        "{watchers} need compacted revisions, and their channels are full: this version of etcd moves the watchers to \
         revision {next} without an error."
    )
}

/// Returns the sentence about the reads for `prev_kv`.
pub fn previous_values(reads: u64, found: u64) -> String {
    let read = match reads {
        1 => "For `prev_kv`, etcd reads the value before the event".to_owned(),
        n => {
            format!("For `prev_kv`, etcd reads the value before each of {n} events, with {n} reads")
        }
    };
    match reads - found {
        0 => format!("{read}."),
        missing => format!(
            "{read}; {} no value.",
            number(missing, "read finds", "reads find")
        ),
    }
}

/// Sentences about progress notifications.
pub const PROGRESS_WITHHELD: &str =
    "etcd does not respond to the progress request: not every watch of the stream is synced.";

pub fn progress(revision: i64) -> String {
    format!("etcd sends a progress notification: all events up to revision {revision} were sent.")
}

pub fn progress_to_all(watches: usize, revision: i64) -> String {
    format!(
        "etcd sends progress notifications to {watches} watches: all events up to revision {revision} were sent."
    )
}
