//! A client of etcd, and the client library in it: the watcher and the keeper of leases.
//!
//! The library mirrors `client/v3`; unary calls need no state of their own.

pub mod client;
pub mod keep_alive;
pub mod list_watch;
pub mod watch;

pub use keep_alive::LeaseKeepAlive;
pub use watch::{Received, WatchGrpcStream};
