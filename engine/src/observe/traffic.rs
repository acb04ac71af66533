//! Messages and what became of them, from the trace alone.

use std::sync::Arc;

use crate::api::message::Body;
use crate::base::ids::NodeId;
use crate::base::time::SimTime;
use crate::trace::{ClientTrace, Event, EventId, NetTrace, TraceEvent};

/// A message, as the trace tells of it.
#[derive(Clone, Debug)]
pub struct Message {
    /// The message's number on the links; later messages have greater ones.
    pub number: u64,
    /// The event that tells that it left.
    pub id: EventId,
    /// The step of that event.
    pub step: u64,
    /// When it left.
    pub sent: SimTime,
    /// Who sent it.
    pub from: NodeId,
    /// Whom it is for.
    pub to: NodeId,
    /// What it says.
    pub body: Arc<Body>,
    /// When it arrives, as far as that was decided when it left.
    pub arrives: Option<SimTime>,
    /// When each try that was lost would have arrived.
    pub lost: Vec<SimTime>,
    /// It comes a second time, and is thrown away.
    pub duplicated: bool,
    /// Its size.
    pub bytes: u64,
    /// What happened to it afterwards, oldest first.
    pub later: Vec<Later>,
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

/// The messages that left in one piece of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    messages: Vec<Message>,
}

impl Messages {
    /// Takes note of an event. Returns what became of a message that left before the piece began.
    pub fn observe(&mut self, event: &Event) -> Option<(u64, Later)> {
        let TraceEvent::Net(what) = &event.what else {
            return None;
        };
        let (number, what) = match what {
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
                self.messages.push(Message {
                    number: number.0,
                    id: event.id,
                    step: event.step,
                    sent: event.at,
                    from: *from,
                    to: *to,
                    body: body.clone(),
                    arrives: *arrives,
                    lost: lost.clone(),
                    duplicated: *duplicated,
                    bytes: *bytes,
                    later: Vec::new(),
                });
                return None;
            }
            NetTrace::Arrived { message } => (message.0, LaterKind::Arrived),
            NetTrace::Waits { message } => (message.0, LaterKind::Waits),
            NetTrace::Released { message, arrives } => (message.0, LaterKind::Released(*arrives)),
            NetTrace::Broken { message } => (message.0, LaterKind::Broken),
        };
        let later = Later {
            id: event.id,
            step: event.step,
            at: event.at,
            what,
        };
        match self.place_of(number) {
            Some(place) => {
                self.messages[place].later.push(later);
                None
            }
            None => Some((number, later)),
        }
    }

    fn place_of(&self, number: u64) -> Option<usize> {
        self.messages
            .binary_search_by_key(&number, |message| message.number)
            .ok()
    }

    /// All of them.
    pub fn all(&self) -> &[Message] {
        &self.messages
    }

    /// The messages that had left by a step.
    pub fn by_step(&self, step: u64) -> &[Message] {
        &self.messages[..self.messages.partition_point(|m| m.step <= step)]
    }

    /// The message that an event tells of leaving.
    pub fn of_event(&self, id: EventId) -> Option<&Message> {
        let place = self.messages.binary_search_by_key(&id, |m| m.id).ok()?;
        Some(&self.messages[place])
    }

    /// A message by its number on the links.
    pub fn numbered(&self, number: u64) -> Option<&Message> {
        self.place_of(number).map(|place| &self.messages[place])
    }
}

/// When the connection of a node broke, oldest first: the step, the time, the node.
#[derive(Clone, Debug, Default)]
pub struct Cuts(Vec<(u64, SimTime, NodeId)>);

impl Cuts {
    /// Takes note of an event.
    pub fn observe(&mut self, event: &Event) {
        if let TraceEvent::Client(
            ClientTrace::Disconnected { node } | ClientTrace::Stopped { node },
        ) = &event.what
        {
            self.0.push((event.step, event.at, *node));
        }
    }

    /// Those by a step.
    #[must_use]
    pub fn by_step(&self, step: u64) -> Self {
        let known = self.0.partition_point(|(at, ..)| *at <= step);
        Self(self.0[..known].to_vec())
    }

    /// When a message's connection broke under it, by a step.
    pub fn of(&self, message: &Message, step: u64) -> Option<SimTime> {
        let end = message.later.iter().rev().find_map(|l| match l.what {
            LaterKind::Arrived => Some(l.step),
            LaterKind::Waits | LaterKind::Released(_) | LaterKind::Broken => None,
        });
        let from_here = self.0.partition_point(|(at, ..)| *at <= message.step);
        let mut cuts = self.0[from_here..].iter();
        let found = cuts.find(|(_, _, node)| *node == message.from || *node == message.to)?;
        (found.0 <= step && end.is_none_or(|end| found.0 < end)).then_some(found.1)
    }
}
