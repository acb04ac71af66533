//! Checks requests before they are proposed. These checks do not depend on the state of the store.
//!
//! Mirrors `server/etcdserver/api/v3rpc/key.go`.

use std::collections::BTreeSet;

use crate::api::{
    DeleteRangeRequest, EtcdError, PutRequest, RangeRequest, Request, RequestOp, TxnRequest,
};
use crate::base::Bytes;

use super::range;

type Checked = Result<(), EtcdError>;

/// Checks a request about keys. Other requests need no check.
pub fn request(request: &Request, max_txn_ops: u32) -> Checked {
    match request {
        Request::Range(r) => some_key(&r.key),
        Request::RangeStream(r) => range_stream(r),
        Request::Put(r) => put(r),
        Request::DeleteRange(r) => delete_range(r),
        Request::Txn(r) => txn(r, max_txn_ops),
        _ => Ok(()),
    }
}

/// Checks that a streamed read has a key, no order, and no filters.
fn range_stream(r: &RangeRequest) -> Checked {
    some_key(&r.key)?;
    if !range::is_in_key_order(r) {
        return Err(EtcdError::StreamSorted);
    }
    if range::has_revision_filters(r) {
        return Err(EtcdError::StreamFiltered);
    }
    Ok(())
}

/// Checks that a put has a key, and has no value or lease if the put keeps the current value or lease.
pub fn put(r: &PutRequest) -> Checked {
    some_key(&r.key)?;
    if r.ignore_value && !r.value.is_empty() {
        return Err(EtcdError::ValueProvided);
    }
    if r.ignore_lease && r.lease != 0 {
        return Err(EtcdError::LeaseProvided);
    }
    Ok(())
}

pub fn delete_range(r: &DeleteRangeRequest) -> Checked {
    some_key(&r.key)
}

/// Checks a transaction. The operations in both branches must be valid, their number is limited, and no branch may
/// change a key twice.
pub fn txn(r: &TxnRequest, max_ops: u32) -> Checked {
    txn_ops(r, i64::from(max_ops))?;
    intervals(&r.success)?;
    intervals(&r.failure)?;
    Ok(())
}

fn some_key(key: &Bytes) -> Checked {
    if key.is_empty() {
        Err(EtcdError::EmptyKey)
    } else {
        Ok(())
    }
}

fn txn_ops(r: &TxnRequest, max_ops: i64) -> Checked {
    let ops = r.compare.len().max(r.success.len()).max(r.failure.len()) as i64;
    if ops > max_ops {
        return Err(EtcdError::TooManyOps);
    }
    for c in &r.compare {
        some_key(&c.key)?;
    }
    for op in r.success.iter().chain(&r.failure) {
        match op {
            RequestOp::Range(r) => some_key(&r.key)?,
            RequestOp::Put(r) => put(r)?,
            RequestOp::DeleteRange(r) => delete_range(r)?,
            // The operations before a nested transaction reduce the nested transaction's limit.
            RequestOp::Txn(r) => txn_ops(r, max_ops - ops)?,
            RequestOp::Empty => return Err(EtcdError::KeyNotFound),
        }
    }
    Ok(())
}

/// The keys that one branch of a transaction puts, and the ranges that the branch deletes.
#[derive(Default)]
struct Writes {
    puts: BTreeSet<Bytes>,
    deletes: Vec<(Bytes, Bytes)>,
}

impl Writes {
    fn deletes_key(&self, key: &Bytes) -> bool {
        self.deletes
            .iter()
            .any(|(begin, end)| interval_meets_key(begin, end, key))
    }

    fn add_put(&mut self, key: &Bytes) -> Checked {
        if self.deletes_key(key) || !self.puts.insert(key.clone()) {
            return Err(EtcdError::DuplicateKey);
        }
        Ok(())
    }
}

/// Returns true if upstream's interval tree would find the interval `[begin, end)` for the point `key`.
///
/// A delete of all keys from `begin` on has the end `\0`, which is less than `begin`. Such an interval contains no
/// keys, not even `begin`. A transaction with `put b` and a delete of all keys from `a` on is therefore valid, as in
/// etcd. The delete removes the key that the put has just written.
fn interval_meets_key(begin: &Bytes, end: &Bytes, key: &Bytes) -> bool {
    begin <= key && key < end
}

fn intervals(ops: &[RequestOp]) -> Result<Writes, EtcdError> {
    let mut all = Writes::default();
    for op in ops {
        if let RequestOp::DeleteRange(d) = op {
            let end = if d.range_end.is_empty() {
                after(&d.key)
            } else {
                d.range_end.clone()
            };
            all.deletes.push((d.key.clone(), end));
        }
    }
    for op in ops {
        if let RequestOp::Txn(t) = op {
            nested(&mut all, t)?;
        }
    }
    for op in ops {
        if let RequestOp::Put(p) = op {
            all.add_put(&p.key)?;
        }
    }
    Ok(all)
}

/// Adds the writes of a nested transaction. Only one of its two branches runs, so both branches may put the same key.
fn nested(all: &mut Writes, t: &TxnRequest) -> Checked {
    let then = intervals(&t.success)?;
    let otherwise = intervals(&t.failure)?;
    for key in &then.puts {
        all.add_put(key)?;
    }
    for key in &otherwise.puts {
        if then.puts.contains(key) && !all.deletes_key(key) {
            continue;
        }
        all.add_put(key)?;
    }
    all.deletes.extend(then.deletes);
    all.deletes.extend(otherwise.deletes);
    Ok(())
}

/// Returns the smallest key greater than `key`.
fn after(key: &Bytes) -> Bytes {
    let mut next = key.to_vec();
    next.push(0);
    Bytes::from(next)
}
