//! A tape: the trace events that one call of a node reports. If tracing is off, the tape counts its events but does not
//! store them.

use super::TraceEvent;

/// The trace events that one call of a node reports, in order.
///
/// ```
/// use watchglass_engine::trace::{Tape, TraceEvent};
/// let mut off = Tape::off();
/// off.push(TraceEvent::Replied);
/// assert_eq!((off.len(), off.events().len()), (1, 0));
/// ```
#[derive(Debug, Default)]
pub struct Tape {
    off: bool,
    events: Vec<TraceEvent>,
    count: u64,
}

impl Tape {
    /// Creates a tape that counts its events but does not store them.
    pub fn off() -> Self {
        Self {
            off: true,
            ..Self::default()
        }
    }

    pub fn push(&mut self, what: TraceEvent) {
        self.count += 1;
        if !self.off {
            self.events.push(what);
        }
    }

    /// Returns true if the tape counts its events without storing them.
    pub fn is_off(&self) -> bool {
        self.off
    }

    /// Returns the number of events, including dropped events.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Returns true if no event was added to the tape.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    pub fn into_events(self) -> Vec<TraceEvent> {
        self.events
    }
}

impl Extend<TraceEvent> for Tape {
    fn extend<I: IntoIterator<Item = TraceEvent>>(&mut self, events: I) {
        for event in events {
            self.push(event);
        }
    }
}
