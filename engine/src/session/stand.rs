//! A position in a run, which undo and lessons return to.

use crate::view::Moment;

/// A position in a run: the number of typed lines, and the cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Stand {
    pub(super) log: u32,
    pub(super) at: Moment,
}

impl Stand {
    /// The end of the run's source.
    pub(super) const START: Self = Self {
        log: 0,
        at: Moment {
            branch: 0,
            step: u64::MAX,
        },
    };
}
