//! The report of a command that has ended.

use std::sync::Arc;

use crate::scenario::expr::Exchange;
use crate::shell::Output;
use crate::view::EntryKind;

/// A command that has ended, with its output.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) output: Output,
    pub(super) branched: bool,
}

/// The output of a command, and its effect on the run.
#[derive(Debug)]
pub(super) struct CommandReport {
    pub(super) output: Output,
    pub(super) kind: EntryKind,
    pub(super) exchange: Option<Arc<Exchange>>,
    /// A note about the effect of the command.
    pub(super) note: Option<String>,
}

impl CommandReport {
    pub(super) fn new(output: Output, kind: EntryKind) -> Self {
        Self {
            output,
            kind,
            exchange: None,
            note: None,
        }
    }

    /// Creates the report of a command that sends no request to a member.
    pub(super) fn local(output: Output) -> Self {
        Self::new(output, EntryKind::Local)
    }

    /// Creates the report of a command that the simulator refuses, with this error message.
    pub(super) fn refused(why: &str) -> Self {
        Self::local(Output::error(why, 1))
    }
}
