//! A row of the bucket `lease`: the key is the lease's id, the value is a `leasepb.Lease` in protobuf encoding.
//!
//! Mirrors `server/lease/leasepb/lease.proto` and `schema/lease.go`. The protobuf fields are ID (1), TTL (2) and
//! RemainingTTL (3).

use crate::base::Bytes;
use crate::base::proto::row;

/// The part of a lease that the database stores. etcd does not store the expiry time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseRow {
    pub id: i64,
    pub ttl_s: i64,
    /// The remaining time at the last checkpoint in seconds, or 0 without a checkpoint.
    pub remaining_ttl_s: i64,
}

impl LeaseRow {
    pub fn key(id: i64) -> Bytes {
        Bytes::from(&id.to_be_bytes()[..])
    }
}

row! {
    LeaseRow { id = 1, ttl_s = 2, remaining_ttl_s = 3 }
}
