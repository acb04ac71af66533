//! The lesson rail, the column beside the views: the current part of a lesson, its text and tasks, and the conditions
//! that are not met yet.

use serde::{Deserialize, Serialize};

/// The current lesson, as the lesson rail shows it at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LessonView {
    /// The name in links, e.g. `L04`.
    pub name: String,
    pub title: String,
    /// The skills that the learner has after the lesson.
    pub goal: Vec<TextRun>,
    pub minutes: u32,
    pub source: String,
    pub parts: Vec<PartMark>,
    /// The number of the current part, from 0.
    pub part: u32,
    /// The texts and commands of the current part, in order.
    pub items: Vec<LessonItem>,
    /// The question, if the current part is a prediction.
    pub question: Option<QuestionView>,
    /// The task, if the current part is a task.
    pub task: Option<TaskView>,
    /// The goal and the counts, if the lesson is a challenge.
    pub challenge: Option<ChallengeView>,
    /// The differences between the learner's run and the text of the lesson, at the first position at which the run and
    /// the text differ.
    pub differs: Option<DiffersView>,
    /// The part from which to restart, counted from 0, if the current part does not fit the learner's store. The part
    /// does not fit if the task's solution does not solve the task, or if the choices do not contain the actual answer.
    pub misfit: Option<u32>,
    /// Whether the last typed command is similar to the next command of the part, such as a put of another value.
    pub near_miss: bool,
    /// The summary of the lesson, once the last part is done.
    pub end: Option<LessonEnd>,
    pub finished: bool,
    /// The learner's progress in all lessons, as text that the page stores and passes back.
    pub progress: String,
}

/// The differences between the learner's run and the text of the lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffersView {
    /// The differences, each as a clause. Example: "the revision of the store is 6, not 5".
    pub what: Vec<Vec<TextRun>>,
    /// The number of differences that are not in the list.
    pub more: u32,
    /// The part from which to restart, counted from 0. In this part, the run started to differ from the text.
    pub from: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartMark {
    pub title: String,
    pub kind: PartName,
    pub done: bool,
    /// Whether the learner has reached the part, so that the page can show it.
    pub has_begun: bool,
}

/// The kind of activity in a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartName {
    /// A part to read, with commands to run.
    #[default]
    Step,
    Predict,
    Task,
}

/// A piece of a text in which all words have one style.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRun {
    pub text: String,
    pub kind: TextRunKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextRunKind {
    #[default]
    Plain,
    Code,
    /// A value in the learner's run that equals the value in the text.
    Number,
    /// A value in the learner's run that differs from the value in the text.
    Changed,
    /// A statement that does not hold in the learner's run.
    Denied,
}

/// A paragraph, a note or a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonItem {
    Say(Vec<TextRun>),
    /// A note that learners can skip: a subject and a text.
    Note {
        title: String,
        text: Vec<TextRun>,
    },
    Command {
        /// The command to type. A transaction has several lines.
        text: String,
        /// The first lines of the command's output; empty until the learner has run the command.
        output: String,
        /// The lines of `output` that are error output, counted from 0, in ascending order.
        error_lines: Vec<u32>,
        /// The number of later output lines, which `output` does not contain.
        more_lines: u32,
        /// Whether the learner has typed the command since the part began.
        typed: bool,
        /// Whether the command failed with an output that is not in the lesson. False if the lesson expects the error.
        failed: bool,
    },
}

/// The question of a part in which the learner predicts a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionView {
    /// The choices; empty for a typed answer.
    pub choices: Vec<String>,
    pub is_number: bool,
    /// The learner's prediction; `None` before the learner predicts. The part's commands appear after the prediction.
    pub given: Option<String>,
    /// The actual result; `None` until the learner has run the part's commands.
    pub actual: Option<String>,
    pub right: Option<bool>,
    /// The explanation for a wrong prediction; empty otherwise.
    pub why: Vec<TextRun>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    pub conditions: Vec<ConditionView>,
    /// The hints that the learner has requested.
    pub hints: Vec<Vec<TextRun>>,
    /// The number of hints that the learner has not requested yet.
    pub hints_left: u32,
    /// The commands of the solution, one per entry; empty until the learner requests the solution.
    pub solution: Vec<String>,
    /// Whether the task was ever solved. The conditions are evaluated at the cursor, so they can fail after the task
    /// was solved.
    pub solved: bool,
    /// Whether the solution no longer solves the task after the commands that the learner has typed in this part. The
    /// page then offers to restart the part.
    pub is_stuck: bool,
}

/// A challenge: a lesson that is one task, with a picture of its goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChallengeView {
    /// The state after the solution, in the view `picture`.
    pub goal: Box<super::Views>,
    /// The view that shows the goal: `index`, `watch` or `cache`.
    pub picture: String,
    /// The number of commands of the solution that change the run.
    pub par: u32,
    /// The number of such commands that the learner has typed.
    pub commands: u32,
    /// The smallest number of such commands with which the learner solved the challenge.
    pub best: Option<u32>,
}

/// A condition of a task, at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionView {
    pub want: Vec<TextRun>,
    pub ok: bool,
    /// Whether the condition holds although the learner has changed nothing since the part began.
    pub is_given: bool,
    /// The reason why the condition does not hold, with the actual values; empty if the condition holds.
    pub why: Vec<TextRun>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonEnd {
    /// The main insight of the lesson.
    pub aha: Vec<TextRun>,
    /// Common misconceptions. Each pair contains a misconception and the correct statement.
    pub misconceptions: Vec<(Vec<TextRun>, Vec<TextRun>)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonCard {
    pub name: String,
    pub title: String,
    /// The skills that the learner has after the lesson.
    pub goal: Vec<TextRun>,
    pub minutes: u32,
    /// The view that best shows the subject of the lesson: `index` or `watch`.
    pub picture: String,
    pub parts: u32,
    /// The number of parts that the learner has completed at least once.
    pub done: u32,
    /// Whether the learner has completed all parts.
    pub finished: bool,
    /// Whether the lesson is a challenge.
    pub is_challenge: bool,
    /// The smallest number of commands with which the learner solved the challenge.
    pub best: Option<u32>,
}
