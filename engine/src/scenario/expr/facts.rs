//! The facts from which expressions get their values: the world at the cursor, the logs up to the cursor, the last
//! response, and the learner's predictions.

use std::sync::Arc;

use crate::api::{KeyValue, Reply, Request};
use crate::backend::Bucket;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::proto;
use crate::bbolt::Span;
use crate::mvcc::BucketKey;
use crate::observe::Past;
use crate::trace::{TraceEvent, WatchTrace};
use crate::world::setting::{Setting, Unit};

use super::record::{Record, SyncPassFacts, one};
use super::value::Value;
use super::{Call, Name, kube, load, qos, watch};

/// The maximum number of elements of a list: rows, keys, sync passes or events. The counts `store.rows` and
/// `store.keys` have no limit.
pub(super) const LIST_MAX: usize = 10_000;

/// The state of a run at one step.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The recorded past of the run up to the step.
    pub past: Past<'a>,
    /// The last request to the member, and the response.
    pub last: Option<&'a Arc<Exchange>>,
    /// The predictions that the learner typed.
    pub answers: &'a [String],
}

/// A request to a member, and the member's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub request: Request,
    pub reply: Reply,
}

impl Facts<'_> {
    /// Returns true if the bucket `key` stores this value in one of its first 10,000 rows.
    pub fn is_stored(&self, value: &str) -> bool {
        let rows = self.past.store().backend().rows(Bucket::Key);
        let values = rows.filter_map(|(_, row)| proto::decode::<KeyValue>(&row));
        values.take(LIST_MAX).any(|kv| kv.value.to_text() == value)
    }

    pub(super) fn name(&self, name: Name) -> Value {
        match name {
            Name::Store => one(Record::Store),
            Name::Keys => self.keys(),
            Name::Last => self
                .last
                .map_or(Value::Nothing, |last| one(Record::Last(Arc::clone(last)))),
            Name::Request => kube::request(self),
            Name::SyncPasses => self.sync_passes(),
            Name::QosRules => qos::rules(self),
            Name::Answers => Value::List(self.answers.iter().map(|text| answer(text)).collect()),
            Name::Profile => Value::text(self.past.world.config().profile.to_string()),
        }
    }

    pub(super) fn call(&self, call: Call, argument: &Bytes) -> Value {
        let found = match call {
            Call::Rows => return self.rows(),
            Call::Index => {
                let index = self.past.store().index().key_index(argument);
                index.map(|index| Record::KeyIndex(index.clone()))
            }
            Call::Kv => {
                let range = KeyRange::One(argument.clone());
                let found = self.past.store().range(&range, 0, 1).ok();
                let kv = found.and_then(|found| found.kvs.into_iter().next());
                kv.map(Record::KeyValue)
            }
            Call::Watch => {
                let name = argument.to_text();
                watch::is_known(self, &name).then_some(Record::Watch(name))
            }
            Call::Cache => return kube::cache(self, &argument.to_text()),
            Call::Qos => return qos::rule(self, &argument.to_text()),
            Call::QosClass => return qos::class(self, &argument.to_text()),
            Call::Load => return load::load(self, &argument.to_text()),
            Call::Heard => return kube::heard(self, &argument.to_text()),
            Call::Setting => return self.setting(&argument.to_text()),
        };
        found.map_or(Value::Nothing, one)
    }

    fn rows(&self) -> Value {
        let rows = self.past.store().backend().rows(Bucket::Key);
        let read = |(key, value): (Span, Span)| {
            Some(one(Record::Row(
                BucketKey::decode(&key)?,
                proto::decode(&value)?,
            )))
        };
        Value::List(rows.take(LIST_MAX).filter_map(read).collect())
    }

    fn keys(&self) -> Value {
        let all = KeyRange::From(Bytes::zero());
        let found = self.past.store().range(&all, 0, LIST_MAX as i64);
        let kvs = found.map(|found| found.kvs).unwrap_or_default();
        Value::List(
            kvs.into_iter()
                .map(|kv| one(Record::KeyValue(kv)))
                .collect(),
        )
    }

    fn sync_passes(&self) -> Value {
        let marks = self
            .past
            .watcher_log
            .sync_passes(self.past.step)
            .iter()
            .take(LIST_MAX);
        let sync_pass = |what: &TraceEvent| match what {
            TraceEvent::Watch(WatchTrace::Swept {
                picked,
                from,
                to,
                rows,
                synced,
                victims,
                remaining,
                ..
            }) => Some(one(Record::SyncPass(SyncPassFacts {
                picked: *picked,
                from: *from,
                to: *to,
                rows: *rows,
                synced: *synced,
                victims: *victims,
                remaining: *remaining,
            }))),
            _ => None,
        };
        let events = marks.filter_map(|mark| self.past.watcher_log.event(mark));
        Value::List(events.filter_map(|event| sync_pass(&event.what)).collect())
    }

    /// Returns the value of a setting. The value of a period is in milliseconds.
    fn setting(&self, name: &str) -> Value {
        let info = Setting::named(name);
        info.map_or(Value::Nothing, |info| {
            let value = self.past.world.setting(info);
            let value = match info.unit {
                Unit::Micros => value / 1000,
                Unit::Count | Unit::Bytes => value,
            };
            Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
        })
    }
}

/// Converts a prediction to a value: a number if the text is a number, otherwise the text.
pub(super) fn answer(text: &str) -> Value {
    match crate::scenario::lesson::number_in(text) {
        Some(n) => Value::Int(n),
        None => Value::text(text.trim()),
    }
}
