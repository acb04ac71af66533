//! The texts of the Cache view: the state of a cache, and the table of routes.

/// The reasons why the view shows no cache for an API server.
pub const SERVER_STOPPED: &str = "the API server is not running";
pub const NO_CACHE: &str = "no cache: etcd serves all reads";

/// The text for the objects of a watch that has no namespace and no selectors.
pub const EVERYTHING: &str = "everything";

/// The texts for options that a request does not set.
pub const UNSET: &str = "unset";
pub const NO_MATCH: &str = "–";
pub const NO_LIMIT: &str = "none";

/// The revisions that a read may return. `N` is the resource version of the request.
pub const AT_LEAST_HEAD: &str = "≥ head";
pub const AT_LEAST_N: &str = "≥ N";
pub const EXACTLY_N: &str = "= N";
pub const ANY_VERSION: &str = "any version";
pub const AFTER_N: &str = "after N";
pub const FROM_NOW: &str = "from now";

/// The delays before a read is served. RTT is the round-trip time to etcd.
pub const ROUND_TRIP: &str = "RTT";
pub const NO_DELAY: &str = "none";
pub const ROUND_TRIP_AND_WAIT: &str = "RTT + wait";
pub const WAIT: &str = "wait";
pub const UNTIL_READY: &str = "until ready";

/// The results of reads that wait for the cache and time out.
pub const TIMEOUT_504: &str = "after 3 s: 504";
pub const TIMEOUT_429: &str = "after 3 s: 429";
pub const TIMEOUT_ETCD: &str = "after 3 s: etcd serves the list";
pub const TIMEOUT_BY_SIZE: &str = "after 10 to 500 ms (longer for larger lists): a large list fails; \
    etcd serves any other list";
