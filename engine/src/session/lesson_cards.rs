//! The sentences of a lesson, filled in with values from the learner's run.
//!
//! Each sentence describes the state at the end of the command above the sentence or, without such a command, the state
//! before the part's first command. The values in a sentence do not change when the run continues.

use std::ops::Range;

use crate::api::Profile;
use crate::scenario::expr::Facts;
use crate::scenario::format::{Block, Expected};
use crate::scenario::lesson::{Item, Part, PartKind, Piece, Text, said_is};
use crate::shell::{Command, CommandKind, LineReader, Output, Read};
use crate::view::{DiffersView, LessonItem, Moment, TextRun, TextRunKind};
use crate::words::lesson_run as words;

use super::lesson_run::{End, Filled, FilledSentence, LessonRun, Match, QuestionOutcome};
use super::workspace::Workspace;

/// The number of output lines that a card shows; the terminal shows all lines. The limit is high enough for one key
/// with `-w fields`, which prints 12 lines.
const OUTPUT_LINES: usize = 11;

/// The maximum number of characters of an output line on a card.
const LINE_CHARS_MAX: usize = 2_000;

/// The maximum number of differences on one card.
const DIFFERENCES_MAX: usize = 4;

impl Workspace {
    /// Records the end of the last command in the log.
    pub(super) fn command_ended(&mut self, branch: usize, step: u64, entry: u64) {
        // Commands of a script and lines that complete no command have no entry in the log.
        if self.lesson.is_some() && self.ends.len() < self.log.len() {
            self.ends.push(End {
                at: Moment {
                    branch: branch as u32,
                    step,
                },
                entry: entry + 1,
            });
        }
    }

    /// Returns the end of the current run.
    pub(super) fn now(&self) -> End {
        End {
            at: Moment {
                branch: self.current as u32,
                step: self.run().len(),
            },
            entry: u64::MAX,
        }
    }

    /// Returns the position in the run just before a command of the log.
    fn before(&self, command: usize) -> Option<End> {
        let (item, end) = (self.log.get(command)?, self.ends.get(command)?);
        Some(End {
            at: item.at,
            entry: end.entry - 1,
        })
    }

    /// Calls `read` with the facts (the data for expressions) at the position `end` of the run.
    fn at<T>(&self, end: End, answers: &[String], read: impl FnOnce(&Facts<'_>) -> T) -> T {
        let branch = (end.at.branch as usize).min(self.branches.len() - 1);
        let run = &self.branches[branch].run;
        let step = end.at.step.min(run.len());
        let past = (step < run.len()).then(|| run.world_at(step));
        read(&Facts {
            past: run.past(step, past.as_ref().unwrap_or(run.head()), &[]),
            last: run.scrollback().exchange_before(step, end.entry),
            answers,
        })
    }

    /// Returns the position in the run for which a paragraph of a part shows values; `None` if the run has not reached
    /// that position yet.
    fn moment_of(&self, part: &Part, item: usize, typed: &[Match]) -> Option<End> {
        let above = &part.items[..item];
        let above = above.iter().filter(|i| matches!(i, Item::Type(_))).count();
        match above.checked_sub(1) {
            Some(above) => self.end_of(typed.get(above)?),
            None => self.before(*typed.first()?.commands.first()?),
        }
    }

    /// Returns the end of a block's last command; `None` until all commands of the block have been typed.
    fn end_of(&self, typed: &Match) -> Option<End> {
        let last = typed.commands.last().filter(|_| typed.done)?;
        self.ends.get(*last).copied()
    }

    /// Fills in the current part's sentences about past positions in the run, and stores the results. A stored result
    /// never changes; computing it again would require a replay.
    pub(super) fn tell(&mut self) {
        let Some(run) = &self.lesson else {
            return;
        };
        let (number, typed, answers) = (run.part(), self.typed_commands(), run.answers());
        let part = &run.lesson.parts[number];
        let mut sentences = Vec::new();
        if !matches!(part.kind, PartKind::Task(_)) {
            for (item, what) in part.items.iter().enumerate() {
                let (Some(text), Some(at)) = (what.text(), self.moment_of(part, item, &typed))
                else {
                    continue;
                };
                let filled = match self.filled_sentence(number, item, at) {
                    Some(filled) => filled.clone(),
                    None => self.at(at, &answers, |facts| fill(text, facts)),
                };
                sentences.push(FilledSentence {
                    part: number,
                    item,
                    at,
                    filled,
                });
            }
        }
        self.filled_sentences = sentences;
    }

    fn filled_sentence(&self, part: usize, item: usize, at: End) -> Option<&Filled> {
        let mut sentences = self.filled_sentences.iter();
        let found = sentences
            .find(|sentences| (sentences.part, sentences.item, sentences.at) == (part, item, at));
        found.map(|sentences| &sentences.filled)
    }

    /// Fills in a paragraph or a note of the current part with the values at the position that the text describes.
    pub(super) fn paragraph(&self, run: &LessonRun, item: usize, typed: &[Match]) -> Filled {
        let part = &run.lesson.parts[run.part()];
        let Some(text) = part.items.get(item).and_then(Item::text) else {
            return Filled::default();
        };
        // The text of a task describes its goal.
        if matches!(part.kind, PartKind::Task(_)) {
            return self.aim(text);
        }
        let fill_in = |facts: &Facts<'_>| fill(text, facts);
        match self.moment_of(part, item, typed) {
            None => self.at(self.now(), &run.answers(), fill_in),
            Some(at) => match self.filled_sentence(run.part(), item, at) {
                Some(filled) => filled.clone(),
                None => self.at(at, &run.answers(), fill_in),
            },
        }
    }

    /// Fills in a sentence with the values at the end of the run.
    pub(super) fn finally(&self, run: &LessonRun, text: &Text) -> Filled {
        self.at(self.now(), &run.answers(), |facts| fill(text, facts))
    }

    /// Fills in a sentence about the goal of a lesson. The sentence shows the numbers that the lesson states, not the
    /// values of the learner's run.
    pub(super) fn aim(&self, text: &Text) -> Filled {
        Filled {
            runs: aim(text, &self.facts(&[])),
            differs: Vec::new(),
        }
    }

    /// Returns the outcome of the current part's question; `None` until all commands of the part have been typed.
    pub(super) fn outcome(&self, run: &LessonRun, typed: &[Match]) -> Option<QuestionOutcome> {
        let given = run.state.marks[run.part()].answer.as_deref();
        let PartKind::Predict(question) = &run.lesson.parts[run.part()].kind else {
            return None;
        };
        let at = match typed.last() {
            Some(last) if typed.iter().all(|typed| typed.done) => self.end_of(last)?,
            Some(_) => return None,
            None => self.now(),
        };
        self.at(at, &run.answers(), |facts| {
            let actual = question.actual(facts);
            // Every reason in the lesson assumes the expected answer.
            if actual != question.answer {
                let differs = differs(&question.expr.subject(), &actual, &question.answer);
                return Some(QuestionOutcome {
                    actual,
                    why: Filled {
                        runs: Vec::new(),
                        differs: vec![differs],
                    },
                });
            }
            let wrong = given.filter(|given| !question.is_right(given));
            let why = wrong.and_then(|given| question.why(given));
            let why = why.map(|text| fill(text, facts)).unwrap_or_default();
            Some(QuestionOutcome { actual, why })
        })
    }

    /// Returns true if, since the current part began, the learner changed the run with commands that are not in the
    /// text.
    pub(super) fn is_changed(&self, run: &LessonRun) -> bool {
        let began = run.state.began[run.part()].log as usize;
        let since = self.log.get(began..).unwrap_or_default();
        since
            .iter()
            .any(|item| changes_in(run.lesson.profile, &item.text) > 0)
    }

    /// Returns true if the last typed command is similar, but not equal, to the next command of the current part.
    pub(super) fn is_near_miss(&self, run: &LessonRun, typed: &[Match]) -> bool {
        let began = run.state.began[run.part()].log as usize;
        let Some(last) = self.log.len().checked_sub(1).filter(|last| *last >= began) else {
            return false;
        };
        !typed.iter().any(|typed| typed.commands.contains(&last))
            && run.is_near_miss(run.part(), typed, &self.log[last].text)
    }

    /// Returns the card of a command of the current part. A card shows the command and its output.
    pub(super) fn card(&self, block: &Block, typed: Option<&Match>) -> LessonItem {
        let typed = typed.filter(|typed| typed.done);
        let commands = typed.map_or(&[][..], |typed| &typed.commands);
        let outputs: Vec<_> = commands.iter().filter_map(|at| self.output(*at)).collect();
        let printed = lines(&outputs);
        // The text "1 more line" would take as much room as the line itself.
        let shown = if printed.len() <= OUTPUT_LINES + 1 {
            printed.len()
        } else {
            OUTPUT_LINES
        };
        let mut output = String::new();
        let mut error_lines = Vec::new();
        for (number, (line, is_error)) in printed[..shown].iter().enumerate() {
            output.extend(line.chars().take(LINE_CHARS_MAX));
            output.push('\n');
            if *is_error {
                error_lines.push(number as u32);
            }
        }
        LessonItem::Command {
            text: block.input.clone(),
            output,
            error_lines,
            more_lines: (printed.len() - shown) as u32,
            typed: typed.is_some(),
            failed: outputs.iter().any(|output| output.exit != 0)
                && !is_expected(&block.expected, &printed),
        }
    }

    /// Returns the output of a command of the log.
    fn output(&self, command: usize) -> Option<&Output> {
        let end = self.ends.get(command)?;
        let run = &self.branches[end.at.branch as usize].run;
        let entry = run.scrollback().entry(end.at.step, end.entry - 1)?;
        Some(&entry.output)
    }

    /// Returns a note that lists the differences between the learner's run and the text of the lesson; `None` if there
    /// are none.
    pub(super) fn differs(&self, run: &LessonRun, all: Vec<Vec<TextRun>>) -> Option<DiffersView> {
        let mut what: Vec<Vec<TextRun>> = Vec::new();
        for one in all {
            if !what.iter().any(|other| same_difference(other, &one)) {
                what.push(one);
            }
        }
        let more = what.len().saturating_sub(DIFFERENCES_MAX) as u32;
        what.truncate(DIFFERENCES_MAX);
        (!what.is_empty()).then(|| DiffersView {
            what,
            more,
            from: self
                .left_the_text(run, 0..run.part() + 1)
                .unwrap_or(run.part()) as u32,
        })
    }

    /// Returns the first of the given parts in which the learner typed commands that differ from the text and can
    /// change the run.
    pub(super) fn left_the_text(&self, run: &LessonRun, mut parts: Range<usize>) -> Option<usize> {
        let began = &run.state.began;
        let end = |part: usize| match began.get(part + 1) {
            Some(next) => next.log as usize,
            None => self.log.len(),
        };
        let left = |part: &usize| {
            let from = (began[*part].log as usize).min(self.log.len());
            let to = end(*part).clamp(from, self.log.len());
            let log = self.log[from..to].iter().map(|item| &*item.text);
            let typed = run.match_part(*part, log.clone());
            let skipped = *part < run.last_begun() && typed.iter().any(|typed| !typed.done);
            let is_said = |at: usize| typed.iter().any(|typed| typed.commands.contains(&at));
            let mut other = log.enumerate().filter(|(at, _)| !is_said(*at));
            skipped || other.any(|(_, text)| changes_in(run.lesson.profile, text) > 0)
        };
        parts.find(left)
    }
}

/// Returns the lines of outputs in the order in which a terminal shows them. For each line, also returns true if the
/// line is error output.
fn lines(outputs: &[&Output]) -> Vec<(String, bool)> {
    let streams = outputs.iter().flat_map(|output| {
        let [before, stdout, after] = output.in_order();
        [(before, true), (stdout, false), (after, true)]
    });
    let mut lines = Vec::new();
    for (stream, is_error) in streams {
        let text = String::from_utf8_lossy(stream);
        lines.extend(text.lines().map(|line| (line.to_owned(), is_error)));
    }
    lines
}

/// Returns true if the printed lines equal the output that the text of the lesson states.
fn is_expected(expected: &Expected, printed: &[(String, bool)]) -> bool {
    match expected {
        Expected::Output(text) => text.lines().eq(printed.iter().map(|(line, _)| &**line)),
        Expected::Unsaid | Expected::Nothing => false,
    }
}

/// Returns the number of commands in a typed text that change the run. Commands that only read do not count.
pub(super) fn changes_in(profile: Profile, text: &str) -> usize {
    let mut reader = LineReader::new(profile);
    let changes = |command: &&Command| {
        command.is_write()
            || match command.kind {
                CommandKind::Watch(_)
                | CommandKind::Process(_)
                | CommandKind::Monitor { .. }
                | CommandKind::Op(_)
                | CommandKind::Run(_)
                | CommandKind::Step(_)
                | CommandKind::World { .. } => true,
                CommandKind::Etcdctl(_)
                | CommandKind::Recv { .. }
                | CommandKind::Kubectl(_)
                | CommandKind::Show(_)
                | CommandKind::Fork
                | CommandKind::Help(_)
                | CommandKind::Answered(_)
                | CommandKind::Refused(_) => false,
            }
    };
    let of_line = |line| match reader.line(line) {
        Ok(Read::Commands(commands)) => commands.iter().filter(changes).count(),
        Ok(Read::Blank | Read::More { .. }) | Err(_) => 0,
    };
    text.split('\n').map(of_line).sum()
}

/// Fills in a sentence with the values of a step.
pub(super) fn fill(text: &Text, facts: &Facts<'_>) -> Filled {
    let mut filled = Filled::default();
    for piece in &text.pieces {
        let (text, kind) = match piece {
            Piece::Plain(text) => (text.clone(), TextRunKind::Plain),
            Piece::Code(code) => (code.clone(), TextRunKind::Code),
            Piece::Now(expr) => (expr.value(facts).to_string(), TextRunKind::Number),
            Piece::Said { said, expr } => {
                let value = expr.value(facts);
                if said_is(said, &value) {
                    (said.clone(), TextRunKind::Number)
                } else {
                    let value = value.to_string();
                    filled.differs.push(differs(&expr.subject(), &value, said));
                    (value, TextRunKind::Changed)
                }
            }
            Piece::If { said, check } if check.holds(facts) => (said.clone(), TextRunKind::Plain),
            Piece::If { said, .. } => {
                let denied = TextRun {
                    text: said.clone(),
                    kind: TextRunKind::Denied,
                };
                let denied = words::does_not_hold(denied, plain);
                filled.differs.push(denied.into());
                (said.clone(), TextRunKind::Denied)
            }
        };
        filled.runs.push(TextRun { text, kind });
    }
    filled
}

/// Returns a sentence about the goal of a lesson. It shows the numbers that the lesson states, except that
/// `{expression}` shows the current value.
pub(super) fn aim(text: &Text, facts: &Facts<'_>) -> Vec<TextRun> {
    let run = |piece: &Piece| {
        let (text, kind) = match piece {
            Piece::Plain(text) | Piece::If { said: text, .. } => (text.clone(), TextRunKind::Plain),
            Piece::Code(code) => (code.clone(), TextRunKind::Code),
            Piece::Said { said, .. } => (said.clone(), TextRunKind::Number),
            Piece::Now(expr) => (expr.value(facts).to_string(), TextRunKind::Number),
        };
        TextRun { text, kind }
    };
    text.pieces.iter().map(run).collect()
}

/// Returns true if two differences concern the same value of the store. One difference may contain the expected value
/// in digits and the other as a word.
fn same_difference(a: &[TextRun], b: &[TextRun]) -> bool {
    let up_to_value = |runs: &[TextRun]| {
        let value = runs.iter().position(|run| run.kind == TextRunKind::Changed);
        value.map_or(runs.len(), |value| value + 1)
    };
    a[..up_to_value(a)] == b[..up_to_value(b)]
}

fn plain(text: &str) -> TextRun {
    TextRun {
        text: text.into(),
        kind: TextRunKind::Plain,
    }
}

/// Returns a sentence about a difference, such as "The revision of the store is 6, not 5."
fn differs(subject: &str, value: &str, said: &str) -> Vec<TextRun> {
    let run = |text: &str, kind| TextRun {
        text: text.into(),
        kind,
    };
    let kinds = [TextRunKind::Plain, TextRunKind::Code].into_iter().cycle();
    let subject = subject.split('`').zip(kinds);
    let subject: Vec<TextRun> = subject.map(|(text, kind)| run(text, kind)).collect();
    let value = vec![run(value, TextRunKind::Changed)];
    let said = vec![run(said, TextRunKind::Number)];
    let mut runs = words::differs(subject, value, said, |text| vec![plain(text)]).concat();
    runs.retain(|run| !run.text.is_empty());
    runs
}
