//! How many bytes a request has on the wire: etcd limits its raft entries, gRPC its messages.
//!
//! Mirrors the field numbers of `api/etcdserverpb/{rpc,raft_internal}.proto`.

use super::{
    Compare, CompareOp, CompareTarget, DeleteRangeRequest, EventKind, KeyValue, PutRequest,
    RangeRequest, Request, RequestOp, TxnRequest, WatchEvent, WatchRequest, WatchResponse,
};

/// Bytes of the request as gRPC sends it.
pub fn message(r: &Request) -> u64 {
    match r {
        Request::Range(r) => range(r),
        Request::Put(r) => put(r),
        Request::DeleteRange(r) => delete_range(r),
        Request::Txn(r) => txn(r),
        Request::Compact(r) => int(1, r.revision) + flag(2, r.physical),
        Request::HashKv(r) => int(1, r.revision),
        Request::Status(_) | Request::LeaseLeases(_) => 0,
        Request::LeaseGrant(r) => int(1, r.ttl) + int(2, r.id),
        Request::LeaseRevoke(r) => int(1, r.id),
        Request::LeaseKeepAlive(r) => int(1, r.id),
        Request::LeaseTimeToLive(r) => int(1, r.id) + flag(2, r.keys),
    }
}

/// Bytes of the raft entry that proposes it: a header with the proposal's id, then the request.
pub fn raft_entry(r: &Request) -> u64 {
    // A proposal id is the member's low 16 bits, a time and a counter: 63 bits, nine as a varint.
    const ID_BYTES: u64 = 9;
    let header = field(100, 1 + ID_BYTES);
    header + field(4, message(r))
}

/// Bytes of a frame that a client sends on a watch stream.
pub fn watch_request(r: &WatchRequest) -> u64 {
    match r {
        WatchRequest::Create(c) => field(
            1,
            bytes(1, &c.key)
                + bytes(2, &c.range_end)
                + int(3, c.start_revision)
                + flag(4, c.progress_notify)
                + 2 * u64::from(c.no_put)
                + 2 * u64::from(c.no_delete)
                + flag(6, c.prev_kv)
                + int(7, c.watch_id)
                + flag(8, c.fragment),
        ),
        WatchRequest::Cancel { watch_id } => field(2, int(1, *watch_id)),
        WatchRequest::Progress { .. } => field(3, 0),
    }
}

/// Bytes of a frame that a member sends on a watch stream.
pub fn watch_response(r: &WatchResponse) -> u64 {
    let events = r.events.iter().map(|e| field(11, event(e)));
    watch_head(r) + events.sum::<u64>()
}

/// Bytes of a watch response without its events.
pub fn watch_head(r: &WatchResponse) -> u64 {
    let h = &r.header;
    let header = int(1, h.cluster_id as i64)
        + int(2, h.member_id as i64)
        + int(3, h.revision)
        + int(4, h.raft_term as i64);
    field(1, header)
        + int(2, r.watch_id)
        + flag(3, r.created)
        + flag(4, r.canceled)
        + int(5, r.compact_revision)
        + bytes(6, r.cancel_reason.as_bytes())
        + flag(7, r.fragment)
}

/// Bytes of one event as a field of a watch response.
pub fn watch_event(e: &WatchEvent) -> u64 {
    field(11, event(e))
}

fn event(e: &WatchEvent) -> u64 {
    let prev = e.prev_kv.as_ref().map_or(0, |kv| field(3, key_value(kv)));
    flag(1, e.kind == EventKind::Delete) + field(2, key_value(&e.kv)) + prev
}

/// Bytes of a `KeyValue`.
pub fn key_value(kv: &KeyValue) -> u64 {
    bytes(1, &kv.key)
        + int(2, kv.create_revision)
        + int(3, kv.mod_revision)
        + int(4, kv.version)
        + bytes(5, &kv.value)
        + int(6, kv.lease)
}

fn range(r: &RangeRequest) -> u64 {
    bytes(1, &r.key)
        + bytes(2, &r.range_end)
        + int(3, r.limit)
        + int(4, r.revision)
        + int(5, r.sort_order as i64)
        + int(6, r.sort_target as i64)
        + flag(7, r.serializable)
        + flag(8, r.keys_only)
        + flag(9, r.count_only)
        + int(10, r.min_mod_revision)
        + int(11, r.max_mod_revision)
        + int(12, r.min_create_revision)
        + int(13, r.max_create_revision)
}

fn put(r: &PutRequest) -> u64 {
    bytes(1, &r.key)
        + bytes(2, &r.value)
        + int(3, r.lease)
        + flag(4, r.prev_kv)
        + flag(5, r.ignore_value)
        + flag(6, r.ignore_lease)
}

fn delete_range(r: &DeleteRangeRequest) -> u64 {
    bytes(1, &r.key) + bytes(2, &r.range_end) + flag(3, r.prev_kv)
}

fn txn(r: &TxnRequest) -> u64 {
    let compares = r.compare.iter().map(|c| field(1, compare(c)));
    let success = r.success.iter().map(|o| field(2, op(o)));
    let failure = r.failure.iter().map(|o| field(3, op(o)));
    compares.chain(success).chain(failure).sum()
}

fn op(o: &RequestOp) -> u64 {
    match o {
        RequestOp::Range(r) => field(1, range(r)),
        RequestOp::Put(r) => field(2, put(r)),
        RequestOp::DeleteRange(r) => field(3, delete_range(r)),
        RequestOp::Txn(r) => field(4, txn(r)),
        RequestOp::Empty => 0,
    }
}

fn compare(c: &Compare) -> u64 {
    // The operand is a oneof: it is written even when it is 0.
    let (target, operand) = match &c.target {
        CompareTarget::Version(n) => (0, 1 + varint(*n as u64)),
        CompareTarget::Create(n) => (1, 1 + varint(*n as u64)),
        CompareTarget::Mod(n) => (2, 1 + varint(*n as u64)),
        CompareTarget::Value(v) => (3, field(7, v.len() as u64)),
        CompareTarget::Lease(n) => (4, 1 + varint(*n as u64)),
    };
    let result = match c.result {
        CompareOp::Equal => 0,
        CompareOp::Greater => 1,
        CompareOp::Less => 2,
        CompareOp::NotEqual => 3,
    };
    int(1, result) + int(2, target) + bytes(3, &c.key) + bytes(64, &c.range_end) + operand
}

fn varint(n: u64) -> u64 {
    u64::from((64 - n.leading_zeros()).max(1).div_ceil(7))
}

fn tag(number: u64) -> u64 {
    varint(number << 3)
}

fn field(number: u64, len: u64) -> u64 {
    tag(number) + varint(len) + len
}

fn bytes(number: u64, b: &[u8]) -> u64 {
    if b.is_empty() {
        0
    } else {
        field(number, b.len() as u64)
    }
}

fn int(number: u64, n: i64) -> u64 {
    if n == 0 {
        0
    } else {
        tag(number) + varint(n as u64)
    }
}

fn flag(number: u64, b: bool) -> u64 {
    int(number, i64::from(b))
}
