//! The lesson rail: where a learner is, what is said there, what is asked, what is still missing.

use serde::{Deserialize, Serialize};

/// The lesson under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonView {
    /// Its name in links, e.g. `L04`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What one can do afterwards.
    pub goal: Vec<TextRun>,
    /// How long it takes.
    pub minutes: u32,
    /// Where it comes from.
    pub source: String,
    /// Its parts, in order.
    pub parts: Vec<PartMark>,
    /// The part at hand, from 0.
    pub part: u32,
    /// What is said there, and what is to be typed, in order.
    pub items: Vec<LessonItem>,
    /// What is to be predicted there.
    pub question: Option<QuestionView>,
    /// What is to be reached there.
    pub task: Option<TaskView>,
    /// Where the learner's run differs from the text.
    pub differs: Option<DiffersView>,
    /// What is said at the end, once the last part is done.
    pub end: Option<LessonEnd>,
    /// Every part is done.
    pub finished: bool,
    /// How far the learner is with all lessons, to be kept and given back.
    pub progress: String,
}

/// Where the learner's run differs from the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffersView {
    /// What differs, a clause each, as in "the revision of the store is 6, not 5".
    pub what: Vec<Vec<TextRun>>,
    /// How many more there are.
    pub more: u32,
    /// The part to restart from, from 0: the run left the text there.
    pub from: u32,
}

/// A part as a mark in the rail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartMark {
    /// Its title.
    pub title: String,
    /// What it asks of the learner.
    pub kind: PartName,
    /// Whether it is done.
    pub done: bool,
    /// Whether the learner has come to it, so that it can be shown.
    pub has_begun: bool,
}

/// What a part asks of the learner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartName {
    /// To read, and to run what is there.
    #[default]
    Step,
    /// To say what will come.
    Predict,
    /// To reach something.
    Task,
}

/// A stretch of text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRun {
    /// The text.
    pub text: String,
    /// How it is set.
    pub kind: TextRunKind,
}

/// How a stretch of text is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextRunKind {
    /// As words.
    #[default]
    Plain,
    /// As something one types.
    Code,
    /// As a value of the learner's run, which is the one of the text.
    Number,
    /// As a value of the learner's run that differs from the one of the text.
    Changed,
    /// As words that do not hold in the learner's run.
    Denied,
}

/// A paragraph, a note or a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonItem {
    /// A paragraph.
    Say(Vec<TextRun>),
    /// Something that one can skip.
    Note {
        /// What it is about.
        title: String,
        /// What it says.
        text: Vec<TextRun>,
    },
    /// A command.
    Command {
        /// What is to be typed; a transaction has several lines.
        text: String,
        /// The first lines of what it printed when the learner ran it; empty before.
        output: String,
        /// How many lines follow these.
        more_lines: u32,
        /// Whether it was typed since the part began.
        typed: bool,
    },
}

/// A prediction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionView {
    /// What one can choose from; empty when one types.
    pub choices: Vec<String>,
    /// What was predicted. The part's commands are shown from then on.
    pub given: Option<String>,
    /// What came, once the commands were typed.
    pub came: Option<String>,
    /// Whether that was predicted.
    pub right: Option<bool>,
    /// Why another prediction was wrong; empty otherwise.
    pub why: Vec<TextRun>,
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    /// What must hold.
    pub conditions: Vec<ConditionView>,
    /// The hints that were asked for.
    pub hints: Vec<Vec<TextRun>>,
    /// How many more there are.
    pub hints_left: u32,
    /// The commands that solve it, one an entry, once they were asked for.
    pub solution: Vec<String>,
    /// It was solved; the conditions are those at the cursor and may fail again.
    pub solved: bool,
}

/// A condition of a task, at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionView {
    /// What is wanted.
    pub want: Vec<TextRun>,
    /// Whether it holds.
    pub ok: bool,
    /// It holds, but the learner has not changed the run since the part began.
    pub is_given: bool,
    /// Why not, with the actual values; empty when it holds.
    pub why: Vec<TextRun>,
}

/// What is said at the end of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonEnd {
    /// What one should have seen.
    pub aha: Vec<TextRun>,
    /// What many believe, each with what is so.
    pub misconceptions: Vec<(Vec<TextRun>, Vec<TextRun>)>,
}

/// A lesson in the list of lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonCard {
    /// Its name in links.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What one can do afterwards.
    pub goal: Vec<TextRun>,
    /// How long it takes.
    pub minutes: u32,
    /// The view that shows its goal: `index` or `watch`; ask for it with a goal's queries.
    pub picture: String,
    /// Its parts.
    pub parts: u32,
    /// The parts that were ever done.
    pub done: u32,
    /// Every part was done, once.
    pub finished: bool,
}
