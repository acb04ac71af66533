//! The content of the terminal: the typed commands of a run and their outputs.
//!
//! A long run has a million commands. To save memory, an entry and its steps share the text of the command and the
//! beat. When all outputs together become too large, only the start of each old output is kept.

use std::sync::Arc;

use crate::base::rng::Rng;
use crate::base::shared_list::{ListIter, SharedList};
use crate::scenario::Beat;
use crate::scenario::expr::Exchange;
use crate::shell::Output;
use crate::view::{EntryKind, TranscriptOutput};

/// The maximum total size of all outputs, in bytes. Above this size, the terminal cuts old outputs.
const OUTPUT_BYTES_KEPT: usize = 64 << 20;

/// The number of bytes of an old output that remain when the output is cut.
const OUTPUT_BYTES_SHORT: usize = 2_000;

/// The number of newest entries that keep their requests and responses.
const EXCHANGES_KEPT: usize = 100;

/// The terminal entries of a run, ordered by step and, within a step, by beat.
#[derive(Clone, Debug, Default)]
pub struct Scrollback {
    lines: SharedList<TypedLine>,
    entries: SharedList<Entry>,
    next_entry: u64,
    /// The total size of all outputs, in bytes.
    output_bytes: usize,
    /// The number of oldest entries whose outputs were cut.
    shortened: usize,
}

/// A typed command line, with the beat (the section of the narration) to which the line belongs.
#[derive(Clone, Debug)]
pub struct TypedLine {
    pub text: Arc<str>,
    /// The beat (the section of the narration) of the line; `None` if the line belongs to no section and is a beat of
    /// its own.
    pub beat: Option<Arc<Beat>>,
}

impl TypedLine {
    pub(super) fn is_of_the_beat_of(&self, other: &Self) -> bool {
        match (&self.beat, &other.beat) {
            (Some(beat), Some(other)) => Arc::ptr_eq(beat, other),
            _ => false,
        }
    }
}

/// The number of a command line in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineNumber(u32);

impl LineNumber {
    /// Returns true for one line in `one_in`; the seed selects the lines.
    pub(super) fn is_drawn(self, seed: u64, one_in: u64) -> bool {
        Rng::stream(seed, &format!("line {}", self.0)).chance(1, one_in)
    }
}

/// A command and its output.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The number of the entry in the run.
    pub id: u64,
    /// The step in which the response arrived.
    pub step: u64,
    /// The number of the beat in which the command ran. A command without steps is at the step of an earlier beat.
    pub beat: u64,
    pub line: LineNumber,
    pub output: Arc<Output>,
    /// The effect of the command on the run.
    pub kind: EntryKind,
    more: Option<Box<More>>,
}

/// The fields that only few entries of the terminal need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct More {
    /// The expected output of a transcript, if the actual output differs.
    pub expected: Option<Box<TranscriptOutput>>,
    /// The request and its response; stored only where something reads them (`Workspace::finish_command`).
    pub exchange: Option<Arc<Exchange>>,
    /// The shell's note, which the page shows beside the output.
    pub note: Option<Box<str>>,
}

impl Entry {
    /// Returns the expected output of a transcript, if the actual output differs.
    pub fn expected(&self) -> Option<&TranscriptOutput> {
        self.more.as_ref()?.expected.as_deref()
    }

    /// Returns the shell's note, which the page shows beside the output.
    pub fn note(&self) -> Option<&str> {
        self.more.as_ref()?.note.as_deref()
    }

    pub(super) fn exchange(&self) -> Option<&Arc<Exchange>> {
        self.more.as_ref()?.exchange.as_ref()
    }
}

impl Scrollback {
    /// Returns the number for a line. Consecutive calls with the same line return the same number.
    pub(super) fn number_of(&mut self, text: &Arc<str>, beat: Option<&Arc<Beat>>) -> LineNumber {
        let is_last = |last: &TypedLine| Arc::ptr_eq(&last.text, text);
        if !self.lines.last().is_some_and(is_last) {
            let line = TypedLine {
                text: text.clone(),
                beat: beat.cloned(),
            };
            self.lines.push(line);
        }
        LineNumber(self.lines.len() as u32 - 1)
    }

    pub fn line(&self, number: LineNumber) -> &TypedLine {
        &self.lines[number.0 as usize]
    }

    /// Adds the output of a line at a step and a beat. Returns the number of the entry.
    pub(super) fn note(
        &mut self,
        (step, beat): (u64, u64),
        line: LineNumber,
        output: &Output,
        kind: EntryKind,
        more: More,
    ) -> u64 {
        self.output_bytes += output.stdout.len() + output.stderr.len();
        self.shorten();
        let place = self.count(step, beat);
        // In a long run, most commands print the same output as the previous command. Such entries share one output.
        let before = place.checked_sub(1).map(|before| &self.entries[before]);
        let same = before.filter(|before| *before.output == *output);
        let asked = more.exchange.is_some();
        let entry = Entry {
            id: self.next_entry,
            step,
            beat,
            line,
            output: same.map_or_else(|| output.clone().into(), |before| before.output.clone()),
            kind,
            more: (more != More::default()).then(|| more.into()),
        };
        self.next_entry += 1;
        self.entries.insert(place, entry);
        if asked
            && let Some(old) = self.entries.len().checked_sub(EXCHANGES_KEPT + 1)
            && let Some(more) = self
                .entries
                .get_mut(old)
                .and_then(|entry| entry.more.as_mut())
        {
            more.exchange = None;
        }
        self.next_entry - 1
    }

    fn shorten(&mut self) {
        while self.output_bytes > OUTPUT_BYTES_KEPT
            && let Some(entry) = self.entries.get_mut(self.shortened)
        {
            let old = Arc::make_mut(&mut entry.output);
            for text in [&mut old.stdout, &mut old.stderr] {
                let cut = text.len().saturating_sub(OUTPUT_BYTES_SHORT);
                text.truncate(OUTPUT_BYTES_SHORT);
                text.shrink_to_fit();
                self.output_bytes -= cut;
            }
            self.shortened += 1;
        }
    }

    /// Returns the entries at or before a step, oldest first.
    pub fn at(&self, step: u64) -> ListIter<'_, Entry> {
        let count = self.entries.partition_point(|e| e.step <= step);
        self.entries.range(0..count)
    }

    /// Returns the entries at or before a position, oldest first: without the entries of later beats at the same step.
    pub fn by(&self, step: u64, beat: u64) -> ListIter<'_, Entry> {
        self.entries.range(0..self.count(step, beat))
    }

    /// Returns the entry with this index, counted from 0 in the order of the run.
    pub(super) fn nth(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    /// Returns true if only the start of an entry's output may be left.
    pub(super) fn is_shortened(&self, index: usize) -> bool {
        index < self.shortened
    }

    /// Returns the number of entries at or before a position.
    fn count(&self, step: u64, beat: u64) -> usize {
        self.entries
            .partition_point(|entry| (entry.step, entry.beat) <= (step, beat))
    }

    /// Returns the entry with this number; `None` if its step is after `step`.
    pub(super) fn entry(&self, step: u64, id: u64) -> Option<&Entry> {
        self.at(step).rev().find(|entry| entry.id == id)
    }

    /// Returns the last request with its response. Considers only entries that are at or before a step and have a
    /// number below `entry`.
    pub(super) fn exchange_before(&self, step: u64, entry: u64) -> Option<&Arc<Exchange>> {
        let earlier = self.at(step).rev().filter(|e| e.id < entry);
        earlier.filter_map(Entry::exchange).next()
    }

    /// Removes all entries. The command lines stay, because steps refer to them.
    pub(super) fn clear(&mut self) {
        self.entries = SharedList::default();
        (self.output_bytes, self.shortened) = (0, 0);
    }

    /// Returns the content at a step, for a fork of the run. `last` is the line of the fork's last step.
    pub(super) fn fork(&self, step: u64, last: Option<LineNumber>) -> Self {
        let entries = self.entries.first(self.at(step).len());
        let lines = entries.iter().map(|entry| entry.line).chain(last);
        let upto = lines.max().map_or(0, |last| last.0 as usize + 1);
        Self {
            shortened: self.shortened.min(entries.len()),
            entries,
            lines: self.lines.first(upto),
            ..*self
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    pub(super) fn output_bytes(&self) -> u64 {
        self.output_bytes as u64
    }
}
