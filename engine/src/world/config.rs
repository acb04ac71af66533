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
    /// The simulated time between two commands, by default 1 ms. It stands for delays that the simulator does not
    /// model.
    pub command_pace: SimDuration,
    /// The database file that the member starts from. `None` starts with an empty store.
    pub snapshot: Option<Arc<SnapshotFile>>,
    /// The default way in which clients of API servers list.
    pub lists: ClientLists,
}

/// The default way in which clients of API servers list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClientLists {
    /// The behavior of links and runs in format version 1: informers start with a list, and kubectl lists without a
    /// limit. These runs need the same number of messages as before, because cursors count steps.
    Version1,
    /// The behavior of the client libraries: informers start with a watch-list if the API server has version 1.35 or
    /// later, and kubectl lists in chunks of 500.
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
