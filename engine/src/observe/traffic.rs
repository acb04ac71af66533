//! Every message of a run and what became of it, from the trace alone.
//!
//! A request that was typed is one as well, although it crosses no link: it came from `etcdctl`,
//! and its answer goes back there at the moment at which it is given.

use std::sync::Arc;

use crate::api::message::Body;
use crate::api::{EtcdError, Request};
use crate::base::ids::NodeId;
use crate::base::ordered::OrdMap;
use crate::base::time::SimTime;
use crate::trace::{ClientTrace, Event, EventId, NetTrace, TraceEvent};

/// A message, as the trace tells of it.
#[derive(Clone, Debug)]
pub struct Message {
    /// The event that tells that it left; of a typed request, that it came.
    pub id: EventId,
    /// The step of that event.
    pub step: u64,
    /// When it left.
    pub sent: SimTime,
    /// What it says.
    pub what: Says,
    /// When it arrives, as far as that was decided when it left.
    pub arrives: Option<SimTime>,
    /// When each try that was lost would have arrived.
    pub lost: Vec<SimTime>,
    /// It comes a second time, and is thrown away.
    pub duplicated: bool,
    /// Its size; 0 when it crosses no link.
    pub bytes: u64,
    /// What happened to it afterwards, oldest first.
    pub later: Vec<Later>,
}

/// What a message says, and between whom.
#[derive(Clone, Debug)]
pub enum Says {
    /// Something that crosses a link.
    Body {
        /// Who sent it.
        from: NodeId,
        /// Whom it is for.
        to: NodeId,
        /// What it says.
        body: Arc<Body>,
    },
    /// A typed request.
    Typed(Arc<Request>),
    /// The answer to one.
    Told(Told),
}

/// What the answer to a typed request tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Told {
    /// That it was done.
    #[default]
    Done,
    /// That it was done as this revision.
    Wrote(i64),
    /// What was read.
    Read {
        /// Keys there are.
        count: i64,
        /// At which revision.
        revision: i64,
    },
    /// Why not.
    Refused(EtcdError),
}

/// Something that happened to a message after it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// The event.
    pub id: EventId,
    /// Its step.
    pub step: u64,
    /// When.
    pub at: SimTime,
    /// What.
    pub what: LaterKind,
}

/// What can happen to a message after it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaterKind {
    /// It arrived.
    Arrived,
    /// It arrived at a node that stands still, and waits.
    Waits,
    /// The link lets it go; it arrives then.
    Released(SimTime),
    /// Its connection broke under it.
    Broken,
}

/// Every message of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    messages: Vec<Message>,
    /// Places in the list, by the number of a message on a link.
    by_number: OrdMap<u64, u32>,
    /// Places of typed requests by the event that told of them, until they are answered.
    asked: OrdMap<EventId, u32>,
    /// When the connection of a node broke: step and moment.
    cuts: Vec<(u64, SimTime, NodeId)>,
    /// What the step at hand does for a typed request.
    serving: Serving,
}

/// What a step has done so far that the answer to a typed request will tell.
#[derive(Clone, Debug, Default)]
struct Serving {
    step: u64,
    /// The request that reached the member in it, if one did that was typed.
    request: Option<EventId>,
    /// One came over a link.
    other: bool,
    told: Told,
}

impl Traffic {
    /// Takes note of an event.
    pub fn observe(&mut self, event: &Event) {
        if event.step != self.serving.step {
            self.serving = Serving {
                step: event.step,
                ..Serving::default()
            };
        }
        match &event.what {
            TraceEvent::Net(what) => self.net(event, what),
            TraceEvent::Client(
                ClientTrace::Disconnected { node } | ClientTrace::Stopped { node },
            ) => self.cuts.push((event.step, event.at, *node)),
            TraceEvent::Received { .. } => {
                let cause = event.cause.filter(|cause| self.asked.contains_key(cause));
                self.serving.request = cause;
                self.serving.other = cause.is_none();
                if let Some(cause) = cause {
                    self.came(event, cause);
                }
            }
            TraceEvent::Committed { revision, .. } => self.serving.told = Told::Wrote(*revision),
            TraceEvent::Read {
                count, revision, ..
            } => {
                self.serving.told = Told::Read {
                    count: *count,
                    revision: *revision,
                };
            }
            TraceEvent::Refused { error } => self.serving.told = Told::Refused(*error),
            TraceEvent::Replied => self.replied(event),
            _ => {}
        }
    }

    fn net(&mut self, event: &Event, what: &NetTrace) {
        match what {
            NetTrace::Asked { request, sent } => {
                self.asked.insert(event.id, self.messages.len() as u32);
                self.messages.push(Message {
                    arrives: Some(event.at),
                    ..message(event, *sent, Says::Typed(request.clone()))
                });
            }
            NetTrace::Sent {
                message: number,
                from,
                to,
                arrives,
                lost,
                duplicated,
                bytes,
                body,
            } => {
                self.by_number.insert(number.0, self.messages.len() as u32);
                let says = Says::Body {
                    from: *from,
                    to: *to,
                    body: body.clone(),
                };
                self.messages.push(Message {
                    arrives: *arrives,
                    lost: lost.clone(),
                    duplicated: *duplicated,
                    bytes: *bytes,
                    ..message(event, event.at, says)
                });
            }
            NetTrace::Arrived { message } => self.later(event, message.0, LaterKind::Arrived),
            NetTrace::Waits { message } => self.later(event, message.0, LaterKind::Waits),
            NetTrace::Released { message, arrives } => {
                self.later(event, message.0, LaterKind::Released(*arrives));
            }
            NetTrace::Broken { message } => self.later(event, message.0, LaterKind::Broken),
        }
    }

    fn later(&mut self, event: &Event, number: u64, what: LaterKind) {
        if let Some(place) = self.by_number.get(&number) {
            self.messages[*place as usize]
                .later
                .push(later(event, what));
        }
    }

    /// A typed request is taken: at once, or when the member goes on.
    fn came(&mut self, event: &Event, asked: EventId) {
        let place = self.asked[&asked];
        let request = &mut self.messages[place as usize];
        request.later.push(later(event, LaterKind::Arrived));
    }

    fn replied(&mut self, event: &Event) {
        // An answer that had to wait (for rows to go) is that of the oldest request without one.
        let answered = match (self.serving.request, self.serving.other) {
            (Some(request), _) => Some(request),
            (None, true) => None,
            (None, false) => self.asked.keys().next().copied(),
        };
        let Some(answered) = answered else { return };
        self.asked.remove(&answered);
        let told = Says::Told(self.serving.told);
        self.messages.push(Message {
            arrives: Some(event.at),
            later: vec![later(event, LaterKind::Arrived)],
            ..message(event, event.at, told)
        });
    }

    /// The messages that had left by a step, oldest first.
    pub fn messages_at(&self, step: u64) -> &[Message] {
        &self.messages[..self.messages.partition_point(|m| m.step <= step)]
    }

    /// The message that an event tells of leaving.
    pub fn message(&self, id: EventId) -> Option<&Message> {
        let place = self.messages.binary_search_by_key(&id, |m| m.id).ok()?;
        Some(&self.messages[place])
    }

    /// A message by its number on the links.
    pub fn numbered(&self, number: u64) -> Option<&Message> {
        let place = self.by_number.get(&number)?;
        self.messages.get(*place as usize)
    }

    /// When a message's connection broke under it, by a step.
    pub fn cut(&self, message: &Message, step: u64) -> Option<SimTime> {
        let Says::Body { from, to, .. } = &message.what else {
            return None;
        };
        let end = message.later.iter().rev().find_map(|l| match l.what {
            LaterKind::Arrived => Some(l.step),
            LaterKind::Waits | LaterKind::Released(_) | LaterKind::Broken => None,
        });
        let from_here = self.cuts.partition_point(|(at, ..)| *at <= message.step);
        let mut cuts = self.cuts[from_here..].iter();
        let found = cuts.find(|(_, _, node)| node == from || node == to)?;
        (found.0 <= step && end.is_none_or(|end| found.0 < end)).then_some(found.1)
    }
}

fn message(event: &Event, sent: SimTime, what: Says) -> Message {
    Message {
        id: event.id,
        step: event.step,
        sent,
        what,
        arrives: None,
        lost: Vec::new(),
        duplicated: false,
        bytes: 0,
        later: Vec::new(),
    }
}

fn later(event: &Event, what: LaterKind) -> Later {
    Later {
        id: event.id,
        step: event.step,
        at: event.at,
        what,
    }
}
