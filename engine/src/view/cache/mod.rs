//! The Cache view: etcd's head on one ruler, below it each API server's cache of one resource, and
//! what reads waited for.
//!
//! Everything is at the cursor. Lists are bounded; each has its total beside it.

pub mod build;
pub mod savings;

use serde::{Deserialize, Serialize};

use super::watch::LampView;

/// Client watches of one cache that come one by one, oldest first.
pub const CACHE_WATCHERS_SHOWN: usize = 24;

/// The maximum number of requests shown individually, newest first.
pub const REQUESTS_SHOWN: usize = 32;

/// The maximum number of revisions shown individually, newest first.
pub const REVISIONS_SHOWN: usize = 512;

/// Points of a plot of staleness, at most.
pub const STALENESS_POINTS: usize = 600;

/// The visible part of the caches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheQuery {
    /// The resource, such as `pods`; empty for the first one that a cache holds something of.
    pub resource: String,
    /// The time span of the staleness plot, in microseconds; 0 for two seconds.
    pub plot_us: u64,
    /// The truth table wanted: a verb and how it is asked; `None` when it is closed.
    pub ask: Option<RouteQuery>,
    /// The number of the selected request.
    pub selected: Option<u64>,
    /// Where the caches stand, and nothing else: what the Index view shows of them.
    pub only_places: bool,
}

/// How a read is asked, for the table that says who would serve it now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteQuery {
    /// `GET`, `LIST` or `WATCH`.
    pub verb: String,
    /// The API server, by name; empty for the first.
    pub server: String,
    /// `""`, `"0"` or a number.
    pub resource_version: String,
    /// `""`, `NotOlderThan` or `Exact`.
    pub how: String,
    /// 0 for none.
    pub limit: u64,
}

/// The picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheView {
    /// Simulated time, in microseconds.
    pub now_us: u64,
    /// etcd's revision: the upper ruler's end.
    pub head: i64,
    /// etcd's oldest readable revision; -1 when never compacted.
    pub compact_revision: i64,
    /// The resource shown.
    pub resource: String,
    /// Resources to choose from: those that some API server caches, and those without a cache.
    pub resources: Vec<String>,
    /// The left end of the rulers: at or before everything shown.
    pub axis_from: i64,
    /// The newest revisions, oldest first: whether each changed the resource.
    pub revisions: Vec<RevisionMark>,
    /// The API servers, in the order of their creation.
    pub servers: Vec<ServerRow>,
    /// One row for each API server that runs: its cache of the resource, or what stands for it.
    pub caches: Vec<CacheRow>,
    /// Requests of all API servers for the resource, newest first.
    pub requests: Vec<RequestRow>,
    /// Clients that went to another API server and got something older than they had.
    pub back_in_time: Vec<BackInTime>,
    /// The guarantees for readers, as lamps.
    pub lamps: Vec<LampView>,
    /// Answer to [`CacheQuery::ask`]: who would serve which read now, and which one was asked for.
    pub routes: Vec<RouteRow>,
    /// The request of [`CacheQuery::selected`].
    pub selected: Option<RequestRow>,
}

/// One revision on etcd's ruler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevisionMark {
    /// The revision.
    pub revision: i64,
    /// The commit time, in microseconds.
    pub at_us: u64,
    /// Whether it changed the resource shown; otherwise only a progress notification tells of it.
    pub own: bool,
    /// The change, for display, such as `put pods/default/web-1`.
    pub label: String,
}

/// One API server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerRow {
    /// The name.
    pub name: String,
    /// The version: `1.37`, or `draft`.
    pub version: String,
    /// How it finds out that it is fresh: `today`, `draft` or `timer`.
    pub policy: String,
    /// The reason why the server does not work: `stopped`, `disconnected`, `paused`, `held`; or empty.
    pub state: String,
    /// Whether etcd can be asked for progress, as far as it knows.
    pub progress_supported: bool,
    /// Gates that are not as the version has them, such as `ListFromCacheSnapshot=false`.
    pub gates: Vec<String>,
    /// The number of etcd watches, over all resources.
    pub etcd_watches: u32,
    /// The number of client watches, over all resources.
    pub client_watches: u64,
    /// The number of decoded etcd events, over all resources.
    pub decodes: u64,
    /// Events that it would have decoded if each client's watch were one of etcd.
    pub decodes_without_cache: u64,
    /// The cost of lists, by source.
    pub lists: Vec<ListsRow>,
}

/// What the lists that one source served have cost an API server, of all resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListsRow {
    /// `cache`, `snapshot` or `etcd`.
    pub source: String,
    /// The total cost.
    pub total: ListCost,
    /// The cost in the last full second of simulated time.
    pub second: ListCost,
}

/// The cost of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListCost {
    /// Lists.
    pub lists: u64,
    /// Objects that were looked at.
    pub objects: u64,
    /// Bytes that these have.
    pub bytes: u64,
    /// Objects that were returned.
    pub returned: u64,
}

/// One API server's cache of the resource shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheRow {
    /// The API server's name.
    pub server: String,
    /// Whether the server has a cache of this resource.
    pub cached: bool,
    /// The readiness of the cache.
    pub ready: CacheReady,
    /// The reason or the time of the readiness, for display.
    pub ready_detail: String,
    /// The revision up to which the cache has all changes.
    pub revision: i64,
    /// The revision of the last list; 0 before the first list.
    pub list_revision: i64,
    /// The number of etcd revisions that the cache is missing.
    pub behind: u64,
    /// Revisions that it is ahead of etcd, which a restored backup has taken back.
    pub ahead: u64,
    /// The age of the oldest of them, in microseconds; 0 when there is none.
    pub stale_us: u64,
    /// The history in which watches can start.
    pub window: WindowView,
    /// The number of snapshots, and the revisions of the oldest and the newest.
    pub snapshots: u64,
    /// The oldest snapshot's revision.
    pub oldest_snapshot: Option<i64>,
    /// The number of objects.
    pub objects: u64,
    /// Watches that it holds of etcd: one with a cache, one for each client's watch without.
    pub etcd_watches: u32,
    /// The number of client watches.
    pub client_watches: u64,
    /// The number of decoded etcd events.
    pub decodes: u64,
    /// Events that it would have decoded if each client's watch were one of etcd.
    pub decodes_without_cache: u64,
    /// The number of progress requests to etcd.
    pub progress_requests: u64,
    /// Progress notifications in the time of the plot, oldest first.
    pub progress: Vec<ProgressMark>,
    /// Bookmarks to clients in the time of the plot, oldest first.
    pub bookmarks: Vec<ProgressMark>,
    /// Watches of clients, oldest first; at most [`CACHE_WATCHERS_SHOWN`].
    pub watchers: Vec<ClientWatchRow>,
    /// Reads that wait for the cache.
    pub waiting: Vec<WaitingRow>,
    /// How old the oldest revision is that it has not heard of, over time: corners of a line, oldest
    /// first, the last one now.
    pub staleness: Vec<StalePoint>,
}

/// Whether a cache can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CacheReady {
    /// No cache: etcd serves all requests.
    #[default]
    Off,
    /// The cache has no list yet, or lost its watch.
    Pending,
    /// The cache is ready.
    Ready,
    /// The API server has stopped.
    Stopped,
}

/// The rolling history window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowView {
    /// The capacity, in events.
    pub capacity: u32,
    /// The number of events.
    pub used: u64,
    /// The minimum and the maximum capacity.
    pub bounds: (u32, u32),
    /// The smallest resource version that a watch may begin from; below it is 410. `None` before
    /// the first list.
    pub oldest: Option<i64>,
    /// The revisions of the events, oldest first; the newest [`REVISIONS_SHOWN`].
    pub events: Vec<i64>,
}

/// A progress notification from etcd, or a bookmark to a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressMark {
    /// The revision reached.
    pub revision: i64,
    /// The time, in microseconds.
    pub at_us: u64,
    /// The client's watch that it went to; empty for one from etcd.
    pub to: String,
}

/// A watch that a client holds of a cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientWatchRow {
    /// The client's name.
    pub client: String,
    /// The number on the server.
    pub watcher: u64,
    /// The selected objects in words; `everything` or a namespace and selectors.
    pub selects: String,
    /// How it was found among all watchers: by `spec.nodeName=node-1`, or by its scope.
    pub registered: String,
    /// The revision up to which the client was sent all events.
    pub revision: i64,
    /// Whether the watch still sends its initial events.
    pub replaying: bool,
    /// The numbers of entries in the input channel, and of events in the result channel.
    pub queued: (u32, u32),
    /// The capacity of each channel.
    pub channel: u32,
    /// The number of events sent.
    pub sent: u64,
}

/// A read that waits until the cache is new enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingRow {
    /// The request's number.
    pub request: u64,
    /// The client.
    pub client: String,
    /// The required revision; `None` while the server requests etcd's revision.
    pub needed: Option<i64>,
    /// The start of the wait, in microseconds.
    pub since_us: u64,
}

/// A corner of a plot of staleness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StalePoint {
    /// The time, in microseconds.
    pub at_us: u64,
    /// The staleness, in microseconds.
    pub stale_us: u64,
}

/// A request of a client.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestRow {
    /// Its number in the run.
    pub id: u64,
    /// The step in which the request reached the API server.
    pub step: u64,
    /// The time when the client sent the request, in microseconds.
    pub sent_us: u64,
    /// The client.
    pub client: String,
    /// Which API server.
    pub server: String,
    /// `GET`, `LIST`, `WATCH`, `CREATE`, `UPDATE` or `DELETE`.
    pub verb: String,
    /// The object of the verb, as a person would type it.
    pub what: String,
    /// The resource version asked for: `unset`, `0` or a number.
    pub asked: String,
    /// The source of the response.
    pub path: PathKind,
    /// Why, in a sentence.
    pub reason: String,
    /// What the cache had to come to; 0 when it had not to wait for anything.
    pub needed: i64,
    /// The resource version in the response.
    pub revision: Option<i64>,
    /// The number of objects in the response.
    pub items: u64,
    /// The number of objects examined.
    pub fetched: u64,
    /// The index that found the objects, such as `f:spec.nodeName`.
    pub index: String,
    /// The latency by cause.
    pub split: LatencySplit,
    /// The HTTP code; 0 before the response.
    pub code: u32,
    /// The error message of upstream.
    pub message: String,
    /// Whether the wait for the cache timed out and etcd served the request.
    pub fell_back: bool,
}

/// The source of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathKind {
    /// Not known yet.
    #[default]
    Open,
    /// The cache.
    Cache,
    /// A snapshot of the cache.
    Snapshot,
    /// etcd.
    Etcd,
    /// No source: the request was refused.
    Refused,
}

/// Where the time of a request went, in microseconds; the parts add up to the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencySplit {
    /// From the client's sending to its hearing the answer; so far, when it has none.
    pub total_us: u64,
    /// On the links between the client and the API server, both ways.
    pub link_us: u64,
    /// The question for etcd's current revision.
    pub revision_us: u64,
    /// Waiting for the cache.
    pub wait_us: u64,
    /// The time of reads and writes in etcd.
    pub etcd_us: u64,
    /// Everything else inside the API server.
    pub other_us: u64,
}

/// A client that went back in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackInTime {
    /// The client.
    pub client: String,
    /// The API server that it came from, and what it had got there.
    pub from: (String, i64),
    /// The API server that it went to, and what it got there.
    pub to: (String, i64),
    /// The number of the request that received this revision.
    pub request: u64,
}

/// One row of the truth table: who would serve such a read now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteRow {
    /// `unset`, `0`, `N`, or `token`.
    pub resource_version: String,
    /// The match, or `–`.
    pub how: String,
    /// `any`, `none` or a number.
    pub limit: String,
    /// The source of the response.
    pub path: PathKind,
    /// Why, in a sentence.
    pub reason: String,
    /// The returned version: `≥ head`, `≥ N`, `= N`, `any version`.
    pub returns: String,
    /// The latency: `RTT + wait`, `wait`, `none`, `RTT`.
    pub cost: String,
    /// The action after a timeout of the wait.
    pub gives_up: String,
    /// The command that does exactly this.
    pub command: String,
    /// Whether the query asks for this row.
    pub asked: bool,
}
