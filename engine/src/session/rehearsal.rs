//! Checks a lesson as a test: its statements are true, its commands print the stated outputs, each task is unsolved
//! before its solution and solved afterwards, each way solves its task, and each wrong turn leaves its task unsolved
//! and gets a reason.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::small_sort::SmallSort;
use crate::scenario::expr::Facts;
use crate::scenario::format::{Block, Expected, FormatError};
use crate::scenario::lesson::{
    self, Attempt, Condition, Item, Lesson, PartKind, Piece, Question, Task, Text,
};
use crate::scenario::{Sameness, compare_output};
use crate::view::TextRun;
use crate::words::lesson as words;
use crate::world::Config;

use super::lesson_run::LessonRun;
use super::permalink::Permalink;
use super::protocol::{Fault, LessonCheck, Source};
use super::run::Run;
use super::save::Saved;
use super::stand::Stand;
use super::texts::{NAME_CHARS_MAX, is_name_of_file};
use super::workspace::Workspace;

/// The maximum number of steps of a command. An author's text can contain endless commands.
const STEPS_MAX: u32 = 20_000;

/// Runs a lesson from start to end and returns its faults.
///
/// # Errors
/// Returns an error if the text is not a valid lesson.
pub fn rehearse(text: &str) -> Result<Vec<Fault>, FormatError> {
    let mut rehearsal = Rehearsal::new(text)?;
    while rehearsal.advance() {}
    Ok(rehearsal.result().faults)
}

/// A check in progress.
#[derive(Debug)]
pub(super) struct Rehearsal {
    lesson: Arc<Lesson>,
    /// The lines of the text, in which faults are located.
    lines: Vec<String>,
    workspace: Workspace,
    /// The run after the commands at the start of the lesson.
    at_start: Option<Run>,
    /// The run at the start of the current task.
    at_task: Option<Run>,
    /// The correct answers to the lesson's questions so far.
    answers: Vec<String>,
    duties: VecDeque<Duty>,
    faults: Vec<Fault>,
    is_stopped: bool,
}

/// A piece of the check, which runs at most one command, or the commands of one attempt. Numbers are indexes into the
/// lesson.
#[derive(Clone, Copy, Debug)]
enum Duty {
    StartCommand(usize),
    Started,
    Item(usize, usize),
    Answer(usize),
    Task(usize),
    SolutionCommand(usize, usize),
    Solved(usize),
    Attempt(usize, usize),
    Ending,
}

fn duties(lesson: &Lesson) -> VecDeque<Duty> {
    let mut duties: VecDeque<_> = (0..lesson.start.len()).map(Duty::StartCommand).collect();
    duties.push_back(Duty::Started);
    for (number, part) in lesson.parts.iter().enumerate() {
        let items = (0..part.items.len()).map(|item| Duty::Item(number, item));
        match &part.kind {
            PartKind::Step => duties.extend(items),
            PartKind::Predict(_) => duties.extend(items.chain([Duty::Answer(number)])),
            PartKind::Task(task) => {
                duties.push_back(Duty::Task(number));
                duties
                    .extend((0..task.solution.len()).map(|one| Duty::SolutionCommand(number, one)));
                duties.push_back(Duty::Solved(number));
                duties.extend((0..task.attempts.len()).map(|one| Duty::Attempt(number, one)));
            }
        }
    }
    duties.push_back(Duty::Ending);
    duties
}

impl Rehearsal {
    pub(super) fn new(text: &str) -> Result<Self, FormatError> {
        let lesson = Arc::new(lesson::parse(text)?);
        let mut workspace = Workspace::new(Config {
            profile: lesson.profile,
            ..Config::default()
        });
        workspace.lesson = Some(LessonRun::new(lesson.clone()));
        workspace.find_goal();
        Ok(Self {
            duties: duties(&lesson),
            lines: text.lines().map(Into::into).collect(),
            lesson,
            workspace,
            at_start: None,
            at_task: None,
            answers: Vec::new(),
            faults: Vec::new(),
            is_stopped: false,
        })
    }

    /// Returns the result of the check, in the order of the lines.
    pub(super) fn result(&mut self) -> LessonCheck {
        let mut faults = std::mem::take(&mut self.faults);
        faults.small_sort_by_key(|fault| fault.line);
        if self.is_stopped {
            return LessonCheck {
                faults,
                ..LessonCheck::default()
            };
        }
        let source = Source::Text(self.lines.join("\n") + "\n");
        let saved = Saved::new(source, Vec::new(), Stand::START.at);
        let view = String::new();
        LessonCheck {
            faults,
            parts: self.lesson.parts.iter().map(|part| part.line).collect(),
            link: Permalink { saved, view }.to_text(),
        }
    }

    /// Does a piece of the check. Returns false if the check has ended.
    pub(super) fn advance(&mut self) -> bool {
        let Some(duty) = self.duties.pop_front() else {
            return false;
        };
        let lesson = self.lesson.clone();
        let parts = &lesson.parts;
        match duty {
            Duty::StartCommand(at) => self.command(&lesson.start[at]),
            Duty::Started => self.started(&lesson),
            Duty::Item(part, at) => match &parts[part].items[at] {
                Item::Say(text) | Item::Note(_, text) => self.claim(text),
                Item::Type(block) => self.command(block),
            },
            Duty::Answer(part) => {
                if let PartKind::Predict(question) = &parts[part].kind {
                    self.answer(question);
                }
            }
            Duty::Task(part)
            | Duty::SolutionCommand(part, _)
            | Duty::Solved(part)
            | Duty::Attempt(part, _) => {
                if let PartKind::Task(task) = &parts[part].kind {
                    match duty {
                        Duty::SolutionCommand(_, at) => self.command(&task.solution[at]),
                        Duty::Attempt(_, at) => self.attempt(task, &task.attempts[at]),
                        Duty::Solved(_) => self.solved(&lesson, part, task),
                        _ => self.task(&lesson, part, task),
                    }
                }
            }
            Duty::Ending => {
                self.file(&lesson);
                if let Some(task) = lesson.challenge() {
                    let faults = self.workspace.faults_of_goal(task, lesson.view);
                    faults
                        .into_iter()
                        .for_each(|fault| self.fault(parts[0].line, fault));
                }
                self.text(&lesson.goal);
                self.claim(&lesson.aha);
                for (claim, truth) in &lesson.misconceptions {
                    self.claim(claim);
                    self.claim(truth);
                }
            }
        }
        !self.duties.is_empty()
    }

    /// Checks what a file on the site needs: a header in its first line, and a name for the address.
    fn file(&mut self, lesson: &Lesson) {
        if !self
            .lines
            .first()
            .is_some_and(|line| line.starts_with("#!"))
        {
            self.fault(1, words::HEADER_FIRST.to_owned());
        }
        if !is_name_of_file(&lesson.name) {
            self.fault(1, words::not_a_file_name(&lesson.name, NAME_CHARS_MAX));
        }
    }

    fn started(&mut self, lesson: &Lesson) {
        self.workspace.branches[0].run.scrollback_mut().clear();
        self.at_start = Some(self.workspace.run().clone());
        for (number, part) in lesson.parts.iter().enumerate() {
            if let PartKind::Task(task) = &part.kind
                && self.workspace.is_solved(task, &[])
            {
                self.fault(part.line, words::solved_at_start(number + 1));
            }
        }
    }

    fn answer(&mut self, question: &Question) {
        let actual = question.actual(&self.workspace.facts(&self.answers));
        if actual != question.answer {
            let (answer, expr) = (&question.answer, &question.expr);
            let text = match question.is_condition {
                true => words::wrong_condition(expr, answer),
                false => words::wrong_answer(expr, answer, &actual),
            };
            self.fault(question.line, text);
        }
        for why in &question.whys {
            self.claim(&why.text);
        }
        self.answers.push(question.answer.clone());
    }

    fn task(&mut self, lesson: &Lesson, part: usize, task: &Task) {
        self.at_task = Some(self.workspace.run().clone());
        if self.workspace.is_solved(task, &self.answers) {
            self.fault(lesson.parts[part].line, words::solved_before(part + 1));
        }
        for condition in &task.conditions {
            let facts = self.workspace.facts(&self.answers);
            let why = condition.unmet(&facts);
            if let Some(expr) = why.and_then(|why| why.unknown(&facts)) {
                let text = words::why_without_value(expr);
                self.fault(condition.line, text);
            }
        }
    }

    fn solved(&mut self, lesson: &Lesson, part: usize, task: &Task) {
        for (number, condition) in task.conditions.iter().enumerate() {
            let facts = self.workspace.facts(&self.answers);
            if let Some([want, why]) = unmet(condition, &facts) {
                let unmet = words::unmet_condition(number + 1, &want, &why);
                self.fault(condition.line, words::unsolved(part + 1, &unmet));
            }
            self.text(&condition.want);
        }
        let items = lesson.parts[part].items.iter();
        for text in items.filter_map(Item::text).chain(&task.hints) {
            self.text(text);
        }
    }

    /// Plays a way or a wrong turn on a copy of the run.
    fn attempt(&mut self, task: &Task, attempt: &Attempt) {
        let from = match attempt.skips {
            true => &self.at_start,
            false => &self.at_task,
        };
        let Some(run) = from else { return };
        let mut copy = Workspace::of_copy(run.clone());
        copy.lesson.clone_from(&self.workspace.lesson);
        copy.goal.clone_from(&self.workspace.goal);
        let mut answers = self.answers.clone();
        if attempt.skips {
            answers.fill(String::new());
        }
        let mut is_solved = false;
        for command in &attempt.commands {
            if copy.block_within(command, &mut { STEPS_MAX }).is_none() {
                return self.stop(command);
            }
            is_solved |= copy.is_solved(task, &answers);
        }
        let facts = copy.facts(&answers);
        let name = &attempt.name;
        let open = task.conditions.iter().enumerate();
        let mut open: Vec<_> = open
            .filter_map(|(number, condition)| Some((number, unmet(condition, &facts)?)))
            .collect();
        // The goal of a challenge has conditions, too.
        let of_goal = copy.goal_conditions(task).into_iter().enumerate();
        open.extend(
            of_goal
                .filter(|(_, condition)| !condition.ok)
                .map(|(number, condition)| {
                    (
                        number,
                        [&condition.want, &condition.why].map(|runs| text_of(runs)),
                    )
                }),
        );
        if attempt.is_way {
            let unmet = open.iter();
            let unmet =
                unmet.map(|(number, [want, why])| words::unmet_condition(number + 1, want, why));
            if !is_solved {
                self.fault(
                    attempt.line,
                    words::unsolved_way(name, &unmet.collect::<Vec<_>>()),
                );
            }
            return;
        }
        if is_solved {
            self.fault(attempt.line, words::solved_wrong(name));
            return;
        }
        for condition in &task.conditions {
            if let Some(expr) = condition.unmet(&facts).and_then(|why| why.unknown(&facts)) {
                let want = plain(&condition.want, &facts);
                let text = words::reason_without_value(name, &want, expr);
                self.fault(attempt.line, text);
            }
        }
        let said = open.iter().map(|(_, said)| said.join(" ").replace('`', ""));
        let said: Vec<_> = said.collect();
        for (line, expected) in &attempt.says {
            let expected = expected.replace('`', "");
            if !said.iter().any(|said| said.contains(&expected)) {
                self.fault(*line, words::not_said(name, &expected, &said));
            }
        }
    }

    /// Runs a command and compares its output.
    fn command(&mut self, block: &Block) {
        let Some(printed) = self.workspace.block_within(block, &mut { STEPS_MAX }) else {
            return self.stop(block);
        };
        if let Expected::Output(expected) = &block.expected
            && compare_output(expected, &printed) != Sameness::Same
        {
            let text = words::wrong_output(&block.input, expected, printed.trim_end());
            self.fault(block.line, text);
        }
    }

    /// Ends the check at a command that exceeds the limit.
    fn stop(&mut self, block: &Block) {
        self.fault(block.line, words::endless_command(&block.input, STEPS_MAX));
        self.duties.clear();
        self.is_stopped = true;
    }

    /// Checks a sentence about the learner's run. All values in the sentence must exist. The sentence must not contain
    /// a stored value in backticks, because a learner may store a different value.
    fn claim(&mut self, text: &Text) {
        self.text(text);
        let facts = self.workspace.facts(&self.answers);
        let unknown = text.unknown(&facts).map(words::shows_nothing);
        let stored = text
            .pieces
            .iter()
            .position(|piece| matches!(piece, Piece::Code(code) if facts.is_stored(code)));
        if let Some(fault) = unknown {
            self.fault(text.line, fault);
        }
        if let Some(piece) = stored
            && let Piece::Code(code) = &text.pieces[piece]
        {
            self.fault(self.line_of(text, piece), words::stored_value(code));
        }
    }

    fn text(&mut self, text: &Text) {
        for (piece, lie) in text.lies(&self.workspace.facts(&self.answers)) {
            self.fault(self.line_of(text, piece), lie);
        }
    }

    /// Returns the line of a piece of a text: searches for the pieces, in their order, in the lines of the text.
    fn line_of(&self, text: &Text, piece: usize) -> u32 {
        let (mut line, mut column) = (text.line as usize, 0);
        for piece in &text.pieces[..=piece] {
            let wanted = match piece {
                Piece::Said { said, .. } | Piece::If { said, .. } => ["{", said].concat(),
                Piece::Code(code) => ["`", code].concat(),
                Piece::Plain(_) | Piece::Now(_) => continue,
            };
            let lines = self.lines.iter().enumerate().skip(line.saturating_sub(1));
            let found = lines
                .take_while(|(_, text)| text.starts_with('#'))
                .find_map(|(at, text)| {
                    let from = if at + 1 == line { column } else { 0 };
                    Some((at + 1, from + text[from..].find(&wanted)?))
                });
            if let Some((at, start)) = found {
                (line, column) = (at, start + wanted.len());
            }
        }
        line as u32
    }

    fn fault(&mut self, line: u32, text: String) {
        self.faults.push(Fault { line, text });
    }
}

/// Returns the sentence and the reason of a condition that does not hold; `None` if it holds.
fn unmet(condition: &Condition, facts: &Facts<'_>) -> Option<[String; 2]> {
    let why = condition.unmet(facts)?.filled(facts);
    Some([condition.want.filled(facts), why])
}

fn text_of(runs: &[TextRun]) -> String {
    runs.iter().map(|run| &*run.text).collect()
}

/// Returns a text with its values and without backticks.
fn plain(text: &Text, facts: &Facts<'_>) -> String {
    text.filled(facts).replace('`', "")
}
