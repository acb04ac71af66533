//! The texts of the Lab about one list of a run in detail: the controls, the parts, and the steps.

use watchglass_engine::session::latency::report::{
    ListPart, ListParts, RevisionRequest, WaitEnd, WatchMessageKind,
};

use super::lab::{count, fixed};

/// The texts of the section about one list, and of its controls.
pub const IN_DETAIL: &str = "One request in detail";
pub const RUN_OF_LIST: &str = "Run with this list";
pub const CHOOSE: &str = "Chosen list, from the fastest to the slowest";
pub const MEDIAN: &str = "Median";
pub const SLOWEST: &str = "Slowest";

/// The names of the lists that the picture shows.
pub const MEDIAN_LIST: &str = "Median list";
pub const SLOWEST_LIST: &str = "Slowest list";
pub const CHOSEN_LIST: &str = "Chosen list";

/// The texts of the picture: the name of its axis, and its legend.
pub const AXIS: &str = "ms since the arrival of the list";
pub const LEGEND: &str = "▲ progress request · ▼ notification · ◆ event";

/// The texts of the table: the caption, the first heading, and the names of the last rows.
pub const PARTS: &str = "The parts of two requests";
pub const PART: &str = "Part, ms";
pub const WHOLE_REQUEST: &str = "whole request";
pub const ENDED_BY: &str = "ended by";
/// The text of a table cell if the list does not have the part.
pub const NO_PART: &str = "–";

/// The first step of each list.
pub const ARRIVES: &str = "The list arrives.";
pub const ASKS_REVISION: &str = "The API server asks etcd for etcd's current revision.";
/// The last step of a list that etcd serves.
pub const ETCD_RESPONDS: &str = "etcd's response to the list is complete.";

/// Formats microseconds as milliseconds without rounding.
pub fn exact(us: u64) -> String {
    fixed(us, 3)
}

/// Formats microseconds as milliseconds without rounding, with the unit.
pub fn exact_ms(us: u64) -> String {
    [&exact(us), " ms"].concat()
}

/// Returns the name of a list with its time.
pub fn list(name: &str, list: &ListParts) -> String {
    [name, ": ", &exact_ms(list.whole_us())].concat()
}

/// Returns the heading of the steps of a list.
pub fn steps(name: &str) -> String {
    [name, ", step by step"].concat()
}

/// Returns the name of a part of a list's duration.
pub fn part(part: ListPart) -> &'static str {
    match part {
        ListPart::Batch => "wait for the batch",
        ListPart::Revision => "request for etcd's revision",
        ListPart::Wait => "wait for progress",
        ListPart::FromEtcd => "list from etcd",
    }
}

/// Describes a list and its parts for the text alternative of the picture.
pub fn list_alt(name: &str, list: &ListParts) -> String {
    let parts = list.parts().into_iter();
    let parts: Vec<String> = parts
        .map(|(one, from, to)| [part(one), " ", &exact_ms(to - from)].concat())
        .collect();
    let (whole, parts) = (exact_ms(list.whole_us()), parts.join(", "));
    [name, ", ", &whole, ": ", &parts, "."].concat()
}

/// Returns the cause that ended the wait of a list.
pub fn ended_by(list: &ListParts) -> &'static str {
    match (list.ended_by, list.etcd_us) {
        (WaitEnd::Fresh, Some(_)) => "etcd",
        (WaitEnd::Fresh, None) => "fresh cache",
        (WaitEnd::Event, _) => "event",
        (WaitEnd::Notification, _) => "notification",
        (WaitEnd::Timeout, _) => "timeout",
    }
}

/// Returns the step at which the API server receives etcd's revision.
pub fn revision(list: &ListParts, revision: &RevisionRequest) -> String {
    let fresh = match list.ended_by {
        WaitEnd::Fresh => "the cache has reached this revision",
        WaitEnd::Event | WaitEnd::Notification | WaitEnd::Timeout => {
            "the cache has not reached this revision"
        }
    };
    format!("etcd's revision is {}: {fresh}.", count(revision.revision))
}

/// Returns the step at which the API server sends or receives a message.
pub fn message(kind: WatchMessageKind) -> String {
    match kind {
        WatchMessageKind::Request => "The API server sends a progress request.".to_owned(),
        WatchMessageKind::Notification(revision) => {
            format!(
                "A progress notification arrives: revision {}.",
                count(revision)
            )
        }
        WatchMessageKind::Event(revision) => {
            format!("An event arrives: revision {}.", count(revision))
        }
    }
}

/// Returns the note that some messages are not in the list of steps.
pub fn omitted(messages: u64) -> String {
    format!("{} more messages, not listed.", count(messages))
}

/// Returns the step that ends the wait of a list.
pub fn end(list: &ListParts) -> &'static str {
    match (list.ended_by, list.etcd_us) {
        (WaitEnd::Timeout, _) if list.is_refused => "The wait times out, and the list fails.",
        (WaitEnd::Timeout, _) => "The wait times out, and the list goes to etcd.",
        (_, Some(_)) => "The list goes to etcd.",
        (_, None) => "The cache serves the list.",
    }
}
