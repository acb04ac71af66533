//! The configuration of a world.

use std::sync::Arc;

use crate::api::Profile;
use crate::base::time::SimDuration;
use crate::etcd::SnapshotFile;
use crate::sim::cost::CostPreset;

pub const MEMBERS_MAX: u32 = 5;

/// The configuration of a world. The configuration and the inputs together determine every state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    pub profile: Profile,
    pub seed: u64,
    /// The simulated time between two commands, by default 1 ms. This time stands for delays that the simulator does
    /// not model.
    pub command_pace: SimDuration,
    /// The database file from which the member starts. `None` starts the member with an empty store.
    pub snapshot: Option<Arc<SnapshotFile>>,
    /// The number of members, 1 to [`MEMBERS_MAX`]. Several members form a cluster.
    pub members: u32,
    /// The format version of the link or saved run from which the world was created.
    pub format: FormatVersion,
}

/// The format version of links and saved runs.
///
/// A link stores the cursor as a number of steps, so the messages and times of a stored run must not change. A run
/// therefore keeps the defaults of the version with which it was stored.
///
/// ```
/// use watchglass_engine::sim::cost::CostPreset;
/// use watchglass_engine::world::config::FormatVersion;
/// assert_eq!(FormatVersion::read("v2.AbC", "v"), Some((FormatVersion::V2, "AbC")));
/// assert_eq!(FormatVersion::V2.cost(), CostPreset::Free);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormatVersion {
    /// Informers start with a list request, and kubectl requests lists without a limit.
    V1,
    /// As in the real client libraries, informers start with a watch-list if the API server has version 1.35 or later,
    /// and kubectl lists in chunks of 500.
    V2,
    /// Work takes time by default, and etcdctl requests the member list before it runs a command with `--cluster`.
    V3,
    /// The run states its etcd version, a sync pass over unsynced watchers takes time and blocks writes, and etcdctl
    /// does not send requests to paused members. API servers check the objects of writes, do not write an update
    /// without a change, and delete a pod in two steps, of which the kubelet of the pod makes the second.
    #[default]
    V4,
}

impl FormatVersion {
    pub const ALL: [Self; 4] = [Self::V1, Self::V2, Self::V3, Self::V4];

    pub fn number(self) -> u8 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
            Self::V4 => 4,
        }
    }

    /// Parses the version at the start of a text: `name`, a number and a dot. Also returns the rest of the text.
    pub fn read<'a>(text: &'a str, name: &str) -> Option<(Self, &'a str)> {
        let (number, rest) = text.strip_prefix(name)?.split_once('.')?;
        let mut all = Self::ALL.into_iter();
        let version = all.find(|version| version.number().to_string() == number)?;
        Some((version, rest))
    }

    /// Returns the etcd version of runs whose text does not state a version; `None` if the text states it.
    pub fn implied_profile(self) -> Option<Profile> {
        match self {
            Self::V1 | Self::V2 | Self::V3 => Some(Profile::V3_6),
            Self::V4 => None,
        }
    }

    /// Returns true if etcdctl requests the member list before the requests of a command with `--cluster`.
    pub fn requests_member_list(self) -> bool {
        self >= Self::V3
    }

    /// Returns true if API servers check the objects of writes and delete pods in two steps.
    pub fn deletes_in_two_steps(self) -> bool {
        self >= Self::V4
    }

    /// Returns true if a stopped or paused member never receives a request that etcdctl gave up while it connected.
    pub fn drops_unsent_requests(self) -> bool {
        self >= Self::V4
    }

    /// Returns true if members and API servers notice that a client waits for no response any more.
    pub fn abandons_reads(self) -> bool {
        self >= Self::V4
    }

    /// Returns true if etcdctl waits before it deletes a range without `--range`.
    pub fn waits_before_deletes(self) -> bool {
        self >= Self::V4
    }

    /// Returns true if a single member listens only at its port.
    pub fn has_ports(self) -> bool {
        self >= Self::V4
    }

    /// Returns true if a sync pass over unsynced watchers takes time and blocks writes.
    pub fn sync_pass_costs(self) -> bool {
        self >= Self::V4
    }

    /// Returns true if the disks of the command `cost` also have prices for the pages that a commit writes.
    pub fn commits_cost(self) -> bool {
        self >= Self::V4
    }

    /// Returns the default prices of work in a run of this version.
    pub fn cost(self) -> CostPreset {
        match self {
            Self::V1 | Self::V2 => CostPreset::Free,
            Self::V3 | Self::V4 => CostPreset::Processor,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            seed: 42,
            command_pace: SimDuration::from_millis(1),
            snapshot: None,
            members: 1,
            format: FormatVersion::default(),
        }
    }
}
