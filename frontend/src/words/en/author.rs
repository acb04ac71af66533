//! The texts of the page for authors of lessons.

pub const TITLE: &str = "Write a lesson";
pub const ABOUT: &str = "An editor for teachers and authors, with a preview and a check.";
pub const TEXT: &str = "Source text of the lesson";
pub const CHECK: &str = "Check and help";
pub const OPEN: &str = "Open a file";
pub const DOWNLOAD: &str = "Download";
pub const COPY_LINK: &str = "Copy lesson link";
pub const LINK_COPIED: &str = "Link copied. It opens the lesson as learners see it.";
pub const LINK_TOO_LONG: &str =
    "This lesson is too long for a link. Download the text and publish the file.";
pub const INSERT_EXAMPLE: &str = "Insert the example";
pub const NOT_SAVED: &str =
    "This browser refuses to save the draft. Download the text before you leave the page.";
pub const OTHER_TAB: &str = "Another tab has changed the draft. The browser keeps the last change of either tab: \
    close one of them.";

/// Returns the notice about a file whose text has replaced the draft.
pub fn opened(file: &str) -> String {
    format!("{file} is open. Undo in the editor brings the earlier text back.")
}

pub fn not_a_text(file: &str) -> String {
    format!("{file} cannot be opened. Choose a text file of at most 200 kB.")
}

// The check.

pub const CHECKING: &str = "Checking…";
pub const PASSES: &str = "No faults. The lesson passes its check.";
pub const OLD_PREVIEW: &str = "The preview shows an earlier text.";
pub const FAULTS: &str = "Faults";

pub fn faults(count: usize) -> String {
    match count {
        1 => "1 fault.".to_owned(),
        count => format!("{count} faults."),
    }
}

pub fn line(line: u32) -> String {
    format!("Line {line}")
}

/// Returns the sentences about the publication of a lesson. `name` is the name of the lesson.
pub fn publish(name: &str) -> String {
    format!(
        "The draft is saved in this browser only. To publish the lesson, download `{name}.txt`, put the file into a \
         folder `lessons` beside the start page of the site, and give learners the address `?lesson={name}`."
    )
}

// The help.

pub const HELP: &str = "The format of a lesson";

/// The explanations of the examples in the help, in their order.
pub const FORMAT: [&str; 15] = [
    "The head. `lesson` is the name in links, `minutes` the time that a learner needs. All five lines are required.",
    "The view beside the text: `index`, `watch`, `cache`, `messages`, `storage`, `cluster` or `qos`. `next` is a link \
     at the end of the lesson.",
    "Commands that run before the lesson is shown.",
    "A step: its title, and paragraphs. The check compares each number in braces with the value of its expression. \
     Numbers without braces are refused.",
    "A command, a line of four dashes, the output, and an empty line. Write `ok` as the output of a command that \
     prints nothing.",
    "A note, which learners can skip.",
    "A question, the correct answer with its expression, choices, and reasons why a guess is wrong. The commands run \
     after the guess. Without choices, learners type the answer.",
    "A task. Each condition has a sentence (`want`), an expression (`check`) and the reasons why it is not met. The \
     last reason has no `if`.",
    "Three hints, and the solution of the task.",
    "Another right way to solve the task. `#>` begins a command, `#>>` continues it. Only the check reads these lines.",
    "A wrong turn: the commands leave the task unsolved, and the lesson says these words about it.",
    "A wrong turn of learners who typed no command of the parts before.",
    "The state in the picture of the goal. By default, the picture shows the end of the lesson.",
    "The end of the lesson: the main insight, and misconceptions with the correct fact.",
    "Values in texts and checks: a checked number, the learner's current value, a checked statement, and some of the \
     expressions.",
];
