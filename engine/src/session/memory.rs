//! The estimated memory of a run.
//!
//! The engine counts the objects of a run and multiplies each count by an estimated size. The counts are the same
//! natively and in wasm, so a test can check that a command stops at the limit. Freed objects no longer count, although
//! the size of a wasm memory never shrinks. The sizes were measured with a counting allocator on a 64-bit machine; in
//! wasm, with its shorter pointers, the real sizes are smaller.

/// The estimated bytes per event in a chapter of the recording.
const EVENT_BYTES: u64 = 250;

/// The estimated bytes per record of a step.
const STEP_BYTES: u64 = 68;

/// The estimated bytes per entry of the terminal, including the command's text, log item and input, but not its output.
const ENTRY_BYTES: u64 = 300;

/// The estimated bytes per change of a key: in the store, in the history, and in the data of the guarantee checkers.
pub(super) const CHANGE_BYTES: u64 = 450;

/// The estimated bytes per event that the observers store.
pub(super) const OBSERVED_BYTES: u64 = 300;

/// The estimated bytes per item (object, row or event) in a message that the trace stores.
pub(super) const ITEM_BYTES: u64 = 100;

/// The estimated bytes per kept world: a copy of the simulation that the run keeps so that replays are short. The
/// number does not include the data that a kept world shares with the kept worlds before and after it.
const KEYFRAME_BYTES: u64 = 20_000;

/// The estimated bytes of a kept world per key that changed since the previous kept world.
const KEY_BYTES: u64 = 300;

/// The estimated bytes per client, including its streams and watchers.
const NODE_BYTES: u64 = 2_000;

/// The memory limit for kept worlds, in bytes. Above this limit, the run drops every second kept world, and moving the
/// cursor back becomes slower.
const WORLDS_BYTES_MAX: u64 = 192 << 20;

/// The estimated bytes per scheduled event of a world: an in-flight message or a timer.
const DUE_BYTES: u64 = 300;

/// The memory of a run by purpose, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MemoryUse {
    pub(super) events: u64,
    pub(super) observed: u64,
    pub(super) worlds: u64,
    pub(super) terminal: u64,
}

impl MemoryUse {
    /// Returns true if the kept worlds exceed their limit, so that some worlds should be dropped.
    pub(super) fn is_large_in_worlds(self) -> bool {
        self.worlds > WORLDS_BYTES_MAX
    }

    pub(super) fn total(self) -> u64 {
        self.events + self.observed + self.worlds + self.terminal
    }
}

/// The numbers of objects in a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) events: u64,
    pub(super) steps: u64,
    /// The bytes that the observers use.
    pub(super) observed: u64,
    pub(super) entries: u64,
    pub(super) output_bytes: u64,
    pub(super) worlds: u64,
    /// The number of steps between two kept worlds.
    pub(super) world_distance: u64,
    /// The number of clients at the end of the run.
    pub(super) nodes: u64,
    /// The number of scheduled events at the end of the run.
    pub(super) due: u64,
    /// The number of live keys at the end of the run.
    pub(super) keys: u64,
}

impl Counts {
    /// Estimates how many bytes a kept world does not share with the previous kept world, by assuming that each step
    /// changes one client, one scheduled event and one key.
    fn keyframe_bytes(&self) -> u64 {
        let changed = |there_are: u64| there_are.min(self.world_distance);
        KEYFRAME_BYTES
            + changed(self.nodes) * NODE_BYTES
            + changed(self.due) * DUE_BYTES
            + changed(self.keys) * KEY_BYTES
    }
}

impl From<Counts> for MemoryUse {
    fn from(counts: Counts) -> Self {
        Self {
            events: counts.events * EVENT_BYTES + counts.steps * STEP_BYTES,
            observed: counts.observed,
            worlds: (counts.worlds + 1) * counts.keyframe_bytes(),
            terminal: counts.entries * ENTRY_BYTES + counts.output_bytes,
        }
    }
}

/// Formats bytes as MiB, rounded up.
pub(super) fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}
