//! Sentences about etcd QoS, a proposal.

use crate::trace::{Event, QosTrace, TraceEvent};

/// Returns the sentence about a decision or a definition in this step; `None` if the step has neither.
pub(super) fn sentence(event: &QosTrace) -> String {
    match event {
        QosTrace::Admitted { rule } => format!("QoS rule {rule} matches and admits the request."),
        QosTrace::Delayed { rule, until, wait } => {
            format!("QoS rule {rule} matches: etcd holds the request for {wait}, until {until}.")
        }
        QosTrace::Queued { rule } => {
            format!("QoS rule {rule} matches: the request waits until a running request ends.")
        }
        QosTrace::Released => "The delay of a request ends, and etcd executes the request.".into(),
        QosTrace::Limited { rule, retry_after } => match retry_after {
            Some(wait) => format!(
                "QoS rule {rule} matches and refuses the request. A retry can succeed after {wait}."
            ),
            None => format!("QoS rule {rule} matches and refuses the request."),
        },
        QosTrace::Defined { change, kind, name } => format!("QoS {kind} {name} is {change}."),
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
