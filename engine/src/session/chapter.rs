//! A chapter of a recording: the events and messages of consecutive steps.

use crate::observe::Messages;
use crate::observe::traffic::Later;
use crate::trace::{Event, EventId};

/// The events of the steps of a chapter.
#[derive(Clone, Debug, Default)]
pub(super) struct Chapter {
    events: Vec<Event>,
    /// For each step, the number of events from the start of the chapter to the end of the step.
    ends: Vec<u32>,
    pub(super) messages: Messages,
}

impl Chapter {
    /// Adds an event of the current step. If the event concerns a message that was sent in an earlier chapter, returns
    /// the number of the message and the event.
    pub(super) fn add(&mut self, event: Event) -> Option<(u64, Later)> {
        let earlier = self.messages.observe(&event);
        self.events.push(event);
        earlier
    }

    pub(super) fn end_step(&mut self) {
        self.ends.push(self.events.len() as u32);
    }

    pub(super) fn steps(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the positions of a step's events among all events. The first step of the chapter is step 0.
    pub(super) fn events_of(&self, step: usize) -> std::ops::Range<usize> {
        let from = step.checked_sub(1).map_or(0, |before| self.ends[before]);
        from as usize..self.ends[step] as usize
    }

    pub(super) fn event(&self, id: EventId) -> Option<&Event> {
        let first = self.events.first()?.id.0;
        self.events
            .get(usize::try_from(id.0.checked_sub(first)?).ok()?)
    }
}
