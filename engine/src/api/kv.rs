//! The requests and responses of the key-value service.
//!
//! Field names, defaults and meanings are those of `api/etcdserverpb/rpc.proto`. A field that is absent on the wire has
//! its type's default value.

use super::Rows;
use crate::base::Bytes;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResponseHeader {
    /// The ID of the responding cluster; 0 in the responses to a transaction's operations.
    pub cluster_id: u64,
    /// The ID of the responding member; 0 in the responses to a transaction's operations.
    pub member_id: u64,
    /// The store's revision when the request was applied, not the requested revision.
    pub revision: i64,
    /// The raft term; 0 in the responses to a transaction's operations.
    pub raft_term: u64,
}

/// A key with its value, revisions, version and lease.
///
/// ```
/// use watchglass_engine::api::KeyValue;
/// // The first write of a store, `put /key1 value1`, and a second put of the same key:
/// let first = KeyValue { key: "/key1".into(), create_revision: 2, mod_revision: 2, version: 1,
///     value: "value1".into(), lease: 0 };
/// let second = KeyValue { mod_revision: 3, version: 2, value: "value2".into(), ..first.clone() };
/// assert_eq!(second.create_revision, first.create_revision);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeyValue {
    pub key: Bytes,
    /// The revision of the first put of the key's current generation.
    pub create_revision: i64,
    /// The revision of the last put.
    pub mod_revision: i64,
    /// The number of puts in the current generation; 1 for the first put.
    pub version: i64,
    pub value: Bytes,
    /// The ID of the lease that the key is attached to, or 0.
    pub lease: i64,
}

/// `KV.Range`: reads a key or a range of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RangeRequest {
    pub key: Bytes,
    /// The end of the range, excluded. Empty for a single key; `\0` for all keys from `key` on.
    pub range_end: Bytes,
    /// The maximum number of keys to return; 0 or less for no limit.
    pub limit: i64,
    /// The revision to read at; 0 or less for the newest.
    pub revision: i64,
    pub sort_order: SortOrder,
    pub sort_target: SortTarget,
    /// Serve the read from the member's own state, without a confirmation by a quorum.
    pub serializable: bool,
    pub keys_only: bool,
    pub count_only: bool,
    /// The lowest mod revision to return; 0 for no bound.
    pub min_mod_revision: i64,
    /// The highest mod revision to return; 0 for no bound.
    pub max_mod_revision: i64,
    /// The lowest create revision to return; 0 for no bound.
    pub min_create_revision: i64,
    /// The highest create revision to return; 0 for no bound.
    pub max_create_revision: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// The request gives no order. If the sort field is the key, the rows stay in key order. For any other sort field,
    /// the rows are in ascending order.
    #[default]
    None,
    Ascend,
    Descend,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortTarget {
    #[default]
    Key,
    Version,
    Create,
    Mod,
    Value,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RangeResponse {
    pub header: ResponseHeader,
    /// The rows found; empty for a count-only request. Large responses share equal rows in memory.
    pub kvs: Rows,
    /// Whether the range contains more keys than the response, because of the limit.
    pub more: bool,
    /// The number of live keys in the range at the read revision, before the filters and the limit apply.
    pub count: i64,
}

/// `KV.Put`: writes a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PutRequest {
    pub key: Bytes,
    pub value: Bytes,
    /// The lease to attach the key to. The value 0 attaches no lease and detaches the key from its current lease.
    pub lease: i64,
    /// Return the previous row of the changed key.
    pub prev_kv: bool,
    /// Keep the key's current value.
    pub ignore_value: bool,
    /// Keep the key's current lease.
    pub ignore_lease: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PutResponse {
    pub header: ResponseHeader,
    /// The previous row, if the client requested it and the key existed.
    pub prev_kv: Option<KeyValue>,
}

/// `KV.DeleteRange`: deletes a key or a range of keys in one revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeleteRangeRequest {
    pub key: Bytes,
    pub range_end: Bytes,
    /// Return the previous row of each deleted key.
    pub prev_kv: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeleteRangeResponse {
    pub header: ResponseHeader,
    pub deleted: i64,
    /// The deleted rows in key order, if the client requested them.
    pub prev_kvs: Vec<KeyValue>,
}

/// `KV.Txn`: executes the operations in `success` if all compares hold, and otherwise the operations in `failure`. All
/// changes of the transaction have the same main revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TxnRequest {
    /// The conditions. All conditions must hold. An empty list always holds.
    pub compare: Vec<Compare>,
    /// The operations to execute if all compares hold.
    pub success: Vec<RequestOp>,
    /// The operations to execute if a compare does not hold.
    pub failure: Vec<RequestOp>,
}

/// One operation of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestOp {
    Range(RangeRequest),
    Put(PutRequest),
    DeleteRange(DeleteRangeRequest),
    Txn(TxnRequest),
    /// An operation without content, which etcd refuses with "key not found".
    Empty,
}

/// One condition of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Compare {
    /// The key, or the first key of the range.
    pub key: Bytes,
    /// The end of the range, as in [`RangeRequest::range_end`]; every key in the range must satisfy the condition.
    pub range_end: Bytes,
    pub result: CompareOp,
    pub target: CompareTarget,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CompareOp {
    #[default]
    Equal,
    Greater,
    Less,
    NotEqual,
}

/// The field that a compare examines. Each variant contains the value that the field is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CompareTarget {
    /// Compare the key's version, which is 0 if the key does not exist.
    Version(i64),
    /// Compare the key's create revision, which is 0 if the key does not exist.
    Create(i64),
    /// Compare the key's mod revision, which is 0 if the key does not exist.
    Mod(i64),
    /// Compare the key's value. A missing key never satisfies the compare, whatever the operator.
    Value(Bytes),
    /// Compare the ID of the key's lease, which is 0 if the key does not exist.
    Lease(i64),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TxnResponse {
    /// The responding member and its revision. In the response to a nested transaction, all header fields are 0.
    pub header: ResponseHeader,
    /// Whether all compares held.
    pub succeeded: bool,
    /// One response per operation of the executed branch.
    pub responses: Vec<ResponseOp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResponseOp {
    Range(RangeResponse),
    Put(PutResponse),
    DeleteRange(DeleteRangeResponse),
    Txn(TxnResponse),
}
