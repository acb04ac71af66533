//! The texts about the writers of the values in a database file.

use watchglass_engine::view::file::writers::{
    Created, KindOfValue, Namespace, Reason, Writer, WritersView,
};

use super::common::grouped_count as count;
use super::file::{number, share};

pub const WHO_WROTE: &str = "Who wrote this?";
/// The label of the choice of a table, and its values.
pub const GROUP_BY: &str = "Group by";
pub const WRITER: &str = "Writer";
/// The form for the keys of encrypted values.
pub const DECRYPT: &str = "Decrypt the values of API servers";
pub const KEYS: &str = "A key in base64, or the text of an EncryptionConfiguration";
pub const DECRYPT_BUTTON: &str = "Decrypt";
pub const KEYS_STAY: &str = "aescbc, aesgcm and secretbox are decrypted, kms is not. The keys stay in the memory of \
    this tab until you close the file: no link, saved run or export contains them. Exported values are decrypted, \
    except in scripts with etcdctl put and in bytes.";
pub const KIND: &str = "Kind";
pub const NAMESPACE: &str = "Namespace";
pub const REASON: &str = "Event reason";
pub const CREATED: &str = "Created on";
/// The label of the filter and its placeholder.
pub const FILTER_LABEL: &str = "Show only names that contain";
pub const FILTER: &str = "Filter";
/// The headings of the columns.
pub const WRITES: &str = "Writes";
pub const AN_HOUR: &str = "An hour";
pub const UNCHANGED: &str = "Changed nothing";
pub const DELETES: &str = "Deletes";
pub const STORED: &str = "Stored revisions";
pub const BYTES: &str = "Bytes";
pub const LIVE_KEYS: &str = "Live keys";
pub const NOTHING: &str = "No name contains this text.";
pub const HOW: &str = "How Watchglass counts";

/// The rules of the tables.
pub const RULES: [&str; 4] = [
    "The writer of a value is the entry of metadata.managedFields with the newest time. Entries name workflows, such \
     as controllers, not authenticated users. A write that leaves managedFields as it was counts for the writer \
     before, for example a delete that waits for a finalizer.",
    "A compaction removes older values, so only the changes after the compact revision are complete. The writes, their \
     rates and the share that changed nothing count these changes; stored revisions and bytes count all values in the \
     file, and for a prefix also the deletes.",
    "A write changed nothing if its value is equal to the previous value of the key, or if it differs only in times of \
     managedFields or in the resource version.",
    "The times are those of managedFields. The live keys of a writer are the keys whose last value it wrote. Deletes \
     have no writer. The prefixes are those of the list above. The days of creation are those of \
     metadata.creationTimestamp, in UTC: a key that is deleted and created again has two.",
];

/// Names a writer.
pub fn writer(writer: &Writer) -> String {
    match writer {
        Writer::Manager {
            manager,
            operation,
            subresource,
        } if subresource.is_empty() => format!("{manager} ({operation})"),
        Writer::Manager {
            manager,
            operation,
            subresource,
        } => format!("{manager} ({operation}, {subresource})"),
        Writer::Several => "several managers in the same second".to_owned(),
        Writer::NoManager => "objects without managedFields".to_owned(),
        Writer::Encrypted => "encrypted values".to_owned(),
        Writer::Other => "values that are no Kubernetes objects".to_owned(),
    }
}

pub fn kind(kind: &KindOfValue) -> String {
    match kind {
        KindOfValue::Object { api_version, kind } => format!("{kind} ({api_version})"),
        KindOfValue::Encrypted => "encrypted values".to_owned(),
        KindOfValue::Other => "values that are no Kubernetes objects".to_owned(),
    }
}

pub fn namespace(namespace: &Namespace) -> String {
    match namespace {
        Namespace::Named(name) => name.clone(),
        Namespace::Cluster => "objects without a namespace".to_owned(),
        Namespace::Unknown => {
            "encrypted values, and values that are no Kubernetes objects".to_owned()
        }
    }
}

pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Event(reason) if reason.is_empty() => "events without a reason".to_owned(),
        Reason::Event(reason) => reason.clone(),
        Reason::NoEvent => "everything except events".to_owned(),
    }
}

/// Names the day on which objects were created.
pub fn created(created: &Created) -> String {
    let unknown = || "values without a creation timestamp".to_owned();
    created.date().unwrap_or_else(unknown)
}

/// Answers who wrote the most, and how many writes changed nothing.
pub fn answer(view: &WritersView) -> String {
    let all = view.changes.writes;
    let Some(first) = view
        .writers
        .first()
        .filter(|first| first.changes.writes > 0)
    else {
        return "The file contains no write after its compact revision.".to_owned();
    };
    let writes = first.changes.writes;
    let rate = view
        .per_hour(writes)
        .map_or_else(String::new, |rate| format!(", {} an hour", number(rate)));
    let most = format!(
        "Most writes are from {}: {} of {} ({}){rate}.",
        writer(&first.name),
        number(writes),
        number(all),
        share(writes, all),
    );
    let idle = view
        .writers
        .iter()
        .max_by_key(|group| group.changes.unchanged());
    match idle.filter(|group| group.changes.unchanged() > 0) {
        Some(idle) => format!(
            "{most} Of all writes, {} changed nothing. Most of these are from {}: {} of its writes changed nothing.",
            share(view.changes.unchanged(), all),
            writer(&idle.name),
            share(idle.changes.unchanged(), idle.changes.writes),
        ),
        None => format!("{most} Each write changed its object."),
    }
}

/// Describes which changes the file contains.
pub fn covered(view: &WritersView) -> String {
    let changes = format!(
        "{} and {}",
        count(view.changes.writes, "write", "writes"),
        count(view.changes.deletes, "delete", "deletes")
    );
    let since = match view.since {
        0 => format!("The store was never compacted: the file contains all changes, {changes}"),
        since => format!(
            "The file contains each change after the compact revision {}: {changes}",
            number(since)
        ),
    };
    match view.dates() {
        Some((from, to)) => format!("{since}, from {from} to {to} (UTC)."),
        None => format!("{since}. Their times are unknown, so there are no rates."),
    }
}

/// Labels the button that shows all rows of a table.
pub fn show_all(rows: usize) -> String {
    format!("Show all {}", number(rows as u64))
}

/// Returns the sentence about encrypted values: the number of values that are decrypted, and of those that are not.
pub fn encrypted(decrypted: u64, others: u64) -> String {
    let values = |number: u64| count(number, "value", "values");
    match (decrypted, others) {
        (0, others) => format!("API servers have encrypted {}.", values(others)),
        (decrypted, 0) => format!("{} decrypted with your keys.", values(decrypted)),
        (decrypted, others) => format!(
            "{} decrypted with your keys; {} still encrypted: by another key or provider.",
            values(decrypted),
            values(others)
        ),
    }
}
