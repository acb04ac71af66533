//! Trace events of watchers, messages and clients.

use std::sync::Arc;

use super::Printed;
use crate::api::message::Body;
use crate::api::{EtcdError, Reply, WatchResponse};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::{MessageId, NodeId, StreamKey};
use crate::base::time::{SimDuration, SimTime};
use crate::qos::monitor::MonitorRow;

/// The events on the member's side of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchTrace {
    StreamOpened {
        stream: StreamKey,
    },
    /// A stream was closed, which ended its watches.
    StreamClosed {
        stream: StreamKey,
        watchers: u32,
    },
    Created {
        /// The watcher's number in the store.
        watcher: u64,
        stream: StreamKey,
        watch_id: i64,
        range: KeyRange,
        /// The requested start revision; 0 for new events only.
        start_rev: i64,
        /// The first revision whose events the watcher will send.
        next_rev: i64,
        /// Whether the watcher starts synced. Otherwise, a sync pass reads the events that the watcher is missing.
        synced: bool,
    },
    Refused {
        stream: StreamKey,
        /// The reason, in upstream's words.
        reason: &'static str,
    },
    /// A client ended a watch.
    Canceled {
        stream: StreamKey,
        watch_id: i64,
    },
    /// A write notified the synced watchers of its keys.
    Notified {
        revision: i64,
        /// The number of notified watchers, including watchers whose filters drop the event.
        watchers: u32,
    },
    /// A watcher's channel was full, so the watcher became a victim.
    BecameVictim {
        watcher: u64,
        stream: StreamKey,
        /// The first revision of the pending batch.
        from: i64,
        /// The last revision of the pending batch.
        to: i64,
    },
    /// A sync pass over the unsynced watchers ended.
    Swept {
        picked: u64,
        /// The first revision read.
        from: i64,
        /// The last revision read.
        to: i64,
        rows: u64,
        synced: u64,
        /// The number of watchers that were canceled because of a compaction.
        compacted: u64,
        /// The number of watchers whose channel was full.
        victims: u64,
        /// The number of watchers that remain unsynced.
        remaining: u64,
        /// The duration of the pass, in microseconds. Writes wait during a pass of more than a millisecond.
        took_us: u64,
    },
    /// A sync pass sent missing events to a watcher.
    CaughtUp {
        watcher: u64,
        /// The first revision sent; 0 if no event was sent.
        from: i64,
        /// The last revision sent; 0 if no event was sent.
        to: i64,
        events: u32,
        /// The revision at which the next sync pass continues; 0 if the watcher is synced.
        more_from: i64,
    },
    /// A watcher was canceled because of a compaction.
    Overtaken {
        watcher: u64,
        /// The revision that the watcher needed.
        wanted: i64,
        /// The oldest readable revision.
        compact_revision: i64,
    },
    /// A compaction overtook a watcher whose channel was full: the watcher is moved forward and misses events.
    PassedOver {
        watcher: u64,
        /// The next revision that the watcher needed.
        wanted: i64,
        /// The store's current revision. etcd treats the watcher as if it had received all events up to this revision.
        to: i64,
    },
    /// A retry sent the pending batch of a victim.
    VictimSent {
        watcher: u64,
        /// True if the watcher is now synced; false if it is unsynced.
        synced: bool,
        /// The number of failed attempts before this retry.
        tries: u64,
    },
    /// The send loop read the previous values of the events in a response.
    PrevKvRead {
        stream: StreamKey,
        /// The number of reads, one for each event that did not create its key.
        reads: u64,
        found: u64,
    },
    /// A progress notification was sent to a watch or to a whole stream.
    Progress {
        stream: StreamKey,
        /// The watch ID; -1 for all watches of the stream.
        watch_id: i64,
        revision: i64,
    },
    /// A progress request gets no response because not every watch of the stream is synced.
    ProgressWithheld {
        stream: StreamKey,
    },
    /// A stream that needs a leader ends, because the member has known no leader for three election timeouts.
    LeaderMissing {
        stream: StreamKey,
    },
}

/// The trace events of messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetTrace {
    Sent {
        message: MessageId,
        from: NodeId,
        to: NodeId,
        /// The arrival time; `None` while a link holds the message.
        arrives: Option<SimTime>,
        /// The lost attempts to send the message: for each attempt, the time at which the message would have arrived.
        lost: Vec<SimTime>,
        /// Whether a second copy of the message arrives; the receiver drops the copy.
        duplicated: bool,
        bytes: u64,
        body: Arc<Body>,
        is_after_handshake: bool,
    },
    Arrived {
        message: MessageId,
    },
    /// A message arrived at a paused node and waits there.
    Waits {
        message: MessageId,
    },
    /// A link released a held message.
    Released {
        message: MessageId,
        arrives: SimTime,
    },
    /// The user let a message in flight arrive later.
    Delayed {
        message: MessageId,
        arrives: SimTime,
    },
    /// A message was lost because its connection broke.
    Broken {
        message: MessageId,
    },
}

/// The trace events of clients, and of the user's operations on nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTrace {
    Opened {
        node: NodeId,
        name: Arc<str>,
    },
    Wants {
        node: NodeId,
        watch: Arc<str>,
        /// The number that the client gave to the stream.
        stream: u32,
        range: KeyRange,
        /// The requested start revision; 0 for new events only.
        start_rev: i64,
        options: WatchOptions,
    },
    Received {
        node: NodeId,
        watch: Arc<str>,
        /// The number that the client gave to the stream.
        stream: u32,
        response: Arc<WatchResponse>,
    },
    /// A watch resumes over a new stream.
    ResumesFrom {
        node: NodeId,
        watch: Arc<str>,
        revision: i64,
    },
    Ended {
        node: NodeId,
        watch: Arc<str>,
        /// The reason in upstream's words; empty if the client canceled the watch.
        reason: Arc<str>,
    },
    /// A client read the list of keys that it will watch.
    Listed {
        node: NodeId,
        keys: u32,
        revision: i64,
    },
    /// A client received a renewal of the lease that it keeps alive.
    KeptAlive {
        node: NodeId,
        lease: i64,
        /// The TTL in seconds; 0 if the lease is gone.
        ttl_s: i64,
    },
    /// A client received a response from the QoS monitor.
    Monitored {
        node: NodeId,
        /// The request that the monitor reported, or the error that ended the stream.
        outcome: Result<Box<MonitorRow>, EtcdError>,
    },
    /// A command of etcdctl that runs until it is ended printed something.
    Printed {
        node: NodeId,
        /// The printed text, as data.
        printed: Arc<Printed>,
    },
    /// A command that a watch runs for each event received its response.
    Ran {
        node: NodeId,
        watch: Arc<str>,
        reply: Arc<Reply>,
    },
    Polled {
        node: NodeId,
        outcome: PollOutcome,
    },
    /// A request failed. Its client was started with `load`, and sends the request again after a delay.
    Retries {
        node: NodeId,
        why: RetryReason,
        /// The delay before the retry.
        delay: SimDuration,
    },
    /// A client discovered that keys from its earlier list no longer exist.
    FoundGone {
        node: NodeId,
        keys: Vec<Bytes>,
    },
    Paused {
        node: NodeId,
    },
    Resumed {
        node: NodeId,
        waiting: u32,
    },
    Disconnected {
        node: NodeId,
    },
    Connected {
        node: NodeId,
    },
    Stopped {
        node: NodeId,
    },
    Started {
        node: NodeId,
    },
    Changed {
        /// The node; `None` for a change of the whole world.
        node: Option<NodeId>,
        /// The sentence about the change, e.g. `Messages to and from w1 are held.`
        sentence: Arc<str>,
    },
}

/// The outcome of a poll: the data that the client read, or etcd's error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PollOutcome {
    /// The client read all its keys at one revision.
    Read {
        revision: i64,
        keys: u32,
        /// The number of keys that were created, changed or deleted since the client's previous poll.
        changes: u32,
    },
    Refused {
        /// The revision that the client tried to read; 0 for the newest revision.
        revision: i64,
        error: EtcdError,
    },
    /// The client's copy of the keys did not reach etcd's revision in time.
    CacheTimedOut { revision: i64 },
}

/// The options of a watch that affect its events and responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchOptions {
    pub no_put: bool,
    pub no_delete: bool,
    pub prev_kv: bool,
    /// Whether the server sends progress notifications periodically.
    pub progress_notify: bool,
    /// Whether large responses are split.
    pub fragment: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryReason {
    /// An error, in upstream's words.
    Error(Arc<str>),
    /// The server did not respond within this time.
    NoResponse(SimDuration),
    ConnectionBroke,
}
