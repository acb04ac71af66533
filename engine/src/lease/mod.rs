//! Leases: keys that live as long as somebody keeps them alive.
//!
//! Mirrors `server/lease`. A lessor counts time only as primary, that is on the raft leader. It
//! knows which keys hang on which lease, but deletes nothing itself: whoever owns it revokes what
//! has expired.

pub mod lessor;

pub use lessor::{Lease, LeaseError, Lessor};
