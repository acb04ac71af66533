//! The only way out of a node. Effects change the future; trace events are history. They are
//! different things with different readers, and so different lists.

use std::sync::Arc;

use crate::api::Reply;
use crate::api::message::Body;
use crate::base::ids::{Caller, NodeId};
use crate::base::time::SimDuration;
use crate::kube::KubeAnswer;
use crate::trace::{Tape, TraceEvent};

/// The number of a request, unique in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// The result of a typed `kubectl` request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubectlReply {
    /// The server answered.
    Answer(Arc<KubeAnswer>),
    /// No server listens.
    ConnectionRefused,
    /// The connection broke during the request.
    ConnectionLost,
    /// No response arrived in time.
    TimedOut,
}

/// The actions that a node requests; `T` names its timers.
#[derive(Debug)]
pub struct Outbox<T> {
    /// Responses to calls; they leave after the other messages.
    pub replies: Vec<(Caller, Reply)>,
    /// Timers to be set: after how long, and which.
    pub timers: Vec<(SimDuration, T)>,
    /// Answers to what was typed behind `kubectl`.
    pub kubectl: Vec<(RequestId, KubectlReply)>,
    /// Messages to other nodes.
    pub messages: Vec<(NodeId, Body)>,
    /// Bytes that a node has read of one of its streams at a member, which gives the member leave to send more: the
    /// member, the stream, the bytes.
    pub credits: Vec<(NodeId, u32, u64)>,
    /// Bytes of a watch of an API server that a client has read: the server, the client's number for
    /// the watch, the bytes.
    pub kube_credits: Vec<(NodeId, u64, u64)>,
    /// The trace events.
    pub trace: Tape,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self {
            replies: Vec::new(),
            timers: Vec::new(),
            kubectl: Vec::new(),
            messages: Vec::new(),
            credits: Vec::new(),
            kube_credits: Vec::new(),
            trace: Tape::default(),
        }
    }
}

impl<T> Outbox<T> {
    /// Answers a call.
    pub fn reply(&mut self, to: Caller, reply: Reply) {
        if let Err(error) = &reply {
            self.trace(TraceEvent::Refused { error: *error });
        }
        self.trace(TraceEvent::Replied);
        self.replies.push((to, reply));
    }

    /// Creates an outbox without a trace.
    pub fn untraced() -> Self {
        Self {
            trace: Tape::off(),
            ..Self::default()
        }
    }

    /// The same with its timers among those of other kinds of nodes.
    pub fn map_timers<U>(self, timer: impl Fn(T) -> U) -> Outbox<U> {
        let timers = self.timers.into_iter();
        Outbox {
            replies: self.replies,
            timers: timers.map(|(after, one)| (after, timer(one))).collect(),
            kubectl: self.kubectl,
            messages: self.messages,
            credits: self.credits,
            kube_credits: self.kube_credits,
            trace: self.trace,
        }
    }

    /// Asks to be woken.
    pub fn timer(&mut self, after: SimDuration, timer: T) {
        self.timers.push((after, timer));
    }

    /// Sends a message.
    pub fn send(&mut self, to: NodeId, body: Body) {
        self.messages.push((to, body));
    }

    /// Says what happened.
    pub fn trace(&mut self, what: TraceEvent) {
        self.trace.push(what);
    }
}
