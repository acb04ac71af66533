//! Trace events of leases.

use crate::base::Bytes;
use crate::base::time::SimTime;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseTrace {
    Granted {
        id: i64,
        /// The requested TTL, in seconds.
        asked_s: i64,
        ttl_s: i64,
        /// The expiry time, unless the lease is renewed.
        expiry: SimTime,
    },
    Renewed {
        id: i64,
        ttl_s: i64,
        expiry: SimTime,
    },
    /// A client asked to renew a lease that does not exist.
    Missing { id: i64 },
    /// A client asked to renew an expired lease; the response waits until the lease is revoked.
    RenewalWaits { id: i64 },
    /// A put or a delete changed the lease to which a key is attached.
    OfKey {
        key: Bytes,
        /// The previous lease; 0 if the key had no lease.
        before: i64,
        /// The new lease; 0 if the key has no lease.
        after: i64,
    },
    /// The member has checked whether leases have expired.
    Looked {
        /// The number of leases that are revoked now.
        expired: u32,
        /// Whether more leases have expired than one check revokes. If so, the remaining leases wait for the next
        /// check.
        more: bool,
    },
    /// An entry of the raft log recorded the remaining TTLs of long leases, so that a new leader knows them.
    Checkpointed {
        first: i64,
        /// The remaining TTL of the lease `first`, in seconds.
        remaining_s: i64,
        leases: u32,
    },
    /// A lease was revoked. The next events are the deletes of its keys.
    Revoked {
        id: i64,
        keys: u32,
        /// True if the lease expired; false if a client revoked the lease.
        expired: bool,
    },
}
