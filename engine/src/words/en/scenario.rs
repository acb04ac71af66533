//! The texts about scenario files: errors in a file, and names of stories, lessons and views that do not exist.

use std::fmt::Display;

/// The error messages for a scenario file or transcript that cannot be parsed.
pub const NOT_A_TEXT: &str = "this is not text; a transcript has lines such as `$ etcdctl put a 1`";
pub const HEADER_SYNTAX: &str = "a header line is written `#! key: value`";
pub const COVER_SYNTAX: &str = "a cover is written `#! cover: beat:4`; beats are counted from 1";

/// Returns an error message with the number of the line that has the error.
pub fn at_line(line: u32, error: impl Display) -> String {
    format!("line {line}: {error}")
}

/// Returns the error message for a transcript that is larger than `mib` MiB.
pub fn text_too_long(mib: usize) -> String {
    format!("the text is larger than the limit of {mib} MiB; divide it into smaller texts")
}

/// Returns the error message for a command of a transcript whose output is missing.
pub fn command_without_output(command: &str, separator: &str) -> String {
    format!(
        "the command `{command}` must be followed by a `{separator}` line and then by its output"
    )
}

/// Returns the error message for an output that starts with a line of dashes and has no closing line of dashes.
pub fn unclosed_output(dashes: &str) -> String {
    format!("the output after `{dashes}` has no closing `{dashes}`")
}

/// Returns the error message for an output that starts with a doubled separator and has no closing doubled separator.
pub fn unclosed_doubled_output(separator: &str) -> String {
    format!(
        "an output that starts with two `{separator}` lines must end with two `{separator}` lines"
    )
}

/// Returns the error message for a header line that names a view that does not exist.
pub fn no_such_picture(name: &str, names: &[&str]) -> String {
    format!(
        "there is no picture `{name}`; the pictures are {}",
        and(names)
    )
}

pub fn no_such_story(name: &str, names: &[&str]) -> String {
    format!(
        "There is no story `{name}`. The stories are {}.",
        names.join(", ")
    )
}

pub fn no_such_lesson(name: &str, names: &[&str]) -> String {
    format!(
        "There is no lesson `{name}`. The lessons are {}.",
        names.join(", ")
    )
}

/// Returns the names as a list for a sentence, with `and` before the last name.
fn and(names: &[&str]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        names => names.concat(),
    }
}
