//! An exhibit of the museum: a real bug, shown by two runs. The runs have the same commands except for one line, which
//! is the switch: in one run the bug is present, and in the other it is fixed. Header lines describe the bug:
//!
//! ```text
//! #! issue: etcd-io/etcd#15220           the issue, or the pull request
//! #! broken in: 3.4.0 to 3.4.24          the releases with the bug
//! #! fixed in: 3.4.25                    the releases with the fix; "unreleased" if the change is open
//! #! fixed: museum/etcd_15220_fixed      the name of the other run; `#! broken:` in the run with the fix
//! ```
//!
//! Both runs ask the reader to guess the same result ([`Guess`](super::guess::Guess)), and the results differ.

use super::Scenario;

/// The description of a bug, from the header of one of its two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhibit {
    /// The repository and the number of the issue, such as `etcd-io/etcd#15220`.
    pub issue: String,
    pub broken_in: String,
    pub fixed_in: String,
    /// Whether the bug is fixed in this run.
    pub is_fixed: bool,
    /// The name of the other run.
    pub other: String,
}

impl Exhibit {
    /// Returns the exhibit to which a run belongs, if its header describes one.
    ///
    /// ```
    /// use watchglass_engine::scenario::{exhibit::Exhibit, format};
    /// let head = "#! issue: etcd-io/etcd#7\n#! broken in: 3.4.1\n#! fixed in: 3.4.2\n#! broken: museum/b\n";
    /// let exhibit = Exhibit::of(&format::parse(head).unwrap()).unwrap();
    /// assert!(exhibit.is_fixed && exhibit.other == "museum/b");
    /// assert_eq!(exhibit.short_issue(), "etcd#7");
    /// assert_eq!(exhibit.link(), "https://github.com/etcd-io/etcd/issues/7");
    /// ```
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let line = |key| scenario.header(key).map(str::to_owned);
        let (is_fixed, other) = match (line("fixed"), line("broken")) {
            (Some(other), None) => (false, other),
            (None, Some(other)) => (true, other),
            _ => return None,
        };
        Some(Self {
            issue: line("issue")?,
            broken_in: line("broken in")?,
            fixed_in: line("fixed in")?,
            is_fixed,
            other,
        })
    }

    /// Returns the issue without the owner of the repository, such as `etcd#15220`.
    pub fn short_issue(&self) -> &str {
        self.issue
            .split_once('/')
            .map_or(&*self.issue, |(_, issue)| issue)
    }

    /// Returns the address of the issue. GitHub redirects the number of a pull request.
    pub fn link(&self) -> String {
        ["https://github.com/", &self.issue.replace('#', "/issues/")].concat()
    }
}
