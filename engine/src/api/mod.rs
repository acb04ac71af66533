//! Requests, responses and errors of etcd's gRPC API, with upstream's field names and texts.
//!
//! Mirrors `api/etcdserverpb/rpc.proto`, `api/mvccpb/kv.proto` and
//! `api/v3rpc/rpctypes/error.go`. Only what the simulator serves is here.

pub mod error;
pub mod kv;
pub mod lease;
pub mod maintenance;
pub mod message;
pub mod proto;
pub mod rows;
pub mod version;
pub mod watch;

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
    StatusRequest, StatusResponse,
};
pub use rows::Rows;
pub use version::Profile;
pub use watch::{EventKind, WatchCreateRequest, WatchEvent, WatchRequest, WatchResponse};

/// Everything a client can ask of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// `KV.Range`
    Range(RangeRequest),
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
    /// `Lease.LeaseGrant`
    LeaseGrant(LeaseGrantRequest),
    /// `Lease.LeaseRevoke`
    LeaseRevoke(LeaseRevokeRequest),
    /// `Lease.LeaseKeepAlive`
    LeaseKeepAlive(LeaseKeepAliveRequest),
    /// `Lease.LeaseTimeToLive`
    LeaseTimeToLive(LeaseTimeToLiveRequest),
    /// `Lease.LeaseLeases`
    LeaseLeases(LeaseLeasesRequest),
    /// `Maintenance.Alarm`
    Alarm(AlarmRequest),
    /// `Maintenance.Defragment`
    Defragment(DefragmentRequest),
}

/// The response of a member that does not refuse the request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// To `KV.Range`
    Range(RangeResponse),
    /// To `KV.Put`
    Put(PutResponse),
    /// To `KV.DeleteRange`
    DeleteRange(DeleteRangeResponse),
    /// To `KV.Txn`
    Txn(TxnResponse),
    /// To `KV.Compact`
    Compact(CompactionResponse),
    /// To `Maintenance.HashKV`
    HashKv(HashKvResponse),
    /// To `Maintenance.Status`
    Status(StatusResponse),
    /// To `Lease.LeaseGrant`
    LeaseGrant(LeaseGrantResponse),
    /// To `Lease.LeaseRevoke`
    LeaseRevoke(LeaseRevokeResponse),
    /// To `Lease.LeaseKeepAlive`
    LeaseKeepAlive(LeaseKeepAliveResponse),
    /// To `Lease.LeaseTimeToLive`
    LeaseTimeToLive(LeaseTimeToLiveResponse),
    /// To `Lease.LeaseLeases`
    LeaseLeases(LeaseLeasesResponse),
    /// To `Maintenance.Alarm`
    Alarm(AlarmResponse),
    /// To `Maintenance.Defragment`
    Defragment(DefragmentResponse),
}

/// An answer or a refusal.
pub type Reply = Result<Response, EtcdError>;
