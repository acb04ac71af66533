//! Where the run stands: the top bar, the transport row and the sentence under the picture.

use serde::{Deserialize, Serialize};

use super::Moment;

/// Where the run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatusView {
    /// The scenario's title, e.g. `One key, two lives`.
    pub title: String,
    /// The profile, `3.6` or `3.4`.
    pub profile: String,
    /// The seed.
    pub seed: u64,
    /// The step the cursor stands after; 0 is the empty store.
    pub step: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Simulated time at the cursor, in microseconds.
    pub time_us: u64,
    /// The store's revision at the cursor.
    pub revision: i64,
    /// The oldest readable revision at the cursor; -1 when never compacted.
    pub compact_revision: i64,
    /// Live keys at the cursor.
    pub live_keys: u64,
    /// Rows in the backend's key bucket at the cursor.
    pub rows: u64,
    /// Texts typed since the run began.
    pub typed: u64,
    /// One sentence about the step at the cursor, made from its events.
    pub narration: String,
    /// The scenario's own remark on that step, when it has one.
    pub remark: Option<String>,
    /// The command whose effect the step is, e.g. `put /key1 value2`.
    pub command: Option<String>,
    /// The command of the next step, when there is one.
    pub next: Option<String>,
    /// The prompt of a half-typed transaction, e.g. `compares:`.
    pub pending: Option<String>,
    /// The branch the cursor is on.
    pub branch: u32,
    /// All branches of the run.
    pub branches: Vec<BranchView>,
    /// The memory that the run takes; from 80 % of the limit on, else `None`.
    pub memory: Option<MemoryView>,
}

/// The memory that the run takes, when it is close to the limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryView {
    /// Bytes in use, estimated.
    pub used: u64,
    /// The limit, in bytes.
    pub limit: u64,
    /// Whether commands that make the run grow are refused.
    pub is_full: bool,
    /// What takes the memory, the largest part first.
    pub parts: Vec<MemoryPart>,
}

/// One part of the memory that a run takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPart {
    /// What it is, e.g. `trace events`.
    pub name: String,
    /// Its bytes, estimated.
    pub bytes: u64,
}

/// One line of history; typing a write in the past begins a new one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BranchView {
    /// Its number; 0 is the first.
    pub id: u32,
    /// Where it left another branch.
    pub parent: Option<Moment>,
    /// Its steps.
    pub steps: u64,
    /// What it began with: the title, or the first command typed on it.
    pub label: String,
}
