//! The texts in English.

pub mod cache;
pub mod cluster;
pub mod database_file;
pub mod expr;
pub mod file;
mod grammar;
pub mod guarantees;
pub mod key;
pub mod kube_guard;
pub mod latency;
pub mod lesson;
pub mod lesson_run;
pub mod loading;
pub mod messages;
pub mod names;
pub mod narrate;
pub mod narrate_kube;
pub mod narrate_lease;
pub mod narrate_qos;
pub mod node_state;
pub mod notes;
pub mod qos_view;
pub mod scenario;
pub mod session;
pub mod storage;
pub mod transcript;
pub mod watch;
