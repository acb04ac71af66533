//! The texts of the small parts of the page: the stage (the area with the current view), the story, the bottom sheet,
//! the figure of the start page, and announcements.

use yew::prelude::*;

/// The labels of the stage (the area with the current view) and of its buttons.
pub const STAGE: &str = "Picture";
pub const VIEWS: &str = "Pictures";
pub const SIMPLIFICATIONS: &str = "Simplifications in this view";
pub const SIMPLIFIED: &str = "simplified";
pub const MODELLED: &str = "modelled";
pub const INSPECTOR: &str = "Inspector (i)";
/// The note about a cursor before the end of the run.
pub const NEW_BRANCH: &str = "A write at this step starts a new branch.";
/// The texts of the stage while there is no picture.
pub const PAUSED: &str = "Paused";
pub const LOADING: &str = "Loading the simulator…";

/// The labels of the buttons of a story.
pub const PLAY: &str = "Play";
pub const PAUSE: &str = "Pause";
pub const REPLAY: &str = "Replay";
pub const TRY_IT: &str = "Try it yourself";
pub const BACK_TO_STORY: &str = "Back to the story";
/// The note beside the number of a beat if the cursor is on a branch and not in the story
/// itself.
pub const ON_BRANCH: &str = " · on a branch of the story";
/// The commands of a beat with their outputs, in presenter mode.
pub const OUTPUTS: &str = "Commands and outputs";

/// The keys of presenter mode, with their effects.
pub const PRESENTER_KEYS: &str =
    "← → beats · ↑ ↓ scroll · Space plays · B blanks the screen · / types · ? help · Esc ends";

/// The label of the link from a glossary term to its lesson.
pub const OPEN_LESSON: &str = "Open the lesson";

/// The name of the bottom sheet, and the labels of its tabs and of the button that changes its size.
pub const SHEET: &str = "Lower half";
pub const INSPECT: &str = "Inspect";
pub const LARGER: &str = "Larger";
pub const SMALLER: &str = "Smaller";

/// The text that covers the page while the user drags a file.
pub const DROP: &str =
    "Drop a transcript to run its commands, or an etcd snapshot to inspect the file";

/// The label of the slider of the start page's figure.
pub const READ_AT: &str = "read at revision";
/// The reasons why the response to a read contains no pod.
pub const DELETED: &str = "deleted";
pub const NOT_CREATED: &str = "not created";

/// Returns the position of the cursor, which is before the end of the run.
pub fn you_are_at(step: u64, steps: u64) -> Html {
    html! {
        <>
            <span class="wg-past-more">{ "You are at " }</span>
            { "step " }{ step }{ " of " }{ steps }{ "." }
        </>
    }
}

/// Returns the label of the button that moves the cursor to the end of the run.
pub fn return_to_end() -> Html {
    html! { <>{ "Return" }<span class="wg-past-long">{ " to the end" }</span></> }
}

pub fn step(step: u64, steps: u64, narration: &str) -> String {
    format!("Step {step} of {steps}. {narration}")
}

/// Returns the announcement of a beat (a section of the story): its number, its text, and what changed.
pub fn beat(number: u64, beats: u64, text: &str, narration: &str) -> String {
    [&beat_sentence(number, beats, text), " ", narration].concat()
}

/// Returns the number of a beat (a section of the story) out of the number of all beats, with a note if the story is
/// being played.
pub fn beat_of(number: u64, beats: u64, is_playing: bool) -> String {
    let playing = if is_playing { " · playing" } else { "" };
    [&number.to_string(), " of ", &beats.to_string(), playing].concat()
}

/// Returns the number and the text of a beat (a section of the story) as sentences, for screen readers.
pub fn beat_sentence(number: u64, beats: u64, text: &str) -> String {
    let text = text.replace('`', "");
    [&beat_of(number, beats, false), ". ", text.trim()].concat()
}

pub fn next_in_lesson(command: &str) -> Html {
    html! { <>{ "Next in the lesson: " }<code>{ command }</code></> }
}

/// Returns the error message about a transcript that is too large.
pub fn is_too_large(file: &str) -> String {
    [
        file,
        " is larger than 32 MB. Expected a transcript, usually a few kilobytes of text.",
    ]
    .concat()
}

/// Returns the error message about a file that is neither a transcript nor a snapshot.
pub fn is_not_text(file: &str) -> String {
    [
        file,
        " is not text. Expected a shell transcript with lines like `$ etcdctl put /key1 value1`, or \
         an etcd snapshot: a file whose name ends with .db.",
    ]
    .concat()
}

/// Returns the error message about a file that the browser cannot read.
pub fn is_not_readable(file: &str) -> String {
    [file, " could not be read."].concat()
}

/// Returns the response to a read at a revision: the name and the state of each pod.
pub fn pods_at(revision: i64, pods: &[(String, String)]) -> Html {
    html! {
        <>
            { "revision " }<b>{ revision }</b>{ ": " }
            { for pods.iter().enumerate().map(|(place, (pod, state))| html! {
                <>{ if place > 0 { ", " } else { "" } }{ pod }{ " " }<b>{ state }</b></>
            }) }
        </>
    }
}

/// Returns the value of the slider for screen readers: a revision, and the name and the state of each pod.
pub fn pods_value(revision: i64, pods: &[(String, String)]) -> String {
    let pods = pods.iter().map(|(pod, state)| [pod, " ", state].concat());
    let pods: Vec<String> = pods.collect();
    format!("{revision}: {}", pods.join(", "))
}
