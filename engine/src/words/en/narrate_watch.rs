//! The sentences about the watchers that a write notifies, and about messages between nodes.

use crate::base::time::SimDuration;

use super::grammar::list;

/// Sentences about the watchers that a write notifies, by name.
pub fn notified(watchers: &[String]) -> String {
    let watchers = list(watchers);
    format!("etcd notifies {watchers} in the same write.")
}

pub fn filtered(watchers: &[String]) -> String {
    let names = list(watchers);
    match watchers.len() {
        1 => format!("{names} filters the change out."),
        _ => format!("{names} filter the change out."),
    }
}

/// Sentences about messages that wait for a paused node.
pub fn message_waits(node: &str, message: &str) -> String {
    format!("{node} is paused, so a message to {node} waits: {message}.")
}

pub fn messages_wait(node: &str, messages: usize) -> String {
    format!("{node} is paused, so {messages} messages to {node} wait.")
}

/// Sentences about messages that are lost because their connection broke.
pub fn message_lost(from: &str, to: &str, message: &str) -> String {
    format!("A message from {from} to {to} is lost with the connection: {message}.")
}

pub fn messages_lost(messages: usize) -> String {
    format!("{messages} messages are lost with the connection.")
}

/// Sentences about messages that are sent or that arrive. `per_response` is the processing time of a slow client for
/// each response.
pub fn message_sent(from: &str, to: &str, message: &str) -> String {
    format!("{from} sends {to}: {message}.")
}

pub fn message_arrived(to: &str, message: &str) -> String {
    format!("A message reaches {to}: {message}.")
}

pub fn message_arrived_at_slow(to: &str, per_response: SimDuration, message: &str) -> String {
    format!(
        "A message reaches {to}: {message}. {to} needs {per_response} to process each response."
    )
}

pub fn messages_arrived(messages: usize, to: &str) -> String {
    format!("{messages} messages reach {to}.")
}

pub fn messages_arrived_at_slow(messages: usize, to: &str, per_response: SimDuration) -> String {
    format!("{messages} messages reach {to}, which needs {per_response} to process each response.")
}
