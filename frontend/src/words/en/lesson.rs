//! The texts of lessons: the list of all lessons, the panel beside the picture, and the text alternatives of the goals.
//! The lessons themselves are files of the engine.

use watchglass_engine::view::{CacheView, IndexView, PartMark, TerminalEntry, WatchView};
use yew::prelude::*;

use super::common;
use crate::draw::text::grouped;

pub const INTRODUCTION: &str = "Each lesson has a task that you solve with your own commands. \
    The picture of each lesson shows the state at the end of the lesson.";
pub const PROGRESS_SAVED: &str = "Your progress is saved in this browser only.";
pub const PROGRESS_NOT_SAVED: &str =
    "This browser does not let the page save your progress: a reload loses the progress.";
pub const LOADING: &str = "Loading the lessons…";
/// The word that marks a finished lesson.
pub const FINISHED: &str = "done";

/// The names of the sections of the panel that shows a lesson.
pub const PARTS: &str = "Parts";
pub const TEXT: &str = "Text of the lesson";

/// The texts of the menu that restarts the lesson.
pub const RESTART: &str = "Restart";
pub const THIS_PART: &str = "This part";
pub const THIS_PART_ABOUT: &str = "back to the start of the part";
pub const WHOLE_LESSON: &str = "The whole lesson";
pub const WHOLE_LESSON_ABOUT: &str = "you can undo the restart";

/// The texts about a command in the lesson's text. Screen readers say the unseen texts before and after the command.
pub const RUN_TITLE: &str = "Run this command, or type it in the terminal";
pub const RUN_UNSEEN: &str = "Run ";
pub const WAS_RUN_UNSEEN: &str = " was run";
pub const FAILED_UNSEEN: &str = " failed";

/// The texts of a prediction, in which the learner guesses a result.
pub const PREDICT: &str = "Predict first";
pub const YOUR_ANSWER: &str = "Your answer";
pub const NO_CHOICE: &str = "Choose an answer first.";
pub const NO_NUMBER: &str = "Type a number.";
pub const NO_GUESS: &str = "Type your guess first.";

pub const TASK: &str = "Your turn";
pub const TASK_SOLVED: &str = "solved";
pub const HINTS: &str = "Hints";
pub const SOLUTION: &str = "Solution";
pub const SOLUTION_HEADING: &str = "One way to do it";
pub const TO_TERMINAL: &str = "Copy to the terminal";
/// The text for screen readers before a command of the solution.
pub const TO_TERMINAL_UNSEEN: &str = "Copy to the terminal: ";
/// The texts before a condition of a task. They say whether the condition is met. Only `CONDITION_GIVEN` is visible;
/// the others are for screen readers.
pub const CONDITION_DONE: &str = "Done: ";
pub const CONDITION_GIVEN: &str = "Already met: ";
pub const CONDITION_MISSING: &str = "Still missing: ";

/// The announcement of a solved task.
pub const SOLVED: &str = "Solved.";

/// The beginning of the note about a store that differs from the lesson's store; also announced to screen readers.
pub const DIFFERS: &str = "Your store differs from the lesson's store";
/// The end of this note.
const OWN_NUMBERS: &str = "The numbers in the text are those of your store.";
/// The labels of the button that restarts from the first difference.
pub const RESTART_PART: &str = "Restart this part";
pub const RESTART_LESSON: &str = "Restart the lesson";

/// The note above a part that does not fit the learner's run.
pub const MISFIT: &str = "This part does not fit your store";
pub const MISFIT_TASK: &str = "Your store differs from the lesson's store at the start of this part: \
    the task cannot be solved as written. Neither an undo nor a restart of this part helps.";
pub const MISFIT_QUESTION: &str = "Your store differs from the lesson's store, so none of the choices is the right \
    answer. Undo the commands that are not part of the lesson, or restart.";

/// The note above a task whose solution no longer works after the learner's commands.
pub const STUCK: &str = "The solution no longer works from here";
pub const STUCK_TASK: &str = "After your last commands, the solution of this task no longer works. Undo these \
    commands, or restart this part.";

/// The line that the page shows after the learner ran a command that is similar to the lesson's next command.
pub const NEAR_MISS: &str =
    "You ran a different command. The lesson still waits for its next command.";

/// The headings at the end of a lesson.
pub const END: &str = "Key points";
pub const MISCONCEPTIONS: &str = "Common misconceptions";
/// The text before a misconception.
pub const MYTH: &str = "Myth: ";
pub const CONTINUE: &str = "Continue with";
pub const SANDBOX: &str = "The sandbox, with this store";
pub const SANDBOX_TITLE: &str = "Opens this run without the lesson, as a new run";

/// The labels of the main button.
pub const RUN: &str = "Run it";
/// The label does not promise a result, because the commands that show the result appear after the guess.
pub const SUBMIT_GUESS: &str = "Submit guess";
/// The button that skips an unsolved task.
pub const SKIP: &str = "Skip";
pub const SKIP_TITLE: &str = "Runs the solution and goes to the next part";
pub const FINISH: &str = "Finish";
pub const NEXT_LESSON: &str = "Next lesson";
pub const ALL_LESSONS: &str = "All lessons";

/// The labels of the button that is beside the main button of a task.
pub const SHOW_HINT: &str = "Hint";
pub const SHOW_SOLUTION: &str = "Solution";

/// Returns the number of a lesson in the list, counted from 1, and its duration.
pub fn number_and_minutes(number: usize, minutes: u32) -> String {
    let (number, minutes) = (number.to_string(), minutes.to_string());
    ["Lesson ", &number, " · ", &minutes, " min"].concat()
}

/// Returns the text alternative of a picture that shows the commands of a beat (a section of a run).
pub fn commands_of_beat(entries: &[TerminalEntry]) -> String {
    let commands: Vec<&str> = entries.iter().map(|entry| &*entry.command).collect();
    ["The commands: ", &commands.join(", ")].concat()
}

pub fn parts_done(done: u32, parts: u32) -> String {
    [&done.to_string(), " of ", &parts.to_string(), " parts"].concat()
}

/// Returns the label above the text of a lesson, such as `Lesson 3 of 8`. `number` counts from 1.
pub fn lesson_of(number: usize, lessons: usize) -> String {
    ["Lesson ", &number.to_string(), " of ", &lessons.to_string()].concat()
}

/// Returns the text that follows the label [`lesson_of`] in a part, such as `, part 2 of 5`. `number` counts from 1.
pub fn part_of(number: u32, parts: usize) -> String {
    [", part ", &number.to_string(), " of ", &parts.to_string()].concat()
}

/// Returns the duration of a lesson in a sentence.
pub fn about_minutes(minutes: u32) -> String {
    ["About ", &minutes.to_string(), " minutes."].concat()
}

/// Returns the name of a part. `number` is counted from 1.
pub fn part(number: usize, title: &str) -> String {
    ["Part ", &number.to_string(), ": ", title].concat()
}

/// Returns the label of the button that opens a part. `number` is counted from 1.
pub fn part_button(number: usize, mark: &PartMark) -> String {
    let done = if mark.done { ", done" } else { "" };
    [&part(number, &mark.title), done].concat()
}

/// Returns the announcement of a part with the result of a prediction. Without a guess, `given` is `None`.
pub fn part_with_result(part: &str, given: Option<&str>, result: &str) -> String {
    let given = given.unwrap_or("nothing");
    [part, ". You guessed ", given, ". The answer is ", result].concat()
}

/// Adds to an announcement that the learner's store differs from the lesson's store.
pub fn with_difference(state: &str) -> String {
    [state, ". ", DIFFERS].concat()
}

/// Appends a sentence to an announcement: the part does not fit the run.
pub fn with_misfit(state: &str) -> String {
    [state, ". ", MISFIT].concat()
}

/// Appends a sentence to an announcement: the solution of the task no longer works.
pub fn with_stuck(state: &str) -> String {
    [state, " ", STUCK_TASK].concat()
}

/// Appends a sentence to an announcement: the lesson still waits for its next command.
pub fn with_near_miss(state: &str) -> String {
    [state, ". ", NEAR_MISS].concat()
}

/// Returns the note about a store that differs from the lesson's store: the differences, and the number of further
/// differences.
pub fn differences(differences: impl Iterator<Item = Html>, more: u32) -> Html {
    let rest = match more {
        0 => String::new(),
        more => ["; and ", &more.to_string(), " more"].concat(),
    };
    html! {
        <>
            { DIFFERS }{ ": " }
            { for differences.enumerate().map(|(number, difference)| html! {
                <>{ if number > 0 { "; " } else { "" } }{ difference }</>
            }) }
            { rest }{ ". " }{ OWN_NUMBERS }
        </>
    }
}

/// Returns the label of the button that restarts from an earlier part. `number` is counted from 1.
pub fn restart_from_part(number: u32) -> String {
    ["Restart from part ", &number.to_string()].concat()
}

/// Returns the heading of a folded note.
pub fn note(title: &str) -> String {
    ["Note: ", title].concat()
}

pub fn your_guess(given: &str) -> Html {
    html! { <>{ "Your guess: " }<b class="lesson-number">{ given }</b></> }
}

pub fn right(result: &str) -> Html {
    html! { <>{ "Right: " }<b class="lesson-number">{ result }</b>{ "." }</> }
}

/// Returns the answer of a question for which nobody typed a guess.
pub fn answer(result: &str) -> Html {
    html! { <>{ "The answer is " }<b class="lesson-number">{ result }</b>{ "." }</> }
}

pub fn wrong(result: &str, given: &str) -> Html {
    html! {
        <>
            { "The answer is " }<b class="lesson-number">{ result }</b>
            { ". You guessed " }<b class="lesson-number">{ given }</b>{ "." }
        </>
    }
}

/// Returns the announcement of a task with a condition that is not met. The announcement contains the number of met
/// conditions, and the first condition that is not met (`want`), with the reason (`why`). If `is_given`, the
/// announcement also says that the met conditions were met before the learner did anything.
pub fn missing(met: usize, all: usize, is_given: bool, want: &str, why: &str) -> String {
    let already = if is_given { "already " } else { "" };
    let met = conditions_met(met, all, already);
    [&met, "Still missing: ", want, " ", why].concat()
}

fn conditions_met(met: usize, all: usize, already: &str) -> String {
    let (met, all) = (met.to_string(), all.to_string());
    [&met, " of ", &all, " conditions ", already, "met. "].concat()
}

/// Returns the text alternative of a goal that the Index view shows.
pub fn goal_in_index(view: &IndexView) -> String {
    let mut text = format!("At the end, the store is at revision {}", view.head);
    if view.compact_revision > 0 {
        text.push_str(", compacted at ");
        text.push_str(&view.compact_revision.to_string());
    }
    for (number, lane) in view.lanes.iter().enumerate() {
        text.push_str(if number == 0 { ": " } else { ", " });
        text.push_str(&lane.name);
        text.push_str(if lane.alive { " exists" } else { " is deleted" });
        if lane.threads.len() > 1 {
            text.push_str(" in generation ");
            text.push_str(&lane.threads.len().to_string());
        }
    }
    if view.lanes_total as usize > view.lanes.len() {
        text.push_str(", and more");
    }
    text.push('.');
    text
}

/// Returns the text alternative of a goal that the Watch view shows.
pub fn goal_in_watch(view: &WatchView) -> String {
    format!(
        "The store is at revision {}. Synced watchers: {}, unsynced: {}, victims: {}.",
        grouped(view.revision),
        view.synced,
        view.unsynced,
        view.victims
    )
}

/// Returns the text alternative of a goal that the Cache view shows.
pub fn goal_in_cache(view: &CacheView) -> String {
    let mut text = format!(
        "At the end, the store is at revision {}",
        grouped(view.head)
    );
    for cache in &view.caches {
        text.push_str(&format!(
            ", the cache of {} is {} behind",
            cache.server,
            common::count(cache.behind, "revision", "revisions")
        ));
    }
    text.push('.');
    text
}
