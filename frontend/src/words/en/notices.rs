//! The texts of notices.
