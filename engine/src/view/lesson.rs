//! The lesson rail: where a learner is, what is said there, what is asked, what is still missing.

use serde::{Deserialize, Serialize};

/// The lesson under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonView {
    /// The name in links, e.g. `L04`.
    pub name: String,
    /// The title.
    pub title: String,
    /// The skills after the lesson.
    pub goal: Vec<TextRun>,
    /// The duration, in minutes.
    pub minutes: u32,
    /// The source of the lesson.
    pub source: String,
    /// The parts, in order.
    pub parts: Vec<PartMark>,
    /// The number of the current part, from 0.
    pub part: u32,
    /// What is said there, and what is to be typed, in order.
    pub items: Vec<LessonItem>,
    /// The question of the prediction.
    pub question: Option<QuestionView>,
    /// The goal of the task.
    pub task: Option<TaskView>,
    /// The first difference between the learner's run and the text.
    pub differs: Option<DiffersView>,
    /// What is said at the end, once the last part is done.
    pub end: Option<LessonEnd>,
    /// Every part is done.
    pub finished: bool,
    /// How far the learner is with all lessons, to be kept and given back.
    pub progress: String,
}

/// The difference between the learner's run and the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffersView {
    /// What differs, a clause each, as in "the revision of the store is 6, not 5".
    pub what: Vec<Vec<TextRun>>,
    /// The number of further differences.
    pub more: u32,
    /// The part to restart from, from 0: the run left the text there.
    pub from: u32,
}

/// A part as a mark in the rail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartMark {
    /// The title.
    pub title: String,
    /// The kind of part.
    pub kind: PartName,
    /// Whether it is done.
    pub done: bool,
    /// Whether the learner has come to it, so that it can be shown.
    pub has_begun: bool,
}

/// The learner's activity in a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartName {
    /// To read, and to run what is there.
    #[default]
    Step,
    /// Predict a result.
    Predict,
    /// To reach something.
    Task,
}

/// A stretch of text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRun {
    /// The text.
    pub text: String,
    /// The style.
    pub kind: TextRunKind,
}

/// The style of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextRunKind {
    /// Plain words.
    #[default]
    Plain,
    /// Typed text.
    Code,
    /// As a value of the learner's run, which is the one of the text.
    Number,
    /// As a value of the learner's run that differs from the one of the text.
    Changed,
    /// Words that do not hold in the learner's run.
    Denied,
}

/// A paragraph, a note or a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonItem {
    /// A paragraph.
    Say(Vec<TextRun>),
    /// A note that learners can skip.
    Note {
        /// The subject.
        title: String,
        /// The text.
        text: Vec<TextRun>,
    },
    /// A command.
    Command {
        /// The command to type; a transaction has several lines.
        text: String,
        /// The first lines of what it printed when the learner ran it; empty before.
        output: String,
        /// The number of further lines.
        more_lines: u32,
        /// Whether the command was typed since the part began.
        typed: bool,
    },
}

/// A prediction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionView {
    /// The choices; empty for a typed answer.
    pub choices: Vec<String>,
    /// The prediction. From then on, the part's commands are shown.
    pub given: Option<String>,
    /// The outcome, once the commands were typed.
    pub came: Option<String>,
    /// Whether that was predicted.
    pub right: Option<bool>,
    /// Why another prediction was wrong; empty otherwise.
    pub why: Vec<TextRun>,
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    /// The conditions.
    pub conditions: Vec<ConditionView>,
    /// The hints that were asked for.
    pub hints: Vec<Vec<TextRun>>,
    /// The number of further hints.
    pub hints_left: u32,
    /// The commands that solve it, one an entry, once they were asked for.
    pub solution: Vec<String>,
    /// It was solved; the conditions are those at the cursor and may fail again.
    pub solved: bool,
}

/// A condition of a task, at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionView {
    /// The condition in words.
    pub want: Vec<TextRun>,
    /// Whether the condition holds.
    pub ok: bool,
    /// It holds, but the learner has not changed the run since the part began.
    pub is_given: bool,
    /// The reason for failure, with the actual values; empty when the condition holds.
    pub why: Vec<TextRun>,
}

/// The end of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonEnd {
    /// The main insight of the lesson.
    pub aha: Vec<TextRun>,
    /// Common misconceptions, each with the facts.
    pub misconceptions: Vec<(Vec<TextRun>, Vec<TextRun>)>,
}

/// A lesson in the list of lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonCard {
    /// The name in links.
    pub name: String,
    /// The title.
    pub title: String,
    /// The skills after the lesson.
    pub goal: Vec<TextRun>,
    /// The duration, in minutes.
    pub minutes: u32,
    /// The view that shows its goal: `index` or `watch`; ask for it with a goal's queries.
    pub picture: String,
    /// The number of parts.
    pub parts: u32,
    /// The parts that were ever done.
    pub done: u32,
    /// Every part was done, once.
    pub finished: bool,
}
