//! A deterministic simulator of etcd's storage.
pub mod base;
pub mod api;
pub mod shell;
