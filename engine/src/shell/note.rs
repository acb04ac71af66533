//! Notes that the simulator adds to the output of a command, for example about a part of the line that has no effect.

use crate::transcript::Filters;
use crate::transcript::for_loop::{Arg, CONNECTION_FLAGS};
use crate::words::line_notes as words;

/// A note that the simulator adds to the output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A pipe or redirection was ignored, for example `> file`.
    OutputTarget(String),
    /// The output goes through the programs of this pipe, for example `| jq .`.
    Pipe(String),
    /// These flags for connections were ignored. The names have no dashes.
    Connection(Vec<String>),
    Variables(Vec<String>),
    Aliases(Vec<String>),
    /// These variables or aliases were removed. Empty if none of the names was set.
    Removed(Vec<String>),
    /// The line would open a shell on another machine or in a container.
    Shell,
    /// The read is serializable. With only one member, the result is the same as for a linearizable read.
    Serializable,
    /// A compare of a transaction has no double quotes. The text is the compare with the quotes.
    CompareQuotes(String),
    /// The key of a read or a delete contains `*`, which has no special meaning in etcd.
    Star,
    /// The read has a second argument, which is the end of a range.
    RangeEnd {
        key: String,
        /// The end of the range, excluded.
        end: String,
    },
    /// etcdctl ignores these arguments of `put`.
    IgnoredArguments(String),
    /// No command has this name. etcdctl prints the error.
    Unknown(String),
}

impl Note {
    /// Returns the note as a sentence; `None` if the command runs as typed.
    pub fn sentence(&self) -> Option<String> {
        Some(match self {
            Self::Pipe(_) => return None,
            Self::OutputTarget(text) => words::output_target(text),
            Self::Connection(flags) => {
                let flags: Vec<String> = flags.iter().map(|flag| format!("`--{flag}`")).collect();
                words::connection(&flags)
            }
            Self::Variables(names) => {
                let (unused, used): (Vec<String>, Vec<String>) = names
                    .iter()
                    .cloned()
                    .partition(|name| UNUSED.contains(&name.as_str()));
                let used = (!used.is_empty()).then(|| words::used(&used));
                let unused = (!unused.is_empty()).then(|| words::unused(&unused));
                let sentences: Vec<String> = used.into_iter().chain(unused).collect();
                match sentences.is_empty() {
                    true => return None,
                    false => sentences.join(" "),
                }
            }
            Self::Aliases(names) => words::used(names),
            Self::Removed(names) => words::not_used(names),
            Self::CompareQuotes(compare) => words::compare_quotes(compare),
            Self::Star => words::STAR.to_owned(),
            Self::RangeEnd { key, end } => words::range_end(key, end),
            Self::IgnoredArguments(ignored) => words::ignored_arguments(ignored),
            Self::Unknown(word) => words::unknown(word),
            Self::Serializable => words::SERIALIZABLE.to_owned(),
            Self::Shell => words::SHELL.to_owned(),
        })
    }

    /// Returns the programs that the output goes through.
    pub fn filters(&self) -> Option<Filters> {
        match self {
            Self::Pipe(target) => Filters::parse(target),
            _ => None,
        }
    }

    /// Returns true if the text of the note is correct only in a world with one member.
    pub fn needs_one_member(&self) -> bool {
        matches!(self, Self::Serializable | Self::Connection(_))
    }

    /// Returns true if the shown output differs from the output that a real shell would show for the whole line.
    pub fn changes_output(&self) -> bool {
        matches!(self, Self::OutputTarget(target) if !keeps_stdout(target))
    }

    /// Returns true if a real shell would not show the error output of the line, because the line redirects it.
    pub fn hides_errors(&self) -> bool {
        matches!(self, Self::OutputTarget(target) | Self::Pipe(target) if target.starts_with("2>"))
    }
}

/// Returns true if a redirection or pipe leaves standard output visible: it only redirects the error output, or copies
/// standard output with `tee`.
fn keeps_stdout(target: &str) -> bool {
    let mut parts = target.split('|').map(str::trim);
    let redirection = parts.next().unwrap_or_default();
    let is_of_errors = |text: &str| {
        let file = text
            .strip_prefix("2>")
            .map(|file| file.trim_start_matches('>'));
        file.is_some_and(|file| !file.contains('>'))
    };
    (redirection.is_empty() || is_of_errors(redirection))
        && parts.all(|part| part.split_whitespace().next() == Some("tee"))
}

/// The environment variables of etcdctl that have no effect in the simulator.
const UNUSED: [&str; 8] = [
    "ETCDCTL_CACERT",
    "ETCDCTL_CERT",
    "ETCDCTL_DIAL_TIMEOUT",
    "ETCDCTL_INSECURE_SKIP_TLS_VERIFY",
    "ETCDCTL_INSECURE_TRANSPORT",
    "ETCDCTL_KEEPALIVE_TIME",
    "ETCDCTL_KEEPALIVE_TIMEOUT",
    "ETCDCTL_KEY",
];

/// Returns a note about the flags for connections in a command. These flags have no effect.
pub(super) fn connection_note(args: &[Arg]) -> Option<Note> {
    let mut flags: Vec<String> = Vec::new();
    for arg in args.iter().take_while(|arg| arg.bytes != b"--") {
        let Some(name) = arg.bytes.strip_prefix(b"--") else {
            continue;
        };
        let name = name.split(|b| *b == b'=').next().unwrap_or_default();
        let known = CONNECTION_FLAGS.iter().find(|flag| flag.as_bytes() == name);
        if let Some(flag) = known
            && !flags.iter().any(|said| said == flag)
        {
            flags.push((*flag).to_owned());
        }
    }
    (!flags.is_empty()).then_some(Note::Connection(flags))
}
