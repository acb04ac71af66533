//! The texts in English.

pub mod database_file;
pub mod expr;
pub mod guarantees;
pub mod kube_guard;
pub mod latency;
pub mod lesson;
pub mod scenario;
pub mod transcript;
