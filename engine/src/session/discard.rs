//! Runs that are no longer needed: freeing a large one takes longer than a step may, so it goes in pieces.

use super::session::Session;
use super::workspace::Workspace;

/// Bytes of a run from which on it is freed in pieces.
const FREED_AT_ONCE: u64 = 8 << 20;

impl Session {
    /// Frees a run that another one replaces, or that was given up.
    pub(super) fn discard(&mut self, mut old: Workspace) {
        let branches = old.branches.drain(..).map(|branch| branch.run);
        let is_large = |run: &super::run::Run| run.memory().total() > FREED_AT_ONCE;
        self.discarded.extend(branches.filter(is_large));
    }

    /// Frees a piece of what was discarded; false when nothing is left.
    pub(super) fn free_more(&mut self) -> bool {
        let Some(run) = self.discarded.last_mut() else {
            return false;
        };
        if !run.free_more() {
            self.discarded.pop();
        }
        true
    }
}
