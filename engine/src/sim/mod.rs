//! The schedule of events, the links between nodes, and the outbox of a node.

pub mod network;
pub mod outbox;
pub mod schedule;

pub use outbox::Outbox;
pub use schedule::Schedule;
