//! Sentences about etcd QoS, a proposal.

use crate::trace::{Defined, DefinitionChange, Event, QosTrace, TraceEvent};
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
        QosTrace::Defined { change, kind, name } => match (kind, change) {
            (Defined::Class, DefinitionChange::Added) => words::class_added(name),
            (Defined::Class, DefinitionChange::Changed) => words::class_changed(name),
            (Defined::Class, DefinitionChange::Deleted) => words::class_deleted(name),
            (Defined::Rule, DefinitionChange::Added) => words::rule_added(name),
            (Defined::Rule, DefinitionChange::Changed) => words::rule_changed(name),
            (Defined::Rule, DefinitionChange::Deleted) => words::rule_deleted(name),
        },
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
