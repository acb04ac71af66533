//! Starts the app, or a figure on the page of figures.

use watchglass_frontend::{app, figure};

/// The class of the document's element in `static/embed.html`.
const FIGURE_CLASS: &str = "is-embed";

fn main() {
    if app::has_root_class(FIGURE_CLASS) {
        figure::mount();
    } else {
        app::mount();
    }
}
