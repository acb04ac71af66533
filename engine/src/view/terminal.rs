//! The terminal's scrollback at the cursor.

use serde::{Deserialize, Serialize};

/// The part of the scrollback to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalQuery {
    /// The maximum number of entries, newest first.
    pub last: u32,
}

/// The scrollback of the terminal.
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
    /// The number of the entry in the run, for keys and links.
    pub id: u64,
    /// The step in which the command's response arrived. A link to this step shows the state after the command.
    pub step: u64,
    /// The command line.
    pub command: String,
    /// The output. Invalid UTF-8 is replaced.
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
    /// The simulator's note, for example about an ignored part of the command.
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
    /// The command concerned only the simulator or etcdctl itself: `help`, `show`, an unknown flag.
    Local,
    /// The command could not be read.
    Unreadable,
}
