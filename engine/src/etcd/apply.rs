//! Applies a put or a delete inside a transaction of the store.
//!
//! Mirrors the puts and deletes of `server/etcdserver/txn/txn.go`.

use crate::api::{
    DeleteRangeRequest, DeleteRangeResponse, EtcdError, KeyValue, PutRequest, PutResponse,
    ResponseHeader,
};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::lease::Lessor;
use crate::mvcc::{KvStore, WriteTxn};

/// Checks that the lease exists, if the request names a lease.
pub fn check_lease(lessor: &Lessor, lease: i64) -> Result<(), EtcdError> {
    if lease == 0 || lessor.lookup(lease).is_some() {
        Ok(())
    } else {
        Err(EtcdError::LeaseNotFound)
    }
}

/// Returns the current value and lease of a key, for `ignore_value` and `ignore_lease`.
pub fn existing(store: &KvStore, key: &Bytes) -> Result<KeyValue, EtcdError> {
    let found = store.range(&KeyRange::One(key.clone()), 0, 0)?;
    found.kvs.into_iter().next().ok_or(EtcdError::KeyNotFound)
}

/// Checks that a put can be applied to the current store. The lease is checked first.
pub fn check_put(store: &KvStore, lessor: &Lessor, r: &PutRequest) -> Result<(), EtcdError> {
    check_lease(lessor, r.lease)?;
    if r.ignore_value || r.ignore_lease {
        existing(store, &r.key)?;
    }
    Ok(())
}

/// Applies a put.
///
/// # Errors
/// Returns an error if the request keeps the value or lease of a key that does not exist, or if the row of the key is
/// missing. The member checks both conditions before the transaction, but an earlier operation of the transaction may
/// have deleted the key. In this case, a real etcd member crashes and cannot restart.
pub fn put(txn: &mut WriteTxn<'_>, r: &PutRequest) -> Result<PutResponse, EtcdError> {
    let before = if r.prev_kv || r.ignore_value || r.ignore_lease {
        one(txn, &r.key)?
    } else {
        None
    };
    let kept = || before.clone().ok_or(EtcdError::MemberStopped);
    let value = if r.ignore_value {
        kept()?.value
    } else {
        r.value.clone()
    };
    let lease = if r.ignore_lease {
        kept()?.lease
    } else {
        r.lease
    };
    let revision = txn.put(r.key.clone(), value, lease);
    Ok(PutResponse {
        header: at(revision),
        prev_kv: before.filter(|_| r.prev_kv),
    })
}

/// Applies a delete of a range.
///
/// # Errors
/// Returns an error if the row of a deleted key is missing, and the request asks for the previous values.
pub fn delete_range(
    txn: &mut WriteTxn<'_>,
    r: &DeleteRangeRequest,
) -> Result<DeleteRangeResponse, EtcdError> {
    let keys = KeyRange::new(&r.key, &r.range_end);
    let prev_kvs = if r.prev_kv {
        rows(txn, &keys)?
    } else {
        Vec::new()
    };
    let deleted = txn.delete_range(&keys);
    Ok(DeleteRangeResponse {
        header: at(txn.rev()),
        deleted,
        prev_kvs,
    })
}

fn one(txn: &WriteTxn<'_>, key: &Bytes) -> Result<Option<KeyValue>, EtcdError> {
    Ok(rows(txn, &KeyRange::One(key.clone()))?.into_iter().next())
}

fn rows(txn: &WriteTxn<'_>, keys: &KeyRange) -> Result<Vec<KeyValue>, EtcdError> {
    Ok(txn.range(keys, 0, 0)?.kvs)
}

fn at(revision: i64) -> ResponseHeader {
    ResponseHeader {
        revision,
        ..ResponseHeader::default()
    }
}
