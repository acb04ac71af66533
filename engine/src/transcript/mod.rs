//! Turns a typed line, or a text pasted from a terminal, into the words of its commands.
//!
//! Recognizes the prompts of shells, and reads lines as a shell does: with quotes, variables, aliases, loops,
//! here-documents, and commands inside `kubectl exec`, `docker exec`, `ssh` or `sh -c`. Knows no command of etcdctl:
//! the reader passes a function that returns true for the names of commands.

pub(crate) mod alias;
mod arithmetic;
mod error;
mod filter;
pub(crate) mod for_loop;
pub(crate) mod foreign;
pub(crate) mod here_document;
pub(crate) mod invocation;
mod jq;
pub(crate) mod lexer;
pub mod prompt;
pub(crate) mod quote;
pub(crate) mod text_tools;
pub(crate) mod unfinished;

pub use error::ParseError;
pub use filter::Filters;
pub use for_loop::EXIT_CODE;
pub use invocation::kubectl_verb;
pub use lexer::RunIf;
