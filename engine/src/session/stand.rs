//! A position in a run, to which undo and the restart of a lesson return.

use crate::view::Moment;

/// A position in a run: the number of typed lines, and the cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Stand {
    pub(super) log: u32,
    pub(super) at: Moment,
}

impl Stand {
    /// The position at the end of the run's source, before anything was typed.
    pub(super) const START: Self = Self {
        log: 0,
        at: Moment {
            branch: 0,
            step: u64::MAX,
        },
    };
}
