//! The status of the run, for the top bar, the transport row (the playback controls) and the narration.

use serde::{Deserialize, Serialize};

use super::Moment;

/// The status of the run at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatusView {
    /// The scenario's title, for example `One key, two lives`.
    pub title: String,
    /// The etcd version, `3.6` or `3.4`.
    pub profile: String,
    pub seed: u64,
    /// The step at the cursor; 0 is the start of the run.
    pub step: u64,
    pub steps: u64,
    /// Simulated time at the cursor, in microseconds.
    pub time_us: u64,
    /// The store's revision at the cursor.
    pub revision: i64,
    /// In a cluster, the name of the member whose revision, keys and rows are shown.
    pub member: Option<String>,
    /// The compact revision at the cursor; -1 before the first compaction.
    pub compact_revision: i64,
    /// The number of existing keys at the cursor.
    pub live_keys: u64,
    /// The number of rows in the bucket `key` at the cursor.
    pub rows: u64,
    /// The number of texts that the user typed since the start of the run.
    pub typed: u64,
    /// Whether the user can undo a typed text.
    pub can_undo: bool,
    /// A sentence that describes the events of the step at the cursor.
    pub narration: String,
    pub beat: BeatView,
    /// The introduction of the run, from the scenario.
    pub opening: Option<String>,
    /// The bug that the run shows.
    pub exhibit: Option<ExhibitView>,
    /// Whether the scenario has comments, so that the page narrates the run beat by beat (section by section).
    pub is_told: bool,
    /// The links to other runs and lessons, shown at the end of this run in the scenario's order.
    pub ways: Vec<WayView>,
    /// The command that caused the step, for example `put /key1 value2`.
    pub command: Option<String>,
    /// The last command at the cursor. Differs from the command that caused the step if the last command, such as
    /// `show`, made no step.
    pub now: Option<String>,
    /// The next command of the run, if the next step belongs to another command than the step at the cursor.
    pub next: Option<String>,
    pub pending: Option<PendingView>,
    /// The number of the branch at the cursor.
    pub branch: u32,
    /// All branches of the run, in the order of their numbers.
    pub branches: Vec<BranchView>,
    /// The memory use of the run; `None` while the use is below 80 % of the limit.
    pub memory: Option<MemoryView>,
}

/// An unfinished command, such as a transaction, for which the user must type more lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingView {
    /// The prompt for the next line, for example `compares:`.
    pub prompt: String,
    /// The lines that were typed so far; of a long command, only the end.
    pub text: String,
}

/// A beat: a section of the run that has one comment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeatView {
    /// The number of the beat, counted from 1; 0 before the first step.
    pub number: u64,
    pub count: u64,
    /// The first step of the beat, counted from 1. For a beat without steps, this is `last + 1`.
    pub first: u64,
    pub last: u64,
    /// The place of a beat without steps among the beats without steps at its step, counted from 1; 0 for a beat with
    /// steps.
    pub place: u64,
    /// The number of beats without steps at the beat's last step.
    pub places: u64,
    /// The scenario's text for the beat. `None` for a command without text; such a command is a separate beat.
    pub text: Option<String>,
    /// The view that the scenario selects for this beat. If the scenario selects no view for this beat, the view of the
    /// previous beat stays selected.
    pub picture: Option<PictureView>,
    /// The key, watcher or node that the beat highlights; empty if it highlights nothing.
    pub focus: String,
    /// The question that the next beat answers.
    pub guess: Option<GuessView>,
    /// The question that this beat answers.
    pub answered: Option<GuessView>,
}

/// A question about the result of a beat, with its options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuessView {
    pub question: String,
    pub options: Vec<String>,
    /// The index of the answer in the options.
    pub answer: u32,
}

/// A real bug that the run shows, and the run that shows the other behaviour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExhibitView {
    /// The issue, such as `etcd#15220`.
    pub issue: String,
    /// The address of the issue.
    pub link: String,
    /// The releases with the bug, and the releases with the fix.
    pub broken_in: String,
    pub fixed_in: String,
    /// Whether the bug is fixed in this run.
    pub is_fixed: bool,
    /// The name of the other run.
    pub other: String,
}

/// A link to another run or lesson, shown at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayView {
    /// The name of a lesson such as `L04`, or of a scenario such as `slow-client` or `cache/a_restart`.
    pub target: String,
    pub title: String,
}

impl From<(&str, &str)> for WayView {
    fn from((target, title): (&str, &str)) -> Self {
        let (target, title) = (target.into(), title.into());
        Self { target, title }
    }
}

/// A view that a scenario selects, with the object to highlight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureView {
    /// The name, such as `watch`.
    pub view: String,
    /// The key, watcher or node to highlight; empty for none.
    pub target: String,
}

/// The memory use of a run near the limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryView {
    /// The estimated number of bytes in use.
    pub used: u64,
    /// The limit, in bytes.
    pub limit: u64,
    /// Whether the memory is full. If so, the engine refuses commands that would make the run grow.
    pub is_full: bool,
    /// The memory use by purpose. The largest part is first.
    pub parts: Vec<MemoryPart>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPart {
    /// The purpose, for example `trace events`.
    pub name: String,
    /// The estimated bytes.
    pub bytes: u64,
}

/// A branch of the run. A write typed in the past starts a new branch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BranchView {
    /// The number of the branch; 0 is the first branch.
    pub id: u32,
    /// The point on another branch where this branch starts; `None` for the first branch.
    pub parent: Option<Moment>,
    pub steps: u64,
    /// The title of the run, or the first command typed on the branch.
    pub label: String,
}
