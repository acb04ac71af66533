//! What a world is made from.

use std::sync::Arc;

use crate::api::Profile;
use crate::base::time::SimDuration;
use crate::etcd::SnapshotFile;

/// The configuration of a world; together with the inputs it determines every state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Which etcd.
    pub profile: Profile,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Simulated time from one command to the next, 1 ms. Ours: a stand-in for the network and
    /// the disk until both are simulated.
    pub command_pace: SimDuration,
    /// The file that the member starts on; without one its store is empty.
    pub snapshot: Option<Arc<SnapshotFile>>,
    /// How clients of API servers list, where a command does not say.
    pub lists: ClientLists,
}

/// How clients of API servers list, where a command does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClientLists {
    /// As links and runs of version 1 were made: informers list first, and kubectl lists without a limit. Another
    /// number of messages would put their cursors elsewhere.
    Version1,
    /// As the client libraries do: informers begin with a watch-list if the API server is of 1.35 or newer, and kubectl
    /// lists in chunks of 500.
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
