//! A client of etcd and its client library. The library runs watches and keeps leases alive.
//!
//! The library mirrors `client/v3`.

pub mod client;
pub mod keep_alive;
pub mod list_watch;
pub mod load;
pub mod login;
pub mod mirror;
pub mod monitor_stream;
pub mod poll;
pub mod process;
pub mod range_stream;
pub mod retry;
pub mod session;
pub mod watch;

pub use keep_alive::LeaseKeepAlive;
pub use monitor_stream::MonitorStream;
pub use process::EtcdctlProcess;
pub use range_stream::RangeStreams;
pub use watch::{Received, WatchGrpcStream};
