//! What can happen to watchers, messages and clients.

use std::sync::Arc;

use crate::api::WatchResponse;
use crate::api::message::Body;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::{MessageId, NodeId, StreamKey};
use crate::base::time::SimTime;

/// The events on the member's side of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchTrace {
    /// A client opened a stream.
    StreamOpened {
        /// The stream.
        stream: StreamKey,
    },
    /// A stream was closed with its watches.
    StreamClosed {
        /// The stream.
        stream: StreamKey,
        /// Watches that ended.
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
        /// The next revision that the watcher accepts.
        next_rev: i64,
        /// Whether the watcher is missing no event; otherwise a sync pass reads the missing events.
        synced: bool,
    },
    /// A watch could not start.
    Refused {
        /// The stream.
        stream: StreamKey,
        /// Why, in upstream's words.
        reason: &'static str,
    },
    /// A client ended a watch.
    Canceled {
        /// The stream.
        stream: StreamKey,
        /// The watch's id there.
        watch_id: i64,
    },
    /// A write notified the synced watchers of its keys.
    Notified {
        /// The write's revision.
        revision: i64,
        /// Notified watchers, including filtered watchers.
        told: u32,
    },
    /// A watcher's channel was full.
    BecameVictim {
        /// The watcher.
        watcher: u64,
        /// The stream.
        stream: StreamKey,
        /// The first revision of the kept batch.
        from: i64,
        /// The last revision of the kept batch.
        to: i64,
    },
    /// A sweep over the unsynced watchers.
    Swept {
        /// The number of watchers picked.
        picked: u64,
        /// The first revision read.
        from: i64,
        /// The last revision read.
        to: i64,
        /// The number of rows read.
        rows: u64,
        /// Watchers that are synced since.
        synced: u64,
        /// Watchers canceled because of a compaction.
        compacted: u64,
        /// Watchers whose channel was full.
        victims: u64,
        /// Watchers still unsynced, in all.
        remaining: u64,
    },
    /// A sync pass sent missing events to a watcher.
    CaughtUp {
        /// The watcher.
        watcher: u64,
        /// The first revision it was sent; 0 when there was nothing for it.
        from: i64,
        /// The last revision sent.
        to: i64,
        /// Events.
        events: u32,
        /// The start revision of the next sync pass; 0 when the watcher is synced.
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
    /// Compaction overtook a watcher whose channel was full: it is moved forward, and what it wanted is lost.
    PassedOver {
        /// The watcher.
        watcher: u64,
        /// The revision that the watcher needed.
        wanted: i64,
        /// The current revision, which the watcher wrongly counts as received.
        to: i64,
    },
    /// A victim's batch went out after all.
    VictimSent {
        /// The watcher.
        watcher: u64,
        /// Whether the watcher is synced; otherwise the watcher is unsynced.
        synced: bool,
        /// Tries that failed before.
        tries: u64,
    },
    /// A watch or a whole stream was told how far it has come.
    Progress {
        /// The stream.
        stream: StreamKey,
        /// The watch's id; -1 for all.
        watch_id: i64,
        /// The revision reached.
        revision: i64,
    },
    /// A progress request stays unanswered: not every watch of the stream is synced.
    ProgressWithheld {
        /// The stream.
        stream: StreamKey,
    },
}

/// The events between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetTrace {
    /// A message left.
    Sent {
        /// The number.
        message: MessageId,
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// The arrival time; `None` while a link holds the message.
        arrives: Option<SimTime>,
        /// The arrival times of the lost attempts.
        lost: Vec<SimTime>,
        /// Whether the message arrives a second time; the copy is dropped.
        duplicated: bool,
        /// The size.
        bytes: u64,
        /// The content.
        body: Arc<Body>,
    },
    /// A message arrived.
    Arrived {
        /// The number.
        message: MessageId,
    },
    /// A message arrived at a node that is paused, and waits there.
    Waits {
        /// The number.
        message: MessageId,
    },
    /// A held message continues.
    Released {
        /// The number.
        message: MessageId,
        /// The arrival time.
        arrives: SimTime,
    },
    /// The connection broke under a message.
    Broken {
        /// The number.
        message: MessageId,
    },
}

/// What can happen to a node from outside, and what a client notices.
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
        /// The client's number of the stream.
        stream: u32,
        /// The keys to watch.
        range: KeyRange,
        /// The requested start revision; 0 for new events only.
        start_rev: i64,
        /// The options that decide which responses the watch needs.
        options: WatchOptions,
    },
    /// A response reached a watch.
    Received {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The number of the stream.
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
        /// The reason in upstream's words; empty when the client canceled the watch.
        reason: Arc<str>,
    },
    /// A client listed the keys that it will watch.
    Listed {
        /// The client.
        node: NodeId,
        /// Keys in the list.
        keys: u32,
        /// At which revision.
        revision: i64,
    },
    /// A client heard that the lease it keeps alive has its time again.
    KeptAlive {
        /// The client.
        node: NodeId,
        /// The lease.
        lease: i64,
        /// The TTL in seconds; 0 when the lease is gone.
        ttl_s: i64,
    },
    /// A client discovered that remembered keys no longer exist.
    FoundGone {
        /// The client.
        node: NodeId,
        /// The keys.
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
    /// Something about a node, a link or a setting was changed.
    Changed {
        /// The node; `None` for a setting of the member.
        node: Option<NodeId>,
        /// What, as a person would say it, e.g. `messages to it are held`.
        what: Arc<str>,
    },
}

/// The options of a watch that decide which responses the watch needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchOptions {
    /// No puts.
    pub no_put: bool,
    /// No deletes.
    pub no_delete: bool,
    /// Events include the previous value.
    pub prev_kv: bool,
    /// The server sends progress notifications periodically.
    pub progress_notify: bool,
    /// Large responses are split.
    pub fragment: bool,
}
