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
    /// The step before the cursor; 0 is the empty store.
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
    /// Whether there is something to undo.
    pub can_undo: bool,
    /// One sentence about the step at the cursor, made from its events.
    pub narration: String,
    /// The beat at the cursor.
    pub beat: BeatView,
    /// The scenario's introduction of the run.
    pub opening: Option<String>,
    /// Whether the run is told beat by beat, in words of its own.
    pub is_told: bool,
    /// Where to go on when it is over, in the scenario's order.
    pub ways: Vec<WayView>,
    /// The command whose effect the step is, e.g. `put /key1 value2`.
    pub command: Option<String>,
    /// The command that comes next, when the one at the cursor is over.
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

/// A beat: one thought that the run is told in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeatView {
    /// The number of the beat, from 1; 0 before the first step.
    pub number: u64,
    /// Beats of the whole run.
    pub count: u64,
    /// The first step of the beat, from 1; for a beat without steps, `last + 1`.
    pub first: u64,
    /// The last step of the beat.
    pub last: u64,
    /// The scenario's own words; `None` for a command that is a beat of its own.
    pub text: Option<String>,
    /// The view that this beat or an earlier one names.
    pub picture: Option<PictureView>,
}

/// A run or a lesson that continues where this run ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayView {
    /// A lesson's name such as `L04`, or a scenario's such as `slow-client` and `cache/a_restart`.
    pub target: String,
    /// The label of the link.
    pub title: String,
}

impl From<(&str, &str)> for WayView {
    fn from((target, title): (&str, &str)) -> Self {
        let (target, title) = (target.into(), title.into());
        Self { target, title }
    }
}

/// A view to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureView {
    /// The name, such as `watch`.
    pub view: String,
    /// What stands out in it: a key, a watcher or a node; empty for nothing.
    pub target: String,
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
    /// The memory by purpose, largest part first.
    pub parts: Vec<MemoryPart>,
}

/// One part of the memory that a run takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPart {
    /// The purpose, e.g. `trace events`.
    pub name: String,
    /// The estimated bytes.
    pub bytes: u64,
}

/// One line of history; typing a write in the past begins a new one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BranchView {
    /// The number; 0 is the first branch.
    pub id: u32,
    /// The point where the branch leaves another branch.
    pub parent: Option<Moment>,
    /// The number of steps.
    pub steps: u64,
    /// The start of the branch: the title, or the first command typed on the branch.
    pub label: String,
}
