//! Texts that become a run: behaviour files, stories, shell transcripts, lessons. One text is a
//! test, a transcript and the skeleton of a lesson.

pub mod beat;
pub mod expr;
pub mod format;
pub mod included;
pub mod lesson;
pub mod lessons;
pub mod picture;
pub mod skipped;
pub mod stories;
pub mod transcript;

pub use beat::Beat;
pub use format::{Block, Expected, FormatError, Scenario};
pub use skipped::{SkippedLine, SkippedLines};

/// Reads any of them.
///
/// A text with a line `----` is a scenario file, one with prompts of a shell a transcript, and
/// everything else a list of commands. Each of them has at most [`format::TEXT_BYTES_MAX`]
/// bytes and no NUL.
pub fn read(text: &str) -> Result<Scenario, FormatError> {
    if text
        .lines()
        .any(|line| line.trim_end() == format::SEPARATOR)
    {
        format::parse(text)
    } else {
        transcript::parse(text)
    }
}
