//! Mounts a figure for somebody's text; nothing else.

fn main() {
    watchglass_frontend::figure::mount();
}
