//! The memory limit of a run: the commands that are refused at the limit, and the view of the memory.

use crate::view::{MemoryPart, MemoryView};

use super::memory::mib;
use super::workspace::Workspace;

/// The page shows the memory of the run from this percentage of the limit on.
const SHOWN_PERCENT: u64 = 80;

impl Workspace {
    /// Returns the bytes of all branches together.
    pub(super) fn memory_used(&self) -> u64 {
        let runs = self.branches.iter();
        runs.map(|branch| branch.run.memory().total()).sum()
    }

    /// Returns the reason why the memory limit forbids a command; `None` if the command may run. `grows` is false for a
    /// command that adds neither steps nor a branch: such a command may exceed the limit by one sixteenth, for its
    /// output.
    pub(super) fn memory_refusal(&self, grows: bool) -> Option<String> {
        let limit = self.limits.memory_bytes;
        let room = if grows { 0 } else { limit / 16 };
        (self.memory_used() >= limit.saturating_add(room)).then(|| {
            format!(
                "not run: the run uses {}; undo the last command, or save the run as a file and \
                 start a new run",
                self.memory_sentence()
            )
        })
    }

    /// Describes the memory of the run, its largest part, and the limit.
    pub(super) fn memory_sentence(&self) -> String {
        let view = self.memory();
        let largest = view.parts.first();
        let largest = largest.map_or_else(String::new, |part| {
            format!(" ({} of it for {})", mib(part.bytes), part.name)
        });
        format!(
            "{} of memory{largest}, and the limit is {}",
            mib(view.used),
            mib(view.limit)
        )
    }

    /// Returns the memory of the run; `None` if it is far below the limit.
    pub(super) fn memory_view(&self) -> Option<MemoryView> {
        let limit = self.limits.memory_bytes;
        (self.memory_used() >= limit / 100 * SHOWN_PERCENT).then(|| self.memory())
    }

    fn memory(&self) -> MemoryView {
        let (used, limit) = (self.memory_used(), self.limits.memory_bytes);
        let here = self.run().memory();
        let parts = [
            ("steps and their events", here.events),
            ("changes and responses", here.observed),
            ("saved states of the run", here.worlds),
            ("outputs in the terminal", here.terminal),
            ("other branches", used - here.total()),
        ];
        let parts = parts.into_iter().filter(|(_, bytes)| *bytes > 0);
        let mut parts: Vec<MemoryPart> = parts
            .map(|(name, bytes)| MemoryPart {
                name: name.to_owned(),
                bytes,
            })
            .collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
        MemoryView {
            used,
            limit,
            is_full: used >= limit,
            parts,
        }
    }
}
