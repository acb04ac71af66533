//! The texts about etcd's guarantees to watches: the bugs of etcd that explain a breach.

/// The bugs that explain a breach, each with its issue number.
pub const HASTY_PROGRESS: &str = "etcd before 3.4.25 and 3.5.8 has this bug: etcd responds to a progress request \
    immediately, although events may still be in flight (etcd#15220).";
pub const PASSED_OVER: &str = "etcd before 3.4.31 and 3.5.13 has this bug: etcd moves a watcher forward without \
    an error if its revisions are compacted while its channel is full (etcd#17529).";
pub const NEGATIVE_START: &str = "etcd before 3.4.38, 3.5.24 and 3.6.6 has this bug: if one watcher starts at \
    revision -1, the sync pass reads nothing, and all watchers of the pass count as synced (etcd#20693).";
pub const TAKEN_BACK: &str = "Every etcd that is restored without --bump-revision and --mark-compacted does this: \
    its revisions go back, and clients that are ahead are not notified (kubernetes issue 107457).";
pub const IDLE_AT_SNAPSHOT: &str = "Every etcd does this: a snapshot of the leader makes all watchers read again \
    from the revision after their last event, so a watch without events since a compaction is canceled as \
    compacted.";
pub const LOWERED_START: &str = "etcd before 3.6.2 has this bug: after a snapshot of the leader replaced the \
    store, a watch that starts in the future also receives earlier events (etcd#20281).";
pub const COMPACTED_DELETE: &str = "etcd before 3.4.34 and 3.5.16 has this bug: a compaction removes a delete at \
    its own revision, although a watch may still start there (etcd#18089).";
pub const PROGRESS_REPEATED: &str = "The client library of etcd before 3.4.24 and 3.5.8 has this bug: after a \
    progress notification, it resumes the watch at the revision of the notification, so events that the watch has \
    received, or that are before its start, arrive (etcd#15274).";
