//! Saved runs: after a reload, a crash or a closed tab, everything that was typed is restored.
//!
//! How saving works:
//!
//! - **One run per source.** Each story, lesson, empty store, link and file has a slot ([`slot`]). The slot names the
//!   run that the page opens when the user opens that source. A run has an id of its own: *Start over* empties the
//!   slot, and the earlier run stays in the list of runs.
//! - **The base** is the text that the engine writes (`Source::Saved`). IndexedDB stores the base ([`database`]) and
//!   one record for the list ([`Meta`]). [`Meta::covers`] is the number of the last journal entry that the base
//!   contains.
//! - **The journal** ([`journal`]) is in localStorage, because only localStorage writes before the call returns. Each
//!   entry has a key of its own and is written before its line is sent to the engine. An entry is a line or an undo,
//!   with the position at which it was typed. Once a base that contains an entry is committed, the entry is removed;
//!   before that, a start of the page replays the entry after the base. A crash in between does no harm: the next start
//!   skips entries that the base contains. Until the first base is committed, the journal also contains the source of
//!   the run ([`journal::Head`]). The page writes the source at the first typed line or, if nothing is typed, at the
//!   first base.
//! - **Replay.** A start loads the base and sends the entries one at a time, each after the response to the previous
//!   entry.
//! - **A line that stops the engine is set aside**: the journal retains the line, the page shows it, and no start
//!   replays it. A line is set aside in two cases: the page noticed that the engine stopped while the line was the
//!   oldest line without a response; or an earlier start began to replay the line and did not finish. The *attempt*
//!   mark in localStorage records the second case: the page writes the mark before it sends a replayed line, and
//!   removes the mark when the response arrives or when the page is left while the engine still sends messages. A line
//!   that was typed, and whose response had not arrived when the tab was closed, has no mark: it is replayed once.
//! - **A base that could not be opened**: the same mark counts the attempts to open a base. After two attempts that did
//!   not finish, the run opens only on request.
//! - **Two tabs.** A tab holds a Web Lock for its run ([`tabs`]); another tab that opens the run works on a copy with
//!   an id of its own. Each run also has an owner, a token in localStorage that is checked before every write. Without
//!   Web Locks, the owner is the tab that opened the run last, and the earlier tab works on a copy.
//! - **The address names the open run**: by its source if the slot leads to the run, otherwise by `?run=ID`.
//!
//! The reducer makes these decisions ([`crate::state::run`]); this folder only stores and reads. Figures save nothing
//! and have no [`Keeper`].

pub(crate) mod database;
pub mod journal;
pub mod opening;
pub mod slot;
pub(crate) mod tabs;

use serde::{Deserialize, Serialize};
use watchglass_engine::session::protocol::{SeekTo, Source};

use crate::keep::opening::Opening;
use journal::{Aside, JournalEntry};

/// The identity of a saved run.
pub type RunId = String;

/// A run's entry in the list of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The slot (the identity) of the run's source; empty if unknown.
    pub slot: String,
    pub title: String,
    /// The name that the user gave the run; empty without a name.
    pub name: String,
    /// The time of the last save, in milliseconds since 1970.
    pub when_ms: u64,
    /// The number of texts that the user typed into the run.
    pub typed: u64,
    /// The number of the last journal entry that the base contains.
    pub covers: u64,
}

impl Meta {
    /// Returns the name, or the title if there is no name.
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
    pub id: RunId,
    pub meta: Meta,
    /// The source to load: the base, or the run's own source if no base is committed.
    pub base: Source,
    /// The position of the cursor after the run is loaded.
    pub at: SeekTo,
    /// The entries to replay, oldest first.
    pub entries: Vec<JournalEntry>,
    /// The lines that are set aside: stored, but not replayed.
    pub asides: Vec<Aside>,
    /// The number of times that loading this run was begun but not finished.
    pub attempts: u32,
    /// True if the run is open in another tab, so this tab works on a copy.
    pub is_elsewhere: bool,
}

/// The run that the page opens.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// The run that was open last, or the default story if there is no such run.
    Last,
    /// The saved run of a source, or the source itself if there is no saved run.
    Source {
        source: Source,
        /// The position of the cursor if no run is saved.
        at: SeekTo,
    },
    Run(RunId),
}

impl From<Opening> for Wanted {
    fn from(Opening { source, at }: Opening) -> Self {
        Wanted::Source { source, at }
    }
}

/// The result of a search in storage.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Kept(Box<KeptRun>),
    Nothing,
    /// A run is saved, but the browser does not let the page read it now.
    Unreadable,
}

/// One row in the list of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCard {
    pub id: RunId,
    pub meta: Meta,
    /// The time of the last save, in the reader's format.
    pub when: String,
}

/// The operations on saved runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Keep {
    /// Search for a run; the result is [`RunAct::Found`](crate::state::action::RunAct) with the same number.
    Find {
        number: u32,
        wanted: Wanted,
    },
    /// Start saving this run. The journal contains the source until the first base is
    /// committed.
    Begin {
        id: RunId,
        meta: Meta,
        base: Source,
        /// The position of the cursor after the run is loaded.
        at: SeekTo,
    },
    /// Record that the run is open. The run becomes the run that was open last, and the address names the run. If the
    /// slot of the run's source is empty, the slot then leads to the run.
    Opened {
        id: RunId,
        meta: Meta,
        /// The label of the run on the start page.
        label: String,
        /// Whether the user chose the run to replace the run that was open before.
        is_chosen: bool,
    },
    /// Record the label of the open run on the start page.
    Label {
        id: RunId,
        label: String,
    },
    /// Record that a run without saved changes is open, so that the address names the run's source.
    OpenedFresh {
        /// The slot of the source, which is a text that identifies the source.
        slot: Option<String>,
        /// Whether the user chose the run to replace the run that was open before.
        is_chosen: bool,
    },
    Write {
        id: RunId,
        entries: Vec<JournalEntry>,
    },
    /// Remove journal entries that the page must not replay.
    Drop {
        id: RunId,
        numbers: Vec<u64>,
    },
    /// Set a line aside: the line is stored, but not replayed. If the line has a journal entry, this operation replaces
    /// the entry.
    SetAside {
        id: RunId,
        aside: Aside,
    },
    Attempt {
        id: RunId,
        /// The part of the run that is replayed.
        attempt: journal::Attempt,
    },
    AttemptDone {
        id: RunId,
    },
    /// Store a base, the saved text of a run.
    Base {
        id: RunId,
        /// The run's entry in the list of runs; `when_ms` is filled in later.
        meta: Meta,
        text: String,
    },
    /// Empty the slot of a source, so that no saved run opens with this source.
    Detach {
        slot: String,
    },
    /// Record that the run is no longer open in this tab.
    Leave {
        id: RunId,
    },
    /// List the runs; the result is [`RunAct::Listed`](crate::state::action::RunAct).
    List,
    /// Give a run a name; the result is the new list.
    Name {
        id: RunId,
        name: String,
    },
    /// Delete a run; the result is the new list.
    Delete {
        id: RunId,
    },
}
