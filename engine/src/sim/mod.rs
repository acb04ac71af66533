//! The schedule of events, the links between nodes, the outbox and the processor of each node, and the cost of work.

pub mod cost;
pub mod network;
pub mod outbox;
pub mod processor;
pub mod schedule;

pub use outbox::Outbox;
pub use schedule::Schedule;
