//! Frees runs that are no longer needed. Freeing a large run at once would take too long, so the session frees it in
//! pieces.

use super::session::Session;
use super::workspace::Workspace;

/// The size in bytes above which a run is freed in pieces.
const FREED_AT_ONCE: u64 = 8 << 20;

impl Session {
    /// Frees a run that was replaced or abandoned.
    pub(super) fn discard(&mut self, mut old: Workspace) {
        let branches = old.branches.drain(..).map(|branch| branch.run);
        let is_large = |run: &super::run::Run| run.memory().total() > FREED_AT_ONCE;
        self.discarded.extend(branches.filter(is_large));
    }

    /// Frees a piece of the discarded runs; returns false if nothing is left.
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
