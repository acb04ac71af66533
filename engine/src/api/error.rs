//! What a member refuses, with upstream's exact texts and gRPC codes.
//!
//! Mirrors `api/v3rpc/rpctypes/error.go`. A refusal is an answer, not a failure of the simulator.

use std::fmt;

/// A refusal.
///
/// ```
/// use watchglass_engine::api::EtcdError;
/// assert_eq!(EtcdError::Compacted.to_string(),
///     "etcdserver: mvcc: required revision has been compacted");
/// assert_eq!(EtcdError::Compacted.code().number(), 11);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EtcdError {
    /// A request without a key.
    EmptyKey,
    /// `ignore_value` or `ignore_lease` on a key that does not exist, or an empty operation.
    KeyNotFound,
    /// A value together with `ignore_value`.
    ValueProvided,
    /// A lease together with `ignore_lease`.
    LeaseProvided,
    /// More operations or compares than `--max-txn-ops`.
    TooManyOps,
    /// The transaction would change a key twice.
    DuplicateKey,
    /// A sort order or target that does not exist.
    InvalidSortOption,
    /// A revision below the compact revision.
    Compacted,
    /// A revision the store has not reached.
    FutureRev,
    /// A lease that does not exist.
    LeaseNotFound,
    /// The member stopped before the response.
    MemberStopped,
    /// A lease id that is taken.
    LeaseExists,
    /// The TTL is above the maximum.
    LeaseTtlTooLarge,
    /// No response arrived in time (`--command-timeout`).
    DeadlineExceeded,
    /// The database has reached its quota (`--quota-backend-bytes`), or did and the alarm is not disarmed.
    NoSpace,
    /// The alarm `CORRUPT` is raised: nothing is written.
    Corrupt,
    /// A request above `--max-request-bytes`.
    RequestTooLarge,
    /// A message above the client library's limit, which is checked before etcd sees it.
    MessageTooLarge {
        /// Bytes of the message.
        size: u64,
        /// The limit in bytes.
        max: u64,
    },
}

/// A gRPC status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request makes no sense whatever the state.
    InvalidArgument,
    /// No response arrived in time.
    DeadlineExceeded,
    /// Something named does not exist.
    NotFound,
    /// The state does not allow it.
    FailedPrecondition,
    /// A limit is reached.
    ResourceExhausted,
    /// A revision outside what can be read.
    OutOfRange,
    /// No server responds.
    Unavailable,
    /// Data is lost or damaged.
    DataLoss,
}

impl Code {
    /// The number on the wire.
    pub fn number(self) -> u32 {
        match self {
            Self::InvalidArgument => 3,
            Self::DeadlineExceeded => 4,
            Self::NotFound => 5,
            Self::ResourceExhausted => 8,
            Self::FailedPrecondition => 9,
            Self::OutOfRange => 11,
            Self::Unavailable => 14,
            Self::DataLoss => 15,
        }
    }
}

impl EtcdError {
    /// The gRPC code of the error.
    pub fn code(self) -> Code {
        match self {
            Self::EmptyKey
            | Self::KeyNotFound
            | Self::ValueProvided
            | Self::LeaseProvided
            | Self::TooManyOps
            | Self::DuplicateKey
            | Self::InvalidSortOption
            | Self::RequestTooLarge => Code::InvalidArgument,
            Self::Compacted | Self::FutureRev | Self::LeaseTtlTooLarge => Code::OutOfRange,
            Self::LeaseExists => Code::FailedPrecondition,
            Self::LeaseNotFound => Code::NotFound,
            Self::MemberStopped => Code::Unavailable,
            Self::DeadlineExceeded => Code::DeadlineExceeded,
            Self::Corrupt => Code::DataLoss,
            Self::NoSpace | Self::MessageTooLarge { .. } => Code::ResourceExhausted,
        }
    }
}

impl fmt::Display for EtcdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::EmptyKey => "etcdserver: key is not provided",
            Self::KeyNotFound => "etcdserver: key not found",
            Self::ValueProvided => "etcdserver: value is provided",
            Self::LeaseProvided => "etcdserver: lease is provided",
            Self::TooManyOps => "etcdserver: too many operations in txn request",
            Self::DuplicateKey => "etcdserver: duplicate key given in txn request",
            Self::InvalidSortOption => "etcdserver: invalid sort option",
            Self::Compacted => "etcdserver: mvcc: required revision has been compacted",
            Self::FutureRev => "etcdserver: mvcc: required revision is a future revision",
            Self::LeaseNotFound => "etcdserver: requested lease not found",
            Self::MemberStopped => {
                "rpc error: code = Unavailable desc = error reading from server: EOF"
            }
            Self::DeadlineExceeded => "context deadline exceeded",
            Self::LeaseExists => "etcdserver: lease already exists",
            Self::LeaseTtlTooLarge => "etcdserver: too large lease TTL",
            Self::NoSpace => "etcdserver: mvcc: database space exceeded",
            Self::Corrupt => "etcdserver: corrupt cluster",
            Self::RequestTooLarge => "etcdserver: request is too large",
            Self::MessageTooLarge { size, max } => {
                return write!(
                    f,
                    "rpc error: code = ResourceExhausted desc = trying to send message larger than \
                     max ({size} vs. {max})"
                );
            }
        };
        f.write_str(text)
    }
}

impl std::error::Error for EtcdError {}
