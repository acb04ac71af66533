//! Go's rules for numbers and quoted strings, and Go's error messages. etcdctl's output depends on them.

pub(super) mod number;
pub mod quote;
pub(super) mod scan;
