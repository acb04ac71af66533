//! The vocabulary of what can happen.

use crate::api::EtcdError;
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::NodeId;
use crate::base::time::SimTime;

use super::kube::KubeTrace;
use super::lease::LeaseTrace;
use super::watch::{ClientTrace, NetTrace, WatchTrace};

/// The number of an event; later events have greater numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u64);

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number.
    pub id: EventId,
    /// When.
    pub at: SimTime,
    /// The step of the world, from 1.
    pub step: u64,
    /// The node that acted, sent the message or received it; `None` for an event of the whole world.
    pub node: Option<NodeId>,
    /// The event that caused this event, if any.
    pub cause: Option<EventId>,
    /// What.
    pub what: TraceEvent,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A request reached the member.
    Received {
        /// The service's method, e.g. `Put`.
        method: &'static str,
        /// The revision a range request asks for; 0 for the newest, and for everything else.
        revision: i64,
    },
    /// A proposal went through raft and is about to be applied.
    Applied {
        /// Its raft index.
        index: u64,
    },
    /// A range was read.
    Read {
        /// Which keys.
        range: KeyRange,
        /// At which revision.
        revision: i64,
        /// How many keys were alive there.
        count: i64,
        /// How many of them were returned; none when only the count was asked for.
        returned: Option<i64>,
        /// The first key returned; enough for a sentence.
        first: Option<FirstRead>,
    },
    /// The compares of a transaction were evaluated.
    Compared {
        /// How many there were, nested ones included.
        compares: u32,
        /// Whether the outermost ones all held.
        succeeded: bool,
    },
    /// A key was changed.
    Changed {
        /// The transaction.
        main: i64,
        /// The change inside it.
        sub: i64,
        /// What kind of change.
        kind: ChangeKind,
        /// The key.
        key: Bytes,
        /// The value; empty for a delete.
        value: Bytes,
        /// The key's version after it; 0 for a delete.
        version: i64,
        /// The lease the key hangs on after it, or 0.
        lease: i64,
        /// The place of its generation in the index; above 0 an earlier life is still known.
        generation: u32,
        /// Changes that its generation has seen with this one.
        generation_ver: i64,
    },
    /// A write transaction ended and the store's revision advanced.
    Committed {
        /// The new revision.
        revision: i64,
        /// How many changes it has.
        changes: u32,
    },
    /// A write transaction ended without a change: the revision stays.
    NothingChanged {
        /// The revision.
        revision: i64,
    },
    /// The compact revision was raised; rows are still to be removed.
    CompactionScheduled {
        /// The oldest readable revision from now on.
        revision: i64,
    },
    /// The member's compactor came to its time.
    AutoCompaction {
        /// The revision that it compacts at, if it does.
        revision: Option<i64>,
        /// The revision that it notes.
        current: i64,
    },
    /// A physical compaction waits until the rows of the jobs before it are gone.
    CompactionWaits,
    /// A batch of a compaction was done.
    CompactionBatch {
        /// The compaction.
        revision: i64,
        /// Rows looked at.
        scanned: u32,
        /// The rows removed, by main and sub.
        removed: Vec<(i64, i64)>,
    },
    /// The last batch of a compaction was done.
    CompactionFinished {
        /// The compaction.
        revision: i64,
    },
    /// A backup took the place of what was stored.
    Restored {
        /// The revision that it was made at.
        backup: i64,
        /// The revision now: the same unless it was raised.
        revision: i64,
        /// The oldest readable revision, or -1.
        compacted: i64,
    },
    /// The database reached its quota: the alarm is raised.
    NoSpaceRaised {
        /// Bytes of the database.
        size: u64,
        /// The quota in bytes.
        quota: u64,
    },
    /// The alarm was disarmed.
    NoSpaceDisarmed,
    /// The database was written into a new file.
    Defragmented {
        /// Bytes of the database before, and of the pages in use.
        before: (i64, i64),
        /// The same after it.
        after: (i64, i64),
    },
    /// The history was hashed.
    Hashed {
        /// Up to which revision.
        revision: i64,
        /// CRC-32C.
        hash: u32,
    },
    /// Something happened to a lease.
    Lease(LeaseTrace),
    /// A request was refused.
    Refused {
        /// Why.
        error: EtcdError,
    },
    /// An answer left the member.
    Replied,
    /// Time passed because somebody wanted it to.
    TimePassed {
        /// How much, in microseconds.
        duration_us: u64,
    },
    /// Something happened to a watcher.
    Watch(WatchTrace),
    /// Something happened between nodes.
    Net(NetTrace),
    /// Something happened to a client.
    Client(ClientTrace),
    /// Something happened to an API server, or to one of its clients.
    Kube(KubeTrace),
}

/// The first key that a read returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRead {
    /// The key.
    pub key: Bytes,
    /// When it was written.
    pub mod_revision: i64,
    /// Its value, unless only keys were asked for.
    pub value: Option<Bytes>,
}

/// What kind of change a key saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The first put of a generation.
    Create,
    /// A put on a live key.
    Update,
    /// A tombstone.
    Delete,
}
