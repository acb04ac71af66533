//! Checks whether etcd supports progress requests.
//!
//! Mirrors `storage/feature/feature_support_checker.go`. etcd has accepted progress requests since 3.3.14 (KEP-2340
//! says 3.4). The API server requires an etcd version with two fixes. A notification must not overtake events that are
//! still in flight (etcd#15220). A watch must be notified even before its first event (etcd#17507).

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EtcdVersion {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl EtcdVersion {
    /// Parses a version such as `3.4.31`; ignores everything after a hyphen.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.split('-').next()?;
        let mut numbers = numbers.split('.').map(str::parse);
        let mut next = || numbers.next()?.ok();
        let version = Self {
            major: next()?,
            minor: next()?,
            patch: next()?,
        };
        numbers.next().is_none().then_some(version)
    }

    /// Returns true if this version handles progress requests correctly.
    ///
    /// ```
    /// use watchglass_engine::apiserver::EtcdVersion;
    /// let supports = |text| EtcdVersion::parse(text).unwrap().supports_request_progress();
    /// assert!(!supports("3.4.30") && supports("3.4.31"));
    /// assert!(!supports("3.5.12") && supports("3.5.13") && supports("3.6.0"));
    /// ```
    pub fn supports_request_progress(self) -> bool {
        let at = |minor, patch| Self {
            major: 3,
            minor,
            patch,
        };
        self >= at(4, 31) && !(at(5, 0)..at(5, 13)).contains(&self)
    }
}

impl fmt::Display for EtcdVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Records whether all members of an etcd cluster support progress requests.
///
/// ```
/// use watchglass_engine::apiserver::FeatureSupportChecker;
/// let mut checker = FeatureSupportChecker::default();
/// assert!(!checker.supports_request_progress()); // no member has responded yet
/// checker.answered("3.6.0");
/// assert!(checker.supports_request_progress());
/// checker.answered("3.5.8"); // a single old member is enough to turn requests off
/// checker.answered("3.6.0");
/// assert!(!checker.supports_request_progress());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FeatureSupportChecker {
    request_progress: Option<bool>,
}

impl FeatureSupportChecker {
    /// Returns true if the server may send progress requests: at least one member has reported its version, and every
    /// reported version supports progress requests.
    pub fn supports_request_progress(&self) -> bool {
        self.request_progress == Some(true)
    }

    /// Handles the version that a member reports. A version that cannot be parsed counts as too old.
    pub fn answered(&mut self, version: &str) {
        let supports =
            EtcdVersion::parse(version).is_some_and(EtcdVersion::supports_request_progress);
        self.request_progress = Some(supports && self.request_progress != Some(false));
    }
}
