//! What components share: one hook or browser service per file.

pub mod shortcuts;
pub mod theme;
pub mod width;

pub use shortcuts::use_shortcuts;
pub use width::use_width;
