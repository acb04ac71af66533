//! The texts of embedded figures.

use yew::prelude::*;

use crate::draw::text::count;

/// The label of the choice of views in a figure.
pub const PICTURE: &str = "Picture";
/// The title of the link to the app.
pub const OPEN_STEP: &str = "Open this step in Watchglass, with all views";

/// The sentence below the picture at the first step.
pub const NOTHING_HAPPENED: &str = "Nothing has happened yet.";

/// The label of the button in the notice about a paused run.
pub const CONTINUE: &str = "Continue";

/// The text that replaces a figure after a failure, and the label of the link that opens the figure in a tab.
pub const NO_FIGURE: &str = "This figure cannot be shown.";
pub const OPEN_IN_TAB: &str = "Open the figure in a tab";

/// The error about a figure whose address names a saved run.
pub const SAVED_RUN: &str = "A figure cannot show a run that a browser saved. Open the run in Watchglass, and put its \
    link (#v4.…) into the address of the figure.";

/// Returns the text of the link to the app. A narrow figure shows only the name.
pub fn open_in_app() -> Html {
    html! { <><span>{ "Open in" }</span>{ "Watchglass" }</> }
}

pub fn paused(steps: u64) -> String {
    let steps = count(steps);
    [
        "Paused after ",
        &steps,
        " steps, so that a long run does not slow down this page.",
    ]
    .concat()
}
