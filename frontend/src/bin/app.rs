//! Mounts the page; nothing else.

fn main() {
    watchglass_frontend::app::mount();
}
