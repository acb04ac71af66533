//! A point in a run.

use serde::{Deserialize, Serialize};

/// A point in a run: a branch and a step. Values outside the run are clamped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The branch, from 0.
    pub branch: u32,
    /// The number of completed steps on the branch; 0 is the start of the run.
    pub step: u64,
}
