//! The terminal's scrollback as it stood at the cursor.

use serde::{Deserialize, Serialize};

/// How much of the scrollback is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalQuery {
    /// The maximum number of entries, newest first.
    pub last: u32,
}

/// The scrollback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalView {
    /// The number of entries at or before the cursor, including entries not sent.
    pub total: u64,
    /// The newest entries, oldest first.
    pub entries: Vec<TerminalEntry>,
}

/// A command and its output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalEntry {
    /// Its number in the run, for keys and links.
    pub id: u64,
    /// The step at which its answer came; seeking there shows the moment.
    pub step: u64,
    /// The command line.
    pub command: String,
    /// The output; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// The error output.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
    /// The saved snapshot, for download.
    pub file: Option<String>,
    /// The effect on the run.
    pub kind: EntryKind,
    /// The expected output of a pasted transcript, when the actual output differs.
    pub expected: Option<String>,
    /// What the shell adds: what it left out of the command, or what a command did that prints nothing.
    pub note: Option<String>,
    /// The comment of the beat that starts with this entry.
    pub comment: Option<String>,
}

/// The effect of a command on the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryKind {
    /// The command went to the member: one step or more.
    #[default]
    Step,
    /// The command read an earlier revision; the run is unchanged.
    Peek,
    /// It concerned the simulator or etcdctl alone (`help`, `show`, a wrong flag).
    Local,
    /// The command could not be read.
    Unreadable,
}
