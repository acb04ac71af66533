//! The key-value service: what is asked and what is answered.
//!
//! Field names, defaults and meanings are those of `api/etcdserverpb/rpc.proto`; a field that is
//! absent on the wire is the type's default here.

use super::Rows;
use crate::base::Bytes;

/// The header of every response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResponseHeader {
    /// The cluster that answered; 0 inside a transaction's answers.
    pub cluster_id: u64,
    /// The member that answered; 0 inside a transaction's answers.
    pub member_id: u64,
    /// The store's revision when the request was applied, not the one that was asked for.
    pub revision: i64,
    /// The raft term; 0 inside a transaction's answers.
    pub raft_term: u64,
}

/// A key with its value and the counters etcd keeps for it.
///
/// ```
/// use watchglass_engine::api::KeyValue;
/// // `put /key1 value1` as the first write of a store, then the same key again:
/// let first = KeyValue { key: "/key1".into(), create_revision: 2, mod_revision: 2, version: 1,
///     value: "value1".into(), lease: 0 };
/// let second = KeyValue { mod_revision: 3, version: 2, value: "value2".into(), ..first.clone() };
/// assert_eq!(second.create_revision, first.create_revision);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeyValue {
    /// The key.
    pub key: Bytes,
    /// The revision of the first put of the key's current generation.
    pub create_revision: i64,
    /// The revision of the last put.
    pub mod_revision: i64,
    /// The number of puts in the current generation; 1 for the first put.
    pub version: i64,
    /// The value.
    pub value: Bytes,
    /// The lease that the key is attached to, or 0.
    pub lease: i64,
}

/// `KV.Range`: read one key or many.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RangeRequest {
    /// The key, or the first key of the range.
    pub key: Bytes,
    /// Empty for one key, `\0` for "to the end", else the key the range ends before.
    pub range_end: Bytes,
    /// The most keys to return; 0 or less for all.
    pub limit: i64,
    /// The revision to read at; 0 or less for the newest.
    pub revision: i64,
    /// The order of the answer.
    pub sort_order: SortOrder,
    /// The field to sort by.
    pub sort_target: SortTarget,
    /// Answer from the member's own state without asking the quorum.
    pub serializable: bool,
    /// Return keys without values.
    pub keys_only: bool,
    /// Return the count alone.
    pub count_only: bool,
    /// Leave out what was last modified before this; 0 for no bound.
    pub min_mod_revision: i64,
    /// Leave out what was last modified after this; 0 for no bound.
    pub max_mod_revision: i64,
    /// Leave out what was created before this; 0 for no bound.
    pub min_create_revision: i64,
    /// Leave out what was created after this; 0 for no bound.
    pub max_create_revision: i64,
}

/// The order of a range's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// As the index has it: by key; for another target, ascending.
    #[default]
    None,
    /// Smallest first.
    Ascend,
    /// Largest first.
    Descend,
}

/// The field that sorts the response of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortTarget {
    /// The key's bytes.
    #[default]
    Key,
    /// The number of puts in the current generation.
    Version,
    /// The revision of creation.
    Create,
    /// The revision of the last put.
    Mod,
    /// The value's bytes.
    Value,
}

/// Answer to [`RangeRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RangeResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// The keys found; empty when only the count was asked for. Shared: answers to the same question can be large.
    pub kvs: Rows,
    /// Whether a limit cut the answer short.
    pub more: bool,
    /// Live keys in the range at that revision, before filters and limit.
    pub count: i64,
}

/// `KV.Put`: write one key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PutRequest {
    /// The key.
    pub key: Bytes,
    /// The value; may be empty.
    pub value: Bytes,
    /// The lease to attach the key to; 0 for none, which also detaches the key from its current lease.
    pub lease: i64,
    /// Return what was there before.
    pub prev_kv: bool,
    /// Keep the present value.
    pub ignore_value: bool,
    /// Keep the present lease.
    pub ignore_lease: bool,
}

/// Answer to [`PutRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PutResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// The value before the request, when the client asked for it and the key existed.
    pub prev_kv: Option<KeyValue>,
}

/// `KV.DeleteRange`: delete one key or many, in one revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeleteRangeRequest {
    /// The key, or the first key of the range.
    pub key: Bytes,
    /// As in [`RangeRequest::range_end`].
    pub range_end: Bytes,
    /// Return what was there before.
    pub prev_kv: bool,
}

/// Answer to [`DeleteRangeRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeleteRangeResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// The number of deleted keys.
    pub deleted: i64,
    /// The deleted rows in key order, when the client asked for them.
    pub prev_kvs: Vec<KeyValue>,
}

/// `KV.Txn`: if all compares hold, do one list of operations, else the other, in one revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TxnRequest {
    /// All must hold; none at all holds too.
    pub compare: Vec<Compare>,
    /// The operations to execute when all compares hold.
    pub success: Vec<RequestOp>,
    /// The operations to execute when a compare does not hold.
    pub failure: Vec<RequestOp>,
}

/// One operation of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestOp {
    /// A read.
    Range(RangeRequest),
    /// A write.
    Put(PutRequest),
    /// A delete.
    DeleteRange(DeleteRangeRequest),
    /// A transaction inside the transaction.
    Txn(TxnRequest),
    /// An operation with nothing set, which etcd refuses with "key not found".
    Empty,
}

/// One condition of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Compare {
    /// The key, or the first key of the range.
    pub key: Bytes,
    /// As in [`RangeRequest::range_end`]; every key of the range must satisfy the condition.
    pub range_end: Bytes,
    /// The comparison operator.
    pub result: CompareOp,
    /// The field and the value to compare.
    pub target: CompareTarget,
}

/// The relation that a compare requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`
    #[default]
    Equal,
    /// `>`
    Greater,
    /// `<`
    Less,
    /// `!=`
    NotEqual,
}

/// The left side of a compare (which field) and its right side (the operand).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CompareTarget {
    /// The key's version; 0 when the key does not exist.
    Version(i64),
    /// The key's create revision; 0 when the key does not exist.
    Create(i64),
    /// The key's mod revision; 0 when the key does not exist.
    Mod(i64),
    /// The key's value; a missing key never satisfies this, whatever the operator.
    Value(Bytes),
    /// The key's lease; 0 when the key does not exist.
    Lease(i64),
}

/// Answer to [`TxnRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TxnResponse {
    /// Who answered and at which revision; a nested transaction's has revision 0.
    pub header: ResponseHeader,
    /// Whether the compares held.
    pub succeeded: bool,
    /// One response per operation of the executed branch.
    pub responses: Vec<ResponseOp>,
}

/// The answer to one operation of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResponseOp {
    /// To a read.
    Range(RangeResponse),
    /// To a write.
    Put(PutResponse),
    /// To a delete.
    DeleteRange(DeleteRangeResponse),
    /// To a nested transaction.
    Txn(TxnResponse),
}
