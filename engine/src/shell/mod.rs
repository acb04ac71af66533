//! What a person types and what is printed back: etcdctl's language and the simulator's own verbs.
//!
//! Mirrors `etcdctl/ctlv3/command`. A [`Reader`] turns lines into [`Command`]s; [`print::reply`]
//! turns a member's answer into the bytes that etcdctl writes. Nothing here talks to a member,
//! holds a store or knows the time: the session does that in between.
//!
//! Two kinds of "no" are kept apart. What etcdctl itself would refuse is output, in its own words
//! and with its exit code ([`CommandKind::Refused`]). What this shell cannot read is a
//! [`ParseError`], which says where and how to mend it.
//!
//! Left out: pipes, redirections, variables other than a `for` loop's own, and the verbs that
//! need members or users.

mod amount;
mod argify;
mod command;
mod complete;
mod complete_world;
mod error;
mod etcdctl;
mod find;
mod flags;
mod for_loop;
mod go_number;
pub mod go_quote;
mod go_scan;
mod help;
mod highlight;
mod kube_verb;
mod kubectl;
mod lease;
mod lexer;
mod link_verb;
mod names;
mod operation;
pub mod print;
mod quote;
mod reader;
mod simulator;
mod table;
mod table_kube;
mod table_world;
mod txn_line;
mod txn_script;
mod usage;
mod watch_line;
#[cfg(test)]
mod watch_line_tests;
mod watch_own;
mod watch_script;
mod world_verb;
#[cfg(test)]
mod world_verb_tests;

pub use command::{
    Command, CommandKind, Etcdctl, Format, Output, Show, Verb, WatchCommand, WatchLine, WatchPrint,
};
pub use complete::{Completion, CompletionItem, complete};
pub use error::ParseError;
pub use etcdctl::ENDPOINT;
pub use help::help;
pub use highlight::{TokenClass, highlight};
pub use kubectl::{KubectlCommand, KubectlOutput};
pub use reader::{Read, Reader, Reading};
