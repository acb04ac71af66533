//! The texts about lessons: the title of a lesson's sandbox, and the error messages about a lesson file.

// The sandbox.

/// Returns the title of the sandbox of a lesson.
pub fn sandbox(lesson: &str) -> String {
    format!("Sandbox: {lesson}")
}

// Errors of the header.

/// The error messages for a wrong header line of a lesson file.
pub const MINUTES_SYNTAX: &str = "the value of `minutes` must be a number";
pub const WAY_SYNTAX: &str = "write a link to another run as `#! next: TARGET TITLE`";

pub fn header_missing(key: &str) -> String {
    format!("the header line `#! {key}: …` is missing")
}

/// Returns the error message for an etcd version that does not exist.
pub fn no_such_profile(profile: &str) -> String {
    format!("there is no profile `{profile}`; the profiles are 3.4, 3.5, 3.6 and 3.7")
}

// Errors of the order of the lines.

/// The error messages for lines of a lesson file that are at a wrong position.
pub const MISPLACED_START: &str = "`#: start` can occur only once, before the first part";
pub const MISPLACED_PART: &str =
    "all parts of a lesson must come before `#: aha` and `#: misconception`";
pub const MISPLACED_PARAGRAPH: &str =
    "only `#: aha` and `#: misconception` can follow the last part";
pub const MISPLACED_NOTE: &str =
    "a `#: note` must be in a step or a prediction, with its text on the lines below";
pub const MISPLACED_COMMAND: &str = "a command must be below `#: start`, a step or a solution";
pub const MISPLACED_SOLUTION: &str = "the commands of a task must be below `#: solution`";
pub const TEXT_IN_SOLUTION: &str =
    "a solution can contain only commands; explain them in the next step";
pub const GOAL_WITH_TEXT: &str = "`#: goal` must be alone on its line";

/// The error messages for a lesson in which a required part is missing or occurs twice.
pub const NO_TASK: &str =
    "a lesson needs a `#: task`, which learners solve with their own commands";
pub const NO_AHA: &str = "a lesson needs a `#: aha`, the main insight, at its end";
pub const TWO_AHAS: &str = "a lesson can have only one `#: aha`";
pub const NO_MISCONCEPTION: &str = "a lesson needs a `#: misconception`, with the fact below it";
pub const NO_FACT: &str =
    "a `#: misconception` needs the correct fact below it, on lines that begin with `# `";

pub fn too_many_parts(most: usize) -> String {
    format!("a lesson can have at most {most} parts")
}

/// Returns the error message for a `#:` line that starts with an unknown word.
pub fn no_such_word(word: &str, words: &str) -> String {
    format!("a lesson cannot contain `#: {word}`; the allowed words are {words}")
}

/// Returns the error message for a `#:` line whose word is not followed by text.
pub fn text_missing(word: &str) -> String {
    format!("a text must follow `#: {word}`")
}

/// Returns the error message for a `#:` line that is only allowed inside a prediction.
pub fn outside_prediction(word: &str) -> String {
    format!("`#: {word}` must be part of a `#: predict`")
}

/// Returns the error message for a `#:` line that is only allowed inside a task.
pub fn outside_task(word: &str) -> String {
    format!("`#: {word}` must be part of a `#: task`")
}

// Errors of a step or a prediction.

/// The error messages for a step or a prediction of a lesson.
pub const EMPTY_STEP: &str = "the step is empty";
pub const NO_QUESTION: &str =
    "write the question directly below `#: predict`, in a line that begins with `# `";
pub const NO_ANSWER: &str =
    "a `#: predict` needs an answer line, such as `#: answer 3 = store.rev`";
pub const TWO_ANSWERS: &str = "a question can have only one answer";
pub const ANSWER_SYNTAX: &str = "write an answer as `3 = store.rev`: the correct answer, and the expression that has \
    this value after the commands; or as `an error if last.outcome == \"refused\"`, with a condition";
/// The result of a question whose answer has a condition that does not hold.
pub const ANOTHER_RESULT: &str = "another result";

pub fn answer_not_a_choice(answer: &str) -> String {
    format!("`{answer}` is not among the choices")
}

// Errors of a task.

/// The error messages for a wrong task in a lesson file.
pub const NO_DESCRIPTION: &str =
    "write the goal directly below `#: task`, in a line that begins with `# `";
pub const NO_SOLUTION: &str = "a task needs a `#: solution` with commands";
pub const NO_CONDITION: &str = "a task needs a `#: want` with its `#: check` and `#: why`";
pub const TWO_CHECKS: &str =
    "a `#: want` can have only one `#: check`; join two conditions with `and`";
pub const WHY_WITHOUT_CHECK: &str = "`#: why` must be below a `#: check`";
pub const WHY_SYNTAX: &str = "write a reason with a condition as `#: why if … => text`";

pub fn hint_count(expected: usize, found: usize) -> String {
    format!(
        "a task must have {expected} hints (the concept, the command, the filled-in command), but this task has {found}"
    )
}

/// Returns the error message for a `#: check` or `#: why` line without a preceding `#: want` line.
pub fn want_missing(word: &str) -> String {
    format!("`#: {word}` must be below a `#: want` line, which states the condition in words")
}

/// Returns the error message for a `#: want` line without a `#: check` line. `line` is the number of the `#: want`
/// line.
pub fn check_missing(line: u32) -> String {
    format!("the `#: want` in line {line} has no `#: check` below it")
}

/// Returns the error message for a `#: want` whose last `#: why` has a condition. `line` is the number of the `#: want`
/// line.
pub fn last_why_missing(line: u32) -> String {
    format!(
        "the `#: want` in line {line} must end with a `#: why` without `if`, which applies if no other reason does"
    )
}

// Errors of a paragraph.

/// The error messages for an unclosed backtick or brace in a paragraph of a lesson.
pub const UNCLOSED_CODE: &str =
    "the text has an opening backtick, but the closing backtick is missing";
pub const UNCLOSED_REFERENCE: &str = "a `{` opens a reference that no `}` closes";

/// Returns the error message for a number in backticks. No check verifies such a number, because it has no expression.
pub fn unchecked_code(code: &str) -> String {
    format!(
        "the number `{code}` in backticks is not checked; add an expression with this value, for example \
        {{{code} = store.rev}}"
    )
}

/// Returns the error message for a number in plain text. No check verifies a number without braces and an expression.
pub fn unchecked_number(number: &str) -> String {
    format!(
        "the number `{number}` is not checked; add an expression with this value, for example \
         {{{number} = store.rev}}, or put the number in backticks if it is a part of what the user types"
    )
}
