//! Go's rules for numbers and quoted strings, and Go's error messages. etcdctl, a Go program, uses these rules and
//! messages in its output.

pub(crate) mod number;
pub mod quote;
pub(crate) mod scan;
