//! Parts of Go's libraries that etcdctl's output shows: how they read numbers and quoted strings, and what they say.

pub(super) mod number;
pub mod quote;
pub(super) mod scan;
