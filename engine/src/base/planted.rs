//! Deliberate faults in the engine. A test enables ("plants") one fault to prove that a checker detects it.
//!
//! Each guarantee to watches and to clients of API servers has a fault that breaks it. So has each rule of raft that a
//! disk or a network can break. One more fault damages the database file.
//!
//! A checker that has never found a fault proves little. So `engine/tests/mutations.rs` plants each fault, and expects
//! the checker of the broken guarantee to find it. Without the feature `planted-bugs`, no fault can be planted:
//! [`Planted::is`] is always false, and the compiler removes the faults from the page.

/// A fault that a test can plant. The comment on each variant gives the broken guarantee, the fault, and the function
/// that contains the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlantedBug {
    /// Ordered: a sync pass sends a batch with the newest event first (`WatchableStore::catch_up`).
    NewestFirst,
    /// Unique: after the batch of a victim (a watcher whose channel was full), the sync pass sends the last revision of
    /// the batch again (`WatchableStore::sync_victims`).
    LastOnceMore,
    /// Atomic: the changes of a transaction are sent one by one (`WatchableStore::send`).
    OneByOne,
    /// Reliable: events are dropped if the channel is full (`WatchableStore::notify`).
    DropsWhenFull,
    /// Resumable: a client resumes one revision too late (`WatchGrpcStream::resume`).
    ResumesTooLate,
    /// Bookmarkable: a progress notification is sent although not all watchers are synced
    /// (`WatchableStore::progress_if_synced`).
    ProgressUnasked,
    /// PrevKv: the previous row is read at the event's own revision (`WatchableStore::prev_kv`).
    ReadsTooLate,
    /// IsCreate: a key's second generation continues the versions of the first generation (`WriteTxn::first_version`).
    VersionGoesOn,
    /// Filter: a sync pass also sends events that the watch filters out (`WatchableStore::send`).
    SweepsUnfiltered,
    /// Database file: a commit writes its meta page before its other pages, without a sync in between
    /// (`Disk::commit_until_crash`).
    MetaBeforePages,
    /// ConsistentList: a consistent list is served from the cache without waiting until the cache is fresh
    /// (`ApiServer::begin_wait`).
    ReadsWithoutWaiting,
    /// TrueList: the last object of a list is omitted (`ApiServer::answer_list`).
    ListsTooLittle,
    /// Reliable, for API servers: updates of objects are dropped (`ApiServer::spoil`).
    DropsUpdates,
    /// Ordered, for API servers: several events are sent with the newest event first (`ApiServer::spoil`).
    SendsNewestFirst,
    /// Bookmarkable, for API servers: a bookmark contains a resource version that the watch has not reached
    /// (`ApiServer::spoil`).
    BookmarksTooFar,
    /// Raft: a leader commits its own entries without waiting for a quorum (`RaftNode::commit_by_quorum`).
    CommitsBeforeQuorum,
    /// Raft: a leader serves a read without asking a quorum whether it is still the leader (`RaftNode::begin_read`).
    ReadsUnconfirmed,
    /// Raft: a node sends votes and acknowledgements before its disk has synced (`RaftNode::take_messages`).
    AcknowledgesBeforeSync,
    /// Raft: committed entries are delivered with the newest entry first (`RaftNode::deliver`).
    AppliesOutOfOrder,
}

/// The fault that a test has planted, if any.
///
/// ```
/// use watchglass_engine::base::planted::{Planted, PlantedBug};
/// assert!(!Planted::default().is(PlantedBug::OneByOne));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Planted {
    #[cfg(feature = "planted-bugs")]
    bug: Option<PlantedBug>,
}

impl Planted {
    /// Creates the value with this fault planted.
    #[cfg(feature = "planted-bugs")]
    pub fn one(bug: PlantedBug) -> Self {
        Self { bug: Some(bug) }
    }

    /// Returns true if this fault is planted.
    #[cfg(feature = "planted-bugs")]
    pub fn is(self, bug: PlantedBug) -> bool {
        self.bug == Some(bug)
    }

    /// Returns false: without the feature `planted-bugs`, no fault is planted.
    #[cfg(not(feature = "planted-bugs"))]
    pub fn is(self, _: PlantedBug) -> bool {
        false
    }
}
