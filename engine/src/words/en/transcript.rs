//! The texts about transcripts: a text without a command, and the reasons why a line does not run.

/// A text without a command.
pub const NO_COMMAND: &str = "no command found; write one a line, such as `etcdctl put a 1`, with or without a `$ ` \
    in front";

/// The reasons why a line does not run.
pub const OTHER_PROMPT: &str = "the prompt differs from the prompt of the other lines";
pub const NO_PROMPT: &str = "no prompt stands in front of it";
