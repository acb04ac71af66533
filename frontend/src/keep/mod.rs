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

/// What the list of runs says of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The slot of its source; empty when unknown.
    pub slot: String,
    /// The title of the source.
    pub title: String,
    /// The name that the user gave it; empty without one.
    pub name: String,
    /// When it was last kept, in milliseconds since 1970.
    pub when_ms: u64,
    /// How many texts were typed into it.
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

/// A run as it was read from storage.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// Its id.
    pub id: RunId,
    /// What is said of it.
    pub meta: Meta,
    /// What to load: the base, or what the run began with.
    pub base: Source,
    /// Where the cursor then stands.
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

/// What the page wants to open.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// The run that was open last, or else the story.
    Last,
    /// The kept run of that source, or else the source.
    Source {
        /// The source.
        source: Source,
        /// Where the cursor stands when nothing is kept.
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

/// What was found of it.
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
    /// What is said of it.
    pub meta: Meta,
    /// When it was kept, in the reader's own format.
    pub when: String,
}

/// What is to be done with kept runs.
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
        /// What is said of it.
        meta: Meta,
        /// What it begins with.
        base: Source,
        /// Where its cursor then stands.
        at: SeekTo,
    },
    /// The run is open: it is the last one, its slot leads to it unless the slot has another, and the address names it.
    Opened {
        /// The run.
        id: RunId,
        /// What is said of it.
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
        /// Their numbers.
        numbers: Vec<u64>,
    },
    /// A line is set aside, in place of its entry if it has one.
    SetAside {
        /// The run.
        id: RunId,
        /// The line.
        aside: Aside,
    },
    /// A replay begins.
    Attempt {
        /// The run.
        id: RunId,
        /// Of what.
        attempt: journal::Attempt,
    },
    /// It finished.
    AttemptDone {
        /// The run.
        id: RunId,
    },
    /// Keep this base.
    Base {
        /// The run.
        id: RunId,
        /// What is said of it; `when_ms` is filled in.
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
