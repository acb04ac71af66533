//! An etcd member, which checks, proposes, applies and answers requests.
//!
//! Mirrors `server/etcdserver` (`v3_server.go`, `apply/`, `txn/`) and `api/v3rpc/key.go`. Raft is reduced to a counter
//! of entries. Each entry is applied immediately after its proposal.

pub mod apply;
pub mod check;
mod compactor;
mod entries;
mod last_range;
pub mod lease_row;
mod leases;
pub mod metrics;
pub mod qos;
pub mod quota;
pub mod range;
pub mod restart;
pub mod server;
pub mod snapshot_file;
pub mod txn;
pub mod watch_server;

pub use compactor::AutoCompaction;
pub use qos::{MemberQos, QuotaBasis};
pub use restart::{Backup, Recovery};
pub use server::{EtcdServer, MemberTimer, ServerLimits};
pub use snapshot_file::{FileIdentity, SnapshotError, SnapshotFile};
pub use watch_server::{StreamState, WatchServerLimits};
