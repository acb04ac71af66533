//! What a command of etcdctl prints that runs until it is ended: `lease keep-alive`, `lock`, `elect` and `make-mirror`.

use crate::api::{EtcdError, LeaseKeepAliveResponse, RangeResponse, Reply};
use crate::base::Bytes;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Printed {
    KeptAlive(LeaseKeepAliveResponse),
    /// The end of the lease with this ID.
    Expired(i64),
    /// The own key of the process, or the key of the leader.
    Read(RangeResponse),
    /// The output of the command that ran while the process held the lock.
    Ran {
        key: Bytes,
        /// The revision at which the process acquired the lock.
        revision: i64,
        /// The response to the command's request; `None` if the command sends no request.
        reply: Option<Reply>,
    },
    Copied(u64),
    Failed(ProcessError),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessError {
    Etcd(EtcdError),
    /// An error of the client library or of the command, with its text.
    Own(&'static str),
}

impl std::fmt::Display for ProcessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Etcd(error) => error.fmt(f),
            Self::Own(text) => f.write_str(text),
        }
    }
}
