//! The messages of a run with their arrivals and losses, from the trace alone.

use std::sync::Arc;

use crate::api::message::Body;
use crate::base::ids::NodeId;
use crate::base::time::SimTime;
use crate::trace::{ClientTrace, Event, EventId, NetTrace, TraceEvent};

/// A message of the run, as the trace reports it.
#[derive(Clone, Debug)]
pub struct Message {
    /// The number of the message; later messages have greater numbers.
    pub number: u64,
    /// The event that reports the sending of the message.
    pub id: EventId,
    /// The step in which the message was sent.
    pub step: u64,
    pub sent: SimTime,
    pub from: NodeId,
    pub to: NodeId,
    pub body: Arc<Body>,
    /// The arrival time, as determined when the message was sent; `None` if a link held the message back.
    pub arrives: Option<SimTime>,
    /// The times at which the lost attempts would have arrived.
    pub lost: Vec<SimTime>,
    /// Whether a second copy of the message arrives; the receiver drops the copy.
    pub duplicated: bool,
    pub bytes: u64,
    /// Whether the message follows a TLS handshake.
    pub is_after_handshake: bool,
    /// What happened to the message after the sending, oldest first.
    pub later: Vec<Later>,
}

/// An event in the transfer of a message, after the sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    pub id: EventId,
    pub step: u64,
    pub at: SimTime,
    pub what: LaterKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaterKind {
    Arrived,
    /// The message arrived at a paused node and waits there.
    Waits,
    /// The link released the message; it arrives at this time.
    Released(SimTime),
    /// The user let the message arrive later, at this time.
    Delayed(SimTime),
    /// The message was lost with its connection.
    Broken,
}

/// The messages that were sent in one part of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    messages: Vec<Message>,
}

impl Messages {
    /// Records an event. If the event belongs to a message that was sent before this part of the run, returns the
    /// message number and the event.
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
                is_after_handshake,
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
                    is_after_handshake: *is_after_handshake,
                    later: Vec::new(),
                });
                return None;
            }
            NetTrace::Arrived { message } => (message.0, LaterKind::Arrived),
            NetTrace::Waits { message } => (message.0, LaterKind::Waits),
            NetTrace::Released { message, arrives } => (message.0, LaterKind::Released(*arrives)),
            NetTrace::Delayed { message, arrives } => (message.0, LaterKind::Delayed(*arrives)),
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

    pub fn all(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the messages that were sent in `step` or before.
    pub fn by_step(&self, step: u64) -> &[Message] {
        &self.messages[..self.messages.partition_point(|m| m.step <= step)]
    }

    /// Returns the message whose sending this event reports.
    pub fn of_event(&self, id: EventId) -> Option<&Message> {
        let place = self.messages.binary_search_by_key(&id, |m| m.id).ok()?;
        Some(&self.messages[place])
    }

    pub fn numbered(&self, number: u64) -> Option<&Message> {
        self.place_of(number).map(|place| &self.messages[place])
    }
}

/// The broken connections of a run, oldest first: the step, the time and the node.
#[derive(Clone, Debug, Default)]
pub struct Cuts(Vec<(u64, SimTime, NodeId)>);

impl Cuts {
    pub fn observe(&mut self, event: &Event) {
        if let TraceEvent::Client(
            ClientTrace::Disconnected { node } | ClientTrace::Stopped { node },
        ) = &event.what
        {
            self.0.push((event.step, event.at, *node));
        }
    }

    /// Returns the connections that broke in `step` or before.
    #[must_use]
    pub fn by_step(&self, step: u64) -> Self {
        let known = self.0.partition_point(|(at, ..)| *at <= step);
        Self(self.0[..known].to_vec())
    }

    /// Returns the time at which a broken connection lost a message, if the message was lost by the end of `step`.
    pub fn of(&self, message: &Message, step: u64) -> Option<SimTime> {
        let end = message.later.iter().rev().find_map(|l| match l.what {
            LaterKind::Arrived => Some(l.step),
            LaterKind::Waits
            | LaterKind::Released(_)
            | LaterKind::Delayed(_)
            | LaterKind::Broken => None,
        });
        let from_here = self.0.partition_point(|(at, ..)| *at <= message.step);
        let mut cuts = self.0[from_here..].iter();
        let found = cuts.find(|(_, _, node)| *node == message.from || *node == message.to)?;
        (found.0 <= step && end.is_none_or(|end| found.0 < end)).then_some(found.1)
    }
}
