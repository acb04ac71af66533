//! The texts about lessons: the title of a lesson's sandbox, the error messages about a lesson file, and the faults
//! that the check of a lesson finds.

use std::fmt::Display;

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
pub const EMPTY_STEP: &str =
    "the step is empty; add a paragraph, on lines that begin with `# `, or a command";
pub const NO_QUESTION: &str =
    "write the question directly below `#: predict`, in a line that begins with `# `";
pub const NO_ANSWER: &str =
    "a `#: predict` needs an answer line, such as `#: answer 3 = store.rev`";
pub const TWO_ANSWERS: &str = "a question can have only one answer";
pub const ANSWER_SYNTAX: &str = "write an answer as `3 = store.rev`: the correct answer, and the expression that has \
    this value after the commands; or as `an error if last.outcome == \"refused\"`, with a condition";
/// The result of a question whose answer has a condition that does not hold.
pub const ANOTHER_RESULT: &str = "another result";

pub fn answer_not_a_choice(answer: &str, choices: &[String]) -> String {
    format!(
        "the answer `{answer}` is not among the choices {}; add `#: choice {answer}`",
        choices.join(", ")
    )
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

// Errors of a way or a wrong turn.

/// The error messages for a wrong line in the ways and wrong turns of a task.
pub const MISPLACED_ATTEMPT: &str =
    "a line `#> command` must be below a `#: way` or a `#: wrong` of a task";
pub const FURTHER_LINE_FIRST: &str =
    "`#>>` continues a command; begin the command with `#> ` on the line above";
pub const TEXT_IN_ATTEMPT: &str =
    "after `#: way` and `#: wrong`, write each command as `#> put /key1 value`";
pub const COMMAND_IN_ATTEMPT: &str =
    "a command of a way or a wrong turn has no output: write it as `#> put /key1 value`";

/// Returns the error message for a `#:` line that is only allowed inside a wrong turn.
pub fn outside_wrong(word: &str) -> String {
    format!("`#: {word}` must be below a `#: wrong`, which names a wrong turn")
}

/// Returns the error message for a way or a wrong turn without commands. `line` is the number of its first line.
pub fn empty_attempt(line: u32) -> String {
    format!("line {line} needs commands below it, such as `#> put /key1 value`")
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

// Faults that the check of a lesson finds.

/// Returns the fault for a number in the text that differs from the value of its expression.
pub fn wrong_value(expr: impl Display, said: &str, value: impl Display) -> String {
    format!("`{expr}` is {value} here, not {said}")
}

/// Returns the fault for a statement whose condition does not hold.
pub fn wrong_statement(said: &str, check: impl Display) -> String {
    format!("the text says \"{said}\", but `{check}` does not hold here")
}

/// Returns the fault for a text that shows the value of an expression without a value.
pub fn shows_nothing(expr: impl Display) -> String {
    format!("the text shows `{expr}`, which has no value here; show a value that exists")
}

/// Returns the fault for a stored value in backticks.
pub fn stored_value(value: &str) -> String {
    format!(
        "a learner may store a different value than `{value}`; write {{{value} = kv(\"KEY\").value}} or \
         {{kv(\"KEY\").value}}"
    )
}

/// Returns the fault for a command whose output differs from the output in the lesson.
pub fn wrong_output(command: &str, expected: &str, printed: &str) -> String {
    format!("`{command}` prints\n{printed}\nbut the lesson says\n{expected}")
}

/// Returns the fault for a command that does not end within the limit of the check.
pub fn endless_command(command: &str, most: u32) -> String {
    format!(
        "`{command}` takes more than {most} steps, so the check stopped here; use a shorter command"
    )
}

/// Returns the fault for a challenge whose solution exceeds the limit of the check.
pub fn solution_too_long(most: u32) -> String {
    format!("the solution takes more than {most} steps; use fewer or shorter commands")
}

/// The fault of a text whose first line is no header. The page recognises a lesson by its first line.
pub const HEADER_FIRST: &str = "begin the text with a header line, such as `#! lesson: NAME`";

/// Returns the fault for a lesson whose name cannot be the name of a file.
pub fn not_a_file_name(name: &str, most: usize) -> String {
    format!(
        "`{name}` cannot be the name of a file: use at most {most} letters, digits, `-` and `_`"
    )
}

/// Returns the fault for a goal that does not fit into its picture.
pub fn goal_too_large(keys: u32, revisions: u32) -> String {
    format!("the picture of the goal has room for {keys} keys and {revisions} revisions")
}

/// The fault of a challenge without conditions whose picture shows no store.
pub const GOAL_WITHOUT_STORE: &str = "without conditions, the goal is the picture of the store: remove the line \
    `#! picture`, or add conditions";

/// Returns the fault for a question whose answer is wrong.
pub fn wrong_answer(expr: impl Display, answer: &str, value: &str) -> String {
    format!("`{expr}` is {value} after the commands of this prediction, but the answer is {answer}")
}

/// The fault for a question whose condition does not hold.
pub fn wrong_condition(expr: impl Display, answer: &str) -> String {
    format!(
        "the answer is \"{answer}\", but `{expr}` does not hold after the commands of this prediction"
    )
}

pub fn solved_at_start(part: usize) -> String {
    format!(
        "the task of part {part} is already solved when the lesson starts; add a condition that is not met then"
    )
}

pub fn solved_before(part: usize) -> String {
    format!(
        "the task of part {part} is already solved before the learner does anything; add a condition that the parts \
         before do not meet"
    )
}

/// Returns a condition that does not hold, with the reason that the lesson gives.
pub fn unmet_condition(number: usize, want: &str, why: &str) -> String {
    format!("condition {number} (\"{want}\"), because the lesson says \"{why}\"")
}

/// Returns the fault for a solution that does not meet a condition. `unmet` is from [`unmet_condition`].
pub fn unsolved(part: usize, unmet: &str) -> String {
    format!("the solution of part {part} does not meet its {unmet}")
}

/// Returns the fault for a right way that does not solve its task.
pub fn unsolved_way(name: &str, unmet: &[String]) -> String {
    format!(
        "the way \"{name}\" does not solve the task: it does not meet {}",
        unmet.join(" and ")
    )
}

/// Returns the fault for a wrong turn that solves its task.
pub fn solved_wrong(name: &str) -> String {
    format!(
        "the wrong turn \"{name}\" solves the task; make it a `#: way`, or check more in a `#: want`"
    )
}

/// Returns the fault for a wrong turn after which the lesson does not say the expected words.
pub fn not_said(name: &str, expected: &str, said: &[String]) -> String {
    format!(
        "after the wrong turn \"{name}\", the lesson says \"{}\", not \"{expected}\"",
        said.join("\" and \"")
    )
}

/// Returns the fault for a wrong turn after which the reason of a condition shows an expression without a value.
pub fn reason_without_value(name: &str, want: &str, expr: impl Display) -> String {
    format!(
        "after the wrong turn \"{name}\", the reason of the condition \"{want}\" shows `{expr}`, which has no value \
         then; add a `#: why if … => text` for this case"
    )
}

/// Returns the fault for a reason that shows an expression without a value at the start of its task.
pub fn why_without_value(expr: impl Display) -> String {
    format!(
        "the reason of this condition shows `{expr}`, which has no value when the task begins; add a \
         `#: why if … => text` for this case"
    )
}
