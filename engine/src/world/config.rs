//! What a world is made from.

use std::sync::Arc;

use crate::api::Profile;
use crate::base::time::SimDuration;
use crate::etcd::SnapshotFile;

/// What a world is made from; together with the inputs it decides everything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Which etcd.
    pub profile: Profile,
    /// Where every stream of random numbers begins.
    pub seed: u64,
    /// Simulated time from one command to the next, 1 ms. Ours: a stand-in for the network and
    /// the disk until both are simulated.
    pub command_pace: SimDuration,
    /// The file that the member starts on; without one its store is empty.
    pub snapshot: Option<Arc<SnapshotFile>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            seed: 42,
            command_pace: SimDuration::from_millis(1),
            snapshot: None,
        }
    }
}
