//! Checks a lesson as a test: its statements are true, its commands print the stated outputs, and each task is unsolved
//! before its solution and solved afterwards.

use crate::scenario::format::{Block, Expected, FormatError};
use crate::scenario::lesson::{self, Item, Lesson, Part, PartKind, Piece, Text};
use crate::scenario::{Sameness, compare_output};
use crate::world::Config;

use super::lesson_run::LessonRun;
use super::workspace::Workspace;

/// A mistake in a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the first line of the part or command, counted from 1.
    pub line: u32,
    pub what: String,
}

/// Runs a lesson from start to end and returns its mistakes.
///
/// # Errors
/// Returns an error if the text is not a valid lesson.
pub fn rehearse(text: &str) -> Result<Vec<Fault>, FormatError> {
    let lesson = lesson::parse(text)?;
    let mut workspace = Workspace::new(Config {
        profile: lesson.profile,
        ..Config::default()
    });
    workspace.lesson = Some(LessonRun::new(lesson.clone().into()));
    let mut rehearsal = Rehearsal {
        workspace,
        answers: Vec::new(),
        faults: Vec::new(),
    };
    rehearsal.go_through(&lesson);
    Ok(rehearsal.faults)
}

struct Rehearsal {
    workspace: Workspace,
    /// The correct answers to the lesson's questions so far.
    answers: Vec<String>,
    faults: Vec<Fault>,
}

impl Rehearsal {
    fn go_through(&mut self, lesson: &Lesson) {
        self.workspace.find_goal();
        self.blocks(&lesson.start);
        self.workspace.branches[0].run.scrollback_mut().clear();
        for part in &lesson.parts {
            if let PartKind::Task(task) = &part.kind
                && self.workspace.is_solved(task, &[])
            {
                let what = "the task is already solved at the start of the lesson";
                self.fault(part.line, what.into());
            }
        }
        for part in &lesson.parts {
            self.part(part);
        }
        let last = lesson.parts.last().map_or(1, |part| part.line);
        if lesson.is_challenge() && self.workspace.goal.is_none() {
            self.fault(last, "the solution takes too many steps".into());
        }
        self.text(last, &lesson.goal);
        self.claim(last, &lesson.aha);
        for (claim, truth) in &lesson.misconceptions {
            self.claim(last, claim);
            self.claim(last, truth);
        }
    }

    fn part(&mut self, part: &Part) {
        let PartKind::Task(task) = &part.kind else {
            for item in &part.items {
                match item {
                    Item::Say(text) | Item::Note(_, text) => self.claim(part.line, text),
                    Item::Type(block) => self.blocks(std::slice::from_ref(block)),
                }
            }
            if let PartKind::Predict(question) = &part.kind {
                let actual = question.actual(&self.workspace.facts(&self.answers));
                if actual != question.answer {
                    let (answer, expr) = (&question.answer, &question.expr);
                    let what = format!("the answer is {answer}, but `{expr}` is {actual}");
                    self.fault(part.line, what);
                }
                for why in &question.whys {
                    self.claim(part.line, &why.text);
                }
                self.answers.push(question.answer.clone());
            }
            return;
        };
        if self.workspace.is_solved(task, &self.answers) {
            self.fault(
                part.line,
                "the task is already solved before the learner does anything".into(),
            );
        }
        for condition in &task.conditions {
            let facts = self.workspace.facts(&self.answers);
            let why = condition.unmet(&facts);
            if let Some(expr) = why.and_then(|why| why.unknown(&facts)) {
                let what = format!("the text of a `#: why` shows `{expr}`, which has no value yet");
                self.fault(condition.line, what);
            }
        }
        self.blocks(&task.solution);
        for condition in &task.conditions {
            let facts = self.workspace.facts(&self.answers);
            if let Some(why) = condition.unmet(&facts) {
                let what = format!("after the solution: {}", why.filled(&facts));
                self.fault(condition.line, what);
            }
            self.text(condition.line, &condition.want);
        }
        for item in &part.items {
            if let Some(text) = item.text() {
                self.text(part.line, text);
            }
        }
        for hint in &task.hints {
            self.text(part.line, hint);
        }
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            let printed = self.workspace.block(block);
            if let Expected::Output(expected) = &block.expected
                && compare_output(expected, &printed) != Sameness::Same
            {
                let what = format!("`{}` prints\n{printed}", block.input);
                self.fault(block.line, what);
            }
        }
    }

    /// Checks a sentence about the learner's run. All values in the sentence must exist. The sentence must not contain
    /// a stored value in backticks, because a learner may store a different value.
    fn claim(&mut self, line: u32, text: &Text) {
        self.text(line, text);
        let facts = self.workspace.facts(&self.answers);
        let unknown = text.unknown(&facts);
        let unknown = unknown.map(|expr| format!("the text shows `{expr}`, which has no value"));
        let stored = text.pieces.iter().find_map(|piece| match piece {
            Piece::Code(code) if facts.is_stored(code) => Some(format!(
                "a learner may store a different value than `{code}`; write {{{code} = kv(\"KEY\").value}} or \
                 {{kv(\"KEY\").value}}"
            )),
            _ => None,
        });
        for what in unknown.into_iter().chain(stored) {
            self.fault(line, what);
        }
    }

    fn text(&mut self, line: u32, text: &Text) {
        for lie in text.lies(&self.workspace.facts(&self.answers)) {
            self.fault(line, lie);
        }
    }

    fn fault(&mut self, line: u32, what: String) {
        self.faults.push(Fault { line, what });
    }
}
