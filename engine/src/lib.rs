//! A deterministic simulator of etcd's storage.
pub mod base;
pub mod api;
pub mod backend;
pub mod mvcc;
pub mod shell;
pub mod view;
pub mod session;
