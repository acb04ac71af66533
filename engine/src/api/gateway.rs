//! etcd's JSON gateway: the JSON of requests, and responses that are read from JSON.
//!
//! Mirrors `api/etcdserverpb/gw/rpc.pb.gw.go` and protobuf's mapping to JSON: bytes are base64, 64-bit numbers are
//! strings, and an absent field has its default value. Left out: streams, and the services other than KV and Lease.

use crate::base::json::{Json, Raw};
use crate::base::{Bytes, base64};

use super::{
    CompactionResponse, Compare, CompareOp, CompareTarget, DeleteRangeRequest, DeleteRangeResponse,
    KeyValue, LeaseGrantResponse, LeaseLeasesResponse, LeaseRevokeResponse,
    LeaseTimeToLiveResponse, PutRequest, PutResponse, RangeRequest, RangeResponse, Request,
    RequestOp, Response, ResponseHeader, ResponseOp, SortOrder, SortTarget, TxnRequest,
    TxnResponse,
};

/// A request as the gateway accepts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The path below `/v3/`.
    pub path: &'static str,
    /// A JSON object.
    pub body: String,
}

/// Returns the call for a request; `None` if the gateway has no counterpart with a single response.
///
/// ```
/// use watchglass_engine::api::gateway::{call, response};
/// use watchglass_engine::api::{PutRequest, Request, Response};
/// let put = Request::Put(PutRequest { key: "a".into(), value: "1".into(), ..Default::default() });
/// let call = call(&put).unwrap();
/// assert_eq!((call.path, &*call.body), ("kv/put", r#"{"key":"YQ==","value":"MQ=="}"#));
/// let Some(Response::Put(put)) = response(&put, r#"{"header":{"revision":"2"}}"#) else { panic!() };
/// assert_eq!(put.header.revision, 2);
/// ```
pub fn call(request: &Request) -> Option<Call> {
    let mut body = String::new();
    let path = match request {
        Request::Range(r) => {
            range(&mut body, r);
            "kv/range"
        }
        Request::Put(r) => {
            put(&mut body, r);
            "kv/put"
        }
        Request::DeleteRange(r) => {
            delete(&mut body, r);
            "kv/deleterange"
        }
        Request::Txn(r) => {
            txn(&mut body, r);
            "kv/txn"
        }
        Request::Compact(r) => {
            let mut json = Json::object(&mut body);
            number(&mut json, "revision", r.revision);
            json.flag("physical", r.physical);
            "kv/compaction"
        }
        Request::LeaseGrant(r) => {
            let mut json = Json::object(&mut body);
            number(&mut json, "TTL", r.ttl);
            number(&mut json, "ID", r.id);
            "lease/grant"
        }
        Request::LeaseRevoke(r) => {
            number(&mut Json::object(&mut body), "ID", r.id);
            "lease/revoke"
        }
        Request::LeaseTimeToLive(r) => {
            let mut json = Json::object(&mut body);
            number(&mut json, "ID", r.id);
            json.flag("keys", r.keys);
            "lease/timetolive"
        }
        Request::LeaseLeases(_) => {
            drop(Json::object(&mut body));
            "lease/leases"
        }
        _ => return None,
    };
    Some(Call { path, body })
}

/// Appends a 64-bit number as a string, because a number in JavaScript has only 53 bits.
fn number(json: &mut Json<'_>, name: &str, value: i64) {
    if value != 0 {
        json.string(name, &value.to_string());
    }
}

fn range(out: &mut String, r: &RangeRequest) {
    let mut json = Json::object(out);
    json.bytes("key", &r.key);
    json.bytes("range_end", &r.range_end);
    number(&mut json, "limit", r.limit);
    number(&mut json, "revision", r.revision);
    match r.sort_order {
        SortOrder::None => {}
        SortOrder::Ascend => json.string("sort_order", "ASCEND"),
        SortOrder::Descend => json.string("sort_order", "DESCEND"),
    }
    match r.sort_target {
        SortTarget::Key => {}
        SortTarget::Version => json.string("sort_target", "VERSION"),
        SortTarget::Create => json.string("sort_target", "CREATE"),
        SortTarget::Mod => json.string("sort_target", "MOD"),
        SortTarget::Value => json.string("sort_target", "VALUE"),
    }
    json.flag("serializable", r.serializable);
    json.flag("keys_only", r.keys_only);
    json.flag("count_only", r.count_only);
    number(&mut json, "min_mod_revision", r.min_mod_revision);
    number(&mut json, "max_mod_revision", r.max_mod_revision);
    number(&mut json, "min_create_revision", r.min_create_revision);
    number(&mut json, "max_create_revision", r.max_create_revision);
}

fn put(out: &mut String, r: &PutRequest) {
    let mut json = Json::object(out);
    json.bytes("key", &r.key);
    json.bytes("value", &r.value);
    number(&mut json, "lease", r.lease);
    json.flag("prev_kv", r.prev_kv);
    json.flag("ignore_value", r.ignore_value);
    json.flag("ignore_lease", r.ignore_lease);
}

fn delete(out: &mut String, r: &DeleteRangeRequest) {
    let mut json = Json::object(out);
    json.bytes("key", &r.key);
    json.bytes("range_end", &r.range_end);
    json.flag("prev_kv", r.prev_kv);
}

fn txn(out: &mut String, r: &TxnRequest) {
    let mut json = Json::object(out);
    if !r.compare.is_empty() {
        let mut list = Json::array(json.key("compare"));
        r.compare.iter().for_each(|c| compare(list.item(), c));
    }
    for (name, ops) in [("success", &r.success), ("failure", &r.failure)] {
        if !ops.is_empty() {
            let mut list = Json::array(json.key(name));
            ops.iter().for_each(|op| operation(list.item(), op));
        }
    }
}

fn compare(out: &mut String, c: &Compare) {
    let mut json = Json::object(out);
    match c.result {
        CompareOp::Equal => {}
        CompareOp::Greater => json.string("result", "GREATER"),
        CompareOp::Less => json.string("result", "LESS"),
        CompareOp::NotEqual => json.string("result", "NOT_EQUAL"),
    }
    json.bytes("key", &c.key);
    json.bytes("range_end", &c.range_end);
    let (target, name, text) = match &c.target {
        CompareTarget::Version(number) => ("VERSION", "version", number.to_string()),
        CompareTarget::Create(number) => ("CREATE", "create_revision", number.to_string()),
        CompareTarget::Mod(number) => ("MOD", "mod_revision", number.to_string()),
        CompareTarget::Lease(number) => ("LEASE", "lease", number.to_string()),
        CompareTarget::Value(value) => {
            let mut text = String::new();
            base64::push_padded(&mut text, value);
            ("VALUE", "value", text)
        }
    };
    json.string("target", target);
    json.string(name, &text);
}

fn operation(out: &mut String, op: &RequestOp) {
    let mut json = Json::object(out);
    match op {
        RequestOp::Range(r) => range(json.key("request_range"), r),
        RequestOp::Put(r) => put(json.key("request_put"), r),
        RequestOp::DeleteRange(r) => delete(json.key("request_delete_range"), r),
        RequestOp::Txn(r) => txn(json.key("request_txn"), r),
        RequestOp::Empty => {}
    }
}

/// Reads the successful response to a request from the gateway's JSON; `None` if the text is no object, or if
/// [`call`] returns `None` for the request.
pub fn response(request: &Request, text: &str) -> Option<Response> {
    let json = Message(Raw::new(text));
    if !text.trim_ascii().starts_with('{') {
        return None;
    }
    let header = json.header();
    Some(match request {
        Request::Range(_) => Response::Range(json.range()),
        Request::Put(_) => Response::Put(json.put()),
        Request::DeleteRange(_) => Response::DeleteRange(json.deleted()),
        Request::Txn(_) => Response::Txn(json.txn()),
        Request::Compact(_) => Response::Compact(CompactionResponse { header }),
        Request::LeaseGrant(_) => Response::LeaseGrant(LeaseGrantResponse {
            header,
            id: json.number("ID"),
            ttl: json.number("TTL"),
        }),
        Request::LeaseRevoke(_) => Response::LeaseRevoke(LeaseRevokeResponse { header }),
        Request::LeaseTimeToLive(_) => Response::LeaseTimeToLive(LeaseTimeToLiveResponse {
            header,
            id: json.number("ID"),
            ttl: json.number("TTL"),
            granted_ttl: json.number("grantedTTL"),
            keys: json.list("keys").map(Message::as_bytes).collect(),
        }),
        Request::LeaseLeases(_) => Response::LeaseLeases(LeaseLeasesResponse {
            header,
            leases: json
                .list("leases")
                .map(|lease| lease.number("ID"))
                .collect(),
        }),
        _ => return None,
    })
}

/// A protobuf message as JSON.
#[derive(Clone, Copy)]
struct Message<'a>(Raw<'a>);

impl<'a> Message<'a> {
    fn member(self, name: &str) -> Option<Self> {
        self.0.member(name).map(Self)
    }

    fn list(self, name: &str) -> impl Iterator<Item = Self> + use<'a> {
        let list = self.0.member(name).into_iter();
        list.flat_map(Raw::items).map(Self)
    }

    /// Returns a number, which is written with quotes or without.
    fn number<N: std::str::FromStr + Default>(self, name: &str) -> N {
        let value = self.0.member(name).map(Raw::as_str).unwrap_or_default();
        value.trim_matches('"').parse().unwrap_or_default()
    }

    fn flag(self, name: &str) -> bool {
        self.0
            .member(name)
            .is_some_and(|value| value.as_str() == "true")
    }

    fn bytes(self, name: &str) -> Bytes {
        self.member(name).map(Self::as_bytes).unwrap_or_default()
    }

    fn as_bytes(self) -> Bytes {
        let bytes = self.0.text().and_then(|text| base64::decode_padded(&text));
        Bytes::from(bytes.unwrap_or_default())
    }

    fn header(self) -> ResponseHeader {
        self.member("header")
            .map_or_else(ResponseHeader::default, |header| ResponseHeader {
                cluster_id: header.number("cluster_id"),
                member_id: header.number("member_id"),
                revision: header.number("revision"),
                raft_term: header.number("raft_term"),
            })
    }

    fn key_value(self) -> KeyValue {
        KeyValue {
            key: self.bytes("key"),
            create_revision: self.number("create_revision"),
            mod_revision: self.number("mod_revision"),
            version: self.number("version"),
            value: self.bytes("value"),
            lease: self.number("lease"),
        }
    }

    fn range(self) -> RangeResponse {
        let kvs: Vec<KeyValue> = self.list("kvs").map(Self::key_value).collect();
        RangeResponse {
            header: self.header(),
            kvs: kvs.into(),
            more: self.flag("more"),
            count: self.number("count"),
        }
    }

    fn put(self) -> PutResponse {
        PutResponse {
            header: self.header(),
            prev_kv: self.member("prev_kv").map(Self::key_value),
        }
    }

    fn deleted(self) -> DeleteRangeResponse {
        DeleteRangeResponse {
            header: self.header(),
            deleted: self.number("deleted"),
            prev_kvs: self.list("prev_kvs").map(Self::key_value).collect(),
        }
    }

    fn txn(self) -> TxnResponse {
        TxnResponse {
            header: self.header(),
            succeeded: self.flag("succeeded"),
            responses: self.list("responses").filter_map(Self::operation).collect(),
        }
    }

    fn operation(self) -> Option<ResponseOp> {
        let (name, inner) = self.0.members().next()?;
        let inner = Self(inner);
        Some(match &*name {
            "response_range" => ResponseOp::Range(inner.range()),
            "response_put" => ResponseOp::Put(inner.put()),
            "response_delete_range" => ResponseOp::DeleteRange(inner.deleted()),
            "response_txn" => ResponseOp::Txn(inner.txn()),
            _ => return None,
        })
    }
}
