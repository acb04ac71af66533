//! The texts in exported files: the comments of the script of `etcdctl` commands, and errors.

use std::fmt::Display;

/// The start state and the version that a script needs.
pub struct ScriptStart<'a> {
    pub title: &'a str,
    /// The version of etcd, such as `3.4`.
    pub profile: &'a str,
    pub members: u32,
    /// The file on whose data the run starts.
    pub file: Option<&'a str>,
    /// The revision of the store at the start.
    pub revision: i64,
    /// The shell that runs the script: `sh` or `bash`.
    pub shell: &'a str,
}

/// Returns the paragraphs at the start of the script. `compared` is the number of outputs that the script compares.
pub fn script_head(start: &ScriptStart<'_>, compared: u64, left_out: u64) -> Vec<String> {
    let ScriptStart {
        title,
        profile,
        members,
        file,
        revision,
        shell,
    } = start;
    let state = match file {
        Some(file) => format!("an etcd with the data of {file}, at revision {revision}"),
        None => "a new etcd without data".to_owned(),
    };
    let cluster = match members {
        1 => "one member".to_owned(),
        members => format!("{members} members"),
    };
    let mut paragraphs = vec![
        format!("{title}: the commands of a run of Watchglass, which simulates etcd."),
        format!("Simulated: etcd {profile}, {cluster}. The script needs {state}."),
        format!(
            "Run it with `{shell} FILE`. It uses the etcd that etcdctl uses: ETCDCTL_ENDPOINTS, by default \
             127.0.0.1:2379. If the store of this etcd is at another revision, the script stops before the first \
             command."
        ),
        format!(
            "The lines `#N:` below `run N` are the output that the simulator printed. The script compares it with the \
             real output and counts the equal outputs ({}). In these lines, `\\\\` is a backslash, `\\0ooo` a byte in \
             octal, and `\\c` at the end means that the output does not end with one line break.",
            counted(compared, "output", "outputs")
        ),
    ];
    if left_out > 0 {
        paragraphs.push(format!(
            "{} left out, each with its reason. Later outputs can differ because of this.",
            match left_out {
                1 => "1 command is".to_owned(),
                _ => format!("{left_out} commands are"),
            }
        ));
    }
    paragraphs
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The comments above the functions of the script.
pub const ABOUT_MASK: &str = "Removes what differs between two servers: IDs, the raft term, durations, \
    the address, and log lines of etcdctl.";
pub const ABOUT_EXECUTE: &str = "Prints a command and its output, and keeps the output in a file.";
pub const ABOUT_COMPARE: &str = "Compares the output with the lines `#N:` of this script.";
pub const ABOUT_RUN: &str = "run N COMMAND: runs a command and compares its output.";
pub const ABOUT_GRANT: &str = "grant N ID COMMAND: the same for a command that grants a lease. etcd chooses \
    another ID than the simulator, so the script remembers it.";
pub const ABOUT_START: &str = "start NAME COMMAND: starts a watch, whose output goes to files.";
pub const ABOUT_RECEIVE: &str =
    "receive N NAME: compares what a watch has printed since the last time.";

/// The error messages of the script.
pub const NO_ETCDCTL: &str = "etcdctl is not on PATH. Nothing was run.";
pub const NO_FILE: &str =
    "Save the script as a file, because it reads its own comments. Nothing was run.";
pub const OTHER_REVISION: &str =
    "the first lines of the script name the etcd that it needs. Nothing was run.";

/// Returns the warning of the script about a server of another version.
pub fn other_version(profile: &str) -> String {
    format!("The outputs are those of etcd {profile}; this etcd has another version.")
}

/// The reason why an output is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCompared {
    /// The output has IDs, sizes or addresses of the server.
    Server,
    Build,
    /// The keys of a lease have a random order.
    KeyOrder,
    /// A hash over rows that contain lease IDs.
    LeaseHash,
    Protobuf,
    Snapshot,
    /// The run does not have the output any more.
    Unknown,
}

/// Returns the comment above a command whose output is not compared.
pub fn not_compared(reason: NotCompared) -> String {
    let reason = match reason {
        NotCompared::Server => "it has IDs, sizes or addresses of the server",
        NotCompared::Build => "it depends on the build of etcdctl",
        NotCompared::KeyOrder => "etcd prints the keys of a lease in random order",
        NotCompared::LeaseHash => "the hash includes IDs of leases",
        NotCompared::Protobuf => "the protobuf message has IDs of the server",
        NotCompared::Unknown => "the run does not contain it",
        NotCompared::Snapshot => "a snapshot file has IDs of the server",
    };
    format!("The output is not compared: {reason}.")
}

pub const WITHOUT_CONNECTION: &str =
    "Without the flags for the connection: set ETCDCTL_ENDPOINTS and similar variables instead.";
pub const NO_OUTPUT: &str = "no output";

/// The reason why a command is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// A command of the simulator.
    Simulator,
    Kubectl,
    Unreadable,
    /// A long time would pass.
    Wait,
    /// A command of etcdctl that runs until it is ended, or a watch with flags of the simulator.
    Process,
    /// A shell or another program, or a refused command that can start one: a shell would run all that its words
    /// contain, and anybody can have written the run.
    Program,
    /// Input that a here-document would change.
    Input,
    /// A file that is not in the folder of the script.
    Path,
}

/// Returns the comment in place of a command that the script leaves out.
pub fn left_out(reason: LeftOut, command: impl Display) -> String {
    let reason = match reason {
        LeftOut::Simulator => "a command of the simulator",
        LeftOut::Kubectl => "the simulator's Kubernetes",
        LeftOut::Unreadable => "not a command",
        LeftOut::Wait => "a long wait",
        LeftOut::Process => "runs until it is ended",
        LeftOut::Program => "can start a shell or another program",
        LeftOut::Input => "its input is not text, or looks like a comment",
        LeftOut::Path => "writes a file to another folder",
    };
    format!("Left out ({reason}): {command}")
}

/// The work of an export, for the sentence about its progress.
pub const WRITING: &str = "Writing the file";

/// Returns the error message for an export that is too large.
pub fn too_large(mib: usize) -> String {
    format!(
        "The export is larger than {mib} MiB. Move the cursor to an earlier step and export again."
    )
}
