//! The texts about lessons: the title of a lesson's sandbox, and the error messages about a lesson file.

// The sandbox.

/// Returns the title of the sandbox of a lesson.
pub fn sandbox(lesson: &str) -> String {
    format!("Sandbox: {lesson}")
}

// Errors of the header.

/// The error messages for a header line.
pub const MINUTES_SYNTAX: &str = "`minutes` is a number";
pub const WAY_SYNTAX: &str = "a link to another run is written `#! next: TARGET TITLE`";

/// Returns the error message for a missing header line.
pub fn header_missing(key: &str) -> String {
    format!("the header line `#! {key}: …` is missing")
}

/// Returns the error message for an etcd version that does not exist.
pub fn no_such_profile(profile: &str) -> String {
    format!("there is no profile `{profile}`; there are 3.6 and 3.4")
}

// Errors of the order of the lines.

/// The error messages for lines in a wrong position of a lesson file.
pub const MISPLACED_START: &str = "`#: start` stands once, before the first part";
pub const MISPLACED_PART: &str =
    "the parts of a lesson stand before `#: aha` and `#: misconception`";
pub const MISPLACED_PARAGRAPH: &str =
    "after the last part stand only `#: aha` and `#: misconception`";
pub const MISPLACED_NOTE: &str =
    "a `#: note` stands in a step or a prediction, with its text below it";
pub const MISPLACED_COMMAND: &str = "a command stands below `#: start`, a step or a solution";
pub const MISPLACED_SOLUTION: &str = "a task's commands stand below `#: solution`";
pub const TEXT_IN_SOLUTION: &str =
    "a solution has commands only; write its explanation in the next step";
pub const GOAL_WITH_TEXT: &str = "`#: goal` stands alone on its line";

/// The error messages for a lesson that lacks a required part or has a part twice.
pub const NO_TASK: &str =
    "a lesson needs a `#: task`, which learners solve with their own commands";
pub const NO_AHA: &str = "a lesson ends with `#: aha`, the main insight";
pub const TWO_AHAS: &str = "a lesson has one `#: aha`";
pub const NO_MISCONCEPTION: &str = "a lesson needs a `#: misconception`, with the fact below it";
pub const NO_FACT: &str = "below a misconception stands the fact, after `# `";

/// Returns the error message for a lesson with more than `most` parts.
pub fn too_many_parts(most: usize) -> String {
    format!("a lesson has at most {most} parts")
}

/// Returns the error message for a `#:` line that starts with an unknown word.
pub fn no_such_word(word: &str, words: &str) -> String {
    format!("a lesson cannot contain `#: {word}`; there are {words}")
}

/// Returns the error message for a `#:` line whose word is not followed by text.
pub fn text_missing(word: &str) -> String {
    format!("`#: {word}` is followed by a text")
}

/// Returns the error message for a `#:` line that is only allowed inside a prediction.
pub fn outside_prediction(word: &str) -> String {
    format!("`#: {word}` belongs to a `#: predict`")
}

/// Returns the error message for a `#:` line that is only allowed inside a task.
pub fn outside_task(word: &str) -> String {
    format!("`#: {word}` belongs to a `#: task`")
}

// Errors of a step or a prediction.

/// The error messages for a step or a prediction of a lesson.
pub const EMPTY_STEP: &str = "the step is empty";
pub const NO_QUESTION: &str = "a `#: predict` begins with the question, after `# `";
pub const NO_ANSWER: &str = "a `#: predict` has an `#: answer 3 = …`";
pub const TWO_ANSWERS: &str = "a question has one answer";
pub const ANSWER_SYNTAX: &str =
    "an answer is written `3 = store.rev`: the right answer, and its expression after the commands";

/// Returns the error message for a prediction whose choices do not contain the answer.
pub fn answer_not_a_choice(answer: &str) -> String {
    format!("`{answer}` is not among the choices")
}

// Errors of a task.

/// The error messages for a task of a lesson.
pub const NO_DESCRIPTION: &str = "a `#: task` begins with what is to be done, after `# `";
pub const NO_SOLUTION: &str = "a task has a `#: solution` with commands";
pub const NO_CONDITION: &str = "a task has a `#: want` with its `#: check` and `#: why`";
pub const TWO_CHECKS: &str = "a `#: want` has one `#: check`; join two with `and`";
pub const WHY_WITHOUT_CHECK: &str = "above `#: why` stands `#: check`";
pub const WHY_SYNTAX: &str = "a reason with a condition is written `#: why if … => text`";

/// Returns the error message for a task with a wrong number of hints.
pub fn hint_count(expected: usize, found: usize) -> String {
    format!(
        "a task has {expected} hints (the concept, the command, the filled-in command), this one has {found}"
    )
}

/// Returns the error message for a `#: check` or `#: why` line without a preceding `#: want` line.
pub fn want_missing(word: &str) -> String {
    format!("above `#: {word}` stands `#: want`, the condition in words")
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
        "the `#: want` in line {line} ends with a `#: why` without `if`, for when no other reason fits"
    )
}

// Errors of a paragraph.

/// The error messages for backticks and braces in a paragraph of a lesson.
pub const UNCLOSED_CODE: &str = "a backtick opens code, but the closing backtick is missing";
pub const UNCLOSED_REFERENCE: &str = "a `{` opens a reference that no `}` closes";

/// Returns the error message for a number in backticks, which the lesson's checks cannot verify.
pub fn unchecked_code(code: &str) -> String {
    format!(
        "`{code}` in backticks is a number that is not checked; write {{{code} = store.rev}}, with its expression \
         after the `=`"
    )
}

/// Returns the error message for a number without braces, which the lesson's checks cannot verify.
pub fn unchecked_number(number: &str) -> String {
    format!(
        "`{number}` is not checked; write {{{number} = store.rev}}, with its expression after the `=`, or set typed \
         text in backticks"
    )
}
