//! Writes sentences about watchers, clients and the messages between them. One sentence describes all similar events of
//! a step.

use std::collections::BTreeSet;

use crate::base::Bytes;
use crate::base::ids::NodeId;
use crate::mvcc::Watcher;
use crate::observe::Past;
use crate::observe::traffic::Message;
use crate::trace::{ChangeKind, ClientTrace, Event, NetTrace, TraceEvent, WatchTrace};

use super::message;
use super::{client, member};

/// The maximum number of names that a sentence lists.
const NAMES: usize = 3;

/// The maximum number of similar events for which each event has its own sentence.
const APART: usize = 2;

/// Describes the effect of a write on watchers.
pub(in crate::view) fn after_write(events: &[Event], past: Past<'_>) -> Vec<String> {
    let mut told: Vec<String> = handed(events, past).into_iter().collect();
    let member: Vec<&WatchTrace> = events
        .iter()
        .filter_map(|e| match &e.what {
            TraceEvent::Watch(WatchTrace::Notified { .. }) => None,
            TraceEvent::Watch(what) => Some(what),
            _ => None,
        })
        .collect();
    told.extend(members(&member, past));
    told
}

/// Names the watchers that a write notifies. Watchers whose channel is full have a sentence of their own.
fn handed(events: &[Event], past: Past<'_>) -> Option<String> {
    let (member, revision, told) = events.iter().find_map(|e| match &e.what {
        TraceEvent::Watch(WatchTrace::Notified { revision, told }) => {
            Some((e.node?, *revision, *told))
        }
        _ => None,
    })?;
    let changes: Vec<(&Bytes, bool)> = events
        .iter()
        .filter_map(|e| match &e.what {
            TraceEvent::Changed { key, kind, .. } => Some((key, *kind == ChangeKind::Delete)),
            _ => None,
        })
        .collect();
    let victims: BTreeSet<u64> = events
        .iter()
        .filter_map(|e| match &e.what {
            TraceEvent::Watch(WatchTrace::BecameVictim { watcher, .. }) => Some(*watcher),
            _ => None,
        })
        .collect();
    let (mut handed, mut filtered) = (Vec::new(), Vec::new());
    for (id, watcher) in past.world.member(member)?.watchable().watchers() {
        // A write moves each notified watcher to the next revision.
        if watcher.min_rev != revision + 1 || victims.contains(&id.0) {
            continue;
        }
        match hears(watcher, &changes) {
            None => {}
            Some(true) => handed.push(past.name_of(id.0)),
            Some(false) => filtered.push(past.name_of(id.0)),
        }
    }
    if handed.len() + filtered.len() + victims.len() != told as usize {
        return member::one(&WatchTrace::Notified { revision, told }, past);
    }
    let mut parts = Vec::new();
    if !handed.is_empty() {
        parts.push(format!(
            "etcd notifies {} in the same write.",
            list(&handed)
        ));
    }
    if !filtered.is_empty() {
        let filter = if filtered.len() == 1 {
            "filters"
        } else {
            "filter"
        };
        parts.push(format!("{} {filter} the change out.", list(&filtered)));
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns true if the watcher's filters let at least one of the changes through; `None` if all changes are outside the
/// watcher's range. A change is a key and a flag that is true for a delete.
fn hears(watcher: &Watcher, changes: &[(&Bytes, bool)]) -> Option<bool> {
    let mine = changes
        .iter()
        .filter(|(key, _)| watcher.range.contains(key));
    let wants = |delete: bool| match delete {
        true => !watcher.filters.no_delete,
        false => !watcher.filters.no_put,
    };
    mine.map(|(_, delete)| wants(*delete)).reduce(|a, b| a || b)
}

fn members(all: &[&WatchTrace], past: Past<'_>) -> Vec<String> {
    let alike = |a: &WatchTrace, b: &WatchTrace| member::kind(a) == member::kind(b);
    let mut told = Vec::new();
    for group in grouped(all, alike) {
        if group.len() <= APART {
            let each = group.iter().filter_map(|what| member::one(what, past));
            told.extend(each);
        } else {
            told.extend(member::many(&group, past));
        }
    }
    told
}

fn clients(all: &[&ClientTrace], past: Past<'_>) -> Vec<String> {
    let mut told = Vec::new();
    for group in grouped(all, client::alike) {
        told.extend(match group.as_slice() {
            [one] => client::one(one, past),
            many => client::many(many, past),
        });
    }
    told
}

/// Groups similar events. The groups are in the order of their first event.
fn grouped<'a, T>(all: &[&'a T], alike: impl Fn(&T, &T) -> bool) -> Vec<Vec<&'a T>> {
    let mut groups: Vec<Vec<&'a T>> = Vec::new();
    for what in all {
        match groups.iter_mut().find(|group| alike(group[0], what)) {
            Some(group) => group.push(what),
            None => groups.push(vec![what]),
        }
    }
    groups
}

/// Describes watch events in a step without a write. Returns `None` if the step has no watch events.
pub(in crate::view) fn quiet(events: &[Event], past: Past<'_>) -> Option<String> {
    let of_member: Vec<&WatchTrace> = events
        .iter()
        .filter_map(|e| match &e.what {
            TraceEvent::Watch(what) => Some(what),
            _ => None,
        })
        .collect();
    let said = Said::of(events);
    let of_clients: Vec<&ClientTrace> = of_clients(events)
        .filter(|what| !said.includes(what))
        .collect();
    let mut told = clients(&of_clients, past);
    told.extend(members(&of_member, past));
    told.extend(waiting(events, past));
    told.extend(broken(events, past));
    (!told.is_empty()).then(|| told.join(" "))
}

fn of_clients(events: &[Event]) -> impl Iterator<Item = &ClientTrace> {
    events.iter().filter_map(|e| match &e.what {
        TraceEvent::Client(what) => Some(what),
        _ => None,
    })
}

/// The facts that the sentences of a step already state. Sentences that would only repeat them are omitted.
#[derive(Default)]
struct Said<'a> {
    /// The nodes that sent a list request. The sentence about the list also says that the node starts to watch.
    listed: BTreeSet<NodeId>,
    /// The watches that ended. The sentence about the end contains the reason.
    ended: BTreeSet<&'a str>,
}

impl<'a> Said<'a> {
    fn of(events: &'a [Event]) -> Self {
        let mut said = Self::default();
        for what in of_clients(events) {
            match what {
                ClientTrace::Listed { node, .. } => {
                    said.listed.insert(*node);
                }
                ClientTrace::Ended { watch, reason, .. } if !reason.is_empty() => {
                    said.ended.insert(watch);
                }
                _ => {}
            }
        }
        said
    }

    fn includes(&self, what: &ClientTrace) -> bool {
        match what {
            ClientTrace::Wants { node, .. } => self.listed.contains(node),
            ClientTrace::Received {
                watch, response, ..
            } => response.canceled && self.ended.contains(&**watch),
            _ => false,
        }
    }
}

/// Describes messages that arrived at a paused node.
fn waiting(events: &[Event], past: Past<'_>) -> Option<String> {
    let waiting = events.iter().filter_map(|e| match &e.what {
        TraceEvent::Net(NetTrace::Waits { message }) => past.recorded.message_numbered(message.0),
        _ => None,
    });
    let waiting: Vec<Message> = waiting.collect();
    let (_, to) = ends(waiting.first()?, past);
    Some(match waiting.as_slice() {
        [one] => {
            let label = message::label(past, one);
            format!("{to} is paused, so a message waits there: {label}.")
        }
        many => format!("{to} is paused, so {} messages wait there.", many.len()),
    })
}

/// Describes messages that were lost because their connection broke.
fn broken(events: &[Event], past: Past<'_>) -> Option<String> {
    let broken = events.iter().filter_map(|e| match &e.what {
        TraceEvent::Net(NetTrace::Broken { message }) => past.recorded.message_numbered(message.0),
        _ => None,
    });
    let broken: Vec<Message> = broken.collect();
    let (from, to) = ends(broken.first()?, past);
    Some(match broken.as_slice() {
        [one] => {
            let label = message::label(past, one);
            format!("A message from {from} to {to} is lost with the connection: {label}.")
        }
        many => format!("{} messages are lost with the connection.", many.len()),
    })
}

/// Describes the messages of a step in which messages were sent or arrived but nothing else happened.
pub(in crate::view) fn messages(events: &[Event], past: Past<'_>) -> Option<String> {
    let moved: Vec<(Message, bool)> = events
        .iter()
        .filter_map(|event| match &event.what {
            TraceEvent::Net(NetTrace::Arrived { message }) => {
                Some((past.recorded.message_numbered(message.0)?, true))
            }
            TraceEvent::Net(NetTrace::Sent { message, .. }) => {
                Some((past.recorded.message_numbered(message.0)?, false))
            }
            _ => None,
        })
        .collect();
    let (first, _) = moved.first()?;
    let arrived = moved.iter().filter(|(_, arrived)| *arrived).count();
    if moved.len() <= APART || arrived < moved.len() {
        let told = moved.iter().take(NAMES);
        let told: Vec<String> = told.map(|(m, a)| message(m, *a, past)).collect();
        return (!told.is_empty()).then(|| told.join(" "));
    }
    // All messages that reach a node at the same time are one step.
    let (_, to) = ends(first, past);
    let slow =
        reads_slowly(first.to, past).map_or_else(String::new, |slow| format!(", which {slow}"));
    Some(format!("{arrived} messages reach {to}{slow}."))
}

fn message(message: &Message, arrived: bool, past: Past<'_>) -> String {
    let (from, to) = ends(message, past);
    let label = message::label(past, message);
    if !arrived {
        return format!("{from} sends {to}: {label}.");
    }
    match reads_slowly(message.to, past) {
        Some(slow) => format!("A message reaches {to}, which {slow}: {label}."),
        None => format!("A message reaches {to}: {label}."),
    }
}

fn reads_slowly(node: NodeId, past: Past<'_>) -> Option<String> {
    let client = past.world.client(node)?;
    let takes = client.per_response();
    (takes.0 > 0 && client.unread() > 0).then(|| format!("takes {takes} for each response"))
}

/// Returns the names of the sender and the receiver.
pub(in crate::view) fn ends(message: &Message, past: Past<'_>) -> (String, String) {
    let name = |node: NodeId| past.node_name(node).to_string();
    (name(message.from), name(message.to))
}

/// Returns a number and its noun: `1 key`, `2 keys`.
pub(in crate::view) fn number(n: u64, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// Joins names to a list for a sentence: `a`, `a and b`, `a, b and c`, `a, b, c and 4 others`.
pub(in crate::view) fn list<T: AsRef<str>>(names: &[T]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES).map(AsRef::as_ref).collect();
    match (shown.as_slice(), names.len() - shown.len()) {
        ([], _) => String::new(),
        ([one], _) => (*one).to_owned(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (all, 1) => format!("{} and 1 other", all.join(", ")),
        (all, more) => format!("{} and {more} others", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_as_one_says_them() {
        let names = ["a", "b", "c", "d", "e"];
        let listed: Vec<String> = (1..=5).map(|n| list(&names[..n])).collect();
        let said = [
            "a",
            "a and b",
            "a, b and c",
            "a, b, c and 1 other",
            "a, b, c and 2 others",
        ];
        assert_eq!(listed, said);
    }
}
