//! The lease service.
//!
//! Mirrors the `Lease*` messages of `api/etcdserverpb/rpc.proto`.

use crate::base::Bytes;

use super::kv::ResponseHeader;

/// `Lease.LeaseGrant`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseGrantRequest {
    /// The requested TTL, in seconds.
    pub ttl: i64,
    /// The requested ID; with 0, etcd chooses the ID.
    pub id: i64,
}

/// Answer to [`LeaseGrantRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseGrantResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// The lease's id.
    pub id: i64,
    /// The TTL granted, in seconds.
    pub ttl: i64,
}

/// `Lease.LeaseRevoke`: end a lease and delete its keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseRevokeRequest {
    /// Which.
    pub id: i64,
}

/// Answer to [`LeaseRevokeRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseRevokeResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
}

/// `Lease.LeaseKeepAlive`: one message of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseKeepAliveRequest {
    /// Which.
    pub id: i64,
}

/// Answer to [`LeaseKeepAliveRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseKeepAliveResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// Which.
    pub id: i64,
    /// The TTL it has again, in seconds; 0 when there is no such lease.
    pub ttl: i64,
}

/// `Lease.LeaseTimeToLive`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseTimeToLiveRequest {
    /// Which.
    pub id: i64,
    /// Return the attached keys as well.
    pub keys: bool,
}

/// Answer to [`LeaseTimeToLiveRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseTimeToLiveResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// Which.
    pub id: i64,
    /// The remaining time in whole seconds; -1 when the lease does not exist.
    pub ttl: i64,
    /// The granted TTL, in seconds.
    pub granted_ttl: i64,
    /// The attached keys, when the request asks for them.
    pub keys: Vec<Bytes>,
}

/// `Lease.LeaseLeases`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseLeasesRequest {}

/// Answer to [`LeaseLeasesRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseLeasesResponse {
    /// The responding member and its revision.
    pub header: ResponseHeader,
    /// The ids, the lease that expires first in front.
    pub leases: Vec<i64>,
}
