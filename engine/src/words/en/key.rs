//! The texts of the key inspector and of the comparison of branches.

pub const NO_LEASE: &str = "none";

/// Returns the start of a long value, followed by the length of the whole value.
pub fn shortened(start: &str, bytes: usize) -> String {
    format!("{start}… ({bytes} bytes)")
}
