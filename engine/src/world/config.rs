//! The configuration of a world.

use std::sync::Arc;

use crate::api::Profile;
use crate::base::time::SimDuration;
use crate::etcd::SnapshotFile;

/// The configuration of a world. The configuration and the inputs together determine every state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// The etcd version.
    pub profile: Profile,
    /// The seed of the random number generator.
    pub seed: u64,
    /// The simulated time between two commands, by default 1 ms. This time stands for delays that the simulator does
    /// not model.
    pub command_pace: SimDuration,
    /// The database file from which the member starts. `None` starts the member with an empty store.
    pub snapshot: Option<Arc<SnapshotFile>>,
    /// The way in which clients of API servers list by default.
    pub lists: ClientLists,
}

/// The way in which clients of API servers list by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClientLists {
    /// The behavior for links and runs in format version 1. Informers start with a list, and kubectl lists without a
    /// limit. Cursors in these links count steps, so the number of messages must not change.
    Version1,
    /// The behavior of the real client libraries. Informers start with a watch-list if the API server has version 1.35
    /// or later, and kubectl lists in chunks of 500.
    #[default]
    AsReleased,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            seed: 42,
            command_pace: SimDuration::from_millis(1),
            snapshot: None,
            lists: ClientLists::default(),
        }
    }
}
