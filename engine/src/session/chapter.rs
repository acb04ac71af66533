//! The events and messages of one stretch of a run.

use crate::observe::Messages;
use crate::observe::traffic::Later;
use crate::trace::{Event, EventId};

/// The events of the steps of a chapter.
#[derive(Clone, Debug, Default)]
pub(super) struct Chapter {
    events: Vec<Event>,
    /// For each step the number of events up to its end.
    ends: Vec<u32>,
    pub(super) messages: Messages,
}

impl Chapter {
    /// Takes in an event of the step that is being made. Returns what became of a message of an earlier chapter.
    pub(super) fn add(&mut self, event: Event) -> Option<(u64, Later)> {
        let earlier = self.messages.observe(&event);
        self.events.push(event);
        earlier
    }

    /// Ends the step.
    pub(super) fn end_step(&mut self) {
        self.ends.push(self.events.len() as u32);
    }

    /// The number of steps.
    pub(super) fn steps(&self) -> usize {
        self.ends.len()
    }

    /// All events.
    pub(super) fn events(&self) -> &[Event] {
        &self.events
    }

    /// The range of the events of a step, from 0.
    pub(super) fn events_of(&self, step: usize) -> std::ops::Range<usize> {
        let from = step.checked_sub(1).map_or(0, |before| self.ends[before]);
        from as usize..self.ends[step] as usize
    }

    /// The event of this number.
    pub(super) fn event(&self, id: EventId) -> Option<&Event> {
        let first = self.events.first()?.id.0;
        self.events
            .get(usize::try_from(id.0.checked_sub(first)?).ok()?)
    }
}
