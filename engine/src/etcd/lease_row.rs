//! A row of the `lease` bucket: `leasepb.Lease` in protobuf's binary form, under the id.
//!
//! Mirrors `server/lease/leasepb/lease.proto` and `schema/lease.go`: ID 1, TTL 2, RemainingTTL 3.

use crate::base::Bytes;
use crate::base::proto::row;

/// The stored part of a lease, without the expiry time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseRow {
    /// The id.
    pub id: i64,
    /// The TTL in seconds.
    pub ttl_s: i64,
    /// The remaining time at the last checkpoint, in seconds; 0 without a checkpoint.
    pub remaining_ttl_s: i64,
}

impl LeaseRow {
    /// The key of a lease's row.
    pub fn key(id: i64) -> Bytes {
        Bytes::from(&id.to_be_bytes()[..])
    }
}

row! {
    LeaseRow { id = 1, ttl_s = 2, remaining_ttl_s = 3 }
}
