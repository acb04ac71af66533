//! The language of the terminal: etcdctl's commands, a part of kubectl's commands, and the simulator's own commands.
//! [`transcript`](crate::transcript) splits lines into words; this module reads the words.
//!
//! Mirrors `etcdctl/ctlv3/command`. A [`LineReader`] turns lines into [`Command`]s; [`print::reply`] turns a
//! member's response into the bytes that etcdctl writes. The session sends the requests: the shell has no access
//! to members, stores or time.
//!
//! The shell distinguishes two kinds of refusals. If etcdctl itself refuses a command, the command's output is
//! etcdctl's error message and exit code ([`CommandKind::Refused`]). If the shell cannot read a line, it returns a
//! [`ParseError`] with the position of the error and a correction.
//!
//! Not supported: redirections of standard output, and programs in pipes and command substitutions other than those of
//! [`Filters`](crate::transcript::Filters), `seq`, `echo` and `printf`.

mod amount;
mod command;
mod complete;
mod etcdctl;
mod exec;
mod flag_lines;
mod help;
mod highlight;
pub mod jsonpath;
pub mod kubectl;
pub mod kubectl_command;
mod label;
mod names;
mod note;
pub mod print;
mod reader;
mod simulator;
mod table;

pub use command::{
    AuthCommand, Command, CommandKind, Etcdctl, Format, Output, ProcessCommand, Show, UserFlag,
    Verb, WatchCommand, WatchLine, WatchPrint,
};
pub use complete::{Completion, CompletionItem, StoreNames, complete};
pub use etcdctl::ENDPOINT;
pub use exec::ExecCommand;
pub use flag_lines::{is_flag_line, with_flags_joined};
pub use help::help;
pub use highlight::{TokenClass, highlight};
pub use kubectl_command::{
    FollowUp, KubectlCommand, KubectlOutput, KubectlRequest, LabelChange, TableFlags,
};
pub use label::read_label;
pub use note::Note;
pub use reader::{LineReader, Read, Reading};

pub use crate::transcript::{EXIT_CODE, ParseError, RunIf};

/// Returns true if a word is the name of a command of etcdctl or of Watchglass.
pub fn is_command(word: &[u8]) -> bool {
    !word.is_empty() && (simulator::verb(word).is_some() || etcdctl::is_name(word))
}
