//! What is known of a watch: where it stands, what reached it, and what did not.

use crate::api::WatchEvent;
use crate::base::Bytes;
use crate::base::ordered::OrdSet;
use crate::observe::WatchRecord;
use crate::trace::{ChangeKind, TraceEvent, WatchTrace};
use crate::view::show_watch;

use super::facts::{Facts, LIST_MAX};
use super::progress::ProgressFacts;
use super::record::{Record, list};
use super::value::Value;

/// A watch at a moment.
#[derive(Clone, Debug)]
pub struct WatchFacts {
    state: &'static str,
    start_rev: i64,
    min_rev: Option<i64>,
    events: Vec<WatchEvent>,
    compact_rev: Option<i64>,
    reason: Option<Bytes>,
    was_victim: bool,
    waiting: u32,
    missing: i64,
    twice: i64,
    progress: ProgressFacts,
}

impl WatchFacts {
    pub(super) fn new(facts: &Facts<'_>, name: &str) -> Option<Self> {
        let record = facts.watch_log.watch(name)?;
        if record.step > facts.step {
            return None;
        }
        let kv = facts.world.etcd().watchable();
        let live = kv
            .watchers()
            .find(|(id, watcher)| show_watch::name(facts.world, *id, watcher) == name);
        let ended = record.ended.as_ref();
        let ended = ended.filter(|(step, _)| *step <= facts.step);
        let state = match (&ended, &live) {
            (Some(_), _) => "cancelled",
            (None, Some((id, _))) => show_watch::state(facts.world, *id),
            (None, None) => "on its way",
        };
        let heard = facts.watch_log.deliveries(name, facts.step)?;
        let cancel = heard.iter().rev().find(|d| d.response.canceled);
        let events: Vec<WatchEvent> = heard
            .iter()
            .flat_map(|d| d.response.events.iter().cloned())
            .collect();
        let (missing, twice) = accounts(facts, name, record, &events);
        Some(Self {
            state,
            start_rev: record.start_rev,
            min_rev: live.as_ref().map(|(_, watcher)| watcher.min_rev),
            compact_rev: cancel
                .map(|d| d.response.compact_revision)
                .filter(|rev| *rev != 0),
            reason: ended.map(|(_, reason)| Bytes::from(&**reason)),
            was_victim: marks(facts, name)
                .any(|what| matches!(what, WatchTrace::BecameVictim { .. })),
            waiting: live.map_or(0, |(_, watcher)| kv.channel_len(watcher.stream)),
            events,
            missing,
            twice,
            progress: ProgressFacts::new(facts, &heard),
        })
    }

    pub(super) fn field(&self, name: &str) -> Value {
        match name {
            "state" => Value::text(self.state),
            "start_rev" => Value::Int(self.start_rev),
            "min_rev" => self.min_rev.map_or(Value::Nothing, Value::Int),
            "events" => {
                let newest = self.events.len().saturating_sub(LIST_MAX);
                list(&self.events[newest..], |e| Record::Event(e.clone()))
            }
            "compact_rev" => self.compact_rev.map_or(Value::Nothing, Value::Int),
            "reason" => self.reason.clone().map_or(Value::Nothing, Value::Text),
            "was_victim" => Value::Bool(self.was_victim),
            "waiting" => Value::Int(self.waiting.into()),
            "missing" => Value::Int(self.missing),
            "twice" => Value::Int(self.twice),
            "known" => Value::Int(self.progress.known),
            "progress" => Value::Int(self.progress.told),
            "progress_every_ms" => some(self.progress.every_us.map(|us| (us / 1000) as i64)),
            "waits" => Value::Int(self.progress.waits_us.len() as i64),
            "wait_mean_ms" => some(self.progress.wait_mean_ms()),
            "wait_max_ms" => some(self.progress.wait_max_ms()),
            _ => Value::Nothing,
        }
    }
}

fn some(number: Option<i64>) -> Value {
    number.map_or(Value::Nothing, Value::Int)
}

/// What happened to the watchers that the member had for this watch.
fn marks<'a>(facts: &'a Facts<'_>, name: &'a str) -> impl Iterator<Item = &'a WatchTrace> {
    let log = facts.watcher_log;
    let named = move |id: &u64| {
        let found = facts.watch_log.watcher_name(*id);
        found.is_some_and(|found| **found == *name)
    };
    let watchers = log.watchers().map(|(id, _)| id).filter(named);
    let marks = watchers.flat_map(move |id| log.of_watcher(id, facts.step));
    let events = marks.filter_map(|mark| facts.event(mark.id.0));
    events.filter_map(|event| match &event.what {
        TraceEvent::Watch(what) => Some(what),
        _ => None,
    })
}

/// How many changes of its keys the watch has not been told of, and how many events it was told
/// more than once.
fn accounts(
    facts: &Facts<'_>,
    name: &str,
    record: &WatchRecord,
    events: &[WatchEvent],
) -> (i64, i64) {
    let told: OrdSet<(i64, &Bytes)> = events
        .iter()
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
    let wanted = facts.history.changes_from(from).filter(|(key, change)| {
        let left_out = match change.kind {
            ChangeKind::Create | ChangeKind::Update => record.options.no_put,
            ChangeKind::Delete => record.options.no_delete,
        };
        change.step <= facts.step && !left_out && record.range.contains(key)
    });
    let missing = wanted.filter(|(key, change)| !told.contains(&(change.main, *key)));
    (missing.count() as i64, (events.len() - told.len()) as i64)
}
