//! The Watch view: three pools on one revision ruler, the sweep, the streams, the lamps.
//!
//! Up to [`WATCHERS_DRAWN`] watchers come one by one; more come as counts per column.

pub mod build;
mod detail;
pub mod lamps;
mod many;
mod rows;

use serde::{Deserialize, Serialize};

/// Watchers that are drawn one by one; beyond, counts per column stand for them.
pub const WATCHERS_DRAWN: u64 = 24;

/// Streams that are drawn one by one; beyond, they are counted by how full their channel is.
pub const STREAMS_DRAWN: u64 = 8;

/// What part of the watchers is visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchQuery {
    /// Columns that counts are made for when there are too many watchers to draw.
    pub columns: u32,
    /// The watcher whose details are shown.
    pub selected: Option<u64>,
    /// First row of the table of all watchers.
    pub table_from: u64,
    /// Rows of that table; 0 when it is closed.
    pub table_rows: u32,
}

/// All watchers at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchView {
    /// Simulated time, in microseconds.
    pub now_us: u64,
    /// The store's revision: the right edge.
    pub revision: i64,
    /// The oldest readable revision; -1 when never compacted.
    pub compact_revision: i64,
    /// The left end of the ruler: at or before every watcher's next revision.
    pub axis_from: i64,
    /// Sizes and periods in force.
    pub limits: WatchLimitsView,
    /// Watchers that have everything up to now.
    pub synced: u64,
    /// Watchers that lack something.
    pub unsynced: u64,
    /// Watchers whose channel was full.
    pub victims: u64,
    /// The next sweep; `None` when no watcher is unsynced.
    pub next_sync: Option<NextSync>,
    /// The last sweep that had something to do.
    pub last_sync: Option<LastSync>,
    /// All watchers when they are few, otherwise none. Ordered by their creation.
    pub watchers: Vec<WatcherView>,
    /// When they are many: counts per column of the ruler, from the left.
    pub bins: Vec<WatcherBin>,
    /// When they are many: the key ranges with the most watchers, and the rest as one.
    pub ranges: Vec<RangeRow>,
    /// All streams when they are few, otherwise none.
    pub streams: Vec<StreamView>,
    /// When they are many: how many have an empty channel, 1 to a quarter, more, and a full one.
    pub stream_fill: Option<[u64; 4]>,
    /// Streams there are.
    pub streams_total: u64,
    /// The guarantees, and whether they hold.
    pub lamps: Vec<LampView>,
    /// The watcher that was asked for.
    pub selected: Option<WatcherDetail>,
    /// A part of the table of all watchers: the furthest behind first, then by creation.
    pub table: Vec<WatcherView>,
}

/// Sizes and periods in force, upstream's by default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchLimitsView {
    /// Responses that a stream's channel holds (128).
    pub channel: u32,
    /// Watchers that one sweep takes (512).
    pub watchers_per_sync: u32,
    /// Different revisions in one response (1000).
    pub batch_revs: u32,
    /// From sweep to sweep, in microseconds (100 ms).
    pub resync_us: u64,
    /// From try to try to send to victims, in microseconds (10 ms).
    pub victim_retry_us: u64,
}

/// Where a watcher is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatcherPool {
    /// It has everything up to now.
    #[default]
    Synced,
    /// It lacks something that a sweep will read back.
    Unsynced,
    /// Its stream's channel was full.
    Victim,
    /// Compaction overtook it and it was told so.
    Compacted,
}

/// One watcher.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherView {
    /// Its number in the store.
    pub id: u64,
    /// The name it was given, e.g. `w1`.
    pub name: String,
    /// The number of its stream.
    pub stream: u64,
    /// Its id on that stream.
    pub watch_id: i64,
    /// What it watches, e.g. `/registry/pods/` or `/a … /b`.
    pub range: String,
    /// The first key that it watches.
    pub key: Vec<u8>,
    /// The key behind the last one, as etcd has it: empty for one key, a zero byte for no end.
    pub end: Vec<u8>,
    /// Where it is.
    pub pool: WatcherPool,
    /// The next revision it will accept: `minRev`, and for a synced one the head + 1.
    pub next: i64,
    /// Revisions it lacks: head - next + 1, at least 0.
    pub behind: i64,
    /// The revisions of the batch it was sent last.
    pub sent: Option<(i64, i64)>,
    /// The revisions of the batch that the next sweep has for it, at most.
    pub next_batch: Option<(i64, i64)>,
    /// Events that it lacks and wants: 0 when the next sweep only makes it synced.
    pub events_behind: u64,
    /// The revision of the batch that a victim keeps.
    pub kept: Option<i64>,
    /// What its client has received.
    pub client: Option<ReceivedView>,
    /// The step at hand changed it.
    pub changed: bool,
}

/// What the client of a watcher has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedView {
    /// The revision up to which it has everything, from events and progress notifications.
    pub revision: i64,
    /// Events that it has not received: in flight, in the stream's channel, held by a victim, or in rows only.
    pub missing: u64,
    /// Whether it asked for progress notifications.
    pub has_progress: bool,
}

/// The last response that left for a watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastResponse {
    /// How many microseconds ago.
    pub ago_us: u64,
    /// How many events it has.
    pub events: u64,
    /// The revision of its header.
    pub header_revision: i64,
    /// The first and the last revision of its events, when it has any.
    pub revisions: Option<(i64, i64)>,
}

/// The next sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NextSync {
    /// In how many microseconds.
    pub in_us: u64,
    /// Watchers that it takes.
    pub picks: u64,
    /// The first revision that it reads.
    pub from: i64,
    /// The last one.
    pub to: i64,
}

/// The last sweep that had something to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LastSync {
    /// How many microseconds ago.
    pub ago_us: u64,
    /// Whether it is the step at hand.
    pub now: bool,
    /// Watchers it took.
    pub picked: u64,
    /// The first revision that it read.
    pub from: i64,
    /// The last one.
    pub to: i64,
    /// Rows that it read.
    pub rows: u64,
    /// Watchers that are synced since.
    pub synced: u64,
    /// Watchers whose channel was full.
    pub victims: u64,
    /// Watchers that were told that compaction overtook them.
    pub compacted: u64,
}

/// Watchers whose next revision falls into one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherBin {
    /// The column's first revision.
    pub from: i64,
    /// Its last one.
    pub to: i64,
    /// Unsynced watchers that the next sweep takes.
    pub unsynced_now: u32,
    /// Unsynced watchers that it leaves for later.
    pub unsynced_later: u32,
    /// Victims.
    pub victims: u32,
}

/// All watchers of one key range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RangeRow {
    /// The range, or `17 other ranges`.
    pub label: String,
    /// Watchers of it.
    pub watchers: u64,
    /// How many of them are synced.
    pub synced: u64,
    /// Unsynced ones per column, as many as [`WatchView::bins`].
    pub unsynced: Vec<u32>,
    /// Victims per column.
    pub victims: Vec<u32>,
}

/// One gRPC stream, on the member's side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamView {
    /// Its number.
    pub id: u64,
    /// The client at its other end.
    pub client: String,
    /// Responses waiting in its channel.
    pub channel: u32,
    /// How many fit in.
    pub capacity: u32,
    /// Bytes sent that the client has not read yet.
    pub window_used: u64,
    /// How many may be so.
    pub window: u64,
    /// What keeps the client from reading: `paused`, `slow`, `held`, or nothing.
    pub client_state: String,
    /// Its watchers: number, name, pool. At most twelve; see `watchers_total`.
    pub watchers: Vec<(u64, String, WatcherPool)>,
    /// How many there are.
    pub watchers_total: u64,
}

/// One guarantee.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LampView {
    /// Its name, e.g. `Ordered`.
    pub name: String,
    /// Whether it holds, is near its limit, or was broken.
    pub lamp: Lamp,
    /// A few words, e.g. `by revision`, or what is near or broken.
    pub detail: String,
    /// What it promises, in a sentence, and when it is broken what broke it.
    pub explain: String,
    /// The step that broke it, when one did.
    pub step: Option<u64>,
}

/// The state of a guarantee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lamp {
    /// Nothing was seen yet that it says anything about.
    #[default]
    Idle,
    /// It holds.
    Holds,
    /// It holds, but something stands at its limit.
    Near,
    /// It was broken.
    Broken,
}

/// One watcher in every detail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherDetail {
    /// The watcher.
    pub watcher: WatcherView,
    /// The client that wants it.
    pub client: String,
    /// Where it was asked to begin; 0 for "from now on".
    pub start_revision: i64,
    /// `NOPUT`, `NODELETE`, `prev_kv`, `progress_notify`, `fragment`.
    pub options: Vec<String>,
    /// The last response that etcd sent for it.
    pub last: Option<LastResponse>,
    /// What will become of it, in one sentence.
    pub forecast: String,
    /// What its client has printed so far, the newest lines (at most 200).
    pub printed: String,
    /// How it came to be where it is: sentences with the step of each, oldest first.
    pub why: Vec<(u64, String)>,
}
