//! The labels of messages between nodes, and the names of fields in the detail view of a message.

use super::grammar::number;

/// Names of fields in the details of a message, for fields without a name in the API of etcd or Kubernetes.
pub const REQUEST: &str = "request";
pub const ANSWER: &str = "answer";
pub const ERROR: &str = "error";
pub const MESSAGE: &str = "message";
pub const TERM: &str = "term";
pub const STREAM: &str = "stream";
pub const RANGE: &str = "range";
pub const OPTIONS: &str = "options";
pub const ECHO: &str = "id that etcd sends back";
pub const WATCH: &str = "watch";
pub const EVENT: &str = "event";
pub const EVENTS: &str = "events";

/// The text for the option of a watch that makes etcd end the watch when the member knows no leader.
pub const REQUIRES_LEADER: &str = "requires a leader";

/// Labels of messages that contain no data.
pub const REFUSED: &str = "refused";
pub const PROGRESS_REQUEST: &str = "progress request";
pub const WATCH_BEGUN: &str = "watch started";
pub const END_OF_STREAM: &str = "end of stream";

/// Returns the label of a message that follows a TLS handshake.
pub fn after_handshake(label: &str) -> String {
    ["TLS handshake, ", label].concat()
}

/// Labels of messages between members.
pub const PRE_VOTE: &str = "pre-vote";
pub const VOTE: &str = "vote";
pub const VOTE_GRANTED: &str = "vote granted";
pub const VOTE_REFUSED: &str = "vote refused";
pub const APPEND: &str = "append";
pub const APPENDED: &str = "appended";
pub const APPEND_REJECTED: &str = "append rejected";
pub const HEARTBEAT: &str = "heartbeat";
pub const HEARTBEAT_REPLY: &str = "heartbeat reply";
pub const PEER_REMOVED: &str = "removed";
pub const SNAPSHOT: &str = "snapshot";
pub const TIMEOUT_NOW: &str = "start an election now";
pub const PROPOSAL: &str = "proposal";
pub const READ_INDEX: &str = "read index";
pub const READ_INDEX_REPLY: &str = "read index reply";
pub const TRANSFER_LEADER: &str = "transfer leader";

/// Labels of messages that end with a revision. Before the revision, a label contains a description of the message, or
/// the number of keys.
pub fn at_revision(message: &str, revision: i64) -> String {
    format!("{message} at {revision}")
}

pub fn keys_at(keys: i64, revision: i64) -> String {
    format!("{} at {revision}", self::keys(keys))
}

/// Returns the label of a chunk of a streamed range.
pub fn chunk(rows: usize) -> String {
    format!("chunk of {}", keys(rows as i64))
}

/// Returns the label of the last chunk of a streamed range, with the number of all keys of the range.
pub fn last_chunk(rows: usize, count: i64, revision: i64) -> String {
    format!(
        "last chunk of {}, {} at {revision}",
        keys(rows as i64),
        keys(count)
    )
}

/// Returns the number of events that have a previous value. etcd read each of these values separately.
pub fn with_previous(events: usize) -> String {
    match events {
        1 => "in 1 event, which etcd read separately".into(),
        n => format!("in {n} events, with a read for each"),
    }
}

/// The value of the field `header` in a message without a header.
pub const WITHOUT_HEADER: &str = "none before the last chunk";

fn keys(keys: i64) -> String {
    match keys {
        1 => "1 key".into(),
        n => format!("{n} keys"),
    }
}

/// Returns the label of a transaction with its number of compares. `method` is the name of etcd's method.
pub fn with_compares(method: &str, compares: usize) -> String {
    let compares = number(compares as u64, "compare", "compares");
    format!("{method}, {compares}")
}

/// Returns the label of a request that the monitor of etcd QoS reports.
pub fn monitored(request: &str) -> String {
    format!("monitored {request}")
}

/// Labels of requests about watches.
pub fn watch_from_now(range: &str) -> String {
    format!("watch {range} from now")
}

pub fn watch_from(range: &str, revision: i64) -> String {
    format!("watch {range} from {revision}")
}

pub fn cancel(watch: &str) -> String {
    format!("cancel {watch}")
}

/// Returns the label of a watch whose name is not known.
pub fn watch_without_name(watch_id: i64) -> String {
    format!("watch {watch_id}")
}

/// Labels of responses to watches.
pub fn created(watch: &str) -> String {
    format!("created {watch}")
}

pub fn canceled(watch: &str) -> String {
    format!("canceled {watch}")
}

pub fn compacted(watch: &str, compact_revision: i64) -> String {
    format!("canceled {watch}, compacted {compact_revision}")
}

pub fn progress(revision: i64) -> String {
    format!("progress {revision}")
}

pub fn events(events: usize, from: i64, to: i64) -> String {
    match from == to {
        true => format!("{events} events at {from}"),
        false => format!("{events} events, {from} to {to}"),
    }
}

/// Returns the label of the events in one part of a fragmented response.
pub fn events_in_part(events: usize, from: i64, to: i64) -> String {
    let events = self::events(events, from, to);
    format!("part: {events}")
}

/// Labels of messages from API servers that contain objects or events. `event` is Kubernetes' own name for the kind of
/// event.
pub fn objects_at(objects: u64, revision: u64) -> String {
    let objects = number(objects, "object", "objects");
    format!("{objects} at {revision}")
}

pub fn kube_events(events: usize) -> String {
    format!("{events} events")
}

pub fn resync(event: &str, revision: u64, objects: usize) -> String {
    format!("{event} {revision}, {objects} objects")
}

pub fn end_of_initial_events(event: &str, revision: u64) -> String {
    format!("{event} {revision}, end of the initial events")
}

/// Returns the last line of a shortened list of events: the number of events that the list omits.
pub fn more_events(more: usize) -> String {
    format!("and {more} more")
}
