//! `--write-out=simple`: one line for each key and one line for each value.
//!
//! Mirrors `printer_simple.go` and `printKV` in `util.go`. Bytes are printed unchanged, as in etcdctl, so a key that
//! contains a newline takes two lines.

use super::push_number;
use crate::api::{
    DeleteRangeResponse, EventKind, KeyValue, PutResponse, RangeResponse, Response, ResponseOp,
    TxnResponse, WatchResponse,
};

pub(super) struct Simple {
    hex: bool,
    value_only: bool,
}

impl Simple {
    pub(super) fn new(hex: bool, value_only: bool) -> Self {
        Self { hex, value_only }
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

    fn range(&self, out: &mut Vec<u8>, r: &RangeResponse) {
        for kv in r.kvs.iter() {
            self.key_value(out, kv);
        }
    }

    fn put(&self, out: &mut Vec<u8>, r: &PutResponse) {
        out.extend_from_slice(b"OK\n");
        if let Some(kv) = &r.prev_kv {
            self.key_value(out, kv);
        }
    }

    fn delete(&self, out: &mut Vec<u8>, r: &DeleteRangeResponse) {
        push_number(out, r.deleted);
        out.push(b'\n');
        for kv in &r.prev_kvs {
            self.key_value(out, kv);
        }
    }

    fn txn(&self, out: &mut Vec<u8>, r: &TxnResponse) {
        out.extend_from_slice(if r.succeeded {
            b"SUCCESS\n"
        } else {
            b"FAILURE\n"
        });
        for op in &r.responses {
            out.push(b'\n');
            match op {
                ResponseOp::Range(r) => self.range(out, r),
                ResponseOp::Put(r) => self.put(out, r),
                ResponseOp::DeleteRange(r) => self.delete(out, r),
                // etcdctl cannot send a nested transaction. Upstream would print the Go value here.
                ResponseOp::Txn(r) => self.txn(out, r),
            }
        }
    }

    pub(super) fn watch(&self, out: &mut Vec<u8>, r: &WatchResponse) {
        for event in &r.events {
            out.extend_from_slice(match event.kind {
                EventKind::Put => b"PUT\n",
                EventKind::Delete => b"DELETE\n",
            });
            for kv in event.prev_kv.iter().chain([&event.kv]) {
                self.key_value(out, kv);
            }
        }
    }

    fn key_value(&self, out: &mut Vec<u8>, kv: &KeyValue) {
        if !self.value_only {
            self.line(out, &kv.key);
        }
        self.line(out, &kv.value);
    }

    fn line(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        if self.hex {
            for byte in bytes {
                out.extend_from_slice(b"\\x");
                super::push_hex(out, u64::from(*byte), 2);
            }
        } else {
            out.extend_from_slice(bytes);
        }
        out.push(b'\n');
    }
}
