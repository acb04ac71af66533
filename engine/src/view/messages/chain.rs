//! The chain of causes of a message, from the message back to the command that caused it.

use crate::api::message::{Body, EtcdMessage};
use crate::base::ids::StreamKey;
use crate::base::time::SimDuration;
use crate::observe::Past;
use crate::observe::traffic::{LaterKind, Message};
use crate::trace::{ChangeKind, Event, EventId, NetTrace, TraceEvent, WatchTrace};

use crate::view::narrate::message;
use crate::view::narrate::name;
use crate::view::narrate::{client, member};
use crate::words::messages as words;

/// The maximum number of causes in a chain. The newest causes are kept.
const LINKS_MAX: usize = 12;

/// The maximum number of events that the search for causes visits.
const EVENTS_MAX: usize = 400;

/// A cause in the chain of causes of a message.
#[derive(Clone, Debug)]
pub(in crate::view) struct ChainLink {
    /// The message ID, if the cause is a message.
    pub(in crate::view) message: Option<EventId>,
    pub(in crate::view) step: u64,
    pub(in crate::view) at_us: u64,
    pub(in crate::view) sentence: String,
}

/// Returns the causes of a message, oldest first. The last entry is the message itself.
pub(in crate::view) fn chain(m: Past<'_>, message: &Message) -> Vec<ChainLink> {
    let watcher = watcher_of(m, message);
    let mut links: Vec<ChainLink> = Vec::new();
    let mut next = Some(message.id);
    for _ in 0..EVENTS_MAX {
        let Some(event) = next.and_then(|id| m.event(id)) else {
            break;
        };
        next = event.cause;
        if let Some(link) = message_link(m, &event) {
            // The cause of an arrival is the reason why the message was sent. Holds and pauses on the way are part of
            // the message's own sentence.
            next = link.message.and_then(|id| m.event(id)?.cause);
            links.push(link);
        } else if let Some(sentence) = sentence_of(m, &event, watcher) {
            links.push(ChainLink {
                message: None,
                step: event.step,
                at_us: event.at.0,
                sentence,
            });
        }
        if links.len() == LINKS_MAX {
            break;
        }
    }
    links.reverse();
    links
}

/// Returns the watcher whose events the message contains, if any.
fn watcher_of(m: Past<'_>, message: &Message) -> Option<u64> {
    let Body::Etcd(EtcdMessage::WatchAnswer { stream, response }) = &*message.body else {
        return None;
    };
    let key = StreamKey {
        client: message.to,
        stream: *stream,
    };
    m.watcher_log.watcher_at(key, response.watch_id)
}

fn message_link(m: Past<'_>, event: &Event) -> Option<ChainLink> {
    let message = match &event.what {
        TraceEvent::Net(NetTrace::Sent { message, .. } | NetTrace::Arrived { message }) => {
            m.recorded.message_numbered(message.0)?
        }
        _ => return None,
    };
    Some(ChainLink {
        message: Some(message.id),
        step: message.step,
        at_us: message.sent.0,
        sentence: travels(m, &message),
    })
}

/// Describes the delivery of a message in a sentence.
pub(in crate::view) fn travels(m: Past<'_>, message: &Message) -> String {
    let label = message::label(m, message);
    let (from, to) = (m.node_name(message.from), m.node_name(message.to));
    let known = message.later.iter().filter(|l| l.step <= m.step);
    let mut arrival = message.arrives;
    let mut delays: Vec<String> = Vec::new();
    if !message.lost.is_empty() {
        delays.push(words::lost(message.lost.len()));
    }
    for later in known {
        match later.what {
            LaterKind::Released(arrives) => {
                delays.push(words::held_for(later.at - message.sent));
                arrival = Some(arrives);
            }
            LaterKind::Delayed(arrives) => {
                delays.push(words::DELAYED.into());
                arrival = Some(arrives);
            }
            LaterKind::Waits => delays.push(words::waits_for(&to)),
            LaterKind::Broken => delays.push(words::CONNECTION_BROKE.into()),
            LaterKind::Arrived => {}
        }
    }
    let way = arrival.map(|arrival| SimDuration(arrival.0.saturating_sub(message.sent.0)));
    words::sends(&from, &to, &label, way, &delays)
}

/// Describes a cause that is not a message. Returns `None` if the chain needs no sentence for this cause.
fn sentence_of(m: Past<'_>, event: &Event, watcher: Option<u64>) -> Option<String> {
    match &event.what {
        TraceEvent::Watch(what) => {
            let other = match what {
                WatchTrace::Created { watcher: of, .. }
                | WatchTrace::BecameVictim { watcher: of, .. }
                | WatchTrace::CaughtUp { watcher: of, .. }
                | WatchTrace::Overtaken { watcher: of, .. }
                | WatchTrace::PassedOver { watcher: of, .. }
                | WatchTrace::VictimSent { watcher: of, .. } => {
                    watcher.is_some_and(|mine| mine != *of)
                }
                _ => false,
            };
            if other {
                return None;
            }
            member::one(what, m)
        }
        TraceEvent::Client(what) => client::one(what, m),
        TraceEvent::Committed { revision, changes } if *changes > 1 => {
            Some(words::changes_keys(*revision, (*changes).into()))
        }
        TraceEvent::Changed {
            main, kind, key, ..
        } => {
            let alone = m.history.wide_revisions(*main, *main).next().is_none();
            let key = name(key);
            alone.then(|| match kind {
                ChangeKind::Delete => words::deletes(*main, &key),
                ChangeKind::Create | ChangeKind::Update => words::puts(*main, &key),
            })
        }
        _ => None,
    }
}
