//! Why a read is served by whom: one word for each row of the truth table, and a sentence for it.

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The options exclude each other, or cannot be read.
    Refused,
    /// The gate is off.
    ConsistentListGateOff,
    /// With a limit the alpha went to etcd.
    ConsistentListLimited,
    /// etcd cannot be asked for progress.
    ProgressUnsupported,
    /// The cache can find out that it is fresh.
    ConsistentList,
    /// The cache can find out, and etcd need not tell its revision first.
    ConsistentListByEcho,
    /// Any will do.
    AnyList,
    /// The cache waits until it is new enough.
    NotOlderThanList,
    /// Before 1.31 the cache had no pages.
    NotOlderThanPaged,
    /// A snapshot has it.
    SnapshotFound,
    /// No snapshot is old enough.
    SnapshotMissing,
    /// The cache has no snapshots.
    SnapshotsOff,
    /// The last comparison with etcd found a difference.
    SnapshotsInconsistent,
    /// Snapshots serve collections only.
    SnapshotsOfOneKey,
    /// The resource version lies in the future of the cache, which will wait for it.
    SnapshotOfFuture,
    /// It lies in the future, and the cache could not find out when it has come.
    SnapshotOfFutureUnsupported,
    /// A continue token without a revision means the newest.
    ContinueLatest,
    /// The cache is not ready, and a page without selectors is cheap for etcd.
    NotReadyPage,
    /// The cache is not ready, and etcd is to be spared.
    NotReadyRefused,
    /// The cache is not ready, and before 1.31 etcd was asked.
    NotReadyAnyBefore131,
    /// The cache is not ready, and before 1.31 the request waited.
    NotReadyWaitsBefore131,
    /// A GET without a resource version always goes to etcd.
    GetMostRecent,
    /// A GET of any.
    GetAny,
    /// A GET that the cache waits for.
    GetNotOlderThan,
    /// The cache is not ready, and one object is cheap for etcd.
    GetNotReady,
    /// A watch from nowhere, as ever: what the cache has, without a promise.
    WatchLegacy,
    /// A watch from nowhere in 1.27 to 1.29.
    WatchFromStorage,
    /// A watch that begins with everything, as new as etcd is.
    WatchInitialEvents,
    /// A watch that begins with everything the cache has.
    WatchInitialEventsAny,
    /// A watch that begins with everything, once the cache is new enough.
    WatchInitialEventsAt,
    /// A watch from etcd's current revision on.
    WatchFromCurrent,
    /// A watch from where the cache is.
    WatchFromNow,
    /// A watch from the history.
    WatchFromHistory,
    /// A write.
    Write,
    /// The resource has no cache.
    NoCache,
}

impl Reason {
    /// All rows of the table, in the order of their declaration: writes and resources without a cache
    /// are not in it.
    pub const ALL: [Self; 32] = [
        Self::Refused,
        Self::ConsistentListGateOff,
        Self::ConsistentListLimited,
        Self::ProgressUnsupported,
        Self::ConsistentList,
        Self::AnyList,
        Self::NotOlderThanList,
        Self::NotOlderThanPaged,
        Self::SnapshotFound,
        Self::SnapshotMissing,
        Self::SnapshotsOff,
        Self::SnapshotsInconsistent,
        Self::SnapshotsOfOneKey,
        Self::SnapshotOfFuture,
        Self::SnapshotOfFutureUnsupported,
        Self::ContinueLatest,
        Self::NotReadyPage,
        Self::NotReadyRefused,
        Self::NotReadyAnyBefore131,
        Self::NotReadyWaitsBefore131,
        Self::GetMostRecent,
        Self::GetAny,
        Self::GetNotOlderThan,
        Self::GetNotReady,
        Self::WatchLegacy,
        Self::WatchFromStorage,
        Self::WatchInitialEvents,
        Self::WatchInitialEventsAny,
        Self::WatchInitialEventsAt,
        Self::WatchFromCurrent,
        Self::WatchFromNow,
        Self::WatchFromHistory,
    ];

    /// A sentence for a person.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Refused => {
                "The options exclude each other or cannot be read, so nobody is asked."
            }
            Self::ConsistentListGateOff => {
                "Without a resource version the newest is meant, and only etcd knows it: \
                 ConsistentListFromCache is off."
            }
            Self::ConsistentListLimited => {
                "From 1.28 to 1.30 a consistent list with a limit still went to etcd."
            }
            Self::ProgressUnsupported => {
                "etcd cannot be asked how far the watch has come, so the cache could not find out \
                 that it is fresh."
            }
            Self::ConsistentList => {
                "etcd tells its current revision, and the cache answers once it has come so far."
            }
            Self::ConsistentListByEcho => {
                "etcd sends back the id of a progress request that was sent after the list came; then the \
                 cache has everything from before."
            }
            Self::AnyList => {
                "Resource version 0 takes whatever the cache has, at once; it ignores a limit."
            }
            Self::NotOlderThanList => {
                "The cache answers once it has come to that resource version."
            }
            Self::NotOlderThanPaged => {
                "Before 1.31 the cache had no pages, so a limit led to etcd."
            }
            Self::SnapshotFound => {
                "The newest snapshot at or below that resource version is the state there, as the \
                 cache has seen every change."
            }
            Self::SnapshotMissing => {
                "That resource version is older than every snapshot; etcd may still have it."
            }
            Self::SnapshotsOff => {
                "Exactly that resource version can only be read from etcd: the cache keeps no \
                 snapshots."
            }
            Self::SnapshotsInconsistent => {
                "The last comparison with etcd found a difference, so there are no snapshots."
            }
            Self::SnapshotsOfOneKey => "Snapshots serve collections; one key is read from etcd.",
            Self::SnapshotOfFuture => {
                "The cache has not come to that resource version yet; it waits, and then has the \
                 snapshot."
            }
            Self::SnapshotOfFutureUnsupported => {
                "The cache has not come to that resource version, and etcd cannot be asked for \
                 progress, so it might wait in vain."
            }
            Self::ContinueLatest => {
                "The token stands for the newest, from its key on: a consistent list."
            }
            Self::NotReadyPage => {
                "The cache is not ready; one page without selectors is cheap enough for etcd."
            }
            Self::NotReadyRefused => {
                "The cache is not ready; all lists at once would be too much for etcd, so the \
                 client is asked to come back."
            }
            Self::NotReadyAnyBefore131 => {
                "The cache is not ready; before 1.31 a read that takes anything went to etcd then."
            }
            Self::NotReadyWaitsBefore131 => {
                "The cache is not ready; before 1.31 a request waited for it."
            }
            Self::GetMostRecent => "A GET without a resource version always goes to etcd.",
            Self::GetAny => "Resource version 0 takes whatever the cache has, at once.",
            Self::GetNotOlderThan => "The cache answers once it has come to that resource version.",
            Self::GetNotReady => "The cache is not ready; one object is cheap enough for etcd.",
            Self::WatchLegacy => {
                "The cache sends what it has, however old, and then what happens: no promise."
            }
            Self::WatchFromStorage => {
                "From 1.27 to 1.29 a watch without a resource version went to etcd."
            }
            Self::WatchInitialEvents => {
                "etcd tells its current revision; once the cache has come so far, it sends \
                 everything, a bookmark, and then what happens."
            }
            Self::WatchInitialEventsAny => {
                "The cache sends everything it has, a bookmark, and then what happens."
            }
            Self::WatchInitialEventsAt => {
                "Once the cache has come to that resource version, it sends everything, a bookmark, \
                 and then what happens."
            }
            Self::WatchFromCurrent => {
                "etcd tells its current revision, and the cache sends what happens after it."
            }
            Self::WatchFromNow => "The cache sends what happens from where it is.",
            Self::WatchFromHistory => {
                "The history has what happened since, or the watch is told that it is too late; \
                 it does not wait for a resource version of the future."
            }
            Self::Write => {
                "Writes go to etcd, which refuses those that are based on something old."
            }
            Self::NoCache => "This resource has no watch cache: etcd serves it.",
        }
    }
}
