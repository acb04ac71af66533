//! The errors of etcd's API, with upstream's exact texts and gRPC codes.
//!
//! Mirrors `api/v3rpc/rpctypes/error.go`. These errors are responses of the simulated system, not failures of the
//! simulator.

use std::fmt;

use crate::qos::{QosError, QosName};

/// The reason why a request failed.
///
/// ```
/// use watchglass_engine::api::EtcdError;
/// assert_eq!(EtcdError::Compacted.to_string(),
///     "etcdserver: mvcc: required revision has been compacted");
/// assert_eq!(EtcdError::Compacted.code().number(), 11);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EtcdError {
    EmptyKey,
    /// A put with `ignore_value` or `ignore_lease` names a key that does not exist, or an operation of a transaction is
    /// empty.
    KeyNotFound,
    /// A put has both a value and `ignore_value`.
    ValueProvided,
    /// A put has both a lease and `ignore_lease`.
    LeaseProvided,
    /// A transaction has more operations or compares than `--max-txn-ops`.
    TooManyOps,
    /// A transaction would change a key twice.
    DuplicateKey,
    InvalidSortOption,
    /// A streamed read asks for an order.
    StreamSorted,
    /// A streamed read filters keys by their revisions.
    StreamFiltered,
    /// The requested revision is below the compact revision.
    Compacted,
    FutureRev,
    LeaseNotFound,
    /// The member stopped before it sent the response.
    MemberStopped,
    LeaseExists,
    LeaseTtlTooLarge,
    /// No response arrived in time (`--command-timeout`).
    DeadlineExceeded,
    /// A person pressed Ctrl-C, because the command has no time limit and no response arrived.
    Interrupted,
    /// The database has reached its quota (`--quota-backend-bytes`), or the alarm `NOSPACE` is still raised.
    NoSpace,
    /// The alarm `CORRUPT` is raised, so the member refuses all writes.
    Corrupt,
    /// The request is a login, and authentication is off.
    AuthNotEnabled,
    /// The request is larger than `--max-request-bytes`.
    RequestTooLarge,
    /// A rule of etcd QoS refuses the request (`ErrLimitRequest`). etcd QoS is a proposal for limiting the requests of
    /// clients; etcd never merged it.
    LimitRequest {
        rule: QosName,
    },
    /// The API of etcd QoS refuses the definition of a class or rule. etcd QoS is a proposal that etcd never merged.
    Qos(QosError),
    /// The request belongs to the API of etcd QoS, which the member does not offer while QoS is off.
    UnknownService,
    /// The message is larger than the client library's limit. The library does not send such a message.
    MessageTooLarge {
        /// The size of the message in bytes.
        size: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The cluster did not commit the request in time. A write may still take effect.
    RequestTimedOut,
    /// The cluster did not commit the request in time, and a new leader was elected after the request arrived.
    TimedOutAfterLeaderFailure,
    /// The cluster did not commit the request in time. The member lost the connection to its leader or, if the member
    /// is the leader, to the quorum.
    TimedOutAfterConnectionLoss,
    /// A new leader was elected while a linearizable read waited for a quorum to confirm the read index.
    LeaderChanged,
    NoLeader,
    /// The member refuses the request because it has committed many more entries than it has applied.
    TooManyRequests,
    /// The request transfers the leadership, but the member that received the request is not the leader.
    NotLeader,
    /// The request transfers the leadership to an id that no member of the cluster has.
    BadLeaderTransferee,
    /// A proposal was blocked until the deadline of its request. In this case, etcd 3.4 returns the text "context
    /// deadline exceeded" with the code `Unknown`.
    BlockedProposal,
    /// Authentication cannot be enabled without a user `root`.
    RootUserNotExist,
    /// Authentication cannot be enabled while the user `root` does not have the role `root`.
    RootRoleNotExist,
    UserAlreadyExists,
    /// The request has no user although authentication is enabled, or a new user has no name.
    UserEmpty,
    UserNotFound,
    RoleAlreadyExists,
    RoleNotFound,
    RoleEmpty,
    /// The user does not exist, or the password is wrong.
    AuthFailed,
    PermissionDenied,
    RoleNotGranted,
    PermissionNotGranted,
    /// The member does not know the token of the request.
    InvalidAuthToken,
    /// The request would remove the root user or its role, or grants a permission for invalid keys.
    InvalidAuthMgmt,
    /// Users or roles changed after the member read the token of the request.
    AuthOldRevision,
    /// [`UserEmpty`](Self::UserEmpty) without its code (until 3.5).
    UserEmptyWithoutCode,
    /// [`PermissionDenied`](Self::PermissionDenied) without its code (until 3.5).
    PermissionDeniedWithoutCode,
    NoPasswordUser,
    /// The member does not have the method (`AuthStatus` in 3.4).
    UnknownMethod,
    /// A new password is longer than bcrypt allows (since 3.5).
    PasswordTooLong,
    /// The member is a learner, which serves only serializable reads and `Status`.
    NotSupportedForLearner {
        /// Whether the client library may send the request again. The code of this error was `Unavailable` before etcd
        /// 3.6.
        is_temporary: bool,
    },
    MemberNotFound,
    MemberExists,
    PeerUrlExists,
    BadMemberUrls,
    /// The change would leave fewer started voters than a quorum.
    NotEnoughStartedMembers,
    /// The change would leave fewer connected voters than a quorum.
    Unhealthy,
    /// The promoted member is a voter.
    MemberNotLearner,
    /// The promoted learner has less than 90% of the leader's log.
    LearnerNotReady,
    TooManyLearners,
    /// The request is a stream, which the simulated gRPC proxy does not relay.
    StreamNotRelayed,
}

/// A gRPC status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    Canceled,
    /// The request is invalid, whatever the state of the system.
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    FailedPrecondition,
    /// A limit on space or size is exceeded.
    ResourceExhausted,
    /// A value in the request, such as a revision, is outside the valid range.
    OutOfRange,
    /// The server does not have the method.
    Unimplemented,
    /// The server cannot respond at the moment, so the client may retry the request.
    Unavailable,
    PermissionDenied,
    Unauthenticated,
    DataLoss,
    /// An error without a code.
    Unknown,
}

impl Code {
    /// Returns the number of the code on the wire.
    pub fn number(self) -> u32 {
        match self {
            Self::Canceled => 1,
            Self::InvalidArgument => 3,
            Self::Unknown => 2,
            Self::DeadlineExceeded => 4,
            Self::NotFound => 5,
            Self::PermissionDenied => 7,
            Self::ResourceExhausted => 8,
            Self::FailedPrecondition => 9,
            Self::OutOfRange => 11,
            Self::Unimplemented => 12,
            Self::Unavailable => 14,
            Self::DataLoss => 15,
            Self::Unauthenticated => 16,
        }
    }
}

impl EtcdError {
    pub fn code(self) -> Code {
        match self {
            Self::EmptyKey
            | Self::KeyNotFound
            | Self::ValueProvided
            | Self::LeaseProvided
            | Self::TooManyOps
            | Self::DuplicateKey
            | Self::InvalidSortOption
            | Self::UserEmpty
            | Self::RoleEmpty
            | Self::AuthFailed
            | Self::InvalidAuthMgmt
            | Self::AuthOldRevision
            | Self::RequestTooLarge
            | Self::BadMemberUrls => Code::InvalidArgument,
            Self::Compacted | Self::FutureRev | Self::LeaseTtlTooLarge => Code::OutOfRange,
            Self::LeaseExists
            | Self::AuthNotEnabled
            | Self::RootUserNotExist
            | Self::RootRoleNotExist
            | Self::UserAlreadyExists
            | Self::UserNotFound
            | Self::RoleAlreadyExists
            | Self::RoleNotFound
            | Self::RoleNotGranted
            | Self::PermissionNotGranted
            | Self::NotLeader
            | Self::BadLeaderTransferee
            | Self::NotSupportedForLearner {
                is_temporary: false,
            }
            | Self::MemberExists
            | Self::PeerUrlExists
            | Self::NotEnoughStartedMembers
            | Self::MemberNotLearner
            | Self::LearnerNotReady
            | Self::TooManyLearners => Code::FailedPrecondition,
            Self::LeaseNotFound | Self::MemberNotFound => Code::NotFound,
            Self::MemberStopped
            | Self::RequestTimedOut
            | Self::TimedOutAfterLeaderFailure
            | Self::TimedOutAfterConnectionLoss
            | Self::LeaderChanged
            | Self::NoLeader
            | Self::Unhealthy
            | Self::NotSupportedForLearner { is_temporary: true } => Code::Unavailable,
            Self::DeadlineExceeded => Code::DeadlineExceeded,
            Self::Interrupted => Code::Canceled,
            Self::BlockedProposal
            | Self::UserEmptyWithoutCode
            | Self::PermissionDeniedWithoutCode
            | Self::NoPasswordUser
            | Self::PasswordTooLong => Code::Unknown,
            Self::PermissionDenied => Code::PermissionDenied,
            Self::InvalidAuthToken => Code::Unauthenticated,
            Self::Corrupt => Code::DataLoss,
            Self::NoSpace
            | Self::TooManyRequests
            | Self::LimitRequest { .. }
            | Self::MessageTooLarge { .. } => Code::ResourceExhausted,
            Self::Qos(error) => match error {
                QosError::ClassNotFound(_) | QosError::RuleNotFound(_) => Code::NotFound,
                QosError::ClassExists(_)
                | QosError::RuleExists(_)
                | QosError::ClassInUse { .. }
                | QosError::KindInUse { .. } => Code::FailedPrecondition,
                QosError::NotPositive { .. }
                | QosError::PriorityRange
                | QosError::NegativeThreshold
                | QosError::PercentThreshold
                | QosError::Overlap(_)
                | QosError::TxnOverlap(_)
                | QosError::UnknownToProxy(_) => Code::InvalidArgument,
            },
            Self::UnknownService
            | Self::UnknownMethod
            | Self::StreamSorted
            | Self::StreamFiltered
            | Self::StreamNotRelayed => Code::Unimplemented,
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
            Self::StreamSorted => {
                "rpc error: code = Unimplemented desc = RangeStream does not support custom sort orders"
            }
            Self::StreamFiltered => {
                "rpc error: code = Unimplemented desc = RangeStream does not support revision filters"
            }
            Self::Compacted => "etcdserver: mvcc: required revision has been compacted",
            Self::FutureRev => "etcdserver: mvcc: required revision is a future revision",
            Self::LeaseNotFound => "etcdserver: requested lease not found",
            Self::RequestTimedOut => "etcdserver: request timed out",
            Self::TimedOutAfterLeaderFailure => {
                "etcdserver: request timed out, possibly due to previous leader failure"
            }
            Self::TimedOutAfterConnectionLoss => {
                "etcdserver: request timed out, possibly due to connection lost"
            }
            Self::LeaderChanged => "etcdserver: leader changed",
            Self::NoLeader => "etcdserver: no leader",
            Self::NotLeader => "etcdserver: not leader",
            Self::BadLeaderTransferee => "etcdserver: bad leader transferee",
            Self::TooManyRequests => "etcdserver: too many requests",
            Self::NotSupportedForLearner { .. } => "etcdserver: rpc not supported for learner",
            Self::MemberNotFound => "etcdserver: member not found",
            Self::MemberExists => "etcdserver: member ID already exist",
            Self::PeerUrlExists => "etcdserver: Peer URLs already exists",
            Self::BadMemberUrls => "etcdserver: given member URLs are invalid",
            Self::NotEnoughStartedMembers => {
                "etcdserver: re-configuration failed due to not enough started members"
            }
            Self::Unhealthy => "etcdserver: unhealthy cluster",
            Self::MemberNotLearner => "etcdserver: can only promote a learner member",
            Self::LearnerNotReady => {
                "etcdserver: can only promote a learner member which is in sync with leader"
            }
            Self::TooManyLearners => "etcdserver: too many learner members in cluster",
            Self::MemberStopped => {
                "rpc error: code = Unavailable desc = error reading from server: EOF"
            }
            Self::DeadlineExceeded => "context deadline exceeded",
            Self::Interrupted => "context canceled",
            Self::BlockedProposal => "rpc error: code = Unknown desc = context deadline exceeded",
            Self::LeaseExists => "etcdserver: lease already exists",
            Self::LeaseTtlTooLarge => "etcdserver: too large lease TTL",
            Self::NoSpace => "etcdserver: mvcc: database space exceeded",
            Self::Corrupt => "etcdserver: corrupt cluster",
            Self::AuthNotEnabled => "etcdserver: authentication is not enabled",
            Self::RootUserNotExist => "etcdserver: root user does not exist",
            Self::RootRoleNotExist => "etcdserver: root user does not have root role",
            Self::UserAlreadyExists => "etcdserver: user name already exists",
            Self::UserEmpty => "etcdserver: user name is empty",
            Self::UserNotFound => "etcdserver: user name not found",
            Self::RoleAlreadyExists => "etcdserver: role name already exists",
            Self::RoleNotFound => "etcdserver: role name not found",
            Self::RoleEmpty => "etcdserver: role name is empty",
            Self::AuthFailed => "etcdserver: authentication failed, invalid user ID or password",
            Self::PermissionDenied => "etcdserver: permission denied",
            Self::RoleNotGranted => "etcdserver: role is not granted to the user",
            Self::PermissionNotGranted => "etcdserver: permission is not granted to the role",
            Self::InvalidAuthToken => "etcdserver: invalid auth token",
            Self::InvalidAuthMgmt => "etcdserver: invalid auth management",
            Self::AuthOldRevision => "etcdserver: revision of auth store is old",
            Self::UserEmptyWithoutCode => {
                "rpc error: code = Unknown desc = auth: user name is empty"
            }
            Self::PermissionDeniedWithoutCode => {
                "rpc error: code = Unknown desc = auth: permission denied"
            }
            Self::NoPasswordUser => {
                "rpc error: code = Unknown desc = auth: authentication failed, password was given for no \
                 password user"
            }
            Self::UnknownMethod => {
                "rpc error: code = Unimplemented desc = unknown method AuthStatus for service etcdserverpb.Auth"
            }
            Self::PasswordTooLong => {
                "rpc error: code = Unknown desc = bcrypt: password length exceeds 72 bytes"
            }
            Self::RequestTooLarge => "etcdserver: request is too large",
            Self::LimitRequest { rule } => {
                return write!(f, "etcdserver: request is rate limited by qos rule {rule}");
            }
            Self::Qos(error) => return write!(f, "etcdserver: {error}"),
            Self::UnknownService => {
                "rpc error: code = Unimplemented desc = unknown service etcdserverpb.QoS"
            }
            Self::StreamNotRelayed => {
                "rpc error: code = Unimplemented desc = the simulated gRPC proxy relays no streams"
            }
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
