//! The requests and responses of the lease service.
//!
//! Mirrors the `Lease*` messages of `api/etcdserverpb/rpc.proto`.

use crate::base::Bytes;

use super::kv::ResponseHeader;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseGrantRequest {
    /// The requested TTL, in seconds.
    pub ttl: i64,
    /// The requested ID; with 0, etcd chooses an ID.
    pub id: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseGrantResponse {
    pub header: ResponseHeader,
    pub id: i64,
    /// The granted TTL, in seconds.
    pub ttl: i64,
}

/// `Lease.LeaseRevoke`: ends a lease and deletes its keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseRevokeRequest {
    pub id: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseRevokeResponse {
    pub header: ResponseHeader,
}

/// `Lease.LeaseKeepAlive`: renews a lease. Each message on the stream requests one renewal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseKeepAliveRequest {
    pub id: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseKeepAliveResponse {
    pub header: ResponseHeader,
    pub id: i64,
    /// The renewed TTL, in seconds; 0 if the lease does not exist.
    pub ttl: i64,
}

/// `Lease.LeaseTimeToLive`: returns the remaining time of a lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseTimeToLiveRequest {
    pub id: i64,
    /// Also return the keys attached to the lease.
    pub keys: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseTimeToLiveResponse {
    pub header: ResponseHeader,
    pub id: i64,
    /// The remaining time in whole seconds; -1 if the lease does not exist.
    pub ttl: i64,
    /// The granted TTL, in seconds.
    pub granted_ttl: i64,
    /// The keys attached to the lease, if the client requested them.
    pub keys: Vec<Bytes>,
}

/// `Lease.LeaseLeases`: lists all leases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseLeasesRequest {}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseLeasesResponse {
    pub header: ResponseHeader,
    /// The IDs of the leases, ordered by expiry, the earliest first.
    pub leases: Vec<i64>,
}
