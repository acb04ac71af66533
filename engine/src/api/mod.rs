//! Requests, responses and errors of etcd's gRPC API, with upstream's field names and texts.
//!
//! Mirrors `api/etcdserverpb/rpc.proto`, `api/mvccpb/kv.proto` and `api/v3rpc/rpctypes/error.go`. This module contains
//! only the messages that the simulator supports.

pub mod auth;
pub mod cluster;
pub mod difference;
pub mod error;
pub mod gateway;
pub mod kv;
pub mod lease;
pub mod log_entry;
pub mod maintenance;
pub mod message;
pub mod proto;
pub mod qos;
pub mod rows;
pub mod version;
pub mod watch;

pub use auth::{
    AuthContent, AuthRequest, AuthResponse, AuthenticateRequest, AuthenticateResponse, Password,
    Permission, PermissionType,
};
pub use cluster::{
    ListedMember, MemberChangeRequest, MemberChangeResponse, MemberListRequest, MemberListResponse,
};
pub use difference::Difference;
pub use error::EtcdError;
pub use kv::{
    Compare, CompareOp, CompareTarget, DeleteRangeRequest, DeleteRangeResponse, KeyValue,
    PutRequest, PutResponse, RangeRequest, RangeResponse, RequestOp, ResponseHeader, ResponseOp,
    SortOrder, SortTarget, TxnRequest, TxnResponse,
};
pub use lease::{
    LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest, LeaseKeepAliveResponse,
    LeaseLeasesRequest, LeaseLeasesResponse, LeaseRevokeRequest, LeaseRevokeResponse,
    LeaseTimeToLiveRequest, LeaseTimeToLiveResponse,
};
pub use maintenance::{
    AlarmAction, AlarmMember, AlarmRequest, AlarmResponse, AlarmType, CompactionRequest,
    CompactionResponse, DefragmentRequest, DefragmentResponse, HashKvRequest, HashKvResponse,
    MoveLeaderRequest, MoveLeaderResponse, StatusRequest, StatusResponse,
};
pub use qos::{Credential, QosContent, QosRequest, QosResponse, RequestAs};
pub use rows::Rows;
pub use version::{Profile, Switch};
pub use watch::{
    EventKind, LeaderNeed, WatchCreateRequest, WatchEvent, WatchRequest, WatchResponse,
};

/// A request that a client sends to a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    Range(RangeRequest),
    RangeStream(RangeRequest),
    Put(PutRequest),
    DeleteRange(DeleteRangeRequest),
    Txn(TxnRequest),
    Compact(CompactionRequest),
    HashKv(HashKvRequest),
    Status(StatusRequest),
    LeaseGrant(LeaseGrantRequest),
    LeaseRevoke(LeaseRevokeRequest),
    LeaseKeepAlive(LeaseKeepAliveRequest),
    LeaseTimeToLive(LeaseTimeToLiveRequest),
    LeaseLeases(LeaseLeasesRequest),
    Alarm(AlarmRequest),
    Defragment(DefragmentRequest),
    Authenticate(AuthenticateRequest),
    /// A request of the API of etcd QoS, which etcd never merged.
    Qos(QosRequest),
    /// A request with the identity of its caller.
    As(Box<RequestAs>),
    MoveLeader(MoveLeaderRequest),
    MemberList(MemberListRequest),
    /// A request of the service `Auth`, except `Auth.Authenticate`.
    Auth(AuthRequest),
    MemberChange(MemberChangeRequest),
}

impl Request {
    /// Returns the method of the service, such as `Put`.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Range(_) => "Range",
            Self::RangeStream(_) => "RangeStream",
            Self::Put(_) => "Put",
            Self::DeleteRange(_) => "DeleteRange",
            Self::Txn(_) => "Txn",
            Self::Compact(_) => "Compact",
            Self::HashKv(_) => "HashKV",
            Self::Status(_) => "Status",
            Self::LeaseGrant(_) => "LeaseGrant",
            Self::LeaseRevoke(_) => "LeaseRevoke",
            Self::LeaseKeepAlive(_) => "LeaseKeepAlive",
            Self::LeaseTimeToLive(_) => "LeaseTimeToLive",
            Self::LeaseLeases(_) => "LeaseLeases",
            Self::Alarm(_) => "Alarm",
            Self::Defragment(_) => "Defragment",
            Self::Authenticate(_) => "Authenticate",
            Self::Qos(r) => r.method(),
            Self::Auth(r) => r.method(),
            Self::As(r) => r.request.method(),
            Self::MoveLeader(_) => "MoveLeader",
            Self::MemberList(_) => "MemberList",
            Self::MemberChange(r) => r.method(),
        }
    }
}

/// The successful response to a [`Request`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    Range(RangeResponse),
    /// A message of the stream that responds to `KV.RangeStream`. Only the last message has a header and a count.
    RangeStream(RangeResponse),
    Put(PutResponse),
    DeleteRange(DeleteRangeResponse),
    Txn(TxnResponse),
    Compact(CompactionResponse),
    HashKv(HashKvResponse),
    Status(StatusResponse),
    LeaseGrant(LeaseGrantResponse),
    LeaseRevoke(LeaseRevokeResponse),
    LeaseKeepAlive(LeaseKeepAliveResponse),
    LeaseTimeToLive(LeaseTimeToLiveResponse),
    LeaseLeases(LeaseLeasesResponse),
    Alarm(AlarmResponse),
    Defragment(DefragmentResponse),
    Authenticate(AuthenticateResponse),
    Qos(QosResponse),
    MoveLeader(MoveLeaderResponse),
    MemberList(MemberListResponse),
    Auth(AuthResponse),
    MemberChange(MemberChangeResponse),
}

impl Response {
    /// Returns true if more messages follow in the response to the same request.
    pub fn is_partial(&self) -> bool {
        matches!(self, Self::RangeStream(chunk) if chunk.header.revision == 0)
    }
}

pub type Reply = Result<Response, EtcdError>;
