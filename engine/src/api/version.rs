//! The etcd version that a member simulates.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The etcd version to simulate. The version matters only where the behaviour of versions differs.
///
/// The fidelity page lists the differences. Where the code depends on the version, a comment names the upstream change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Profile {
    /// etcd 3.6, the default.
    #[default]
    V3_6,
    /// etcd 3.4.23, the legacy behaviour. The recorded test vectors come from this version.
    V3_4,
}

impl Profile {
    /// Parses `3.6` or `3.4`; returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "3.6" => Some(Self::V3_6),
            "3.4" => Some(Self::V3_4),
            _ => None,
        }
    }

    /// Returns the full version that a member reports, such as `3.6.14`.
    pub fn server_version(self) -> &'static str {
        match self {
            Self::V3_6 => "3.6.14",
            Self::V3_4 => "3.4.23",
        }
    }

    /// Returns the API version that `etcdctl version` prints, such as `3.6`.
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
