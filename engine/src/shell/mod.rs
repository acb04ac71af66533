//! What a person types and what is printed back: etcdctl's language and the simulator's own verbs.
//!
//! Mirrors `etcdctl/ctlv3/command`. A [`LineReader`] turns lines into [`Command`]s; [`print::reply`]
//! turns a member's answer into the bytes that etcdctl writes. Nothing here talks to a member,
//! holds a store or knows the time: the session does that in between.
//!
//! Two kinds of "no" are kept apart. What etcdctl itself would refuse is output, in its own words
//! and with its exit code ([`CommandKind::Refused`]). What this shell cannot read is a
//! [`ParseError`], which says where and how to mend it.
//!
//! Left out: what follows a pipe, redirections, and the verbs that need members or users.

mod command;
mod complete;
mod error;
mod etcdctl;
mod foreign;
pub mod go;
mod help;
mod highlight;
mod invocation;
mod kubectl;
mod line;
mod note;
pub mod print;
pub mod prompt;
mod reader;
mod simulator;
mod table;

pub use command::{
    Command, CommandKind, Etcdctl, Format, KubectlCommand, KubectlOutput, Output, Show, Verb,
    WatchCommand, WatchLine, WatchPrint,
};
pub use complete::{Completion, CompletionItem, complete};
pub use error::ParseError;
pub use etcdctl::ENDPOINT;
pub use help::help;
pub use highlight::{TokenClass, highlight};
pub use note::Note;
pub use reader::{LineReader, Read, Reading};
