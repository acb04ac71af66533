//! Order in time: what is due next, and the only way out of a node.

pub mod network;
pub mod outbox;
pub mod schedule;

pub use outbox::Outbox;
pub use schedule::Schedule;
