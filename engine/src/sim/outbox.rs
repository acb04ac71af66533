//! The only way out of a node. Effects change the future; trace events are history. They are
//! different things with different readers, and so different lists.

use std::sync::Arc;

use crate::api::Reply;
use crate::api::kube::KubeAnswer;
use crate::api::message::Body;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::trace::TraceEvent;

/// The number of a request, unique in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// What came of a request that was typed behind `kubectl`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KubectlReply {
    /// The server answered.
    Answer(Arc<KubeAnswer>),
    /// There is nobody.
    ConnectionRefused,
    /// The connection broke while it waited.
    ConnectionLost,
    /// Nobody answered for long.
    TimedOut,
}

/// What a node wants done; `T` names its timers.
#[derive(Debug)]
pub struct Outbox<T> {
    /// Answers to requests.
    pub replies: Vec<(RequestId, Reply)>,
    /// Timers to be set: after how long, and which.
    pub timers: Vec<(SimDuration, T)>,
    /// Answers to what was typed behind `kubectl`.
    pub kubectl: Vec<(RequestId, KubectlReply)>,
    /// Messages to other nodes.
    pub messages: Vec<(NodeId, Body)>,
    /// Bytes of a stream that a client has read, which gives the member leave to send more.
    pub credits: Vec<(u32, u64)>,
    /// Bytes of a watch of an API server that a client has read: the server, the client's number for
    /// the watch, the bytes.
    pub kube_credits: Vec<(NodeId, u64, u64)>,
    /// What happened.
    pub trace: Vec<TraceEvent>,
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
            trace: Vec::new(),
        }
    }
}

impl<T> Outbox<T> {
    /// Answers a request.
    pub fn reply(&mut self, to: RequestId, reply: Reply) {
        if let Err(error) = &reply {
            self.trace(TraceEvent::Refused { error: *error });
        }
        self.trace(TraceEvent::Replied);
        self.replies.push((to, reply));
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
