//! `--write-out=json`: one line of JSON, in the form in which Go's `encoding/json` prints the generated structs.
//!
//! Mirrors `printer_json.go` and the `json:"…,omitempty"` tags in `api/etcdserverpb/rpc.pb.go`: zero and empty values
//! are omitted, 64-bit numbers are JSON numbers, and bytes are base64.

use crate::api::{
    DeleteRangeResponse, Difference, EventKind, HashKvResponse, KeyValue, Profile, PutResponse,
    RangeResponse, Response, ResponseHeader, ResponseOp, StatusResponse, TxnResponse, WatchEvent,
    WatchResponse,
};
use crate::base::json::{Json, push_string};

/// Appends a line that contains one JSON object.
pub(super) fn line(out: &mut Vec<u8>, write: impl FnOnce(&mut String)) {
    let mut text = String::new();
    write(&mut text);
    text.push('\n');
    out.extend(text.into_bytes());
}

/// Appends to `out` the response that etcd sends for a key-value command.
pub(super) fn response(out: &mut String, response: &Response, profile: Profile) {
    match response {
        Response::Range(r) | Response::RangeStream(r) => range(out, r),
        Response::Put(r) => put(out, r),
        Response::DeleteRange(r) => delete(out, r),
        Response::Txn(r) => txn(out, r, profile),
        Response::LeaseGrant(_)
        | Response::LeaseRevoke(_)
        | Response::LeaseKeepAlive(_)
        | Response::LeaseTimeToLive(_)
        | Response::LeaseLeases(_)
        | Response::Alarm(_)
        | Response::Defragment(_)
        | Response::MoveLeader(_)
        | Response::MemberList(_)
        | Response::MemberChange(_)
        | Response::Compact(_)
        | Response::HashKv(_)
        | Response::Status(_)
        | Response::Authenticate(_)
        | Response::Auth(_)
        | Response::Qos(_) => {}
    }
}

fn number(json: &mut Json<'_>, name: &str, value: impl Into<i128>) {
    let value = value.into();
    if value != 0 {
        json.value(name, value);
    }
}

fn text(json: &mut Json<'_>, name: &str, value: &str) {
    if !value.is_empty() {
        json.string(name, value);
    }
}

/// Appends the header as the field `header`.
pub(super) fn header(json: &mut Json<'_>, h: &ResponseHeader) {
    header_fields(&mut Json::object(json.key("header")), h);
}

pub(super) fn header_fields(json: &mut Json<'_>, h: &ResponseHeader) {
    number(json, "cluster_id", h.cluster_id);
    number(json, "member_id", h.member_id);
    number(json, "revision", h.revision);
    number(json, "raft_term", h.raft_term);
}

fn key_value(out: &mut String, kv: &KeyValue) {
    let mut json = Json::object(out);
    json.bytes("key", &kv.key);
    number(&mut json, "create_revision", kv.create_revision);
    number(&mut json, "mod_revision", kv.mod_revision);
    number(&mut json, "version", kv.version);
    json.bytes("value", &kv.value);
    number(&mut json, "lease", kv.lease);
}

fn prev_kv(json: &mut Json<'_>, kv: Option<&KeyValue>) {
    if let Some(kv) = kv {
        key_value(json.key("prev_kv"), kv);
    }
}

fn key_values<'a>(json: &mut Json<'_>, name: &str, kvs: impl Iterator<Item = &'a KeyValue>) {
    let mut kvs = kvs.peekable();
    if kvs.peek().is_some() {
        let mut list = Json::array(json.key(name));
        kvs.for_each(|kv| key_value(list.item(), kv));
    }
}

fn range(out: &mut String, r: &RangeResponse) {
    let mut json = Json::object(out);
    header(&mut json, &r.header);
    key_values(&mut json, "kvs", r.kvs.iter());
    json.flag("more", r.more);
    number(&mut json, "count", r.count);
}

fn put(out: &mut String, r: &PutResponse) {
    let mut json = Json::object(out);
    header(&mut json, &r.header);
    prev_kv(&mut json, r.prev_kv.as_ref());
}

fn delete(out: &mut String, r: &DeleteRangeResponse) {
    let mut json = Json::object(out);
    header(&mut json, &r.header);
    number(&mut json, "deleted", r.deleted);
    key_values(&mut json, "prev_kvs", r.prev_kvs.iter());
}

fn txn(out: &mut String, r: &TxnResponse, profile: Profile) {
    let mut json = Json::object(out);
    header(&mut json, &r.header);
    json.flag("succeeded", r.succeeded);
    if !r.responses.is_empty() {
        let mut list = Json::array(json.key("responses"));
        for op in &r.responses {
            operation(list.item(), op, profile);
        }
    }
}

/// Appends the response to one operation of a transaction. Since 3.5, the JSON name of the inner field is the protobuf
/// name, such as `response_range`; in 3.4, it is the name of the Go field, such as `ResponseRange`.
fn operation(out: &mut String, op: &ResponseOp, profile: Profile) {
    let (old, new) = match op {
        ResponseOp::Range(_) => ("ResponseRange", "response_range"),
        ResponseOp::Put(_) => ("ResponsePut", "response_put"),
        ResponseOp::DeleteRange(_) => ("ResponseDeleteRange", "response_delete_range"),
        ResponseOp::Txn(_) => ("ResponseTxn", "response_txn"),
    };
    let mut json = Json::object(out);
    let mut inner = Json::object(json.key("Response"));
    let out = inner.key(if profile.has(Difference::SnakeCaseTxn) {
        new
    } else {
        old
    });
    match op {
        ResponseOp::Range(r) => range(out, r),
        ResponseOp::Put(r) => put(out, r),
        ResponseOp::DeleteRange(r) => delete(out, r),
        ResponseOp::Txn(r) => txn(out, r, profile),
    }
}

/// Appends a watch response. In Go, the response is a struct of the client library without JSON tags, so the fields
/// have Go's names. If a watch was never created, `null` replaces the list of events.
pub(super) fn watch(out: &mut String, r: &WatchResponse) {
    let mut json = Json::object(out);
    header_fields(&mut Json::object(json.key("Header")), &r.header);
    if r.created {
        json.value("Events", "null");
    } else {
        let mut list = Json::array(json.key("Events"));
        for e in &r.events {
            event(list.item(), e);
        }
    }
    json.value("CompactRevision", r.compact_revision);
    json.value("Canceled", r.canceled);
    json.value("Created", false);
}

fn event(out: &mut String, event: &WatchEvent) {
    let mut json = Json::object(out);
    number(&mut json, "type", u8::from(event.kind == EventKind::Delete));
    key_value(json.key("kv"), &event.kv);
    prev_kv(&mut json, event.prev_kv.as_ref());
}

/// Appends the `Status` of `endpoint status`.
pub(super) fn status(out: &mut String, r: &StatusResponse, profile: Profile) {
    let mut json = Json::object(out);
    header(&mut json, &r.header);
    text(&mut json, "version", &r.version);
    number(&mut json, "dbSize", r.db_size);
    number(&mut json, "leader", r.leader);
    number(&mut json, "raftIndex", r.raft_index);
    number(&mut json, "raftTerm", r.raft_term);
    number(&mut json, "raftAppliedIndex", r.raft_applied_index);
    if !r.errors.is_empty() {
        let mut list = Json::array(json.key("errors"));
        for error in &r.errors {
            push_string(list.item(), error);
        }
    }
    number(&mut json, "dbSizeInUse", r.db_size_in_use);
    json.flag("isLearner", r.is_learner);
    if profile.has(Difference::ReportsStorage) {
        text(&mut json, "storageVersion", &r.storage_version);
        number(&mut json, "dbSizeQuota", r.db_size_quota);
        json.value("downgradeInfo", "{}");
    }
}

/// Appends the `HashKV` of `endpoint hashkv`.
pub(super) fn hash_kv(out: &mut String, r: &HashKvResponse, profile: Profile) {
    let mut json = Json::object(out);
    header(&mut json, &r.header);
    number(&mut json, "hash", r.hash);
    number(&mut json, "compact_revision", r.compact_revision);
    if profile.has(Difference::NamesHashRevision) {
        number(&mut json, "hash_revision", r.hash_revision);
    }
}
