//! Compaction and the parts of the maintenance service that the store answers.

use super::kv::ResponseHeader;

/// `KV.Compact`: forget everything before a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompactionRequest {
    /// The oldest revision that stays readable.
    pub revision: i64,
    /// Answer only when the rows are gone from the backend.
    pub physical: bool,
}

/// Answer to [`CompactionRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CompactionResponse {
    /// Who answered and at which revision.
    pub header: ResponseHeader,
}

/// `Maintenance.HashKV`: a checksum of the store's history up to a revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HashKvRequest {
    /// The revision; 0 for the newest.
    pub revision: i64,
}

/// Answer to [`HashKvRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HashKvResponse {
    /// Who answered and at which revision.
    pub header: ResponseHeader,
    /// CRC-32C of the rows.
    pub hash: u32,
    /// The compact revision that was in force.
    pub compact_revision: i64,
    /// The revision the hash is of (since 3.6 on the wire).
    pub hash_revision: i64,
}

/// `Maintenance.Status`: the member's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusRequest {}

/// Answer to [`StatusRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusResponse {
    /// Who answered and at which revision.
    pub header: ResponseHeader,
    /// The server's version.
    pub version: String,
    /// The backend file's size in bytes.
    pub db_size: i64,
    /// The member id of the leader.
    pub leader: u64,
    /// The raft log's last index.
    pub raft_index: u64,
    /// The raft term.
    pub raft_term: u64,
    /// The last index applied to the store.
    pub raft_applied_index: u64,
    /// What is wrong, one text per problem.
    pub errors: Vec<String>,
    /// Bytes of the file that hold data.
    pub db_size_in_use: i64,
    /// Whether the member is a learner.
    pub is_learner: bool,
    /// The storage schema's version, since 3.6.
    pub storage_version: String,
    /// The quota in bytes, since 3.6.
    pub db_size_quota: i64,
}
