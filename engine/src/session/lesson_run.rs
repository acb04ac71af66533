//! The lesson that is under way, as the run keeps it: which part, what was predicted, which hints were given, and what
//! its sentences said.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::scenario::lesson::{Lesson, PartKind};
use crate::shell::{LineReader, Read};
use crate::view::{Moment, TextRun};

use super::stand::Stand;

/// A lesson that is under way.
#[derive(Clone, Debug)]
pub(super) struct LessonRun {
    pub(super) lesson: Arc<Lesson>,
    /// The commands of each part, as in the log.
    commands: Arc<Vec<Vec<Vec<String>>>>,
    pub(super) state: LessonState,
    /// The part on the page: the last one that has begun, or an earlier one.
    shown: usize,
}

/// The position of a block's commands in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Match {
    /// The positions in the log.
    pub(super) commands: Vec<usize>,
    /// Whether the log contains all commands.
    pub(super) done: bool,
}

/// The state of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LessonState {
    /// Where the cursor stood when each part began, from the first part to the last one that has begun.
    pub(super) began: Vec<Stand>,
    pub(super) marks: Vec<PartState>,
}

/// The state of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PartState {
    /// Everything of it was typed, or one went on from it; a task, when it was solved.
    pub(super) done: bool,
    pub(super) hints: u32,
    pub(super) answer: Option<String>,
    /// The solution was asked for.
    pub(super) solution: bool,
}

impl LessonState {
    /// The state before the first command.
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

    /// The part on the page.
    pub(super) fn part(&self) -> usize {
        self.shown.min(self.last_begun())
    }

    /// The last part that has begun.
    pub(super) fn last_begun(&self) -> usize {
        self.state.began.len() - 1
    }

    /// Shows a part that has begun.
    pub(super) fn show(&mut self, part: usize) {
        self.shown = part.min(self.last_begun());
    }

    /// Goes to the part after the one on the page; the part begins where the cursor stands, unless it has begun before.
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

    /// Restores kept progress, if it fits this lesson.
    pub(super) fn resume(&mut self, state: &LessonState, shown: Option<u32>) {
        let parts = self.lesson.parts.len();
        let fits = (1..=parts).contains(&state.began.len()) && state.marks.len() == parts;
        if fits {
            self.state = state.clone();
            self.shown = shown.map_or(self.last_begun(), |part| part as usize);
        }
    }

    /// Less is typed now: the parts that began later have not begun.
    pub(super) fn back_to(&mut self, log: u32) {
        let began = &mut self.state.began;
        while began.len() > 1 && began.last().is_some_and(|stand| stand.log > log) {
            began.pop();
        }
    }

    /// The learner's predictions, in the order of the questions.
    pub(super) fn answers(&self) -> Vec<String> {
        let parts = self.lesson.parts.iter().zip(&self.state.marks);
        let asked = parts.filter(|(part, _)| matches!(part.kind, PartKind::Predict(_)));
        asked
            .map(|(_, mark)| mark.answer.clone().unwrap_or_default())
            .collect()
    }

    /// Which commands of a part a log has, in their order, with whatever else between them.
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

    /// Whether every part is done.
    pub(super) fn finished(&self) -> bool {
        self.state.marks.iter().all(|mark| mark.done)
    }
}

/// A moment of the run, and what had been printed by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) at: Moment,
    /// The first entry of the branch that was not printed yet.
    pub(super) entry: u64,
}

/// The outcome of a question.
#[derive(Clone, Debug)]
pub(super) struct QuestionOutcome {
    pub(super) came: String,
    /// Why the guess is wrong, and how the outcome differs from the text.
    pub(super) why: Filled,
}

/// A sentence about an earlier step, with its values.
#[derive(Clone, Debug)]
pub(super) struct FilledSentence {
    pub(super) part: usize,
    pub(super) item: usize,
    pub(super) at: End,
    pub(super) filled: Filled,
}

/// A sentence with the values of a moment, and where they differ from its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) runs: Vec<TextRun>,
    pub(super) differs: Vec<Vec<TextRun>>,
}
