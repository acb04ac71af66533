//! `--write-out=fields`: one line per field, as `"Name" : value`. Texts are quoted like Go's `%q`.
//!
//! Mirrors `printer_fields.go`. In this format, 3.4 ignores `--hex` and always prints the revision. Later versions
//! print IDs and leases in hexadecimal with `--hex`, and omit a revision of 0.

use super::{push_hex, push_number};
use crate::api::{
    DeleteRangeResponse, Difference, EventKind, HashKvResponse, KeyValue, Profile, PutResponse,
    RangeResponse, Response, ResponseHeader, ResponseOp, StatusResponse, TxnResponse,
    WatchResponse,
};
use crate::base::go::quote::push_quoted;

pub(super) struct Fields {
    hex: bool,
    profile: Profile,
}

impl Fields {
    pub(super) fn new(hex: bool, profile: Profile) -> Self {
        Self {
            hex: hex && profile.has(Difference::HexFields),
            profile,
        }
    }

    pub(super) fn response(&self, out: &mut Vec<u8>, response: &Response) {
        match response {
            Response::Range(r) | Response::RangeStream(r) => self.range(out, r),
            Response::Put(r) => self.put(out, r),
            Response::DeleteRange(r) => self.delete(out, r),
            Response::Txn(r) => self.txn(out, r),
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

    pub(super) fn header(&self, out: &mut Vec<u8>, h: &ResponseHeader) {
        self.id(out, "ClusterID", h.cluster_id);
        self.id(out, "MemberID", h.member_id);
        if h.revision > 0 || !self.profile.has(Difference::OmitsEmptyRevision) {
            number(out, "", "Revision", h.revision);
        }
        number(out, "", "RaftTerm", h.raft_term);
    }

    pub(super) fn id(&self, out: &mut Vec<u8>, label: &str, id: u64) {
        if self.hex {
            name(out, "", label);
            push_hex(out, id, 0);
            out.push(b'\n');
        } else {
            number(out, "", label, id);
        }
    }

    pub(super) fn lease_id(&self, out: &mut Vec<u8>, id: i64) {
        if self.hex {
            name(out, "", "ID");
            push_hex(out, id as u64, 16);
            out.push(b'\n');
        } else {
            number(out, "", "ID", id);
        }
    }

    fn key_value(&self, out: &mut Vec<u8>, prefix: &str, kv: &KeyValue) {
        quoted(out, prefix, "Key", &kv.key);
        number(out, prefix, "CreateRevision", kv.create_revision);
        number(out, prefix, "ModRevision", kv.mod_revision);
        number(out, prefix, "Version", kv.version);
        quoted(out, prefix, "Value", &kv.value);
        if self.hex {
            name(out, prefix, "Lease");
            push_hex(out, kv.lease as u64, 16);
            out.push(b'\n');
        } else {
            number(out, prefix, "Lease", kv.lease);
        }
    }

    fn range(&self, out: &mut Vec<u8>, r: &RangeResponse) {
        self.header(out, &r.header);
        for kv in r.kvs.iter() {
            self.key_value(out, "", kv);
        }
        boolean(out, "More", r.more);
        number(out, "", "Count", r.count);
    }

    fn put(&self, out: &mut Vec<u8>, r: &PutResponse) {
        self.header(out, &r.header);
        if let Some(kv) = &r.prev_kv {
            self.key_value(out, "Prev", kv);
        }
    }

    fn delete(&self, out: &mut Vec<u8>, r: &DeleteRangeResponse) {
        self.header(out, &r.header);
        number(out, "", "Deleted", r.deleted);
        for kv in &r.prev_kvs {
            self.key_value(out, "Prev", kv);
        }
    }

    fn txn(&self, out: &mut Vec<u8>, r: &TxnResponse) {
        self.header(out, &r.header);
        boolean(out, "Succeeded", r.succeeded);
        for op in &r.responses {
            match op {
                ResponseOp::Range(r) => self.range(out, r),
                ResponseOp::Put(r) => self.put(out, r),
                ResponseOp::DeleteRange(r) => self.delete(out, r),
                ResponseOp::Txn(r) => self.txn(out, r),
            }
        }
    }

    pub(super) fn watch(&self, out: &mut Vec<u8>, r: &WatchResponse) {
        self.header(out, &r.header);
        for event in &r.events {
            name(out, "", "Type");
            out.extend_from_slice(match event.kind {
                EventKind::Put => b"PUT\n",
                EventKind::Delete => b"DELETE\n",
            });
            if let Some(kv) = &event.prev_kv {
                self.key_value(out, "Prev", kv);
            }
            self.key_value(out, "", &event.kv);
        }
    }

    pub(super) fn status(&self, out: &mut Vec<u8>, endpoint: &str, r: &StatusResponse) {
        let newer = self.profile.has(Difference::ReportsStorage);
        self.header(out, &r.header);
        quoted(out, "", "Version", r.version.as_bytes());
        if newer {
            quoted(out, "", "StorageVersion", r.storage_version.as_bytes());
        }
        number(out, "", "DBSize", r.db_size);
        if newer {
            number(out, "", "DBSizeInUse", r.db_size_in_use);
            number(out, "", "DBSizeQuota", r.db_size_quota);
        }
        number(out, "", "Leader", r.leader);
        boolean(out, "IsLearner", r.is_learner);
        number(out, "", "RaftIndex", r.raft_index);
        number(out, "", "RaftTerm", r.raft_term);
        number(out, "", "RaftAppliedIndex", r.raft_applied_index);
        name(out, "", "Errors");
        out.push(b'[');
        out.extend_from_slice(r.errors.join(" ").as_bytes());
        out.extend_from_slice(b"]\n");
        quoted(out, "", "Endpoint", endpoint.as_bytes());
        if newer {
            quoted(out, "", "DowngradeTargetVersion", b"");
            boolean(out, "DowngradeEnabled", false);
        }
        out.push(b'\n');
    }

    pub(super) fn hash_kv(&self, out: &mut Vec<u8>, endpoint: &str, r: &HashKvResponse) {
        self.header(out, &r.header);
        quoted(out, "", "Endpoint", endpoint.as_bytes());
        number(out, "", "Hash", r.hash);
        if self.profile.has(Difference::NamesHashRevision) {
            number(out, "", "HashRevision", r.hash_revision);
        }
        out.push(b'\n');
    }

    pub(super) fn health(&self, out: &mut Vec<u8>, endpoint: &str, took: &str, error: &[u8]) {
        quoted(out, "", "Endpoint", endpoint.as_bytes());
        boolean(out, "Health", error.is_empty());
        name(out, "", "Took");
        out.extend_from_slice(took.as_bytes());
        out.push(b'\n');
        name(out, "", "Error");
        out.extend_from_slice(error);
        out.extend_from_slice(b"\n\n");
    }
}

fn name(out: &mut Vec<u8>, prefix: &str, name: &str) {
    out.push(b'"');
    out.extend_from_slice(prefix.as_bytes());
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\" : ");
}

pub(super) fn number(out: &mut Vec<u8>, prefix: &str, label: &str, value: impl Into<i128>) {
    name(out, prefix, label);
    push_number(out, value);
    out.push(b'\n');
}

fn boolean(out: &mut Vec<u8>, label: &str, value: bool) {
    name(out, "", label);
    out.extend_from_slice(if value { b"true\n" } else { b"false\n" });
}

pub(super) fn quoted(out: &mut Vec<u8>, prefix: &str, label: &str, value: &[u8]) {
    name(out, prefix, label);
    push_quoted(out, value);
    out.push(b'\n');
}
