//! The texts about a plan that makes the database of a file smaller: errors, and the comments in the script.

use std::fmt::Display;

pub const PREFIX_IS_NO_TEXT: &str =
    "The prefix contains control characters. Enter a prefix of printable characters.";

/// The comments above the steps of the script.
pub const LOOK: &str = "Show the alarms, and the size of each member's database.";
pub const DELETE: &str =
    "Delete the keys. Only a backup brings them back, so save a snapshot first.";
pub const COMPACT_NEWEST: &str =
    "Compact at the newest revision. Reads and watches at older revisions then fail.";
pub const COMPACT_AT: &str = "Compact. Reads and watches at older revisions then fail.";
pub const DEFRAGMENT: &str = "Defragment one member after the other, the leader last. A member does not respond while \
    it defragments.";
pub const DISARM: &str = "If etcd raised the alarm NOSPACE, end it. This command ends all alarms, so first find out \
    the cause of an alarm CORRUPT.";

/// Returns the comment above a compaction that keeps the last revisions.
pub fn compact_keep(count: i64) -> String {
    format!(
        "Compact {count} revisions before the newest revision. Reads and watches at older revisions then fail."
    )
}

/// Returns the comments at the start of the script.
pub fn script_head(file: &str, version: &str) -> Vec<String> {
    vec![
        format!("The plan for the cluster of {file}, for etcdctl {version}."),
        "Set ETCDCTL_ENDPOINTS, and for TLS ETCDCTL_CACERT, ETCDCTL_CERT and ETCDCTL_KEY."
            .to_owned(),
    ]
}

/// Returns the error message for a prefix without live keys.
pub fn no_keys(prefix: &str) -> String {
    format!(
        "No live key starts with {prefix}. Enter the start of existing keys, or leave the field empty."
    )
}

/// Returns the error message for a store that is already compacted at its newest revision.
pub fn nothing_to_compact(newest: i64) -> String {
    format!(
        "The file is already compacted at its newest revision {newest}. Choose “do not compact”."
    )
}

/// Returns the error message for a plan that keeps all stored revisions. `most` is the largest possible number.
pub fn keeps_all(count: i64, most: i64) -> String {
    format!(
        "The file has nothing older than its last {count} revisions to compact. Keep at most {most} revisions."
    )
}

pub fn future_revision(revision: i64, oldest: i64, newest: i64) -> String {
    format!(
        "Revision {revision} is after the newest revision. Enter a revision from {oldest} to {newest}."
    )
}

pub fn compacted_revision(revision: i64, oldest: i64, newest: i64) -> String {
    format!("Revision {revision} is already compacted. Enter a revision from {oldest} to {newest}.")
}

/// Returns the error message for a file whose store cannot be restored.
pub fn cannot_restore(name: &str, error: impl Display) -> String {
    format!("Cannot restore the store of {name}: {error}.")
}

/// Returns the error message for a file whose prediction would need too much memory.
pub fn needs_memory(limit: &str) -> String {
    format!("The prediction for this file needs more memory than the limit of {limit}.")
}
