//! The texts about etcd's guarantees to watches: each guarantee, its states, its breaches, and the bugs of etcd that
//! explain a breach.

use std::fmt::Display;

/// The names of the guarantees, from etcd's documentation and tests.
pub const ORDERED_NAME: &str = "Ordered";
pub const UNIQUE_NAME: &str = "Unique";
pub const ATOMIC_NAME: &str = "Atomic";
pub const RELIABLE_NAME: &str = "Reliable";
pub const RESUMABLE_NAME: &str = "Resumable";
pub const BOOKMARKABLE_NAME: &str = "Bookmarkable";
pub const PREV_KV_NAME: &str = "PrevKv";
pub const IS_CREATE_NAME: &str = "IsCreate";
pub const FILTER_NAME: &str = "Filter";

/// The guarantees, each in one sentence.
pub const ORDERED: &str = "A watch receives changes in the order of their revisions, and changes of one revision in \
    the order in which they were made.";
pub const UNIQUE: &str = "A watch never receives the same change twice.";
pub const ATOMIC: &str = "A watch receives all its changes of one revision in one response.";
pub const RELIABLE: &str = "When a watch receives a change, the watch has already received every earlier change that \
    it asked for.";
pub const RESUMABLE: &str = "A watch whose connection broke resumes where it stopped, with nothing missing or \
    repeated; if the missing revisions were compacted, the watch receives an error instead.";
pub const BOOKMARKABLE: &str = "When a watch receives a progress notification for a revision, it has received every \
    change up to that revision.";
pub const PREV_KV: &str = "With prev_kv, each event carries the key and value as they were one revision earlier, \
    unless the key \
    did not exist then or the earlier revision was compacted.";
pub const IS_CREATE: &str = "In each generation of a key, only the first put has a create revision equal to its mod \
    revision, and versions count up from 1.";
pub const FILTER: &str = "A watch never receives a change that is outside its range, that is older than its start \
    revision, or that its filters exclude.";

/// Short texts that the page shows beside a guarantee that holds.
pub const ORDERED_HOLDS: &str = "by revision";
pub const UNIQUE_HOLDS: &str = "no repeats";
pub const ATOMIC_HOLDS: &str = "whole revisions";
pub const RELIABLE_HOLDS: &str = "no gap";
pub const RESUMABLE_HOLDS: &str = "resumes where it stopped";
pub const BOOKMARKABLE_HOLDS: &str = "progress is correct";
pub const PREV_KV_HOLDS: &str = "previous values match";
pub const IS_CREATE_HOLDS: &str = "versions from 1";
pub const FILTER_HOLDS: &str = "only requested changes";

/// Short texts that the page shows beside a guarantee that is not exercised yet.
pub const NO_EVENT_YET: &str = "no event yet";
pub const NO_WATCH_BROKE_YET: &str = "no connection broke yet";
pub const NO_PROGRESS_YET: &str = "no progress sent yet";
pub const PREV_KV_NOT_USED_YET: &str = "prev_kv not used yet";

/// Sentences about the bugs of etcd that can explain a broken guarantee. Most contain the number of the issue.
pub const HASTY_PROGRESS: &str = "etcd before 3.4.25 and 3.5.8 has this bug: etcd responds to a progress request \
    immediately, although events may still be in flight (etcd#15220).";
pub const PASSED_OVER: &str = "etcd before 3.4.31 and 3.5.13 has this bug: if the revisions that a watcher needs are \
    compacted while its channel is full, etcd skips these revisions without an error (etcd#17529).";
pub const NEGATIVE_START: &str = "etcd before 3.4.38, 3.5.24 and 3.6.6 has this bug: if one watcher starts at \
    revision -1, the sync pass reads nothing, and etcd marks all watchers of the pass as synced, although they miss \
    events (etcd#20693).";
pub const TAKEN_BACK: &str = "This happens in every version of etcd: after a restore without --bump-revision and \
    --mark-compacted, the revision of etcd is lower than before, and clients that have already seen higher revisions \
    receive no error (kubernetes issue 107457).";
pub const IDLE_AT_SNAPSHOT: &str = "Every version of etcd does this: when a member installs a snapshot from the \
    leader, each of its watchers continues at the revision after the last event that etcd sent to the watcher. If \
    this revision is compacted, etcd cancels the watch.";
pub const LOWERED_START: &str = "etcd before 3.6.2 has this bug: after a snapshot from the leader replaced the store, \
    a watch with a future start revision also receives events of lower revisions (etcd#20281).";
pub const COMPACTED_DELETE: &str = "etcd before 3.4.34 and 3.5.16 has this bug: a compaction at the revision of a \
    delete removes the delete, although a watch can still start at this revision (etcd#18089).";
pub const PROGRESS_REPEATED: &str = "The client library of etcd before 3.4.24 and 3.5.8 has this bug: when a watch \
    reconnects after a progress notification, the library resumes the watch at the revision of the notification, not \
    after it. The watch can then receive events again, or events older than its start revision (etcd#15274).";

/// Returns the short text that the page shows beside a guarantee that may be broken when a disconnected watch
/// reconnects.
pub fn must_relist(watch: &str) -> String {
    format!("{watch} must relist")
}

/// Returns the sentence that states a guarantee, and the reason why the guarantee may be broken when a disconnected
/// watch reconnects.
pub fn near(promise: &str, watch: &str, next: i64, compacted: i64) -> String {
    format!(
        "{promise} {watch} has no connection and needs revision {next} next, but all revisions before {compacted} \
         are compacted: when {watch} reconnects, etcd cancels the watch, and the client must list again."
    )
}

/// Returns the short text that the page shows beside a broken guarantee.
pub fn broken_at(watch: &str, revision: i64) -> String {
    format!("{watch}, revision {revision}")
}

/// Returns the sentence that states a guarantee, its first breach, and the bug of etcd that explains the breach, if
/// any.
pub fn broken(promise: &str, step: u64, watch: &str, breach: &str, bug: Option<&str>) -> String {
    let broken = format!("{promise} Broken in step {step} for {watch}: {breach}.");
    match bug {
        Some(bug) => format!("{broken} {bug}"),
        None => broken,
    }
}

/// Returns the phrase for a put, without its revision.
pub fn put(key: impl Display) -> String {
    format!("put {key}")
}

/// Returns the phrase for a delete, without its revision.
pub fn delete(key: impl Display) -> String {
    format!("delete of {key}")
}

/// Returns the phrase for a change with its revision. `change` is the phrase from [`put`] or [`delete`].
pub fn at_revision(revision: i64, change: &str) -> String {
    format!("revision {revision} ({change})")
}

/// Returns the phrase for a key-value pair, without its value.
pub fn pair(version: i64, key: impl Display, revision: i64) -> String {
    format!("version {version} of {key} from revision {revision}")
}

// The breaches.

/// Describes a change that arrived after a later change. Here and below, a change is a phrase from [`at_revision`].
pub fn out_of_order(change: &str, later: &str) -> String {
    format!("the watch received {change} after {later}")
}

pub fn received_twice(change: &str) -> String {
    format!("the watch received {change} twice")
}

/// Describes a response with only some of the changes of a revision. `missing` names a missing change with a phrase
/// from [`put`] or [`delete`].
pub fn not_whole(received: usize, all: usize, revision: i64, missing: &str) -> String {
    format!(
        "the watch asked for {all} changes of revision {revision}, but a response contained only {received} of them, \
        without the {missing}"
    )
}

pub fn gap(later: &str, missing: &str) -> String {
    format!("the watch received {later} without {missing}")
}

pub fn gap_after_resume(later: &str, missing: &str) -> String {
    format!("after it resumed, the watch received {later} without {missing}")
}

pub fn repeated_after_resume(change: &str) -> String {
    format!("after it resumed, the watch received {change} again")
}

pub fn never_received(missing: &str) -> String {
    format!(
        "no message to the watch is in flight any more, but the watch has not received {missing}"
    )
}

/// Describes an event that differs from the change that it reports. `verb` is `put` or `delete`.
pub fn altered(verb: &str, key: impl Display, revision: i64) -> String {
    format!(
        "the watch received a {verb} of {key} at revision {revision}, with a wrong value or lease"
    )
}

/// Describes an event that reports a change that never happened. `verb` is `put` or `delete`.
pub fn invented(verb: &str, key: impl Display, revision: i64) -> String {
    format!("the watch received a {verb} of {key} at revision {revision}, which never happened")
}

pub fn resumed_too_late(from: i64, next: i64) -> String {
    format!(
        "the watch resumed from revision {from}, although the watch still needed revision {next}"
    )
}

pub fn wrong_compact_revision(revision: i64) -> String {
    format!("etcd sent the watch a wrong compact revision: {revision}")
}

pub fn canceled_too_early(compacted: i64, next: i64) -> String {
    format!(
        "etcd canceled the watch because of a compaction at {compacted}, although the watch needed only revision \
         {next} and later"
    )
}

pub fn progress_too_early(revision: i64, missing: &str) -> String {
    format!(
        "the watch received a progress notification for revision {revision}, but has not received {missing}"
    )
}

pub fn taken_back(next: i64, backup: i64) -> String {
    format!(
        "the watch needs revision {next} next, but etcd was restored from a backup of revision {backup}"
    )
}

/// Describes an event that must have a `prev_kv` but has none. Here and below, [`pair`] creates the phrases for
/// key-value pairs.
pub fn prev_kv_missing(change: &str, before: &str) -> String {
    format!("{change} has a wrong prev_kv: none instead of {before}")
}

pub fn prev_kv_unexpected(change: &str, received: &str) -> String {
    format!("{change} has a wrong prev_kv: {received} instead of none")
}

pub fn prev_kv_differs(change: &str, received: &str, before: &str) -> String {
    format!("{change} has a wrong prev_kv: {received} instead of {before}")
}

/// Describes a wrong create revision or version. Each pair contains the create revision and the version.
pub fn wrong_counters(change: &str, received: (i64, i64), expected: (i64, i64)) -> String {
    format!(
        "{change} has create revision {} and version {} instead of {} and {}",
        received.0, received.1, expected.0, expected.1
    )
}

pub fn delete_with_value(change: &str) -> String {
    format!("the event for {change} contains more than a key and a revision")
}

pub fn outside_range(change: &str) -> String {
    format!("the watch received {change}, which is outside the range of the watch")
}

pub fn filtered_out(change: &str) -> String {
    format!("the watch received {change}, which the filters of the watch exclude")
}

pub fn before_start(change: &str) -> String {
    format!("the watch received {change}, which is older than the start revision of the watch")
}
