//! Writes sentences about watchers, clients and the messages between them. One sentence describes all similar events of
//! a step.

use std::collections::BTreeSet;

use crate::base::Bytes;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::mvcc::Watcher;
use crate::observe::Past;
use crate::observe::traffic::Message;
use crate::trace::{ChangeKind, ClientTrace, Event, NetTrace, TraceEvent, WatchTrace};
use crate::words::narrate_watch as words;

use super::message;
use super::{client, member};

/// The maximum number of messages of one step that the narration describes.
const MESSAGES: usize = 3;

/// The maximum number of similar events for which the narration has a sentence for each event.
const APART: usize = 2;

/// Describes the effect of a write on watchers.
pub(in crate::view) fn after_write(events: &[Event], past: Past<'_>) -> Vec<String> {
    let mut sentences: Vec<String> = handed(events, past).into_iter().collect();
    let member: Vec<&WatchTrace> = events
        .iter()
        .filter_map(|e| match &e.what {
            TraceEvent::Watch(WatchTrace::Notified { .. }) => None,
            TraceEvent::Watch(what) => Some(what),
            _ => None,
        })
        .collect();
    sentences.extend(members(&member, past));
    sentences
}

/// Names the watchers that a write notifies. Watchers whose channel is full have a sentence of their own.
fn handed(events: &[Event], past: Past<'_>) -> Option<String> {
    let (member, revision, watchers) = events.iter().find_map(|e| match &e.what {
        TraceEvent::Watch(WatchTrace::Notified { revision, watchers }) => {
            Some((e.node?, *revision, *watchers))
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
    if handed.len() + filtered.len() + victims.len() != watchers as usize {
        return member::one(&WatchTrace::Notified { revision, watchers }, past);
    }
    let mut parts = Vec::new();
    if !handed.is_empty() {
        parts.push(words::notified(&handed));
    }
    if !filtered.is_empty() {
        parts.push(words::filtered(&filtered));
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
    let mut sentences = Vec::new();
    for group in grouped(all, alike) {
        if group.len() <= APART {
            let each = group.iter().filter_map(|what| member::one(what, past));
            sentences.extend(each);
        } else {
            sentences.extend(member::many(&group, past));
        }
    }
    sentences
}

fn clients(all: &[&ClientTrace], past: Past<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    for group in grouped(all, client::alike) {
        sentences.extend(match group.as_slice() {
            [one] => client::one(one, past),
            many => client::many(many, past),
        });
    }
    sentences
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
    let mut sentences = clients(&of_clients, past);
    sentences.extend(members(&of_member, past));
    sentences.extend(waiting(events, past));
    sentences.extend(broken(events, past));
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn of_clients(events: &[Event]) -> impl Iterator<Item = &ClientTrace> {
    events.iter().filter_map(|e| match &e.what {
        TraceEvent::Client(what) => Some(what),
        _ => None,
    })
}

/// The facts that the sentences of a step already state. Further sentences that would only repeat these facts are
/// omitted.
#[derive(Default)]
struct Said<'a> {
    /// The nodes that sent a list request. The sentence about the list also says that the node starts a watch, so the
    /// start of the watch has no sentence of its own.
    listed: BTreeSet<NodeId>,
    /// The watches that ended. The sentence about the end of a watch contains the reason.
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
        [one] => words::message_waits(&to, &message::label(past, one)),
        many => words::messages_wait(&to, many.len()),
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
        [one] => words::message_lost(&from, &to, &message::label(past, one)),
        many => words::messages_lost(many.len()),
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
        let sentences = moved.iter().take(MESSAGES);
        let sentences: Vec<String> = sentences.map(|(m, a)| message(m, *a, past)).collect();
        return (!sentences.is_empty()).then(|| sentences.join(" "));
    }
    // All messages that reach a node at the same time are one step.
    let (_, to) = ends(first, past);
    Some(match slow_reader(first.to, past) {
        Some(per_response) => words::messages_arrived_at_slow(arrived, &to, per_response),
        None => words::messages_arrived(arrived, &to),
    })
}

fn message(message: &Message, arrived: bool, past: Past<'_>) -> String {
    let (from, to) = ends(message, past);
    let label = message::label(past, message);
    if !arrived {
        return words::message_sent(&from, &to, &label);
    }
    match slow_reader(message.to, past) {
        Some(per_response) => words::message_arrived_at_slow(&to, per_response, &label),
        None => words::message_arrived(&to, &label),
    }
}

/// Returns the time that the client needs to read a response. Returns `None` if the client has no unread responses or
/// reads responses immediately.
fn slow_reader(node: NodeId, past: Past<'_>) -> Option<SimDuration> {
    let client = past.world.client(node)?;
    let takes = client.per_response();
    (takes.0 > 0 && client.unread() > 0).then_some(takes)
}

/// Returns the names of the sender and the receiver.
pub(in crate::view) fn ends(message: &Message, past: Past<'_>) -> (String, String) {
    let name = |node: NodeId| past.node_name(node).to_string();
    (name(message.from), name(message.to))
}
