//! The texts about the guarantees of an API server to its clients: each guarantee and its breaches.

use std::collections::BTreeSet;

pub const CONSISTENT_LIST_NAME: &str = "ConsistentList";
pub const ORDERED_NAME: &str = "Ordered";
pub const RELIABLE_NAME: &str = "Reliable";
pub const BOOKMARKABLE_NAME: &str = "Bookmarkable";

/// The guarantees, each in one sentence.
pub const CONSISTENT_LIST: &str = "A list without a resource version is never older than a write that was \
    acknowledged before the list was requested, and contains exactly the objects that existed at its resource version.";
pub const ORDERED: &str = "A watch receives changes in the order of their resource versions, and never receives a \
    change twice.";
pub const RELIABLE: &str = "When a watch receives a change, the watch has already received every earlier change that \
    it asked for.";
pub const BOOKMARKABLE: &str =
    "When a watch receives a bookmark, it has received every change up to the bookmark.";

/// Short texts that the page shows beside a guarantee.
pub const HOLDS: &str = "holds";
pub const NOT_EXERCISED_YET: &str = "not exercised yet";

/// Returns the short text that the page shows beside a broken guarantee.
pub fn broken_in(step: u64) -> String {
    format!("in step {step}")
}

/// Returns the sentence that states a guarantee, and the first breach of the guarantee.
pub fn broken(promise: &str, step: u64, breach: &str) -> String {
    format!("{promise} Broken in step {step}: {breach}.")
}

// The breaches.

/// Describes a list at a revision that a restored backup has removed.
pub fn list_of_lost_revision(revision: u64, newest: u64) -> String {
    format!(
        "a consistent list has revision {revision}, but etcd is at revision {newest}, because etcd was restored from \
        a backup"
    )
}

/// Describes a list that is older than a write that was committed before the request.
pub fn list_older_than_write(revision: u64, committed: u64) -> String {
    format!(
        "a consistent list has revision {revision}, although revision {committed} was committed before the request"
    )
}

pub fn list_older_than_minimum(revision: u64, minimum: u64) -> String {
    format!("a list has revision {revision}, but must not be older than revision {minimum}")
}

/// Describes a list with wrong objects by the first object that is missing or should be missing. Each object has its
/// name and its resource version.
pub fn wrong_objects(
    revision: u64,
    received: &[(String, u64)],
    expected: &[(String, u64)],
) -> String {
    let [had, wanted] = [received, expected].map(|all| all.iter().collect::<BTreeSet<_>>());
    let missing = expected.iter().find(|object| !had.contains(object));
    let wrong = received.iter().find(|object| !wanted.contains(object));
    let detail = match (missing, wrong) {
        (Some((name, rv)), _) => format!("{name} of revision {rv} is missing"),
        (None, Some((name, rv))) => format!("{name} of revision {rv} must be missing"),
        (None, None) => "the objects are in a wrong order".into(),
    };
    let (received, expected) = (received.len(), expected.len());
    format!(
        "a list at revision {revision} contains {received} objects instead of {expected}: {detail}"
    )
}

/// Describes an event that is not newer than an earlier event.
pub fn out_of_order(revision: u64, earlier: u64) -> String {
    format!("a watch received revision {revision} after revision {earlier}")
}

/// Describes an event that is newer than the store.
pub fn in_future(revision: u64) -> String {
    format!("a watch received revision {revision}, which does not exist yet")
}

/// Describes an event that was received instead of the expected event. Each event has a type and a revision.
pub fn wrong_event(received: (&str, u64), expected: (&str, u64), key: &str) -> String {
    format!(
        "a watch received {} at revision {}, but the expected event is {} of {key} at revision {}",
        received.0, received.1, expected.0, expected.1
    )
}
