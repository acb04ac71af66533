//! Where a person stood in the log of what was typed.

/// Where a person stood: how much was typed, and the cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Stand {
    pub(super) log: u32,
    pub(super) branch: u32,
    pub(super) step: u64,
}

impl Stand {
    /// The end of what a run begins with.
    pub(super) const START: Self = Self {
        log: 0,
        branch: 0,
        step: u64::MAX,
    };
}
