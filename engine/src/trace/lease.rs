//! What can happen to leases.

use crate::base::Bytes;
use crate::base::time::SimTime;

/// Something that happened to a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseTrace {
    /// One was granted.
    Granted {
        /// Its id.
        id: i64,
        /// The TTL that was asked for, in seconds.
        asked_s: i64,
        /// The one it has.
        ttl_s: i64,
        /// When it expires unless it is kept alive.
        expiry: SimTime,
    },
    /// One was kept alive.
    Renewed {
        /// Its id.
        id: i64,
        /// The TTL it has again, in seconds.
        ttl_s: i64,
        /// When it expires now.
        expiry: SimTime,
    },
    /// One that was to be kept alive is not there.
    Missing {
        /// Its id.
        id: i64,
    },
    /// One that was to be kept alive has expired: the answer waits until it is revoked.
    RenewalWaits {
        /// Its id.
        id: i64,
    },
    /// A key hangs on another one than before.
    OfKey {
        /// Which key.
        key: Bytes,
        /// The lease it hung on, 0 for none.
        before: i64,
        /// The one it hangs on now, 0 for none.
        after: i64,
    },
    /// Expired ones were looked for.
    Looked {
        /// How many are revoked now.
        expired: u32,
        /// Whether there are more, which wait for the next look.
        more: bool,
    },
    /// What is left of long ones went through the raft log, so that a new leader knows it.
    Checkpointed {
        /// One of them.
        first: i64,
        /// What is left of that one, in seconds.
        remaining_s: i64,
        /// How many there are in one entry.
        leases: u32,
    },
    /// One was revoked; the deletes of its keys follow.
    Revoked {
        /// Its id.
        id: i64,
        /// How many keys hung on it.
        keys: u32,
        /// Because it has expired; otherwise somebody asked for it.
        expired: bool,
    },
}
