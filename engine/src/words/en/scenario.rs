//! The texts about scenario files: the errors in a file, and names of stories, lessons and views that do not exist.

use std::fmt::Display;

/// The errors of a text.
pub const NOT_A_TEXT: &str = "this is not text; a transcript has lines such as `$ etcdctl put a 1`";
pub const HEADER_SYNTAX: &str = "a header line is written `#! key: value`";

/// Returns an error with its line.
pub fn at_line(line: u32, error: impl Display) -> String {
    format!("line {line}: {error}")
}

/// Returns the error of a text that is too long.
pub fn text_too_long(mib: usize) -> String {
    format!("the text is larger than the limit of {mib} MiB; divide it into smaller texts")
}

/// Returns the error of a command without an output.
pub fn command_without_output(command: &str, separator: &str) -> String {
    format!("the command `{command}` has no `{separator}` line with its output below")
}

/// Returns the error of an output between two lines of dashes whose second line is missing.
pub fn unclosed_output(dashes: &str) -> String {
    format!("the output after `{dashes}` has no closing `{dashes}`")
}

/// Returns the error of an output between doubled separators whose second pair is missing.
pub fn unclosed_doubled_output(separator: &str) -> String {
    format!("the output after a doubled `{separator}` has no closing pair of `{separator}` lines")
}

/// Returns the error of a header line that names a view that does not exist.
pub fn no_such_picture(name: &str, names: &[&str]) -> String {
    format!("there is no picture `{name}`; there are {}", and(names))
}

/// Returns the error of a story that does not exist.
pub fn no_such_story(name: &str, names: &[&str]) -> String {
    format!(
        "there is no story `{name}`; there are: {}",
        names.join(", ")
    )
}

/// Returns the error of a lesson that does not exist.
pub fn no_such_lesson(name: &str, names: &[&str]) -> String {
    format!(
        "there is no lesson `{name}`; there are: {}",
        names.join(", ")
    )
}

/// Returns a list with `and` before the last name.
fn and(names: &[&str]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        names => names.concat(),
    }
}
