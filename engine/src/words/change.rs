//! The arguments of sentences about changes of links and settings.

use crate::base::time::SimDuration;

/// The direction of the messages that a change of a node's link affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkMessages {
    /// The messages that the node sends.
    Outgoing,
    /// The messages that the node receives.
    Incoming,
    /// The messages in both directions.
    All,
    /// The responses of watches that the node receives.
    WatchResponses,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A number without a unit.
    Count(u64),
    Bytes(u64),
    Time(SimDuration),
}
