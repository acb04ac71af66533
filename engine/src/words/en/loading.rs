//! The texts about runs that cannot be loaded from a transcript, a saved run or a link.

/// The error messages for saved runs that cannot be loaded.
pub const SAVED_IN_SAVED: &str = "a saved run cannot contain another saved run";
pub const SAVED_NOT_BASE64: &str = "this saved run is damaged: the text is not base64";
pub const SAVED_DAMAGED: &str = "this saved run is damaged or from another version";

pub const LINK_DAMAGED: &str =
    "This link is damaged or incomplete. Please copy the whole link again.";

/// Returns the error message for an unknown etcd version.
pub fn no_profile(profile: &str) -> String {
    format!("there is no profile `{profile}`; the profiles are 3.4, 3.5, 3.6 and 3.7")
}

/// Returns the error message for a transcript without a command. `reason` is the error message about line `line`.
pub fn no_command(line: u32, reason: &str) -> String {
    format!("None of these lines is a command that Watchglass knows. Line {line}: {reason}")
}

/// Returns the reason why the page skipped a line: its first word is not a command of the simulator.
pub fn unknown_command(word: &str) -> String {
    format!("`{word}` is not a command here")
}

/// Returns the error message for a run that needs too much memory.
pub fn run_too_large(limit: &str, done: u64, commands: u64) -> String {
    format!(
        "This run needs more memory than the limit of {limit}: only {done} of its {commands} commands fit. Open the \
        run in the app, or shorten the run."
    )
}

/// Returns the error message for text that is not a saved run. A saved run starts with `prefix`.
pub fn not_saved(prefix: &str) -> String {
    format!("this is not a saved run: the text does not start with `{prefix}` and a known version")
}

pub fn saved_too_large(mb: usize, max_mb: usize) -> String {
    format!("this saved run has {mb} MB; the maximum is {max_mb} MB")
}

/// Returns the error message for a link that a newer version of the page created.
pub fn newer_link(version: &str) -> String {
    format!(
        "This link has version `{version}` and needs a newer version of Watchglass; your Watchglass reads `v1` to `v3`"
    )
}

/// Returns the error message for text that is not a link to a run.
pub fn not_link(version: u8) -> String {
    format!("This is not a link to a run: the text does not start with `v{version}.`")
}

pub fn link_too_long(characters: usize, max: usize) -> String {
    format!("This link has {characters} characters; the maximum is {max}")
}

/// Returns the error message for a link with too many commands.
pub fn too_many_commands(commands: usize, max: usize) -> String {
    format!("This link has {commands} commands; the maximum is {max}")
}
