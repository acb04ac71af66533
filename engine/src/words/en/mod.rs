//! The texts in English.

pub mod database_file;
pub mod expr;
pub mod guarantees;
pub mod latency;
pub mod lesson;
pub mod scenario;
pub mod transcript;
