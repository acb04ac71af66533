//! The fields of a watch: its state, its received responses, and the events that it has not received.

use crate::api::WatchEvent;
use crate::base::Bytes;
use crate::base::ordered::OrdSet;
use crate::mvcc::{Watcher, WatcherId};
use crate::observe::{LoggedDelivery, WatchRecord};
use crate::trace::{ChangeKind, TraceEvent, WatchTrace};
use crate::view::names;

use super::facts::{Facts, LIST_MAX};
use super::progress::ProgressFacts;
use super::record::{Record, one};
use super::value::Value;

/// Returns true if a watch with this name exists at the current step.
pub(super) fn is_known(facts: &Facts<'_>, watch: &str) -> bool {
    let record = facts.past.watch_log.watch(watch);
    record.is_some_and(|record| record.step <= facts.past.step)
}

/// Returns the value of one field of a watch. Does not compute the other fields.
pub(super) fn field(facts: &Facts<'_>, watch: &str, name: &str) -> Value {
    let found = facts.past.watch_log.deliveries(watch, facts.past.step);
    let (Some(record), Some(heard)) = (facts.past.watch_log.watch(watch), found) else {
        return Value::Nothing;
    };
    let holder = facts.past.world.holder(watch);
    let member = holder.and_then(|(_, client)| facts.past.world.member(client.etcd()));
    let kv = member.unwrap_or(facts.past.world.at_endpoint()).watchable();
    let is_it = |(id, watcher): &(WatcherId, &Watcher)| {
        names::name(facts.past.world, *id, watcher) == watch
    };
    let live = || kv.watchers().find(is_it);
    let ended = record.ended.as_ref();
    let ended = ended.filter(|(step, _)| *step <= facts.past.step);
    match name {
        "state" => Value::text(match (ended, live()) {
            (Some(_), _) => "cancelled",
            (None, Some((id, _))) => names::state(facts.past.world, id),
            (None, None) => "on its way",
        }),
        "key" => Value::Text(record.range.start().clone()),
        "range_end" => Value::Text(record.range.end_field().into()),
        "start_rev" => Value::Int(record.start_rev),
        "min_rev" => some(live().map(|(_, watcher)| watcher.min_rev)),
        "events" => {
            let newest = events(&heard).count().saturating_sub(LIST_MAX);
            let events = events(&heard).skip(newest);
            Value::List(events.map(|e| one(Record::Event(e.clone()))).collect())
        }
        "compact_rev" => {
            let cancel = heard.iter().rev().find(|d| d.response.canceled);
            let rev = cancel.map(|d| d.response.compact_revision);
            some(rev.filter(|rev| *rev != 0))
        }
        "reason" => ended.map_or(Value::Nothing, |(_, why)| Value::Text(Bytes::from(&**why))),
        "was_victim" => Value::Bool(
            marks(facts, watch).any(|what| matches!(what, WatchTrace::BecameVictim { .. })),
        ),
        "waiting" => {
            let waiting = live().map_or(0, |(_, watcher)| kv.channel_len(watcher.stream));
            Value::Int(waiting.into())
        }
        "missing" => Value::Int(accounts(facts, watch, record, &heard).0),
        "twice" => Value::Int(accounts(facts, watch, record, &heard).1),
        _ => progress(&ProgressFacts::new(facts, &heard), name),
    }
}

fn progress(progress: &ProgressFacts, name: &str) -> Value {
    match name {
        "known" => Value::Int(progress.known),
        "progress" => Value::Int(progress.notifications),
        "progress_every_ms" => some(progress.every_us.map(|us| (us / 1000) as i64)),
        "waits" => Value::Int(progress.waits_us.len() as i64),
        "wait_mean_ms" => some(progress.wait_mean_ms()),
        "wait_max_ms" => some(progress.wait_max_ms()),
        _ => Value::Nothing,
    }
}

fn events<'a>(heard: &'a [&LoggedDelivery]) -> impl Iterator<Item = &'a WatchEvent> {
    heard.iter().flat_map(|d| &d.response.events)
}

fn some(number: Option<i64>) -> Value {
    number.map_or(Value::Nothing, Value::Int)
}

/// Returns the trace events about the watchers that the member created for this watch.
fn marks<'a>(facts: &'a Facts<'_>, name: &'a str) -> impl Iterator<Item = &'a WatchTrace> {
    let log = facts.past.watcher_log;
    let named = move |id: &u64| {
        let found = facts.past.watch_log.watcher_name(*id);
        found.is_some_and(|found| **found == *name)
    };
    let watchers = log.watchers().map(|(id, _)| id).filter(named);
    let marks = watchers.flat_map(move |id| log.of_watcher(id, facts.past.step));
    let events = marks.filter_map(|mark| log.event(mark));
    events.filter_map(|event| match &event.what {
        TraceEvent::Watch(what) => Some(what),
        _ => None,
    })
}

/// Returns the number of changes that the watch has not received, and the number of repeated events (events that the
/// watch had received before).
fn accounts(
    facts: &Facts<'_>,
    name: &str,
    record: &WatchRecord,
    heard: &[&LoggedDelivery],
) -> (i64, i64) {
    let received: OrdSet<(i64, &Bytes)> = events(heard)
        .map(|e| (e.kv.mod_revision, &e.kv.key))
        .collect();
    let began = marks(facts, name).find_map(|what| match what {
        WatchTrace::Created { next_rev, .. } => Some(*next_rev),
        _ => None,
    });
    let Some(began) = began else {
        return (0, 0);
    };
    let from = match record.start_rev {
        0 => began,
        asked => asked,
    };
    let wanted = facts
        .past
        .history
        .changes_from(from)
        .filter(|(key, change)| {
            let left_out = match change.kind {
                ChangeKind::Create | ChangeKind::Update => record.options.no_put,
                ChangeKind::Delete => record.options.no_delete,
            };
            change.step <= facts.past.step && !left_out && record.range.contains(key)
        });
    let missing = wanted.filter(|(key, change)| !received.contains(&(change.main, *key)));
    (
        missing.count() as i64,
        (events(heard).count() - received.len()) as i64,
    )
}
