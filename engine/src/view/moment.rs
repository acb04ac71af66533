//! A point in a run.

use serde::{Deserialize, Serialize};

/// A point in a run, given by a branch and a step. A branch or step outside the run is clamped to the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The number of the branch, counted from 0.
    pub branch: u32,
    /// The number of completed steps on the branch. Step 0 is the start of the run.
    pub step: u64,
}
