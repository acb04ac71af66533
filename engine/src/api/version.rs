//! Which etcd is simulated.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The version whose behaviour is shown where versions differ.
///
/// The differences are listed on the fidelity page; each place in the code that asks for the
/// profile names the upstream change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Profile {
    /// etcd 3.6: what a new cluster runs.
    #[default]
    V3_6,
    /// etcd 3.4.23: the legacy behaviour, and what the recorded vectors come from.
    V3_4,
}

impl Profile {
    /// Reads `3.6` or `3.4`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "3.6" => Some(Self::V3_6),
            "3.4" => Some(Self::V3_4),
            _ => None,
        }
    }

    /// The full version a member of this profile reports.
    pub fn server_version(self) -> &'static str {
        match self {
            Self::V3_6 => "3.6.14",
            Self::V3_4 => "3.4.23",
        }
    }

    /// The API version that `etcdctl version` prints.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::V3_6 => "3.6",
            Self::V3_4 => "3.4",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.api_version())
    }
}
