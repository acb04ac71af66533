//! The only way out of a node. Effects change the future; trace events are history. They are
//! different things with different readers, and so different lists.

use crate::api::Reply;
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
    /// What happened.
    pub trace: Vec<TraceEvent>,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self {
            replies: Vec::new(),
            timers: Vec::new(),
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

    /// Says what happened.
    pub fn trace(&mut self, what: TraceEvent) {
        self.trace.push(what);
    }
}
