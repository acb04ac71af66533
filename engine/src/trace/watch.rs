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
    /// A client opened a stream.
    StreamOpened {
        /// The stream.
        stream: StreamKey,
    },
    /// A stream was closed, which ended its watches.
    StreamClosed {
        /// The stream.
        stream: StreamKey,
        /// The number of watches that ended.
        watchers: u32,
    },
    /// A watch began.
    Created {
        /// The watcher's number in the store.
        watcher: u64,
        /// The stream.
        stream: StreamKey,
        /// The watch ID on the stream.
        watch_id: i64,
        /// The watched keys.
        range: KeyRange,
        /// The requested start revision; 0 for new events only.
        start_rev: i64,
        /// The first revision whose events the watcher will send.
        next_rev: i64,
        /// Whether the watcher starts synced. Otherwise, a sync pass reads the events that the watcher is missing.
        synced: bool,
    },
    /// A watch could not start.
    Refused {
        /// The stream.
        stream: StreamKey,
        /// The reason, in upstream's words.
        reason: &'static str,
    },
    /// A client ended a watch.
    Canceled {
        /// The stream.
        stream: StreamKey,
        /// The watch ID on the stream.
        watch_id: i64,
    },
    /// A write notified the synced watchers of its keys.
    Notified {
        /// The write's revision.
        revision: i64,
        /// The number of notified watchers, including watchers whose filters drop the event.
        watchers: u32,
    },
    /// A watcher's channel was full, so the watcher became a victim.
    BecameVictim {
        /// The watcher.
        watcher: u64,
        /// The stream.
        stream: StreamKey,
        /// The first revision of the pending batch.
        from: i64,
        /// The last revision of the pending batch.
        to: i64,
    },
    /// A sync pass over the unsynced watchers ended.
    Swept {
        /// The number of watchers that the pass selected.
        picked: u64,
        /// The first revision read.
        from: i64,
        /// The last revision read.
        to: i64,
        /// The number of rows read.
        rows: u64,
        /// The number of watchers that became synced.
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
        /// The watcher.
        watcher: u64,
        /// The first revision sent; 0 if no event was sent.
        from: i64,
        /// The last revision sent; 0 if no event was sent.
        to: i64,
        /// The number of events sent.
        events: u32,
        /// The revision at which the next sync pass continues; 0 if the watcher is synced.
        more_from: i64,
    },
    /// A watcher was canceled because of a compaction.
    Overtaken {
        /// The watcher.
        watcher: u64,
        /// The revision that the watcher needed.
        wanted: i64,
        /// The oldest readable revision.
        compact_revision: i64,
    },
    /// A compaction overtook a watcher whose channel was full: the watcher is moved forward and misses events.
    PassedOver {
        /// The watcher.
        watcher: u64,
        /// The next revision that the watcher needed.
        wanted: i64,
        /// The store's current revision. etcd treats the watcher as if it had received all events up to this revision.
        to: i64,
    },
    /// A retry sent the pending batch of a victim.
    VictimSent {
        /// The watcher.
        watcher: u64,
        /// True if the watcher is now synced; false if it is unsynced.
        synced: bool,
        /// The number of failed attempts before this retry.
        tries: u64,
    },
    /// The send loop read the previous values of the events in a response.
    PrevKvRead {
        /// The stream.
        stream: StreamKey,
        /// The number of reads, one for each event that did not create its key.
        reads: u64,
        /// The number of reads that found a value.
        found: u64,
    },
    /// A progress notification was sent to a watch or to a whole stream.
    Progress {
        /// The stream.
        stream: StreamKey,
        /// The watch ID; -1 for all watches of the stream.
        watch_id: i64,
        /// The revision in the notification.
        revision: i64,
    },
    /// A progress request gets no response because not every watch of the stream is synced.
    ProgressWithheld {
        /// The stream.
        stream: StreamKey,
    },
    /// A stream that needs a leader ends, because the member has known no leader for three election timeouts.
    LeaderMissing {
        /// The stream.
        stream: StreamKey,
    },
}

/// The trace events of messages between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetTrace {
    /// A message was sent.
    Sent {
        /// The message number.
        message: MessageId,
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// The arrival time; `None` while a link holds the message.
        arrives: Option<SimTime>,
        /// The lost attempts to send the message: for each attempt, the time at which the message would have arrived.
        lost: Vec<SimTime>,
        /// Whether a second copy of the message arrives; the receiver drops the copy.
        duplicated: bool,
        /// The size in bytes.
        bytes: u64,
        /// The content.
        body: Arc<Body>,
        /// Whether the message follows a TLS handshake.
        is_after_handshake: bool,
    },
    /// A message arrived.
    Arrived {
        /// The message number.
        message: MessageId,
    },
    /// A message arrived at a paused node and waits there.
    Waits {
        /// The message number.
        message: MessageId,
    },
    /// A link released a held message.
    Released {
        /// The message number.
        message: MessageId,
        /// The arrival time.
        arrives: SimTime,
    },
    /// A message was lost because its connection broke.
    Broken {
        /// The message number.
        message: MessageId,
    },
}

/// The trace events of clients, and of the user's operations on nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTrace {
    /// A client was created.
    Opened {
        /// The client.
        node: NodeId,
        /// The name.
        name: Arc<str>,
    },
    /// A client requests a watch.
    Wants {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The number that the client gave to the stream.
        stream: u32,
        /// The keys to watch.
        range: KeyRange,
        /// The requested start revision; 0 for new events only.
        start_rev: i64,
        /// The options of the watch that affect its events and responses.
        options: WatchOptions,
    },
    /// A response reached a watch.
    Received {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The number that the client gave to the stream.
        stream: u32,
        /// The response.
        response: Arc<WatchResponse>,
    },
    /// A watch resumes over a new stream.
    ResumesFrom {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The requested revision.
        revision: i64,
    },
    /// A watch has ended.
    Ended {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The reason in upstream's words; empty if the client canceled the watch.
        reason: Arc<str>,
    },
    /// A client read the list of keys that it will watch.
    Listed {
        /// The client.
        node: NodeId,
        /// The number of keys in the list.
        keys: u32,
        /// The revision of the list.
        revision: i64,
    },
    /// A client received a renewal of the lease that it keeps alive.
    KeptAlive {
        /// The client.
        node: NodeId,
        /// The lease.
        lease: i64,
        /// The TTL in seconds; 0 if the lease is gone.
        ttl_s: i64,
    },
    /// A client received a response from the QoS monitor.
    Monitored {
        /// The client.
        node: NodeId,
        /// The request that the monitor reported, or the error that ended the stream.
        outcome: Result<Box<MonitorRow>, EtcdError>,
    },
    /// A command of etcdctl that runs until it is ended printed something.
    Printed {
        /// The client.
        node: NodeId,
        /// The printed text, as data.
        printed: Arc<Printed>,
    },
    /// A command that a watch runs for each event received its response.
    Ran {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The response.
        reply: Arc<Reply>,
    },
    /// A client that polls received a response.
    Polled {
        /// The client.
        node: NodeId,
        /// The outcome of the read.
        outcome: PollOutcome,
    },
    /// A request failed. Its client was started with `load`, and sends the request again after a delay.
    Retries {
        /// The client.
        node: NodeId,
        /// The reason for the retry.
        why: RetryReason,
        /// The delay before the retry.
        delay: SimDuration,
    },
    /// A client discovered that keys from its earlier list no longer exist.
    FoundGone {
        /// The client.
        node: NodeId,
        /// The keys that no longer exist.
        keys: Vec<Bytes>,
    },
    /// A node was paused.
    Paused {
        /// The node.
        node: NodeId,
    },
    /// A node was resumed.
    Resumed {
        /// The node.
        node: NodeId,
        /// The number of waiting messages.
        waiting: u32,
    },
    /// A client's connection broke.
    Disconnected {
        /// The client.
        node: NodeId,
    },
    /// A client reconnected.
    Connected {
        /// The client.
        node: NodeId,
    },
    /// A client's process ended.
    Stopped {
        /// The client.
        node: NodeId,
    },
    /// A client restarted.
    Started {
        /// The client.
        node: NodeId,
    },
    /// A node, a link or a setting was changed.
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
        /// The revision.
        revision: i64,
        /// The number of keys.
        keys: u32,
        /// The number of keys that were created, changed or deleted since the client's previous poll.
        changes: u32,
    },
    /// etcd refused to read a revision.
    Refused {
        /// The revision that the client tried to read; 0 for the newest revision.
        revision: i64,
        /// etcd's error.
        error: EtcdError,
    },
    /// The client's copy of the keys did not reach etcd's revision in time.
    CacheTimedOut {
        /// The revision.
        revision: i64,
    },
}

/// The options of a watch that affect its events and responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchOptions {
    /// Whether the watch drops puts.
    pub no_put: bool,
    /// Whether the watch drops deletes.
    pub no_delete: bool,
    /// Whether events include the previous value.
    pub prev_kv: bool,
    /// Whether the server sends progress notifications periodically.
    pub progress_notify: bool,
    /// Whether large responses are split.
    pub fragment: bool,
}

/// The reason why a client sends a request again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryReason {
    /// An error, in upstream's words.
    Error(Arc<str>),
    /// The server did not respond within this time.
    NoResponse(SimDuration),
    /// The connection broke.
    ConnectionBroke,
}
