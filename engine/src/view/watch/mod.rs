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

/// The visible part of the watchers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchQuery {
    /// Columns that counts are made for when there are too many watchers to draw.
    pub columns: u32,
    /// The watcher whose details are shown.
    pub selected: Option<u64>,
    /// First row of the table of all watchers.
    pub table_from: u64,
    /// Rows of the table; 0 when the table is closed.
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
    /// The number of unsynced watchers.
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
    /// All streams when there are few; otherwise empty.
    pub streams: Vec<StreamView>,
    /// When they are many: how many have an empty channel, 1 to a quarter, more, and a full one.
    pub stream_fill: Option<[u64; 4]>,
    /// Streams there are.
    pub streams_total: u64,
    /// The guarantees and their states.
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
    /// The maximum number of watchers per sync pass (512).
    pub watchers_per_sync: u32,
    /// The maximum number of revisions per response (1000).
    pub batch_revs: u32,
    /// From sweep to sweep, in microseconds (100 ms).
    pub resync_us: u64,
    /// From try to try to send to victims, in microseconds (10 ms).
    pub victim_retry_us: u64,
}

/// The pool of a watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatcherPool {
    /// The watcher is missing no event.
    #[default]
    Synced,
    /// The watcher is missing events that a sync pass will read.
    Unsynced,
    /// The stream's channel was full.
    Victim,
    /// The watcher was canceled because of a compaction.
    Compacted,
}

/// One watcher.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherView {
    /// The number in the store.
    pub id: u64,
    /// The name, e.g. `w1`.
    pub name: String,
    /// The number of its stream.
    pub stream: u64,
    /// The watch ID on the stream.
    pub watch_id: i64,
    /// The watched keys, e.g. `/registry/pods/` or `/a … /b`.
    pub range: String,
    /// The first watched key.
    pub key: Vec<u8>,
    /// The key behind the last one, as etcd has it: empty for one key, a zero byte for no end.
    pub end: Vec<u8>,
    /// The pool.
    pub pool: WatcherPool,
    /// The next revision it will accept: `minRev`, and for a synced one the head + 1.
    pub next: i64,
    /// The number of missing revisions: head - next + 1, at least 0.
    pub behind: i64,
    /// The revisions of the last batch sent.
    pub sent: Option<(i64, i64)>,
    /// The revisions of the batch that the next sweep has for it, at most.
    pub next_batch: Option<(i64, i64)>,
    /// Events that it lacks and wants: 0 when the next sweep only makes it synced.
    pub events_behind: u64,
    /// The revision of the batch that a victim keeps.
    pub kept: Option<i64>,
    /// The responses that the client has received.
    pub client: Option<ReceivedView>,
    /// Whether the current step changed the watcher.
    pub changed: bool,
}

/// The responses that the client of a watcher has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedView {
    /// The revision up to which it has everything, from events and progress notifications.
    pub revision: i64,
    /// Events that it has not received: in flight, in the stream's channel, held by a victim, or in rows only.
    pub missing: u64,
    /// Whether the watch requested progress notifications.
    pub has_progress: bool,
}

/// The last response that left for a watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastResponse {
    /// The time since the response, in microseconds.
    pub ago_us: u64,
    /// The number of events.
    pub events: u64,
    /// The revision of its header.
    pub header_revision: i64,
    /// The first and the last revision of its events, when it has any.
    pub revisions: Option<(i64, i64)>,
}

/// The next sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NextSync {
    /// The time until the sync pass, in microseconds.
    pub in_us: u64,
    /// The number of watchers to pick.
    pub picks: u64,
    /// The first revision to read.
    pub from: i64,
    /// The last revision to read.
    pub to: i64,
}

/// The last sweep that had something to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LastSync {
    /// The time since the sync pass, in microseconds.
    pub ago_us: u64,
    /// Whether the current step is the sync pass.
    pub now: bool,
    /// The number of watchers picked.
    pub picked: u64,
    /// The first revision read.
    pub from: i64,
    /// The last revision read.
    pub to: i64,
    /// The number of rows read.
    pub rows: u64,
    /// Watchers that are synced since.
    pub synced: u64,
    /// Watchers whose channel was full.
    pub victims: u64,
    /// Watchers canceled because of a compaction.
    pub compacted: u64,
}

/// Watchers whose next revision falls into one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherBin {
    /// The column's first revision.
    pub from: i64,
    /// The last revision.
    pub to: i64,
    /// Unsynced watchers that the next sweep takes.
    pub unsynced_now: u32,
    /// Unsynced watchers left for later passes.
    pub unsynced_later: u32,
    /// Victims.
    pub victims: u32,
}

/// All watchers of one key range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RangeRow {
    /// The range, or `17 other ranges`.
    pub label: String,
    /// The number of watchers.
    pub watchers: u64,
    /// The number of synced watchers.
    pub synced: u64,
    /// Unsynced watchers per column, as many as [`WatchView::bins`].
    pub unsynced: Vec<u32>,
    /// Victims per column.
    pub victims: Vec<u32>,
}

/// One gRPC stream, on the member's side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamView {
    /// The number.
    pub id: u64,
    /// The client of the stream.
    pub client: String,
    /// The number of responses in the channel.
    pub channel: u32,
    /// The capacity of the channel.
    pub capacity: u32,
    /// Bytes sent that the client has not read yet.
    pub window_used: u64,
    /// The maximum of unread bytes.
    pub window: u64,
    /// The reason why the client does not read: `paused`, `slow`, `held`, or empty.
    pub client_state: String,
    /// The watchers: number, name, pool. At most twelve; see `watchers_total`.
    pub watchers: Vec<(u64, String, WatcherPool)>,
    /// The number of watchers.
    pub watchers_total: u64,
}

/// One guarantee.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LampView {
    /// The name, e.g. `Ordered`.
    pub name: String,
    /// Whether the guarantee holds, is near its limit, or is broken.
    pub lamp: Lamp,
    /// A few words, e.g. `by revision`, or what is near or broken.
    pub detail: String,
    /// The promise, and the cause of the breach when the guarantee is broken.
    pub explain: String,
    /// The step of the first breach, if any.
    pub step: Option<u64>,
}

/// The state of a guarantee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lamp {
    /// Not exercised yet.
    #[default]
    Idle,
    /// The guarantee holds.
    Holds,
    /// The guarantee holds, but a watch is at its limit.
    Near,
    /// The guarantee is broken.
    Broken,
}

/// One watcher in every detail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherDetail {
    /// The watcher.
    pub watcher: WatcherView,
    /// The client of the watch.
    pub client: String,
    /// The requested start revision; 0 for new events only.
    pub start_revision: i64,
    /// `NOPUT`, `NODELETE`, `prev_kv`, `progress_notify`, `fragment`.
    pub options: Vec<String>,
    /// The last response sent to the watch.
    pub last: Option<LastResponse>,
    /// The next event of the watcher, in one sentence.
    pub forecast: String,
    /// The newest output lines of the client (at most 200).
    pub printed: String,
    /// How it came to be where it is: sentences with the step of each, oldest first.
    pub why: Vec<(u64, String)>,
}
