//! New branches.
//!
//! A branch has its own observers. Before the first command of the branch starts, these observers read the events
//! before the branch, one chapter of the recording (a group of consecutive steps) at a time.

use crate::shell::{Command, CommandKind};
use crate::view::Moment;
use crate::world::op::{NodeName, WorldOp};

use super::begin::FORKS_MAX;
use super::memory::{MemoryUse, mib};
use super::run::Run;
use super::task::first_line;
use super::workspace::{Branch, Workspace};

impl Workspace {
    /// Returns true if a command starts a new branch at the cursor.
    pub(super) fn branches_off(&self, command: &Command) -> bool {
        let in_the_past = self.cursor < self.run().len();
        let changes_the_run = command.is_write()
            || matches!(
                command.kind,
                CommandKind::Run(_)
                    | CommandKind::Watch(_)
                    | CommandKind::Process(_)
                    | CommandKind::Monitor { .. }
                    | CommandKind::Op(_)
            );
        // The first branch of a copy contains only the changes of the other etcd.
        let leaves_copy = self.current == 0 && self.world().is_mirror() && changes_store(command);
        let forks = command.kind == CommandKind::Fork && self.branches.len() < FORKS_MAX;
        forks || leaves_copy || in_the_past && changes_the_run && !is_copied(command)
    }

    /// Returns true if the cursor is where changes of another etcd can be copied: at the end of the first branch.
    pub(super) fn can_copy(&self) -> bool {
        self.current == 0 && self.cursor == self.run().len()
    }

    /// If a command would start a branch and the branch does not fit into memory, returns an error message; otherwise
    /// `None`.
    pub(super) fn branch_refusal(&self, command: &Command) -> Option<String> {
        if !self.branches_off(command) {
            return None;
        }
        let branch = MemoryUse::from(self.run().fork_counts(self.cursor)).total();
        (self.memory_used().saturating_add(branch) > self.limits.memory_bytes).then(|| {
            format!(
                "not executed: a branch at this step needs another {}, and the run uses {}; undo the last \
                 command, or save the run as a file and start a new run",
                mib(branch),
                self.memory_sentence()
            )
        })
    }

    /// Adds a branch that starts at a step of another branch, and moves the cursor to its end.
    pub(super) fn add_branch(&mut self, run: Run, parent: Moment, command: &str) {
        self.branches.push(Branch {
            run,
            parent: Some(parent),
            label: first_line(command),
        });
        self.switch(self.branches.len() as u32 - 1);
    }
}

/// Returns true if the command copies a change of another etcd.
fn is_copied(command: &Command) -> bool {
    matches!(command.kind, CommandKind::Op(WorldOp::Mirror(_)))
}

/// Returns true if the command can change the store of the member, or can start a process that does.
fn changes_store(command: &Command) -> bool {
    match &command.kind {
        CommandKind::Op(op) => !matches!(
            op,
            WorldOp::Mirror(_)
                | WorldOp::Watch(_)
                | WorldOp::Unwatch { .. }
                | WorldOp::Progress { .. }
                | WorldOp::ListWatch { .. }
                | WorldOp::Poll { .. }
                | WorldOp::Interrupt { .. }
                | WorldOp::Crowd { .. }
                | WorldOp::Pause(NodeName::Client(_))
                | WorldOp::Resume(_)
                | WorldOp::Slow { .. }
                | WorldOp::Disconnect { .. }
                | WorldOp::Connect { .. }
                | WorldOp::Link { .. }
        ),
        CommandKind::Process(_) => true,
        _ => command.is_write(),
    }
}
