//! The progress of long work: of a load, of a command, and of the Lab.

use watchglass_engine::session::protocol::RunningCommand;

use crate::words::state as words;

/// A load that reached the limit of steps and waits to be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PausedLoad {
    pub id: u32,
    /// The number of steps that the load has executed so far.
    pub steps: u64,
    /// The number of commands that the load has executed so far.
    pub done: u64,
    /// The number of commands in the loaded text, as far as it is known.
    pub total: u64,
}

/// The progress of a long run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunProgress {
    /// The number of commands executed so far.
    pub done: u64,
    /// The number of commands in total; 0 while unknown.
    pub total: u64,
    /// The running command, if it takes long.
    pub running: Option<RunningCommand>,
}

impl RunProgress {
    pub fn sentence(&self) -> String {
        let number = (self.done + 1).min(self.total);
        let command = (self.total > 1).then_some((number, self.total));
        words::progress(command, self.running.as_ref())
    }

    /// Returns the finished and the total amount of work; 0 if unknown.
    pub fn bar(&self) -> (u64, u64) {
        match &self.running {
            Some(running) if self.total <= 1 => (running.done, running.total),
            _ => (self.done, self.total),
        }
    }
}
