//! Leases: keys that exist only as long as a client renews their lease.
//!
//! Mirrors `server/lease`. Only the lessor on the raft leader is primary, and only a primary lessor counts time. The
//! lessor stores the keys that are attached to each lease, but does not delete keys. The member that owns the lessor
//! revokes expired leases.

pub mod lessor;

pub use lessor::{Lease, LeaseError, Lessor};
