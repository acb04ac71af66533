//! How much memory a run takes, and what happens at the limit.
//!
//! The engine counts what a run keeps and multiplies by what one takes: a count is the same natively and in wasm, so a
//! test can check that a command stops, and memory that was freed counts as free, which the size of a wasm memory never
//! shows. The factors were measured with a counting allocator on a 64-bit machine; in wasm, with its shorter pointers,
//! the real numbers are lower.

/// An event that a chapter of the recording holds.
const EVENT_BYTES: u64 = 250;

/// The record of a step.
const STEP_BYTES: u64 = 68;

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

/// The limit for kept worlds, in bytes. Above it, every second world is dropped and going back is slower.
const WORLDS_BYTES_MAX: u64 = 192 << 20;

/// A scheduled event of a world: an in-flight message or a timer.
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

/// Bytes in MiB, for display.
pub(super) fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}
