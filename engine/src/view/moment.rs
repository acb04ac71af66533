//! Which point of a run.

use serde::{Deserialize, Serialize};

/// A point of a run: a branch, and how many of its steps are made. Whatever lies outside is clamped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The branch, from 0.
    pub branch: u32,
    /// The step after which one stands, 0 for the beginning.
    pub step: u64,
}
