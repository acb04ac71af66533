//! etcd's guarantees about watches, with one checker for each guarantee.
//!
//! Mirrors `tests/robustness/validate/watch.go`, which reads a client's log after a test. Here the checkers follow the
//! trace, so that the indicator of a guarantee (its lamp) goes out in the step that breaks the guarantee. To determine
//! the committed changes ([`truth`]) and the changes that each watch must receive ([`lane`]), the checkers read only
//! the trace, because the store may be wrong.
//!
//! ```
//! use watchglass_engine::observe::guarantees::{Guarantee, GuaranteeState};
//! use watchglass_engine::session::Session;
//! let mut session = Session::default();
//! for line in ["watch a as w1", "put a 1", "put a 2", "recv w1"] {
//!     session.exec(line);
//! }
//! let run = session.run();
//! let verdict = run.guard().verdict(Guarantee::Ordered, run.len());
//! assert_eq!((verdict.state, verdict.detail.as_str()), (GuaranteeState::Holds, "by revision"));
//! // Before the first event the guarantee is not exercised.
//! assert_eq!(run.guard().verdict(Guarantee::Ordered, 1).state, GuaranteeState::Idle);
//! ```

mod content;
mod delivery;
mod gaps;
pub mod guard;
mod lane;
mod order;
mod truth;
mod watched;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use guard::Guard;
pub use truth::{CommittedChange, CommittedRow};

use crate::words::guarantees as words;

/// A guarantee to watches, named as in etcd's documentation and tests.
///
/// ```
/// use watchglass_engine::observe::guarantees::Guarantee;
/// let names: Vec<&str> = Guarantee::ALL.iter().map(|g| g.name()).collect();
/// assert_eq!(names.join(" "), "Ordered Unique Atomic Reliable Resumable Bookmarkable PrevKv IsCreate Filter");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guarantee {
    /// Events arrive in the order of their revisions.
    Ordered,
    /// No event arrives twice.
    Unique,
    /// All events of a revision arrive together.
    Atomic,
    /// No event is missing.
    Reliable,
    /// A disconnected watch resumes without a gap.
    Resumable,
    /// A progress notification follows all events up to its revision.
    Bookmarkable,
    /// prev_kv is the value immediately before the event.
    PrevKv,
    /// A create event starts a generation of its key.
    IsCreate,
    /// No event outside the range or filters of the watch arrives.
    Filter,
}

impl Guarantee {
    /// All guarantees, in the order in which the page shows them.
    pub const ALL: [Self; 9] = [
        Self::Ordered,
        Self::Unique,
        Self::Atomic,
        Self::Reliable,
        Self::Resumable,
        Self::Bookmarkable,
        Self::PrevKv,
        Self::IsCreate,
        Self::Filter,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ordered => words::ORDERED_NAME,
            Self::Unique => words::UNIQUE_NAME,
            Self::Atomic => words::ATOMIC_NAME,
            Self::Reliable => words::RELIABLE_NAME,
            Self::Resumable => words::RESUMABLE_NAME,
            Self::Bookmarkable => words::BOOKMARKABLE_NAME,
            Self::PrevKv => words::PREV_KV_NAME,
            Self::IsCreate => words::IS_CREATE_NAME,
            Self::Filter => words::FILTER_NAME,
        }
    }

    /// Returns one sentence that states the guarantee.
    pub fn promise(self) -> &'static str {
        match self {
            Self::Ordered => words::ORDERED,
            Self::Unique => words::UNIQUE,
            Self::Atomic => words::ATOMIC,
            Self::Reliable => words::RELIABLE,
            Self::Resumable => words::RESUMABLE,
            Self::Bookmarkable => words::BOOKMARKABLE,
            Self::PrevKv => words::PREV_KV,
            Self::IsCreate => words::IS_CREATE,
            Self::Filter => words::FILTER,
        }
    }

    /// Returns the short text that the page shows beside a guarantee that holds.
    fn kept(self) -> &'static str {
        match self {
            Self::Ordered => words::ORDERED_HOLDS,
            Self::Unique => words::UNIQUE_HOLDS,
            Self::Atomic => words::ATOMIC_HOLDS,
            Self::Reliable => words::RELIABLE_HOLDS,
            Self::Resumable => words::RESUMABLE_HOLDS,
            Self::Bookmarkable => words::BOOKMARKABLE_HOLDS,
            Self::PrevKv => words::PREV_KV_HOLDS,
            Self::IsCreate => words::IS_CREATE_HOLDS,
            Self::Filter => words::FILTER_HOLDS,
        }
    }

    /// Returns the short text that the page shows beside a guarantee that is not exercised yet.
    fn idle(self) -> &'static str {
        match self {
            Self::Ordered
            | Self::Unique
            | Self::Atomic
            | Self::Reliable
            | Self::IsCreate
            | Self::Filter => words::NO_EVENT_YET,
            Self::Resumable => words::NO_WATCH_BROKE_YET,
            Self::Bookmarkable => words::NO_PROGRESS_YET,
            Self::PrevKv => words::PREV_KV_NOT_USED_YET,
        }
    }

    fn place(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The verdict on a guarantee as of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuaranteeVerdict {
    pub guarantee: Guarantee,
    pub state: GuaranteeState,
    /// A short text for the page: how the guarantee holds, or which watch is at its limit or broke the guarantee.
    pub detail: String,
    /// One sentence that states the guarantee, and the cause of the first breach, if any.
    pub explain: String,
    /// The step of the first breach.
    pub step: Option<u64>,
    /// The known etcd bug that explains the breach, if any.
    pub known: Option<Known>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuaranteeState {
    /// The run has not exercised the guarantee yet.
    #[default]
    Idle,
    Holds,
    /// The guarantee holds, but a watch is at its limit: the watch is disconnected, and its next revision is compacted.
    Near,
    Broken,
}

/// Known etcd bugs that break a guarantee. The simulator reproduces the bugs of the simulated version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Known {
    /// Before 3.4.25 and 3.5.8, etcd responded to a progress request immediately, even if events were in flight. A
    /// client that resumes at the revision in the response may miss these events.
    HastyProgress,
    /// Before 3.4.34 and 3.5.16, a compaction at the revision of a delete removed the delete, although a watch may
    /// start at that revision.
    CompactedDelete,
    /// Before 3.4.31 and 3.5.13, a watcher that a compaction overtook silently skipped revisions if the watcher's
    /// channel was full.
    PassedOver,
    /// Before 3.4.38, 3.5.24 and 3.6.6, a sync pass read nothing for any watcher if one watcher started at revision -1.
    NegativeStart,
    /// After a backup is restored, etcd reuses revisions: new changes get revisions that other changes had before the
    /// restore.
    TakenBack,
    /// Before 3.4.24 and 3.5.8, the client library resumed a watch at the revision of the last progress notification.
    ProgressRepeated,
    /// Before 3.6.2, a snapshot of the leader lowered the start revision of watchers that wait for a future revision.
    LoweredStart,
    /// After a snapshot of the leader, etcd cancels a watch as compacted if the watch has had no events since the
    /// compaction, although the watch has received everything.
    IdleAtSnapshot,
}

impl Known {
    /// Describes the bug in one sentence, with its issue number.
    pub fn text(self) -> &'static str {
        match self {
            Self::HastyProgress => words::HASTY_PROGRESS,
            Self::PassedOver => words::PASSED_OVER,
            Self::NegativeStart => words::NEGATIVE_START,
            Self::TakenBack => words::TAKEN_BACK,
            Self::IdleAtSnapshot => words::IDLE_AT_SNAPSHOT,
            Self::ProgressRepeated => words::PROGRESS_REPEATED,
            Self::LoweredStart => words::LOWERED_START,
            Self::CompactedDelete => words::COMPACTED_DELETE,
        }
    }
}

/// A breach of a guarantee: the first breach that a particular known etcd bug explains, or the first breach that no
/// known bug explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub guarantee: Guarantee,
    pub step: u64,
    /// The watch that received the response.
    pub watch: Arc<str>,
    pub revision: i64,
    /// The breach, in one sentence.
    pub what: String,
    /// The known etcd bug that explains the breach, if any.
    pub known: Option<Known>,
}

/// A breach of a guarantee that a checker found in a response.
#[derive(Clone, Debug)]
struct Finding {
    revision: i64,
    what: String,
    known: Option<Known>,
}
