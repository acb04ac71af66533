//! A deterministic simulator of etcd's storage.
pub mod base;
pub mod api;
pub mod backend;
pub mod etcd;
pub mod mvcc;
pub mod sim;
pub mod trace;
pub mod shell;
pub mod view;
pub mod session;
