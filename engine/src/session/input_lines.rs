//! The lines of a text that is being typed, and the line that is being read.

use std::collections::VecDeque;

use crate::shell::{Command, LineReader, ParseError, Read, Reading};

use super::protocol::{ProgressUnit, RunningCommand};
use super::task::shortened;

/// The maximum number of commands that one call reads from a line.
const COMMANDS_READ_AT_ONCE: usize = 64;

/// The lines that are not read yet. A long line is read in pieces.
#[derive(Debug)]
pub(super) struct InputLines {
    lines: VecDeque<String>,
    reading: Option<(String, Reading)>,
    /// The output of the substituted command, with which the line continues.
    output: Option<Vec<u8>>,
}

/// The result of reading a piece of a line.
pub(super) enum LineRead {
    /// The whole line is read.
    Whole(String, Result<Read, ParseError>),
    /// The rest of the line needs the output of the last of these commands.
    Begun(Vec<Command>),
}

impl InputLines {
    pub(super) fn new(lines: impl IntoIterator<Item = String>) -> Self {
        Self {
            lines: lines.into_iter().collect(),
            reading: None,
            output: None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len() + usize::from(self.reading.is_some())
    }

    pub(super) fn clear(&mut self) {
        self.lines.clear();
        self.reading = None;
        self.output = None;
    }

    /// Returns true if the line that is being read needs the output of its last command.
    pub(super) fn needs_output(&self) -> bool {
        let is_pending = |(_, reading): &(String, Reading)| reading.needs_output();
        self.output.is_none() && self.reading.as_ref().is_some_and(is_pending)
    }

    /// Passes on the output of a substituted command.
    pub(super) fn substitute(&mut self, output: Vec<u8>) {
        self.output = Some(output);
    }

    /// Returns the next line, unless a line is being read.
    pub(super) fn next_line(&mut self) -> Option<&mut String> {
        let next = self.lines.front_mut();
        next.filter(|_| self.reading.is_none())
    }

    /// Reads a piece of a line. Returns `None` if nothing is left to read, or if the piece is not the last one.
    pub(super) fn read_more(&mut self, reader: &mut LineReader) -> Option<LineRead> {
        let (line, mut reading) = match self.reading.take() {
            Some(reading) => reading,
            None => {
                let line = self.lines.pop_front()?;
                match reader.begin_line(&line) {
                    Ok(reading) => (line, reading),
                    Err(error) => return Some(LineRead::Whole(line, Err(error))),
                }
            }
        };
        if let Some(output) = self.output.take()
            && let Err(error) = reader.substitute(&mut reading, output)
        {
            return Some(LineRead::Whole(line, Err(error)));
        }
        match reader.read_more(&mut reading, COMMANDS_READ_AT_ONCE) {
            Ok(None) => {
                self.reading = Some((line, reading));
                None
            }
            Ok(Some(Read::Commands(commands))) if reading.needs_output() => {
                self.reading = Some((line, reading));
                Some(LineRead::Begun(commands))
            }
            read => Some(LineRead::Whole(
                line,
                read.map(|read| read.unwrap_or(Read::Blank)),
            )),
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
