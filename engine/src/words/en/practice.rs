//! The names of the topics of practice, and what a learner can do after practising a topic.

pub const READS: &str = "Reads";
pub const READS_GOAL: &str = "Say what a read returns, at any revision.";
pub const GENERATIONS: &str = "Generations";
pub const GENERATIONS_GOAL: &str =
    "Say how a delete changes the version and the revisions of a key.";
pub const REVISIONS: &str = "Revisions";
pub const REVISIONS_GOAL: &str = "Say which commands make a revision.";
pub const COMPACTION: &str = "Compaction";
pub const COMPACTION_GOAL: &str = "Say what a compaction removes and what it refuses.";
pub const WATCHES: &str = "Watches";
pub const WATCHES_GOAL: &str = "Say where a watch starts and which events it receives.";
pub const LEASES: &str = "Leases";
pub const LEASES_GOAL: &str = "Say which keys end with a lease.";
pub const CACHES: &str = "Watch cache";
pub const CACHES_GOAL: &str = "Say who serves a read of an API server, and how fresh it is.";
pub const QUORUMS: &str = "Quorums";
pub const QUORUMS_GOAL: &str = "Say which requests need a majority of the members.";
