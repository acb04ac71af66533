//! The texts about commands that a real etcd executes as well as the run.

pub const ONE_COMMAND: &str =
    "Type one command of etcdctl at a time: get, put, del, txn, compaction or lease.";
pub const NO_COUNTERPART: &str = "The JSON gateway of etcd has no request for this command with a single response. \
    Get, put, del, txn, compaction and lease grant, revoke, timetolive and list have one.";
pub const LEAVE_OUT_FLAGS: &str = "Leave out --user, --endpoints and --cluster: the page sends the command to the \
    member that it is attached to, as the user who attached it.";
pub const NOT_EXECUTED: &str = "The run has executed no such command.";
pub const NOT_READABLE: &str = "etcd has sent a response that the simulator cannot read.";

/// The explanations of differences.
pub const OTHER_WRITER: &str =
    "Other clients write to etcd, too. The copy does not have their writes; Follow copies them.";
pub const TIME_STANDS_STILL: &str = "The time of the copy passes only while a command runs.";
