//! Ids, bytes, time: the words everything else is written in. Imports nothing of the engine.

pub mod bytes;
pub mod digest;
pub mod rng;
pub mod time;

pub use bytes::Bytes;
