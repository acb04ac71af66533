//! The reasons why a request to an API server goes to etcd, to the cache or to neither.

pub const REFUSED: &str = "The options exclude each other or are invalid, so nothing is read.";
pub const TOO_MANY_IN_FLIGHT: &str = "The API server has as many requests in progress as --max-requests-inflight \
    allows.";
pub const CONSISTENT_LIST_GATE_OFF: &str = "A list without a resource version needs the newest state. \
    Consistent lists from the cache are off in this API server, so it reads this state from etcd.";
pub const CONSISTENT_LIST_LIMITED: &str =
    "From Kubernetes 1.28 to 1.30, a consistent list with a limit still went to etcd.";
pub const PROGRESS_UNSUPPORTED: &str = "etcd does not support progress requests, so the cache cannot confirm that \
    it is fresh.";
pub const CONSISTENT_LIST: &str = "etcd returns a revision, by default its current revision; the cache responds once \
    it has caught up to this revision.";
pub const CONSISTENT_LIST_BY_ECHO: &str = "After the list request arrives, the API server sends a progress \
    request. The cache responds once etcd has echoed the id of this progress request: by then, the cache has received \
    every change committed before the list request arrived.";
pub const ANY_LIST: &str = "Resource version 0 accepts any version: the cache responds immediately and ignores a \
    limit.";
pub const NOT_OLDER_THAN: &str =
    "The cache responds once it has caught up to the requested resource version.";
pub const NOT_OLDER_THAN_PAGED: &str = "Before Kubernetes 1.31, the cache did not support pages, so a list with a \
    limit went to etcd.";
pub const SNAPSHOT_FOUND: &str = "The cache receives every change, so its newest snapshot at or before the requested \
    resource version has exactly the objects of this version.";
pub const SNAPSHOT_MISSING: &str = "The requested resource version is older than every snapshot, but etcd may still \
    have this version.";
pub const SNAPSHOTS_OFF: &str =
    "Only etcd can serve exactly the requested resource version: the cache keeps no snapshots.";
pub const SNAPSHOTS_INCONSISTENT: &str = "The last comparison of the cache with etcd found a difference, so the \
    cache keeps no snapshots.";
pub const SNAPSHOTS_OF_ONE_KEY: &str = "The cache's snapshots do not serve single keys, so the API server reads the \
    key from etcd.";
pub const SNAPSHOT_OF_FUTURE: &str = "The cache is behind the requested resource version; the request waits until the \
    cache has a snapshot at this version.";
pub const SNAPSHOT_OF_FUTURE_UNSUPPORTED: &str = "The cache is behind the requested resource version, and etcd does \
    not support progress requests, so waiting might not help.";
pub const CONTINUE_LATEST: &str = "The continue token contains no revision. The API server returns the newest state, \
    starting at the key in the token, as in a consistent list.";
pub const NOT_READY_PAGE: &str =
    "The cache is not ready; etcd serves the page, because a page without selectors is cheap.";
pub const NOT_READY_REFUSED: &str = "The cache is not ready. If etcd served every list instead, etcd would be \
    overloaded, so the API server asks the client to retry.";
pub const NOT_READY_ANY_BEFORE_131: &str = "The cache is not ready. As in Kubernetes before 1.31, etcd serves a read \
    that accepts any resource version.";
pub const NOT_READY_WAITS_BEFORE_131: &str = "The cache is not ready. As in Kubernetes before 1.31, the request waits \
    for the cache.";
pub const GET_MOST_RECENT: &str = "A GET without a resource version always goes to etcd.";
pub const GET_ANY: &str = "Resource version 0 accepts any version: the cache responds immediately.";
pub const GET_NOT_READY: &str =
    "The cache is not ready; etcd serves the request, because reading one object is cheap.";
pub const WATCH_LEGACY: &str =
    "The cache sends its objects, which may be stale, and then each change.";
pub const WATCH_FROM_STORAGE: &str =
    "From Kubernetes 1.27 to 1.29, a watch without a resource version went to etcd.";
pub const WATCH_INITIAL_EVENTS: &str = "etcd returns a revision, by default its current revision. Once the cache has \
    caught up to this revision, the cache sends all objects, a bookmark, and then each change.";
pub const WATCH_INITIAL_EVENTS_ANY: &str =
    "The cache sends all its objects, a bookmark, and then each change.";
pub const WATCH_INITIAL_EVENTS_AT: &str = "Once the cache has caught up to the requested resource version, the cache \
    sends all objects, a bookmark, and then each change.";
pub const WATCH_FROM_CURRENT: &str =
    "etcd returns its current revision, and the cache sends each later change.";
pub const WATCH_FROM_NOW: &str =
    "The cache sends each change that is newer than the cache's current revision.";
pub const WATCH_FROM_HISTORY: &str = "The cache sends the changes after the requested resource version from its \
    history. If the history does not contain all these changes, the cache sends an error. The watch does not wait for \
    a future resource version.";
pub const WRITE: &str = "Writes go to etcd, which refuses a write based on an old version.";
pub const NO_CACHE: &str = "This resource has no watch cache, so etcd serves the request.";
