//! The Watch view: watchers in three pools on a revision ruler, the sync pass, the streams and the guarantees.
//!
//! The view contains up to [`WATCHERS_DRAWN`] single watchers. If there are more, it contains counts per column.

pub(in crate::view) mod away;
pub mod build;
mod detail;
pub mod lamps;
mod many;
mod rows;

use serde::{Deserialize, Serialize};

/// The maximum number of single watchers. If there are more, they are counted per column.
pub const WATCHERS_DRAWN: u64 = 24;

/// The maximum number of single streams. If there are more, they are counted by the fill level of their channel.
pub const STREAMS_DRAWN: u64 = 8;

/// The part of the Watch view to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchQuery {
    /// The number of columns for counts.
    pub columns: u32,
    /// The watcher whose details are shown.
    pub selected: Option<u64>,
    /// The first row of the watcher table to return.
    pub table_from: u64,
    /// The number of table rows to return; 0 while the table is closed.
    pub table_rows: u32,
}

/// The Watch view at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchView {
    /// Simulated time, in microseconds.
    pub now_us: u64,
    /// The store's revision, at the right end of the ruler.
    pub revision: i64,
    /// The compacted revision; -1 before the first compaction.
    pub compact_revision: i64,
    /// The left end of the ruler, at or before the next revision of every watcher.
    pub axis_from: i64,
    /// The current settings.
    pub limits: WatchLimitsView,
    /// The number of synced watchers.
    pub synced: u64,
    /// The number of unsynced watchers.
    pub unsynced: u64,
    /// The number of victims.
    pub victims: u64,
    /// The next sync pass; `None` if no watcher is unsynced.
    pub next_sync: Option<NextSync>,
    /// The last sync pass that had work to do.
    pub last_sync: Option<LastSync>,
    /// The watchers in the order of creation; empty if there are too many.
    pub watchers: Vec<WatcherView>,
    /// If there are too many watchers: counts per column of the ruler, from left to right.
    pub bins: Vec<WatcherBin>,
    /// If there are too many watchers: the key ranges with the most watchers, and one row for all others.
    pub ranges: Vec<RangeRow>,
    /// The streams; empty if there are too many.
    pub streams: Vec<StreamView>,
    /// If there are too many streams: the number with an empty channel, up to a quarter full, fuller, and full.
    pub stream_fill: Option<[u64; 4]>,
    /// The total number of streams.
    pub streams_total: u64,
    /// The guarantees and their states.
    pub lamps: Vec<LampView>,
    /// The selected watcher.
    pub selected: Option<WatcherDetail>,
    /// The requested part of the watcher table, greatest lag first, then in the order of creation.
    pub table: Vec<WatcherView>,
    /// Watches that have no watcher: those that wait first, then the newest that ended.
    pub away: Vec<AwayView>,
    /// The number of watches without a watcher, including those that `away` leaves out.
    pub away_total: u64,
}

/// A watch that has no watcher in etcd.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AwayView {
    /// The name, e.g. `w1`.
    pub name: String,
    /// The client or API server.
    pub client: String,
    /// The watched keys.
    pub range: String,
    /// The reason in one word.
    pub state: AwayState,
    /// The reason in a sentence without a full stop.
    pub about: String,
    /// The command that lets the watch go on, if a command does.
    pub command: Option<String>,
    /// The step of the end.
    pub step: Option<u64>,
}

/// Why a watch has no watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AwayState {
    /// The client is not connected to etcd.
    #[default]
    Disconnected,
    /// The client asked for the watch, and etcd has not confirmed it.
    Requested,
    /// The client asked for the watch again over a new stream.
    Reconnecting,
    /// etcd canceled the watch, and the client does not know yet.
    Canceled,
    /// The process of the client is stopped.
    Stopped,
    /// The watch ended.
    Ended,
}

impl AwayState {
    /// The state in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Disconnected => "disconnected",
            Self::Requested => "requested",
            Self::Reconnecting => "reconnecting",
            Self::Canceled => "canceled",
            Self::Stopped => "stopped",
            Self::Ended => "ended",
        }
    }
}

/// The current settings, with upstream's defaults in parentheses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchLimitsView {
    /// The capacity of a stream's channel, in responses (128).
    pub channel: u32,
    /// The maximum number of watchers per sync pass (512).
    pub watchers_per_sync: u32,
    /// The maximum number of revisions per response (1000).
    pub batch_revs: u32,
    /// The interval between sync passes, in microseconds (100 ms).
    pub resync_us: u64,
    /// The interval between retries for victims, in microseconds (10 ms).
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
    /// The channel of the watcher's stream was full, so the watcher holds a batch.
    Victim,
    /// The watcher was canceled because of a compaction.
    Compacted,
}

/// A watcher.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherView {
    /// The number in the store.
    pub id: u64,
    /// The name, e.g. `w1`.
    pub name: String,
    /// The number of the watcher's stream.
    pub stream: u64,
    /// The watch ID on the stream.
    pub watch_id: i64,
    /// The watched keys, e.g. `/registry/pods/` or `/a … /b`.
    pub range: String,
    /// The first watched key.
    pub key: Vec<u8>,
    /// The end of the range, like etcd's `range_end`: empty for a single key, a zero byte for no end.
    pub end: Vec<u8>,
    /// The watcher's pool.
    pub pool: WatcherPool,
    /// The next revision that the watcher accepts: `minRev`, or for a synced watcher the current revision + 1.
    pub next: i64,
    /// The number of missing revisions: head - next + 1, at least 0.
    pub behind: i64,
    /// The revisions of the last batch sent.
    pub sent: Option<(i64, i64)>,
    /// The revisions of the largest batch that the next sync pass can send.
    pub next_batch: Option<(i64, i64)>,
    /// The number of missing events that pass the watcher's filters. If 0, the next sync pass only marks the watcher
    /// as synced.
    pub events_behind: u64,
    /// The first revision of the batch that a victim holds.
    pub kept: Option<i64>,
    /// The responses that the client has received.
    pub client: Option<ReceivedView>,
    /// Whether the current step changed the watcher.
    pub changed: bool,
}

/// The responses that the client of a watcher has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedView {
    /// The revision up to which the client has received all events, known from events and progress notifications.
    pub revision: i64,
    /// The number of events that the client has not received: in flight, in the stream's channel, held by a victim, or
    /// only in the backend.
    pub missing: u64,
    /// Whether the watch requested progress notifications.
    pub has_progress: bool,
}

/// The last response sent to a watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastResponse {
    /// The time since the response, in microseconds.
    pub ago_us: u64,
    /// The number of events.
    pub events: u64,
    /// The revision in the response's header.
    pub header_revision: i64,
    /// The first and the last revision of the events; `None` without events.
    pub revisions: Option<(i64, i64)>,
}

/// The next sync pass.
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

/// The last sync pass that had work to do.
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
    /// The number of watchers that became synced.
    pub synced: u64,
    /// The number of watchers that became victims.
    pub victims: u64,
    /// The number of watchers canceled because of a compaction.
    pub compacted: u64,
}

/// The watchers whose next revision is in one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherBin {
    /// The column's first revision.
    pub from: i64,
    /// The last revision.
    pub to: i64,
    /// The number of unsynced watchers that the next sync pass picks.
    pub unsynced_now: u32,
    /// The number of unsynced watchers left for later passes.
    pub unsynced_later: u32,
    /// The number of victims.
    pub victims: u32,
}

/// The watchers of one key range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RangeRow {
    /// The range, or `17 other ranges`.
    pub label: String,
    /// The number of watchers.
    pub watchers: u64,
    /// The number of synced watchers.
    pub synced: u64,
    /// The number of unsynced watchers per column of [`WatchView::bins`].
    pub unsynced: Vec<u32>,
    /// The number of victims per column.
    pub victims: Vec<u32>,
}

/// A gRPC stream on the member's side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamView {
    /// The number of the stream.
    pub id: u64,
    /// The client of the stream.
    pub client: String,
    /// The number of responses in the channel.
    pub channel: u32,
    /// The capacity of the channel.
    pub capacity: u32,
    /// The number of bytes sent that the client has not read.
    pub window_used: u64,
    /// The maximum number of unread bytes.
    pub window: u64,
    /// The reason why the client does not read: `paused`, `slow` or `held`. Empty if the client reads.
    pub client_state: String,
    /// The number, name and pool of each watcher, for at most twelve watchers.
    pub watchers: Vec<(u64, String, WatcherPool)>,
    /// The total number of watchers.
    pub watchers_total: u64,
}

/// The state of one guarantee.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LampView {
    /// The name, e.g. `Ordered`.
    pub name: String,
    /// Whether the guarantee holds, is near its limit, or is broken.
    pub lamp: Lamp,
    /// A short note, such as `by revision`, or the problem if the guarantee is near its limit or broken.
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

/// The details of a watcher.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherDetail {
    /// The watcher's row.
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
    /// The history of the watcher's state: the step and a sentence for each change, oldest first.
    pub why: Vec<(u64, String)>,
}
