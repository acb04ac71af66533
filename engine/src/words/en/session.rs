//! The texts about a run: its title, its start, its snapshots and its memory usage.

/// The titles of runs that have no title of their own.
pub const SANDBOX: &str = "Sandbox";
pub const TRANSCRIPT: &str = "Transcript";

/// The label of the first branch of a run.
pub const START: &str = "start";

/// The narration of the start of an empty run.
pub const EMPTY_STORE: &str = "The store is empty and is at revision 1.";

/// The narration of a command such as `show`, which makes no step.
pub const NO_STEP: &str = "The command only prints; nothing in the simulated system changes.";

/// The error message for an undo when the user has typed no command.
pub const NOTHING_TO_UNDO: &str = "there is nothing to undo";

/// The parts of a run that use memory, for the page's list of memory usage.
pub const EVENTS: &str = "steps and their events";
pub const OBSERVED: &str = "changes and responses";
pub const SAVED_STATES: &str = "saved states of the run";
pub const OUTPUTS: &str = "outputs in the terminal";
pub const OTHER_BRANCHES: &str = "other branches";

/// Returns the narration of the start of a run on a database file.
pub fn started_on(file: &str, revision: i64, keys: i64) -> String {
    match keys {
        1 => format!("etcd started on {file}: revision {revision}, 1 key."),
        keys => format!("etcd started on {file}: revision {revision}, {keys} keys."),
    }
}

/// Returns the narration of a command that a person typed at an earlier step.
pub fn read_in_the_past(step: u64) -> String {
    format!("Your command reads the state at step {step}; the run does not change.")
}

pub fn too_long_to_repeat(steps: u64, most: u64) -> String {
    format!(
        "The run has {steps} steps before the cursor. Runs with more than {most} steps are not repeated. Move the \
         cursor to an earlier step, or shorten the run."
    )
}

/// Returns the error message for a search for a failure that the run has already had.
pub fn has_failed(step: u64) -> String {
    format!("The run has already failed by step {step}. Move the cursor to an earlier step.")
}

pub fn snapshot_too_large(max_gib: u64) -> String {
    format!("The database has more than {max_gib} GiB, and cannot be saved as a file.")
}

pub fn no_snapshot(name: &str) -> String {
    format!("This branch has no snapshot {name}.")
}
