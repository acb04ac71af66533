//! Texts that several panels share.

use yew::prelude::*;

use crate::draw::text;

pub const CANCEL: &str = "Cancel";
pub const LEGEND: &str = "Legend";
pub const REVISION_AXIS: &str = "revision";

/// The label of the button that undoes the last command, and its tooltip.
pub const UNDO: &str = "Undo";
pub const UNDO_TITLE: &str = "Undo the last command (Ctrl+Z)";

/// The labels of the buttons that lead through a lesson or a story.
pub const BACK: &str = "Back";
pub const NEXT: &str = "Next";

/// The labels of other buttons.
pub const COPY: &str = "Copy";
pub const COPY_LINK: &str = "Copy link";
pub const SHOW_QR_CODE: &str = "Show as QR code";
pub const SAVE_PICTURE: &str = "Download this picture";
pub const SAVE_PNG: &str = "Download this picture as PNG";
pub const COPY_EMBED_CODE: &str = "Copy embed code";
pub const PART_NOT_LOADED: &str =
    "This part of the page could not be loaded. Check the connection, then try again.";
pub const TRY_AGAIN: &str = "Try again";
pub const START_AGAIN: &str = "Restart the simulator";

pub const LESSON: &str = "Lesson";
pub const LESSONS: &str = "Lessons";
pub const STORY: &str = "Story";
pub const TERMINAL: &str = "Terminal";

/// Returns the text before the next command of a run.
pub fn next(command: Html) -> Html {
    html! { <>{ "Next: " }<code>{ command }</code></> }
}

/// Returns the label of the button that moves the cursor to a step.
pub fn go_to_step(step: u64) -> String {
    ["Go to step ", &step.to_string()].concat()
}

/// Formats a number with the singular or plural of its noun: `1 key`, `2 keys`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    let mut text = number.to_string();
    text.push(' ');
    text.push_str(if number == 1 { one } else { many });
    text
}

/// Returns the number of omitted lines of an output.
pub fn more_lines(more: u32) -> String {
    ["… ", &count(more.into(), "more line", "more lines")].concat()
}

/// Returns the sentence about the parts of a view that do not fit. The sentence names one or two parts. For more parts,
/// the sentence contains only their number, because the names would not fit, either.
pub fn not_shown(parts: &[String]) -> String {
    let names = match parts {
        [] | [_] | [_, _] => parts.join(", "),
        _ => format!("{} parts of the view", parts.len()),
    };
    ["Not shown: ", &names].concat()
}

/// Returns the number of rows of a table that do not fit.
pub fn rows_of(table: &str, rows: u64) -> String {
    [&count(rows, "row", "rows"), " of “", table, "”"].concat()
}

/// Returns the number of the earlier commands of a beat that the page does not show.
pub fn earlier_commands(earlier: u64) -> String {
    ["… ", &count(earlier, "earlier command", "earlier commands")].concat()
}

/// Formats a number as [`count`] does, but with thousands separators: `1,500 keys`.
pub fn grouped_count(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    [&text::count(number), noun].join(" ")
}
