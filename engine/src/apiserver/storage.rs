//! Creates the requests that an API server sends to etcd, and converts the responses.
//!
//! Mirrors `storage/etcd3/store.go` and `watcher.go`. Left out: transformers (encryption), the leases of Event objects,
//! and the estimate of object sizes.

use crate::api::{
    Compare, CompareOp, CompareTarget, DeleteRangeRequest, EtcdError, KeyValue, LeaderNeed,
    PutRequest, RangeRequest, Request, RequestOp, SortOrder, SortTarget, TxnRequest,
    WatchCreateRequest,
};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::base::interner::Interner;
use crate::kube::codec;

use crate::kube::continue_token::{ContinueToken, LATEST};
use crate::kube::object::Object;
use crate::kube::resource::Resource;
use crate::kube::status::{StatusError, corrupt};

/// The number of objects in one page of a cache's own list (`storageWatchListPageSize`).
pub(super) const CACHER_PAGE: i64 = 10_000;

/// The maximum number of objects in one page of a list with a selector (`maxLimit`).
pub(super) const PAGE_MAX: i64 = 10_000;

/// Returns the request for one page of the keys with a prefix, starting at the key `from`. Revision 0 means the current
/// revision.
pub(super) fn page(prefix: &str, from: Option<&[u8]>, limit: i64, revision: i64) -> Request {
    let start = from.unwrap_or(prefix.as_bytes());
    Request::Range(RangeRequest {
        key: Bytes::from(start),
        range_end: prefix_end(&Bytes::from(prefix.as_bytes())),
        limit,
        revision,
        ..RangeRequest::default()
    })
}

/// Returns the request for all keys with a prefix, which etcd sends in chunks.
pub(super) fn stream(prefix: &str, revision: i64) -> Request {
    match page(prefix, None, 0, revision) {
        Request::Range(range) => Request::RangeStream(range),
        other => other,
    }
}

/// Returns the request for one key at a revision; 0 means the current revision.
pub(super) fn one(key: &str, revision: i64) -> Request {
    Request::Range(RangeRequest {
        key: Bytes::from(key.as_bytes()),
        revision,
        ..RangeRequest::default()
    })
}

/// Returns the request for etcd's current revision: a linearizable read of a single key. The key is the resource's
/// prefix without its last slash; this key never exists. Only the header of the response matters.
pub(super) fn current_revision(resource: &Resource) -> Request {
    one(resource.prefix.trim_end_matches('/'), 0)
}

/// Returns the request for the newest mod revision of a resource's objects (`clientv3.WithLastRev`).
pub(super) fn last_revision(resource: &Resource) -> Request {
    let key = Bytes::from(resource.prefix.as_bytes());
    Request::Range(RangeRequest {
        range_end: prefix_end(&key),
        key,
        limit: 1,
        sort_order: SortOrder::Descend,
        sort_target: SortTarget::Mod,
        ..RangeRequest::default()
    })
}

/// Returns a transaction that puts an object if its key does not exist.
pub(super) fn create(resource: &Resource, object: &Object) -> Request {
    let key = codec::key(resource, object);
    let put = put(&key, object);
    Request::Txn(TxnRequest {
        compare: vec![unchanged(&key, 0)],
        success: vec![put],
        failure: Vec::new(),
    })
}

/// Returns a transaction that puts an object if the stored object still has this revision, and otherwise reads the
/// stored object.
pub(super) fn update(resource: &Resource, object: &Object, revision: u64) -> Request {
    let key = codec::key(resource, object);
    let put = put(&key, object);
    optimistic(key, revision, put)
}

/// Returns a transaction that deletes an object if it still has this revision, and otherwise reads the object.
pub(super) fn delete(key: &str, revision: u64) -> Request {
    let key = Bytes::from(key.as_bytes());
    let delete = RequestOp::DeleteRange(DeleteRangeRequest {
        key: key.clone(),
        ..DeleteRangeRequest::default()
    });
    optimistic(key, revision, delete)
}

fn optimistic(key: Bytes, revision: u64, op: RequestOp) -> Request {
    let read = RequestOp::Range(RangeRequest {
        key: key.clone(),
        ..RangeRequest::default()
    });
    Request::Txn(TxnRequest {
        compare: vec![unchanged(&key, revision as i64)],
        success: vec![op],
        failure: vec![read],
    })
}

fn put(key: &Bytes, object: &Object) -> RequestOp {
    RequestOp::Put(PutRequest {
        key: key.clone(),
        value: Bytes::from(codec::encode(object).as_bytes()),
        ..PutRequest::default()
    })
}

fn unchanged(key: &Bytes, revision: i64) -> Compare {
    Compare {
        key: key.clone(),
        range_end: Bytes::default(),
        result: CompareOp::Equal,
        target: CompareTarget::Mod(revision),
    }
}

/// Returns the create request for a watch of all keys with a prefix, after a revision.
pub(super) fn watch(prefix: &str, after: u64) -> WatchCreateRequest {
    let key = Bytes::from(prefix.as_bytes());
    WatchCreateRequest {
        range_end: prefix_end(&key),
        key,
        // The addition wraps as in Go: after the largest number comes the smallest number. etcd decides whether to
        // accept this number.
        start_revision: (after as i64).wrapping_add(1),
        prev_kv: true,
        progress_notify: true,
        leader: LeaderNeed::Required,
        ..WatchCreateRequest::default()
    }
}

pub(super) fn object(resource: &Resource, kv: &KeyValue) -> Object {
    object_with(&mut Interner::default(), resource, kv)
}

/// Decodes one of many objects from a row of etcd. The interner shares equal texts between the objects.
pub(super) fn object_with(interner: &mut Interner, resource: &Resource, kv: &KeyValue) -> Object {
    let key = String::from_utf8_lossy(&kv.key);
    codec::decode_with(interner, resource, &key, &kv.value, kv.mod_revision as u64)
}

/// Returns the error for the rows of a list that cannot be decoded, if there are any. With the gate
/// `AllowUnsafeMalformedObjectDeletion`, the error names all of them, up to [`UNDECODABLE_MAX`].
pub(super) fn undecodable<'a>(
    resource: &Resource,
    rows: impl Iterator<Item = &'a KeyValue>,
    has_gate: bool,
) -> Option<StatusError> {
    let mut wrong = rows.filter_map(|kv| Some((kv, decode_error(kv, has_gate)?)));
    let (first, why) = wrong.next()?;
    if !has_gate {
        return Some(StatusError::Storage(why.into()));
    }
    let all = std::iter::once((first, why)).chain(wrong);
    let all = all.map(|(kv, why)| (String::from_utf8_lossy(&kv.key).into(), why));
    Some(StatusError::Undecodable {
        resource: resource.name.into(),
        objects: all.take(UNDECODABLE_MAX).collect(),
    })
}

/// Returns the error of a read of one object that cannot be decoded.
pub(super) fn undecodable_object(kv: &KeyValue, has_gate: bool) -> Option<StatusError> {
    let why = decode_error(kv, has_gate)?;
    Some(match has_gate {
        true => {
            // Above etcd's storage, a key has no prefix.
            let key = String::from_utf8_lossy(&kv.key);
            let key = key.strip_prefix("/registry").unwrap_or(&key);
            StatusError::CorruptObject(corrupt(key, &why).into())
        }
        false => StatusError::Storage(why.into()),
    })
}

pub(super) fn decode_error(kv: &KeyValue, has_gate: bool) -> Option<String> {
    let why = codec::error_of(&kv.value)?;
    Some(match has_gate {
        true => format!("object not decodable revision={}: {why}", kv.mod_revision),
        false => why,
    })
}

/// The maximum number of objects that an error about undecodable objects names (`corruptObjErrAggregatorFactory`).
const UNDECODABLE_MAX: usize = 100;

/// Converts an error from etcd to an error for the client of a list (`interpretListError`).
pub(super) fn list_error(error: &EtcdError, start: Option<&str>, prefix: &str) -> StatusError {
    match error {
        EtcdError::Compacted => match start {
            None => StatusError::ListTooOld,
            Some(start) => {
                let inside = start.strip_prefix(prefix).unwrap_or(start);
                let token = ContinueToken {
                    resource_version: LATEST,
                    start: inside.into(),
                };
                let continue_token = token.encode();
                StatusError::ContinueTooOld { continue_token }
            }
        },
        error => StatusError::Storage(error.to_string().into()),
    }
}
