//! Kept runs: everything that was typed is there again after a reload, a crash or a closed tab.
//!
//! How keeping works:
//!
//! - **One run per source.** Each story, lesson, empty store, link and file has a slot ([`slot`]). The slot names the
//!   run that opening that source leads to. A run has an id of its own: *Start over* empties the slot, and the earlier
//!   run stays in the list of runs.
//! - **The base** is the text that the engine writes (`Source::Saved`). It is in IndexedDB ([`database`]), beside one
//!   record for the list ([`Meta`]). [`Meta::covers`] is the number of the last journal entry that the base holds.
//! - **The journal** ([`journal`]) is in localStorage, because only localStorage is written before the call returns.
//!   Each entry is a key of its own, written before its line is sent to the engine: a line or an undo, with the place
//!   at which it was typed. Once a base that covers an entry is committed the entry is removed; until then the next
//!   start replays it after the base. A crash in between does no harm: the next start skips entries that the base
//!   covers. Until the first commit the journal also holds what the run began with ([`journal::Head`]).
//! - **Replay.** A start loads the base and sends the entries one at a time, each after the response to the one before.
//! - **A line that stops the engine is set aside**: it stays in the journal, is shown, and is not replayed. The rule:
//!   the page noticed the engine's death while the line was the oldest one without a response; or an earlier start
//!   began to replay the line and did not finish. The second case is known by the *attempt* mark in localStorage. The
//!   mark is written before a replayed line is sent, and removed with its response or when the page is left while the
//!   engine still sends messages. A line whose response had not come when the tab was closed has no mark: it is
//!   replayed, once.
//! - **A base that could not be opened** is counted by the same mark: after two attempts that did not finish the run
//!   is opened only on request.
//! - **Two tabs.** A tab holds a Web Lock for its run ([`tabs`]); another tab that opens the run works on a copy
//!   with an id of its own. Beside the lock each run has an owner, a token in localStorage that is checked before
//!   every write: without locks the tab that opened the run last owns it, and the earlier one works on a copy.
//! - **The address names the run that is open**: by its source while the slot leads to it, else by `?run=ID`.
//!
//! The reducer decides all of that ([`crate::state::run`]); this folder stores and reads. Figures keep nothing: they
//! have no [`Keeper`].

pub(crate) mod database;
pub mod journal;
pub mod opening;
pub mod slot;
pub(crate) mod tabs;

use serde::{Deserialize, Serialize};
use watchglass_engine::session::protocol::{SeekTo, Source};

use crate::keep::opening::Opening;
use journal::{Aside, JournalEntry};

/// The identity of a kept run.
pub type RunId = String;

/// The entry of a run in the list of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The slot of the source; empty when unknown.
    pub slot: String,
    /// The title of the source.
    pub title: String,
    /// The user's name for the run; empty without a name.
    pub name: String,
    /// The time of the last save, in milliseconds since 1970.
    pub when_ms: u64,
    /// The number of texts typed into the run.
    pub typed: u64,
    /// The last journal entry that the base holds.
    pub covers: u64,
}

impl Meta {
    /// The name, or else the title.
    pub fn label(&self) -> &str {
        if self.name.is_empty() {
            &self.title
        } else {
            &self.name
        }
    }
}

/// A run read from storage.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// The id.
    pub id: RunId,
    /// The entry in the list of runs.
    pub meta: Meta,
    /// The source to load: the base, or the run's own source.
    pub base: Source,
    /// The position of the cursor after the load.
    pub at: SeekTo,
    /// Lines to replay, oldest first.
    pub entries: Vec<JournalEntry>,
    /// Lines that are set aside.
    pub asides: Vec<Aside>,
    /// Earlier attempts to load the base that did not finish.
    pub attempts: u32,
    /// The run is open in another tab: this one works on a copy.
    pub is_elsewhere: bool,
}

/// The run that the page opens.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// The run that was open last, or else the story.
    Last,
    /// The kept run of that source, or else the source.
    Source {
        /// The source.
        source: Source,
        /// The position of the cursor when nothing is kept.
        at: SeekTo,
    },
    /// That run.
    Run(RunId),
}

impl From<Opening> for Wanted {
    fn from(Opening { source, at }: Opening) -> Self {
        Wanted::Source { source, at }
    }
}

/// The result of the search in storage.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A kept run.
    Kept(Box<KeptRun>),
    /// Nothing is kept.
    Nothing,
    /// Something is kept, but this browser does not let the page read it now.
    Unreadable,
}

/// One line of the list of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCard {
    /// The run.
    pub id: RunId,
    /// The entry in the list of runs.
    pub meta: Meta,
    /// The time of the last save, in the reader's format.
    pub when: String,
}

/// The operations on kept runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Keep {
    /// Look for this; answered by [`crate::state::Action::Found`] with that number.
    Find {
        /// The number.
        number: u32,
        /// What.
        wanted: Wanted,
    },
    /// From now on this run is kept: what it begins with is in the journal until the first base is committed.
    Begin {
        /// The run.
        id: RunId,
        /// The entry in the list of runs.
        meta: Meta,
        /// The source of the run.
        base: Source,
        /// The position of the cursor.
        at: SeekTo,
    },
    /// The run is open: it is the last one, its slot leads to it unless the slot has another, and the address names it.
    Opened {
        /// The run.
        id: RunId,
        /// The entry in the list of runs.
        meta: Meta,
    },
    /// An unkept run of that slot is open: the address names its source.
    OpenedFresh {
        /// The slot.
        slot: Option<String>,
    },
    /// Write journal entries.
    Write {
        /// The run.
        id: RunId,
        /// The entries.
        entries: Vec<JournalEntry>,
    },
    /// These entries are not to be replayed.
    Drop {
        /// The run.
        id: RunId,
        /// The numbers of the entries.
        numbers: Vec<u64>,
    },
    /// A line is set aside, in place of its entry if it has one.
    SetAside {
        /// The run.
        id: RunId,
        /// The line.
        aside: Aside,
    },
    /// A replay starts.
    Attempt {
        /// The run.
        id: RunId,
        /// The part that is replayed.
        attempt: journal::Attempt,
    },
    /// The replay finished.
    AttemptDone {
        /// The run.
        id: RunId,
    },
    /// Keep this base.
    Base {
        /// The run.
        id: RunId,
        /// The entry in the list of runs; `when_ms` is filled in.
        meta: Meta,
        /// The text.
        text: String,
    },
    /// The slot leads to no run any more.
    Detach {
        /// The slot.
        slot: String,
    },
    /// The run is not open in this tab any more.
    Leave {
        /// The run.
        id: RunId,
    },
    /// List the runs; answered by [`crate::state::Action::Runs`].
    List,
    /// Give a run a name; answered by the list.
    Name {
        /// The run.
        id: RunId,
        /// The name.
        name: String,
    },
    /// Delete a run; answered by the list.
    Delete {
        /// The run.
        id: RunId,
    },
}
