//! The only way out of a node. Effects change the future; trace events are history. They are
//! different things with different readers, and so different lists.

use crate::api::Reply;
use crate::api::message::Body;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::trace::TraceEvent;

/// The number of a request, unique in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// What a node wants done; `T` names its timers.
#[derive(Debug)]
pub struct Outbox<T> {
    /// Answers to requests.
    pub replies: Vec<(RequestId, Reply)>,
    /// Timers to be set: after how long, and which.
    pub timers: Vec<(SimDuration, T)>,
    /// Messages to other nodes.
    pub messages: Vec<(NodeId, Body)>,
    /// Bytes of a stream that a client has read, which gives the member leave to send more.
    pub credits: Vec<(u32, u64)>,
    /// What happened.
    pub trace: Vec<TraceEvent>,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self {
            replies: Vec::new(),
            timers: Vec::new(),
            messages: Vec::new(),
            credits: Vec::new(),
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
