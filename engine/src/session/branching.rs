//! New branches.
//!
//! A branch has its own observers. Before the first command of the branch starts, these observers read the events
//! before the branch, one chapter of the recording (a group of consecutive steps) at a time.

use crate::shell::{Command, CommandKind, Output};

use super::memory::{MemoryUse, mib};
use super::task::{
    Begun, Branching, CommandReport, Continued, Finished, STOPPED, Typing, first_line,
    stopped_after,
};
use super::typing::FORKS_MAX;
use super::workspace::{Branch, Workspace};

impl Workspace {
    /// Returns true if a command starts a new branch at the cursor.
    fn branches_off(&self, command: &Command) -> bool {
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
        let forks = command.kind == CommandKind::Fork && self.branches.len() < FORKS_MAX;
        forks || in_the_past && changes_the_run
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

    /// Starts a command at the cursor. Returns `None` if the command continues to run (see
    /// [`Workspace::continue_command`]).
    pub(super) fn begin_command(
        &mut self,
        command: &Command,
        mut typed: Typing,
    ) -> Option<Finished> {
        if !self.branches_off(command) {
            return self.begin_or_note(command, typed);
        }
        typed.branched = true;
        let fork = self.run().begin_fork(self.cursor, self.world().clone());
        let branching = Branching {
            fork: fork.into(),
            parent: self.moment(),
            command: command.clone(),
            typed,
        };
        match self.continue_branching(branching) {
            Continued::Finished(finished) => Some(finished),
            Continued::Idle | Continued::Running => None,
        }
    }

    /// Passes one more chapter of earlier events to the branch's observers. After the last chapter, starts the command
    /// on the branch.
    pub(super) fn continue_branching(&mut self, mut branching: Branching) -> Continued {
        if !branching.fork.observe_more() {
            self.branching = Some(branching);
            return Continued::Running;
        }
        let Branching {
            fork,
            parent,
            command,
            typed,
        } = branching;
        self.branches.push(Branch {
            run: fork.into_run(),
            parent: Some(parent),
            label: first_line(&typed.text),
        });
        self.current = self.branches.len() - 1;
        self.go_to_head();
        match self.begin_or_note(&command, typed) {
            None => Continued::Running,
            Some(finished) => Continued::Finished(finished),
        }
    }

    fn begin_or_note(&mut self, command: &Command, typed: Typing) -> Option<Finished> {
        match self.begin_at_the_cursor(command, typed) {
            Begun::Running => None,
            Begun::Done(report, typed) => {
                Some(self.note(self.current, self.cursor, &typed, report))
            }
        }
    }

    /// Cancels the start of a branch. The branch and its command leave no trace in the run.
    pub(super) fn stop_branching(&mut self) {
        let Some(branching) = self.branching.take() else {
            return;
        };
        let Branching {
            parent, mut typed, ..
        } = branching;
        self.log.pop_if(|item| *item.text == *typed.text);
        typed.branched = false;
        let report = CommandReport::local(Output::error(&stopped_after(0), STOPPED));
        self.note(parent.branch as usize, parent.step, &typed, report);
    }
}
