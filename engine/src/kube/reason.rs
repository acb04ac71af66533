//! The reasons why the cache or etcd serves a read: a variant and a sentence for each row of the truth table.

/// The reason why a component serves or refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The options exclude each other or are invalid.
    Refused,
    /// A consistent list goes to etcd because the gate is disabled.
    ConsistentListGateOff,
    /// A consistent list with a limit went to etcd in the alpha (1.28 to 1.30).
    ConsistentListLimited,
    /// A consistent list goes to etcd because etcd does not support progress requests.
    ProgressUnsupported,
    /// The cache serves a consistent list after it has compared its revision with etcd's revision.
    ConsistentList,
    /// The cache serves a consistent list after etcd has echoed the id of a progress request, so no request for etcd's
    /// revision is needed.
    ConsistentListByEcho,
    /// The cache serves a list that accepts any resource version.
    AnyList,
    /// A list waits until the cache reaches the requested resource version.
    NotOlderThanList,
    /// A list with a limit went to etcd before 1.31, because the cache could not serve pages.
    NotOlderThanPaged,
    /// A snapshot serves the list, because it contains the resource version.
    SnapshotFound,
    /// The list goes to etcd, because all snapshots are newer than the resource version.
    SnapshotMissing,
    /// The list goes to etcd, because the cache has no snapshots.
    SnapshotsOff,
    /// The list goes to etcd, because the last comparison with etcd found a difference and snapshots are disabled.
    SnapshotsInconsistent,
    /// The list goes to etcd, because it is for a single key and snapshots serve only collections.
    SnapshotsOfOneKey,
    /// The cache has not reached the resource version yet, so the request waits for a snapshot at that version.
    SnapshotOfFuture,
    /// The cache has not reached the resource version yet, and etcd does not support progress requests, so the request
    /// goes to etcd.
    SnapshotOfFutureUnsupported,
    /// A list continues with the current state, because its continue token contains no revision.
    ContinueLatest,
    /// The cache is not ready. etcd serves the page, because a page without selectors is cheap.
    NotReadyPage,
    /// The cache is not ready, and the list is refused to protect etcd from overload.
    NotReadyRefused,
    /// The cache is not ready. Before 1.31, etcd then served a read that accepts any version.
    NotReadyAnyBefore131,
    /// The cache is not ready. Before 1.31, the request then waited until the cache was ready.
    NotReadyWaitsBefore131,
    /// A GET without a resource version always goes to etcd.
    GetMostRecent,
    /// The cache serves a GET that accepts any resource version.
    GetAny,
    /// A GET waits until the cache reaches the requested resource version.
    GetNotOlderThan,
    /// The cache is not ready. etcd serves the GET, because reading one object is cheap.
    GetNotReady,
    /// A watch without a resource version starts with the objects in the cache, with no guarantee of freshness.
    WatchLegacy,
    /// A watch without a resource version went to etcd in 1.27 to 1.29.
    WatchFromStorage,
    /// A watch starts with initial events that are at least as new as etcd's state at the time of the request.
    WatchInitialEvents,
    /// A watch starts with initial events from the cache, which may be stale.
    WatchInitialEventsAny,
    /// A watch starts with initial events once the cache reaches the requested resource version.
    WatchInitialEventsAt,
    /// A watch starts at etcd's current revision.
    WatchFromCurrent,
    /// A watch starts at the cache's current revision.
    WatchFromNow,
    /// A watch starts at a resource version in the history of the cache.
    WatchFromHistory,
    /// The API server has too many requests in progress.
    TooManyInFlight,
    /// A write goes to etcd.
    Write,
    /// The resource has no watch cache.
    NoCache,
}

impl Reason {
    /// All rows of the truth table, in the order of the variants. The table does not contain writes and resources
    /// without a cache.
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

    /// Returns the reason as a sentence for the page.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Refused => "The options exclude each other or are invalid, so nothing is read.",
            Self::TooManyInFlight => {
                "The API server has as many requests in progress as --max-requests-inflight allows."
            }
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
