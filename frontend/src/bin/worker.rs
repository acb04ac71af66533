//! Registers the engine worker.
fn main() {}
