//! How likely an ending of a run is from a step on: the endings that occurred in the run, and the counts of the replays
//! that start at one step.

use serde::{Deserialize, Serialize};

/// An ending of a run: an event or a state that a user of a real cluster wants to avoid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// A guarantee to a watch or to a client of an API server is broken.
    BrokenGuarantee,
    /// The responses of a cluster to its clients contradict linearizability: a read misses an acknowledged write.
    NotLinearizable,
    /// Two containers with the identity of one pod run at the same time.
    TwoContainers,
    /// A member refuses writes, because its database is full.
    FullDatabase,
    /// The server ends a watch with an error.
    EndedWatch,
    /// A request to an API server takes longer than a second.
    SlowRequest,
    /// The operating system kills a process that uses too much memory.
    KilledProcess,
    /// A condition in the language of the lessons is true.
    Condition(String),
}

impl Ending {
    /// All endings without a condition.
    pub const ALL: [Self; 7] = [
        Self::TwoContainers,
        Self::NotLinearizable,
        Self::BrokenGuarantee,
        Self::EndedWatch,
        Self::SlowRequest,
        Self::FullDatabase,
        Self::KilledProcess,
    ];
}

/// The endings that occurred in a run up to a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndingsView {
    /// The step up to which the run was searched.
    pub step: u64,
    /// The endings, each with the first step after which it had occurred.
    pub found: Vec<(Ending, u64)>,
}

/// The replays of a run from one step on, each with other random numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OddsView {
    /// The step from which the run was repeated. This step is at or before the requested step, because a replay cannot
    /// begin while a command sends several requests.
    pub step: u64,
    /// The simulated time of the step, in microseconds.
    pub time_us: u64,
    /// The number of finished replays.
    pub replays: u32,
    /// The number of replays in which the ending occurred.
    pub hits: u32,
    /// The number of replays that were stopped because they took too many steps. The other counts do not contain them.
    pub stopped: u32,
    /// The sentence about the next step of the run, and the command of this step.
    pub next: (String, String),
    /// The text of the first replay without the ending. Typed at the step, it repeats the replay on a new branch.
    pub avoided: Option<String>,
}
