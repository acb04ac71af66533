//! The lease service.
//!
//! Mirrors the `Lease*` messages of `api/etcdserverpb/rpc.proto`.

use crate::base::Bytes;

use super::kv::ResponseHeader;

/// `Lease.LeaseGrant`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseGrantRequest {
    /// The TTL wanted, in seconds.
    pub ttl: i64,
    /// The id wanted; 0 to be given one.
    pub id: i64,
}

/// Answer to [`LeaseGrantRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseGrantResponse {
    /// Who answered and at which revision.
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
    /// Who answered and at which revision.
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
    /// Who answered and at which revision.
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
    /// Tell its keys as well.
    pub keys: bool,
}

/// Answer to [`LeaseTimeToLiveRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseTimeToLiveResponse {
    /// Who answered and at which revision.
    pub header: ResponseHeader,
    /// Which.
    pub id: i64,
    /// What is left, in whole seconds; -1 when there is no such lease.
    pub ttl: i64,
    /// What it was granted, in seconds.
    pub granted_ttl: i64,
    /// Its keys, when they were asked for.
    pub keys: Vec<Bytes>,
}

/// `Lease.LeaseLeases`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseLeasesRequest {}

/// Answer to [`LeaseLeasesRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseLeasesResponse {
    /// Who answered and at which revision.
    pub header: ResponseHeader,
    /// The ids, the lease that expires first in front.
    pub leases: Vec<i64>,
}
