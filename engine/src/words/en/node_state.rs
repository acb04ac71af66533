//! The texts about the states of a node.

use std::fmt::Display;

/// The states.
pub const PAUSED: &str = "paused";
pub const STOPPED: &str = "stopped";
pub const DISCONNECTED: &str = "disconnected";
pub const HELD: &str = "held";

/// Returns the state of a client that needs this time for each response.
pub fn slow(per_response: impl Display) -> String {
    format!("slow {per_response}")
}
