//! A point in a run.

use serde::{Deserialize, Serialize};

/// A point in a run, given by a branch and a step. Values outside the run are clamped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The number of the branch, counted from 0.
    pub branch: u32,
    /// The number of completed steps on the branch. The run starts at 0.
    pub step: u64,
}
