//! The log of all API servers, built from the trace alone: their requests with the timing, the revisions of each cache
//! over time, and everything that each client received.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::{
    KubeAnswer, KubeRequest, KubeResponse, KubeWatchEvent, Reason, ServedBy, StatusError,
};
use crate::trace::{
    Answered, BackOffReason, ClientTrace, Event, KubeNotice, KubeTrace, TraceEvent,
};

/// The number of a step, and the simulated time of the step.
pub type StepTime = (u64, SimTime);

/// The log of all API servers and their clients.
#[derive(Clone, Debug, Default)]
pub struct KubeLog {
    requests: Vec<RequestRecord>,
    by_id: BTreeMap<(NodeId, u64), u32>,
    by_call: BTreeMap<(NodeId, u64), u32>,
    caches: BTreeMap<(NodeId, &'static str), CacheRecord>,
    heard: BTreeMap<NodeId, Vec<(StepTime, Heard)>>,
    /// The names of the clients of API servers.
    names: Vec<(NodeId, Arc<str>)>,
}

/// A request to an API server, with the times of its events.
#[derive(Clone, Debug)]
pub struct RequestRecord {
    pub client: NodeId,
    pub server: NodeId,
    pub request: Arc<KubeRequest>,
    pub sent: StepTime,
    /// The arrival of the request at the server: the time, the component that serves the request, and the reason why
    /// this component serves it.
    pub response: Option<(StepTime, ServedBy, Reason)>,
    /// The wait of the request for the cache: the start of the wait, the required revision, the cache's revision at the
    /// start, and the deadline.
    pub waits: Option<(StepTime, u64, u64, SimTime)>,
    /// The time at which the server sent the response, and the kind of the response.
    pub answered: Option<(StepTime, Answered)>,
    /// The time when the client received the response, and the response.
    pub heard: Option<(StepTime, Arc<KubeAnswer>)>,
    /// The ERROR event that ended the watch, and the time when the client received it.
    pub ended: Option<(StepTime, StatusError)>,
}

/// The revisions of a cache over time.
#[derive(Clone, Debug, Default)]
pub struct CacheRecord {
    /// The revision after each change.
    pub revisions: Vec<(StepTime, u64)>,
    /// Progress notifications that changed the revision: the time and the new revision.
    pub progress: Vec<(StepTime, u64)>,
    /// Bookmarks to clients: the time, the number of the watch and the revision.
    pub bookmarks: Vec<(StepTime, u64, u64)>,
    /// The times at which the cache requested progress.
    pub asked: Vec<StepTime>,
}

/// An entry in the log of a client of API servers.
#[derive(Clone, Debug)]
pub enum Heard {
    Answer(Arc<KubeAnswer>),
    Event(KubeWatchEvent),
    /// The end of a stream; true if the server ended the stream, false if the connection broke.
    End(bool),
    /// An informer replaced its objects with a list. Contains the number of objects and the revision of the list.
    Replaced(u64, u64),
    /// An informer notified its handlers. Contains the notification.
    Notice(KubeNotice),
    /// The client waits before its next attempt. Contains the duration of the wait, and the reason.
    BacksOff(SimDuration, BackOffReason),
}

impl KubeLog {
    pub fn observe(&mut self, event: &Event) {
        let at = (event.step, event.at);
        match &event.what {
            TraceEvent::Kube(what) => self.kube(at, what),
            TraceEvent::Client(ClientTrace::Opened {
                node: node @ NodeId::KubeClient(_),
                name,
            }) => self.names.push((*node, name.clone())),
            _ => {}
        }
    }

    fn kube(&mut self, at: StepTime, what: &KubeTrace) {
        match what {
            KubeTrace::Sends {
                client,
                server,
                call,
                request,
            } => {
                self.by_call
                    .insert((*client, *call), self.requests.len() as u32);
                self.requests.push(RequestRecord {
                    client: *client,
                    server: *server,
                    request: request.clone(),
                    sent: at,
                    response: None,
                    waits: None,
                    answered: None,
                    heard: None,
                    ended: None,
                });
            }
            KubeTrace::Asked {
                server,
                id,
                client,
                call,
                by,
                reason,
                ..
            } => {
                if let Some(place) = self.by_call.get(&(*client, *call)).copied() {
                    self.by_id.insert((*server, *id), place);
                    self.requests[place as usize].response = Some((at, *by, *reason));
                }
            }
            KubeTrace::Waits {
                server,
                id,
                needed,
                cache_revision,
                deadline,
            } => {
                if let Some(request) = self.request_mut(*server, *id) {
                    request.waits = Some((at, *needed, *cache_revision, *deadline));
                }
            }
            KubeTrace::Answered { server, id, how } => {
                if let Some(request) = self.request_mut(*server, *id) {
                    request.answered = Some((at, how.clone()));
                }
            }
            KubeTrace::Hears {
                client,
                call,
                answer,
                ..
            } => {
                if let Some(place) = self.by_call.get(&(*client, *call)).copied() {
                    self.requests[place as usize].heard = Some((at, answer.clone()));
                }
                let is_received = !matches!(&**answer, Ok(KubeResponse::WatchBegun));
                if is_received {
                    self.hears(*client, at, Heard::Answer(answer.clone()));
                }
            }
            KubeTrace::Events {
                client,
                call,
                events,
                ..
            } => {
                let place = self.by_call.get(&(*client, *call)).copied();
                for event in events.iter() {
                    if let (Some(place), KubeWatchEvent::Error(error)) = (place, event) {
                        self.requests[place as usize].ended = Some((at, error.clone()));
                    }
                    self.hears(*client, at, Heard::Event(event.clone()));
                }
            }
            KubeTrace::StreamEnds { client, clean, .. } => {
                self.hears(*client, at, Heard::End(*clean));
            }
            KubeTrace::Replaced {
                client,
                revision,
                objects,
                ..
            } => self.hears(*client, at, Heard::Replaced(*objects, *revision)),
            KubeTrace::Notified { client, what } => {
                self.hears(*client, at, Heard::Notice(what.clone()));
            }
            KubeTrace::BacksOff { client, delay, why } => {
                self.hears(*client, at, Heard::BacksOff(*delay, why.clone()));
            }
            KubeTrace::Listed {
                server,
                resource,
                revision,
                ..
            } => {
                let cache = self.caches.entry((*server, resource)).or_default();
                cache.revisions.push((at, *revision));
            }
            KubeTrace::CacheMoved {
                server,
                resource,
                to,
                by_progress,
                ..
            } => {
                let cache = self.caches.entry((*server, resource)).or_default();
                cache.revisions.push((at, *to));
                if *by_progress {
                    cache.progress.push((at, *to));
                }
            }
            KubeTrace::ProgressAsked {
                server, resource, ..
            } => {
                let cache = self.caches.entry((*server, resource)).or_default();
                cache.asked.push(at);
            }
            KubeTrace::BookmarkSent {
                server,
                id,
                revision,
            } => {
                let place = self.by_id.get(&(*server, *id)).copied();
                if let Some(place) = place {
                    let resource = self.requests[place as usize].request.resource.name;
                    let cache = self.caches.entry((*server, resource)).or_default();
                    cache.bookmarks.push((at, *id, *revision));
                }
            }
            KubeTrace::Lists { .. }
            | KubeTrace::CacheLost { .. }
            | KubeTrace::Checked { .. }
            | KubeTrace::FallsBack { .. }
            | KubeTrace::Container { .. }
            | KubeTrace::EventsEtcd { .. }
            | KubeTrace::WatchBegan { .. }
            | KubeTrace::WatchEnded { .. } => {}
        }
    }

    fn request_mut(&mut self, server: NodeId, id: u64) -> Option<&mut RequestRecord> {
        let place = self.by_id.get(&(server, id))?;
        self.requests.get_mut(*place as usize)
    }

    fn hears(&mut self, client: NodeId, at: StepTime, what: Heard) {
        self.heard.entry(client).or_default().push((at, what));
    }

    // Queries.

    /// Returns the requests that were sent in `step` or before, oldest first.
    pub fn requests_at(&self, step: u64) -> &[RequestRecord] {
        &self.requests[..self.requests.partition_point(|r| r.sent.0 <= step)]
    }

    /// Returns the position, among the requests to all API servers, of request `id` to `server`.
    pub fn place_of(&self, server: NodeId, id: u64) -> Option<u64> {
        self.by_id.get(&(server, id)).map(|place| u64::from(*place))
    }

    pub fn cache(&self, server: NodeId, resource: &'static str) -> Option<&CacheRecord> {
        self.caches.get(&(server, resource))
    }

    /// Returns everything that a client received in `step` or before; `None` if no client of API servers has this name.
    pub fn heard(&self, name: &str, step: u64) -> Option<&[(StepTime, Heard)]> {
        let (node, _) = self.names.iter().find(|(_, own)| **own == *name)?;
        let all = self.heard.get(node).map_or(&[][..], |all| all);
        Some(&all[..all.partition_point(|((at, _), _)| *at <= step)])
    }
}
