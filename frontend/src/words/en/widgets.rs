//! The texts of generic parts.

pub const CLOSE: &str = "Close";
pub const AS_TABLE: &str = "As a table";
