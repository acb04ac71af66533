//! The facts about a load: the numbers of its requests by their outcome.

use crate::client::load_calls::CallCounts;
use crate::view::show::clients::load_counts;

use super::facts::Facts;
use super::record::{Record, one};
use super::value::Value;

/// Returns the load with this name, or nothing if there is no such load.
pub(super) fn load(facts: &Facts<'_>, name: &str) -> Value {
    match load_counts(facts.past.world, name) {
        Some(counts) => one(Record::Load(counts)),
        None => Value::Nothing,
    }
}

pub(super) fn load_field(counts: &CallCounts, name: &str) -> Value {
    match name {
        "requests" => Value::Int(counts.sent as i64),
        "succeeded" => Value::Int(counts.succeeded as i64),
        "failed" => Value::Int((counts.failed + counts.timed_out + counts.lost) as i64),
        _ => Value::Nothing,
    }
}
