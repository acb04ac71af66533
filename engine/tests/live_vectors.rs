//! A recorded session of a real etcd 3.4.23, step by step (`data/live_3.4.23_vectors.json`).
//!
//! Every response must equal the recorded response field for field: the revision, keys, counts and `more`; for an
//! error, its text, its gRPC code and the HTTP status that the gateway returns; for a watch, every response in order.

use crate::support::{flag, int, list, load, text};
use serde_json::{Map, Value, json};
use std::sync::Arc;

use watchglass_engine::api::message::{Body, EtcdMessage};
use watchglass_engine::api::{
    CompactionRequest, Compare, CompareOp, CompareTarget, DeleteRangeRequest, EtcdError, EventKind,
    KeyValue, LeaseGrantRequest, LeaseRevokeRequest, LeaseTimeToLiveRequest, Profile, PutRequest,
    RangeRequest, RangeResponse, Reply, Request, RequestOp, Response, ResponseHeader, ResponseOp,
    SortOrder, SortTarget, TxnRequest, TxnResponse, WatchCreateRequest, WatchEvent, WatchRequest,
    WatchResponse,
};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::ids::{Caller, NodeId, StreamKey};
use watchglass_engine::base::time::SimTime;
use watchglass_engine::etcd::{EtcdServer, MemberTimer};
use watchglass_engine::sim::Outbox;

/// The time at which the replay removes the rows of a compaction: immediately, or after the last step. No response may
/// depend on this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Removal {
    AtOnce,
    AtTheEnd,
}

#[test]
fn the_recorded_session() {
    for removal in [Removal::AtOnce, Removal::AtTheEnd] {
        assert_eq!(replay(removal), 92, "{removal:?}");
    }
}

/// Replays the recorded session and returns the number of steps whose responses were compared.
fn replay(removal: Removal) -> u32 {
    let file = load("live_3.4.23_vectors.json");
    let steps = list(&file, "steps");
    assert_eq!(steps.len(), 92);
    let mut member = Member::new();
    let mut compared = 0;
    for (i, step) in steps.iter().enumerate() {
        let what = format!(
            "step {i}, {removal:?}: {} {}",
            step["call"], step["request"]
        );
        match text(&step["call"]) {
            "watch" => {
                let heard = member.watch(&create_request(&step["request"]["create_request"]));
                let heard: Vec<Value> = heard.iter().map(watch_json).collect();
                assert_eq!(Value::from(heard), step["responses"], "{what}");
            }
            call => {
                let (http, answer) = match member.ask(&request(call, &step["request"])) {
                    Ok(response) => (200, to_json(&response)),
                    Err(e) => refusal(e),
                };
                assert_eq!(answer, step["response"], "{what}");
                assert_eq!(step["http"], http, "{what}");
            }
        }
        compared += 1;
        if removal == Removal::AtOnce {
            member.run_timers();
        }
    }
    let everything = json!({"key": "\0", "range_end": "\0"});
    member.run_timers();
    let left = member
        .ask(&request("kv/range", &everything))
        .expect("readable");
    assert_eq!(
        to_json(&left),
        steps[steps.len() - 1]["response"],
        "{removal:?}, all rows removed"
    );
    compared
}

struct Member {
    etcd: EtcdServer,
    out: Outbox<MemberTimer>,
    asked: u64,
}

impl Member {
    fn new() -> Self {
        Self {
            etcd: EtcdServer::new(Profile::V3_4),
            out: Outbox::new(SimTime(0)),
            asked: 0,
        }
    }

    fn ask(&mut self, request: &Request) -> Reply {
        self.asked += 1;
        self.out.now = self.now();
        let caller = Caller {
            node: NodeId::Etcdctl,
            call: self.asked,
        };
        self.etcd
            .handle(caller, &Arc::new(request.clone()), &mut self.out);
        let (to, reply) = self.out.replies.pop().expect("answered at once");
        assert_eq!(to, caller);
        reply
    }

    /// Opens a stream with one watch, and returns every response until the watch is synced or has ended.
    fn watch(&mut self, create: &WatchCreateRequest) -> Vec<WatchResponse> {
        self.asked += 1;
        let key = StreamKey {
            client: NodeId::Client(1),
            stream: self.asked as u32,
        };
        let mut out = Outbox::new(self.now());
        let request = WatchRequest::Create(create.clone());
        self.etcd.watch_request(key, &request, &mut out);
        let mut heard = Vec::new();
        loop {
            for (_, body) in std::mem::take(&mut out.messages) {
                let Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) = body else {
                    panic!("a watch is answered on its stream")
                };
                heard.push((*response).clone());
            }
            let Some((_, timer)) = out.timers.pop() else {
                break;
            };
            self.etcd.wake(timer, &mut out);
        }
        self.etcd.close_stream(key, &mut out);
        heard
    }

    /// Each step of the replay takes only a millisecond, so that the leases of the recorded session do not expire.
    fn now(&self) -> SimTime {
        SimTime(self.asked * 1000)
    }

    fn run_timers(&mut self) {
        self.out.now = self.now();
        while let Some((_, timer)) = self.out.timers.pop() {
            match timer {
                MemberTimer::CompactionBatch => self.etcd.wake(timer, &mut self.out),
                MemberTimer::LeaseExpiry => {}
                MemberTimer::AutoCompaction => panic!("automatic compaction is off"),
                MemberTimer::JobEnds | MemberTimer::LogSynced => panic!("work costs no time"),
                MemberTimer::QosRelease => panic!("QoS is off"),
                MemberTimer::RaftTick | MemberTimer::Removed => panic!("the member has no cluster"),
                MemberTimer::Commit => panic!("the disk is not full"),
                MemberTimer::LeaseRevoke => panic!("no lease has expired"),
                MemberTimer::WatchSync
                | MemberTimer::WatchUnlock
                | MemberTimer::WatchVictims
                | MemberTimer::WatchProgress(_) => {
                    panic!("nobody watches")
                }
            }
        }
    }
}

fn refusal(e: EtcdError) -> (u16, Value) {
    let http = match e.code().number() {
        3 | 11 => 400,
        5 => 404,
        9 => 412,
        other => panic!("no step was refused with code {other}"),
    };
    (
        http,
        json!({"error": e.to_string(), "code": e.code().number()}),
    )
}

/// The fields of a request. A test must read each field, so that no field is ignored.
struct Fields(Map<String, Value>);

impl Fields {
    fn of(v: &Value) -> Self {
        Self(
            v.as_object()
                .unwrap_or_else(|| panic!("not a request: {v}"))
                .clone(),
        )
    }

    fn int(&mut self, name: &str) -> i64 {
        self.0.remove(name).map_or(0, |v| int(&v))
    }

    fn flag(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some_and(|v| flag(&v))
    }

    /// Returns the value of a bytes field. In the recording, the text of the field has one character per byte.
    fn bytes(&mut self, name: &str) -> Bytes {
        let text = self.word(name);
        let byte = |c: char| u8::try_from(c).expect("one character is one byte");
        Bytes::from(text.chars().map(byte).collect::<Vec<u8>>())
    }

    fn word(&mut self, name: &str) -> String {
        self.0
            .remove(name)
            .map_or(String::new(), |v| text(&v).into())
    }

    fn list(&mut self, name: &str) -> Vec<Value> {
        match self.0.remove(name) {
            None => Vec::new(),
            Some(Value::Array(values)) => values,
            Some(other) => panic!("`{name}` is not a list: {other}"),
        }
    }

    fn all_taken(self) {
        assert!(
            self.0.is_empty(),
            "fields this test does not know: {:?}",
            self.0
        );
    }
}

fn request(call: &str, v: &Value) -> Request {
    match call {
        "kv/range" => Request::Range(range_request(v)),
        "kv/put" => Request::Put(put_request(v)),
        "kv/deleterange" => Request::DeleteRange(delete_request(v)),
        "kv/txn" => Request::Txn(txn_request(v)),
        "kv/compaction" => {
            let mut f = Fields::of(v);
            let revision = f.int("revision");
            f.all_taken();
            Request::Compact(CompactionRequest {
                revision,
                physical: false,
            })
        }
        "lease/grant" => {
            let mut f = Fields::of(v);
            let (ttl, id) = (f.int("TTL"), f.int("ID"));
            f.all_taken();
            Request::LeaseGrant(LeaseGrantRequest { ttl, id })
        }
        "lease/revoke" => {
            let mut f = Fields::of(v);
            let id = f.int("ID");
            f.all_taken();
            Request::LeaseRevoke(LeaseRevokeRequest { id })
        }
        "lease/timetolive" => {
            let mut f = Fields::of(v);
            let (id, keys) = (f.int("ID"), f.flag("keys"));
            f.all_taken();
            Request::LeaseTimeToLive(LeaseTimeToLiveRequest { id, keys })
        }
        other => panic!("unknown call {other}"),
    }
}

fn range_request(v: &Value) -> RangeRequest {
    let mut f = Fields::of(v);
    let r = RangeRequest {
        key: f.bytes("key"),
        range_end: f.bytes("range_end"),
        limit: f.int("limit"),
        revision: f.int("revision"),
        sort_order: match f.word("sort_order").as_str() {
            "" | "NONE" => SortOrder::None,
            "ASCEND" => SortOrder::Ascend,
            "DESCEND" => SortOrder::Descend,
            other => panic!("unknown order {other}"),
        },
        sort_target: match f.word("sort_target").as_str() {
            "" | "KEY" => SortTarget::Key,
            "VERSION" => SortTarget::Version,
            "CREATE" => SortTarget::Create,
            "MOD" => SortTarget::Mod,
            "VALUE" => SortTarget::Value,
            other => panic!("unknown target {other}"),
        },
        serializable: f.flag("serializable"),
        keys_only: f.flag("keys_only"),
        count_only: f.flag("count_only"),
        min_mod_revision: f.int("min_mod_revision"),
        max_mod_revision: f.int("max_mod_revision"),
        min_create_revision: f.int("min_create_revision"),
        max_create_revision: f.int("max_create_revision"),
    };
    f.all_taken();
    r
}

fn put_request(v: &Value) -> PutRequest {
    let mut f = Fields::of(v);
    let r = PutRequest {
        key: f.bytes("key"),
        value: f.bytes("value"),
        lease: f.int("lease"),
        prev_kv: f.flag("prev_kv"),
        ignore_value: f.flag("ignore_value"),
        ignore_lease: f.flag("ignore_lease"),
    };
    f.all_taken();
    r
}

fn delete_request(v: &Value) -> DeleteRangeRequest {
    let mut f = Fields::of(v);
    let r = DeleteRangeRequest {
        key: f.bytes("key"),
        range_end: f.bytes("range_end"),
        prev_kv: f.flag("prev_kv"),
    };
    f.all_taken();
    r
}

fn txn_request(v: &Value) -> TxnRequest {
    let mut f = Fields::of(v);
    let r = TxnRequest {
        compare: f.list("compare").iter().map(compare).collect(),
        success: f.list("success").iter().map(request_op).collect(),
        failure: f.list("failure").iter().map(request_op).collect(),
    };
    f.all_taken();
    r
}

fn create_request(v: &Value) -> WatchCreateRequest {
    let mut f = Fields::of(v);
    let filters = f.list("filters");
    let r = WatchCreateRequest {
        key: f.bytes("key"),
        range_end: f.bytes("range_end"),
        start_revision: f.int("start_revision"),
        prev_kv: f.flag("prev_kv"),
        no_put: filters.contains(&json!("NOPUT")),
        no_delete: filters.contains(&json!("NODELETE")),
        ..WatchCreateRequest::default()
    };
    f.all_taken();
    r
}

fn watch_json(r: &WatchResponse) -> Value {
    let event = |e: &WatchEvent| {
        let kind = match e.kind {
            EventKind::Put => Value::Null,
            EventKind::Delete => "DELETE".into(),
        };
        object(vec![
            ("type", kind),
            ("kv", kv_json(&e.kv)),
            ("prev_kv", e.prev_kv.as_ref().map_or(Value::Null, kv_json)),
        ])
    };
    object(vec![
        ("header", header_json(&r.header)),
        ("watch_id", r.watch_id.into()),
        ("created", r.created.into()),
        ("canceled", r.canceled.into()),
        ("compact_revision", r.compact_revision.into()),
        ("cancel_reason", r.cancel_reason.as_str().into()),
        ("events", r.events.iter().map(event).collect()),
    ])
}

fn request_op(v: &Value) -> RequestOp {
    let mut f = Fields::of(v);
    let op = match f.0.keys().next().cloned().as_deref() {
        None => return RequestOp::Empty,
        Some("request_range") => RequestOp::Range(range_request(&v["request_range"])),
        Some("request_put") => RequestOp::Put(put_request(&v["request_put"])),
        Some("request_delete_range") => {
            RequestOp::DeleteRange(delete_request(&v["request_delete_range"]))
        }
        Some("request_txn") => RequestOp::Txn(txn_request(&v["request_txn"])),
        Some(other) => panic!("unknown operation {other}"),
    };
    let first = f.0.keys().next().cloned().expect("it has one");
    f.0.remove(&first);
    f.all_taken();
    op
}

fn compare(v: &Value) -> Compare {
    let mut f = Fields::of(v);
    let c = Compare {
        key: f.bytes("key"),
        range_end: f.bytes("range_end"),
        result: match f.word("result").as_str() {
            "" | "EQUAL" => CompareOp::Equal,
            "GREATER" => CompareOp::Greater,
            "LESS" => CompareOp::Less,
            "NOT_EQUAL" => CompareOp::NotEqual,
            other => panic!("unknown result {other}"),
        },
        target: match f.word("target").as_str() {
            "" | "VERSION" => CompareTarget::Version(f.int("version")),
            "CREATE" => CompareTarget::Create(f.int("create_revision")),
            "MOD" => CompareTarget::Mod(f.int("mod_revision")),
            "VALUE" => CompareTarget::Value(f.bytes("value")),
            "LEASE" => CompareTarget::Lease(f.int("lease")),
            other => panic!("unknown target {other}"),
        },
    };
    f.all_taken();
    c
}

/// Builds an object without the fields that are zero, false or empty, as in proto3's JSON.
fn object(fields: Vec<(&str, Value)>) -> Value {
    let given = |v: &Value| match v {
        Value::Null | Value::Bool(false) => false,
        Value::Number(n) => n.as_i64() != Some(0),
        Value::String(s) => !s.is_empty(),
        Value::Array(a) => !a.is_empty(),
        Value::Bool(true) | Value::Object(_) => true,
    };
    let kept = fields.into_iter().filter(|(_, v)| given(v));
    Value::Object(kept.map(|(name, v)| (name.to_owned(), v)).collect())
}

fn latin1(bytes: &Bytes) -> Value {
    bytes
        .iter()
        .copied()
        .map(char::from)
        .collect::<String>()
        .into()
}

fn to_json(response: &Response) -> Value {
    match response {
        Response::Range(r) => range_json(r),
        Response::Put(r) => object(vec![
            ("header", header_json(&r.header)),
            ("prev_kv", r.prev_kv.as_ref().map_or(Value::Null, kv_json)),
        ]),
        Response::DeleteRange(r) => object(vec![
            ("header", header_json(&r.header)),
            ("deleted", r.deleted.into()),
            ("prev_kvs", r.prev_kvs.iter().map(kv_json).collect()),
        ]),
        Response::Txn(r) => txn_json(r),
        Response::Compact(r) => object(vec![("header", header_json(&r.header))]),
        Response::LeaseGrant(r) => object(vec![
            ("header", header_json(&r.header)),
            ("ID", r.id.into()),
            ("TTL", r.ttl.into()),
        ]),
        Response::LeaseRevoke(r) => object(vec![("header", header_json(&r.header))]),
        Response::LeaseTimeToLive(r) => object(vec![
            ("header", header_json(&r.header)),
            ("ID", r.id.into()),
            ("TTL", r.ttl.into()),
            ("grantedTTL", r.granted_ttl.into()),
            ("keys", r.keys.iter().map(latin1).collect()),
        ]),
        other => panic!("no step asks for {other:?}"),
    }
}

fn header_json(h: &ResponseHeader) -> Value {
    object(vec![("revision", h.revision.into())])
}

fn kv_json(kv: &KeyValue) -> Value {
    object(vec![
        ("key", latin1(&kv.key)),
        ("create_revision", kv.create_revision.into()),
        ("mod_revision", kv.mod_revision.into()),
        ("version", kv.version.into()),
        ("value", latin1(&kv.value)),
        ("lease", kv.lease.into()),
    ])
}

fn range_json(r: &RangeResponse) -> Value {
    object(vec![
        ("header", header_json(&r.header)),
        ("kvs", r.kvs.iter().map(kv_json).collect()),
        ("more", r.more.into()),
        ("count", r.count.into()),
    ])
}

fn txn_json(r: &TxnResponse) -> Value {
    let op = |op: &ResponseOp| match op {
        ResponseOp::Range(r) => json!({"response_range": range_json(r)}),
        ResponseOp::Put(r) => json!({"response_put": to_json(&Response::Put(r.clone()))}),
        ResponseOp::DeleteRange(r) => {
            json!({"response_delete_range": to_json(&Response::DeleteRange(r.clone()))})
        }
        ResponseOp::Txn(r) => json!({"response_txn": txn_json(r)}),
    };
    object(vec![
        ("header", header_json(&r.header)),
        ("succeeded", r.succeeded.into()),
        ("responses", r.responses.iter().map(op).collect()),
    ])
}
