//! What can be told from the outside: the history of a run, and a naive model to compare with.

pub mod history;
pub mod model;

pub use history::{History, LaneHistory, PastChange};
