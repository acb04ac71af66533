//! The parts of a typed line: words, loops, names and amounts.

pub(super) mod alias;
pub(super) mod amount;
pub(super) mod for_loop;
pub(super) mod lexer;
pub(super) mod names;
pub(super) mod quote;
pub(super) mod text_tools;
