//! Every message of a run and what became of it, from the trace alone.

use std::sync::Arc;

use crate::api::message::Body;
use crate::base::ids::NodeId;
use crate::base::ordered::OrdMap;
use crate::base::time::SimTime;
use crate::trace::{ClientTrace, Event, EventId, NetTrace, TraceEvent};

/// A message, as the trace tells of it.
#[derive(Clone, Debug)]
pub struct Message {
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

/// Every message of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    messages: Vec<Message>,
    /// Places in the list, by the number of a message on a link.
    by_number: OrdMap<u64, u32>,
    /// When the connection of a node broke: step and moment.
    cuts: Vec<(u64, SimTime, NodeId)>,
}

impl Traffic {
    /// Takes note of an event.
    pub fn observe(&mut self, event: &Event) {
        match &event.what {
            TraceEvent::Net(what) => self.net(event, what),
            TraceEvent::Client(
                ClientTrace::Disconnected { node } | ClientTrace::Stopped { node },
            ) => self.cuts.push((event.step, event.at, *node)),
            _ => {}
        }
    }

    fn net(&mut self, event: &Event, what: &NetTrace) {
        match what {
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
                self.messages.push(Message {
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
        let end = message.later.iter().rev().find_map(|l| match l.what {
            LaterKind::Arrived => Some(l.step),
            LaterKind::Waits | LaterKind::Released(_) | LaterKind::Broken => None,
        });
        let from_here = self.cuts.partition_point(|(at, ..)| *at <= message.step);
        let mut cuts = self.cuts[from_here..].iter();
        let found = cuts.find(|(_, _, node)| *node == message.from || *node == message.to)?;
        (found.0 <= step && end.is_none_or(|end| found.0 < end)).then_some(found.1)
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
