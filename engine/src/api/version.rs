//! The etcd version that a member simulates.

use std::fmt;

use super::Difference;

/// The etcd version to simulate, oldest first. The version matters only where the behaviour of versions differs:
/// [`Difference`] lists these behaviours.
///
/// ```
/// use watchglass_engine::api::{Difference, Profile};
/// assert_eq!(Profile::parse("3.5"), Some(Profile::V3_5));
/// assert!(Profile::V3_5.has(Difference::PreVote) && !Profile::V3_4.has(Difference::PreVote));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// etcd 3.4.23.
    V3_4,
    /// etcd 3.5.30.
    V3_5,
    /// etcd 3.6.10.
    V3_6,
    /// etcd 3.7.1.
    #[default]
    V3_7,
}

impl Profile {
    /// All versions, oldest first.
    pub const ALL: [Self; 4] = [Self::V3_4, Self::V3_5, Self::V3_6, Self::V3_7];

    /// Parses a minor version such as `3.6`; returns `None` for a version that is not simulated.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.api_version() == text)
    }

    /// Returns the version whose behaviour is closest to a full version such as `3.5.9`.
    pub fn closest(version: &str) -> Option<Self> {
        let (minor, patch) = version.strip_prefix("3.")?.split_once('.')?;
        let is_version = patch.starts_with(|c: char| c.is_ascii_digit());
        let minor = minor.parse::<u32>().ok().filter(|_| is_version)?;
        Some(match minor {
            0..=4 => Self::V3_4,
            5 => Self::V3_5,
            6 => Self::V3_6,
            _ => Self::V3_7,
        })
    }

    /// Returns true if this version behaves as etcd has behaved since the difference.
    pub fn has(self, difference: Difference) -> bool {
        self >= difference.since()
    }

    /// Returns the full version that a member reports, such as `3.6.10`.
    pub fn server_version(self) -> &'static str {
        match self {
            Self::V3_4 => "3.4.23",
            Self::V3_5 => "3.5.30",
            Self::V3_6 => "3.6.10",
            Self::V3_7 => "3.7.1",
        }
    }

    /// Returns the minor version, which `etcdctl version` prints as its API version, such as `3.6`.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::V3_4 => "3.4",
            Self::V3_5 => "3.5",
            Self::V3_6 => "3.6",
            Self::V3_7 => "3.7",
        }
    }

    /// Returns the version of the cluster and of the schema of its storage, such as `3.6.0`.
    pub fn cluster_version(self) -> &'static str {
        match self {
            Self::V3_4 => "3.4.0",
            Self::V3_5 => "3.5.0",
            Self::V3_6 => "3.6.0",
            Self::V3_7 => "3.7.0",
        }
    }

    pub fn minor(self) -> u64 {
        match self {
            Self::V3_4 => 4,
            Self::V3_5 => 5,
            Self::V3_6 => 6,
            Self::V3_7 => 7,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.api_version())
    }
}
