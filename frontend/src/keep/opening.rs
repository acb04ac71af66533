//! The run that a page opens at first, and the position in this run.

use watchglass_engine::session::protocol::{SeekTo, Source};

/// The story that the page opens by default.
pub const OPENING_STORY: &str = "two-generations";

/// A run and a position in the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    pub source: Source,
    /// The first position of the cursor.
    pub at: SeekTo,
}
