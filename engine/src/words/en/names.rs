//! The names that the page uses for watchers and key ranges to which the user gave no name.

pub const EVERY_KEY: &str = "every key";

/// The names of the states of a watcher.
pub const SYNCED: &str = "synced";
pub const UNSYNCED: &str = "unsynced";
pub const VICTIM: &str = "victim";
pub const COMPACTED: &str = "compacted";
pub const GONE: &str = "gone";

/// Returns the name of a watcher whose watch has no name.
pub fn watcher(number: u64) -> String {
    format!("watcher {number}")
}
