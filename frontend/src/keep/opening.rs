//! What a page is asked to begin with.

use watchglass_engine::session::protocol::{SeekTo, Source};

/// The story the page opens on.
pub const OPENING_STORY: &str = "two-generations";

/// A run and a moment of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The run.
    pub source: Source,
    /// Where its cursor stands at first.
    pub at: SeekTo,
}
