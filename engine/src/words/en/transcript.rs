//! The texts about transcripts: a text without a command, and the reasons why a line does not run.

/// A text without a command.
pub const NO_COMMAND: &str = "no command found; write each command on its own line, such as `etcdctl put a 1`, with or \
    without a `$ ` before it";

/// The reasons why a line does not run.
pub const OTHER_PROMPT: &str = "the prompt differs from the prompt of the other lines";
pub const NO_PROMPT: &str = "the line has no prompt before the command";
