//! The texts about a lesson in progress: reasons why the page refuses an action of the learner, and differences between
//! the run and the lesson.

/// The reasons why the page refuses an action of the learner.
pub const NO_LESSON: &str = "no lesson is open; open a lesson first";
pub const PART_NOT_STARTED: &str = "this part has not started yet";
pub const NO_MORE_COMMANDS: &str = "this part has no more commands";
pub const NO_QUESTION: &str = "this part has no question";
pub const NO_HINTS: &str = "only tasks have hints";
pub const NO_SOLUTION: &str = "only tasks have solutions";

/// The error message for a damaged progress text. A progress text stores how far a learner has come in a lesson.
pub const PROGRESS_DAMAGED: &str =
    "the saved progress in the lesson is damaged or from another version";

/// Returns the error message for text that is not a progress text. A progress text starts with `prefix`.
pub fn not_progress(prefix: &str) -> String {
    format!("this is not the saved progress in a lesson: the text does not start with `{prefix}`")
}

/// Returns the sentence about a value that differs from the lesson's text, as pieces in order. `plain` turns a text
/// into a piece that has no style.
pub fn differs<T>(subject: T, value: T, expected: T, plain: impl Fn(&str) -> T) -> [T; 5] {
    [subject, plain(" is "), value, plain(", not "), expected]
}

/// Returns the sentence about a statement of the lesson that is false in this run, as pieces in order. `plain` turns a
/// text into a piece that has no style.
pub fn does_not_hold<T>(statement: T, plain: impl Fn(&str) -> T) -> [T; 2] {
    [plain("this statement is false: "), statement]
}
