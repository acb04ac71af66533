//! How likely an ending of a run is from a step on: the endings that occurred in the run, the counts of the replays
//! that start at one step, and the random commands that led to an ending.

use serde::{Deserialize, Serialize};

pub use crate::observe::guarantees::Known;

/// An ending of a run: an event or a state that a user of a real cluster wants to avoid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// A guarantee to a watch or to a client of an API server is broken.
    BrokenGuarantee,
    /// The responses of a cluster to its clients contradict linearizability: a read misses an acknowledged write.
    NotLinearizable,
    /// Two members have applied the same log entries, and their stores have different revisions.
    DivergedMembers,
    /// A controller creates an object again that it has already created.
    RepeatedCreate,
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
    pub const ALL: [Self; 9] = [
        Self::TwoContainers,
        Self::NotLinearizable,
        Self::DivergedMembers,
        Self::BrokenGuarantee,
        Self::RepeatedCreate,
        Self::EndedWatch,
        Self::SlowRequest,
        Self::FullDatabase,
        Self::KilledProcess,
    ];

    /// The endings that etcd and Kubernetes promise to avoid.
    pub const FORBIDDEN: [Self; 5] = [
        Self::TwoContainers,
        Self::NotLinearizable,
        Self::DivergedMembers,
        Self::BrokenGuarantee,
        Self::RepeatedCreate,
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

/// Random commands that were typed after a step of a run. Each attempt types other commands on another copy of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NemesisView {
    pub step: u64,
    /// The number of attempts whose commands were typed to their end, or until an ending occurred.
    pub attempts: u32,
    /// The number of attempts that were stopped because they took too many steps.
    pub stopped: u32,
    pub failure: Option<Failure>,
}

/// Random commands after which an ending occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub ending: Ending,
    /// A sentence about the ending; may be empty.
    pub what: String,
    /// The known etcd bug that explains a broken guarantee, if any.
    pub known: Option<Known>,
    /// The seed from which the commands were drawn.
    pub seed: u64,
    /// The number of drawn commands.
    pub drawn: u32,
    /// The number of commands that are needed for the ending.
    pub needed: u32,
    /// The needed commands. Typed at the step, they lead to the ending again.
    pub text: String,
}
