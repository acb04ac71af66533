//! An etcd member, which checks, proposes and applies requests, and responds to them.
//!
//! Mirrors `server/etcdserver` (`v3_server.go`, `apply/`, `txn/`) and `api/v3rpc/key.go`. The raft of a single member
//! is reduced to a counter of entries. A member of a cluster has a raft node (`cluster.rs`).

mod admission;
pub mod apply;
mod auth;
pub mod check;
mod cluster;
mod compactor;
mod contacts;
mod entries;
mod forward;
mod grpc_proxy;
pub mod identity;
pub mod join;
pub mod key_list;
mod last_range;
mod leader_monitor;
pub mod lease_row;
mod leases;
pub mod membership;
pub mod metrics;
mod mirror;
pub mod qos;
pub mod quota;
mod raft_snapshot;
pub mod range;
mod range_stream;
pub mod reconfigure;
pub mod restart;
pub mod server;
pub mod snapshot_file;
mod transfer;
pub mod txn;
pub mod watch_server;

pub use compactor::AutoCompaction;
pub use grpc_proxy::{GrpcProxy, ProxyTimer};
pub use mirror::{MirrorOp, MirrorWrite};
pub use qos::{MemberQos, QuotaBasis};
pub use restart::{Backup, FileEdit, Recovery};
pub use server::{EtcdServer, MemberTimer, ServerLimits};
pub use snapshot_file::{FileIdentity, SnapshotError, SnapshotFile};
pub use watch_server::{CONTROL_MAX, StreamState, WatchServerLimits};
