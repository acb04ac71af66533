//! The texts about the goal of a challenge: what the store must contain, and how it differs from the goal. Text between
//! backticks is shown as code.

/// The condition that the keys are those of the goal.
pub const WANT_KEYS: &str = "Each key has the revisions that the picture shows.";

/// Returns the condition about the revision of the store.
pub fn want_revision(revision: i64) -> String {
    format!("The store is at revision {revision}.")
}

/// Returns the reason why the condition about the revision does not hold.
pub fn is_at_revision(revision: i64) -> String {
    format!("Your store is at revision {revision}.")
}

/// Returns the condition about the compaction. `revision` is -1 if the store must not be compacted.
pub fn want_compacted(revision: i64) -> String {
    match revision {
        -1 => "No history is compacted.".to_owned(),
        _ => format!("The history before revision {revision} is compacted."),
    }
}

/// Returns the reason why the condition about the compaction does not hold.
pub fn is_compacted(revision: i64) -> String {
    match revision {
        -1 => "Your store is not compacted.".to_owned(),
        _ => format!("Your store is compacted at revision {revision}."),
    }
}

pub fn key_missing(key: &str) -> String {
    format!("The goal has a key `{key}`, and your store does not.")
}

pub fn key_not_in_goal(key: &str) -> String {
    format!("Your store has a key `{key}`, and the goal does not.")
}

/// Returns the sentence about a put that only the goal has.
pub fn put_missing(key: &str, revision: i64) -> String {
    format!("The goal has a put of `{key}` at revision {revision}, and your store does not.")
}

/// Returns the sentence about a delete that only the goal has.
pub fn delete_missing(key: &str, revision: i64) -> String {
    format!("The goal has a delete of `{key}` at revision {revision}, and your store does not.")
}

/// Returns the sentence about a change of a key that only the learner's store has.
pub fn not_in_goal(key: &str, revision: i64) -> String {
    format!(
        "Your store has a change of `{key}` at revision {revision} that the goal does not have."
    )
}

/// Returns the sentence about a key with the right revisions, but other generations or another version.
pub fn other_generations(key: &str) -> String {
    format!(
        "`{key}` has the revisions of the goal, but not its generations or its version: select the key to compare them."
    )
}
