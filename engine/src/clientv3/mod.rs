//! The client library: what a program links against to talk to etcd.
//!
//! Mirrors `client/v3`. Here is its watcher; unary calls need no state of their own.

pub mod watch;

pub use watch::{Received, WatchGrpcStream};
