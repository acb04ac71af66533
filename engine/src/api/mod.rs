//! Requests, responses and errors of etcd's gRPC API, with upstream's field names and texts.
//!
//! Mirrors `api/etcdserverpb/rpc.proto`, `api/mvccpb/kv.proto` and `api/v3rpc/rpctypes/error.go`. This module contains
//! only the messages that the simulator supports.

pub mod auth;
pub mod cluster;
pub mod difference;
pub mod error;
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
pub use version::Profile;
pub use watch::{
    EventKind, LeaderNeed, WatchCreateRequest, WatchEvent, WatchRequest, WatchResponse,
};

/// A request that a client sends to a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// `KV.Range`
    Range(RangeRequest),
    /// `KV.RangeStream`
    RangeStream(RangeRequest),
    /// `KV.Put`
    Put(PutRequest),
    /// `KV.DeleteRange`
    DeleteRange(DeleteRangeRequest),
    /// `KV.Txn`
    Txn(TxnRequest),
    /// `KV.Compact`
    Compact(CompactionRequest),
    /// `Maintenance.HashKV`
    HashKv(HashKvRequest),
    /// `Maintenance.Status`
    Status(StatusRequest),
    LeaseGrant(LeaseGrantRequest),
    LeaseRevoke(LeaseRevokeRequest),
    LeaseKeepAlive(LeaseKeepAliveRequest),
    LeaseTimeToLive(LeaseTimeToLiveRequest),
    LeaseLeases(LeaseLeasesRequest),
    /// `Maintenance.Alarm`
    Alarm(AlarmRequest),
    /// `Maintenance.Defragment`
    Defragment(DefragmentRequest),
    /// `Auth.Authenticate`
    Authenticate(AuthenticateRequest),
    /// A request of the API of etcd QoS, which etcd never merged.
    Qos(QosRequest),
    /// A request with the identity of its caller.
    As(Box<RequestAs>),
    /// `Maintenance.MoveLeader`
    MoveLeader(MoveLeaderRequest),
    /// `Cluster.MemberList`
    MemberList(MemberListRequest),
    /// A request of the service `Auth`, except `Auth.Authenticate`.
    Auth(AuthRequest),
    /// `Cluster.MemberAdd`, `MemberRemove`, `MemberUpdate` or `MemberPromote`.
    MemberChange(MemberChangeRequest),
}

/// The successful response to a [`Request`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// The response to `KV.Range`.
    Range(RangeResponse),
    /// A message of the stream that responds to `KV.RangeStream`. Only the last message has a header and a count.
    RangeStream(RangeResponse),
    /// The response to `KV.Put`.
    Put(PutResponse),
    /// The response to `KV.DeleteRange`.
    DeleteRange(DeleteRangeResponse),
    /// The response to `KV.Txn`.
    Txn(TxnResponse),
    /// The response to `KV.Compact`.
    Compact(CompactionResponse),
    /// The response to `Maintenance.HashKV`.
    HashKv(HashKvResponse),
    /// The response to `Maintenance.Status`.
    Status(StatusResponse),
    LeaseGrant(LeaseGrantResponse),
    LeaseRevoke(LeaseRevokeResponse),
    LeaseKeepAlive(LeaseKeepAliveResponse),
    LeaseTimeToLive(LeaseTimeToLiveResponse),
    LeaseLeases(LeaseLeasesResponse),
    /// The response to `Maintenance.Alarm`.
    Alarm(AlarmResponse),
    /// The response to `Maintenance.Defragment`.
    Defragment(DefragmentResponse),
    /// The response to `Auth.Authenticate`.
    Authenticate(AuthenticateResponse),
    /// The response of the API of etcd QoS, which etcd never merged.
    Qos(QosResponse),
    /// The response to `Maintenance.MoveLeader`.
    MoveLeader(MoveLeaderResponse),
    /// The response to `Cluster.MemberList`.
    MemberList(MemberListResponse),
    /// The response of the service `Auth`, except to `Auth.Authenticate`.
    Auth(AuthResponse),
    /// The response to a change of the membership.
    MemberChange(MemberChangeResponse),
}

impl Response {
    /// Returns true if more messages follow in the response to the same request.
    pub fn is_partial(&self) -> bool {
        matches!(self, Self::RangeStream(chunk) if chunk.header.revision == 0)
    }
}

/// A member's reply to a request: the response, or the error with which the member refuses the request.
pub type Reply = Result<Response, EtcdError>;
