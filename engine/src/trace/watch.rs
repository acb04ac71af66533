//! What can happen to watchers, messages and clients.

use std::sync::Arc;

use crate::api::WatchResponse;
use crate::api::message::Body;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::{MessageId, NodeId, StreamKey};
use crate::base::time::SimTime;

/// What can happen on the member's side of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchTrace {
    /// A client opened a stream.
    StreamOpened {
        /// The stream.
        stream: StreamKey,
    },
    /// A stream was closed, and its watches with it.
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
        /// Its stream.
        stream: StreamKey,
        /// Its id there.
        watch_id: i64,
        /// What it watches.
        range: KeyRange,
        /// Where it was asked to begin; 0 for "from now on".
        start_rev: i64,
        /// The next revision it will accept.
        next_rev: i64,
        /// It has everything up to now; otherwise a sweep reads back what it lacks.
        synced: bool,
    },
    /// A watch could not begin.
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
    /// A write told the synced watchers of its keys.
    Notified {
        /// The write's revision.
        revision: i64,
        /// Watchers that were told, the filtered ones included.
        told: u32,
    },
    /// A watcher's channel was full.
    BecameVictim {
        /// The watcher.
        watcher: u64,
        /// Its stream.
        stream: StreamKey,
        /// The first revision of the batch it keeps.
        from: i64,
        /// The last one.
        to: i64,
    },
    /// A sweep over the unsynced watchers.
    Swept {
        /// Watchers it took.
        picked: u64,
        /// The first revision it read.
        from: i64,
        /// The last one.
        to: i64,
        /// Rows it read.
        rows: u64,
        /// Watchers that are synced since.
        synced: u64,
        /// Watchers that were told that compaction overtook them.
        compacted: u64,
        /// Watchers whose channel was full.
        victims: u64,
        /// Watchers still unsynced, in all.
        remaining: u64,
    },
    /// A sweep sent a watcher what it lacked.
    CaughtUp {
        /// The watcher.
        watcher: u64,
        /// The first revision it was sent; 0 when there was nothing for it.
        from: i64,
        /// The last one.
        to: i64,
        /// Events.
        events: u32,
        /// Where it goes on at the next sweep; 0 when it is synced now.
        more_from: i64,
    },
    /// Compaction overtook a watcher, and it was told so.
    Overtaken {
        /// The watcher.
        watcher: u64,
        /// The revision it wanted.
        wanted: i64,
        /// The oldest readable one.
        compact_revision: i64,
    },
    /// Compaction overtook a watcher whose channel was full: it is moved forward, and what it wanted is lost.
    PassedOver {
        /// The watcher.
        watcher: u64,
        /// The revision it wanted.
        wanted: i64,
        /// The newest revision, which it takes itself to have heard of.
        to: i64,
    },
    /// A victim's batch went out after all.
    VictimSent {
        /// The watcher.
        watcher: u64,
        /// It has everything up to now; otherwise it is unsynced.
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
        /// How far.
        revision: i64,
    },
    /// A progress request stays unanswered: not every watch of the stream is synced.
    ProgressWithheld {
        /// The stream.
        stream: StreamKey,
    },
}

/// What can happen between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetTrace {
    /// A message left.
    Sent {
        /// Its number.
        message: MessageId,
        /// Who sent it.
        from: NodeId,
        /// Whom it is for.
        to: NodeId,
        /// When it arrives; `None` while a link holds it.
        arrives: Option<SimTime>,
        /// The arrival times of the lost attempts.
        lost: Vec<SimTime>,
        /// Whether the message arrives a second time; the copy is dropped.
        duplicated: bool,
        /// Its size.
        bytes: u64,
        /// What it says.
        body: Arc<Body>,
    },
    /// A message arrived.
    Arrived {
        /// Its number.
        message: MessageId,
    },
    /// A message arrived at a node that is paused, and waits there.
    Waits {
        /// Its number.
        message: MessageId,
    },
    /// A held message goes on.
    Released {
        /// Its number.
        message: MessageId,
        /// When it arrives.
        arrives: SimTime,
    },
    /// The connection broke under a message.
    Broken {
        /// Its number.
        message: MessageId,
    },
}

/// What can happen to a node from outside, and what a client notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTrace {
    /// There is a new client.
    Opened {
        /// It.
        node: NodeId,
        /// Its name.
        name: Arc<str>,
    },
    /// A client wants a watch.
    Wants {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// Which of the client's streams it goes over.
        stream: u32,
        /// What it is to watch.
        range: KeyRange,
        /// Where it wants to begin; 0 for "from now on".
        start_rev: i64,
        /// Options that decide what it must be told.
        options: WatchOptions,
    },
    /// A response reached a watch.
    Received {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The number of the stream it came over.
        stream: u32,
        /// The response.
        response: Arc<WatchResponse>,
    },
    /// A watch goes on over a new stream.
    ResumesFrom {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// The revision it asks for.
        revision: i64,
    },
    /// A watch has ended.
    Ended {
        /// The client.
        node: NodeId,
        /// The watch's name.
        watch: Arc<str>,
        /// Why, in upstream's words; empty when it was wanted.
        reason: Arc<str>,
    },
    /// A client listed what it watches.
    Listed {
        /// The client.
        node: NodeId,
        /// Keys it found.
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
        /// Its TTL in seconds; 0 when the lease is gone.
        ttl_s: i64,
    },
    /// A client found out that keys it remembered are gone.
    FoundGone {
        /// The client.
        node: NodeId,
        /// The keys.
        keys: Vec<Bytes>,
    },
    /// A node stands still.
    Paused {
        /// It.
        node: NodeId,
    },
    /// It goes on.
    Resumed {
        /// It.
        node: NodeId,
        /// What waits for it.
        waiting: u32,
    },
    /// A client's connection broke.
    Disconnected {
        /// The client.
        node: NodeId,
    },
    /// It is connected again.
    Connected {
        /// The client.
        node: NodeId,
    },
    /// A client's process ended.
    Stopped {
        /// The client.
        node: NodeId,
    },
    /// It runs again.
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

/// Options of a watch that decide what it must be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchOptions {
    /// No puts.
    pub no_put: bool,
    /// No deletes.
    pub no_delete: bool,
    /// What was there before comes along.
    pub prev_kv: bool,
    /// Progress is told from time to time.
    pub progress_notify: bool,
    /// Large responses are split.
    pub fragment: bool,
}
