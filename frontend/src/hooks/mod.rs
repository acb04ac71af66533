//! What components share: one hook or browser service per file.

pub mod theme;
