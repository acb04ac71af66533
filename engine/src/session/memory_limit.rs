//! The memory limit of a run: the commands that are refused at the limit, and the view of the memory.

use crate::base::small_sort::SmallSort;
use crate::view::{MemoryPart, MemoryView};
use crate::words::session as words;

use super::memory::mib;
use super::workspace::Workspace;

/// The percentage of the memory limit at which the page starts to show the memory of the run.
const SHOWN_PERCENT: u64 = 80;

/// The purpose of a part of the memory.
#[derive(Clone, Copy)]
enum MemoryPurpose {
    Events,
    Observed,
    SavedStates,
    Outputs,
    OtherBranches,
}

impl MemoryPurpose {
    /// Returns the name that the web page shows for the purpose.
    fn shown(self) -> &'static str {
        match self {
            Self::Events => words::EVENTS,
            Self::Observed => words::OBSERVED,
            Self::SavedStates => words::SAVED_STATES,
            Self::Outputs => words::OUTPUTS,
            Self::OtherBranches => words::OTHER_BRANCHES,
        }
    }

    /// Returns the name that error messages in the terminal use for the purpose.
    fn printed(self) -> &'static str {
        match self {
            Self::Events => "steps and their events",
            Self::Observed => "changes and responses",
            Self::SavedStates => "saved states of the run",
            Self::Outputs => "outputs in the terminal",
            Self::OtherBranches => "other branches",
        }
    }
}

impl Workspace {
    /// Returns the estimated bytes of all branches together.
    pub(super) fn memory_used(&self) -> u64 {
        let runs = self.branches.iter();
        runs.map(|branch| branch.run.memory().total()).sum()
    }

    /// Returns the reason why the memory limit forbids a command; `None` if the command may run. `grows` is false for a
    /// command that adds neither steps nor a branch. For the output of such a command, the limit is one sixteenth
    /// higher.
    pub(super) fn memory_refusal(&self, grows: bool) -> Option<String> {
        let limit = self.limits.memory_bytes;
        let room = if grows { 0 } else { limit / 16 };
        (self.memory_used() >= limit.saturating_add(room)).then(|| {
            format!(
                "not executed: the run uses {}; undo the last command, or save the run as a file and \
                 start a new run",
                self.memory_sentence()
            )
        })
    }

    /// Describes the memory of the run, its largest part, and the limit.
    pub(super) fn memory_sentence(&self) -> String {
        let parts = self.memory_parts();
        let largest = parts.first();
        let largest = largest.map_or_else(String::new, |(purpose, bytes)| {
            format!(" ({} of it for {})", mib(*bytes), purpose.printed())
        });
        format!(
            "{} of memory{largest}, and the limit is {}",
            mib(self.memory_used()),
            mib(self.limits.memory_bytes)
        )
    }

    /// Returns the view of the run's memory; `None` if the run uses far less memory than the limit allows.
    pub(super) fn memory_view(&self) -> Option<MemoryView> {
        let limit = self.limits.memory_bytes;
        (self.memory_used() >= limit / 100 * SHOWN_PERCENT).then(|| self.memory())
    }

    fn memory(&self) -> MemoryView {
        let (used, limit) = (self.memory_used(), self.limits.memory_bytes);
        let parts = self.memory_parts().into_iter();
        MemoryView {
            used,
            limit,
            is_full: used >= limit,
            parts: parts
                .map(|(purpose, bytes)| MemoryPart {
                    name: purpose.shown().to_owned(),
                    bytes,
                })
                .collect(),
        }
    }

    /// Returns the estimated bytes for each purpose, the largest number first.
    fn memory_parts(&self) -> Vec<(MemoryPurpose, u64)> {
        let here = self.run().memory();
        let mut parts = vec![
            (MemoryPurpose::Events, here.events),
            (MemoryPurpose::Observed, here.observed),
            (MemoryPurpose::SavedStates, here.worlds),
            (MemoryPurpose::Outputs, here.terminal),
            (
                MemoryPurpose::OtherBranches,
                self.memory_used() - here.total(),
            ),
        ];
        parts.retain(|(_, bytes)| *bytes > 0);
        parts.small_sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        parts
    }
}
