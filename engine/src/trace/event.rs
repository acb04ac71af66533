//! Trace events: the events that a run reports.

use std::sync::Arc;

use crate::api::log_entry::MemberChange;
use crate::api::{EtcdError, RangeRequest};
use crate::base::Bytes;
use crate::base::bytes::KeyRange;
use crate::base::ids::NodeId;
use crate::base::time::SimTime;

use super::kube::KubeTrace;
use super::lease::LeaseTrace;
use super::qos::QosTrace;
use super::watch::{ClientTrace, NetTrace, WatchTrace};

/// The number of an event; later events have greater numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u64);

/// An event of the trace: something that happened in a step of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: EventId,
    pub at: SimTime,
    /// The step of the world, from 1.
    pub step: u64,
    /// The node that acted, sent the message or received it; `None` for an event of the whole world.
    pub node: Option<NodeId>,
    pub cause: Option<EventId>,
    pub what: TraceEvent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    Received {
        /// The service's method, e.g. `Put`.
        method: &'static str,
        /// The requested revision of a range request. 0 for a range request that asks for the newest revision, and for
        /// requests of all other methods.
        revision: i64,
    },
    /// Raft committed a proposal, and the member is about to apply it.
    Applied {
        /// The raft index of the proposal.
        index: u64,
    },
    Read {
        range: KeyRange,
        revision: i64,
        /// The number of keys in the range at that revision.
        count: i64,
        /// The number of returned keys; `None` if the request asks only for the count.
        returned: Option<i64>,
        /// The first returned key with its value, for the text about the read.
        first: Option<FirstRead>,
        /// The request, if a limit or a filter leaves out some of the keys.
        partial_request: Option<Arc<RangeRequest>>,
    },
    /// A member sends a chunk of a streamed range. A `Read` precedes the last chunk.
    RangeChunk {
        revision: i64,
        rows: u64,
    },
    /// A member stops a read between two rows, because the client waits for no response any more.
    ReadAbandoned,
    Compared {
        /// The number of compares, including nested compares.
        compares: u32,
        /// Whether all compares of the outermost transaction succeeded.
        succeeded: bool,
    },
    Changed {
        /// The main revision, which all changes of a transaction share.
        main: i64,
        /// The sub-revision, which is the index of the change in the transaction.
        sub: i64,
        kind: ChangeKind,
        key: Bytes,
        /// The value; empty for a delete.
        value: Bytes,
        /// The version of the key after the change; 0 for a delete.
        version: i64,
        /// The lease of the key after the change, or 0.
        lease: i64,
        /// The position of the key's generation among the generations in the key index, from 0. The position is greater
        /// than 0 only if the index still contains an earlier generation.
        generation: u32,
        /// The number of changes in the generation, including this change.
        generation_ver: i64,
    },
    /// A write transaction ended and the store's revision advanced.
    Committed {
        revision: i64,
        changes: u32,
    },
    /// A write transaction ended without a change; the revision stays the same.
    NothingChanged {
        revision: i64,
    },
    /// The compact revision was raised. The member removes the rows later.
    CompactionScheduled {
        /// The new oldest readable revision.
        revision: i64,
    },
    /// The member's automatic compactor ran, and compacted the store or decided not to.
    AutoCompaction {
        /// The compact revision; `None` if the compactor decided not to compact.
        revision: Option<i64>,
        /// The store's current revision when the compactor ran.
        current: i64,
    },
    /// The response to a physical compaction waits until all queued compactions have removed their rows.
    CompactionWaits,
    CompactionBatch {
        revision: i64,
        scanned: u32,
        /// The removed rows, each as a main revision and a sub-revision.
        removed: Vec<(i64, i64)>,
    },
    CompactionFinished {
        revision: i64,
    },
    /// A backup replaced the store.
    Restored {
        backup: i64,
        /// The revision after the restore: the backup's revision, or a greater revision if the restore raised it.
        revision: i64,
        /// The oldest readable revision, or -1.
        compacted: i64,
    },
    /// The database reached its quota, so the member raised the alarm NOSPACE.
    NoSpaceRaised {
        /// The size of the database in bytes.
        size: u64,
        /// The quota in bytes.
        quota: u64,
    },
    /// etcd QoS, a proposal, made a decision on a request, or a QoS class or rule changed.
    Qos(QosTrace),
    NoSpaceDisarmed,
    Defragmented {
        /// Before the defragmentation, in bytes: the size of the database, and the size of its pages in use.
        before: (i64, i64),
        /// After the defragmentation, in bytes: the size of the database, and the size of its pages in use.
        after: (i64, i64),
    },
    Hashed {
        revision: i64,
        /// The hash, a CRC-32C.
        hash: u32,
    },
    Lease(LeaseTrace),
    Refused {
        error: EtcdError,
    },
    Replied,
    /// Simulated time passed because of a command.
    TimePassed {
        duration_us: u64,
    },
    Watch(WatchTrace),
    /// Something happened to a message between nodes.
    Net(NetTrace),
    Client(ClientTrace),
    /// Something happened to an API server or to a client of API servers.
    Kube(KubeTrace),
    /// The next events are the changes that the follower did not have.
    SnapshotInstalled {
        index: u64,
        revision: i64,
    },
    /// A change of the membership took effect on the member.
    MembersChanged(Arc<MemberChange>),
}

/// The first key that a read returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRead {
    pub key: Bytes,
    pub mod_revision: i64,
    /// The value, unless the request asks only for keys.
    pub value: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    Create,
    Update,
    Delete,
}
