//! Reads `watch`.
//!
//! Mirrors `watchCommandFunc`, `parseWatchArgs` and `getWatchChan` in `etcdctl/ctlv3/command/watch_command.go`, with
//! the checks in the same order. The environment variables that these functions read are ignored. The simulator adds
//! `as NAME` and `on CLIENT` at the end of the line, and the flags in [`own`](super::watch_own).

use super::argify::panicked;
use super::find::{FoundCommand, Path, find};
use super::flags::{Parsed, parse};
use super::operation::EXIT_BAD_ARGS;
use super::usage::page;
use super::watch_own::Own;
use super::watch_script::WatchHead;
use super::{CommandLine, Stop, answered, connection, read_program, with_help, wrong_flag};
use crate::api::{Profile, WatchCreateRequest};
use crate::base::Bytes;
use crate::base::bytes::prefix_end;
use crate::base::digest::Sparse;
use crate::shell::names::name;
use crate::shell::{CommandKind, Output, ParseError, WatchCommand, WatchLine, WatchPrint};
use crate::transcript::for_loop::Arg;

/// The endpoint that etcdctl uses if `--endpoints` is not given.
const DEFAULT_ENDPOINT: &str = "127.0.0.1:2379";

/// Returns the first endpoint, unless it is the default.
pub(super) fn first_endpoint(endpoints: Vec<String>) -> Option<String> {
    let first = endpoints.into_iter().next();
    first.filter(|first| first != DEFAULT_ENDPOINT)
}
const BAD_NUMBER: &str = "bad number of arguments";
const NO_COMMAND: &str = "bad number of arguments (found separator --, but no commands)";

pub(in crate::shell) fn is_watch(words: &[Vec<u8>], profile: Profile) -> bool {
    matches!(find(words, profile), FoundCommand::Command(path, _) if path.name() == "watch")
}

pub(in crate::shell) fn read(
    args: &[Arg],
    text: &str,
    profile: Profile,
) -> Result<CommandLine, ParseError> {
    let (args, ending) = Ending::split(args)?;
    let (words, own) = Own::split(args)?;
    let FoundCommand::Command(path, mine) = find(&words, profile) else {
        return Err(error_at(args, "`watch` and a key", "type `help watch`"));
    };
    let parsed = match parse(&mine, &with_help(&path, profile)) {
        Ok(parsed) => parsed,
        Err(complaint) => {
            return Ok(wrong_flag(&path, &complaint, profile));
        }
    };
    if parsed.on("help") {
        return Ok(answered(page(&path, profile)));
    }
    let watch = Watch {
        args,
        parsed,
        own,
        ending,
        profile,
    };
    let line = if watch.parsed.on("interactive") {
        watch.interactive(text)
    } else {
        watch.alone(&words)
    };
    match line {
        Ok(line) => Ok(line),
        Err(Stop::Refused(output)) => Ok(CommandLine::Whole(CommandKind::Refused(output))),
        Err(Stop::Unreadable(error)) => Err(error),
    }
}

struct Watch<'a> {
    args: &'a [Arg],
    parsed: Parsed,
    own: Own,
    ending: Ending,
    profile: Profile,
}

impl Watch<'_> {
    /// Reads a `watch` without `-i`. The command line itself describes the watch.
    fn alone(self, words: &[Vec<u8>]) -> Result<CommandLine, Stop> {
        let raw = match words.iter().position(|w| w == b"watch") {
            Some(at) => &words[at + 1..],
            None => words,
        };
        let runs = has_command(raw)?;
        if raw.is_empty() {
            return Err(bad_args(BAD_NUMBER));
        }
        let keys = before_command(raw, self.parsed.args.clone())?;
        let mut print = self.print()?;
        let endpoint = self.endpoint()?;
        let create = create(&keys, &self.parsed, &self.own).map_err(bad_args)?;
        if runs {
            let command: Vec<Vec<u8>> = raw
                .iter()
                .skip_while(|w| *w != b"--")
                .skip(1)
                .cloned()
                .collect();
            let command = read_program(&command, self.profile)
                .map_err(|why| Stop::Unreadable(ParseError::help(span_of(self.args), why)))?;
            print.command = Some(command.into());
        }
        let user = super::auth::user(&self.parsed);
        let kind = match self.own.crowd(&create, self.args, &self.ending) {
            None => CommandKind::Watch(WatchCommand {
                starts: vec![WatchLine::Watch(create)],
                name: self.ending.name,
                client: self.ending.client,
                endpoint,
                user,
                print,
            }),
            Some(Ok(crowd)) => CommandKind::Op(crowd),
            Some(Err(error)) => return Err(Stop::Unreadable(error)),
        };
        Ok(CommandLine::Whole(kind))
    }

    /// Reads `watch -i`. The next lines describe the watches. Like upstream, this ignores the other flags and arguments
    /// of the command line.
    fn interactive(self, text: &str) -> Result<CommandLine, Stop> {
        let print = self.print()?;
        if self.own != Own::default() {
            let hint = "type the flags on the next lines, after `watch KEY`";
            return Err(Stop::Unreadable(error_at(
                self.args,
                "-i without these flags",
                hint,
            )));
        }
        Ok(CommandLine::Watch(WatchHead {
            name: self.ending.name,
            client: self.ending.client,
            user: super::auth::user(&self.parsed),
            print,
            text: text.to_owned(),
        }))
    }

    /// Returns the first endpoint, if `--endpoints` is given.
    fn endpoint(&self) -> Result<Option<String>, Stop> {
        let (_, endpoints) = connection(&self.parsed, span_of(self.args))?;
        Ok(first_endpoint(endpoints))
    }

    fn print(&self) -> Result<WatchPrint, Stop> {
        let (format, _) = connection(&self.parsed, span_of(self.args))?;
        Ok(WatchPrint {
            format,
            hex: self.parsed.on("hex"),
            interactive: self.parsed.on("interactive"),
            command: None,
        })
    }
}

/// Returns true if the line contains a command to run for each event. `raw` are the words after `watch`.
pub(in crate::shell) fn has_command(raw: &[Vec<u8>]) -> Result<bool, Output> {
    match raw.iter().position(|w| w == b"--") {
        Some(at) if at + 1 == raw.len() => Err(Output::error(NO_COMMAND, EXIT_BAD_ARGS)),
        found => Ok(found.is_some()),
    }
}

/// Returns the arguments before the command to run for each event.
///
/// Upstream removes `--` together with the flags, so the arguments do not show where the command starts. Upstream
/// therefore searches for the first word of the command, from the last argument backwards.
pub(in crate::shell) fn before_command(
    raw: &[Vec<u8>],
    mut args: Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, Output> {
    let command = raw.iter().skip_while(|w| *w != b"--").nth(1);
    match command.map(|command| args.iter().rposition(|arg| arg == command)) {
        None => {}
        Some(Some(end)) => args.truncate(end),
        Some(None) => return Err(panicked("runtime error: slice bounds out of range [:-1]")),
    }
    Ok(args)
}

/// Creates the request for the member. Like upstream, this ignores the third and later arguments.
pub(in crate::shell) fn create(
    keys: &[Vec<u8>],
    parsed: &Parsed,
    own: &Own,
) -> Result<WatchCreateRequest, &'static str> {
    let Some(key) = keys.first() else {
        return Err(BAD_NUMBER);
    };
    let prefix = parsed.on("prefix");
    let (key, range_end) = match keys {
        [_, _] if prefix => return Err("`range_end` and `--prefix` are mutually exclusive"),
        [key, end] => (Bytes::from(key.as_slice()), Bytes::from(end.as_slice())),
        _ if prefix && key.is_empty() => (Bytes::zero(), Bytes::zero()),
        _ if prefix => (Bytes::from(key.as_slice()), prefix_end(key)),
        _ => (Bytes::from(key.as_slice()), Bytes::default()),
    };
    Ok(WatchCreateRequest {
        key,
        range_end,
        start_revision: parsed.int("rev"),
        progress_notify: parsed.on("progress-notify"),
        no_put: own.no_put,
        no_delete: own.no_delete,
        prev_kv: parsed.on("prev-kv"),
        watch_id: own.watch_id,
        fragment: own.fragment,
        leader: own.leader(),
        token: Sparse::default(),
    })
}

/// The simulator's own words at the end of a `watch` line: `as NAME`, `on CLIENT`, both, or neither.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::shell) struct Ending {
    pub(in crate::shell) name: Option<String>,
    pub(in crate::shell) client: Option<String>,
}

impl Ending {
    pub(in crate::shell) fn split(args: &[Arg]) -> Result<(&[Arg], Self), ParseError> {
        let mut ending = Self::default();
        let mut rest = args;
        while let [before @ .., word, given] = rest {
            if ending.client.is_none() && is_bare(word, b"on") {
                ending.client = Some(name(given)?);
            } else if ending.name.is_none() && is_bare(word, b"as") {
                ending.name = Some(name(given)?);
            } else {
                break;
            }
            rest = before;
        }
        let hint = "write `watch KEY … as NAME on CLIENT`; quote a key named `as` or `on`";
        let complain = |arg: &Arg, expected: &str| {
            Err(ParseError::new(arg.span.0, arg.span.1, expected, hint))
        };
        // In `watch … as w1 on`, the client is missing.
        if let [.., word, _, last] = rest
            && is_bare(word, b"as")
            && is_bare(last, b"on")
        {
            return complain(last, "a client name after `on`");
        }
        match rest.iter().position(|arg| is_bare(arg, b"as")) {
            Some(at) if rest.len() == args.len() && at + 1 == rest.len() => {
                complain(&rest[at], "a name after `as`")
            }
            Some(at) => complain(&rest[at], "`as` and one name at the end of the line"),
            None => Ok((rest, ending)),
        }
    }
}

fn is_bare(arg: &Arg, word: &[u8]) -> bool {
    !arg.quoted && arg.bytes == word
}

pub(in crate::shell) fn span_of(args: &[Arg]) -> (usize, usize) {
    match (args.first(), args.last()) {
        (Some(first), Some(last)) => (first.span.0, last.span.1),
        _ => (0, 0),
    }
}

pub(in crate::shell) fn error_at(args: &[Arg], expected: &str, hint: &str) -> ParseError {
    let (start, end) = span_of(args);
    ParseError::new(start, end, expected, hint)
}

/// Creates the error for a command after `--`, which etcdctl would run for each event but the simulator does not
/// support.
pub(in crate::shell) fn no_commands(args: &[Arg]) -> ParseError {
    let from = args.iter().position(|arg| arg.bytes == b"--");
    let after = from.map_or(args, |at| &args[at..]);
    let hint = "Watchglass runs a program for each event only for a watch without -i";
    error_at(after, "a watch without `-- COMMAND`", hint)
}

fn bad_args(text: &str) -> Stop {
    Stop::Refused(Output::error(text, EXIT_BAD_ARGS))
}

/// Returns the command path of `watch`, with which the input lines of `watch -i` are read.
pub(in crate::shell) fn path() -> Option<Path> {
    match find(&[b"watch".to_vec()], Profile::V3_4) {
        FoundCommand::Command(path, _) => Some(path),
        _ => None,
    }
}
