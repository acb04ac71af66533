//! Sentences about etcd QoS, a proposal.

use crate::trace::{Event, QosTrace, TraceEvent};
use crate::words::narrate_qos as words;

/// Returns the sentence about a decision on a request, or about the definition of a class or rule.
pub(super) fn sentence(event: &QosTrace) -> String {
    match event {
        QosTrace::Admitted { rule } => words::admitted(rule),
        QosTrace::Delayed { rule, until, wait } => words::delayed(rule, *wait, *until),
        QosTrace::Queued { rule } => words::queued(rule),
        QosTrace::Released => words::RELEASED.into(),
        QosTrace::Limited { rule, retry_after } => match retry_after {
            Some(wait) => words::refused_for(rule, *wait),
            None => words::refused(rule),
        },
        QosTrace::Defined { change, kind, name } => words::defined(kind, name, change),
    }
}

/// Returns the sentences about all QoS events of a step; empty if there are none.
pub(super) fn sentences(events: &[Event]) -> String {
    let qos = events.iter().filter_map(|event| match &event.what {
        TraceEvent::Qos(event) => Some(sentence(event)),
        _ => None,
    });
    let all: Vec<String> = qos.collect();
    all.join(" ")
}
