//! The lines of a text that is being typed, and the line that is being read.

use std::collections::VecDeque;

use crate::shell::{LineReader, ParseError, Read, Reading};

use super::protocol::{ProgressUnit, RunningCommand};
use super::task::shortened;

/// The maximum number of commands that one call reads from a line.
const COMMANDS_READ_AT_ONCE: usize = 64;

/// The lines that are not read yet. A long line is read in pieces.
#[derive(Debug)]
pub(super) struct InputLines {
    lines: VecDeque<String>,
    reading: Option<(String, Reading)>,
}

impl InputLines {
    pub(super) fn new(lines: impl IntoIterator<Item = String>) -> Self {
        Self {
            lines: lines.into_iter().collect(),
            reading: None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len() + usize::from(self.reading.is_some())
    }

    pub(super) fn clear(&mut self) {
        self.lines.clear();
        self.reading = None;
    }

    /// Returns the next line, unless a line is being read.
    pub(super) fn next_line(&mut self) -> Option<&mut String> {
        let next = self.lines.front_mut();
        next.filter(|_| self.reading.is_none())
    }

    /// Reads a piece of a line. Returns the line and its commands once the whole line is read.
    pub(super) fn read_more(
        &mut self,
        reader: &mut LineReader,
    ) -> Option<(String, Result<Read, ParseError>)> {
        let (line, mut reading) = match self.reading.take() {
            Some(reading) => reading,
            None => {
                let line = self.lines.pop_front()?;
                match reader.begin_line(&line) {
                    Ok(reading) => (line, reading),
                    Err(error) => return Some((line, Err(error))),
                }
            }
        };
        match reader.read_more(&mut reading, COMMANDS_READ_AT_ONCE) {
            Ok(None) => {
                self.reading = Some((line, reading));
                None
            }
            Ok(Some(read)) => Some((line, Ok(read))),
            Err(error) => Some((line, Err(error))),
        }
    }

    /// Returns the progress of the line that is being read, if any.
    pub(super) fn progress(&self) -> Option<RunningCommand> {
        let (line, reading) = self.reading.as_ref()?;
        Some(RunningCommand {
            text: shortened(line),
            steps: 0,
            done: reading.done(),
            total: reading.total(),
            unit: ProgressUnit::Commands,
        })
    }
}
