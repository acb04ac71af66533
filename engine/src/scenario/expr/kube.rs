//! The facts about Kubernetes: the caches of API servers, and the last request of `kubectl`.

use std::sync::Arc;

use crate::kube::Resource;
use crate::view::cache::build::{cache_row, last_typed};
use crate::view::cache::{CacheRow, PathKind, RequestRow};
use crate::view::show;

use super::facts::Facts;
use super::record::{Record, one};
use super::value::Value;

/// Returns the cache with a name such as `api-1/pods`, or nothing if there is no such cache.
pub(super) fn cache(facts: &Facts<'_>, name: &str) -> Value {
    let past = facts.past;
    let row = name.split_once('/').and_then(|(server, resource)| {
        let resource = Resource::find(resource)?;
        let mut servers = past.world.apiservers();
        let (node, server) = servers.find(|(_, one)| **one.name() == *server)?;
        let row = cache_row(past, node, server, resource, past.world.now().0);
        row.cached.then_some(row)
    });
    row.map_or(Value::Nothing, |row| one(Record::Cache(Arc::new(row))))
}

pub(super) fn cache_field(cache: &CacheRow, name: &str) -> Value {
    match name {
        "rv" => Value::Int(cache.revision),
        "behind" => Value::Int(cache.behind as i64),
        "missing" => Value::Int(cache.missing as i64),
        "oldest" => cache.window.oldest.map_or(Value::Nothing, Value::Int),
        "window" => Value::Int(cache.window.used as i64),
        "objects" => Value::Int(cache.objects as i64),
        "watches" => Value::Int(cache.client_watches as i64),
        "etcd_watches" => Value::Int(cache.etcd_watches.into()),
        "decodes" => Value::Int(cache.decodes as i64),
        _ => Value::Nothing,
    }
}

/// Returns the messages that a client has received, one text for each line that `recv` prints: `ADDED default/web-1@2`.
pub(super) fn heard(facts: &Facts<'_>, client: &str) -> Value {
    let heard = facts.past.kube_log.heard(client, facts.past.step);
    let printed = show::kube::heard(heard.unwrap_or_default(), false);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    Value::List(
        printed
            .lines()
            .map(|line| Value::text(words(line)))
            .collect(),
    )
}

/// Returns the last request of `kubectl`.
pub(super) fn request(facts: &Facts<'_>) -> Value {
    let request = last_typed(facts.past);
    request.map_or(Value::Nothing, |row| one(Record::Request(Arc::new(row))))
}

pub(super) fn request_field(request: &RequestRow, name: &str) -> Value {
    match name {
        "verb" => Value::text(&*request.verb),
        "server" => Value::text(&*request.server),
        "source" => Value::text(match request.path {
            PathKind::Open => "none yet",
            PathKind::Cache => "cache",
            PathKind::Snapshot => "snapshot",
            PathKind::Etcd => "etcd",
            PathKind::Refused => "refused",
        }),
        "asked" => Value::text(&*request.asked),
        "rv" => request.revision.map_or(Value::Nothing, Value::Int),
        "objects" => Value::Int(request.items as i64),
        "examined" => Value::Int(request.fetched as i64),
        "wait_ms" => Value::Int((request.split.wait_us / 1000) as i64),
        "code" => Value::Int(request.code.into()),
        "ended_with" => Value::Int(request.ended_with.into()),
        _ => Value::Nothing,
    }
}
