//! The texts of the dialogs and the palette.

use watchglass_engine::view::{BranchesView, KeyEnd, WatcherEnd};
use yew::prelude::*;

use super::common;
use crate::draw::text::{count, grouped, seconds};

/// The titles of the dialogs. The palette's list also contains two of these titles.
pub const HELP: &str = "Keys and commands";
pub const RUNS: &str = "Your runs";
pub const BRANCHES: &str = "Two branches side by side";
pub const PALETTE: &str = "Find";
pub const QR_CODE: &str = "The link to this step";
pub const OPEN: &str = "Paste or open a transcript";

/// The labels of the choice of two branches.
pub const FIRST_BRANCH: &str = "First branch";
pub const SECOND_BRANCH: &str = "Second branch";
pub const COMPARING: &str = "Comparing the branches…";

/// The texts of the buttons that repeat the commands of the current branch as another version.
pub const REPEAT_AS: &str =
    "Repeat the commands of the current branch, up to the cursor, and compare: ";
pub const ONE_BRANCH: &str = "The run has one branch. Repeat its commands as another version of etcd: the repetition \
    becomes a second branch, and this page compares both.";
pub const VERSIONS_OF_ETCD: [&str; 4] = ["3.4", "3.5", "3.6", "3.7"];
pub const OTHER_VERSION: &str = "Compare with another version…";
pub const OTHER_VERSION_ABOUT: &str =
    "run the same commands as another etcd version, and find the first difference";

/// The texts about the first difference between two branches.
pub const FIRST_DIFFERENCE: &str = "First difference";
pub const SAME_STEPS: &str = "Both branches make the same steps.";
pub const SAME_SENTENCES: &str = "The steps differ in details that the sentences leave out, such as the content of a \
    message.";
pub const ENDED_BEFORE: &str = "The branch ends before this step.";

/// The texts about the QR code of a link.
pub const QR_CODE_ALTERNATIVE: &str = "QR code of the link below";
pub const TOO_LONG_FOR_QR_CODE: &str = "This link is too long for a QR code, because it contains the whole run. \
    Copy the link, or open a run of this site: its links are short.";

/// The texts of the table that compares the ends of two branches.
pub const AT_THE_END: &str = "At the end";
pub const STATE: &str = "State";
pub const STEPS: &str = "steps";
pub const REVISION: &str = "revision";
pub const COMPACTED_REVISION: &str = "compacted revision";
pub const COMMANDS_AFTER: &str = "commands after the last common step";
/// The text if a branch has no compacted revision or no command.
pub const NONE: &str = "none";

/// The headings of the tables with the keys and the watchers that differ between two branches.
pub const KEYS: &str = "Keys";
pub const KEY: &str = "Key";
pub const WATCHERS: &str = "Watchers";
pub const WATCHER: &str = "Watcher";
/// The text for a key or a watcher that only the other branch has.
pub const ABSENT: &str = "absent";
pub const MORE_KEYS: &str =
    "A branch has more than 10,000 keys. Only the first 10,000 keys, in key order, are compared.";

/// The introduction to the differences between the simulator and etcd.
pub const MODEL: &str = "Watchglass is a deterministic model of etcd, not etcd itself. The model gives the same \
    responses to commands as etcd does. Tests compare the responses with those of real members of etcd \
    3.4.23, 3.6.10 and 3.7.1. Profile 3.5 follows the source code of etcd 3.5.30.";
/// The texts in place of a list of differences that is loading, missing or empty, and the label of the button that
/// shows the full list.
pub const NO_LIST: &str = "The list could not be fetched. Open this dialog again to retry.";
pub const LOADING_LIST: &str = "Loading the list…";
pub const NOTHING_SIMPLIFIED: &str = "The simulator simplifies nothing in this view. The full list has the \
    simplifications of all views.";
pub const FULL_LIST: &str = "Show the full list";
/// The headings of the lists of differences between the simulator and etcd.
pub const ALL_SIMPLIFIED: &str = "Simplified";
pub const VERSIONS: &str = "Where the versions differ";
pub const SAME: &str = "Same as etcd and Kubernetes";

pub const HELP_KEYS: &str = "Keys";
pub const HELP_COMMANDS: &str = "Commands";
pub const HELP_ABOUT: &str = "About";
/// The other texts of the help.
pub const SINGLE_KEYS: &str = "Single-key shortcuts (outside text fields)";
pub const SIMULATION: &str = "This is a simulation, not etcd.";
pub const PASTING: &str = "If you paste several lines, Watchglass runs the lines one after another. If you paste a \
    transcript with outputs, Watchglass compares the pasted outputs with its own outputs.";

pub const KEY_PLAY: &str = "play or pause";
pub const KEY_BEATS: &str = "previous or next beat (section) of a story";
pub const KEY_STEP: &str = "one step back or forward";
pub const KEY_TEN_STEPS: &str = "ten steps";
pub const KEY_CHANGE: &str =
    "previous or next change of a key, a watch, a lease, a setting or a fault";
pub const KEY_ENDS: &str = "go to the start or the end";
pub const KEY_SPEED: &str = "slower, faster";
pub const KEY_VIEWS: &str = "views: index, watch, cache, messages, storage, cluster, QoS, lab";
pub const KEY_CHOICES: &str = "in practice: choose an answer; Enter leads on";
pub const KEY_TO_LESSON: &str = "in the terminal: go to the main button of a lesson";
pub const KEY_TERMINAL: &str = "go to the terminal";
pub const KEY_COMPLETE: &str =
    "in the terminal: complete the command (to leave the terminal, press Esc, then Tab)";
pub const KEY_LINES: &str = "in the terminal: earlier and later lines";
pub const KEY_DISCARD: &str =
    "in the terminal: discard the line or transaction, stop a long run, end the newest watch";
pub const KEY_CLEAR: &str = "in the terminal: clear the screen";
pub const KEY_PRESENTER: &str = "presenter mode: left and right move by beats, or through a lesson; \
    up and down scroll, / shows the prompt, B blanks the screen until the next key, Esc leaves";
pub const KEY_WORKBENCH: &str = "show or hide the workbench around a story";
pub const KEY_INSPECTOR: &str = "open or close the inspector";
pub const KEY_LINK: &str = "copy a link to this step";
pub const KEY_ZOOM: &str = "in the Index view: fit, zoom in, zoom out";
pub const KEY_LESSONS: &str = "list of lessons";
pub const KEY_FIND: &str = "find a lesson, a run, a term, a key or a command";
pub const KEY_UNDO: &str = "undo the last command";
pub const KEY_HELP: &str = "this list";

pub const COMMAND_PUT: &str = "write; --prev-kv --ignore-value";
pub const COMMAND_GET: &str =
    "read; --rev=N --prefix --from-key --limit=N --keys-only --count-only -w json";
pub const COMMAND_DEL: &str = "delete; --prefix --from-key --prev-kv";
pub const COMMAND_TXN: &str =
    "three blocks: comparisons, success requests, failure requests; an empty line ends each block";
pub const COMMAND_COMPACT: &str = "remove superseded revisions up to N; --physical";
pub const COMMAND_WATCH: &str =
    "get notified of changes; --prefix --rev=N --prev-kv; recv NAME prints the received events";
pub const COMMAND_PAUSE: &str = "pause a client, delay messages; see help pause and help net";
pub const COMMAND_APISERVER: &str = "an API server with a watch cache, and requests to the server; see help apiserver \
    and help kubectl";
pub const COMMAND_KEY_INDEX: &str = "the key's generations in etcd's key index; --json";
pub const COMMAND_BUCKET: &str = "the rows of the backend, in the format of etcd-dump-db";
pub const COMMAND_HELP: &str = "every command with its flags";

pub const RUN_TRANSCRIPT: &str = "Run it";

/// The label of the palette's field, and an example of its text.
pub const PALETTE_FIELD: &str = "Find a lesson, a run, a term, a key or a command";
pub const PALETTE_EXAMPLE: &str = "compaction, /key1, dark…";
/// The texts of the palette's list.
pub const RESULTS: &str = "Results";
pub const NO_CONTENTS: &str =
    "The lessons and runs could not be fetched. Open the palette again to retry.";
pub const ONE_PAGE: &str = "All lessons, stories and runs on one page";

pub const WRITE_LESSON: &str = "Write a lesson…";

/// The kinds of entries in the palette that are not in the table of contents.
pub const KIND_VIEW: &str = "view";
pub const KIND_SETTING: &str = "setting";
pub const KIND_KEY: &str = "key";
pub const KIND_COMMAND: &str = "command";

/// The explanation of a key in the palette.
pub const IN_THIS_STORE: &str = "in this store";
/// The settings in the palette, each with its explanation.
pub const SANDBOX: &str = "Sandbox";
pub const SANDBOX_ABOUT: &str = "an empty store";
pub const ALL_LESSONS_ABOUT: &str = "with their goals";
pub const SNAPSHOT_ABOUT: &str = "the database of your etcd";
pub const PASTE: &str = "Paste a transcript";
pub const PASTE_ABOUT: &str = "run the commands and compare the outputs";
pub const UNDO_ABOUT: &str = "the last command";
pub const COPY_LINK: &str = "Copy a link";
pub const COPY_LINK_ABOUT: &str = "to this step";
pub const PRESENTER: &str = "Presenter mode";
pub const PRESENTER_ABOUT: &str = "large text, no controls";
pub const THEME_AUTO: &str = "Theme: auto";
pub const THEME_LIGHT: &str = "Theme: light";
pub const THEME_DARK: &str = "Theme: dark";
pub const THEME_PROJECTOR: &str = "Theme: projector";
/// The explanation of a setting that shows or hides a part of the page.
pub const OPEN_OR_CLOSE: &str = "open or close";
pub const FIDELITY_ABOUT: &str = "simplifications of the simulator";

/// The texts of the list of saved runs.
pub const LOOKING_FOR_RUNS: &str = "Looking for your runs…";
pub const NO_RUNS: &str = "No runs yet. The first command that you type in a story, a lesson or an empty store \
    creates a run, which stays in this browser.";
pub const ABOUT_RUNS: &str = "Runs are saved in this browser. Each story, lesson, empty store, link and file has its \
    own run.";
/// The texts of a run in the list of saved runs.
pub const OPEN_NOW: &str = "open now";
pub const NAME_RUN: &str = "Rename";
pub const DELETE_RUN: &str = "Delete…";
/// The question before a run is deleted, and the labels of its buttons.
pub const DELETE_QUESTION: &str = "Delete this run permanently?";
pub const DELETE: &str = "Delete";
pub const KEEP: &str = "Keep";
/// The texts of the form for the name of a run.
pub const RUN_NAME: &str = "Name of the run";
pub const SAVE: &str = "Save";

/// Returns the line with the choice of two branches.
pub fn choice_of_branches(first: Html, second: Html) -> Html {
    html! { <>{ first }{ " and " }{ second }</> }
}

/// Returns the sentence about the point where two branches part.
pub fn parting(view: &BranchesView) -> String {
    let [a, b] = view.branches.map(|branch| branch + 1);
    match view.shared_steps {
        _ if a == b => format!("Both are branch {a}."),
        0 => format!("Branches {a} and {b} have no step in common."),
        1 => format!("Branches {a} and {b} share step 1 and differ after step 1."),
        steps => format!(
            "Branches {a} and {b} share steps 1 to {} and differ after step {}.",
            count(steps),
            count(steps)
        ),
    }
}

pub fn first_difference(step: u64) -> String {
    format!("Step {} is the first that differs", count(step))
}

pub fn at_time(us: u64) -> String {
    ["at ", &seconds(us)].concat()
}

pub fn first_output(command: Html) -> Html {
    html! { <>{ "The first output that differs is that of " }{ command }</> }
}

/// Returns the heading of a branch's column.
pub fn branch(number: u32) -> String {
    format!("Branch {number}")
}

/// Returns the note that a list omits some commands.
pub fn more_commands(omitted: u64) -> String {
    common::grouped_count(omitted, "more command", "more commands")
}

/// Returns the revision and the version of a key.
pub fn key_end(end: &KeyEnd) -> String {
    format!("mod_revision {}, version {}", end.mod_revision, end.version)
}

pub fn watcher_end(end: &WatcherEnd) -> String {
    match end.behind {
        ..=0 => end.state.clone(),
        1 => format!("{}, 1 revision behind", end.state),
        behind => format!("{}, {} revisions behind", end.state, grouped(behind)),
    }
}

pub fn watches(end: &WatcherEnd) -> Html {
    html! { <>{ "watches " }<code>{ &end.range }</code></> }
}

/// Returns the sentence below the table of keys.
pub fn rest_of_keys(view: &BranchesView) -> String {
    rest(
        "key",
        "keys",
        view.keys.len(),
        view.keys_omitted,
        view.same_keys,
    )
}

/// Returns the sentence below the table of watchers.
pub fn rest_of_watchers(view: &BranchesView) -> String {
    rest(
        "watcher",
        "watchers",
        view.watchers.len(),
        view.watchers_omitted,
        view.same_watchers,
    )
}

/// Returns the sentence below a table: the number of rows that the table omits, and the number of equal items.
fn rest(one: &str, many: &str, differing: usize, omitted: u64, same: u64) -> String {
    let mut sentence = match (differing, same) {
        (0, 0) => return format!("Neither branch has a {one}."),
        (0, _) => format!("No {one} differs."),
        _ => String::new(),
    };
    let mut add = |text: String| {
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(&text);
    };
    if omitted > 0 {
        let more = common::grouped_count(omitted, one, many);
        add(format!("Differences not shown: {more}."));
    }
    if same > 0 {
        let same = common::grouped_count(same, one, many);
        add(format!("The same in both: {same}."));
    }
    sentence
}

/// Returns the heading of a view's simplifications.
pub fn simplified_in(view: &str) -> String {
    ["Simplified in the ", view, " view"].concat()
}

/// Returns the label of the field for a transcript. `line` is an example of a line.
pub fn transcript(line: &str) -> Html {
    html! {
        <>
            { "A shell transcript: lines with " }<code>{ line }</code>
            { ", with or without their output. Outputs that differ are shown side by side." }
        </>
    }
}

/// Returns the number of results in the palette.
pub fn results(number: usize) -> String {
    match number {
        0 => "Nothing matches. Try a shorter word.".to_owned(),
        number => common::count(number as u64, "result", "results"),
    }
}

/// Returns the number of commands of a run.
pub fn commands(number: u64) -> String {
    common::count(number, "command", "commands")
}

/// Returns the label of the button that renames a run.
pub fn name_run(run: &str) -> String {
    ["Rename ", run].concat()
}

/// Returns the label of the button that deletes a run.
pub fn delete_run(run: &str) -> String {
    ["Delete ", run].concat()
}
