//! The multi-version store of one member: index, rows, transactions, compaction, watchers, hash.
//!
//! Mirrors `server/storage/mvcc` of etcd. A store does not depend on raft, leases, clients or time: the member that
//! owns the store calls its operations at the right times.

pub mod compaction;
pub mod event_batch;
pub mod hash_kv;
pub mod key_index;
pub mod kv_store;
pub mod restore;
pub mod revision;
pub mod revision_list;
pub mod tree_index;
pub mod watchable_store;
pub mod watcher;
pub mod watcher_group;
pub mod write_txn;

pub use compaction::{CompactionBatch, CompactionLimits};
pub use key_index::{Generation, KeyIndex};
pub use kv_store::{KvStore, RangeResult, StoreError};
pub use revision::{BucketKey, Revision};
pub use revision_list::RevisionList;
pub use tree_index::TreeIndex;
pub use watchable_store::{
    Notified, Outcome, SyncPass, WatchLimits, WatchableStore, WatcherState, Written,
};
pub use watcher::{
    Filters, StoreWatchResponse, StreamId, WatchError, WatchStream, Watcher, WatcherId,
};
pub use watcher_group::WatcherGroup;
pub use write_txn::{Change, PausedTxn, WriteTxn};
