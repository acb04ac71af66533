//! Requests and answers as they travel: protobuf, field by field.
//!
//! Mirrors the generated code of `api/etcdserverpb/rpc.proto` and `api/mvccpb/kv.proto` for the
//! messages that are simulated. Only writing: nothing here is ever received as bytes.

use crate::api::{
    Compare, CompareOp, CompareTarget, DeleteRangeRequest, DeleteRangeResponse, EventKind,
    KeyValue, PutRequest, PutResponse, RangeRequest, RangeResponse, Request, RequestOp, Response,
    ResponseHeader, ResponseOp, SortOrder, SortTarget, TxnRequest, TxnResponse, WatchResponse,
};

/// How many bytes a request has.
pub(super) fn request_size(request: &Request) -> usize {
    let mut message = Message::default();
    match request {
        Request::Range(r) => range(&mut message, r),
        Request::Put(r) => put(&mut message, r),
        Request::DeleteRange(r) => delete_range(&mut message, r),
        Request::Txn(r) => txn(&mut message, r),
        Request::LeaseGrant(r) => {
            message.signed(1, r.ttl);
            message.signed(2, r.id);
        }
        Request::LeaseRevoke(r) => message.signed(1, r.id),
        Request::LeaseKeepAlive(r) => message.signed(1, r.id),
        Request::LeaseTimeToLive(r) => {
            message.signed(1, r.id);
            message.flag(2, r.keys);
        }
        Request::Compact(_) | Request::HashKv(_) | Request::Status(_) | Request::LeaseLeases(_) => {
        }
    }
    message.0.len()
}

/// An answer as bytes, for those that etcdctl prints so.
pub(super) fn response(response: &Response) -> Option<Vec<u8>> {
    let mut message = Message::default();
    match response {
        Response::Range(r) => range_response(&mut message, r),
        Response::Put(r) => put_response(&mut message, r),
        Response::DeleteRange(r) => delete_response(&mut message, r),
        Response::Txn(r) => txn_response(&mut message, r),
        // Of an answer about leases etcdctl writes the header alone.
        Response::LeaseGrant(_)
        | Response::LeaseRevoke(_)
        | Response::LeaseKeepAlive(_)
        | Response::LeaseTimeToLive(_)
        | Response::LeaseLeases(_)
        | Response::Compact(_)
        | Response::HashKv(_)
        | Response::Status(_) => return None,
    }
    Some(message.0)
}

/// The bytes of a header that stands by itself.
pub(super) fn header_alone(h: &ResponseHeader) -> Vec<u8> {
    let mut message = Message::default();
    header_fields(&mut message, h);
    message.0
}

/// What a watch hears, without the parts that the client keeps to itself.
pub(super) fn watch_response(r: &WatchResponse) -> Vec<u8> {
    let mut message = Message::default();
    header(&mut message, &r.header);
    message.flag(4, r.canceled);
    message.signed(5, r.compact_revision);
    for event in &r.events {
        message.message(11, |m| {
            m.flag(1, event.kind == EventKind::Delete);
            m.message(2, |m| key_value(m, &event.kv));
            if let Some(kv) = &event.prev_kv {
                m.message(3, |m| key_value(m, kv));
            }
        });
    }
    message.0
}

/// A message that is being written. Fields that are zero or empty are left out, as proto3 does.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u64, value: u64) {
        if value != 0 {
            self.one_of_number(field, value);
        }
    }

    /// A number that is written even when it is 0, because it is the one chosen of several.
    fn one_of_number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn signed(&mut self, field: u64, value: i64) {
        self.number(field, value as u64);
    }

    fn flag(&mut self, field: u64, value: bool) {
        self.number(field, u64::from(value));
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        if !value.is_empty() {
            self.one_of_bytes(field, value);
        }
    }

    fn one_of_bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn message(&mut self, field: u64, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.one_of_bytes(field, &inner.0);
    }
}

fn range(m: &mut Message, r: &RangeRequest) {
    m.bytes(1, &r.key);
    m.bytes(2, &r.range_end);
    m.signed(3, r.limit);
    m.signed(4, r.revision);
    let order = match r.sort_order {
        SortOrder::None => 0,
        SortOrder::Ascend => 1,
        SortOrder::Descend => 2,
    };
    let target = match r.sort_target {
        SortTarget::Key => 0,
        SortTarget::Version => 1,
        SortTarget::Create => 2,
        SortTarget::Mod => 3,
        SortTarget::Value => 4,
    };
    m.number(5, order);
    m.number(6, target);
    m.flag(7, r.serializable);
    m.flag(8, r.keys_only);
    m.flag(9, r.count_only);
    m.signed(10, r.min_mod_revision);
    m.signed(11, r.max_mod_revision);
    m.signed(12, r.min_create_revision);
    m.signed(13, r.max_create_revision);
}

fn put(m: &mut Message, r: &PutRequest) {
    m.bytes(1, &r.key);
    m.bytes(2, &r.value);
    m.signed(3, r.lease);
    m.flag(4, r.prev_kv);
    m.flag(5, r.ignore_value);
    m.flag(6, r.ignore_lease);
}

fn delete_range(m: &mut Message, r: &DeleteRangeRequest) {
    m.bytes(1, &r.key);
    m.bytes(2, &r.range_end);
    m.flag(3, r.prev_kv);
}

fn txn(m: &mut Message, r: &TxnRequest) {
    for c in &r.compare {
        m.message(1, |m| compare(m, c));
    }
    for (field, ops) in [(2, &r.success), (3, &r.failure)] {
        for op in ops {
            m.message(field, |m| match op {
                RequestOp::Range(r) => m.message(1, |m| range(m, r)),
                RequestOp::Put(r) => m.message(2, |m| put(m, r)),
                RequestOp::DeleteRange(r) => m.message(3, |m| delete_range(m, r)),
                RequestOp::Txn(r) => m.message(4, |m| txn(m, r)),
                RequestOp::Empty => {}
            });
        }
    }
}

fn compare(m: &mut Message, c: &Compare) {
    let result = match c.result {
        CompareOp::Equal => 0,
        CompareOp::Greater => 1,
        CompareOp::Less => 2,
        CompareOp::NotEqual => 3,
    };
    m.number(1, result);
    let (target, field) = match c.target {
        CompareTarget::Version(_) => (0, 4),
        CompareTarget::Create(_) => (1, 5),
        CompareTarget::Mod(_) => (2, 6),
        CompareTarget::Value(_) => (3, 7),
        CompareTarget::Lease(_) => (4, 8),
    };
    m.number(2, target);
    m.bytes(3, &c.key);
    match &c.target {
        CompareTarget::Version(n)
        | CompareTarget::Create(n)
        | CompareTarget::Mod(n)
        | CompareTarget::Lease(n) => m.one_of_number(field, *n as u64),
        CompareTarget::Value(value) => m.one_of_bytes(field, value),
    }
    m.bytes(64, &c.range_end);
}

fn header(m: &mut Message, h: &ResponseHeader) {
    m.message(1, |m| header_fields(m, h));
}

fn header_fields(m: &mut Message, h: &ResponseHeader) {
    m.number(1, h.cluster_id);
    m.number(2, h.member_id);
    m.signed(3, h.revision);
    m.number(4, h.raft_term);
}

fn key_value(m: &mut Message, kv: &KeyValue) {
    m.bytes(1, &kv.key);
    m.signed(2, kv.create_revision);
    m.signed(3, kv.mod_revision);
    m.signed(4, kv.version);
    m.bytes(5, &kv.value);
    m.signed(6, kv.lease);
}

fn range_response(m: &mut Message, r: &RangeResponse) {
    header(m, &r.header);
    for kv in r.kvs.iter() {
        m.message(2, |m| key_value(m, kv));
    }
    m.flag(3, r.more);
    m.signed(4, r.count);
}

fn put_response(m: &mut Message, r: &PutResponse) {
    header(m, &r.header);
    if let Some(kv) = &r.prev_kv {
        m.message(2, |m| key_value(m, kv));
    }
}

fn delete_response(m: &mut Message, r: &DeleteRangeResponse) {
    header(m, &r.header);
    m.signed(2, r.deleted);
    for kv in &r.prev_kvs {
        m.message(3, |m| key_value(m, kv));
    }
}

fn txn_response(m: &mut Message, r: &TxnResponse) {
    header(m, &r.header);
    m.flag(2, r.succeeded);
    for op in &r.responses {
        m.message(3, |m| match op {
            ResponseOp::Range(r) => m.message(1, |m| range_response(m, r)),
            ResponseOp::Put(r) => m.message(2, |m| put_response(m, r)),
            ResponseOp::DeleteRange(r) => m.message(3, |m| delete_response(m, r)),
            ResponseOp::Txn(r) => m.message(4, |m| txn_response(m, r)),
        });
    }
}
