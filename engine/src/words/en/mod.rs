//! The texts in English.

pub mod guarantees;
