//! Starts a figure, or the figure of the start page.

fn main() {
    watchglass_frontend::figure::mount();
}
