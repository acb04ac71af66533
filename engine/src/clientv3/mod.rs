//! The client library: what a program links against to talk to etcd.
//!
//! Mirrors `client/v3`. Here are its watcher and its keeper of leases; unary calls need no state of
//! their own.

pub mod keep_alive;
pub mod watch;

pub use keep_alive::LeaseKeepAlive;
pub use watch::{Received, WatchGrpcStream};
