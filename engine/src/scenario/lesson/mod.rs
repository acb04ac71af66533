//! A lesson: a scenario file with a few more lines, so that someone walks through it, predicts, and
//! then does something on their own that is checked.
//!
//! Everything that makes a lesson of it stands in comments. So a lesson is a behaviour file, too:
//! its commands, run from top to bottom, are the way through it, and print what it says.
//!
//! ```text
//! #! lesson: L04                      its name in links; never reused
//! #! title: Two lives of one key
//! #! goal: Say what a delete adds.    what one can do afterwards
//! #! minutes: 7
//! #! source: where it comes from
//! #! picture: index                   which view shows its goal
//! #! next: slow-client A slow client  where to go on besides the next lesson; `lab` is the Lab
//!
//! #: start                            commands that are run before anybody sees anything
//!
//! #: step The first life              a step: narration and commands, with what they print
//! # The store is at revision {1 = store.rev}.
//! put /key1 value1
//! ----
//! OK
//!
//! #: predict What does a delete add?  a question, and then the commands that answer it
//! # How many rows are there after `del /key1`?
//! #: answer 3 = rows("key").len
//! #: why if 1 => the reason why a guess of 1 is wrong
//! #: why the reason for any other wrong guess
//! del /key1
//! ----
//! 1
//!
//! #: note What the output is          a note: one can skip it
//! # The output is the number of deleted keys.
//!
//! #: task Bring the key back          what is to be done
//! # Give `/key1` a second life.
//! #: want The store is at revision {5 = store.rev}.
//! #: check store.rev == 5
//! #: why It is at revision {store.rev}, not 5.
//! #: hint a concept                   three hints: the concept, the command, the filled-in one
//! #: solution
//! put /key1 value3
//! ----
//! OK
//!
//! #: goal                            what the goal's picture shows; without this line, the end
//!
//! #: aha what one should have seen
//! #: misconception what many believe
//! # and what is so
//! ```
//!
//! Numbers in the text are checked: `{5 = store.rev}` shows 5, and a test fails when it is not. A
//! number that stands there without one is refused. `{empty if store.keys == 0}` shows "empty" and is
//! checked in the same way; `{store.rev}` shows the value at that moment, whatever it is: write it
//! where a task leaves the value to the learner.
//!
//! What a paragraph says is so where it stands among the commands; what a task and its hints say is
//! so when it is solved; and what the end says is so at the end. A learner whose store is another
//! one reads the values of that store, and a note of what differs from the text.

mod parse;
mod text;

pub use parse::{parse, up_to_goal};
pub use text::{Piece, Text, number, number_in, said_is};

use crate::api::Profile;

use super::expr::{Expr, Facts};
use super::format::{Block, Expected, NOTHING, SEPARATOR, render_expected};
use super::picture::NamedView;

/// A lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The name in links, e.g. `L04`.
    pub name: String,
    /// The title.
    pub title: String,
    /// The skills after the lesson.
    pub goal: Text,
    /// The duration, in minutes.
    pub minutes: u32,
    /// The source of the lesson.
    pub source: String,
    /// The etcd version of the lesson.
    pub profile: Profile,
    /// The view for the picture of the goal.
    pub view: NamedView,
    /// The links besides the next lesson: targets and titles.
    pub ways: Vec<(String, String)>,
    /// Commands that run before the lesson is shown.
    pub start: Vec<Block>,
    /// The parts in order.
    pub parts: Vec<Part>,
    /// The main insight of the lesson.
    pub aha: Text,
    /// Common misconceptions, and the facts.
    pub misconceptions: Vec<(Text, Text)>,
}

/// A part of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first line, from 1.
    pub line: u32,
    /// The title.
    pub title: String,
    /// Narration and commands, in order. A task has narration only.
    pub items: Vec<Item>,
    /// The kind of part.
    pub kind: PartKind,
}

/// The learner's activity in a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// To read, and to run what is there.
    Step,
    /// To say what will come, and then to run what is there.
    Predict(Question),
    /// To reach something.
    Task(Task),
}

/// A paragraph, a note, or a command with its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A paragraph.
    Say(Text),
    /// A title and a paragraph that learners can skip.
    Note(String, Text),
    /// A command.
    Type(Block),
}

/// The question of a prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The correct answer, as shown.
    pub answer: String,
    /// What it is that is asked for; so once the part's commands were run.
    pub expr: Expr,
    /// The choices; empty for a typed answer.
    pub choices: Vec<String>,
    /// Why guesses are wrong: the first that fits.
    pub whys: Vec<GuessWhy>,
}

/// Why a guess is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessWhy {
    /// The guess; any, when there is none.
    pub guess: Option<String>,
    /// The reason.
    pub text: Text,
}

/// The goal of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Everything that must hold.
    pub conditions: Vec<Condition>,
    /// The concept, the command, the filled-in command.
    pub hints: Vec<Text>,
    /// The commands of the solution.
    pub solution: Vec<Block>,
}

/// One condition of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The first line, from 1.
    pub line: u32,
    /// The condition in one sentence.
    pub want: Text,
    /// The same for the checker.
    pub check: Expr,
    /// The reasons for failure: the first whose condition holds is shown.
    pub whys: Vec<Why>,
}

/// Why something does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The condition of this reason; `None` when the reason always applies.
    pub when: Option<Expr>,
    /// The reason, with the actual values.
    pub text: Text,
}

impl Question {
    /// Whether an answer is the right one.
    ///
    /// ```
    /// use watchglass_engine::scenario::lesson::Question;
    /// use watchglass_engine::scenario::expr::Expr;
    /// let expr = Expr::parse("store.rev").unwrap();
    /// let question = Question { answer: "3".into(), expr, choices: Vec::new(), whys: Vec::new() };
    /// assert!(question.is_right(" three ") && question.is_right("revision 3"));
    /// assert!(!question.is_right("2") && !question.is_right("2 or 3"));
    /// ```
    pub fn is_right(&self, given: &str) -> bool {
        same_answer(&self.answer, given)
    }

    /// Returns why a wrong guess is wrong, as far as the lesson says.
    pub fn why(&self, given: &str) -> Option<&Text> {
        let fits = |why: &&GuessWhy| {
            let guess = why.guess.as_ref();
            guess.is_none_or(|guess| same_answer(guess, given))
        };
        self.whys.iter().find(fits).map(|why| &why.text)
    }

    /// Returns what the answer is at a moment: as the lesson words it, when that is the value.
    pub fn came(&self, facts: &Facts<'_>) -> String {
        let value = self.expr.value(facts);
        if said_is(&self.answer, &value) {
            self.answer.clone()
        } else {
            value.to_string()
        }
    }
}

/// Whether two answers are the same words or the same number, as in `5`, `5.0`, `five` and `revision 5`.
pub fn same_answer(a: &str, b: &str) -> bool {
    match (number_in(a), number_in(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.trim().eq_ignore_ascii_case(b.trim()),
    }
}

impl Condition {
    /// Why it does not hold at a moment; `None` when it does.
    pub fn unmet(&self, facts: &Facts<'_>) -> Option<&Text> {
        if self.check.holds(facts) {
            return None;
        }
        let fits = |why: &&Why| why.when.as_ref().is_none_or(|when| when.holds(facts));
        // The last one has no condition; where it has, it is better than nothing.
        let why = self.whys.iter().find(fits).or(self.whys.last());
        why.map(|why| &why.text)
    }
}

impl Task {
    /// Whether all conditions hold.
    pub fn is_solved(&self, facts: &Facts<'_>) -> bool {
        self.conditions.iter().all(|c| c.check.holds(facts))
    }
}

impl Lesson {
    /// The commands at the start of the lesson, as a scenario.
    pub fn start_text(&self) -> String {
        let mut text = format!("#! title: Sandbox: {}\n", self.title);
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
    /// The commands.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.items.iter().filter_map(|item| match item {
            Item::Type(block) => Some(block),
            Item::Say(_) | Item::Note(..) => None,
        })
    }
}

impl Item {
    /// The text, unless the item is a command.
    pub fn text(&self) -> Option<&Text> {
        match self {
            Self::Say(text) | Self::Note(_, text) => Some(text),
            Self::Type(_) => None,
        }
    }
}

/// Whether a text is a lesson: it has a header line `#! lesson: NAME`.
pub fn is_lesson(text: &str) -> bool {
    text.lines()
        .take_while(|line| line.starts_with("#!"))
        .any(|line| line["#!".len()..].trim_start().starts_with("lesson:"))
}
