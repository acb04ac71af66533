//! The texts about the comparison of two states of a store: errors.

pub const NO_REVISION: &str = "The first revision is 1. Enter a revision from 1 on.";
pub const NOT_COMPARED: &str = "The files are not compared any more. Compare them again.";

pub fn future(file: &str, at: i64, newest: i64) -> String {
    format!(
        "{file} ends at revision {newest}, before revision {at}. Enter a revision up to {newest}."
    )
}

pub fn compacted(file: &str, at: i64, compacted: i64) -> String {
    format!(
        "The state at revision {at} is compacted in {file}. Enter a revision from {compacted} on."
    )
}

/// Returns the error message for two files with more keys and rows than fit in memory.
pub fn too_large(max_mib: u64) -> String {
    format!(
        "A comparison of these files needs more than {max_mib} MiB for their keys and rows. Compare smaller snapshots, \
        for example of defragmented members after a compaction."
    )
}
