//! Whether etcd can be asked how far a watch has come.
//!
//! Mirrors `storage/feature/feature_support_checker.go`. The request itself is older (3.3.14, and 3.4
//! as the KEP counts), but the API server wants an etcd that answers it rightly: not before events
//! that are still on their way (etcd#15220), and also for a watch that has seen none yet
//! (etcd#17507).

use std::fmt;

/// The version of an etcd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EtcdVersion {
    /// 3
    pub major: u32,
    /// 4, 5, 6
    pub minor: u32,
    /// The last number.
    pub patch: u32,
}

impl EtcdVersion {
    /// Reads `3.4.31`; anything behind a hyphen is passed over.
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

    /// Whether it answers progress requests rightly.
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

/// What is known of all members of an etcd.
///
/// ```
/// use watchglass_engine::apiserver::FeatureSupportChecker;
/// let mut checker = FeatureSupportChecker::default();
/// assert!(!checker.supports_request_progress()); // nobody has answered yet
/// checker.answered("3.6.0");
/// assert!(checker.supports_request_progress());
/// checker.answered("3.5.8"); // one old member is one too many, for good
/// checker.answered("3.6.0");
/// assert!(!checker.supports_request_progress());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FeatureSupportChecker {
    request_progress: Option<bool>,
}

impl FeatureSupportChecker {
    /// Whether progress may be asked for: all members that answered support it, and one did.
    pub fn supports_request_progress(&self) -> bool {
        self.request_progress == Some(true)
    }

    /// A member told its version. One that cannot be read counts as too old.
    pub fn answered(&mut self, version: &str) {
        let supports =
            EtcdVersion::parse(version).is_some_and(EtcdVersion::supports_request_progress);
        self.request_progress = Some(supports && self.request_progress != Some(false));
    }
}
