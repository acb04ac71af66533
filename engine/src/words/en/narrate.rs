//! The sentences about steps of the store: reads, writes, compactions, alarms and errors.

use std::fmt::Display;

use crate::base::time::SimDuration;

use super::grammar::number;

/// The maximum number of keys that a sentence names.
const KEYS_NAMED: usize = 3;

/// Sentences about requests that fail. `error` is etcd's own error message.
pub const MEMBER_STOPPED: &str = "A real etcd process would crash here: the request passed etcd's check, but the data \
    that the request needs is gone. The simulator rolls back the request and continues.";
pub const NOTHING_CHANGED: &str = "Nothing changed.";

pub fn refused(error: impl Display) -> String {
    format!("Refused: {error}. Nothing changed.")
}

pub fn waiting_request_refused(error: impl Display) -> String {
    format!("A waiting request is refused: {error}.")
}

pub const READ_ABANDONED: &str = "The client has gone, so etcd stops its read between two rows.";

pub fn deadline_exceeded(error: impl Display, is_read_abandoned: bool) -> String {
    let rest = match is_read_abandoned {
        true => "etcd stops the read between two rows.",
        false => "The request is still pending.",
    };
    format!("etcdctl stops waiting: {error}. {rest}")
}

pub fn quota_exceeded(error: impl Display, size: u64, quota: u64) -> String {
    format!(
        "Refused: {error}. The database has {size} bytes, the quota is {quota} bytes. etcd raises the alarm NOSPACE \
         and refuses requests that need space."
    )
}

pub fn no_space(error: impl Display) -> String {
    format!(
        "Refused: {error}. The alarm NOSPACE is still raised: compact, run `defrag`, then `alarm disarm`."
    )
}

/// Sentences about steps in which the store does not change.
pub const NO_EVENTS: &str = "No new events.";

pub fn unchanged(revision: i64) -> String {
    format!("Nothing changed, so the store stays at revision {revision}.")
}

pub fn time_passed(duration: SimDuration) -> String {
    let duration = duration.to_string();
    let verb = match duration.starts_with("1 ") {
        true => "passes",
        false => "pass",
    };
    format!("{duration} {verb}.")
}

/// Sentences about requests for information, such as the status or a hash.
pub const STATUS: &str = "etcd returns its status.";
pub const TIME_TO_LIVE: &str = "etcd returns the remaining time of a lease.";
pub const LEASES: &str = "etcd lists its leases in the order of their expiry times.";
pub const ALARMS: &str = "etcd lists its alarms.";

pub fn hash(revision: i64, hash: u32) -> String {
    format!("The hash of the history up to revision {revision} is {hash}.")
}

/// Sentences about alarms and defragmentation.
pub const NO_SPACE_RAISED: &str = "etcd raises the alarm NOSPACE.";
pub const NO_SPACE_DISARMED: &str = "The alarm NOSPACE is disarmed: etcd accepts writes again.";

pub fn defragmented(before: i64, after: i64, in_use: i64) -> String {
    format!(
        "etcd rewrites the database file: {before} bytes before, {after} bytes after, {in_use} bytes in use."
    )
}

/// Sentences about changes of the membership.
pub fn member_added(id: u64, urls: &str, is_learner: bool) -> String {
    let role = match is_learner {
        true => "a learner, which receives the log but does not count for the quorum",
        false => "a voter, which counts for the quorum from now on",
    };
    format!("etcd applies a change of the membership: member {id:x} ({urls}) is added as {role}.")
}

pub fn member_promoted(id: u64) -> String {
    format!(
        "etcd applies a change of the membership: learner {id:x} becomes a voter, which counts for the quorum."
    )
}

pub fn member_removed(id: u64) -> String {
    format!(
        "etcd applies a change of the membership: member {id:x} is removed and no longer counts for the quorum."
    )
}

pub fn member_updated(id: u64, urls: &str) -> String {
    format!("etcd applies a change of the membership: member {id:x} has the peer URLs {urls}.")
}

/// Sentences about snapshots and backups.
pub fn snapshot_installed(index: u64, revision: i64) -> String {
    format!(
        "A follower installs a snapshot from the leader (up to log index {index}), because the leader no longer has \
         the log entries that the follower needs. The store of the follower continues at revision {revision}."
    )
}

pub fn restored(backup: i64) -> String {
    format!(
        "etcd is restored from a backup of revision {backup}. Later changes are gone, and their revisions will be \
         used again."
    )
}

pub fn restored_with_bump(backup: i64, revision: i64) -> String {
    format!(
        "etcd is restored from a backup of revision {backup} and continues at revision {revision}: no revision is \
         used twice."
    )
}

/// Sentences about compactions.
pub const COMPACTION_WAITS: &str =
    "The response to the compaction waits until the rows are removed.";

pub fn auto_compaction(revision: i64) -> String {
    format!("Automatic compaction: etcd requests a compaction at revision {revision}.")
}

pub fn auto_compaction_not_due(current: i64) -> String {
    format!("Automatic compaction is not due yet. etcd records the current revision, {current}.")
}

pub fn compaction_scheduled(revision: i64) -> String {
    format!(
        "Compaction at revision {revision}: older revisions can no longer be read; etcd removes obsolete rows next."
    )
}

pub fn compaction_batch(scanned: u32, removed: usize) -> String {
    let rows = number(scanned.into(), "row", "rows");
    match (scanned, removed) {
        (0, _) => "Compaction found no more rows to check.".to_owned(),
        (_, 0) => format!("Compaction checked {rows} and kept them all."),
        (_, removed) => format!("Compaction checked {rows} and removed {removed}."),
    }
}

pub fn compaction_finished(revision: i64) -> String {
    format!("The compaction at {revision} is finished.")
}

/// Sentences about the read of a key. `value` is `None` if the request asks only for keys.
pub fn key_read(revision: i64, key: &str, value: Option<&str>, written: i64) -> String {
    match value.map(quoted) {
        Some(value) => {
            format!(
                "At revision {revision}, the value of {key} is {value}, written at revision {written}."
            )
        }
        None => format!("At revision {revision}, {key} exists, written at revision {written}."),
    }
}

pub fn key_missing(revision: i64, key: &str) -> String {
    format!("At revision {revision}, {key} does not exist: the response is empty.")
}

/// Sentences about the read of a range. `returned` is `None` if the request asks only for the count.
pub fn range_read(revision: i64, count: i64, returned: Option<i64>) -> String {
    let found = match count {
        0 => return format!("At revision {revision}, no key is in the requested range."),
        1 => format!("At revision {revision}, one key is in the requested range"),
        n => format!("At revision {revision}, {n} keys are in the requested range"),
    };
    match returned {
        None => format!("{found}; the request asked only for the count."),
        Some(0) => format!("{found}, but no key passes the filters."),
        Some(1) if count > 1 => format!("{found}; one of them is returned."),
        Some(n) if n < count => format!("{found}; {n} of them are returned."),
        Some(_) => format!("{found}."),
    }
}

/// Returns the sentence about the chunks that a step sends, with the number of rows of each chunk.
pub fn range_chunks(revision: i64, rows: &[u64]) -> String {
    const LISTED_MAX: usize = 8;
    let listed = rows.iter().take(LISTED_MAX).map(u64::to_string);
    let mut listed = listed.collect::<Vec<_>>().join(", ");
    if rows.len() > LISTED_MAX {
        listed.push_str(&format!(" and {} more", rows.len() - LISTED_MAX));
    }
    match rows.len() {
        1 => format!("etcd sends a chunk of {listed} rows, at revision {revision}."),
        n => format!("etcd sends {n} chunks, all at revision {revision}, with {listed} rows."),
    }
}

/// Sentences about changes of one key.
pub fn created(revision: i64, key: &str, value: &str) -> String {
    let value = quoted(value);
    format!(
        "Revision {revision}: {key} is created with the value {value}. A generation starts at version 1."
    )
}

pub fn created_again(revision: i64, key: &str, value: &str) -> String {
    let value = quoted(value);
    format!(
        "Revision {revision}: {key} is created again with the value {value}. A new generation starts at version 1."
    )
}

pub fn updated(revision: i64, key: &str, value: &str, version: i64) -> String {
    let value = quoted(value);
    format!("Revision {revision}: {key} becomes {value}, version {version} of the same generation.")
}

pub fn deleted(revision: i64, key: &str, puts: i64) -> String {
    match puts {
        1 => {
            format!("Revision {revision}: a tombstone ends the generation of {key} after one put.")
        }
        n => {
            format!("Revision {revision}: a tombstone ends the generation of {key} after {n} puts.")
        }
    }
}

/// The first and the last revision of the changes, the written keys and the deleted keys.
pub fn changed_together<P, D>(first: i64, last: i64, put: P, deleted: D) -> String
where
    P: ExactSizeIterator<Item = String>,
    D: ExactSizeIterator<Item = String>,
{
    let changes = match (keys(put), keys(deleted)) {
        (Some(put), Some(deleted)) => format!("puts {put} and deletes {deleted}"),
        (Some(put), None) => format!("puts {put}"),
        (None, deleted) => format!("deletes {}", deleted.unwrap_or_default()),
    };
    match first == last {
        true => format!("Revision {last}: one write {changes}."),
        false => format!("Revisions {first} to {last}: etcd {changes}."),
    }
}

/// Joins keys to a list for a sentence; `None` if there are no keys.
fn keys(keys: impl ExactSizeIterator<Item = String>) -> Option<String> {
    let number = keys.len();
    let named: Vec<String> = keys.take(KEYS_NAMED).collect();
    match number.checked_sub(KEYS_NAMED) {
        _ if number == 0 => None,
        None | Some(0) => Some(named.join(", ")),
        Some(more) => Some(format!("{} and {more} more", named.join(", "))),
    }
}

fn quoted(value: &str) -> String {
    match value {
        "" => "an empty value".to_owned(),
        value => format!("“{value}”"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_agrees_with_the_duration() {
        for (us, expected) in [
            (1_000, "1 ms passes."),
            (1_000_000, "1 s passes."),
            (150_000, "150 ms pass."),
            (1_500_000, "1.500 s pass."),
            (11_000_000, "11 s pass."),
        ] {
            assert_eq!(time_passed(SimDuration(us)), expected);
        }
    }
}
