//! Raft: the members of a cluster agree on one log, entry by entry, even if members crash and messages get lost.
//!
//! Mirrors `go.etcd.io/raft` as etcd uses the library: [`RaftNode`] is a pure state machine without a clock, disk or
//! network. Its inputs are ticks of 100 ms, messages and proposals. Its output is a [`RaftReady`]: entries to write and
//! sync, messages to send, and committed entries to apply. The member takes one `RaftReady` at a time and calls
//! [`RaftNode::advance`] when its disk has synced the entries, as etcd's loop does (`etcdserver/raft.go`). So a
//! slow disk delays acknowledgements and even heartbeats.
//!
//! Included: elections with randomised timeouts, pre-vote, CheckQuorum and its lease, replication with probes, reject
//! hints and snapshots, commit by quorum, ReadIndex (`ReadOnlySafe`), forwarded proposals, leader transfer, restart,
//! changes of one member at a time, learners.
//! Left out: changes of several members at once (joint consensus), reads that rely on the leader's lease
//! (`ReadOnlyLeaseBased`), asynchronous storage writes. Messages and batches are limited by a number of entries, not by
//! bytes.
//!
//! A leader counts its own entries for the quorum after its disk has synced the entries, as etcd 3.6 does. Older
//! versions count these entries immediately. Nevertheless, older versions do not commit the entries earlier,
//! because they sync before the next `Ready`.
//!
//! ```
//! use watchglass_engine::raft::{RaftConfig, RaftNode};
//! let mut node = RaftNode::new(RaftConfig::new(1, vec![1]), 42);
//! while !node.is_leader() {
//!     node.tick();
//! }
//! node.propose("a").unwrap();
//! let mut applied = Vec::new();
//! while let Some(ready) = node.ready() {
//!     // Here, a member writes and syncs `ready.entries`.
//!     applied.extend(ready.committed.into_iter().filter_map(|entry| entry.data));
//!     node.advance();
//! }
//! assert_eq!(applied, ["a"]);
//! ```

mod conf_change;
pub mod config;
mod election;
pub mod entry;
mod follower;
mod leader;
pub mod log;
pub mod message;
pub mod node;
mod planted;
pub mod progress;
pub mod read_index;
pub mod ready;
pub mod vote;
pub mod write_ahead_log;

pub use conf_change::{ConfChange, ConfState, EntryData};
pub use config::{RaftConfig, RaftId};
pub use entry::{HardState, LogMark, LoggedEntry};
pub use log::RaftLog;
pub use message::{RaftMessage, RaftPayload};
pub use node::{ProposalDropped, RaftNode, RaftRole};
pub use progress::{FollowerProgress, ReplicationState};
pub use read_index::{PendingRead, ReadContext, ReadState};
pub use ready::{RaftReady, SoftState};
pub use write_ahead_log::WriteAheadLog;
