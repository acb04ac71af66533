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
    /// The cache can check that it is fresh.
    ConsistentList,
    /// The cache can find out, and etcd need not tell its revision first.
    ConsistentListByEcho,
    /// Any will do.
    AnyList,
    /// The cache waits until it is fresh enough.
    NotOlderThanList,
    /// Before 1.31 the cache had no pages.
    NotOlderThanPaged,
    /// A snapshot contains the resource version.
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
    /// A GET of any resource version.
    GetAny,
    /// A GET for which the cache waits.
    GetNotOlderThan,
    /// The cache is not ready, and one object is cheap for etcd.
    GetNotReady,
    /// A watch from nowhere, as ever: what the cache has, without a promise.
    WatchLegacy,
    /// A watch from nowhere in 1.27 to 1.29.
    WatchFromStorage,
    /// A watch with initial events, as new as etcd.
    WatchInitialEvents,
    /// A watch with initial events from the cache, however old.
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
            Self::Refused => "The options exclude each other or are invalid, so nothing is read.",
            Self::ConsistentListGateOff => {
                "A list without a resource version needs the newest state, and only etcd has it: \
                 ConsistentListFromCache is off."
            }
            Self::ConsistentListLimited => {
                "From 1.28 to 1.30 a consistent list with a limit still went to etcd."
            }
            Self::ProgressUnsupported => {
                "etcd does not support progress requests, so the cache cannot confirm that it is fresh."
            }
            Self::ConsistentList => {
                "etcd returns its current revision; the cache responds once it has caught up to it."
            }
            Self::ConsistentListByEcho => {
                "etcd echoes the id of a progress request sent after the list arrived; then the \
                 cache has every earlier change."
            }
            Self::AnyList => {
                "Resource version 0 accepts any version: the cache responds immediately and ignores \
                 a limit."
            }
            Self::NotOlderThanList => {
                "The cache responds once it has caught up to that resource version."
            }
            Self::NotOlderThanPaged => {
                "Before 1.31 the cache did not support pages, so a list with a limit went to etcd."
            }
            Self::SnapshotFound => {
                "The newest snapshot at or before that resource version is the state there, because \
                 the cache receives every change."
            }
            Self::SnapshotMissing => {
                "That resource version is older than every snapshot; etcd may still have it."
            }
            Self::SnapshotsOff => {
                "Only etcd can serve exactly that resource version: the cache keeps no snapshots."
            }
            Self::SnapshotsInconsistent => {
                "The last comparison with etcd found a difference, so there are no snapshots."
            }
            Self::SnapshotsOfOneKey => "Snapshots serve collections; one key is read from etcd.",
            Self::SnapshotOfFuture => {
                "The cache is behind that resource version; it waits until it has the snapshot."
            }
            Self::SnapshotOfFutureUnsupported => {
                "The cache is behind that resource version, and etcd does not support progress \
                 requests, so waiting might not help."
            }
            Self::ContinueLatest => {
                "The token asks for the newest state from its key on: a consistent list."
            }
            Self::NotReadyPage => {
                "The cache is not ready; one page without selectors is cheap enough for etcd."
            }
            Self::NotReadyRefused => {
                "The cache is not ready; all lists together would overload etcd, so the client is \
                 told to retry."
            }
            Self::NotReadyAnyBefore131 => {
                "The cache is not ready; before 1.31 etcd served reads that accept any version."
            }
            Self::NotReadyWaitsBefore131 => {
                "The cache is not ready; before 1.31 a request waited for the cache."
            }
            Self::GetMostRecent => "A GET without a resource version always goes to etcd.",
            Self::GetAny => {
                "Resource version 0 accepts any version: the cache responds immediately."
            }
            Self::GetNotOlderThan => {
                "The cache responds once it has caught up to that resource version."
            }
            Self::GetNotReady => "The cache is not ready; one object is cheap enough for etcd.",
            Self::WatchLegacy => {
                "The cache sends its objects, however old, and then each change: no guarantee of freshness."
            }
            Self::WatchFromStorage => {
                "From 1.27 to 1.29 a watch without a resource version went to etcd."
            }
            Self::WatchInitialEvents => {
                "etcd returns its current revision; once the cache has caught up to it, the cache \
                 sends all objects, a bookmark, and then each change."
            }
            Self::WatchInitialEventsAny => {
                "The cache sends all its objects, a bookmark, and then each change."
            }
            Self::WatchInitialEventsAt => {
                "Once the cache has caught up to that resource version, it sends all objects, a \
                 bookmark, and then each change."
            }
            Self::WatchFromCurrent => {
                "etcd returns its current revision, and the cache sends each later change."
            }
            Self::WatchFromNow => "The cache sends each change after its own revision.",
            Self::WatchFromHistory => {
                "The cache sends the later changes from its history, or an error if its history \
                 starts later; the watch does not wait for a future resource version."
            }
            Self::Write => "Writes go to etcd, which refuses a write based on an old version.",
            Self::NoCache => "This resource has no watch cache: etcd serves it.",
        }
    }
}
