//! The log of the events that concern single watchers, watches and nodes. An entry of the log is called a mark.
//!
//! The log contains copies of the events, because a run drops the trace of old steps. A watcher may send a response for
//! each write, so the log stores only a few numbers per response.

use std::sync::Arc;

use crate::api::WatchResponse;
use crate::api::message::{Body, EtcdMessage};
use crate::base::ids::{NodeId, StreamKey};
use crate::base::ordered::OrdMap;
use crate::base::shared_list::SharedList;
use crate::base::time::SimTime;
use crate::trace::{ClientTrace, Event, EventId, NetTrace, TraceEvent, WatchTrace};

/// An entry of the log: the number and the step of an event of a watcher, watch or node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatcherMark {
    pub id: EventId,
    pub step: u64,
    /// The response that the event reports; `None` for other events.
    pub sent: Option<SentResponse>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SentResponse {
    pub at: SimTime,
    pub header_revision: i64,
    pub events: u32,
    /// The first and the last revision of the response's events; `None` if the response has no events.
    pub revisions: Option<(i64, i64)>,
}

impl SentResponse {
    fn new(at: SimTime, response: &WatchResponse) -> Self {
        let ends = response.events.first().zip(response.events.last());
        Self {
            at,
            header_revision: response.header.revision,
            events: response.events.len() as u32,
            revisions: ends.map(|(first, last)| (first.kv.mod_revision, last.kv.mod_revision)),
        }
    }
}

/// The log: the entries of each watcher, watch and node, oldest first.
#[derive(Clone, Debug)]
pub struct WatcherLog {
    member: NodeId,
    /// The events of all entries, oldest first. Entries for responses have no event here.
    events: SharedList<Event>,
    sync_passes: Vec<WatcherMark>,
    /// The entries of each watcher, by the watcher's number in the store.
    watchers: OrdMap<u64, Vec<WatcherMark>>,
    /// The watcher that last had this watch ID on this stream.
    by_place: OrdMap<(StreamKey, i64), u64>,
    /// The client's entries for each watch, by the name of the watch.
    watches: OrdMap<Arc<str>, Vec<WatcherMark>>,
    /// The entries for the operations on each node, such as crashes and pauses.
    nodes: OrdMap<NodeId, Vec<WatcherMark>>,
}

impl WatcherLog {
    /// Creates an empty log for the watchers of a member.
    pub fn of(member: NodeId) -> Self {
        Self {
            member,
            events: SharedList::default(),
            sync_passes: Vec::new(),
            watchers: OrdMap::new(),
            by_place: OrdMap::new(),
            watches: OrdMap::new(),
            nodes: OrdMap::new(),
        }
    }

    pub fn observe(&mut self, event: &Event) {
        let mark = WatcherMark {
            id: event.id,
            step: event.step,
            sent: None,
        };
        if is_marked(&event.what) {
            self.events.push(event.clone());
        }
        match &event.what {
            TraceEvent::Watch(what) if event.node == Some(self.member) => self.member(mark, what),
            TraceEvent::Client(what) => self.client(mark, what),
            TraceEvent::Net(NetTrace::Sent { from, to, body, .. }) if *from == self.member => {
                if let Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) = &**body {
                    let key = StreamKey {
                        client: *to,
                        stream: *stream,
                    };
                    let sent = Some(SentResponse::new(event.at, response));
                    self.mark_place(WatcherMark { sent, ..mark }, (key, response.watch_id));
                }
            }
            _ => {}
        }
    }

    fn member(&mut self, mark: WatcherMark, what: &WatchTrace) {
        match what {
            WatchTrace::Created {
                watcher,
                stream,
                watch_id,
                ..
            } => {
                self.by_place.insert((*stream, *watch_id), *watcher);
                self.mark(mark, *watcher);
            }
            WatchTrace::BecameVictim { watcher, .. }
            | WatchTrace::CaughtUp { watcher, .. }
            | WatchTrace::Overtaken { watcher, .. }
            | WatchTrace::PassedOver { watcher, .. }
            | WatchTrace::VictimSent { watcher, .. } => self.mark(mark, *watcher),
            WatchTrace::Canceled { stream, watch_id }
            | WatchTrace::Progress {
                stream, watch_id, ..
            } => self.mark_place(mark, (*stream, *watch_id)),
            WatchTrace::StreamClosed { stream, .. } => {
                let of_stream = (*stream, i64::MIN)..=(*stream, i64::MAX);
                let ended: Vec<u64> = self.by_place.range(of_stream).map(|(_, w)| *w).collect();
                for watcher in ended {
                    self.mark(mark, watcher);
                }
            }
            WatchTrace::Swept { .. } => self.sync_passes.push(mark),
            WatchTrace::StreamOpened { .. }
            | WatchTrace::Refused { .. }
            | WatchTrace::Notified { .. }
            | WatchTrace::PrevKvRead { .. }
            | WatchTrace::ProgressWithheld { .. }
            | WatchTrace::LeaderMissing { .. } => {}
        }
    }

    fn client(&mut self, mark: WatcherMark, what: &ClientTrace) {
        match what {
            ClientTrace::Wants { watch, .. }
            | ClientTrace::ResumesFrom { watch, .. }
            | ClientTrace::Ended { watch, .. } => {
                self.watches
                    .get_or_insert_with(watch.clone(), Vec::new)
                    .push(mark);
            }
            ClientTrace::Paused { node }
            | ClientTrace::Resumed { node, .. }
            | ClientTrace::Disconnected { node }
            | ClientTrace::Connected { node }
            | ClientTrace::Stopped { node }
            | ClientTrace::Started { node }
            | ClientTrace::Changed {
                node: Some(node), ..
            } => self.nodes.get_or_insert_with(*node, Vec::new).push(mark),
            ClientTrace::Changed { node: None, .. }
            | ClientTrace::Opened { .. }
            | ClientTrace::Received { .. }
            | ClientTrace::KeptAlive { .. }
            | ClientTrace::Monitored { .. }
            | ClientTrace::Printed { .. }
            | ClientTrace::Ran { .. }
            | ClientTrace::Listed { .. }
            | ClientTrace::Polled { .. }
            | ClientTrace::Retries { .. }
            | ClientTrace::FoundGone { .. } => {}
        }
    }

    fn mark(&mut self, mark: WatcherMark, watcher: u64) {
        self.watchers
            .get_or_insert_with(watcher, Vec::new)
            .push(mark);
    }

    fn mark_place(&mut self, mark: WatcherMark, place: (StreamKey, i64)) {
        if let Some(watcher) = self.by_place.get(&place) {
            self.mark(mark, *watcher);
        }
    }

    /// Returns the event of an entry; `None` if the entry is a response.
    pub fn event(&self, mark: &WatcherMark) -> Option<&Event> {
        let place = self.events.partition_point(|event| event.id < mark.id);
        self.events.get(place).filter(|event| event.id == mark.id)
    }

    /// Returns the watcher that most recently had this watch ID on this stream.
    pub fn watcher_at(&self, stream: StreamKey, watch_id: i64) -> Option<u64> {
        self.by_place.get(&(stream, watch_id)).copied()
    }

    /// Returns the entry of the newest sync pass up to a step.
    pub fn last_sync_pass(&self, step: u64) -> Option<WatcherMark> {
        upto(&self.sync_passes, step).last().copied()
    }

    /// Returns the entries of the sync passes up to a step.
    pub fn sync_passes(&self, step: u64) -> &[WatcherMark] {
        upto(&self.sync_passes, step)
    }

    /// Returns the entries of a watcher up to a step.
    pub fn of_watcher(&self, watcher: u64, step: u64) -> &[WatcherMark] {
        upto(self.watchers.get(&watcher).map_or(&[], |m| m), step)
    }

    /// Returns the client's entries for a watch up to a step: requests, resumes and the end.
    pub fn of_watch(&self, name: &str, step: u64) -> &[WatcherMark] {
        upto(self.watches.get(name).map_or(&[], |m| m), step)
    }

    /// Returns the entries for the operations on a node up to a step.
    pub fn of_node(&self, node: NodeId, step: u64) -> &[WatcherMark] {
        upto(self.nodes.get(&node).map_or(&[], |m| m), step)
    }

    /// Returns the nodes that have entries, each with its entries.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &[WatcherMark])> {
        self.nodes.iter().map(|(node, marks)| (*node, &marks[..]))
    }

    /// Returns all watchers of the run, with the entries of each.
    pub fn watchers(&self) -> impl Iterator<Item = (u64, &[WatcherMark])> {
        self.watchers.iter().map(|(id, marks)| (*id, &marks[..]))
    }
}

/// Returns true if the log stores the event itself.
fn is_marked(what: &TraceEvent) -> bool {
    match what {
        TraceEvent::Watch(what) => !matches!(
            what,
            WatchTrace::StreamOpened { .. }
                | WatchTrace::Refused { .. }
                | WatchTrace::Notified { .. }
                | WatchTrace::PrevKvRead { .. }
                | WatchTrace::ProgressWithheld { .. }
        ),
        TraceEvent::Client(what) => !matches!(
            what,
            ClientTrace::Changed { node: None, .. }
                | ClientTrace::Opened { .. }
                | ClientTrace::Received { .. }
                | ClientTrace::KeptAlive { .. }
                | ClientTrace::Monitored { .. }
                | ClientTrace::Printed { .. }
                | ClientTrace::Ran { .. }
                | ClientTrace::Listed { .. }
                | ClientTrace::Polled { .. }
                | ClientTrace::Retries { .. }
                | ClientTrace::FoundGone { .. }
        ),
        _ => false,
    }
}

fn upto(marks: &[WatcherMark], step: u64) -> &[WatcherMark] {
    &marks[..marks.partition_point(|m| m.step <= step)]
}
