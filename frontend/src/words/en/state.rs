//! The texts of the page's state, of saved runs, links and addresses: titles of views, progress, and notices.

use watchglass_engine::session::protocol::{ProgressUnit, RunningCommand};

use super::common::count;

/// The titles of the tabs of the views.
pub const INDEX: &str = "Index";
pub const WATCH: &str = "Watch";
pub const CACHE: &str = "Cache";
pub const MESSAGES: &str = "Messages";
pub const STORAGE: &str = "Storage";
pub const CLUSTER: &str = "Cluster";
pub const QOS: &str = "QoS";
pub const LAB: &str = "Lab";

/// The kinds of entries in the table of contents.
pub const LESSON: &str = "lesson";
pub const STORY: &str = "story";
pub const RUN: &str = "run";
pub const TERM: &str = "term";
pub const SIMPLIFIED: &str = "simplified";
pub const VERSION: &str = "version";
pub const MODELLED: &str = "modelled";
pub const NOTE: &str = "model";

/// The errors of commands that the engine did not finish.
pub const SILENT: &str = "The simulator does not respond.";
pub const RESTARTED: &str = "The simulator was restarted.";
pub const INTERRUPTED: &str = "The command was interrupted.";
pub const RUN_NOT_LOADED: &str =
    "The command was not executed, because the run to which the command belongs was not loaded.";
pub const READ_ONLY: &str = "this figure is read-only";

/// The notices about runs.
pub const NOT_DELETED: &str = "This run was not deleted, because another tab has it open.";
pub const OPEN_ELSEWHERE: &str = "This run is open in another tab. This tab works on a copy.";
pub const TAKEN: &str = "You opened this run in another tab. This tab continues with a copy.";
pub const NO_SUCH_RUN: &str =
    "This browser does not have that run: the run was deleted or belongs to another browser.";
pub const RUN_NOT_READABLE: &str = "The page cannot read your saved run at the moment, because the \
    browser denies access to its storage. The run is not lost. Reload the page later.";
pub const STOPPED: &str = "Stopped. The run did not change.";
pub const RESTORED: &str = "Your last run is restored.";
pub const NOTHING_TO_UNDO: &str = "There is nothing to undo.";
pub const NOT_SAVED: &str = "Your run is not saved and will be lost on reload: this browser’s storage is \
    full or disabled. Delete runs under Open › Your runs, or copy the link.";
pub const EARLIER_RUN_NOT_READABLE: &str =
    "The page could not read the run that an earlier version of the page saved.";
/// The title of the run that an earlier version of the page saved.
pub const EARLIER_RUN: &str = "Your earlier run";

/// The notices about links and files.
pub const LINK_COPIED: &str = "Link copied. The link opens the run at this step.";
pub const EMBED_CODE_COPIED: &str =
    "HTML copied. It shows this step as a figure on a page of yours.";
pub const LINK_IN_ADDRESS_BAR: &str =
    "The link to this step is in the address bar: copy the link from the address bar.";
pub const CANNOT_DRAW_PICTURE: &str = "The picture could not be drawn, because a script did not arrive or the \
    browser refused. Check the network and try again.";
pub const CANNOT_SAVE_FILES: &str = "This browser does not let the page save files.";
pub const SAVED_AS_FILE: &str = "This run is too long for a link and was saved as run.watchglass. \
    Drop the file on the page to open the run.";
pub const TOO_LONG_FOR_LINK: &str =
    "This run is too long for a link, and this browser does not let the page save files.";
pub const FILE_TOO_LARGE: &str = "This browser gives the page no worker, so the page reads the whole file, and only \
    files of at most 1 GiB. Open the page without ?host=inline, or not in a sandboxed frame.";
pub const FILE_CHANGED: &str =
    "The file could not be read, because it was moved or changed. Choose the file again.";

/// The last sentence about skipped lines, if the sentences before it do not cover all skipped lines.
pub const OTHER_SKIPPED_LINES: &str = "The terminal shows each skipped command with its reason.";

pub const INSPECTOR: &str = "Inspector";
pub const INSPECTOR_WIDTH: &str = "Width of the inspector";
pub const CLOSE_INSPECTOR: &str = "Close the inspector";

/// The names of the sources of runs.
pub const FROM_STORY: &str = "story";
pub const FROM_LESSON: &str = "lesson";
pub const FROM_LINK: &str = "link";
pub const FROM_SNAPSHOT: &str = "snapshot";
pub const FROM_TEXT: &str = "file or pasted text";
pub const FROM_RUN: &str = "run";

/// Returns the source of a run that begins with an empty store.
pub fn from_empty(profile: &str) -> String {
    format!("sandbox, etcd {profile}")
}

/// Returns the text of the notice about a long run: the running command and its progress. `command` is the number of
/// the command and the number of all commands, if there are several.
pub fn progress(command: Option<(u64, u64)>, running: Option<&RunningCommand>) -> String {
    let Some(running) = running else {
        return match command {
            None => "Working".to_owned(),
            Some((number, total)) => format!("Command {number} of {total}"),
        };
    };
    let place = match command {
        None => String::new(),
        Some((number, total)) => format!("Command {number} of {total}: "),
    };
    let (text, done, total) = (&running.text, running.done, running.total);
    let of = match running.unit {
        ProgressUnit::SimulatedUs => format!(
            "{} of {} simulated seconds",
            done / 1_000_000,
            total.div_ceil(1_000_000)
        ),
        ProgressUnit::Steps if total > 0 => format!("{done} of {total} steps"),
        ProgressUnit::Steps => count(done, "step", "steps"),
        ProgressUnit::Commands => format!("{done} of {total} commands read"),
        ProgressUnit::Lines => return format!("{done} of {total} lines read"),
    };
    format!("{place}{text}, {of}")
}

/// Returns the sentence about a text with `number` outputs, all of which are the same in the simulator.
pub fn outputs_same(number: u64) -> String {
    match number {
        1 => "The output is the same.".to_owned(),
        all => format!("All {all} outputs are the same."),
    }
}

/// Returns the sentence about outputs of a text that differ from the outputs of the simulator: `number` of the
/// `compared` outputs. The button beside the sentence shows both versions.
pub fn outputs_differ(number: u64, compared: u64) -> String {
    let outputs = match (number, compared) {
        (1, ..=1) => "The output differs".to_owned(),
        (1, all) => format!("1 of {all} outputs differs"),
        (number, all) if number >= all => format!("All {number} outputs differ"),
        (number, all) => format!("{number} of {all} outputs differ"),
    };
    format!("{outputs} from the output of Watchglass.")
}

/// Returns the sentence about outputs of a text that were not compared with the simulator.
pub fn outputs_not_compared(number: u64) -> String {
    let outputs = counted(number, "output", "outputs");
    format!(
        "{outputs} not compared (pipes and watches); the terminal shows the transcript's output."
    )
}

/// Returns the sentence about skipped lines, some of which are writes.
pub fn lines_skipped(number: u64, writes: u64) -> String {
    let lines = counted(number, "line", "lines");
    let writes = match writes {
        0 => String::new(),
        1 => ", including 1 write; later outputs may differ".to_owned(),
        all => format!(", including {all} writes; later outputs may differ"),
    };
    format!("{lines} skipped{writes}.")
}

pub fn line_skipped(line: u32, why: &str) -> String {
    let why = why.trim_end_matches('.');
    format!("Line {line}: {why}.")
}

/// Returns the notice about a saved run that failed to open repeatedly.
pub fn failed_to_open(label: &str) -> String {
    [
        "Your run “",
        label,
        "” failed to open twice in a row. The run is still saved.",
    ]
    .concat()
}

/// Returns the notice about the run that was open before.
pub fn run_saved(label: &str) -> String {
    format!("Your run “{label}” is saved.")
}

/// Returns the notice about a saved run that the engine cannot read.
pub fn saved_run_not_readable(message: &str) -> String {
    format!("The saved run could not be read: {message}")
}

/// Returns the notice with the link to a step of a figure.
pub fn link_to_step(address: &str) -> String {
    format!("The link to this step: {address}")
}

/// Returns the error about the position in an address.
pub fn invalid_position(text: &str) -> String {
    [
        "at=\"",
        text,
        "\" is not a valid position: write beat:3, step:14, revision:9, time_us:1500000, start or end",
    ]
    .concat()
}

/// Returns the error about the view in an address.
pub fn unknown_view(name: &str, known: &str) -> String {
    ["there is no view \"", name, "\"; the views are ", known].concat()
}

/// Returns the error about the controls in an address.
pub fn invalid_controls(name: &str) -> String {
    ["controls=\"", name, "\": write full, mini or none"].concat()
}

/// Returns the error about the exercise in an address.
pub fn unknown_exercise(name: &str) -> String {
    ["there is no exercise \"", name, "\"; this is another one"].concat()
}

/// Returns the error about the dialog in an address.
pub fn unknown_dialog(name: &str) -> String {
    [
        "dialog=\"",
        name,
        "\": write fidelity, help, lessons, palette, runs, snapshot or transcript",
    ]
    .concat()
}

fn counted(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{number} {noun}")
}

/// Returns the label of a lesson on the start page: its name, the current part, counted from 1, and its title.
pub fn part_of_lesson(name: &str, part: u32, title: &str) -> String {
    [name, ", part ", &part.to_string(), ": ", title].concat()
}
