//! Go's rules for numbers, quoted strings and their error messages, where etcdctl's output depends on them.

pub(super) mod number;
pub mod quote;
pub(super) mod scan;
