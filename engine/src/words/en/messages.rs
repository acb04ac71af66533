//! The texts of the Messages view: the lanes of the nodes, the bars that show waits, and the details of a message.

use std::fmt::Display;

use crate::base::time::SimDuration;

/// Labels for the nodes of the Messages view: the role of each node.
pub const THIS_TERMINAL: &str = "this terminal";
pub const MEMBER: &str = "member";
pub const API_SERVER: &str = "API server";
pub const GRPC_PROXY: &str = "gRPC proxy";
pub const CLIENT: &str = "client";
pub const CLIENTS: &str = "clients";
pub const LISTS_AND_WATCHES: &str = "lists, watches";
pub const POLLS: &str = "polls";
pub const LOAD: &str = "load";
pub const INFORMER: &str = "informer";
pub const KUBELET: &str = "kubelet";
pub const STATEFUL_SET_CONTROLLER: &str = "StatefulSet controller";
pub const KUBELETS: &str = "kubelets";
pub const WATCHES: &str = "watches";

pub const HELD: &str = "held by the link";

/// Labels for a group of several messages of the same kind, which the view draws as one message.
pub const REQUESTS: &str = "requests";
pub const ANSWERS: &str = "responses";
pub const WATCH_REQUESTS: &str = "watch requests";
pub const WATCH_ANSWERS: &str = "watch responses";
pub const RESPONSES_WITH_EVENTS: &str = "responses with events";

/// Names of fields in the details of a message.
pub const FROM: &str = "from";
pub const TO: &str = "to";
pub const NUMBER: &str = "number";
pub const SENT: &str = "sent";
pub const ARRIVES: &str = "arrives";
pub const ARRIVED: &str = "arrived";
pub const LOST: &str = "lost";
pub const SIZE: &str = "size";
pub const LOST_ATTEMPTS: &str = "lost attempts";

/// The text that replaces the arrival time of a message that a link holds.
pub const DELAYED: &str = "delayed by a command";
pub const WHEN_RELEASED: &str = "when the link is released";

/// The reason why a message whose connection broke arrives late or never.
pub const CONNECTION_BROKE: &str = "its connection broke";

/// Returns the name of the shared lane. This lane contains all clients that have no lane of their own.
pub fn others(clients: usize) -> String {
    format!("{clients} more")
}

/// Describes the deviation of a node's clock; empty if the clock is correct.
pub fn clock(offset_us: i64, drift_ppm: i64) -> String {
    let sign = if offset_us < 0 { "−" } else { "+" };
    let offset = SimDuration(offset_us.unsigned_abs());
    match (offset_us, drift_ppm) {
        (0, 0) => String::new(),
        (0, _) => format!("{drift_ppm} ppm"),
        (_, 0) => format!("{sign}{offset}"),
        _ => format!("{sign}{offset}, {drift_ppm} ppm"),
    }
}

/// Returns the label of a wait that has ended.
pub fn wait(label: &str, duration: SimDuration) -> String {
    format!("{label}, {duration}")
}

/// Returns the label of a wait that has not ended.
pub fn wait_so_far(label: &str, duration: SimDuration) -> String {
    format!("{label}, {duration} so far")
}

/// Describes a paused node and the number of messages that wait for the node.
pub fn paused(messages: usize) -> String {
    match messages {
        0 => "paused".to_owned(),
        1 => "paused, 1 message waits".to_owned(),
        messages => format!("paused, {messages} messages wait"),
    }
}

/// Describes an unsynced watcher, for the bar that shows how long the watcher waits.
pub fn unsynced(watcher: &str) -> String {
    format!("{watcher} unsynced")
}

/// Describes a victim, for the bar that shows how long the victim waits.
pub fn victim(watcher: &str) -> String {
    format!("{watcher} victim")
}

pub fn lost_with_connection(at: impl Display) -> String {
    format!("{at}, with its connection")
}

pub fn bytes(bytes: u64) -> String {
    format!("{bytes} bytes")
}

/// Returns a sentence about a message that one node sends to another. `travel_time` is `None` if the arrival time is
/// unknown. `delays` contains the reasons for the delays of the message, as returned by the functions below.
pub fn sends(
    from: &str,
    to: &str,
    message: &str,
    travel_time: Option<SimDuration>,
    delays: &[String],
) -> String {
    let mut text = format!("{from} sends {to}: {message}");
    if let Some(time) = travel_time {
        text.push_str(&format!("; travel time {time}"));
    }
    for delay in delays {
        text.push_str(", ");
        text.push_str(delay);
    }
    text.push('.');
    text
}

/// Returns the reason for the delay of a message that was lost at least once.
pub fn lost(times: usize) -> String {
    match times {
        1 => "lost once and retransmitted".to_owned(),
        times => format!("lost {times} times and retransmitted"),
    }
}

/// Returns the reason for the delay of a message that the link held.
pub fn held_for(duration: SimDuration) -> String {
    format!("held for {duration}")
}

/// Returns the reason for the delay of a message to a paused node.
pub fn waits_for(node: &str) -> String {
    format!("waiting until {node} runs again")
}

pub fn changes_keys(revision: i64, keys: u64) -> String {
    format!("Revision {revision} changes {keys} keys at once.")
}

pub fn deletes(revision: i64, key: &str) -> String {
    format!("Revision {revision} deletes {key}.")
}

/// Describes a revision that writes a key.
pub fn puts(revision: i64, key: &str) -> String {
    format!("Revision {revision} puts {key}.")
}
