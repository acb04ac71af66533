//! The reasons why the cache or etcd serves a read: a variant and a sentence for each row of the truth table.

use crate::words::routing as words;

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
    /// The list goes to etcd, because the list reads a single key and snapshots serve only collections.
    SnapshotsOfOneKey,
    /// The cache has not reached the resource version yet, so the request waits for a snapshot at that version.
    SnapshotOfFuture,
    /// The cache has not reached the resource version yet, and etcd does not support progress requests, so the request
    /// goes to etcd.
    SnapshotOfFutureUnsupported,
    /// A list continues with the current state, because its continue token does not name the revision of the first
    /// page.
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
    Write,
    NoCache,
}

impl Reason {
    /// All rows of the truth table, in the order of the variants. The table has no rows for writes and for resources
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

    /// Returns the reason as a sentence for the web page.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Refused => words::REFUSED,
            Self::TooManyInFlight => words::TOO_MANY_IN_FLIGHT,
            Self::ConsistentListGateOff => words::CONSISTENT_LIST_GATE_OFF,
            Self::ConsistentListLimited => words::CONSISTENT_LIST_LIMITED,
            Self::ProgressUnsupported => words::PROGRESS_UNSUPPORTED,
            Self::ConsistentList => words::CONSISTENT_LIST,
            Self::ConsistentListByEcho => words::CONSISTENT_LIST_BY_ECHO,
            Self::AnyList => words::ANY_LIST,
            Self::NotOlderThanList | Self::GetNotOlderThan => words::NOT_OLDER_THAN,
            Self::NotOlderThanPaged => words::NOT_OLDER_THAN_PAGED,
            Self::SnapshotFound => words::SNAPSHOT_FOUND,
            Self::SnapshotMissing => words::SNAPSHOT_MISSING,
            Self::SnapshotsOff => words::SNAPSHOTS_OFF,
            Self::SnapshotsInconsistent => words::SNAPSHOTS_INCONSISTENT,
            Self::SnapshotsOfOneKey => words::SNAPSHOTS_OF_ONE_KEY,
            Self::SnapshotOfFuture => words::SNAPSHOT_OF_FUTURE,
            Self::SnapshotOfFutureUnsupported => words::SNAPSHOT_OF_FUTURE_UNSUPPORTED,
            Self::ContinueLatest => words::CONTINUE_LATEST,
            Self::NotReadyPage => words::NOT_READY_PAGE,
            Self::NotReadyRefused => words::NOT_READY_REFUSED,
            Self::NotReadyAnyBefore131 => words::NOT_READY_ANY_BEFORE_131,
            Self::NotReadyWaitsBefore131 => words::NOT_READY_WAITS_BEFORE_131,
            Self::GetMostRecent => words::GET_MOST_RECENT,
            Self::GetAny => words::GET_ANY,
            Self::GetNotReady => words::GET_NOT_READY,
            Self::WatchLegacy => words::WATCH_LEGACY,
            Self::WatchFromStorage => words::WATCH_FROM_STORAGE,
            Self::WatchInitialEvents => words::WATCH_INITIAL_EVENTS,
            Self::WatchInitialEventsAny => words::WATCH_INITIAL_EVENTS_ANY,
            Self::WatchInitialEventsAt => words::WATCH_INITIAL_EVENTS_AT,
            Self::WatchFromCurrent => words::WATCH_FROM_CURRENT,
            Self::WatchFromNow => words::WATCH_FROM_NOW,
            Self::WatchFromHistory => words::WATCH_FROM_HISTORY,
            Self::Write => words::WRITE,
            Self::NoCache => words::NO_CACHE,
        }
    }
}
