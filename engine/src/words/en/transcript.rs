//! The texts about transcripts: the error for text without a command, and the reasons why a line of a transcript does
//! not run.

/// The error message for pasted text that contains no command.
pub const NO_COMMAND: &str = "no command found; write each command on its own line, such as `etcdctl put a 1`, with or \
    without a `$ ` before it";

/// The reasons why a line of a transcript does not run.
pub const OTHER_PROMPT: &str = "the prompt differs from the prompt of the other lines";
pub const NO_PROMPT: &str = "the line has no prompt before the command";
pub const WAITS_FOR_INPUT: &str = "the command waited for its value on standard input until `^C`; \
    Watchglass does not support a `put` that waits for its value";
pub const STOPS_FIRST: &str = "Watchglass restores a snapshot only while etcd is stopped";

/// Returns the note that the simulator runs the transcript as another etcd version than the one that printed it.
pub fn runs_as(version: &str, profile: &str) -> String {
    format!(
        "The transcript was recorded with etcd {version}; Watchglass runs the recorded commands with etcd {profile}."
    )
}

/// Returns the note that the simulator runs a transcript with several endpoints on a single member.
pub fn one_member(endpoints: usize) -> String {
    format!(
        "The transcript names {endpoints} endpoints, but Watchglass runs it on one member. For a cluster, begin the \
         text with the line `$ world members={endpoints}`, and name the endpoints etcd-1, etcd-2 and so on."
    )
}

/// Returns the note that log lines and lines of `time` were not compared.
pub fn not_compared(logs: usize, times: usize) -> String {
    let logs = super::grammar::number(logs as u64, "log line", "log lines");
    let times = super::grammar::number(times as u64, "line of `time`", "lines of `time`");
    match (logs.starts_with("0 "), times.starts_with("0 ")) {
        (true, _) => format!("{times} not compared."),
        (_, true) => format!("{logs} not compared."),
        _ => format!("{logs} and {times} not compared."),
    }
}

/// The note for a transcript that uses kubectl and starts no API server.
pub const NO_API_SERVER: &str = "The transcript uses kubectl, which needs an API server, so the run starts with the \
    command `apiserver api-1`.";

/// The note that the store of a transcript's run is empty at the start.
pub const EMPTY_AT_START: &str =
    "The run starts with an empty store, so data from before the transcript is missing.";

/// The note that some recorded events of watches are not compared.
pub const OTHER_TERMINAL: &str = "Some watch events were not compared: in the text, these events are between the \
    outputs of other commands, or the writes that caused these events are missing or come later.";

/// The note that some values of a transcript are not compared, because these values differ from cluster to cluster.
pub const SAME_KIND: &str =
    "Times, versions, and the ids, names and addresses of members were not compared.";
