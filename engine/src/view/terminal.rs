//! The terminal's scrollback as it stood at the cursor.

use serde::{Deserialize, Serialize};

/// How much of the scrollback is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalQuery {
    /// The newest entries, at most so many.
    pub last: u32,
}

/// The scrollback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalView {
    /// Entries at or before the cursor, the ones not sent included.
    pub total: u64,
    /// The newest of them, oldest first.
    pub entries: Vec<TerminalEntry>,
}

/// A command and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalEntry {
    /// Its number in the run, for keys and links.
    pub id: u64,
    /// The step at which its answer came; seeking there shows the moment.
    pub step: u64,
    /// What was typed.
    pub command: String,
    /// What it printed; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
    /// The snapshot that it saved, to be downloaded.
    pub file: Option<String>,
    /// What it did to the run.
    pub kind: EntryKind,
    /// What a pasted transcript said it would print, when that differs.
    pub expected: Option<String>,
    /// What the shell adds: what it left out of the command, or what a command did that prints nothing.
    pub note: Option<String>,
    /// What the beat says that begins with it.
    pub comment: Option<String>,
}

/// What a command did to the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryKind {
    /// It was sent to the member: one step or more.
    #[default]
    Step,
    /// It read in the past; the run is as it was.
    Peek,
    /// It concerned the simulator or etcdctl alone (`help`, `show`, a wrong flag).
    Local,
    /// It could not be read.
    Unreadable,
}
