//! The trace of a run as JSON lines: one object for each event, in the order of the run.
//!
//! | member | value |
//! |---|---|
//! | `event` | the number of the event, from 1 |
//! | `time_us` | the simulated time in microseconds since the start of the run |
//! | `step` | the number of the step in which the event happened, from 1 |
//! | `node` | the name of the node that acted; `null` for an event of the whole world |
//! | `kind` | the kind, such as `committed` or `watch.notified` |
//! | `fields` | an object with the fields of this kind, see `event_fields` |
//! | `cause` | the number of the event that caused this event, or `null` |
//! | `cause_step` | the step of that event, or `null` |
//!
//! ```text
//! {"event":6,"time_us":1000,"step":2,"node":"etcd","kind":"committed","fields":{"revision":2,"changes":1},…}
//! ```

use crate::base::json::{self, Json};
use crate::trace::{Event, EventId};

use super::event_fields::{Names, push_fields};

/// The lines so far, and the step of each event.
#[derive(Debug, Default)]
pub(super) struct TraceLines {
    text: String,
    /// The step of each event; the first event has the number 1.
    steps: Vec<u64>,
    fields: String,
}

impl TraceLines {
    /// Returns the size of the text in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn add(&mut self, event: &Event, names: Names<'_>) {
        self.steps.push(event.step);
        self.fields.clear();
        let kind = push_fields(&mut self.fields, &event.what, names);
        let cause_step = event.cause.and_then(|cause| self.step_of(cause));
        let mut line = Json::object(&mut self.text);
        line.value("event", event.id.0);
        line.value("time_us", event.at.0);
        line.value("step", event.step);
        match event.node {
            Some(node) => json::push_string(line.key("node"), &names(node)),
            None => line.key("node").push_str("null"),
        }
        line.string("kind", kind);
        line.key("fields").push_str(&self.fields);
        let cause = event.cause.map(|EventId(id)| id);
        for (name, number) in [("cause", cause), ("cause_step", cause_step)] {
            match number {
                Some(number) => line.value(name, number),
                None => line.value(name, "null"),
            }
        }
        drop(line);
        self.text.push('\n');
    }

    fn step_of(&self, event: EventId) -> Option<u64> {
        let place = usize::try_from(event.0.checked_sub(1)?).ok()?;
        self.steps.get(place).copied()
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }
}
