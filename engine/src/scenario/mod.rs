//! Texts that become a run: behaviour files, stories, shell transcripts and lessons. The same text can serve as a
//! test, as a story and as the base of a lesson.

pub mod beat;
pub mod document;
pub mod exhibit;
pub mod expr;
pub mod format;
pub mod guess;
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
pub use transcript::TranscriptReader;

/// Parses a text of any kind, see [`TextReader`].
pub fn read(text: &str) -> Result<Scenario, FormatError> {
    TextReader::new(text)?.finish()
}

/// A text of any kind that is being parsed.
///
/// A text with shell prompts before etcdctl or kubectl is a transcript, any other text with a line `----` is a scenario
/// file, and all other texts are transcripts or lists of commands. A text has at most [`format::TEXT_BYTES_MAX`] bytes
/// and no NUL character.
///
/// ```
/// use watchglass_engine::scenario::TextReader;
/// let mut reader = TextReader::new("put a 1\nput b 2\n").unwrap();
/// assert!(reader.read(1));
/// assert!(!reader.read(1));
/// assert_eq!(reader.finish().unwrap().blocks.len(), 2);
/// ```
#[derive(Debug)]
pub enum TextReader {
    /// A scenario file, which is parsed as a whole.
    File(Scenario),
    /// A transcript or a list of commands.
    Transcript(Box<TranscriptReader>),
}

impl TextReader {
    /// Determines the kind of a text. If the text is a scenario file, also parses it. Otherwise, [`read`](Self::read)
    /// reads the lines later.
    pub fn new(text: &str) -> Result<Self, FormatError> {
        let has_separator = text
            .lines()
            .any(|line| line.trim_end() == format::SEPARATOR);
        if has_separator && !transcript::has_prompted_tools(text) {
            format::parse(text).map(Self::File)
        } else {
            Ok(Self::Transcript(TranscriptReader::new(text)?.into()))
        }
    }

    /// Reads up to `most` lines. Returns true if lines are left.
    pub fn read(&mut self, most: usize) -> bool {
        match self {
            Self::File(_) => false,
            Self::Transcript(reader) => reader.read(most),
        }
    }

    /// Returns the number of lines read and the number of all lines; 0 for a scenario file.
    pub fn progress(&self) -> (u64, u64) {
        match self {
            Self::File(_) => (0, 0),
            Self::Transcript(reader) => reader.progress(),
        }
    }

    /// Reads the lines that are left, and returns the scenario.
    pub fn finish(self) -> Result<Scenario, FormatError> {
        match self {
            Self::File(scenario) => Ok(scenario),
            Self::Transcript(reader) => reader.finish(),
        }
    }
}
