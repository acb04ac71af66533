//! The comparison of two branches: the last step that they share, and the differences between their ends.

use crate::view::branches::{ROWS_MAX, branches_view};
use crate::view::{BranchesView, Moment};

use super::scrollback::LineNumber;
use super::task::shortened;
use super::workspace::Workspace;

impl Workspace {
    /// Compares the ends of two branches. Clamps the numbers to the branches of the run.
    pub(super) fn compare(&self, branches: [u32; 2]) -> BranchesView {
        let branches = branches.map(|branch| branch.min(self.branches.len() as u32 - 1));
        let runs = branches.map(|branch| &self.branches[branch as usize].run);
        let shared_steps = self.shared_steps(branches);
        let commands = runs.map(|run| {
            let scrollback = run.scrollback();
            let entries = scrollback.at(run.len());
            let mut lines: Vec<LineNumber> = entries
                .filter(|entry| entry.step > shared_steps)
                .map(|entry| entry.line)
                .collect();
            // Each command of a line has its own terminal entry, so consecutive entries can have the same line.
            lines.dedup();
            let shown = lines.iter().take(ROWS_MAX);
            let shown: Vec<String> = shown
                .map(|line| shortened(&scrollback.line(*line).text))
                .collect();
            let omitted = (lines.len() - shown.len()) as u64;
            (shown, omitted)
        });
        BranchesView {
            branches,
            shared_steps,
            commands,
            ..branches_view(runs.map(|run| run.head()))
        }
    }

    /// Returns the last step that two branches have in common; 0 if there is none.
    fn shared_steps(&self, [a, b]: [u32; 2]) -> u64 {
        let (a, b) = (self.ancestry(a), self.ancestry(b));
        a.iter()
            .find_map(|here| {
                let there = b.iter().find(|there| there.branch == here.branch)?;
                Some(here.step.min(there.step))
            })
            .unwrap_or(0)
    }

    /// Returns the end of a branch, then the point at which the branch leaves its parent, then the point at which the
    /// parent leaves its own parent, and so on.
    fn ancestry(&self, branch: u32) -> Vec<Moment> {
        let end = Moment {
            branch,
            step: self.branches[branch as usize].run.len(),
        };
        let parent = |at: &Moment| {
            let parent = self.branches[at.branch as usize].parent?;
            // A branch may start at a step that its parent shares with the parent's own parent.
            Some(Moment {
                step: parent.step.min(at.step),
                ..parent
            })
        };
        std::iter::successors(Some(end), parent).collect()
    }
}
