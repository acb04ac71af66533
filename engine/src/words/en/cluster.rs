//! The texts of the Cluster view: the entries of a member's log, and the results of reads.

/// Labels of raft log entries that contain no key.
pub const ELECTED: &str = "elected";
pub const MEMBER: &str = "member";
pub const CHECKPOINT: &str = "checkpoint";
pub const ADD_MEMBER: &str = "add member";
pub const ADD_LEARNER: &str = "add learner";
pub const REMOVE_MEMBER: &str = "remove member";
pub const UPDATE_MEMBER: &str = "update member";
pub const PROMOTE_MEMBER: &str = "promote";
pub const GRANT: &str = "grant";
pub const REVOKE: &str = "revoke";
pub const ALARM: &str = "alarm";
pub const LOGIN: &str = "login";
pub const REQUEST: &str = "request";

/// The result of a read of a key that does not exist.
pub const NONE: &str = "none";
