//! Deliberate faults in the engine. A test enables ("plants") one fault to prove that a checker detects it.
//!
//! Each guarantee to watches and to clients of API servers has a fault that breaks it. Each rule of raft that a disk or
//! a network can break also has such a fault. One more fault damages the database file.
//!
//! A checker that has never found a fault proves little. So `engine/tests/mutations.rs` plants each fault, and expects
//! the checker of the broken guarantee to find it. Without the feature `planted-bugs`, no fault can be planted:
//! [`Planted::is`] is always false, and the compiler removes the faults from the page.

#[cfg(feature = "planted-bugs")]
use super::digest::Sparse;

/// A fault that a test can plant. The comment on each variant gives the broken guarantee, the fault, and the function
/// that contains the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlantedBug {
    /// Breaks the guarantee *Ordered*: a sync pass sends a batch with the newest event first
    /// (`WatchableStore::send`).
    NewestFirst,
    /// Breaks the guarantee *Unique*: after the batch of a victim (a watcher whose channel was full), the sync pass
    /// sends the last revision of the batch again (`WatchableStore::send`).
    LastOnceMore,
    /// Breaks the guarantee *Atomic*: the changes of a transaction are sent one by one (`WatchableStore::send`).
    OneByOne,
    /// Breaks the guarantee *Reliable*: events are dropped if the channel is full (`WatchableStore::send`).
    DropsWhenFull,
    /// Breaks the guarantee *Resumable*: a client resumes its watches one revision too late
    /// (`WatchGrpcStream::resume`).
    ResumesTooLate,
    /// Breaks the guarantee *Bookmarkable*: a progress notification is sent although not all watchers are synced
    /// (`WatchableStore::reports_early`).
    ProgressUnasked,
    /// Breaks the guarantee *PrevKv*: the previous row in an event is read at the revision of the event itself
    /// (`WatchableStore::rev_before`).
    ReadsTooLate,
    /// Breaks the guarantee *IsCreate*: the second generation of a key continues the versions of the first generation
    /// (`WriteTxn::first_version`).
    VersionGoesOn,
    /// Breaks the guarantee *Filter*: a sync pass also sends events that the watch filters out
    /// (`WatchableStore::send`).
    SyncPassesUnfiltered,
    /// Damages the database file: a commit writes its meta page before its other pages, without a sync in between
    /// (`Disk::commit_until_crash`).
    MetaBeforePages,
    /// Breaks the guarantee *ConsistentList*: a consistent list is served from the cache without waiting until the
    /// cache is fresh (`ApiServer::begin_wait`).
    ReadsWithoutWaiting,
    /// Breaks the guarantee *ConsistentList*: the API server omits the last object of a list
    /// (`ApiServer::answer_list`).
    ListsTooLittle,
    /// Breaks the guarantee *Reliable* of API servers: updates of objects are dropped (`ApiServer::spoil`).
    DropsUpdates,
    /// Breaks the guarantee *Ordered* of API servers: several events are sent with the newest event first
    /// (`ApiServer::spoil`).
    SendsNewestFirst,
    /// Breaks the guarantee *Bookmarkable* of API servers: a bookmark contains a resource version that the watch has
    /// not reached (`ApiServer::spoil`).
    BookmarksTooFar,
    /// Breaks a rule of raft: a leader commits its own entries without waiting for a quorum
    /// (`RaftNode::counted_members`).
    CommitsBeforeQuorum,
    /// Breaks a rule of raft: a leader serves a read without asking a quorum whether it is still the leader
    /// (`RaftNode::serves_unconfirmed`).
    ReadsUnconfirmed,
    /// Breaks a rule of raft: a node sends votes and acknowledgements before its disk has synced
    /// (`RaftNode::take_messages`).
    AcknowledgesBeforeSync,
    /// Breaks a rule of raft: committed entries are delivered with the newest entry first (`RaftNode::deliver`).
    AppliesOutOfOrder,
    /// Breaks a rule of raft: after changes of the members, a leader commits entries with a quorum of the first members
    /// (`RaftNode::counted_members`).
    CommitsWithOldQuorum,
    /// Breaks a rule of raft: a leader appends a change of the members before it has applied the previous change
    /// (`RaftNode::changes_twice`).
    ChangesTwice,
    /// Breaks a rule of raft: the acknowledgement of a learner takes the place of a voter's acknowledgement
    /// (`RaftNode::counted_members`).
    CountsLearners,
}

/// The fault that a test has planted, if any. Without a planted fault, the digest of a world does not depend on the
/// feature `planted-bugs`.
///
/// ```
/// use watchglass_engine::base::planted::{Planted, PlantedBug};
/// assert!(!Planted::default().is(PlantedBug::OneByOne));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Planted {
    #[cfg(feature = "planted-bugs")]
    bug: Sparse<Option<PlantedBug>>,
}

impl Planted {
    #[cfg(feature = "planted-bugs")]
    pub fn one(bug: PlantedBug) -> Self {
        Self {
            bug: Sparse(Some(bug)),
        }
    }

    #[cfg(feature = "planted-bugs")]
    pub fn is(self, bug: PlantedBug) -> bool {
        *self.bug == Some(bug)
    }

    /// Returns false: without the feature `planted-bugs`, no fault is planted.
    #[cfg(not(feature = "planted-bugs"))]
    pub fn is(self, _: PlantedBug) -> bool {
        false
    }
}
