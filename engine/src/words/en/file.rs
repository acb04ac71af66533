//! The texts about a database file that the user opens.

use std::fmt::Display;

/// Returns the reason why a damaged file cannot be explored.
pub fn damaged(first_error: impl Display) -> String {
    format!("This file is damaged and cannot be explored. First error: {first_error}.")
}
