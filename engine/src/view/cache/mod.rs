//! The Cache view. At the top is a ruler with etcd's revisions. Below the ruler are each API server's cache of one
//! resource, and the reads with their wait times.
//!
//! The view shows the state at the cursor. The lists in the view have a maximum length, and beside each list is a total
//! count.
//!
//! Two numbers state how far a cache is behind etcd. [`CacheRow::behind`] counts all revisions between the cache's
//! revision and etcd's revision. [`CacheRow::missing`] counts only the revisions that changed the shown resource: a
//! reader of the cache does not see these changes. The staleness, in the row and in the plot, is the age of the oldest
//! missing revision. A cache that is behind but is not missing any change is unconfirmed ([`CacheLag`]): the cache has
//! all data, but cannot know this until a progress notification raises the cache's revision. A consistent read waits
//! for this notification.

pub mod build;
pub mod load;
pub mod savings;

use serde::{Deserialize, Serialize};

use super::watch::LampView;
use crate::words::cache as words;
use load::LoadView;

/// The maximum number of client watches shown individually for each cache, oldest first.
pub const CACHE_WATCHERS_SHOWN: usize = 24;

/// The maximum number of requests that the view shows individually. The newest requests are shown.
pub const REQUESTS_SHOWN: usize = 32;

/// The maximum number of revisions that the view shows individually. The newest revisions are shown.
pub const REVISIONS_SHOWN: usize = 512;

/// The maximum length of a key in [`RevisionMark::key`], in bytes.
pub const REVISION_KEY_MAX: usize = 256;

/// The maximum number of points in a staleness plot.
pub const STALENESS_POINTS: usize = 600;

/// The time spans for the staleness plot from which a user can choose, in microseconds.
pub const PLOT_SPANS: [u64; 4] = [500_000, 2_000_000, 10_000_000, 60_000_000];

/// The shortest time span that is chosen automatically, in microseconds. With a shorter span, the plot would change its
/// scale at almost every request.
pub const PLOT_SPAN_MIN: u64 = PLOT_SPANS[1];

/// The part of the Cache view to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheQuery {
    /// The resource, such as `pods`. Empty selects the first resource with an object in a cache.
    pub resource: String,
    /// The time span of the staleness plot, in microseconds. 0 selects a span automatically: the shortest of the
    /// [`PLOT_SPANS`] that is at least [`PLOT_SPAN_MIN`] and contains the time from the start of the newest request to
    /// the cursor.
    pub plot_us: u64,
    /// The read to mark in the routing table; `None` while the table is closed.
    pub ask: Option<RouteQuery>,
    pub selected: Option<u64>,
    /// Whether to return only the caches' revisions, which is all that the Index view needs.
    pub only_places: bool,
}

/// The parameters of a read, for the routing table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteQuery {
    /// The verb: `GET`, `LIST` or `WATCH`.
    pub verb: String,
    /// The name of the API server; empty for the API server that received the newest request with this verb, or else
    /// the first API server.
    pub server: String,
    /// The requested resource version, as text: empty for unset, `0`, or a number.
    pub resource_version: String,
    /// The resource version match: `""`, `NotOlderThan` or `Exact`.
    pub how: String,
    /// The maximum number of objects to return; 0 for no limit.
    pub limit: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheView {
    /// Simulated time, in microseconds.
    pub now_us: u64,
    /// etcd's current revision, at the right end of the ruler.
    pub head: i64,
    /// etcd's compact revision; -1 before the first compaction.
    pub compact_revision: i64,
    pub resource: String,
    /// The resources to choose from, cached or not.
    pub resources: Vec<String>,
    /// The revision at the left end of the rulers. It is at or before all shown revisions.
    pub axis_from: i64,
    /// The newest revisions, oldest first. Each revision has a flag that is true if the revision changed the shown
    /// resource.
    pub revisions: Vec<RevisionMark>,
    /// The API servers, in the order of their creation.
    pub servers: Vec<ServerRow>,
    /// The caches of the resource, one row for each API server. A server without a cache also has a row.
    pub caches: Vec<CacheRow>,
    /// The time span of the staleness plot, in microseconds.
    pub plot_us: u64,
    /// The requests that API servers received for the resource, newest first.
    pub requests: Vec<RequestRow>,
    /// A client received a list from one API server, and later an older list from another.
    pub back_in_time: Vec<BackInTime>,
    /// The guarantees for clients of API servers, each with its state.
    pub lamps: Vec<LampView>,
    /// The routing table, which shows the source that would serve each kind of read now. Empty unless
    /// [`CacheQuery::ask`] requests the table. The row of the read in [`CacheQuery::ask`] is marked.
    pub routes: Vec<RouteRow>,
    /// The server of the routing table; empty without the table.
    pub routes_server: String,
    /// The request selected by [`CacheQuery::selected`].
    pub selected: Option<RequestRow>,
    /// The newest request of a typed `kubectl` command.
    pub typed: Option<TypedRequest>,
    /// The load of the run over time; `None` for a run without a load.
    pub load: Option<LoadView>,
}

/// The work and the memory of a member or an API server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRow {
    pub name: String,
    /// The number of responses that the processor is working on.
    pub jobs: u64,
    /// The processor time of all completed work, in microseconds.
    pub processor_us: u64,
    /// The memory of all responses that are not sent yet, in bytes.
    pub memory: u64,
    /// The memory limit in bytes; 0 for no limit.
    pub limit: u64,
    /// The number of times that the operating system killed the process because it was out of memory.
    pub kills: u64,
}

/// A request that a typed `kubectl` command sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypedRequest {
    pub request: RequestRow,
    /// The request as a query for the routing table; `None` for a write or the next page of a list.
    pub route: Option<RouteQuery>,
}

/// One revision on etcd's ruler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevisionMark {
    pub revision: i64,
    /// The commit time, in microseconds.
    pub at_us: u64,
    /// Whether the revision changed the shown resource. A cache learns about other revisions only from progress
    /// notifications.
    pub own: bool,
    /// Whether the revision deleted an object of the shown resource.
    pub deletes: bool,
    /// The key of the first change of the shown resource, as bytes. Empty if the revision changed only other resources,
    /// or if the key is longer than [`REVISION_KEY_MAX`].
    pub key: Vec<u8>,
    /// The change as text, such as `put pods/default/web-1`. If the revision has several changes, this is the first
    /// change of the shown resource. If no change is of the shown resource, this is the first of all changes.
    pub label: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerRow {
    pub name: String,
    /// The version: `1.37`, or `draft`.
    pub version: String,
    /// How a cache checks that its data is fresh: `today`, `draft` or `timer`.
    pub policy: String,
    /// The reason why the server does not respond: `stopped`, `disconnected`, `paused` or `held`. Empty if the server
    /// works.
    pub state: String,
    /// Whether the server has detected that its etcd supports progress requests.
    pub progress_supported: bool,
    /// The feature gates that differ from the version's defaults, such as `ListFromCacheSnapshot=false`.
    pub gates: Vec<String>,
    /// The number of etcd watches, over all resources.
    pub etcd_watches: u32,
    /// The number of client watches, over all resources.
    pub client_watches: u64,
    /// The number of decoded etcd events, over all resources.
    pub decodes: u64,
    /// The number of events that the server would decode if each client watch were a separate etcd watch.
    pub decodes_without_cache: u64,
    /// The cost of lists, one row for each source of responses.
    pub lists: Vec<ListsRow>,
}

/// The total cost of an API server's lists from one source, over all resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListsRow {
    /// The source of the responses: `cache`, `snapshot` or `etcd`.
    pub source: String,
    pub total: ListCost,
    /// The cost of lists in the last full second of simulated time.
    pub second: ListCost,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListCost {
    /// The number of lists that the server served from this source.
    pub lists: u64,
    /// The number of objects that the server examined.
    pub objects: u64,
    /// The size of the examined objects, in bytes.
    pub bytes: u64,
    /// The number of objects that the server returned.
    pub returned: u64,
}

/// An API server's cache of the shown resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheRow {
    pub server: String,
    /// Whether the server has a cache of this resource.
    pub cached: bool,
    pub ready: CacheReady,
    /// The reason why the cache is not ready, for display; empty if the cache is ready.
    pub ready_detail: String,
    /// The revision up to which the cache contains all changes.
    pub revision: i64,
    /// The revision of the last list; 0 before the first list.
    pub list_revision: i64,
    /// The number of revisions by which the cache is behind etcd, including revisions that changed other resources.
    pub behind: u64,
    /// The number of revisions that changed the shown resource and that the cache has not received.
    pub missing: u64,
    /// The number of revisions by which the cache is ahead of etcd, after etcd was restored from a backup.
    pub ahead: u64,
    /// The age of the oldest change to the shown resource that the cache has not received, in microseconds; 0 if no
    /// such change exists.
    pub stale_us: u64,
    /// The recent events that the cache stores. A watch can start from any of these events.
    pub window: WindowView,
    pub snapshots: u64,
    /// The revision of the oldest snapshot of the cache.
    pub oldest_snapshot: Option<i64>,
    pub objects: u64,
    /// The number of etcd watches: one if the server has a cache, and one for each client watch that no cache serves.
    pub etcd_watches: u32,
    /// The number of client watches, as a total.
    pub client_watches: u64,
    /// The number of etcd events that the server decoded for this resource.
    pub decodes: u64,
    /// The number of events that the server would decode if each client watch were a separate etcd watch.
    pub decodes_without_cache: u64,
    /// The number of progress requests to etcd.
    pub progress_requests: u64,
    /// The progress notifications within the plot's time span, oldest first.
    pub progress: Vec<ProgressMark>,
    /// The bookmarks sent to clients within the plot's time span, oldest first.
    pub bookmarks: Vec<ProgressMark>,
    /// The client watches, oldest first; at most [`CACHE_WATCHERS_SHOWN`].
    pub watchers: Vec<ClientWatchRow>,
    /// The reads that wait until the cache reaches a revision.
    pub waiting: Vec<WaitingRow>,
    /// The plot of the cache's staleness over time. The plot is a line given by its corner points, oldest first; the
    /// last point is at the cursor.
    pub staleness: Vec<StalePoint>,
}

/// The kind of lag of a cache behind etcd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheLag {
    /// The cache has reached etcd's revision.
    None,
    /// The cache has all changes of its resource, and only revisions of other resources are newer than the cache. The
    /// cache does not know this until a progress notification arrives.
    Unconfirmed,
    /// The cache is missing changes of its resource.
    Stale,
}

impl CacheRow {
    pub fn lag(&self) -> CacheLag {
        match (self.behind, self.missing) {
            (0, 0) => CacheLag::None,
            (_, 0) => CacheLag::Unconfirmed,
            _ => CacheLag::Stale,
        }
    }
}

impl CacheView {
    /// Returns the reason why a cache's server does not work; empty if the server works.
    pub fn server_state(&self, cache: &CacheRow) -> &str {
        let server = self.servers.iter().find(|row| row.name == cache.server);
        server.map_or("", |server| &server.state)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CacheReady {
    /// There is no cache: etcd serves all requests.
    #[default]
    Off,
    /// The cache has not received its first list, or has lost its watch.
    Pending,
    /// The cache can serve requests.
    Ready,
    Stopped,
}

/// The recent events that a cache stores in a buffer. A watch can start from any of these events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowView {
    /// The number of events for which the buffer has room.
    pub capacity: u32,
    /// The number of events in the buffer.
    pub used: u64,
    /// The minimum and the maximum to which the capacity can change.
    pub bounds: (u32, u32),
    /// The smallest resource version from which a watch can start. Older watches get 410 Gone. `None` before the first
    /// list.
    pub oldest: Option<i64>,
    /// The revisions of the newest events, oldest first; at most [`REVISIONS_SHOWN`].
    pub events: Vec<i64>,
}

/// A progress notification from etcd, or a bookmark to a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressMark {
    /// The revision that the notification or the bookmark reports.
    pub revision: i64,
    pub at_us: u64,
    /// The name of the client whose watch received the bookmark; empty for a notification from etcd.
    pub to: String,
}

/// A client's watch, served by a cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientWatchRow {
    pub client: String,
    /// The number of the watch on the server.
    pub watcher: u64,
    /// The selected objects, for display: a namespace and selectors; empty if the watch selects everything.
    pub selects: String,
    /// The index entry under which the cache finds this watch: `spec.nodeName=node-1`, or a namespace and a name. Only
    /// the terminal prints this entry.
    pub registered: String,
    /// The revision up to which the server has sent all events to the client.
    pub revision: i64,
    /// Whether the server still sends the initial events of the watch.
    pub replaying: bool,
    /// The number of entries in the input channel of the watch, and the number of events in its result channel.
    pub queued: (u32, u32),
    /// The capacity of each of the two channels.
    pub channel: u32,
    /// The number of events that the server has sent to the client.
    pub sent: u64,
}

impl ClientWatchRow {
    /// Returns the selected objects, for display.
    pub fn selection(&self) -> &str {
        match &*self.selects {
            "" => words::EVERYTHING,
            selects => selects,
        }
    }
}

/// A read that waits until the cache reaches a revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingRow {
    pub request: u64,
    pub client: String,
    /// The required revision; `None` while the server requests etcd's revision.
    pub needed: Option<i64>,
    /// The start of the wait, in microseconds.
    pub since_us: u64,
}

/// A corner point of a staleness plot: a time, and the staleness at this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StalePoint {
    pub at_us: u64,
    /// The staleness of the cache at this time, in microseconds.
    pub stale_us: u64,
}

/// A request of a client to an API server, with its response and its latency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestRow {
    /// The number of the request in the run.
    pub id: u64,
    /// The step in which the request reached the API server.
    pub step: u64,
    /// The time when the client sent the request, in microseconds.
    pub sent_us: u64,
    pub client: String,
    pub server: String,
    /// `GET`, `LIST`, `WATCH`, `CREATE`, `UPDATE` or `DELETE`.
    pub verb: String,
    /// The target of the request as a user types it in `kubectl`, such as a resource and a name.
    pub what: String,
    /// The requested resource version: `unset`, `0` or a number.
    pub asked: String,
    /// The source of the response.
    pub path: PathKind,
    /// The reason why this source serves the request, as a sentence.
    pub reason: String,
    /// The revision that the cache had to reach before it served the request; 0 if the request did not wait for the
    /// cache.
    pub needed: i64,
    /// The resource version in the response.
    pub revision: Option<i64>,
    /// The number of objects in the response.
    pub items: u64,
    /// The number of objects that the server examined for the request.
    pub fetched: u64,
    /// The index by which the server found the objects, such as `f:spec.nodeName`.
    pub index: String,
    /// The latency by cause.
    pub split: LatencySplit,
    /// The HTTP status code of the response; 0 before the response.
    pub code: u32,
    /// The code of the ERROR event that ended the watch; 0 if no such event has reached the client.
    pub ended_with: u32,
    /// The error message of the response or of the ERROR event, as Kubernetes words it.
    pub message: String,
    /// Whether the wait for the cache timed out and etcd served the request.
    pub fell_back: bool,
    /// The seats that the request occupied; 0 if the server does not count seats.
    pub seats: u64,
    /// The time that the request waited for its seats, in microseconds.
    pub queue_us: u64,
}

/// The source of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathKind {
    /// No source yet: the server has not routed the request.
    #[default]
    Open,
    /// The API server's cache.
    Cache,
    Snapshot,
    Etcd,
    /// No source: the request was refused.
    Refused,
}

/// The latency of a request by cause, in microseconds. The parts add up to the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencySplit {
    /// The time from the client's request to its response. If the client has received no response, the time until the
    /// server sent it, or else up to the cursor.
    pub total_us: u64,
    /// The time on the links between the client and the API server, in both directions.
    pub link_us: u64,
    /// The time that the request for etcd's current revision took.
    pub revision_us: u64,
    /// The time during which the request waited for the cache to reach the required revision.
    pub wait_us: u64,
    /// The time of reads and writes in etcd.
    pub etcd_us: u64,
    /// The remaining time in the API server: its work, and the wait for its processor.
    pub other_us: u64,
    /// The work of converting the objects of the response, which is a part of `other_us`.
    pub convert_us: u64,
    /// The work of collecting the memory of the response, which is a part of `other_us`.
    pub collect_us: u64,
}

/// A list that went back in time: a client received a list from one API server, and later an older list from another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackInTime {
    /// The client that received both lists.
    pub client: String,
    /// The API server that returned the newer list, and the revision of this list.
    pub from: (String, i64),
    /// The API server that returned the older list later, and the revision of this list.
    pub to: (String, i64),
    /// The number of the request whose response contained the older revision.
    pub request: u64,
}

/// One row of the routing table: a kind of read, and the source that would serve this read now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteRow {
    /// The requested resource version: `unset`, `0`, `N`, or `token` for a continue token.
    pub resource_version: String,
    /// The resource version match, or `–` if the read has none.
    pub how: String,
    /// `any`, `none` or a number.
    pub limit: String,
    /// The source of the response.
    pub path: PathKind,
    /// The reason why this source would serve the read, as a sentence.
    pub reason: String,
    /// The revision of the response: `≥ head`, `≥ N`, `= N`, or `any version`.
    pub returns: String,
    /// The time that the read takes, in words: `RTT + wait`, `wait`, `none` or `RTT`.
    pub cost: String,
    /// What happens if the read's wait for the cache times out.
    pub gives_up: String,
    /// A `kubectl` command that sends this read.
    pub command: String,
    /// Whether this row matches the read in the query.
    pub asked: bool,
    /// Whether the newest request of a typed `kubectl` command matches this row and was sent to the server for which
    /// the table is shown.
    pub ran: bool,
}
