//! Texts that become a run: behaviour files, stories, shell transcripts and lessons. The same text can serve as a
//! test, as a story and as the base of a lesson.

pub mod beat;
pub mod expr;
pub mod format;
pub mod included;
mod joined;
pub mod lesson;
pub mod lessons;
pub mod picture;
mod plain;
mod same_output;
pub mod skipped;
pub mod stories;
pub mod transcript;

pub use beat::Beat;
pub use format::{Block, Expected, FormatError, Scenario};
pub use joined::INTERRUPT;
pub use same_output::{Sameness, compare_output, is_beside_events};
pub use skipped::{SkippedLine, SkippedLines};

/// Parses a text of any kind.
///
/// A text with shell prompts before etcdctl or kubectl is a transcript, any other text with a line `----` is a scenario
/// file, and all other texts are transcripts or lists of commands. A text has at most [`format::TEXT_BYTES_MAX`] bytes
/// and no NUL character.
pub fn read(text: &str) -> Result<Scenario, FormatError> {
    let has_separator = text
        .lines()
        .any(|line| line.trim_end() == format::SEPARATOR);
    if has_separator && !transcript::has_prompted_tools(text) {
        format::parse(text)
    } else {
        transcript::parse(text)
    }
}
