//! The texts of the inspector of a key, a watcher, a message, the caches or a page.

use watchglass_engine::view::storage::{BytesView, PageKind, PageView};
use watchglass_engine::view::{GenerationView, KeyView, RevisionView, RowView};
use yew::prelude::*;

use super::{common, index, storage};
use crate::draw::text::{count, duration, grouped};

/// The hint if nothing is selected: the explanation of each subject, and the keys.
pub const KEY_HINT: &str = "Select a key or a bead (a revision of the key) to see its generations, its entry in etcd's \
    key index, and the bytes of its row.";
pub const WATCHER_HINT: &str = "Select a watcher to see its next revision, the last response from etcd, and the \
    client's output.";
pub const NO_WATCHER: &str = "The selected watcher does not exist at this step.";
pub const WHAT_IF_LATER: &str =
    "On its way at this step. What if its packet is lost once, and TCP sends it again?";
pub const MESSAGE_HINT: &str =
    "Select a message to see its contents and, step by step, why it was sent.";
pub const CACHE_HINT: &str = "Once there is an API server, this panel shows which component would serve each read, and \
    the result of each request.";
pub const KEYBOARD: &str =
    "By keyboard: press Tab to reach the picture, arrow keys to move, Enter to select.";

/// The names of the inspector's tabs for a key.
pub const KEY_VIEWS: &str = "Tabs for the key";
pub const GENERATIONS_TAB: &str = "Generations";
pub const JSON_TAB: &str = "JSON";
pub const BYTES_TAB: &str = "Bytes";
/// The names of the inspector's tabs for a watcher.
pub const WATCHER_VIEWS: &str = "Tabs for the watcher";
pub const STATE_TAB: &str = "State";
pub const PRINTED_TAB: &str = "Printed";
pub const CAUSES_TAB: &str = "Why";
/// The names of the inspector's tabs for a message.
pub const MESSAGE_VIEWS: &str = "Tabs for the message";
pub const MESSAGE_CAUSES_TAB: &str = "Why?";
pub const MESSAGE_TAB: &str = "Message";
/// The names of the inspector's tabs for the caches.
pub const CACHE_VIEWS: &str = "Tabs for the caches";
pub const ROUTES_TAB: &str = "Routes";
pub const REQUEST_TAB: &str = "Request";
pub const SERVERS_TAB: &str = "Servers";

/// The label of a button that has copied a text, and the label of the field with the text if the page cannot copy it.
pub const COPIED: &str = "Copied";
pub const COPY_MANUALLY: &str = "Copy this text manually";

pub const GENERATIONS: &str = "Generations, newest first";
pub const NOT_INDEXED: &str = "The key index does not contain this key at this step.";
/// The names of the fields of a generation.
pub const CREATED: &str = "created";
pub const REVS: &str = "revs";
pub const CURRENT_VALUE: &str = "current value";
pub const GENERATION_REMOVED: &str =
    "The compaction has removed this generation from the key index.";
pub const GENERATION_EMPTY: &str = "The delete added this empty generation. The next put of the key becomes the first \
    change of this generation.";

/// The texts about the key's entry in the key index.
pub const ENTRY: &str = "key index entry";
pub const ENTRY_AS_JSON: &str = "Key index entry as JSON";
pub const NO_ENTRY: &str = "The key index does not contain this key at this step: the key was not written yet, or a \
    compaction removed its last generation.";

/// The notes about a row.
pub const NO_ROW: &str = "No row of this key is selected.";
pub const TOMBSTONE_ROW: &str = "A tombstone: its row contains only the key.";
/// The name of the list of the parts of a byte string.
pub const MEANING_OF_BYTES: &str = "Meaning of the bytes; the numbers are byte positions";

/// The meanings of the fields of a row.
pub const FIELD_KEY: &str = "the key's bytes";
pub const FIELD_CREATE_REVISION: &str = "revision of the first put of this generation";
pub const FIELD_MOD_REVISION: &str = "revision of this change";
pub const FIELD_VERSION: &str = "number of puts so far in this generation";
pub const FIELD_VALUE: &str = "the value's bytes";
pub const FIELD_LEASE: &str = "the lease of the key, if any";
/// The meanings of the parts of a bucket key.
pub const PART_MAIN: &str = "the revision of the transaction, big-endian, so that the order of rows is the order of \
    writes";
pub const PART_SEPARATOR: &str = "an underscore";
pub const PART_SUB: &str = "the change's position in the transaction";
pub const PART_TOMBSTONE: &str = "t marks a delete";

/// The names of the fields of a watcher.
pub const CLIENT: &str = "client";
pub const STREAM_AND_WATCH_ID: &str = "stream · watch_id";
pub const KEYS: &str = "keys";
pub const NEXT: &str = "next (minRev)";
pub const NOT_SENT: &str = "not yet sent";
pub const OPTIONS: &str = "options";
/// The value of `start_revision` if the watcher starts at the current revision.
pub const NOW: &str = "now";
/// The text if etcd has sent all revisions to a watcher.
pub const NOTHING: &str = "nothing";
/// The texts about the last response and the next batch of a watcher.
pub const LAST_RESPONSE: &str = "Last response";
pub const EVENTS: &str = "events";
pub const REVISIONS: &str = "revisions";
pub const NEXT_BATCH: &str = "Next sync pass sends";
pub const AT_MOST: &str = "at most";
/// The texts about the output of a watcher's client.
pub const NO_OUTPUT: &str = "The client has printed nothing yet.";
pub const OUTPUT: &str = "Output of the client";

pub const CAUSES: &str = "Causes, oldest first";
pub const NO_CAUSE: &str = "This event has no earlier cause.";

/// The notes about a request.
pub const NO_REQUEST: &str = "No request yet at this step.";
pub const FELL_BACK: &str =
    "The request waited too long for the cache, so the API server read from etcd.";
pub const NO_PARTS: &str = "The breakdown of the time appears once the request has a response.";
/// The fields of a request.
pub const API_SERVER: &str = "API server";
pub const NEEDS: &str = "needs revision";
pub const RETURNED: &str = "returned revision";
pub const CODE: &str = "code";
pub const OBJECTS: &str = "objects";
pub const OBJECTS_READ: &str = "objects read";
pub const INDEX: &str = "index";
/// The parts of a request's duration.
pub const LINKS: &str = "network";
pub const REVISION_OF_ETCD: &str = "etcd's revision";
pub const WAIT_FOR_CACHE: &str = "waiting for the cache";
pub const READ_OF_ETCD: &str = "etcd";

/// Returns the name of the time in an API server. If the conversion of the objects or the collection of garbage has
/// costs of its own, the name contains their times, in microseconds.
pub fn in_server(convert_us: u64, collect_us: u64) -> String {
    match convert_us + collect_us {
        0 => "in the API server".to_owned(),
        _ => format!(
            "in the API server, including conversion {} and garbage collection {}",
            duration(convert_us),
            duration(collect_us)
        ),
    }
}

/// The names of the fields of an API server and its cache.
pub const VERSION: &str = "version";
pub const FRESHNESS: &str = "freshness";
pub const PROGRESS: &str = "progress";
pub const SUPPORTED: &str = "supported";
pub const NOT_SUPPORTED: &str = "not supported by this etcd";
pub const GATES: &str = "feature gates";
pub const STATE: &str = "state";
pub const CACHE: &str = "cache";
pub const READY: &str = "ready";
pub const REVISION: &str = "revision";
pub const HISTORY: &str = "history";
pub const WINDOW_SIZE: &str = "window size";
pub const SNAPSHOTS: &str = "snapshots";
pub const PROGRESS_REQUESTS: &str = "progress requests";
pub const WATCHES: &str = "watches";
pub const DECODED: &str = "events decoded";

/// The names of the byte strings of a page of the database file.
pub const PAGE_KEY: &str = "Key";
pub const PAGE_VALUE: &str = "Value";
pub const PAGE_HEADER: &str = "Header of the page";
/// The headings of the table with the elements of a page.
pub const ELEMENT_KEY: &str = "Key";
pub const ELEMENT_VALUE: &str = "Value";
pub const ELEMENT_BYTES: &str = "Bytes";

pub fn key_state(view: &KeyView) -> &'static str {
    match (view.alive, view.indexed) {
        (true, _) => "exists",
        (false, true) => "deleted",
        (false, false) if view.generations.is_empty() => "not written yet",
        (false, false) => "compacted",
    }
}

/// Returns the label of the button that copies bytes. Only screen readers read the description of the text.
pub fn copy_bytes(is_done: bool) -> Html {
    html! { <>{ copy(is_done) }<span class="wg-unseen">{ " as hex" }</span></> }
}

/// Returns the label of the button that copies JSON. Only screen readers read the description of the text.
pub fn copy_json(is_done: bool) -> Html {
    html! { <>{ copy(is_done) }<span class="wg-unseen">{ " JSON" }</span></> }
}

fn copy(is_done: bool) -> &'static str {
    if is_done { COPIED } else { common::COPY }
}

/// Formats a revision with its sub revision, as etcd prints it in its key index.
pub fn revision(main: i64, sub: i64) -> String {
    [main.to_string(), sub.to_string()].join(".")
}

/// Describes a change of a key.
pub fn change(rev: &RevisionView) -> String {
    let mut name = String::from("revision ");
    name.push_str(&revision(rev.main, rev.sub));
    if rev.tombstone {
        name.push_str(", tombstone");
    }
    if rev.forgotten {
        name.push_str(", no longer in the index");
    }
    name
}

/// Returns the number of a generation and how it ended.
pub fn generation(generation: &GenerationView) -> Html {
    let how = match generation.ended {
        Some(revision) => format!(" deleted at {revision}"),
        None => " live".to_owned(),
    };
    html! { <>{ index::generation(generation.number) }<em>{ how }</em></> }
}

/// Returns the heading of an empty generation, which has no revision yet.
pub fn empty_generation(number: u32) -> Html {
    html! { <>{ index::generation(number) }<em>{ " empty" }</em></> }
}

/// Returns the number of changes that a generation does not show.
pub fn older(hidden: usize) -> String {
    [&hidden.to_string(), " older,"].concat()
}

pub fn row(row: &RowView) -> String {
    ["Row at revision ", &revision(row.main, row.sub)].concat()
}

/// Returns the note about a row that does not exist. The note says that a compaction removed the row or, if the store
/// was not compacted, that the row is not in the backend.
pub fn no_row(compacted: i64) -> String {
    match compacted {
        ..=0 => "This row is not in the backend.".to_owned(),
        revision => {
            let revision = revision.to_string();
            ["Row removed by the compaction at ", &revision, "."].concat()
        }
    }
}

/// Returns the heading of a row's bucket key.
pub fn bucket_key(row: &RowView) -> String {
    format!("Bucket key, {} bytes", row.bucket_key.len())
}

/// Returns the heading of a row's value.
pub fn value(row: &RowView) -> String {
    let all = row.value_len.to_string();
    if row.value.len() < row.value_len as usize {
        let shown = row.value.len().to_string();
        format!("Value, first {shown} of {all} bytes (protobuf KeyValue)")
    } else {
        format!("Value, {all} bytes (protobuf KeyValue)")
    }
}

/// Returns the name of a message that the picture does not show.
pub fn message(id: u64) -> String {
    format!("message {id}")
}

/// Returns the label of a cause: its step, and its time if known.
pub fn step(step: u64, at_us: Option<u64>) -> String {
    let step = ["step ", &step.to_string()].concat();
    match at_us {
        Some(at) => [&step, " · ", &duration(at)].concat(),
        None => step,
    }
}

/// Returns the revisions that etcd has not sent to a watcher: their range and their number.
pub fn not_sent(range: &str, number: i64) -> String {
    format!("{range}, {} in total", grouped(number))
}

/// Returns the time since the last response.
pub fn ago(us: u64) -> String {
    [&duration(us), " ago"].concat()
}

/// Returns the maximum size of a batch.
pub fn batch(revisions: u32) -> String {
    [&grouped(revisions.into()), " revisions per response"].concat()
}

/// Returns the note that a watcher's channel is full.
pub fn held_batch(revision: i64) -> String {
    let revision = grouped(revision);
    [
        "etcd holds the batch of revision ",
        &revision,
        " until the channel has room.",
    ]
    .concat()
}

pub fn caches_of(resource: &str) -> String {
    ["Caches of ", resource].concat()
}

/// Returns the note that a request waits for the cache.
pub fn waits(us: u64) -> String {
    let waited = duration(us);
    ["The request has waited for the cache for ", &waited, "."].concat()
}

/// Returns the bounds of the size of a cache's history.
pub fn window_size((least, most): (u32, u32)) -> String {
    [grouped(least.into()), grouped(most.into())].join(" to ")
}

/// Returns the number of a cache's snapshots and the revision of the oldest snapshot.
pub fn snapshots(number: u64, oldest: Option<i64>) -> String {
    match oldest {
        Some(oldest) => [&count(number), ", from ", &grouped(oldest)].concat(),
        None => count(number),
    }
}

/// Returns the number of progress requests.
pub fn times(number: u64) -> String {
    common::grouped_count(number, "time", "times")
}

/// Returns the number of events that an API server decoded, and the number that it would have decoded without a cache.
pub fn decoded(with_cache: u64, without_cache: u64) -> String {
    [count(with_cache), count(without_cache)].join(", without a cache ")
}

pub fn page(id: u64) -> String {
    ["Page ", &id.to_string()].concat()
}

/// Returns the kind and the bucket of a page.
pub fn page_state(page: &PageView) -> String {
    let kind = storage::kind(page.kind);
    match (page.kind, page.bucket.as_str()) {
        (PageKind::Branch | PageKind::Leaf, "") => format!("{kind} of all buckets"),
        (PageKind::Branch | PageKind::Leaf, bucket) => format!("{kind} of the bucket {bucket}"),
        _ => kind.to_owned(),
    }
}

/// Returns the number of elements and of used bytes of a page.
pub fn page_use(page: &PageView) -> String {
    let elements = common::count(page.count, "element", "elements");
    let overflow = match page.overflow {
        0 => "",
        1 => ", with one overflow page",
        _ => ", with overflow pages",
    };
    let (used, all) = (count(page.used_bytes), count(page.bytes));
    format!("{elements}, {used} of {all} bytes used{overflow}.")
}

pub fn page_without_elements(page: &PageView) -> Option<&'static str> {
    Some(match page.kind {
        PageKind::Free => "The page is free: later commits can use it.",
        PageKind::Pending => {
            "A commit released the page. A later commit makes the page free, unless an open snapshot still needs the \
            page."
        }
        PageKind::Overflow => "This overflow page continues the page before it.",
        PageKind::Branch | PageKind::Leaf if page.count == 0 => "The page has no elements.",
        _ => return None,
    })
}

/// Returns the label of the button that opens the page of an element.
pub fn child_page(id: u64) -> String {
    ["page ", &id.to_string()].concat()
}

/// Returns the number of elements that the table omits.
pub fn more_elements(missing: usize) -> String {
    format!("and {missing} more elements")
}

/// Returns the heading of a byte string of a page. `name` is one of [`PAGE_KEY`], [`PAGE_VALUE`] and [`PAGE_HEADER`].
pub fn page_bytes(name: &str, view: &BytesView) -> String {
    let (shown, total) = (view.bytes.len() as u64, view.total);
    let length = if shown < total {
        format!("first {} of {} bytes", count(shown), count(total))
    } else {
        format!("{} bytes", count(total))
    };
    format!("{name}, {length} from {:#x}", view.offset)
}
