//! The texts about the states of a node.

use std::fmt::Display;

/// The names of the states of a node.
pub const PAUSED: &str = "paused";
pub const STOPPED: &str = "stopped";
pub const DISCONNECTED: &str = "disconnected";
pub const HELD: &str = "held";

/// Returns the text for the state of a slow client, which needs the time `per_response` to process each response.
pub fn slow(per_response: impl Display) -> String {
    format!("slow {per_response}")
}
