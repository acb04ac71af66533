//! The etcd version that a member simulates, with one behaviour of another version if a switch says so.

use std::fmt;

use super::Difference;
use crate::base::digest::Sparse;

/// The etcd version to simulate. The version matters only where the behaviour of versions differs: [`Difference`] lists
/// these behaviours. A switch gives the version the older or the newer behaviour in one of these differences.
///
/// ```
/// use watchglass_engine::api::{Difference, Profile, Switch};
/// assert_eq!(Profile::parse("3.5"), Some(Profile::V3_5));
/// assert!(Profile::V3_5.has(Difference::PreVote) && !Profile::V3_4.has(Difference::PreVote));
/// let fix = Switch::parse("fix", "etcd#15220").unwrap();
/// assert!(!Profile::V3_4.has(Difference::OrdersProgress));
/// assert!(Profile::V3_4.with(fix).has(Difference::OrdersProgress));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Profile {
    version: Version,
    switch: Sparse<Option<Switch>>,
}

/// A bug that a world has although its version does not have it, or a fix that the world has before its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Switch {
    difference: Difference,
    is_fixed: bool,
}

impl Switch {
    /// Parses a switch: `bug` or `fix`, and an issue such as `etcd#15220`. Returns `None` for an issue that is not one
    /// of [`Difference::ISSUES`].
    pub fn parse(kind: &str, issue: &str) -> Option<Self> {
        let is_fixed = match kind {
            "bug" => false,
            "fix" => true,
            _ => return None,
        };
        let number = issue.strip_prefix("etcd#")?.parse::<u32>().ok()?;
        let mut issues = Difference::ISSUES.iter();
        let (_, difference) = issues.find(|(known, _)| *known == number)?;
        Some(Self {
            difference: *difference,
            is_fixed,
        })
    }
}

/// The simulated versions, oldest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Version {
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
    pub const V3_4: Self = Self::of(Version::V3_4);
    pub const V3_5: Self = Self::of(Version::V3_5);
    pub const V3_6: Self = Self::of(Version::V3_6);
    pub const V3_7: Self = Self::of(Version::V3_7);

    /// All versions, oldest first.
    pub const ALL: [Self; 4] = [Self::V3_4, Self::V3_5, Self::V3_6, Self::V3_7];

    const fn of(version: Version) -> Self {
        Self {
            version,
            switch: Sparse(None),
        }
    }

    /// Returns the version with a switch.
    pub fn with(self, switch: Switch) -> Self {
        Self {
            switch: Sparse(Some(switch)),
            ..self
        }
    }

    /// Returns the version without its switch.
    pub fn plain(self) -> Self {
        Self::of(self.version)
    }

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
        match *self.switch {
            Some(switch) if switch.difference == difference => switch.is_fixed,
            _ => difference
                .since()
                .is_some_and(|since| self.plain() >= since),
        }
    }

    /// Returns the full version that a member reports, such as `3.6.10`.
    pub fn server_version(self) -> &'static str {
        match self.version {
            Version::V3_4 => "3.4.23",
            Version::V3_5 => "3.5.30",
            Version::V3_6 => "3.6.10",
            Version::V3_7 => "3.7.1",
        }
    }

    /// Returns the minor version, which `etcdctl version` prints as its API version, such as `3.6`.
    pub fn api_version(self) -> &'static str {
        match self.version {
            Version::V3_4 => "3.4",
            Version::V3_5 => "3.5",
            Version::V3_6 => "3.6",
            Version::V3_7 => "3.7",
        }
    }

    /// Returns the version of the cluster and of the schema of its storage, such as `3.6.0`.
    pub fn cluster_version(self) -> &'static str {
        match self.version {
            Version::V3_4 => "3.4.0",
            Version::V3_5 => "3.5.0",
            Version::V3_6 => "3.6.0",
            Version::V3_7 => "3.7.0",
        }
    }

    pub fn minor(self) -> u64 {
        match self.version {
            Version::V3_4 => 4,
            Version::V3_5 => 5,
            Version::V3_6 => 6,
            Version::V3_7 => 7,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.api_version())
    }
}
