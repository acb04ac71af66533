//! The one way in: messages to the engine and messages from it.

pub mod protocol;

pub use protocol::{Done, Executed, FromEngine, SeekTo, Source, ToEngine};
