//! The texts of embedded figures.

use yew::prelude::*;

use crate::draw::text::count;

/// The head.
pub const LOADING: &str = "Loading…";
pub const SIMPLIFICATIONS: &str = "Simplifications of this simulator";
/// The choice of views.
pub const PICTURE: &str = "Picture";
/// The title of the link to the app.
pub const OPEN_STEP: &str = "Open this step in Watchglass, with all views";

/// The sentence below the picture at the first step.
pub const NOTHING_HAPPENED: &str = "Nothing has happened yet.";

/// The button of the notice that a run is paused.
pub const CONTINUE: &str = "Continue";
/// The button of the notice that the engine does not respond.
pub const START_AGAIN: &str = "Start it again";
/// The button that closes a notice.
pub const CLOSE: &str = "Close";

/// The link to the current step.
pub const COPY_LINK: &str = "Copy link";
pub const COPY_LINK_TITLE: &str = "Copy a link to this step (c)";

/// The text that replaces a figure, and its link and button.
pub const NO_FIGURE: &str = "This figure cannot be shown.";
pub const OPEN_IN_TAB: &str = "Open it in a tab";
pub const TRY_AGAIN: &str = "Try again";

/// Returns the text of the label with the version of etcd.
pub fn simulated(profile: &str) -> String {
    ["simulated etcd ", profile].concat()
}

/// Returns the text of the link to the app. A narrow figure shows only the name.
pub fn open_in_app() -> Html {
    html! { <><span>{ "Open in " }</span>{ "Watchglass" }</> }
}

/// Returns the notice that a run is paused.
pub fn paused(steps: u64) -> String {
    let steps = count(steps);
    [
        "Paused after ",
        &steps,
        " steps, so that a long run does not slow down this page.",
    ]
    .concat()
}
