//! A lesson: a scenario file with a few more lines. The learner follows its steps, predicts results, and then solves
//! tasks whose conditions are checked.
//!
//! All additional lines are comments, so a lesson is also a behaviour file: its commands, run from top to bottom,
//! print the outputs in the file.
//!
//! ```text
//! #! lesson: L04                      the name in links; never reused
//! #! title: Two generations of /key1
//! #! goal: Say what a delete adds.    the skill after the lesson
//! #! minutes: 7                    the time that the lesson takes, see below
//! #! source: etcd, key_index.go       the source of the lesson
//! #! picture: index                   the view for the goal
//! #! next: slow-client A slow client  a link besides the next lesson; `lab` is the Lab
//!
//! #: start                            commands to run before the lesson is shown
//!
//! #: step The first generation        a step: narration and commands with their outputs
//! # The store is at revision {1 = store.rev}.
//! put /key1 value1
//! ----
//! OK
//!
//! #: predict What does a delete add?  a question, then the commands that answer it
//! # How many rows are there after `del /key1`?
//! #: answer 3 = rows("key").len
//! #: why if 1 => the reason why a guess of 1 is wrong
//! #: why the reason for any other wrong guess
//! del /key1
//! ----
//! 1
//!
//! #: note What the output is          a note, which learners can skip
//! # The output is the number of deleted keys.
//!
//! #: task Bring the key back          the task of the learner
//! # Give `/key1` a second generation.
//! #: want The store is at revision {5 = store.rev}.
//! #: check store.rev == 5
//! #: why Your store is at revision {store.rev}, not 5.
//! #: hint a concept                   three hints: the concept, the command, its arguments
//! #: solution
//! put /key1 value3
//! ----
//! OK
//!
//! #: way a transaction                another right way: the commands solve the task
//! #> txn
//! #>>                                 a further line of the same command
//! #>> put /key1 value3
//! #>>
//! #>>
//! #: wrong another key                a wrong turn: the commands leave the task unsolved
//! #> put /key2 value
//! #: says Another key was written     words of a condition that does not hold, or of its reason
//! #: wrong the parts before were skipped
//! #: skipped                          the learner typed no command of the parts before
//!
//! #: goal                             the state in the picture of the goal; by default, the end
//!
//! #: aha the main insight
//! #: misconception a common misconception
//! # the fact
//! ```
//!
//! Numbers in the text are checked: `{5 = store.rev}` shows 5, and a test fails if the value differs. A number
//! without an expression is refused. `{empty if store.keys == 0}` shows "empty" and is checked in the same way.
//! `{store.rev}` shows the current value: write it where the value depends on the learner.
//!
//! `#: answer an error if last.outcome == "refused"` is an answer with a condition, which must hold after the commands.
//!
//! A lesson that consists of one prediction is an exercise: it needs no task, no aha and no misconceptions, the page
//! shows the commands at its start, and its commands run as soon as the learner has answered.
//!
//! A lesson that consists of one task is a challenge: it needs no minutes, hints, aha or misconceptions. If the task
//! has no conditions, the store must have the same keys with the same revisions as after the solution; the values of
//! the keys do not count.
//!
//! The ways and wrong turns of a task follow its solution. Learners never see them: [`crate::session::rehearsal`] plays
//! them and reports to the author.
//!
//! A paragraph must be true after the commands above it and before the commands below it. A task and its hints must be
//! true once the task is solved. The texts at the end of the lesson must be true after the last command. If the
//! learner's store differs from the store that the text describes, the page shows the values of the learner's store,
//! and a note lists the differences.
//!
//! The time of a published lesson is 200 words per minute of all texts but notes, reasons and hints, plus 5 s for each
//! command of its steps and predictions, 30 s for each prediction and 150 s for each task. It is between 5 and 8
//! minutes.

mod parse;
mod text;

pub use parse::{parse, up_to_goal};
pub use text::{Piece, Text, number, number_in, said_is};

use crate::api::Profile;
use crate::words::lesson as words;

use super::expr::{Expr, Facts, Value};
use super::format::{Block, Expected, NOTHING, SEPARATOR, render_expected};
use super::picture::NamedView;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The name in links, e.g. `L04`.
    pub name: String,
    pub title: String,
    /// The skills that the learner has after the lesson.
    pub goal: Text,
    pub minutes: u32,
    pub source: String,
    pub profile: Profile,
    /// The view for the picture of the goal.
    pub view: NamedView,
    /// The links to other runs, besides the next lesson: the target and the title of each link.
    pub ways: Vec<(String, String)>,
    /// The commands that run before the page shows the lesson.
    pub start: Vec<Block>,
    pub parts: Vec<Part>,
    /// The main insight of the lesson.
    pub aha: Text,
    /// The common misconceptions, each with the fact that corrects it.
    pub misconceptions: Vec<(Text, Text)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the first line, counted from 1.
    pub line: u32,
    pub title: String,
    /// Narration and commands, in order. A task has narration only.
    pub items: Vec<Item>,
    pub kind: PartKind,
}

/// The kind of part: what the learner does in the part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The learner reads the text and runs the commands.
    Step,
    /// The learner predicts the result, then runs the commands.
    Predict(Question),
    /// The learner brings the store to a required state.
    Task(Task),
}

/// A paragraph, a note, or a command with its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Say(Text),
    /// A title and a paragraph that learners can skip.
    Note(String, Text),
    Type(Block),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The number of the line `#: answer`, counted from 1.
    pub line: u32,
    /// The correct answer, as the page displays it.
    pub answer: String,
    /// An expression. Its value after the commands of the part is the correct answer.
    pub expr: Expr,
    /// Whether `expr` is a condition that must hold, instead of an expression whose value is the answer.
    pub is_condition: bool,
    /// The choices; empty if the learner types the answer.
    pub choices: Vec<String>,
    /// The reasons why guesses are wrong. The page shows the first reason that fits the guess.
    pub whys: Vec<GuessWhy>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessWhy {
    /// The guess to which the reason applies; `None` for any guess.
    pub guess: Option<String>,
    pub text: Text,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The conditions, all of which must hold.
    pub conditions: Vec<Condition>,
    /// The hints: the concept, the command, and the command with its arguments.
    pub hints: Vec<Text>,
    pub solution: Vec<Block>,
    pub attempts: Vec<Attempt>,
}

/// Commands that a learner may type in a task: a right way or a wrong turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The number of the first line, counted from 1.
    pub line: u32,
    pub name: String,
    /// Whether the commands solve the task.
    pub is_way: bool,
    pub commands: Vec<Block>,
    /// The words that the lesson says after a wrong turn, each with its line.
    pub says: Vec<(u32, String)>,
    /// Whether the learner comes to the task without the commands of the earlier parts.
    pub skips: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The number of the condition's first line, counted from 1.
    pub line: u32,
    /// The condition as one sentence for the learner.
    pub want: Text,
    pub check: Expr,
    /// The possible reasons why the condition does not hold. The page shows the first reason that applies.
    pub whys: Vec<Why>,
}

/// The reason why a condition does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The condition under which this reason applies; `None` if the reason always applies.
    pub when: Option<Expr>,
    /// The text of the reason, with the actual values.
    pub text: Text,
}

impl Question {
    /// Returns true if the learner's answer is correct.
    ///
    /// ```
    /// use watchglass_engine::scenario::lesson::Question;
    /// use watchglass_engine::scenario::expr::Expr;
    /// let expr = Expr::parse("store.rev").unwrap();
    /// let (choices, whys) = (Vec::new(), Vec::new());
    /// let question = Question { line: 1, answer: "3".into(), expr, is_condition: false, choices, whys };
    /// assert!(question.is_right(" three ") && question.is_right("revision 3"));
    /// assert!(!question.is_right("2") && !question.is_right("2 or 3"));
    /// ```
    pub fn is_right(&self, given: &str) -> bool {
        same_answer(&self.answer, given)
    }

    /// Returns the reason why a guess is wrong, if the lesson contains one for this guess.
    pub fn why(&self, given: &str) -> Option<&Text> {
        let fits = |why: &&GuessWhy| {
            let guess = why.guess.as_ref();
            guess.is_none_or(|guess| same_answer(guess, given))
        };
        self.whys.iter().find(fits).map(|why| &why.text)
    }

    /// Returns the answer that the learner's own run gives. If this answer equals the expected answer, returns the
    /// words of the lesson.
    pub fn actual(&self, facts: &Facts<'_>) -> String {
        let value = self.expr.value(facts);
        if self.is_condition && value == Value::Bool(true) || said_is(&self.answer, &value) {
            self.answer.clone()
        } else if self.is_condition {
            words::ANOTHER_RESULT.to_owned()
        } else {
            value.to_string()
        }
    }
}

/// Returns true if two answers consist of the same words or contain the same number, as in `5`, `5.0`, `five` and
/// `revision 5`.
pub fn same_answer(a: &str, b: &str) -> bool {
    match (number_in(a), number_in(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.trim().eq_ignore_ascii_case(b.trim()),
    }
}

impl Condition {
    /// Returns the reason why the condition does not hold; `None` if it holds.
    pub fn unmet(&self, facts: &Facts<'_>) -> Option<&Text> {
        if self.check.holds(facts) {
            return None;
        }
        let fits = |why: &&Why| why.when.as_ref().is_none_or(|when| when.holds(facts));
        // The last reason normally has no condition. Even with a condition, the last reason is shown if no other reason
        // fits.
        let why = self.whys.iter().find(fits).or(self.whys.last());
        why.map(|why| &why.text)
    }
}

impl Task {
    pub fn is_solved(&self, facts: &Facts<'_>) -> bool {
        self.conditions.iter().all(|c| c.check.holds(facts))
    }
}

impl Lesson {
    /// Returns true if the lesson is one question.
    pub fn is_exercise(&self) -> bool {
        matches!(&self.parts[..], [part] if matches!(part.kind, PartKind::Predict(_)))
    }

    /// Returns the task of a challenge: a lesson that is one task.
    pub fn challenge(&self) -> Option<&Task> {
        match &self.parts[..] {
            [part] => match &part.kind {
                PartKind::Task(task) => Some(task),
                PartKind::Step | PartKind::Predict(_) => None,
            },
            _ => None,
        }
    }

    /// Returns the commands at the start of the lesson, as a scenario.
    pub fn start_text(&self) -> String {
        let mut text = format!("#! title: {}\n", words::sandbox(&self.title));
        if self.profile != Profile::default() {
            text.push_str(&format!(
                "\nworld profile={}\n{SEPARATOR}\n{NOTHING}\n",
                self.profile
            ));
        }
        for block in &self.start {
            let Expected::Output(output) = &block.expected else {
                continue;
            };
            let output = render_expected(output);
            text.push_str(&format!("\n{}\n{SEPARATOR}\n{output}", block.input));
        }
        text
    }
}

impl Part {
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.items.iter().filter_map(|item| match item {
            Item::Type(block) => Some(block),
            Item::Say(_) | Item::Note(..) => None,
        })
    }
}

impl Item {
    /// Returns the text of a paragraph or note; `None` for a command.
    pub fn text(&self) -> Option<&Text> {
        match self {
            Self::Say(text) | Self::Note(_, text) => Some(text),
            Self::Type(_) => None,
        }
    }
}

/// Returns true if a text is a lesson: it has a header line `#! lesson: NAME`.
pub fn is_lesson(text: &str) -> bool {
    text.lines()
        .take_while(|line| line.starts_with("#!"))
        .any(|line| line["#!".len()..].trim_start().starts_with("lesson:"))
}
