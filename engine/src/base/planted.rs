//! Faults that a test can plant: one for each promise to watches and to clients of API servers, and one for the
//! database file.
//!
//! A checker that never finds anything proves little: `engine/tests/mutations.rs` plants each of
//! these and expects the checker of its name to find it. Without the feature `planted-bugs` there
//! is no way to plant one, every question is answered with no at compile time, and nothing of this
//! is left in the page.

/// A planted fault and its place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlantedBug {
    /// Ordered: a sweep sends a batch newest first (`WatchableStore::catch_up`).
    NewestFirst,
    /// Unique: after a victim's batch, the sweep sends its last revision again
    /// (`WatchableStore::sync_victims`).
    LastOnceMore,
    /// Atomic: the changes of a transaction go out one by one (`WatchableStore::send`).
    OneByOne,
    /// Reliable: what finds the channel full is dropped (`WatchableStore::notify`).
    DropsWhenFull,
    /// Resumable: a client asks for the revision after the next one (`WatchGrpcStream::resume`).
    ResumesTooLate,
    /// Bookmarkable: progress is told without asking who is synced
    /// (`WatchableStore::progress_if_synced`).
    ProgressUnasked,
    /// PrevKv: the row is read at the event's own revision (`WatchableStore::prev_kv`).
    ReadsTooLate,
    /// IsCreate: a key's second life goes on with the versions of the first (`WriteTxn::put`).
    VersionGoesOn,
    /// Filter: a sweep sends what was filtered out as well (`WatchableStore::send`).
    SweepsUnfiltered,
    /// A commit writes its meta page before its pages, without a sync between them (`Disk::commit_until_crash`).
    MetaBeforePages,
    /// ConsistentList: a consistent list is served from the cache as it is (`ApiServer::wait`).
    ReadsWithoutWaiting,
    /// TrueList: the last object of a list is left out (`ApiServer::answer_list`).
    ListsTooLittle,
    /// Reliable, of an API server: updates of objects are dropped (`ApiServer::send_events`).
    DropsUpdates,
    /// Ordered, of an API server: several events are sent newest first (`ApiServer::send_events`).
    SendsNewestFirst,
    /// Bookmarkable, of an API server: a bookmark says more than is known
    /// (`ApiServer::send_events`).
    BookmarksTooFar,
}

/// The fault that was planted, if any.
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
    /// A planted fault.
    #[cfg(feature = "planted-bugs")]
    pub fn one(bug: PlantedBug) -> Self {
        Self { bug: Some(bug) }
    }

    /// Whether this fault is planted.
    #[cfg(feature = "planted-bugs")]
    pub fn is(self, bug: PlantedBug) -> bool {
        self.bug == Some(bug)
    }

    /// Always false: no fault is planted.
    #[cfg(not(feature = "planted-bugs"))]
    pub fn is(self, _: PlantedBug) -> bool {
        false
    }
}
