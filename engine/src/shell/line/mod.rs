//! A line that a person types: its words, its loops, and what single words mean in every verb.

pub(super) mod amount;
pub(super) mod for_loop;
pub(super) mod lexer;
pub(super) mod names;
pub(super) mod quote;
