//! The part of the terminal's scrollback that is visible at the cursor.

use serde::{Deserialize, Serialize};

/// The part of the scrollback to return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalQuery {
    /// The maximum number of entries to return. The newest entries are returned.
    pub last: u32,
    /// The maximum number of entries to return of the beat at the cursor. The newest entries of the beat are returned.
    pub beat: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalView {
    /// The number of all entries up to the cursor, including entries that are not in `entries`.
    pub total: u64,
    /// The entries that the query requested, oldest first.
    pub entries: Vec<TerminalEntry>,
    /// The entries of the beat at the cursor, oldest first. A beat is a section of the run with one comment.
    pub beat: Vec<TerminalEntry>,
    /// The number of earlier entries of the beat, which are not in `beat`. At most the newest 256 entries are counted.
    pub beat_earlier: u64,
}

/// A command and its output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminalEntry {
    /// The number of the entry in the run. It identifies the entry in lists and links.
    pub id: u64,
    /// The step in which the command's response arrived. A link to this step shows the state after the command.
    pub step: u64,
    /// The number of the command's beat, if the beat has no steps; otherwise 0.
    pub beat: u64,
    pub command: String,
    /// The text on standard output. Invalid UTF-8 is replaced.
    pub stdout: String,
    /// The text on standard error. Invalid UTF-8 is replaced.
    pub stderr: String,
    /// Whether etcdctl prints the error output before the standard output.
    pub starts_with_errors: bool,
    pub exit: u8,
    /// The name of the snapshot that the command saved, so that the page can offer the file for download.
    pub file: Option<String>,
    /// The effect of the command on the run.
    pub kind: EntryKind,
    /// The output in the pasted transcript, if it differs from the actual output.
    pub expected: Option<TranscriptOutput>,
    /// The simulator's note, for example about an ignored part of the command.
    pub note: Option<String>,
    /// The comment of the beat that starts with this entry. A beat is a section of the run with one comment.
    pub comment: Option<String>,
}

/// The output of a command in a pasted transcript.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TranscriptOutput {
    pub text: String,
    /// Whether the outputs of transcript and simulator should be equal. False for a skipped line, and for an output
    /// that another program changes or that depends on other clients.
    pub is_compared: bool,
}

/// The effect of a command on the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryKind {
    /// The command was sent to the member and added at least one step.
    #[default]
    Step,
    /// The command read an earlier revision without a step, so the run is unchanged.
    Peek,
    /// The command needed no member, only the simulator or etcdctl: `help`, `show`, an unknown flag.
    Local,
    Unreadable,
}
