//! The state of the current lesson: the displayed part, the predictions, the hints, and the filled-in sentences.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scenario::lesson::{Lesson, PartKind};
use crate::shell::{LineReader, Read};
use crate::view::{Moment, TextRun};

use super::stand::Stand;

/// A lesson in progress.
#[derive(Clone, Debug)]
pub(super) struct LessonRun {
    pub(super) lesson: Arc<Lesson>,
    /// The commands of each block of each part, as the log stores them.
    commands: Arc<Vec<Vec<Vec<String>>>>,
    pub(super) state: LessonState,
    /// The displayed part: the part that started last, or an earlier part.
    shown: usize,
}

/// The position of a block's commands in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Match {
    /// The positions in the log.
    pub(super) commands: Vec<usize>,
    /// Whether the log contains all commands of the block.
    pub(super) done: bool,
}

/// The state of a lesson that is saved with the learner's progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LessonState {
    /// The position in the run at the start of each started part.
    pub(super) began: Vec<Stand>,
    pub(super) marks: Vec<PartState>,
}

/// The state of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PartState {
    /// Whether all commands of the part were typed or the learner went to the next part; for a task, whether it was
    /// solved.
    pub(super) done: bool,
    pub(super) hints: u32,
    pub(super) answer: Option<String>,
    /// Whether the learner asked for the solution.
    pub(super) solution: bool,
}

impl LessonState {
    /// Creates the state of a lesson of `parts` parts, before the first command.
    pub(super) fn new(parts: usize) -> Self {
        Self {
            began: vec![Stand::START],
            marks: vec![PartState::default(); parts],
        }
    }
}

impl LessonRun {
    pub(super) fn new(lesson: Arc<Lesson>) -> Self {
        let mut reader = LineReader::new(lesson.profile);
        let mut canonical = |input: &str| -> Vec<String> {
            reader.abandon();
            let read = input
                .split('\n')
                .filter_map(|line| match reader.line(line) {
                    Ok(Read::Commands(commands)) => Some(commands),
                    Ok(Read::Blank | Read::More { .. }) | Err(_) => None,
                });
            let commands: Vec<_> = read.flatten().map(|command| command.text).collect();
            commands
        };
        let commands = lesson
            .parts
            .iter()
            .map(|part| part.blocks().map(|b| canonical(&b.input)).collect())
            .collect();
        Self {
            state: LessonState::new(lesson.parts.len()),
            lesson,
            commands: Arc::new(commands),
            shown: 0,
        }
    }

    /// Returns the displayed part.
    pub(super) fn part(&self) -> usize {
        self.shown.min(self.last_begun())
    }

    /// Returns the last started part.
    pub(super) fn last_begun(&self) -> usize {
        self.state.began.len() - 1
    }

    /// Displays a part; a part that has not started is replaced by the last started part.
    pub(super) fn show(&mut self, part: usize) {
        self.shown = part.min(self.last_begun());
    }

    /// Displays the next part. If that part has not started yet, it starts at the position `stand`.
    pub(super) fn next(&mut self, stand: Stand) {
        let next = self.part() + 1;
        if next < self.lesson.parts.len() {
            if next == self.state.began.len() {
                self.state.began.push(stand);
            }
            self.shown = next;
        }
    }

    pub(super) fn mark(&mut self) -> &mut PartState {
        let part = self.part();
        &mut self.state.marks[part]
    }

    /// Restores stored progress if it fits this lesson.
    pub(super) fn resume(&mut self, state: &LessonState, shown: Option<u32>) {
        let parts = self.lesson.parts.len();
        let fits = (1..=parts).contains(&state.began.len()) && state.marks.len() == parts;
        if fits {
            self.state = state.clone();
            self.shown = shown.map_or(self.last_begun(), |part| part as usize);
        }
    }

    /// Forgets the starts of parts that began when the log had more than `log` commands.
    pub(super) fn back_to(&mut self, log: u32) {
        let began = &mut self.state.began;
        while began.len() > 1 && began.last().is_some_and(|stand| stand.log > log) {
            began.pop();
        }
    }

    /// Returns the learner's predictions, in the order of the questions.
    pub(super) fn answers(&self) -> Vec<String> {
        let parts = self.lesson.parts.iter().zip(&self.state.marks);
        let asked = parts.filter(|(part, _)| matches!(part.kind, PartKind::Predict(_)));
        asked
            .map(|(_, mark)| mark.answer.clone().unwrap_or_default())
            .collect()
    }

    /// Finds the commands of a part in a log, in order. The log may contain other commands between them.
    pub(super) fn match_part<'l>(
        &self,
        part: usize,
        log: impl Iterator<Item = &'l str>,
    ) -> Vec<Match> {
        let blocks = &self.commands[part];
        let mut left = blocks.iter().enumerate().flat_map(|(n, block)| {
            let last = block.len().saturating_sub(1);
            let commands = block.iter().enumerate();
            commands.map(move |(i, command)| (n, i == last, command))
        });
        let mut typed = vec![Match::default(); blocks.len()];
        let mut next = left.next();
        for (at, text) in log.enumerate() {
            let Some((block, last, command)) = next else {
                break;
            };
            if text == *command {
                typed[block].commands.push(at);
                typed[block].done = last;
                next = left.next();
            }
        }
        typed
    }

    /// Returns true if every part is done.
    pub(super) fn finished(&self) -> bool {
        self.state.marks.iter().all(|mark| mark.done)
    }
}

/// The end of a command: the branch, the step, and the position in the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) at: Moment,
    /// The number of the first terminal entry after the command.
    pub(super) entry: u64,
}

/// The outcome of a question.
#[derive(Clone, Debug)]
pub(super) struct QuestionOutcome {
    pub(super) came: String,
    /// The reason why the guess is wrong, and the differences between the outcome and the text.
    pub(super) why: Filled,
}

/// A sentence about an earlier step, filled in with the values of that step.
#[derive(Clone, Debug)]
pub(super) struct FilledSentence {
    pub(super) part: usize,
    pub(super) item: usize,
    pub(super) at: End,
    pub(super) filled: Filled,
}

/// A sentence filled in with the values of a step, and the differences from the text of the lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) runs: Vec<TextRun>,
    pub(super) differs: Vec<Vec<TextRun>>,
}
