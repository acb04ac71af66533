//! Build, serve and test Watchglass.
fn main() {}
