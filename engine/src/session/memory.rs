//! How much memory a run takes, and what happens at the limit.
//!
//! The engine counts what a run keeps and multiplies by what one takes: a count is the same natively and in wasm, so a
//! test can check that a command stops, and memory that was freed counts as free, which the size of a wasm memory never
//! shows. The factors were measured with a counting allocator on a 64-bit machine; in wasm, with its shorter pointers,
//! the real numbers are lower.

use crate::view::{MemoryPart, MemoryView};

use super::run::Run;
use super::session::Session;

/// An event that a chapter of the recording holds.
const EVENT_BYTES: u64 = 250;

/// The record of a step.
const STEP_BYTES: u64 = 60;

/// An entry of the terminal without its output, with its command's text, place in the log and input.
const ENTRY_BYTES: u64 = 300;

/// A change of a key: in the store, in the history, and in what the guarantees are checked against.
pub(super) const CHANGE_BYTES: u64 = 450;

/// An event that the observers keep.
pub(super) const OBSERVED_BYTES: u64 = 300;

/// An object, row or event inside a message that the trace keeps.
pub(super) const ITEM_BYTES: u64 = 100;

/// A world that is kept to replay from: what it does not share with its neighbours.
const KEYFRAME_BYTES: u64 = 20_000;

/// What a key that changes after a kept world no longer shares with it.
const KEY_BYTES: u64 = 300;

/// A client with its streams and watchers.
const NODE_BYTES: u64 = 2_000;

/// Bytes of kept worlds beyond which every second one is dropped: going back then takes longer.
const WORLDS_BYTES_MAX: u64 = 192 << 20;

/// Something that is due in a world: a message on its way, a timer.
const DUE_BYTES: u64 = 300;

/// Part of the limit from which the page shows what takes the memory, in percent.
const SHOWN_PERCENT: u64 = 80;

/// The memory of a run by what takes it, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    events: u64,
    observed: u64,
    worlds: u64,
    terminal: u64,
}

impl Memory {
    /// Whether the kept worlds take so much that fewer of them should do.
    pub(super) fn is_large_in_worlds(self) -> bool {
        self.worlds > WORLDS_BYTES_MAX
    }

    pub(super) fn total(self) -> u64 {
        self.events + self.observed + self.worlds + self.terminal
    }
}

/// Numbers of what a run keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) events: u64,
    pub(super) steps: u64,
    /// Bytes of what the observers hold.
    pub(super) observed: u64,
    pub(super) entries: u64,
    pub(super) output_bytes: u64,
    /// Worlds that are kept to replay from, and the steps from one to the next.
    pub(super) worlds: u64,
    pub(super) world_distance: u64,
    /// Clients of the world at the end.
    pub(super) nodes: u64,
    /// Things that are due there.
    pub(super) due: u64,
    /// Keys that are alive there.
    pub(super) keys: u64,
}

impl Counts {
    /// What a kept world does not share with the one before it: a step changes about one client and one thing due.
    fn keyframe_bytes(&self) -> u64 {
        let changed = |there_are: u64| there_are.min(self.world_distance);
        KEYFRAME_BYTES
            + changed(self.nodes) * NODE_BYTES
            + changed(self.due) * DUE_BYTES
            + changed(self.keys) * KEY_BYTES
    }
}

impl From<Counts> for Memory {
    fn from(counts: Counts) -> Self {
        Self {
            events: counts.events * EVENT_BYTES + counts.steps * STEP_BYTES,
            observed: counts.observed,
            worlds: (counts.worlds + 1) * counts.keyframe_bytes(),
            terminal: counts.entries * ENTRY_BYTES + counts.output_bytes,
        }
    }
}

impl Session {
    /// Bytes that all branches take together.
    pub(super) fn memory_used(&self) -> u64 {
        let runs = self.branches.iter();
        runs.map(|branch| branch.run.memory().total()).sum()
    }

    /// Why a command is refused at the limit of the memory. A command that does not make the run grow still adds its
    /// output, and has a sixteenth more for that.
    pub(super) fn memory_refusal(&self, grows: bool) -> Option<String> {
        let limit = self.limits.memory_bytes;
        let room = if grows { 0 } else { limit / 16 };
        (self.memory_used() >= limit.saturating_add(room)).then(|| {
            format!(
                "not run: the run takes {}; undo the last command, or keep the run as a file and \
                 start a new one",
                self.memory_sentence()
            )
        })
    }

    /// How much the run takes, of how much, and what takes the most of it.
    pub(super) fn memory_sentence(&self) -> String {
        let view = self.memory();
        let largest = view.parts.first();
        let largest = largest.map_or_else(String::new, |part| {
            format!(" ({} of it for {})", mib(part.bytes), part.name)
        });
        format!(
            "{} of memory{largest}, and its limit is {}",
            mib(view.used),
            mib(view.limit)
        )
    }

    /// The memory of the run, once it is worth a word.
    pub(super) fn memory_view(&self) -> Option<MemoryView> {
        let limit = self.limits.memory_bytes;
        (self.memory_used() >= limit / 100 * SHOWN_PERCENT).then(|| self.memory())
    }

    fn memory(&self) -> MemoryView {
        let (used, limit) = (self.memory_used(), self.limits.memory_bytes);
        let here = self.run().memory();
        let parts = [
            ("steps and their events", here.events),
            ("what was written and received", here.observed),
            ("saved steps to go back to", here.worlds),
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

impl Run {
    /// The memory that it takes, estimated.
    pub(super) fn memory(&self) -> Memory {
        self.counts().into()
    }
}

/// Bytes as people write them.
pub(super) fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}
