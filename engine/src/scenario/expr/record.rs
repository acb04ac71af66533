//! Records of the expression language: values with named fields, and the value of each field.

use std::sync::Arc;

use crate::api::{
    AlarmAction, EventKind, KeyValue, MemberChangeRequest, Reply, Request, Response,
    ResponseHeader, WatchEvent,
};
use crate::backend::Bucket;
use crate::client::load_calls::CallCounts;
use crate::mvcc::{BucketKey, Generation, KeyIndex};
use crate::qos::QosName;
use crate::view::cache::{CacheRow, RequestRow};
use crate::words::expr as words;
use crate::world::World;

use super::facts::{Exchange, Facts};
use super::kube;
use super::load;
use super::qos;
use super::value::Value;
use super::watch;

#[derive(Clone, Debug)]
pub enum Record {
    /// The store: its revisions, the numbers of its keys and rows, and the simulated time.
    Store,
    Row(BucketKey, KeyValue),
    /// A key's entry in the index.
    KeyIndex(KeyIndex),
    Generation(Generation),
    KeyValue(KeyValue),
    /// The last request with its response.
    Last(Arc<Exchange>),
    Watch(String),
    Event(WatchEvent),
    /// A sync pass.
    SyncPass(SyncPassFacts),
    Cache(Arc<CacheRow>),
    /// The last request of `kubectl`.
    Request(Arc<RequestRow>),
    /// A rule of etcd QoS.
    QosRule(QosName),
    /// A class of etcd QoS.
    QosClass(QosName),
    Load(CallCounts),
}

/// The result of one sync pass.
#[derive(Clone, Copy, Debug)]
pub struct SyncPassFacts {
    pub(super) picked: u64,
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) rows: u64,
    pub(super) synced: u64,
    pub(super) victims: u64,
    pub(super) remaining: u64,
}

impl Record {
    /// Returns the name of the record. A record has no plain value, so a text shows this name instead.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Store => words::STORE,
            Self::Row(..) => words::ROW,
            Self::KeyIndex(_) => words::INDEX_ENTRY,
            Self::Generation(_) => words::GENERATION,
            Self::KeyValue(_) => words::KEY,
            Self::Last(_) => words::REQUEST,
            Self::Watch(_) => words::WATCH,
            Self::Event(_) => words::EVENT,
            Self::SyncPass(_) => words::SYNC_PASS,
            Self::Cache(_) => words::CACHE,
            Self::Request(_) => words::REQUEST,
            Self::QosRule(_) => words::QOS_RULE,
            Self::QosClass(_) => words::QOS_CLASS,
            Self::Load(_) => words::LOAD,
        }
    }

    /// Returns the value of a field; [`RecordKind::fields`](super::RecordKind::fields) lists the names.
    pub(super) fn field(&self, name: &str, facts: &Facts<'_>) -> Value {
        match self {
            Self::Store => store_field(facts.past.world, name),
            Self::Row(row, kv) => match name {
                "main" => Value::Int(row.revision.main),
                "sub" => Value::Int(row.revision.sub),
                "tombstone" => Value::Bool(row.tombstone),
                "created" => Value::Int(kv.create_revision),
                "mod" => Value::Int(kv.mod_revision),
                "ver" => Value::Int(kv.version),
                "lease" => Value::Int(kv.lease),
                other => kv_field(kv, other),
            },
            Self::KeyIndex(index) => match name {
                "modified" => Value::Revision(index.modified),
                "gens" => list(&index.generations, |g| Self::Generation(g.clone())),
                _ => Value::Nothing,
            },
            Self::Generation(g) => match name {
                "ver" => Value::Int(g.ver),
                "created" => Value::Revision(g.created),
                "revs" => Value::List(g.revs.iter().copied().map(Value::Revision).collect()),
                _ => Value::Nothing,
            },
            Self::KeyValue(kv) => kv_field(kv, name),
            Self::Last(exchange) => last_field(&exchange.request, &exchange.reply, name),
            Self::Watch(watch) => watch::field(facts, watch, name),
            Self::Event(event) => match name {
                "kind" => Value::text(match event.kind {
                    EventKind::Put => "PUT",
                    EventKind::Delete => "DELETE",
                }),
                "created" => Value::Bool(event.is_create()),
                "kv" => one(Self::KeyValue(event.kv.clone())),
                "prev_kv" => match &event.prev_kv {
                    Some(kv) => one(Self::KeyValue(kv.clone())),
                    None => Value::Nothing,
                },
                _ => Value::Nothing,
            },
            Self::SyncPass(sync_pass) => match name {
                "picked" => Value::Int(sync_pass.picked as i64),
                "from" => Value::Int(sync_pass.from),
                "to" => Value::Int(sync_pass.to),
                "rows" => Value::Int(sync_pass.rows as i64),
                "synced" => Value::Int(sync_pass.synced as i64),
                "victims" => Value::Int(sync_pass.victims as i64),
                "remaining" => Value::Int(sync_pass.remaining as i64),
                _ => Value::Nothing,
            },
            Self::Cache(cache) => kube::cache_field(cache, name),
            Self::Request(request) => kube::request_field(request, name),
            Self::QosRule(rule) => qos::rule_field(facts, *rule, name),
            Self::QosClass(class) => qos::class_field(facts, *class, name),
            Self::Load(counts) => load::load_field(counts, name),
        }
    }
}

pub(super) fn one(record: Record) -> Value {
    Value::Record(record.into())
}

pub(super) fn list<T>(all: &[T], record: impl Fn(&T) -> Record) -> Value {
    Value::List(all.iter().map(|item| one(record(item))).collect())
}

fn store_field(world: &World, name: &str) -> Value {
    let member = world.at_endpoint();
    let store = member.store();
    let percent = |bytes: u64| match member.quota_bytes() {
        0 => Value::Nothing,
        quota => Value::Int((bytes.saturating_mul(100) / quota) as i64),
    };
    match name {
        "rev" => Value::Int(store.current_rev()),
        "compact_rev" => match store.compact_rev() {
            rev @ 0.. => Value::Int(rev),
            _ => Value::Nothing,
        },
        "keys" => Value::Int(store.live_keys()),
        "rows" => Value::Int(store.backend().row_count(Bucket::Key) as i64),
        "leases" => Value::Int(member.lessor().len() as i64),
        "time_ms" => Value::Int((world.now().0 / 1000) as i64),
        "file_percent" => percent(store.backend().db().bytes()),
        "used_percent" => percent(store.backend().db().bytes_in_use()),
        "is_full" => Value::Bool(member.has_no_space()),
        _ => Value::Nothing,
    }
}

fn kv_field(kv: &KeyValue, name: &str) -> Value {
    match name {
        "key" => Value::Text(kv.key.clone()),
        "value" => Value::Text(kv.value.clone()),
        "create_revision" => Value::Int(kv.create_revision),
        "mod_revision" => Value::Int(kv.mod_revision),
        "version" => Value::Int(kv.version),
        "lease" => Value::Int(kv.lease),
        _ => Value::Nothing,
    }
}

fn last_field(request: &Request, reply: &Reply, name: &str) -> Value {
    match (name, reply) {
        ("op", _) => Value::text(op(request)),
        ("outcome", Ok(_)) => Value::text("ok"),
        ("outcome", Err(_)) => Value::text("refused"),
        ("error", Err(error)) => Value::text(error.to_string()),
        ("key" | "range_end" | "rev", _) => asked(request, name),
        (_, Ok(response)) => answered(response, name),
        (_, Err(_)) => Value::Nothing,
    }
}

/// Returns the name of the etcdctl command that sends requests of the same kind as `request`.
fn op(request: &Request) -> &'static str {
    match request {
        Request::Range(_) | Request::RangeStream(_) => "get",
        Request::Put(_) => "put",
        Request::DeleteRange(_) => "del",
        Request::Txn(_) => "txn",
        Request::Compact(_) => "compact",
        Request::HashKv(_) => "endpoint hashkv",
        Request::Status(_) => "endpoint status",
        Request::LeaseGrant(_) => "lease grant",
        Request::LeaseRevoke(_) => "lease revoke",
        Request::LeaseKeepAlive(_) => "lease keep-alive",
        Request::LeaseTimeToLive(_) => "lease timetolive",
        Request::LeaseLeases(_) => "lease list",
        Request::Alarm(r) if r.action == AlarmAction::Deactivate => "alarm disarm",
        Request::Alarm(_) => "alarm list",
        Request::Defragment(_) => "defrag",
        Request::MoveLeader(_) => "move-leader",
        Request::MemberList(_) => "member list",
        Request::MemberChange(MemberChangeRequest::Add { .. }) => "member add",
        Request::MemberChange(MemberChangeRequest::Remove { .. }) => "member remove",
        Request::MemberChange(MemberChangeRequest::Update { .. }) => "member update",
        Request::MemberChange(MemberChangeRequest::Promote { .. }) => "member promote",
        Request::Authenticate(_) => "authenticate",
        Request::Qos(_) => "qos",
        Request::Auth(_) => "auth",
        Request::As(r) => op(&r.request),
    }
}

fn asked(request: &Request, name: &str) -> Value {
    match (request, name) {
        (Request::As(request), name) => asked(&request.request, name),
        (Request::Range(range) | Request::RangeStream(range), _) => match name {
            "key" => Value::Text(range.key.clone()),
            "range_end" => Value::Text(range.range_end.clone()),
            _ => Value::Int(range.revision),
        },
        (Request::Put(put), "key") => Value::Text(put.key.clone()),
        (Request::DeleteRange(delete), "key") => Value::Text(delete.key.clone()),
        (Request::DeleteRange(delete), "range_end") => Value::Text(delete.range_end.clone()),
        (Request::Compact(compact), "rev") => Value::Int(compact.revision),
        _ => Value::Nothing,
    }
}

fn answered(response: &Response, name: &str) -> Value {
    match (response, name) {
        (_, "header_rev") => Value::Int(header(response).revision),
        (Response::Range(range), "count") => Value::Int(range.count),
        (Response::Range(range), "kvs") => list(&range.kvs.head(usize::MAX), |kv| {
            Record::KeyValue(kv.clone())
        }),
        (Response::Range(range), "backward_jumps") => {
            let rows = range.kvs.head(usize::MAX);
            let is_back = |pair: &[KeyValue]| pair[1].mod_revision < pair[0].mod_revision;
            Value::Int(rows.windows(2).filter(|pair| is_back(pair)).count() as i64)
        }
        (Response::DeleteRange(delete), "deleted") => Value::Int(delete.deleted),
        _ => Value::Nothing,
    }
}

fn header(response: &Response) -> &ResponseHeader {
    match response {
        Response::Range(r) | Response::RangeStream(r) => &r.header,
        Response::Put(r) => &r.header,
        Response::DeleteRange(r) => &r.header,
        Response::Txn(r) => &r.header,
        Response::Compact(r) => &r.header,
        Response::HashKv(r) => &r.header,
        Response::Status(r) => &r.header,
        Response::LeaseGrant(r) => &r.header,
        Response::LeaseRevoke(r) => &r.header,
        Response::LeaseKeepAlive(r) => &r.header,
        Response::LeaseTimeToLive(r) => &r.header,
        Response::LeaseLeases(r) => &r.header,
        Response::Alarm(r) => &r.header,
        Response::Defragment(r) => &r.header,
        Response::MoveLeader(r) => &r.header,
        Response::MemberList(r) => &r.header,
        Response::MemberChange(r) => &r.header,
        Response::Authenticate(r) => &r.header,
        Response::Qos(r) => &r.header,
        Response::Auth(r) => &r.header,
    }
}
