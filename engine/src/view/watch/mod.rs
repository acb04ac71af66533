//! The Watch view: the watchers in three pools (synced, unsynced, victims) on a revision ruler, the sync pass, the
//! streams and the guarantees.
//!
//! The view contains up to [`WATCHERS_DRAWN`] individual watchers. With more watchers, the view contains counts per
//! column of the ruler.

pub(in crate::view) mod away;
pub mod build;
mod detail;
pub mod lamps;
mod many;
mod rows;

use serde::{Deserialize, Serialize};

use crate::words::watch as words;

/// The maximum number of watchers that the view contains individually. With more watchers, the view contains the number
/// of watchers per column of the ruler.
pub const WATCHERS_DRAWN: u64 = 24;

/// The maximum number of streams that the view contains individually. With more streams, the view contains the number
/// of streams per fill level of the channel.
pub const STREAMS_DRAWN: u64 = 8;

/// The part of the Watch view to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchQuery {
    /// The number of columns of the ruler. The view counts the watchers in each column.
    pub columns: u32,
    /// The watcher whose details are shown.
    pub selected: Option<u64>,
    /// The first row of the watcher table to return.
    pub table_from: u64,
    /// The number of table rows to return; 0 while the table is closed.
    pub table_rows: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchView {
    /// Simulated time, in microseconds.
    pub now_us: u64,
    /// The store's revision, at the right end of the ruler.
    pub revision: i64,
    /// The compact revision; -1 before the first compaction.
    pub compact_revision: i64,
    /// The left end of the ruler, at or before the next revision of every watcher.
    pub axis_from: i64,
    pub limits: WatchLimitsView,
    pub synced: u64,
    pub unsynced: u64,
    /// The number of victims: watchers that hold a batch because the channel of their stream was full.
    pub victims: u64,
    /// The next sync pass; `None` if no watcher is unsynced.
    pub next_sync: Option<NextSync>,
    /// The last sync pass that had work to do.
    pub last_sync: Option<LastSync>,
    /// The watchers in the order of creation; empty if there are more than [`WATCHERS_DRAWN`].
    pub watchers: Vec<WatcherView>,
    /// The number of watchers per column of the ruler, from left to right; empty if the watchers are in `watchers`.
    pub bins: Vec<WatcherBin>,
    /// The key ranges with the most watchers, and one row for all other key ranges; empty if the watchers are in
    /// `watchers`.
    pub ranges: Vec<RangeRow>,
    /// The streams; empty if there are too many for the view.
    pub streams: Vec<StreamView>,
    /// The numbers of streams by fill level of the channel: empty, up to a quarter full, fuller, and full. `None` if
    /// the streams are in `streams`.
    pub stream_fill: Option<[u64; 4]>,
    /// The total number of streams of the member.
    pub streams_total: u64,
    /// The guarantees and their states.
    pub lamps: Vec<LampView>,
    pub selected: Option<WatcherDetail>,
    /// The requested part of the watcher table. The table is sorted by lag, the greatest first, then by creation.
    pub table: Vec<WatcherView>,
    /// Watches without a watcher. Watches that wait for a watcher are first, followed by the watches that ended last.
    pub away: Vec<AwayView>,
    /// The number of watches without a watcher, including the watches that `away` omits.
    pub away_total: u64,
}

impl WatchView {
    /// Returns true if there are too many watchers to draw each one.
    pub fn is_dense(&self) -> bool {
        self.watchers.is_empty() && self.synced + self.unsynced + self.victims > 0
    }
}

/// A watch without a watcher in etcd.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AwayView {
    /// The name of the watch, such as `w1`.
    pub name: String,
    /// The client or API server that started the watch.
    pub client: String,
    /// The watched keys as text.
    pub range: String,
    /// The reason why the watch has no watcher in etcd.
    pub state: AwayState,
    /// The reason as a sentence without a full stop.
    pub about: String,
    /// The command that makes the watch continue; `None` if no command helps.
    pub command: Option<String>,
    /// The step in which the watch ended, if it ended.
    pub step: Option<u64>,
}

/// The reason why a watch has no watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AwayState {
    /// The client is disconnected from etcd.
    #[default]
    Disconnected,
    /// The client requested the watch, but etcd has not confirmed the watch yet.
    Requested,
    /// The client requested the watch again over a new stream.
    Reconnecting,
    /// etcd canceled the watch, but the client has not received the cancellation yet.
    Canceled,
    /// The process of the client is stopped.
    Stopped,
    Ended,
}

impl AwayState {
    /// Returns one word that names the reason.
    pub fn word(self) -> &'static str {
        match self {
            Self::Disconnected => words::DISCONNECTED,
            Self::Requested => words::REQUESTED,
            Self::Reconnecting => words::RECONNECTING,
            Self::Canceled => words::CANCELED,
            Self::Stopped => words::STOPPED,
            Self::Ended => words::ENDED,
        }
    }
}

/// The current settings for watches. Upstream's defaults are in parentheses.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatcherPool {
    /// The watcher is not missing any events.
    #[default]
    Synced,
    /// The watcher is missing events, which a sync pass will read.
    Unsynced,
    /// The channel of the watcher's stream was full, so the watcher holds an unsent batch.
    Victim,
    /// The watcher was canceled because of a compaction.
    Compacted,
}

/// A watcher of the member, with its pool, its position on the ruler and its missing events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherView {
    /// The number of the watcher in the store.
    pub id: u64,
    /// The name, e.g. `w1`.
    pub name: String,
    pub stream: u64,
    pub watch_id: i64,
    /// The watched keys, e.g. `/registry/pods/` or `/a … /b`.
    pub range: String,
    /// The first watched key, as bytes.
    pub key: Vec<u8>,
    /// The end of the watched range, in the format of etcd's `range_end`: empty for a single key, a zero byte for a
    /// range without an end.
    pub end: Vec<u8>,
    pub pool: WatcherPool,
    /// The next revision that the watcher accepts: the watcher's `minRev` or, if the watcher is synced, the store's
    /// revision + 1.
    pub next: i64,
    /// The number of revisions that the watcher is missing: `revision - next + 1`, where `revision` is the store's
    /// revision, but at least 0.
    pub behind: i64,
    /// The first and the last revision of the last batch that was sent to the watcher.
    pub sent: Option<(i64, i64)>,
    /// The first and the last revision of the largest batch that the next sync pass can send.
    pub next_batch: Option<(i64, i64)>,
    /// The number of missing events that the watcher's filters let through. If the number is 0, the next sync pass only
    /// marks the watcher as synced.
    pub events_behind: u64,
    /// The first revision of the batch that the watcher holds, if the watcher is a victim.
    pub kept: Option<i64>,
    /// The state of the client: the events that the client has received.
    pub client: Option<ReceivedView>,
    /// Whether the step at the cursor changed the watcher.
    pub changed: bool,
}

/// The events that a watcher's client has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedView {
    /// The revision up to which the client has received all events. The client knows this from events and progress
    /// notifications.
    pub revision: i64,
    /// The number of events that the client has not received. These events are in flight, in the stream's channel, held
    /// by a victim, or only in the backend.
    pub missing: u64,
    /// Whether the watch request asked for progress notifications.
    pub has_progress: bool,
}

/// The last response sent to a watcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastResponse {
    /// The time since etcd sent the response, in microseconds.
    pub ago_us: u64,
    pub events: u64,
    pub header_revision: i64,
    /// The first and the last revision of the events; `None` without events.
    pub revisions: Option<(i64, i64)>,
}

/// A forecast of the next sync pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NextSync {
    /// The time until the sync pass, in microseconds.
    pub in_us: u64,
    /// The number of watchers that the sync pass will pick.
    pub picks: u64,
    /// The first revision that the sync pass will read.
    pub from: i64,
    /// The last revision that the sync pass will read.
    pub to: i64,
}

/// The last sync pass that had work to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LastSync {
    /// The time since the sync pass, in microseconds.
    pub ago_us: u64,
    /// Whether the step at the cursor is this sync pass.
    pub now: bool,
    /// The number of watchers that the sync pass picked.
    pub picked: u64,
    /// The first revision that the sync pass read.
    pub from: i64,
    /// The last revision that the sync pass read.
    pub to: i64,
    /// The number of rows that the sync pass read.
    pub rows: u64,
    /// The duration of the sync pass in microseconds. Writes wait during a pass of more than a millisecond.
    pub took_us: u64,
    /// The number of watchers that the sync pass made synced.
    pub synced: u64,
    /// The number of watchers that the sync pass made victims.
    pub victims: u64,
    /// The number of watchers that the sync pass canceled because of a compaction.
    pub compacted: u64,
}

/// The watchers whose next revision is in the same column of the ruler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherBin {
    /// The first revision of the column.
    pub from: i64,
    /// The last revision of the column.
    pub to: i64,
    /// The number of unsynced watchers that the next sync pass picks.
    pub unsynced_now: u32,
    /// The number of unsynced watchers that the next sync pass leaves for later passes.
    pub unsynced_later: u32,
    pub victims: u32,
}

/// The watchers of one key range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RangeRow {
    /// The key range as text, or a text such as `17 other ranges`.
    pub label: String,
    pub watchers: u64,
    pub synced: u64,
    /// The number of unsynced watchers per column of [`WatchView::bins`].
    pub unsynced: Vec<u32>,
    /// The number of victims per column of [`WatchView::bins`].
    pub victims: Vec<u32>,
}

/// A gRPC stream for watches, as the member sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamView {
    pub id: u64,
    pub client: String,
    /// The number of responses in the channel of the stream.
    pub channel: u32,
    /// The capacity of the stream's channel, in responses.
    pub capacity: u32,
    /// The number of requests of the client that `recvLoop` has not handled because it waits for room in the control
    /// channel.
    pub requests: u64,
    /// The number of responses that `recvLoop` holds because the control channel is full: 0 or 1.
    pub recv_in_hand: u64,
    /// The number of responses of `recvLoop` in the control channel.
    pub control: u64,
    /// The capacity of the control channel, in responses.
    pub control_capacity: u64,
    /// The number of responses that `sendLoop` has taken from a channel but not sent yet.
    pub in_hand: u64,
    /// The number of sent bytes that the client has not read.
    pub window_used: u64,
    /// The maximum number of sent bytes that the client has not read.
    pub window: u64,
    /// The reason why the client does not read at full speed: `paused`, `slow` or `held`. Empty if the client reads
    /// normally.
    pub client_state: String,
    /// The watchers of the stream, each with its number, name and pool; at most twelve.
    pub watchers: Vec<(u64, String, WatcherPool)>,
    pub watchers_total: u64,
}

/// The state of one guarantee, which the page shows as a lamp.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LampView {
    /// The name, e.g. `Ordered`.
    pub name: String,
    pub lamp: Lamp,
    /// A short note such as `by revision`. If the guarantee is near its limit or broken, the note names the watch and
    /// the problem.
    pub detail: String,
    /// The definition of the guarantee. If the guarantee is broken, the text also contains the cause.
    pub explain: String,
    /// The step in which the guarantee was first broken; `None` if it was never broken.
    pub step: Option<u64>,
}

/// The state of a guarantee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lamp {
    /// No event to which the guarantee applies has happened yet.
    #[default]
    Idle,
    Holds,
    /// The guarantee holds, but a compaction has removed the next revision of a disconnected watch.
    Near,
    Broken,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatcherDetail {
    pub watcher: WatcherView,
    pub client: String,
    /// The requested start revision; 0 for new events only.
    pub start_revision: i64,
    /// The options of the watch: `NOPUT`, `NODELETE`, `prev_kv`, `progress_notify`, `fragment`.
    pub options: Vec<String>,
    pub last: Option<LastResponse>,
    /// The event that will happen to the watcher next, in one sentence.
    pub forecast: String,
    /// The newest output lines of the client; at most 200.
    pub printed: String,
    /// The history of the watcher's state, oldest first: a step and a sentence for each change.
    pub why: Vec<(u64, String)>,
}
