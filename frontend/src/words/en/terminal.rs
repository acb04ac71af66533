//! The texts of the terminal: its head, the scrollback, and the prompt.

use yew::prelude::*;

/// The labels of the buttons in the terminal's head, and of the edge that changes its height.
pub const OPEN: &str = "Open the terminal";
pub const CLOSE: &str = "Close the terminal";
pub const HEIGHT: &str = "Height of the terminal";

pub const LOG: &str = "Commands and their output";
pub const EARLIER: &str = "Show earlier commands";
pub const OURS: &str = "in Watchglass";
pub const NO_OUTPUT: &str = "(nothing)";
pub const DOWNLOAD_OUTPUT: &str = "Download output";

/// The label of the prompt, and the explanation of its keys for screen readers.
pub const COMMAND: &str = "Command";
pub const KEYS: &str = "Tab completes the command. Escape, then Tab, leaves the terminal; \
    a second Escape leads to the main button of a lesson. \
    Arrow up and arrow down show earlier and later lines.";
pub const COMPLETIONS: &str = "Completions";
/// The placeholders of the prompt: for an empty line, for an unfinished line, and for an unfinished block of lines.
pub const EXAMPLE: &str = "put /key value";
/// The text before the commands that an empty sandbox suggests, and the first of them.
pub const SUGGESTION: &str = "Try:";
pub const FIRST_PUT: &str = "put /key1 value1";
pub const LINE_CONTINUES: &str = "The line continues. Ctrl+C cancels.";
pub const BLOCK_CONTINUES: &str = "An empty line ends this block. Ctrl+C cancels.";

/// The labels of the buttons that put words into the prompt.
pub const TOKENS: &str = "Words to insert into the prompt";
pub const REMOVE_WORD: &str = "Remove the last word";
pub const RUN_LINE: &str = "Run the line";

/// Returns the hint in the terminal's head.
pub fn hint() -> Html {
    html! { <>{ "etcdctl commands · Tab completes · " }<kbd>{ "/" }</kbd></> }
}

/// Returns the label of the button that moves the cursor to a step. Only screen readers say the verb.
pub fn step_button(step: u64) -> Html {
    html! { <><span class="wg-unseen">{ "Go to " }</span>{ "step " }{ step }</> }
}

/// Returns the caption of the output in a transcript.
pub fn in_transcript(is_compared: bool) -> &'static str {
    match is_compared {
        true => "in the transcript",
        false => "in the transcript, not compared",
    }
}

/// Returns the note that an output has more bytes than the terminal shows.
pub fn more_bytes(bytes: usize) -> String {
    ["… and ", &bytes.to_string(), " bytes more"].concat()
}

/// Returns the label of the button that downloads a file.
pub fn download(file: &str) -> String {
    ["Download ", file].concat()
}
