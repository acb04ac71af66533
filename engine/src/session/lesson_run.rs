//! The state of the current lesson: the displayed part, the predictions, the hints, and the filled-in sentences.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::Profile;
use crate::scenario::lesson::{Lesson, PartKind};
use crate::shell::{Command, CommandKind, LineReader, Read};
use crate::view::{Moment, TextRun};

use super::stand::Stand;

#[derive(Clone, Debug)]
pub(super) struct LessonRun {
    pub(super) lesson: Arc<Lesson>,
    /// For each part of the lesson, the commands of each of its blocks.
    commands: Arc<Vec<Vec<Vec<LessonCommand>>>>,
    pub(super) state: LessonState,
    /// Whether the run is the preview of an author's text.
    pub(super) is_preview: bool,
    /// The displayed part: the part that started last, or an earlier part.
    shown: usize,
}

#[derive(Clone, Debug)]
pub(super) struct LessonCommand {
    /// The text of the command, in the form that the log stores.
    text: String,
    kind: CommandKind,
    /// The longest word in the command, not counting flags. A typed text is parsed and compared only if it contains
    /// this word, because a long log contains many other commands.
    word: String,
}

/// Where the commands of a block are in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Match {
    /// The positions of the commands in the log.
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

/// The state of a part: its completion, and the learner's prediction and hints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PartState {
    /// Whether the learner typed all commands of the part or went to the next part; for a task, whether the learner
    /// solved the task.
    pub(super) done: bool,
    pub(super) hints: u32,
    pub(super) answer: Option<String>,
    pub(super) solution: bool,
}

impl From<Command> for LessonCommand {
    fn from(command: Command) -> Self {
        let words = command.text.split_whitespace();
        let word = words
            .filter(|word| !word.starts_with('-'))
            .map(|word| word.trim_matches(['\'', '"']))
            .max_by_key(|word| word.len());
        Self {
            word: word.unwrap_or_default().to_owned(),
            text: command.text,
            kind: command.kind,
        }
    }
}

impl LessonCommand {
    /// Returns true if a typed text is this command, even if its flags have another form or order.
    fn is_typed_as(&self, typed: &str, profile: Profile) -> bool {
        typed == self.text
            || typed.contains(&self.word)
                && command_of(typed, profile).is_some_and(|command| command.kind == self.kind)
    }

    /// Returns true if a typed text is a command of the same kind as this command, for example another put.
    fn is_similar_to(&self, typed: &str, profile: Profile) -> bool {
        use std::mem::discriminant;
        let Some(command) = command_of(typed, profile) else {
            return false;
        };
        match (&command.kind, &self.kind) {
            (CommandKind::Etcdctl(typed), CommandKind::Etcdctl(expected)) => {
                discriminant(&typed.verb) == discriminant(&expected.verb)
            }
            (typed, expected) => discriminant(typed) == discriminant(expected),
        }
    }
}

/// Reads a text that contains one command.
fn command_of(text: &str, profile: Profile) -> Option<Command> {
    let mut reader = LineReader::new(profile);
    let mut commands = Vec::new();
    for line in text.split('\n') {
        match reader.line(line) {
            Ok(Read::Commands(read)) => commands.extend(read),
            Ok(Read::Blank | Read::More { .. }) => {}
            Err(_) => return None,
        }
    }
    commands.pop().filter(|_| commands.is_empty())
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
        let mut canonical = |input: &str| -> Vec<LessonCommand> {
            reader.abandon();
            let read = input
                .split('\n')
                .filter_map(|line| match reader.line(line) {
                    Ok(Read::Commands(commands)) => Some(commands),
                    Ok(Read::Blank | Read::More { .. }) | Err(_) => None,
                });
            read.flatten().map(LessonCommand::from).collect()
        };
        let commands = lesson
            .parts
            .iter()
            .map(|part| part.blocks().map(|b| canonical(&b.input)).collect())
            .collect();
        Self {
            state: LessonState::new(lesson.parts.len()),
            is_preview: false,
            lesson,
            commands: Arc::new(commands),
            shown: 0,
        }
    }

    pub(super) fn part(&self) -> usize {
        self.shown.min(self.last_begun())
    }

    /// Returns the number of the last started part.
    pub(super) fn last_begun(&self) -> usize {
        self.state.began.len() - 1
    }

    /// Displays a part. If the part has not started, displays the last started part instead.
    pub(super) fn show(&mut self, part: usize) {
        self.shown = part.min(self.last_begun());
    }

    /// Displays the next part. If that part has not started yet, it starts at the position `stand` in the run.
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

    /// Restores the stored progress if it matches this lesson.
    pub(super) fn resume(&mut self, state: &LessonState, shown: Option<u32>) {
        let parts = self.lesson.parts.len();
        let fits = (1..=parts).contains(&state.began.len()) && state.marks.len() == parts;
        if fits {
            self.state = state.clone();
            self.shown = shown.map_or(self.last_begun(), |part| part as usize);
        }
    }

    /// Marks parts as not started if the log had more than `log` commands when these parts were started.
    pub(super) fn back_to(&mut self, log: u32) {
        // After an undo, another attempt at a challenge counts.
        if self.lesson.challenge().is_some() {
            self.state.marks[0].done = false;
        }
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

    /// Finds the commands of a part in a log. Between these commands, which must be in order, the log may contain other
    /// commands.
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
            if command.is_typed_as(text, self.lesson.profile) {
                typed[block].commands.push(at);
                typed[block].done = last;
                next = left.next();
            }
        }
        typed
    }

    /// Returns true if a part waits for a command, and the typed text is similar to this command, such as a put of
    /// another value. `typed` are the commands of the part that were found in the log.
    pub(super) fn is_near_miss(&self, part: usize, typed: &[Match], text: &str) -> bool {
        let blocks = self.commands[part].iter().zip(typed);
        let mut open = blocks.filter(|(_, typed)| !typed.done);
        let expected = open
            .next()
            .and_then(|(block, typed)| block.get(typed.commands.len()));
        expected.is_some_and(|command| command.is_similar_to(text, self.lesson.profile))
    }

    /// Returns true if every part is done.
    pub(super) fn finished(&self) -> bool {
        self.state.marks.iter().all(|mark| mark.done)
    }
}

/// The result of running the current part's commands on a copy of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) part: usize,
    /// The position in the run at which the commands started.
    pub(super) at: Moment,
    /// The part in which the run first differed from the text.
    pub(super) from: usize,
    /// Whether the learner can complete the part from this position as the lesson describes.
    pub(super) fits: bool,
}

/// The result of running the solution of the current task, or only its last commands, on a copy of the learner's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SolutionTrial {
    pub(super) part: usize,
    /// The position in the run at which the commands started: the end of the run.
    pub(super) at: Moment,
    pub(super) solves: bool,
}

/// The position at which a command ended: the branch, the step, and the position in the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) at: Moment,
    /// The number of the first terminal entry after the command.
    pub(super) entry: u64,
}

/// The outcome of a question, which the page shows after the commands of the part.
#[derive(Clone, Debug)]
pub(super) struct QuestionOutcome {
    pub(super) actual: String,
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
