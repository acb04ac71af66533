//! Access to the events and messages of a run.

use std::fmt;

use crate::base::time::SimTime;
use crate::trace::{Event, EventId};

use super::traffic::Message;

/// A run whose events and messages can be looked up. The run may drop the events and messages of old steps. A lookup
/// then recreates them by a replay, which takes time.
pub trait Recorded {
    fn event(&self, id: EventId) -> Option<Event>;

    /// Returns the time of a step; the first step is step 1.
    fn time_of(&self, step: u64) -> Option<SimTime>;

    /// Returns the message whose sending this event reports.
    fn message(&self, id: EventId) -> Option<Message>;

    fn message_numbered(&self, number: u64) -> Option<Message>;

    /// Returns the number of messages that were sent in `step` or before.
    fn message_count(&self, step: u64) -> u64;

    /// Returns the last messages sent in `step` or before, oldest first: at most `most` messages.
    fn newest_messages(&self, step: u64, most: usize) -> Vec<Message>;

    /// Returns the time at which a broken connection lost a message, if the message was lost by the end of `step`.
    fn cut(&self, message: &Message, step: u64) -> Option<SimTime>;
}

// Debug output of the whole run would add the formatters of a world to each program: 27 kB of download.
impl fmt::Debug for dyn Recorded + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorded")
    }
}
