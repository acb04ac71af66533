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

/// Requests that come one by one, newest first.
pub const REQUESTS_SHOWN: usize = 32;

/// Revisions that come one by one, the newest ones.
pub const REVISIONS_SHOWN: usize = 512;

/// Points of a plot of staleness, at most.
pub const STALENESS_POINTS: usize = 600;

/// What part of the caches is visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheQuery {
    /// The resource, such as `pods`; empty for the first one that a cache holds something of.
    pub resource: String,
    /// How far back the plot of staleness reaches, in microseconds; 0 for two seconds.
    pub plot_us: u64,
    /// The truth table wanted: a verb and how it is asked; `None` when it is closed.
    pub ask: Option<RouteQuery>,
    /// The request whose details are shown, by its number.
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
    /// The API servers, in the order in which they came.
    pub servers: Vec<ServerRow>,
    /// One row for each API server that runs: its cache of the resource, or what stands for it.
    pub caches: Vec<CacheRow>,
    /// Requests of all API servers for the resource, newest first.
    pub requests: Vec<RequestRow>,
    /// Clients that went to another API server and got something older than they had.
    pub back_in_time: Vec<BackInTime>,
    /// The promises to those who read, as lamps.
    pub lamps: Vec<LampView>,
    /// Answer to [`CacheQuery::ask`]: who would serve which read now, and which one was asked for.
    pub routes: Vec<RouteRow>,
    /// The request of [`CacheQuery::selected`].
    pub selected: Option<RequestRow>,
}

/// One revision on etcd's ruler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevisionMark {
    /// It.
    pub revision: i64,
    /// When it was committed, in microseconds.
    pub at_us: u64,
    /// Whether it changed the resource shown; otherwise only a progress notification tells of it.
    pub own: bool,
    /// What it changed, for a person, such as `put pods/default/web-1`.
    pub label: String,
}

/// One API server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerRow {
    /// Its name.
    pub name: String,
    /// Its version: `1.37`, or `draft`.
    pub version: String,
    /// How it finds out that it is fresh: `today`, `draft` or `timer`.
    pub policy: String,
    /// What keeps it from its work: `stopped`, `disconnected`, `paused`, `held`; empty if nothing.
    pub state: String,
    /// Whether etcd can be asked for progress, as far as it knows.
    pub progress_supported: bool,
    /// Gates that are not as the version has them, such as `ListFromCacheSnapshot=false`.
    pub gates: Vec<String>,
    /// Watches that it holds of etcd, of all resources.
    pub etcd_watches: u32,
    /// Watches that its clients hold, of all resources.
    pub client_watches: u64,
    /// Events of etcd that it decoded, of all resources.
    pub decodes: u64,
    /// Events that it would have decoded if each client's watch were one of etcd.
    pub decodes_without_cache: u64,
    /// What lists have cost it, by who served them.
    pub lists: Vec<ListsRow>,
}

/// What the lists that one source served have cost an API server, of all resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListsRow {
    /// `cache`, `snapshot` or `etcd`.
    pub source: String,
    /// In all.
    pub total: ListCost,
    /// In the last second of simulated time that is over.
    pub second: ListCost,
}

/// What lists cost.
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
    /// Whether it has a cache of this resource at all.
    pub cached: bool,
    /// Whether it can be used.
    pub ready: CacheReady,
    /// Why it cannot, or since when; for a person.
    pub ready_detail: String,
    /// Up to where it knows of every change.
    pub revision: i64,
    /// Where its last list was; 0 before the first.
    pub list_revision: i64,
    /// Revisions of etcd that it has not heard of.
    pub behind: u64,
    /// Revisions that it is ahead of etcd, which a restored backup has taken back.
    pub ahead: u64,
    /// The age of the oldest of them, in microseconds; 0 when there is none.
    pub stale_us: u64,
    /// The history that watches can begin in.
    pub window: WindowView,
    /// Snapshots, and the oldest and the newest one's revision.
    pub snapshots: u64,
    /// The oldest snapshot's revision.
    pub oldest_snapshot: Option<i64>,
    /// Objects that it holds.
    pub objects: u64,
    /// Watches that it holds of etcd: one with a cache, one for each client's watch without.
    pub etcd_watches: u32,
    /// Watches that clients hold of it.
    pub client_watches: u64,
    /// Events of etcd that it decoded.
    pub decodes: u64,
    /// Events that it would have decoded if each client's watch were one of etcd.
    pub decodes_without_cache: u64,
    /// Times it asked etcd for progress.
    pub progress_requests: u64,
    /// Progress notifications in the time of the plot, oldest first.
    pub progress: Vec<ProgressMark>,
    /// Bookmarks to clients in the time of the plot, oldest first.
    pub bookmarks: Vec<ProgressMark>,
    /// Watches of clients, oldest first; at most [`CACHE_WATCHERS_SHOWN`].
    pub watchers: Vec<ClientWatchRow>,
    /// Reads that wait for it.
    pub waiting: Vec<WaitingRow>,
    /// How old the oldest revision is that it has not heard of, over time: corners of a line, oldest
    /// first, the last one now.
    pub staleness: Vec<StalePoint>,
}

/// Whether a cache can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CacheReady {
    /// There is none: etcd serves everything.
    #[default]
    Off,
    /// It has no list yet, or lost its watch.
    Pending,
    /// It can.
    Ready,
    /// Its API server has stopped.
    Stopped,
}

/// The rolling history window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowView {
    /// Events it has room for.
    pub capacity: u32,
    /// Events it holds.
    pub used: u64,
    /// The smallest and the largest capacity it may take.
    pub bounds: (u32, u32),
    /// The smallest resource version that a watch may begin from; below it is 410. `None` before
    /// the first list.
    pub oldest: Option<i64>,
    /// Revisions of its events, oldest first; the newest [`REVISIONS_SHOWN`].
    pub events: Vec<i64>,
}

/// A progress notification from etcd, or a bookmark to a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressMark {
    /// Up to where.
    pub revision: i64,
    /// When it came, in microseconds.
    pub at_us: u64,
    /// The client's watch that it went to; empty for one from etcd.
    pub to: String,
}

/// A watch that a client holds of a cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientWatchRow {
    /// The client's name.
    pub client: String,
    /// Its number on the server.
    pub watcher: u64,
    /// What it selects, for a person; `everything` or a namespace and selectors.
    pub selects: String,
    /// How it was found among all watchers: by `spec.nodeName=node-1`, or by its scope.
    pub registered: String,
    /// Up to where the client has been sent everything.
    pub revision: i64,
    /// It is still sent what was there when it began.
    pub replaying: bool,
    /// Entries in its input channel, and events in its result channel.
    pub queued: (u32, u32),
    /// How many each of them holds.
    pub channel: u32,
    /// Events it was sent.
    pub sent: u64,
}

/// A read that waits until the cache is new enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingRow {
    /// The request's number.
    pub request: u64,
    /// Who asks.
    pub client: String,
    /// What it needs; `None` while etcd is asked for its revision.
    pub needed: Option<i64>,
    /// Since when it waits, in microseconds.
    pub since_us: u64,
}

/// A corner of a plot of staleness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StalePoint {
    /// When, in microseconds.
    pub at_us: u64,
    /// How stale, in microseconds.
    pub stale_us: u64,
}

/// A request of a client.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestRow {
    /// Its number in the run.
    pub id: u64,
    /// The step in which it reached the API server.
    pub step: u64,
    /// When the client sent it, in microseconds.
    pub sent_us: u64,
    /// Who asks.
    pub client: String,
    /// Which API server.
    pub server: String,
    /// `GET`, `LIST`, `WATCH`, `CREATE`, `UPDATE` or `DELETE`.
    pub verb: String,
    /// What, as a person would type it behind the verb.
    pub what: String,
    /// The resource version asked for: `unset`, `0` or a number.
    pub asked: String,
    /// Who served it.
    pub path: PathKind,
    /// Why, in a sentence.
    pub reason: String,
    /// What the cache had to come to; 0 when it had not to wait for anything.
    pub needed: i64,
    /// The resource version that came back.
    pub revision: Option<i64>,
    /// Objects that came back.
    pub items: u64,
    /// Objects that were looked at for it.
    pub fetched: u64,
    /// The index that found them, such as `f:spec.nodeName`.
    pub index: String,
    /// Where the time went.
    pub split: LatencySplit,
    /// The HTTP code; 0 while it is not answered.
    pub code: u32,
    /// What was refused, in upstream's words.
    pub message: String,
    /// It waited too long for the cache, and etcd was asked instead.
    pub fell_back: bool,
}

/// Who served a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathKind {
    /// It is not known yet.
    #[default]
    Open,
    /// The cache.
    Cache,
    /// A snapshot of it.
    Snapshot,
    /// etcd.
    Etcd,
    /// Nobody: it was refused.
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
    /// Reading from etcd, or writing to it.
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
    /// The request that got it, by its number.
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
    /// Who serves it.
    pub path: PathKind,
    /// Why, in a sentence.
    pub reason: String,
    /// What comes back: `≥ head`, `≥ N`, `= N`, `any version`.
    pub returns: String,
    /// What it costs: `RTT + wait`, `wait`, `none`, `RTT`.
    pub cost: String,
    /// What happens when the wait is too long.
    pub gives_up: String,
    /// The command that does exactly this.
    pub command: String,
    /// Whether it is the one that was asked for.
    pub asked: bool,
}
