//! `--write-out=json`: one line, as Go's `encoding/json` writes the generated structs.
//!
//! Mirrors `printer_json.go` and the `json:"…,omitempty"` tags of `api/etcdserverpb/rpc.pb.go`:
//! what is zero or empty is left out, numbers of 64 bits are plain numbers, bytes are base64.

use super::push_number;
use crate::api::{
    DeleteRangeResponse, EventKind, HashKvResponse, KeyValue, Profile, PutResponse, RangeResponse,
    Response, ResponseHeader, ResponseOp, StatusResponse, TxnResponse, WatchEvent, WatchResponse,
};

/// Adds an answer to one of the key-value commands.
pub(super) fn response(out: &mut Vec<u8>, response: &Response, profile: Profile) {
    let mut json = Json::new(out, profile);
    match response {
        Response::Range(r) => json.range(r),
        Response::Put(r) => json.put(r),
        Response::DeleteRange(r) => json.delete(r),
        Response::Txn(r) => json.txn(r),
        Response::LeaseGrant(_)
        | Response::LeaseRevoke(_)
        | Response::LeaseKeepAlive(_)
        | Response::LeaseTimeToLive(_)
        | Response::LeaseLeases(_)
        | Response::Compact(_)
        | Response::HashKv(_)
        | Response::Status(_) => {}
    }
}

/// A writer of JSON; `first` says whether the innermost object or array is still empty.
pub(super) struct Json<'a> {
    out: &'a mut Vec<u8>,
    profile: Profile,
    first: bool,
}

impl<'a> Json<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, profile: Profile) -> Self {
        Self {
            out,
            profile,
            first: true,
        }
    }

    fn comma(&mut self) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
    }

    pub(super) fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.out.push(b'{');
        self.first = true;
        write(self);
        self.out.push(b'}');
        self.first = false;
    }

    pub(super) fn array<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.out.push(b'[');
        self.first = true;
        for item in items {
            self.comma();
            write(self, item);
            self.first = false;
        }
        self.out.push(b']');
        self.first = false;
    }

    pub(super) fn name(&mut self, name: &str) {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn number(&mut self, name: &str, value: impl Into<i128>) {
        let value = value.into();
        if value != 0 {
            self.name(name);
            push_number(self.out, value);
        }
    }

    /// A number that is written even when it is 0.
    pub(super) fn plain_number(&mut self, name: &str, value: impl Into<i128>) {
        self.name(name);
        push_number(self.out, value);
    }

    pub(super) fn null(&mut self) {
        self.out.extend_from_slice(b"null");
    }

    fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.name(name);
            self.out.extend_from_slice(b"true");
        }
    }

    pub(super) fn bool(&mut self, name: &str, value: bool) {
        self.name(name);
        self.out
            .extend_from_slice(if value { b"true" } else { b"false" });
    }

    fn bytes(&mut self, name: &str, value: &[u8]) {
        if !value.is_empty() {
            self.name(name);
            self.base64(value);
        }
    }

    pub(super) fn base64(&mut self, value: &[u8]) {
        self.out.push(b'"');
        push_base64(self.out, value);
        self.out.push(b'"');
    }

    fn text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.name(name);
            self.string(value);
        }
    }

    /// A string; what Go would escape does not occur in the texts this is used for, but a quote
    /// or a backslash would break the line.
    pub(super) fn string(&mut self, value: &str) {
        self.out.push(b'"');
        for byte in value.bytes() {
            if matches!(byte, b'"' | b'\\') {
                self.out.push(b'\\');
            }
            self.out.push(byte);
        }
        self.out.push(b'"');
    }

    pub(super) fn header(&mut self, h: &ResponseHeader) {
        self.name("header");
        self.object(|j| j.header_fields(h));
    }

    pub(super) fn header_fields(&mut self, h: &ResponseHeader) {
        self.number("cluster_id", h.cluster_id);
        self.number("member_id", h.member_id);
        self.number("revision", h.revision);
        self.number("raft_term", h.raft_term);
    }

    fn key_value(&mut self, kv: &KeyValue) {
        self.object(|j| {
            j.bytes("key", &kv.key);
            j.number("create_revision", kv.create_revision);
            j.number("mod_revision", kv.mod_revision);
            j.number("version", kv.version);
            j.bytes("value", &kv.value);
            j.number("lease", kv.lease);
        });
    }

    fn key_values(&mut self, name: &str, kvs: &[KeyValue]) {
        if !kvs.is_empty() {
            self.name(name);
            self.array(kvs, |j, kv| j.key_value(kv));
        }
    }

    fn range(&mut self, r: &RangeResponse) {
        self.object(|j| {
            j.header(&r.header);
            j.key_values("kvs", &r.kvs.head(usize::MAX));
            j.flag("more", r.more);
            j.number("count", r.count);
        });
    }

    fn put(&mut self, r: &PutResponse) {
        self.object(|j| {
            j.header(&r.header);
            if let Some(kv) = &r.prev_kv {
                j.name("prev_kv");
                j.key_value(kv);
            }
        });
    }

    fn delete(&mut self, r: &DeleteRangeResponse) {
        self.object(|j| {
            j.header(&r.header);
            j.number("deleted", r.deleted);
            j.key_values("prev_kvs", &r.prev_kvs);
        });
    }

    fn txn(&mut self, r: &TxnResponse) {
        self.object(|j| {
            j.header(&r.header);
            j.flag("succeeded", r.succeeded);
            if !r.responses.is_empty() {
                j.name("responses");
                j.array(&r.responses, |j, op| j.operation(op));
            }
        });
    }

    /// The answer to one operation. Since 3.5 the generated code names the inner field as the
    /// protocol does; 3.4 left it as Go's field name.
    fn operation(&mut self, op: &ResponseOp) {
        let (old, new) = match op {
            ResponseOp::Range(_) => ("ResponseRange", "response_range"),
            ResponseOp::Put(_) => ("ResponsePut", "response_put"),
            ResponseOp::DeleteRange(_) => ("ResponseDeleteRange", "response_delete_range"),
            ResponseOp::Txn(_) => ("ResponseTxn", "response_txn"),
        };
        self.object(|j| {
            j.name("Response");
            j.object(|j| {
                j.name(if j.profile == Profile::V3_4 { old } else { new });
                match op {
                    ResponseOp::Range(r) => j.range(r),
                    ResponseOp::Put(r) => j.put(r),
                    ResponseOp::DeleteRange(r) => j.delete(r),
                    ResponseOp::Txn(r) => j.txn(r),
                }
            });
        });
    }

    /// What a watch hears. The client's own struct, whose names have no tags; that of a watch which
    /// never was has no list of events at all.
    pub(super) fn watch(&mut self, r: &WatchResponse) {
        self.object(|j| {
            j.name("Header");
            j.object(|j| j.header_fields(&r.header));
            j.name("Events");
            if r.created {
                j.out.extend_from_slice(b"null");
            } else {
                j.array(&r.events, Self::event);
            }
            j.name("CompactRevision");
            push_number(j.out, r.compact_revision);
            j.bool("Canceled", r.canceled);
            j.bool("Created", false);
        });
    }

    fn event(&mut self, event: &WatchEvent) {
        self.object(|j| {
            j.number("type", u8::from(event.kind == EventKind::Delete));
            j.name("kv");
            j.key_value(&event.kv);
            if let Some(kv) = &event.prev_kv {
                j.name("prev_kv");
                j.key_value(kv);
            }
        });
    }

    /// What `endpoint status` has under `Status`.
    pub(super) fn status(&mut self, r: &StatusResponse) {
        self.object(|j| {
            j.header(&r.header);
            j.text("version", &r.version);
            j.number("dbSize", r.db_size);
            j.number("leader", r.leader);
            j.number("raftIndex", r.raft_index);
            j.number("raftTerm", r.raft_term);
            j.number("raftAppliedIndex", r.raft_applied_index);
            if !r.errors.is_empty() {
                j.name("errors");
                j.array(&r.errors, |j, error| j.string(error));
            }
            j.number("dbSizeInUse", r.db_size_in_use);
            j.flag("isLearner", r.is_learner);
            if j.profile == Profile::V3_6 {
                j.text("storageVersion", &r.storage_version);
                j.number("dbSizeQuota", r.db_size_quota);
                j.name("downgradeInfo");
                j.object(|_| {});
            }
        });
    }

    /// What `endpoint hashkv` has under `HashKV`.
    pub(super) fn hash_kv(&mut self, r: &HashKvResponse) {
        self.object(|j| {
            j.header(&r.header);
            j.number("hash", r.hash);
            j.number("compact_revision", r.compact_revision);
            if j.profile == Profile::V3_6 {
                j.number("hash_revision", r.hash_revision);
            }
        });
    }
}

fn push_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            out.push(if i <= group.len() {
                DIGITS[(bits >> (18 - 6 * i) & 63) as usize]
            } else {
                b'='
            });
        }
    }
}
