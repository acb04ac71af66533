//! Protobuf: bytes written by a real etcd 3.4.23, etcd's size limits, and properties of random messages.
//!
//! The requests were recorded between etcdctl and etcd, except watch requests with filters, which were recorded between
//! etcd's gateway and etcd. The raft entries are from the write-ahead log, and the rows from the database file.

use proptest::prelude::*;
use std::sync::Arc;

use watchglass_engine::api::proto::{RaftEntry, raft_entry_size, watch_event_size};
use watchglass_engine::api::{
    CompactionRequest, Compare, CompareOp, CompareTarget, DeleteRangeRequest, EtcdError, EventKind,
    KeyValue, LeaseGrantRequest, LeaseTimeToLiveRequest, Profile, PutRequest, RangeRequest,
    RangeResponse, Reply, Request, RequestOp, ResponseHeader, SortOrder, SortTarget, TxnRequest,
    WatchCreateRequest, WatchEvent, WatchRequest, WatchResponse,
};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::proto::{self, ProtoMessage};
use watchglass_engine::base::time::SimTime;
use watchglass_engine::etcd::EtcdServer;
use watchglass_engine::etcd::lease_row::LeaseRow;
use watchglass_engine::sim::Outbox;

const CALLER: Caller = Caller {
    node: NodeId::Etcdctl,
    call: 1,
};

fn put(key: &str, value: &str) -> PutRequest {
    PutRequest {
        key: key.into(),
        value: value.into(),
        ..PutRequest::default()
    }
}

fn txn_of(op: RequestOp) -> Request {
    Request::Txn(TxnRequest {
        success: vec![op],
        ..TxnRequest::default()
    })
}

#[track_caller]
fn has_bytes(message: &impl ProtoMessage, hex: &str) {
    let bytes = proto::encode(message);
    let text: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(text, hex);
    assert_eq!(proto::size(message), bytes.len() as u64);
}

#[test]
fn requests_have_the_recorded_bytes() {
    let previous = PutRequest {
        prev_kv: true,
        ..put("/key1", "value2")
    };
    has_bytes(
        &Request::Put(previous),
        "0a052f6b657931120676616c7565322001",
    );
    let range = RangeRequest {
        key: "/key".into(),
        range_end: "/kez".into(),
        limit: 3,
        sort_order: SortOrder::Descend,
        sort_target: SortTarget::Value,
        keys_only: true,
        ..RangeRequest::default()
    };
    has_bytes(
        &Request::Range(range),
        "0a042f6b657912042f6b657a1803280230044001",
    );
    let del = DeleteRangeRequest {
        key: "/key2".into(),
        prev_kv: true,
        ..DeleteRangeRequest::default()
    };
    has_bytes(&Request::DeleteRange(del), "0a052f6b6579321801");
    let compaction = CompactionRequest {
        revision: 3,
        physical: true,
    };
    has_bytes(&Request::Compact(compaction), "08031001");
    let grant = LeaseGrantRequest { ttl: 100, id: 0 };
    has_bytes(&Request::LeaseGrant(grant), "0864");
    has_bytes(
        &Request::Txn(recorded_txn()),
        "0a0d080110021a052f6b65793130000a0710031a01613a00120c120a0a052f6b65793212017812090a070a052f6b6579311a091a07\
         0a052f6b657933",
    );
}

/// Returns a transaction: if `mod("/key1") > "0"` and `value("a") = ""`, then a put and a get, else a delete.
fn recorded_txn() -> TxnRequest {
    let compare = |key: &str, result, target| Compare {
        key: key.into(),
        range_end: Bytes::default(),
        result,
        target,
    };
    let get = RangeRequest {
        key: "/key1".into(),
        ..RangeRequest::default()
    };
    let del = DeleteRangeRequest {
        key: "/key3".into(),
        ..DeleteRangeRequest::default()
    };
    TxnRequest {
        compare: vec![
            compare("/key1", CompareOp::Greater, CompareTarget::Mod(0)),
            compare("a", CompareOp::Equal, CompareTarget::Value("".into())),
        ],
        success: vec![RequestOp::Put(put("/key2", "x")), RequestOp::Range(get)],
        failure: vec![RequestOp::DeleteRange(del)],
    }
}

#[test]
fn watch_requests_have_the_recorded_bytes() {
    let create = |no_put, no_delete, start_revision| {
        WatchRequest::Create(WatchCreateRequest {
            key: "/a".into(),
            start_revision,
            no_put,
            no_delete,
            prev_kv: true,
            ..WatchCreateRequest::default()
        })
    };
    has_bytes(&create(false, false, 2), "0a080a022f6118023001");
    has_bytes(&create(true, false, 0), "0a090a022f612a01003001");
    has_bytes(&create(false, true, 0), "0a090a022f612a01013001");
    has_bytes(&create(true, true, 0), "0a0a0a022f612a0200013001");
}

#[test]
fn raft_entries_have_the_recorded_bytes() {
    let entry = |id, request: Request, hex| {
        has_bytes(
            &RaftEntry {
                id,
                request: &request,
                user: ("", 0),
            },
            hex,
        );
        assert_eq!(raft_entry_size(&request, ("", 0)), hex.len() as u64 / 2);
    };
    entry(
        0x694d_a204_ee7b_5d05,
        Request::Put(put("/key1", "value1")),
        "220f0a052f6b657931120676616c756531a2060a0885baedf3cec0e8a669",
    );
    let previous = PutRequest {
        prev_kv: true,
        ..put("/key1", "value2")
    };
    entry(
        0x694d_a204_ee7b_5d08,
        Request::Put(previous),
        "22110a052f6b657931120676616c7565322001a2060a0888baedf3cec0e8a669",
    );
}

#[test]
fn rows_have_the_recorded_bytes() {
    let row = b"\x0a\x05/key1\x10\x02\x18\x03\x20\x02\x2a\x06value2";
    let kv = KeyValue {
        key: "/key1".into(),
        create_revision: 2,
        mod_revision: 3,
        version: 2,
        value: "value2".into(),
        lease: 0,
    };
    assert_eq!(proto::encode(&kv), row);
    assert_eq!(proto::decode::<KeyValue>(row), Some(kv));
    let parts = proto::spans::<KeyValue>(row);
    let parts: Vec<_> = parts.iter().map(|s| (s.name, s.start, s.end)).collect();
    assert_eq!(
        parts,
        [
            ("key", 0, 7),
            ("create_revision", 7, 9),
            ("mod_revision", 9, 11),
            ("version", 11, 13),
            ("value", 13, 21),
        ]
    );
    let lease = LeaseRow {
        id: 7001,
        ttl_s: 100,
        remaining_ttl_s: 0,
    };
    assert_eq!(proto::encode(&lease), b"\x08\xd9\x36\x10\x64");
    // A row that is cut in its last field cannot be decoded, but the fields before the cut are known.
    assert_eq!(proto::decode::<KeyValue>(&row[..20]), None);
    assert_eq!(proto::spans::<KeyValue>(&row[..20]).len(), 4);
}

fn answer(request: &Request) -> Reply {
    let mut member = EtcdServer::new(Profile::V3_4);
    let mut out = Outbox::new(SimTime(0));
    member.handle(CALLER, &Arc::new(request.clone()), &mut out);
    out.replies.remove(0).1
}

/// The largest values that etcd accepts, found by trial with `put k VALUE` and with the same put in a transaction.
#[test]
fn etcd_refuses_a_raft_entry_above_1_5_mib() {
    let refused = Err(EtcdError::RequestTooLarge);
    let value = |len| put("k", &"v".repeat(len));
    assert!(answer(&Request::Put(value(1_572_840))).is_ok());
    assert_eq!(answer(&Request::Put(value(1_572_841))), refused);
    assert!(answer(&txn_of(RequestOp::Put(value(1_572_832)))).is_ok());
    assert_eq!(answer(&txn_of(RequestOp::Put(value(1_572_833)))), refused);
}

#[test]
fn the_client_refuses_a_message_above_2_mib() {
    let value = |len| Request::Put(put("k", &"v".repeat(len)));
    assert_eq!(answer(&value(2_097_145)), Err(EtcdError::RequestTooLarge));
    let error = answer(&value(2_097_146)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2097153 vs. 2097152)"
    );
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4).prop_map(Bytes::from),
        (120_usize..20_000).prop_map(|len| Bytes::from(vec![b'v'; len])),
    ]
}

fn int() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), 1_i64..300, any::<i64>()]
}

fn key_value() -> impl Strategy<Value = KeyValue> {
    (bytes(), int(), int(), int(), bytes(), int()).prop_map(
        |(key, create_revision, mod_revision, version, value, lease)| KeyValue {
            key,
            create_revision,
            mod_revision,
            version,
            value,
            lease,
        },
    )
}

fn range_request() -> impl Strategy<Value = RangeRequest> {
    (bytes(), bytes(), int(), int(), any::<(bool, bool, bool)>()).prop_map(
        |(key, range_end, limit, max_create_revision, (serializable, keys_only, descends))| {
            RangeRequest {
                key,
                range_end,
                limit,
                max_create_revision,
                serializable,
                keys_only,
                sort_order: if descends {
                    SortOrder::Descend
                } else {
                    SortOrder::None
                },
                sort_target: if descends {
                    SortTarget::Mod
                } else {
                    SortTarget::Key
                },
                ..RangeRequest::default()
            }
        },
    )
}

fn put_request() -> impl Strategy<Value = PutRequest> {
    (bytes(), bytes(), int(), any::<(bool, bool, bool)>()).prop_map(
        |(key, value, lease, (prev_kv, ignore_value, ignore_lease))| PutRequest {
            key,
            value,
            lease,
            prev_kv,
            ignore_value,
            ignore_lease,
        },
    )
}

fn compare() -> impl Strategy<Value = Compare> {
    let target = prop_oneof![
        int().prop_map(CompareTarget::Version),
        int().prop_map(CompareTarget::Lease),
        bytes().prop_map(CompareTarget::Value),
    ];
    (bytes(), bytes(), target).prop_map(|(key, range_end, target)| Compare {
        key,
        range_end,
        result: CompareOp::NotEqual,
        target,
    })
}

fn txn_request() -> impl Strategy<Value = TxnRequest> {
    let op = prop_oneof![
        range_request().prop_map(RequestOp::Range),
        put_request().prop_map(RequestOp::Put),
        Just(RequestOp::Empty),
    ];
    let txn = |op: BoxedStrategy<RequestOp>| {
        let ops = prop::collection::vec(op, 0..4);
        (prop::collection::vec(compare(), 0..3), ops.clone(), ops).prop_map(
            |(compare, success, failure)| TxnRequest {
                compare,
                success,
                failure,
            },
        )
    };
    let op = op.prop_recursive(6, 32, 4, move |inner| {
        txn(inner.boxed()).prop_map(RequestOp::Txn)
    });
    txn(op.boxed())
}

fn watch_event() -> impl Strategy<Value = WatchEvent> {
    (any::<bool>(), key_value(), prop::option::of(key_value())).prop_map(|(put, kv, prev_kv)| {
        WatchEvent {
            kind: if put {
                EventKind::Put
            } else {
                EventKind::Delete
            },
            kv,
            prev_kv,
        }
    })
}

fn counted_as_written(message: &impl ProtoMessage) -> Result<(), TestCaseError> {
    prop_assert_eq!(proto::size(message), proto::encode(message).len() as u64);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_row_is_read_as_it_was_written(kv in key_value()) {
        let bytes = proto::encode(&kv);
        prop_assert_eq!(proto::spans::<KeyValue>(&bytes).last().map_or(0, |s| s.end as usize), bytes.len());
        prop_assert_eq!(proto::decode::<KeyValue>(&bytes), Some(kv));
    }

    #[test]
    fn a_lease_row_is_read_as_it_was_written(id in any::<i64>(), ttl_s in int(), remaining_ttl_s in int()) {
        let row = LeaseRow { id, ttl_s, remaining_ttl_s };
        prop_assert_eq!(proto::decode::<LeaseRow>(&proto::encode(&row)), Some(row));
    }

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let spans = proto::spans::<KeyValue>(&bytes);
        prop_assert!(spans.iter().all(|s| s.start < s.end && s.end as usize <= bytes.len()));
        let read = proto::decode::<KeyValue>(&bytes);
        prop_assert!(read.is_none() || spans.last().map_or(0, |s| s.end as usize) == bytes.len());
    }

    #[test]
    fn the_size_of_a_request_is_the_number_of_its_bytes(
        txn in txn_request(),
        range in range_request(),
        id in int(),
        keys in any::<bool>(),
    ) {
        for request in [
            Request::Txn(txn),
            Request::Range(range),
            Request::Compact(CompactionRequest { revision: id, physical: keys }),
            Request::LeaseTimeToLive(LeaseTimeToLiveRequest { id, keys }),
        ] {
            counted_as_written(&request)?;
            let entry = RaftEntry { id: 1 << 62, request: &request, user: ("", 0) };
            counted_as_written(&entry)?;
            prop_assert_eq!(raft_entry_size(&request, ("", 0)), proto::size(&entry));
        }
    }

    #[test]
    fn the_size_of_a_response_is_the_number_of_its_bytes(
        events in prop::collection::vec(watch_event(), 0..4),
        rows in prop::collection::vec(key_value(), 0..4),
        revision in int(),
    ) {
        let header = ResponseHeader { revision, ..ResponseHeader::default() };
        let events_size: u64 = events.iter().map(watch_event_size).sum();
        let head = WatchResponse { header: header.clone(), fragment: true, ..WatchResponse::default() };
        let whole = WatchResponse { events, ..head.clone() };
        counted_as_written(&whole)?;
        prop_assert_eq!(proto::size(&whole), proto::size(&head) + events_size);
        counted_as_written(&RangeResponse { header, kvs: rows.into(), more: true, count: 9 })?;
    }
}
