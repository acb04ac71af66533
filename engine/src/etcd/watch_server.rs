//! The watch service of a member, with the receive loop and the send loop of each watch stream.
//!
//! Mirrors `server/etcdserver/api/v3rpc/watch.go` (`serverWatchStream`) and the two background loops of
//! `watchable_store.go`. `recvLoop` handles the requests of the client. `sendLoop` sends the responses of the store and
//! of `recvLoop` in the order in which they were queued. (Upstream's `select` can choose either source first. Upstream
//! may therefore announce a new watch before an older progress notification, and the client then applies that
//! notification to the new watch, too.) Both loops finish their work immediately, unless the client does not read. The
//! simulator does not schedule ticks that have no effect, which changes nothing that a client can observe.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::ordered::{OrdMap, OrdSet};

use crate::api::message::{Body, EtcdMessage};
use crate::api::proto::watch_event_size;
use crate::api::{
    Difference, EtcdError, LeaderNeed, WatchCreateRequest, WatchEvent, WatchRequest, WatchResponse,
};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::digest::Sparse;
use crate::base::ids::StreamKey;
use crate::base::proto::size;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::mvcc::watcher::INVALID_WATCH_ID;
use crate::mvcc::{
    Filters, Notified, Outcome, StoreWatchResponse, StreamId, WatchError, WatchLimits, WatcherState,
};
use crate::sim::Outbox;
use crate::sim::processor::SHORT;
use crate::trace::{TraceEvent, WatchTrace};

use super::server::{EtcdServer, MemberTimer};

/// The maximum number of responses of the receive loop that wait for the send loop (`ctrlStreamBufLen`).
pub const CONTROL_MAX: usize = 16;

/// The number of bytes by which a response may exceed `--max-request-bytes` before the response counts as large
/// (`grpcOverheadBytes`).
const GRPC_OVERHEAD: u64 = 512 << 10;

/// The minimum duration of a sync pass, which is also the delay before a follow-up pass. A shorter pass blocks nothing,
/// as all short work of a processor.
const SYNC_PASS_MIN: SimDuration = SHORT;

/// The reason that the trace gives for a watch that a rule of QoS refuses. The response to the client also names the
/// rule.
const LIMITED: &str = "etcdserver: request is rate limited";

/// The error for a negative start revision.
const BEFORE_THE_FIRST: &str = "etcdserver: mvcc: required revision has been compacted";

/// The sizes and periods of the watch service, with upstream's defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WatchServerLimits {
    /// The interval between progress notifications (`--watch-progress-notify-interval`, 10 min). Each stream adds a
    /// random delay of up to a tenth of the interval.
    pub progress_interval: SimDuration,
    /// The maximum number of sent bytes that a client has not read (HTTP/2's initial window, 65,535).
    pub window: u64,
    /// Whether the member ignores progress requests, like etcd before 3.3.14.
    pub ignores_progress: Sparse<bool>,
}

impl Default for WatchServerLimits {
    fn default() -> Self {
        Self {
            progress_interval: SimDuration(600_000_000),
            window: 65_535,
            ignores_progress: Sparse(false),
        }
    }
}

/// The state of the watch service: its limits, all streams of the member, and the two background loops.
#[derive(Clone, Debug, Hash)]
pub(super) struct WatchServer {
    limits: WatchServerLimits,
    streams: OrdMap<StreamKey, ServerStream>,
    by_store: OrdMap<StreamId, StreamKey>,
    sync: Loop,
    victims: Loop,
    new_victims: bool,
    /// Whether a limit has changed since the last time that all streams sent their waiting responses.
    limits_changed: bool,
    jitter: Rng,
    /// The end of the running sync pass or commit. A sync pass holds the lock of the store (`watchableStore.mu`), and a
    /// commit holds the lock of the batch (`batchTx`), which a write needs, too.
    locked_until: Sparse<Option<SimTime>>,
}

/// A background loop that runs once in each period.
#[derive(Clone, Copy, Debug, Default, Hash)]
struct Loop {
    /// The time from which the loop counts its periods.
    base: SimTime,
    /// The wake-up time, if a wake-up is scheduled.
    due: Option<SimTime>,
    /// The number of unsuccessful runs of the loop since its last successful run.
    tries: u64,
}

impl Loop {
    /// Returns the first tick at or after `now`.
    fn next_tick(&self, now: SimTime, period: SimDuration) -> SimTime {
        let since = now.0.saturating_sub(self.base.0);
        let ticks = since.div_ceil(period.0.max(1)).max(1);
        SimTime(self.base.0 + ticks * period.0)
    }

    /// Schedules a wake-up at `at` and returns the delay from `now`.
    fn arm(&mut self, now: SimTime, at: SimTime) -> SimDuration {
        self.due = Some(at);
        at - now
    }
}

#[derive(Clone, Debug, Hash)]
struct ServerStream {
    store: StreamId,
    /// The requests that the receive loop has not handled because it waits for room in the control channel.
    inbox: VecDeque<WatchRequest>,
    /// The responses in the control channel, and the response that the receive loop holds if the channel is full.
    control: VecDeque<Answer>,
    /// The number of responses that the send loop has taken from the store's channel since the stream was opened.
    taken: u64,
    /// The watches whose create response has been sent.
    announced: OrdSet<i64>,
    /// The watches with progress notifications. The value is true if the watch has had no event since the last tick.
    progress: OrdMap<i64, bool>,
    prev_kv: OrdSet<i64>,
    fragment: OrdSet<i64>,
    /// The responses that the send loop has taken but not sent yet, oldest first.
    hand: VecDeque<WatchResponse>,
    /// The number of sent bytes that the client has not read.
    unread: u64,
    opened: SimTime,
    progress_every: SimDuration,
    progress_armed: bool,
    leader: LeaderNeed,
    /// Whether the member postpones a progress notification until after the next response from the store (etcd#17507).
    progress_deferred: Sparse<bool>,
    /// The token that the client sent when it opened the stream.
    token: Sparse<Option<Arc<str>>>,
}

/// A response of the receive loop, and its position among the responses in the store's channel.
#[derive(Clone, Debug, Hash)]
struct Answer {
    /// The value that [`ServerStream::taken`] must reach before this response is sent.
    after: u64,
    response: WatchResponse,
}

impl WatchServer {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            limits: WatchServerLimits::default(),
            streams: OrdMap::new(),
            by_store: OrdMap::new(),
            sync: Loop::default(),
            victims: Loop::default(),
            new_victims: false,
            limits_changed: false,
            jitter: Rng::stream(seed, "watch progress jitter"),
            locked_until: Sparse::default(),
        }
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.jitter.reseed(seed);
    }

    /// Drops the in-memory state of the process. The streams are already closed, because their connections ended.
    pub(super) fn restart(&mut self) {
        (self.sync.due, self.victims.due) = (None, None);
        self.new_victims = false;
        self.locked_until = Sparse::default();
    }
}

/// The state of one stream, as shown in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamState {
    pub store: StreamId,
    /// The number of sent bytes that the client has not read.
    pub unread: u64,
    /// The number of responses that the send loop has taken but not sent yet.
    pub in_hand: u64,
    /// The number of requests that the receive loop has not handled because it waits for room in the control channel.
    pub requests: u64,
    /// The number of responses that the receive loop holds because the control channel is full: 0 or 1.
    pub recv_in_hand: u64,
    /// The number of responses of the receive loop in the control channel.
    pub control: u64,
}

impl EtcdServer {
    // State for the views.

    pub fn watch_limits(&self) -> WatchServerLimits {
        self.watch.limits
    }

    /// Returns the open streams.
    pub fn watch_streams(&self) -> impl Iterator<Item = (StreamKey, StreamState)> + '_ {
        self.watch.streams.iter().map(|(key, s)| {
            let state = StreamState {
                store: s.store,
                unread: s.unread,
                in_hand: s.hand.len() as u64,
                requests: s.inbox.len() as u64,
                recv_in_hand: s.control.len().saturating_sub(CONTROL_MAX) as u64,
                control: s.control.len().min(CONTROL_MAX) as u64,
            };
            (*key, state)
        })
    }

    /// Returns the responses that the send loop of a stream has taken but not sent yet, oldest first.
    pub fn in_hand(&self, key: StreamKey) -> impl DoubleEndedIterator<Item = &WatchResponse> {
        let stream = self.watch.streams.get(&key);
        stream.into_iter().flat_map(|s| &s.hand)
    }

    /// Returns true if a watch is synced and its stream has no waiting requests or responses.
    pub fn is_settled(&self, key: StreamKey, watch_id: i64) -> bool {
        let Some(stream) = self.watch.streams.get(&key) else {
            return false;
        };
        let id = self.kv.find(stream.store, watch_id);
        let synced = id.and_then(|id| self.kv.state(id)) == Some(WatcherState::Synced);
        let queued = stream.inbox.len() + stream.control.len() + stream.hand.len();
        synced && queued == 0 && self.kv.channel_len(stream.store) == 0
    }

    /// Returns the client of a stream and the client's number for the stream; `None` if the stream is not open.
    pub fn stream_key(&self, stream: StreamId) -> Option<StreamKey> {
        self.watch.by_store.get(&stream).copied()
    }

    /// Returns true while a sync pass or a commit holds the lock that a write needs: no write is applied, and no watch
    /// is created, canceled or served.
    pub fn is_locked(&self) -> bool {
        self.watch.locked_until.is_some()
    }

    /// Returns true if a sync pass is scheduled, which means that at least one watcher is unsynced.
    pub fn needs_sync_pass(&self) -> bool {
        self.watch.sync.due.is_some()
    }

    /// Returns the number of failed attempts to send to the current victims (watchers whose channel was full).
    pub fn victim_tries(&self, now: SimTime) -> u64 {
        let period = self.kv.limits().victim_retry.0.max(1);
        self.watch.victims.tries + now.0.saturating_sub(self.watch.victims.base.0) / period
    }

    pub fn set_watch_limits(&mut self, limits: WatchServerLimits) {
        self.watch.limits = limits;
        self.watch.limits_changed = true;
    }

    /// Sets the store's watch limits. The size of open channels does not change.
    pub fn set_store_watch_limits(&mut self, limits: WatchLimits) {
        self.kv.set_limits(limits);
        self.watch.limits_changed = true;
    }

    // Requests of clients.

    /// Handles a request of a stream. The first request opens the stream.
    pub fn watch_request(
        &mut self,
        key: StreamKey,
        request: &WatchRequest,
        out: &mut Outbox<MemberTimer>,
    ) {
        if !self.watch.streams.contains_key(&key) {
            let (leader, token) = match request {
                WatchRequest::Create(create) => (create.leader, create.token.clone()),
                WatchRequest::Cancel { .. } | WatchRequest::Progress { .. } => {
                    (LeaderNeed::NotRequired, Sparse::default())
                }
            };
            if self.refuses_stream(key, leader, out) {
                return;
            }
            self.open(key, leader, token, out);
        }
        self.stream_mut(key).inbox.push_back(request.clone());
        self.run_loops(key, out);
        self.settle_stream(key, out);
    }

    /// Closes a stream whose client has closed its end.
    pub fn close_stream(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) {
        if let Some(stream) = self.watch.streams.remove(&key) {
            self.watch.by_store.remove(&stream.store);
            let watchers = self.kv.watches_of(stream.store).count() as u32;
            self.kv.close_stream(stream.store);
            out.trace(watch(WatchTrace::StreamClosed {
                stream: key,
                watchers,
            }));
            self.settle_stream(key, out);
        }
    }

    pub(super) fn streams_with_leader_need(&self) -> Vec<StreamKey> {
        let streams = self.watch.streams.iter();
        let needing = streams.filter(|(_, stream)| stream.leader == LeaderNeed::Required);
        needing.map(|(key, _)| *key).collect()
    }

    /// Handles the acknowledgement that the client has read `bytes` bytes.
    pub fn window_returned(&mut self, key: StreamKey, bytes: u64, out: &mut Outbox<MemberTimer>) {
        if let Some(stream) = self.watch.streams.get_mut(&key) {
            stream.unread = stream.unread.saturating_sub(bytes);
            self.run_loops(key, out);
            self.settle_stream(key, out);
        }
    }

    fn open(
        &mut self,
        key: StreamKey,
        leader: LeaderNeed,
        token: Sparse<Option<Arc<str>>>,
        out: &mut Outbox<MemberTimer>,
    ) {
        let store = self.kv.open_stream();
        let interval = self.watch.limits.progress_interval.0;
        let jitter = self.watch.jitter.below((interval / 10).max(1));
        let stream = ServerStream {
            store,
            inbox: VecDeque::new(),
            control: VecDeque::new(),
            taken: 0,
            announced: OrdSet::new(),
            progress: OrdMap::new(),
            prev_kv: OrdSet::new(),
            fragment: OrdSet::new(),
            hand: VecDeque::new(),
            unread: 0,
            opened: out.now,
            progress_every: SimDuration(interval + jitter),
            progress_armed: false,
            progress_deferred: Sparse(false),
            leader,
            token,
        };
        self.watch.streams.insert(key, stream);
        self.watch.by_store.insert(store, key);
        out.trace(watch(WatchTrace::StreamOpened { stream: key }));
    }

    fn stream_mut(&mut self, key: StreamKey) -> &mut ServerStream {
        let stream = self.watch.streams.get_mut(&key);
        stream.expect("a stream stays open while it is served")
    }

    // The receive loop and the send loop.

    fn run_loops(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) {
        if self.is_locked() {
            return;
        }
        while self.receive_one(key, out) || self.send_one(key, out) {}
    }

    /// Runs one iteration of `recvLoop`: handles the next request, unless the loop still holds the response to the last
    /// request because the control channel is full. Returns true if a request was handled.
    fn receive_one(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) -> bool {
        let stream = self.stream_mut(key);
        if stream.control.len() > CONTROL_MAX {
            return false;
        }
        let Some(request) = stream.inbox.pop_front() else {
            return false;
        };
        match request {
            WatchRequest::Create(r) => self.create(key, &r, out),
            WatchRequest::Cancel { watch_id } => self.cancel(key, watch_id, out),
            WatchRequest::Progress { .. } if *self.watch_limits().ignores_progress => {}
            WatchRequest::Progress { echo } => self.progress_requested(key, echo, out),
        }
        true
    }

    fn create(&mut self, key: StreamKey, r: &WatchCreateRequest, out: &mut Outbox<MemberTimer>) {
        let from = if r.key.is_empty() {
            Bytes::zero()
        } else {
            r.key.clone()
        };
        let range = KeyRange::new(&from, &r.range_end);
        let current = self.kv.store().current_rev();
        let start_rev = match r.start_revision {
            0 if !self.profile().has(Difference::StartsWatchAtZero) => current + 1,
            rev => rev,
        };
        let filters = Filters {
            no_put: r.no_put,
            no_delete: r.no_delete,
        };
        let stream = self.stream_mut(key);
        let (store, token) = (stream.store, stream.token.0.clone());
        let user = self.user_of(out.now, token.as_deref());
        let limited = self.limit_watch(key.client, (user, &range), out);
        self.send_monitored(out);
        let began = if limited.is_some() {
            Err(LIMITED)
        } else if start_rev < 0 && self.profile().has(Difference::RefusesNegativeStart) {
            Err(BEFORE_THE_FIRST)
        } else if let Some(refusal) =
            self.watch_refusal(out.now, token.as_ref(), (&from, &r.range_end))
        {
            Err(refusal)
        } else {
            let id = self
                .kv
                .watch(store, r.watch_id, range.clone(), start_rev, filters);
            id.map_err(WatchError::text)
        };
        let mut answer = WatchResponse {
            header: self.header(current),
            created: true,
            ..WatchResponse::default()
        };
        match began {
            Ok(watch_id) => {
                answer.watch_id = watch_id;
                self.began(key, watch_id, r, out);
            }
            Err(reason) => {
                answer.watch_id = INVALID_WATCH_ID;
                answer.canceled = true;
                answer.cancel_reason = match limited {
                    Some(rule) => EtcdError::LimitRequest { rule }.to_string(),
                    None => reason.into(),
                };
                out.trace(watch(WatchTrace::Refused {
                    stream: key,
                    reason,
                }));
            }
        }
        self.queue_answer(key, answer);
    }

    fn began(
        &mut self,
        key: StreamKey,
        watch_id: i64,
        r: &WatchCreateRequest,
        out: &mut Outbox<MemberTimer>,
    ) {
        let stream = self.stream_mut(key);
        if r.progress_notify {
            stream.progress.insert(watch_id, true);
        }
        if r.prev_kv {
            stream.prev_kv.insert(watch_id);
        }
        if r.fragment {
            stream.fragment.insert(watch_id);
        }
        let store = stream.store;
        let id = self.kv.find(store, watch_id).expect("it has just begun");
        let watcher = self.kv.watcher(id).expect("it has just begun");
        out.trace(watch(WatchTrace::Created {
            watcher: id.0,
            stream: key,
            watch_id,
            range: watcher.range.clone(),
            start_rev: r.start_revision,
            next_rev: watcher.min_rev,
            synced: watcher.min_rev > self.kv.store().current_rev(),
        }));
        self.arm_progress(key, out);
    }

    fn cancel(&mut self, key: StreamKey, watch_id: i64, out: &mut Outbox<MemberTimer>) {
        let store = self.stream_mut(key).store;
        // A cancel request for an unknown ID gets no response.
        if self.kv.cancel(store, watch_id).is_err() {
            return;
        }
        let header = self.header(self.kv.store().current_rev());
        let stream = self.stream_mut(key);
        stream.progress.remove(&watch_id);
        stream.prev_kv.remove(&watch_id);
        stream.fragment.remove(&watch_id);
        let answer = WatchResponse {
            header,
            watch_id,
            canceled: true,
            ..WatchResponse::default()
        };
        self.queue_answer(key, answer);
        out.trace(watch(WatchTrace::Canceled {
            stream: key,
            watch_id,
        }));
    }

    fn progress_requested(
        &mut self,
        key: StreamKey,
        echo: Option<u64>,
        out: &mut Outbox<MemberTimer>,
    ) {
        let revision = self.kv.store().current_rev();
        let header = self.header(revision);
        let is_sent = match self.profile().has(Difference::OrdersProgress) {
            // KEP-2340 proposes this response. The response is queued after all events. Unlike etcd today, the
            // simulator also responds if a watch starts with the next revision, because such a watch cannot miss an
            // event.
            _ if echo.is_some() => {
                let store = self.stream_mut(key).store;
                let is_synced = self.kv.is_synced(store);
                if is_synced {
                    let response = WatchResponse {
                        header,
                        watch_id: INVALID_WATCH_ID,
                        echo,
                        ..WatchResponse::default()
                    };
                    self.queue_answer(key, response);
                }
                is_synced
            }
            // Before etcd#15220 was fixed, etcd responded immediately, even if events were still queued.
            false => {
                let response = WatchResponse {
                    header,
                    watch_id: INVALID_WATCH_ID,
                    ..WatchResponse::default()
                };
                let answer = Answer { after: 0, response };
                self.stream_mut(key).control.push_back(answer);
                true
            }
            true => self.ordered_progress(key),
        };
        out.trace(watch(if is_sent {
            WatchTrace::Progress {
                stream: key,
                watch_id: INVALID_WATCH_ID,
                revision,
            }
        } else {
            WatchTrace::ProgressWithheld { stream: key }
        }));
    }

    /// Sends a progress notification if all watches of the stream are synced. Returns true if it was sent.
    fn ordered_progress(&mut self, key: StreamKey) -> bool {
        let postpones = !self.profile().has(Difference::AnswersDeferredProgress);
        let stream = self.stream_mut(key);
        if *stream.progress_deferred {
            return false;
        }
        let store = stream.store;
        let is_sent = self.kv.progress_all(store);
        self.stream_mut(key).progress_deferred = Sparse(postpones && !is_sent);
        is_sent
    }

    /// Sends a postponed progress notification, if all watches of the stream are synced now.
    fn deferred_progress(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) {
        let stream = self.stream_mut(key);
        let store = stream.store;
        if !*stream.progress_deferred || !self.kv.progress_all(store) {
            return;
        }
        self.stream_mut(key).progress_deferred = Sparse(false);
        out.trace(watch(WatchTrace::Progress {
            stream: key,
            watch_id: INVALID_WATCH_ID,
            revision: self.kv.store().current_rev(),
        }));
    }

    /// Queues a response of the receive loop behind all responses that the store has already queued.
    fn queue_answer(&mut self, key: StreamKey, response: WatchResponse) {
        let store = self.stream_mut(key).store;
        let channel = self.kv.channel_len(store);
        let stream = self.stream_mut(key);
        let after = stream.taken + u64::from(channel);
        stream.control.push_back(Answer { after, response });
    }

    /// Runs one iteration of `sendLoop`: sends the next response that the loop has already taken, or takes a response
    /// from a queue. Returns true if there was a response and the client's window had room.
    fn send_one(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) -> bool {
        let window = self.watch.limits.window;
        let stream = self.stream_mut(key);
        if stream.unread > 0 && stream.unread >= window {
            return false;
        }
        if let Some(response) = stream.hand.pop_front() {
            stream.unread += size(&response);
            self.spend_on_watch(response.events.len() as u64);
            let body = Body::Etcd(EtcdMessage::WatchAnswer {
                stream: key.stream,
                response: Arc::new(response),
            });
            out.send(key.client, body);
            return true;
        }
        let is_due = |a: &Answer| a.after <= stream.taken;
        if stream.control.front().is_some_and(is_due) {
            let answer = stream.control.pop_front().expect("it is there");
            stream.take_answer(answer.response);
            return true;
        }
        let store = stream.store;
        let Some(response) = self.kv.recv(store) else {
            return false;
        };
        self.stream_mut(key).taken += 1;
        self.metrics.events += response.events.len() as u64;
        self.take_events(key, response, out);
        self.deferred_progress(key, out);
        true
    }

    fn take_events(
        &mut self,
        key: StreamKey,
        mut response: StoreWatchResponse,
        out: &mut Outbox<MemberTimer>,
    ) {
        let watch_id = response.watch_id;
        if self.stream_mut(key).prev_kv.contains(&watch_id) {
            let (mut reads, mut found) = (0, 0);
            for event in &mut response.events {
                // etcd knows without a read that a new key has no previous value.
                reads += u64::from(!event.is_create());
                event.prev_kv = self.kv.prev_kv(event);
                found += u64::from(event.prev_kv.is_some());
            }
            self.metrics.count_ranges(reads);
            if reads > 0 {
                let stream = key;
                out.trace(watch(WatchTrace::PrevKvRead {
                    stream,
                    reads,
                    found,
                }));
            }
        }
        let header = self.header(response.revision);
        let large = self.limits.request_bytes + GRPC_OVERHEAD;
        let had_events = !response.events.is_empty();
        let whole = WatchResponse {
            header,
            watch_id,
            canceled: response.compact_revision != 0,
            compact_revision: response.compact_revision,
            events: response.events,
            ..WatchResponse::default()
        };
        let stream = self.stream_mut(key);
        // etcd holds back the responses for a watch until it has sent the create response. Here, the create response is
        // always sent first.
        let announced = stream.announced.contains(&watch_id);
        assert!(
            announced || watch_id == INVALID_WATCH_ID,
            "a watch is announced first"
        );
        stream.put_in_hand(whole, large);
        // A watch that had events needs no notification at the next tick.
        if had_events && let Some(quiet) = stream.progress.get_mut(&watch_id) {
            *quiet = false;
        }
    }

    // The background loops of the store.

    /// Runs one iteration of `syncWatchersLoop`.
    pub(super) fn sync_watchers(&mut self, out: &mut Outbox<MemberTimer>) {
        let now = out.now;

        if let Some(end) = *self.watch.locked_until {
            let after = self.watch.sync.arm(now, end);
            return out.timer(after, MemberTimer::WatchSync);
        }
        self.watch.sync.due = None;
        self.watch.sync.base = now;
        let before = self.kv.counts().1;
        let Some(pass) = self.kv.sync_watchers() else {
            return;
        };
        let took = self.sync_pass_took(pass.rows, pass.bytes);
        out.trace(watch(WatchTrace::Swept {
            picked: pass.picked,
            from: pass.from,
            to: pass.to,
            rows: pass.rows,
            synced: pass.synced,
            compacted: pass.compacted,
            victims: pass.victims,
            remaining: pass.remaining,
            took_us: took.0,
        }));
        let compact_revision = self.kv.store().compact_rev();
        for (id, outcome) in pass.outcomes {
            let watcher = id.0;
            match outcome {
                Outcome::CaughtUp {
                    from,
                    to,
                    events,
                    more_from,
                } => out.trace(watch(WatchTrace::CaughtUp {
                    watcher,
                    from,
                    to,
                    events,
                    more_from,
                })),
                Outcome::Victim { from, to } => {
                    let stream = self.kv.watcher(id).map(|w| w.stream);
                    self.became_victim(watcher, stream, from, to, out);
                }
                Outcome::Overtaken { wanted } => out.trace(watch(WatchTrace::Overtaken {
                    watcher,
                    wanted,
                    compact_revision,
                })),
                Outcome::PassedOver { wanted } => out.trace(watch(WatchTrace::PassedOver {
                    watcher,
                    wanted,
                    to: pass.to,
                })),
            }
        }
        // The last pass synced some watchers, but others remain. The next pass then starts without the usual pause.
        // To be fair to writes, the pause is as long as the pass.
        let end = match took > SYNC_PASS_MIN {
            true => {
                let end = now + took;
                self.watch.sync.base = end;
                self.lock_until(end, out);
                end
            }
            false => now,
        };
        if pass.remaining > 0 && pass.remaining < before {
            let after = self.watch.sync.arm(now, end + took);
            out.timer(after, MemberTimer::WatchSync);
        }
    }

    fn sync_pass_took(&mut self, rows: u64, bytes: u64) -> SimDuration {
        if !*self.sync_pass_costs {
            return SYNC_PASS_MIN;
        }
        let work = self.cost().sync_pass(rows, bytes);
        self.spend(work);
        work.alone().max(SYNC_PASS_MIN)
    }

    /// Holds the lock of the store until `end`, unless `end` has passed. A sync pass has already read the rows and put
    /// its responses into the channels, and a commit has already written its pages; nothing changes the store until
    /// then.
    pub(super) fn lock_until(&mut self, end: SimTime, out: &mut Outbox<MemberTimer>) {
        let is_later = self.watch.locked_until.is_none_or(|until| until < end);
        if out.now < end && is_later {
            *self.watch.locked_until = Some(end);
            out.timer(end - out.now, MemberTimer::WatchUnlock);
        }
    }

    /// Releases the lock of the store: the streams send the responses of the pass, and the waiting entries are applied.
    pub(super) fn unlock_watches(&mut self, out: &mut Outbox<MemberTimer>) {
        *self.watch.locked_until = None;
        let keys: Vec<StreamKey> = self.watch.streams.keys().copied().collect();
        for key in keys {
            self.run_loops(key, out);
        }
        self.apply_waiting(out);
    }

    /// Runs one iteration of `syncVictimsLoop`.
    pub(super) fn retry_victims(&mut self, out: &mut Outbox<MemberTimer>) {
        self.watch.victims.due = None;
        if self.is_locked() {
            return;
        }
        self.move_victims(out);
    }

    fn move_victims(&mut self, out: &mut Outbox<MemberTimer>) {
        let tries = self.victim_tries(out.now);
        self.watch.victims.tries = tries;
        self.watch.victims.base = out.now;
        loop {
            let moved = self.kv.sync_victims();
            if moved.is_empty() {
                break;
            }
            self.watch.victims.tries = 0;
            for (id, synced) in moved {
                out.trace(watch(WatchTrace::VictimSent {
                    watcher: id.0,
                    synced,
                    tries,
                }));
            }
        }
    }

    fn became_victim(
        &mut self,
        watcher: u64,
        stream: Option<StreamId>,
        from: i64,
        to: i64,
        out: &mut Outbox<MemberTimer>,
    ) {
        self.watch.new_victims = true;
        let key = stream.and_then(|s| self.watch.by_store.get(&s));
        out.trace(watch(WatchTrace::BecameVictim {
            watcher,
            stream: *key.expect("a watcher's stream is open"),
            from,
            to,
        }));
    }

    pub(super) fn trace_notified(
        &mut self,
        revision: i64,
        notified: &Notified,
        out: &mut Outbox<MemberTimer>,
    ) {
        if notified.watchers > 0 {
            out.trace(watch(WatchTrace::Notified {
                revision,
                watchers: notified.watchers,
            }));
        }
        for id in &notified.victims {
            let stream = self.kv.watcher(*id).map(|w| w.stream);
            self.became_victim(id.0, stream, revision, revision, out);
        }
    }

    // Progress.

    /// Handles a tick of a stream's progress timer: sends a progress notification to each watch that requires one.
    pub(super) fn tick_progress(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) {
        let Some(stream) = self.watch.streams.get_mut(&key) else {
            return;
        };
        stream.progress_armed = false;
        let store = stream.store;
        let wanting: Vec<(i64, bool)> = stream.progress.iter().map(|(i, q)| (*i, *q)).collect();
        for (watch_id, quiet) in wanting {
            if quiet && self.kv.progress(store, watch_id) {
                out.trace(watch(WatchTrace::Progress {
                    stream: key,
                    watch_id,
                    revision: self.kv.store().current_rev(),
                }));
            }
            self.stream_mut(key).progress.insert(watch_id, true);
        }
        self.arm_progress(key, out);
    }

    fn arm_progress(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) {
        let stream = self.stream_mut(key);
        if stream.progress.is_empty() || stream.progress_armed {
            return;
        }
        stream.progress_armed = true;
        let since = out.now.0 - stream.opened.0;
        // Sets the timer for the next tick. The tick of the present time has already run.
        let ticks = since / stream.progress_every.0 + 1;
        let at = stream.opened.0 + ticks * stream.progress_every.0;
        out.timer(SimDuration(at - out.now.0), MemberTimer::WatchProgress(key));
    }

    // The work after each change that can affect watchers.

    /// Sends the waiting responses of all streams, runs the victims loop if there are new victims, and schedules the
    /// next wake-ups of both background loops.
    pub(super) fn settle_watches(&mut self, out: &mut Outbox<MemberTimer>) {
        if self.is_locked() {
            return;
        }
        self.watch.limits_changed = false;
        self.drain(out);
        while std::mem::take(&mut self.watch.new_victims) {
            self.move_victims(out);
            self.drain(out);
        }
        self.arm_sync(out);
        if self.waits_for_victims() && self.kv.a_victim_has_room() {
            self.arm_victims(out);
        }
    }

    /// Does the same work as [`settle_watches`](Self::settle_watches) after a change of only one stream. The other
    /// streams have already sent all they can. With thousands of streams behind full windows, checking all streams for
    /// each message would take seconds.
    fn settle_stream(&mut self, key: StreamKey, out: &mut Outbox<MemberTimer>) {
        if self.is_locked() || self.watch.limits_changed || self.watch.new_victims {
            return self.settle_watches(out);
        }
        self.arm_sync(out);
        if self.waits_for_victims()
            && let Some(stream) = self.watch.streams.get(&key)
            && self.kv.a_victim_has_room_on(stream.store)
        {
            self.arm_victims(out);
        }
    }

    fn arm_sync(&mut self, out: &mut Outbox<MemberTimer>) {
        let (_, unsynced, _) = self.kv.counts();
        if unsynced > 0 && self.watch.sync.due.is_none() {
            let period = self.kv.limits().resync_period;
            // The sync pass of the present time has already run.
            let at = self.watch.sync.next_tick(SimTime(out.now.0 + 1), period);
            let after = self.watch.sync.arm(out.now, at);
            out.timer(after, MemberTimer::WatchSync);
        }
    }

    /// Returns true if there are victims (watchers whose channel was full) but no scheduled retry.
    fn waits_for_victims(&self) -> bool {
        let (_, _, victims) = self.kv.counts();
        victims > 0 && self.watch.victims.due.is_none()
    }

    fn arm_victims(&mut self, out: &mut Outbox<MemberTimer>) {
        let period = self.kv.limits().victim_retry;
        let at = self.watch.victims.next_tick(out.now, period);
        let after = self.watch.victims.arm(out.now, at);
        out.timer(after, MemberTimer::WatchVictims);
    }

    fn drain(&mut self, out: &mut Outbox<MemberTimer>) {
        let waiting: Vec<StreamId> = self.kv.waiting().collect();
        for store in waiting {
            let key = self.watch.by_store.get(&store).copied();
            self.run_loops(key.expect("a stream of the store is served"), out);
        }
    }
}

impl ServerStream {
    /// Moves a response of the receive loop to the responses that the send loop will send next.
    fn take_answer(&mut self, answer: WatchResponse) {
        let id = answer.watch_id;
        let (created, canceled) = (answer.created, answer.canceled);
        self.hand.push_back(answer);
        if canceled {
            self.announced.remove(&id);
        } else if created {
            self.announced.insert(id);
        }
    }

    /// A large response is split into fragments if its watch was created with the option `fragment`.
    fn put_in_hand(&mut self, whole: WatchResponse, large: u64) {
        let splits = self.fragment.contains(&whole.watch_id) && whole.events.len() > 1;
        if !splits || size(&whole) < large {
            self.hand.push_back(whole);
            return;
        }
        let head = WatchResponse {
            events: Vec::new(),
            fragment: true,
            ..whole.clone()
        };
        let empty = size(&head);
        let (mut part, mut bytes): (Vec<WatchEvent>, u64) = (Vec::new(), empty);
        for event in whole.events {
            let more = watch_event_size(&event);
            if !part.is_empty() && bytes + more >= large {
                self.hand.push_back(WatchResponse {
                    events: std::mem::take(&mut part),
                    ..head.clone()
                });
                bytes = empty;
            }
            bytes += more;
            part.push(event);
        }
        self.hand.push_back(WatchResponse {
            events: part,
            fragment: false,
            ..head
        });
    }
}

fn watch(what: WatchTrace) -> TraceEvent {
    TraceEvent::Watch(what)
}
