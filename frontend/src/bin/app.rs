//! Starts the app.

fn main() {
    watchglass_frontend::app::mount();
}
