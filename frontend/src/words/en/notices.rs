//! The texts of the notices at the top of the page, and of failures.

use watchglass_engine::view::{MemoryPart, MemoryView};
use yew::prelude::*;

/// The explanation of a simulator that does not respond.
pub const SILENT_ABOUT: &str =
    "The browser stopped the simulator, or a large step is still running. The page keeps waiting.";

/// The labels of the buttons.
pub const RESTART_ENGINE: &str = "Restart the simulator with your run";
pub const RELOAD: &str = "Reload the page";
pub const START_WITH_STORY: &str = "Start with the story";
pub const DISMISS: &str = "Dismiss";
pub const START_OVER: &str = "Start over";
pub const STOP: &str = "Stop";
pub const RETRY: &str = "Retry";
pub const DISCARD: &str = "Discard this line";
pub const BACK_TO_RUN: &str = "Go back to your run";
pub const FIND_RUN: &str = "Find another run";
pub const EDIT_TEXT: &str = "Edit the text";
pub const PREVIOUS_DIFFERENCE: &str = "Previous";
pub const NEXT_DIFFERENCE: &str = "Next";

/// The name of the progress bar in a notice.
pub const PROGRESS: &str = "Progress";

/// The labels of the details of a failure.
pub const DETAILS: &str = "Details";
pub const REPORT: &str = "Details for a report";
pub const OPEN_BEFORE: &str = "Open the run as it was before the failure";

/// Returns the sentence about the memory of the run: how much memory is used, for what, and what the user can do.
pub fn memory(memory: &MemoryView) -> String {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let part = |part: &MemoryPart| format!("{} {} MiB", part.name, mib(part.bytes));
    let parts: Vec<String> = memory.parts.iter().take(3).map(part).collect();
    let what_to_do = match memory.is_full {
        true => {
            "Commands that make the run grow are refused. Undo a command, or start another run: this run stays under \
            Open › Your runs."
        }
        false => "At the limit, commands that make the run grow are refused.",
    };
    format!(
        "The run uses {} of {} MiB of memory ({}). {what_to_do}",
        mib(memory.used),
        mib(memory.limit),
        parts.join(", ")
    )
}

/// Returns the label of the button that shows the outputs that differ from the transcript.
pub fn show_differences(count: usize) -> &'static str {
    match count {
        1 => "Show the difference",
        _ => "Show the differences",
    }
}

/// Returns the number of the shown difference, and the number of all differences.
pub fn difference(number: usize, count: usize) -> String {
    format!("{number} of {count}")
}

pub fn line_stopped_engine(line: &str) -> Html {
    html! {
        <>
            { "This line stopped the simulator: " }<code class="wg-aside">{ line }</code>
            { " The rest of the run is unchanged." }
        </>
    }
}

/// Returns the notice about a line that the engine did not finish.
pub fn line_not_finished(line: &str) -> Html {
    html! {
        <>
            { "The simulator did not finish this line: " }<code class="wg-aside">{ line }</code>
            { " The rest of the run is unchanged." }
        </>
    }
}

/// Returns the details of a failure as one text, to be copied into a report. `address` opens the run before the
/// failure, and `lines` were typed since then.
pub fn report(version: &str, details: &str, address: Option<&str>, lines: &[String]) -> String {
    let mut text = ["Watchglass ", version, "\n", details].concat();
    if let Some(address) = address {
        text.push_str("\nRun: ");
        text.push_str(address);
    }
    for line in lines {
        text.push_str("\nTyped since: ");
        text.push_str(line);
    }
    text
}
