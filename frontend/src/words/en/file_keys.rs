//! The texts about the keys of a database file, their values, and the files in which they are saved.

use watchglass_engine::view::StoredValue;
use watchglass_engine::view::file::KeyRevision;
use watchglass_engine::view::file::key_list::{KeyList, KeyOrder, KeyRow};
use yew::prelude::*;

use super::common::grouped_count as count;
use super::file::{bytes_exactly, number};

pub const WHICH_KEYS: &str = "Which keys change most, and which can come back?";
/// The controls of the list of keys.
pub const FILTER_LABEL: &str = "Show only keys that contain";
pub const FILTER: &str = "Part of a key";
pub const ONLY_DELETED: &str = "Deleted keys only";
pub const ORDER: &str = "Order";
pub const MORE: &str = "Show more keys";
pub const SAVE_TABLE: &str = "CSV of all";
pub const SAVE_SCRIPT: &str = "etcdctl script";
/// The headings of the columns.
pub const LAST_CHANGE: &str = "Last change";
pub const WRITES: &str = "Writes";
pub const VERSION: &str = "Version";
pub const REVISIONS: &str = "Revisions";
pub const SIZE: &str = "Last value";
/// The text in place of the size of a value that is not in the file.
pub const NO_VALUE: &str = "not in the file";

/// The texts about a value.
pub const VALUE: &str = "Value";
pub const CLOSE_VALUE: &str = "Close the value";
pub const OBJECT: &str = "object";
pub const NAMESPACE: &str = "namespace";
pub const NAME: &str = "name";
pub const IN_THE_FILE: &str = "Revisions in the file";
pub const SAVE_AS: &str = "Save this value as";
pub const AS_JSON: &str = "JSON object";
pub const AS_YAML: &str = "YAML object";
pub const AS_BYTES: &str = "bytes";
pub const AS_SCRIPT: &str = "etcdctl script";
pub const ENCRYPTED: &str =
    "An API server encrypted this value. Reading it needs the encryption key of the API server.";
pub const SECRET: &str = "This is a Secret, so its value is hidden.";
pub const SHOW_SECRET: &str = "Show the Secret";
/// The note above the fields of an object by their numbers.
pub const BY_NUMBER: &str = "Watchglass does not know the names of all fields of this object. It shows each field by \
    its number, and saves the object as bytes or as a script. It knows the fields of ConfigMap, Secret, \
    ServiceAccount, Namespace, Lease, Role, ClusterRole, RoleBinding and ClusterRoleBinding; custom resources are \
    stored as JSON.";
/// The label of the bytes of a value.
pub const BYTES: &str = "Bytes";

pub fn order(order: KeyOrder) -> &'static str {
    match order {
        KeyOrder::Writes => "most writes",
        KeyOrder::Version => "highest version",
        KeyOrder::Size => "largest value",
        KeyOrder::Newest => "newest change",
        KeyOrder::Key => "key",
    }
}

/// Answers which key changes most, from the list in that order.
pub fn busiest(first: &KeyRow, rate: Option<u64>) -> String {
    let rate = rate.map_or_else(String::new, |rate| format!(", {} an hour", number(rate)));
    format!(
        "{} has the most writes: {}{rate}. ",
        first.text,
        number(first.changes.writes)
    )
}

/// Describes how many keys match the search, and what the buttons save.
pub fn matches(list: &KeyList) -> Html {
    let found = format!(
        "{}, {} of them deleted.",
        count(list.matches, "key matches", "keys match"),
        number(list.deleted)
    );
    html! {
        <>
            { found }
            { " Choose a key to see its revisions. The script puts the last value of each matching key with " }
            <code>{ "etcdctl put" }</code>
            { ", also the values of Secrets, in readable form." }
        </>
    }
}

/// Describes the last change of a key.
pub fn last_change(row: &KeyRow) -> String {
    let revision = number(row.revision);
    match row.is_deleted {
        true => format!("deleted at {revision}"),
        false => revision,
    }
}

/// Returns the number of writes, and how many of them changed nothing.
pub fn writes(row: &KeyRow) -> String {
    match row.changes.unchanged() {
        0 => number(row.changes.writes),
        unchanged => format!(
            "{} ({} changed nothing)",
            number(row.changes.writes),
            number(unchanged)
        ),
    }
}

/// Describes the row that contains a value.
pub fn value(value: &StoredValue) -> String {
    let deleted = value.deleted.map_or_else(String::new, |revision| {
        format!("The key was deleted at revision {}. ", number(revision))
    });
    let Some(at) = value.at else {
        return format!("{deleted}The file contains no value of this key.");
    };
    let mut text = format!(
        "{deleted}Value at revision {}, created at {}, version {}, {}",
        number(at.main),
        number(value.create_revision),
        number(value.version),
        bytes_exactly(value.bytes)
    );
    if value.lease != 0 {
        text.push_str(&format!(", lease {:x}", value.lease));
    }
    text
}

/// Labels a revision of a key.
pub fn revision(row: &KeyRevision) -> String {
    let at = row.revision;
    let place = match at.sub {
        0 => number(at.main),
        sub => format!("{}.{sub}", number(at.main)),
    };
    match row.is_delete {
        true => format!("{place} deleted"),
        false => place,
    }
}

/// Returns the number of revisions that are not shown.
pub fn more_revisions(more: u64) -> String {
    format!("and {}", count(more, "older revision", "older revisions"))
}

/// Returns the note below a long value.
pub fn only_first(bytes: u64) -> String {
    format!("Only the first {} are shown.", bytes_exactly(bytes))
}
