//! The outbox of a node. A node affects other nodes only through its outbox. The outbox stores effects and trace events
//! in separate lists, because effects change the future and trace events record the past.

use std::sync::Arc;

use crate::api::Reply;
use crate::api::message::Body;
use crate::base::ids::{Caller, NodeId};
use crate::base::time::{SimDuration, SimTime};
use crate::kube::KubeAnswer;
use crate::trace::{Tape, TraceEvent};

/// The number that identifies a request in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// The result of a typed `kubectl` request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubectlReply {
    Answer(Arc<KubeAnswer>),
    ConnectionRefused,
    /// The connection broke during the request.
    ConnectionLost,
    TimedOut,
}

/// The outbox of a node: the effects that the node requests. `T` is the type of the node's timers.
#[derive(Debug)]
pub struct Outbox<T> {
    /// The time on the node's clock.
    pub now: SimTime,
    /// The responses to requests that this node received. The world sends them after the other messages.
    pub replies: Vec<(Caller, Reply)>,
    /// The timers to set: each timer with the time until it fires.
    pub timers: Vec<(SimDuration, T)>,
    /// The responses to `kubectl` commands that the user typed.
    pub kubectl: Vec<(RequestId, KubectlReply)>,
    pub messages: Vec<(NodeId, Body)>,
    /// For each stream that the node has read: the member, the stream and the number of bytes read. The member may then
    /// send more bytes.
    pub credits: Vec<(NodeId, u32, u64)>,
    /// For each watch of an API server that the client has read: the server, the client's number for the watch, and the
    /// number of bytes read. The server may then send more bytes.
    pub kube_credits: Vec<(NodeId, u64, u64)>,
    /// The numbers of the calls to whose responses the node no longer waits.
    pub abandoned: Vec<u64>,
    pub trace: Tape,
}

impl<T> Outbox<T> {
    pub fn new(now: SimTime) -> Self {
        Self {
            now,
            replies: Vec::new(),
            timers: Vec::new(),
            kubectl: Vec::new(),
            messages: Vec::new(),
            credits: Vec::new(),
            kube_credits: Vec::new(),
            abandoned: Vec::new(),
            trace: Tape::default(),
        }
    }

    pub fn reply(&mut self, to: Caller, reply: Reply) {
        if let Err(error) = &reply {
            self.trace(TraceEvent::Refused { error: *error });
        }
        self.trace(TraceEvent::Replied);
        self.replies.push((to, reply));
    }

    pub fn untraced(now: SimTime) -> Self {
        Self {
            trace: Tape::off(),
            ..Self::new(now)
        }
    }

    /// Converts the timers to a type that all kinds of nodes share.
    pub fn map_timers<U>(self, timer: impl Fn(T) -> U) -> Outbox<U> {
        let timers = self.timers.into_iter();
        Outbox {
            now: self.now,
            replies: self.replies,
            timers: timers.map(|(after, one)| (after, timer(one))).collect(),
            kubectl: self.kubectl,
            messages: self.messages,
            credits: self.credits,
            kube_credits: self.kube_credits,
            abandoned: self.abandoned,
            trace: self.trace,
        }
    }

    pub fn timer(&mut self, after: SimDuration, timer: T) {
        self.timers.push((after, timer));
    }

    pub fn send(&mut self, to: NodeId, body: Body) {
        self.messages.push((to, body));
    }

    pub fn trace(&mut self, what: TraceEvent) {
        self.trace.push(what);
    }
}
