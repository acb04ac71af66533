//! Reads an etcdctl command line. The result is either a request, or the error message that etcdctl would print.
//!
//! Mirrors the checks that `cobra` and `etcdctl/ctlv3` perform before they send a request. The checks run in upstream's
//! order, because the order decides which error is reported if there are several. The simulated member responds at any
//! endpoint, so flags about connections have no effect.

mod argify;
mod auth;
pub(super) mod etcdutl;
pub(super) mod find;
pub(super) mod flags;
mod lease;
mod member;
mod move_leader;
pub(super) mod operation;
pub(super) mod process_line;
mod qos;
pub(super) mod snapshot;
pub(super) mod txn_line;
pub(super) mod txn_script;
mod usage;
pub(super) mod watch_line;
#[cfg(test)]
mod watch_line_tests;
mod watch_own;
pub(super) mod watch_script;

use super::table::{Flag, HELP_FLAG, etcdctl_names};
use super::{CommandKind, Etcdctl, ExecCommand, Format, Output, ParseError, Verb};
use crate::api::proto::{CLIENT_SEND_BYTES, check_send_size};
use crate::api::{
    CompactionRequest, Difference, HashKvRequest, MemberListRequest, Profile, Request,
};
use crate::base::bytes::escape;
use crate::base::go::number::parse_int;
use crate::shell::amount;
use crate::transcript::for_loop::Arg;
use crate::world::COMMAND_TIMEOUT;
use find::{FoundCommand, Path, find, pick};
use flags::{Parsed, parse};
use operation::{
    EXIT_BAD_ARGS, EXIT_BAD_CONNECTION, EXIT_BAD_FEATURE, EXIT_ERROR, del, get, is_serializable,
    put, range_warning,
};
use txn_script::TxnHead;
use usage::{cobra_usage, has_cobra_pages, options, page, unknown_topic_page};
use watch_script::WatchHead;

/// etcdctl's default endpoint, at which the simulated member responds.
pub const ENDPOINT: &str = "127.0.0.1:2379";

#[derive(Debug)]
pub(super) enum CommandLine {
    Whole(CommandKind),
    /// A `txn` command, whose blocks are on the next lines.
    Txn(TxnHead),
    /// A `watch -i` command, whose input is on the next lines.
    Watch(WatchHead),
}

/// Returns true if `word` is an etcdctl command or the start of exactly one command name.
pub(super) fn knows(word: &[u8], profile: Profile) -> bool {
    pick(word, &etcdctl_names(profile)).is_some()
}

/// Returns true if some version of etcdctl knows `word`.
pub(super) fn is_known(word: &[u8]) -> bool {
    Profile::ALL.iter().any(|profile| knows(word, *profile))
}

/// Returns true if all versions of etcdctl know `word`.
pub(super) fn is_in_all(word: &[u8]) -> bool {
    Profile::ALL.iter().all(|profile| knows(word, *profile))
}

/// Returns true if `word` is the full name of a command of some version of etcdctl.
pub(super) fn is_name(word: &[u8]) -> bool {
    let mut names = Profile::ALL
        .iter()
        .flat_map(|profile| etcdctl_names(*profile));
    names.any(|name| name.as_bytes() == word)
}

/// Returns the names of the global flags in the words.
pub(super) fn global_flags(words: &[Vec<u8>], profile: Profile) -> Vec<&'static str> {
    let FoundCommand::Command(path, words) = find(words, profile) else {
        return Vec::new();
    };
    let Ok(parsed) = parse(&words, &with_help(&path, profile)) else {
        return Vec::new();
    };
    let global = Path::root().flags(profile).into_iter();
    let given = global.filter(|flag| parsed.has(flag.name));
    given.map(|flag| flag.name).collect()
}

/// Returns true if the words are a `watch` without arguments that is not interactive.
pub(super) fn reads_no_key(words: &[Vec<u8>], profile: Profile) -> bool {
    let FoundCommand::Command(path, words) = find(words, profile) else {
        return false;
    };
    let parsed = parse(&words, &with_help(&path, profile));
    path.name() == "watch"
        && parsed.is_ok_and(|parsed| parsed.args.is_empty() && !parsed.on("interactive"))
}

/// Returns true if the words are a `put` that takes its value from standard input.
pub(super) fn reads_value(words: &[Vec<u8>], profile: Profile) -> bool {
    let FoundCommand::Command(path, words) = find(words, profile) else {
        return false;
    };
    let parsed = parse(&words, &with_help(&path, profile));
    path.name() == "put"
        && parsed.is_ok_and(|parsed| parsed.args.len() == 1 && !parsed.on("ignore-value"))
}

/// Reads the words after `etcdctl`. `span` is the byte range of the words in the line.
pub(super) fn read(
    words: &[Vec<u8>],
    span: (usize, usize),
    text: &str,
    profile: Profile,
) -> Result<CommandLine, ParseError> {
    let (path, words) = match find(words, profile) {
        FoundCommand::Command(path, words) => (path, words),
        FoundCommand::Unknown(complaint) => {
            let stderr = cobra_error(&complaint, "Run 'etcdctl --help' for usage.", profile);
            return Ok(refused(String::new(), stderr, EXIT_ERROR));
        }
    };
    let parsed = match parse(&words, &with_help(&path, profile)) {
        Ok(parsed) => parsed,
        Err(complaint) => return Ok(wrong_flag(&path, &complaint, profile)),
    };
    if parsed.on("help") || !path.spec().children.is_empty() {
        return Ok(answered(page(&path, profile)));
    }
    match command(&path.name(), &parsed, span, text, profile) {
        Ok(line) => Ok(line),
        Err(Stop::Refused(output)) => Ok(CommandLine::Whole(CommandKind::Refused(output))),
        Err(Stop::Unreadable(error)) => Err(error),
    }
}

/// Reads the words after `etcdctl` in any command line, including the commands that run until they are ended. `text` is
/// the text of the whole line.
pub(super) fn read_line(
    args: &[Arg],
    span: (usize, usize),
    text: &str,
    profile: Profile,
) -> Result<CommandLine, ParseError> {
    let words: Vec<Vec<u8>> = args.iter().map(|arg| arg.bytes.clone()).collect();
    if process_line::is_process(&words, profile) {
        return process_line::read(args, profile);
    }
    if watch_line::is_watch(&words, profile) {
        return watch_line::read(args, text, profile);
    }
    read(&words, span, text, profile)
}

/// Reads the program that `watch` or `lock` runs.
///
/// # Errors
/// Returns the reason if the simulator cannot run the program.
fn read_program(words: &[Vec<u8>], profile: Profile) -> Result<ExecCommand, String> {
    ExecCommand::read(words, |args| {
        // A program has no text, because no command that it can run continues on the next lines.
        match read_line(args, (0, 0), "", profile)? {
            CommandLine::Whole(kind) => Ok(Some(kind)),
            CommandLine::Txn(_) | CommandLine::Watch(_) => Ok(None),
        }
    })
}

/// Returns the arguments in the words after `etcdctl`, without the command and its flags. Returns no arguments if
/// etcdctl refuses the words.
pub(super) fn arguments(words: &[Vec<u8>], profile: Profile) -> Vec<Vec<u8>> {
    match find(words, profile) {
        FoundCommand::Command(path, words) => {
            let parsed = parse(&words, &with_help(&path, profile));
            parsed.map(|parsed| parsed.args).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

pub(super) enum Stop {
    Refused(Output),
    /// The simulator does not support the command.
    Unreadable(ParseError),
}

impl From<Output> for Stop {
    fn from(output: Output) -> Self {
        Self::Refused(output)
    }
}

fn command(
    name: &str,
    parsed: &Parsed,
    span: (usize, usize),
    text: &str,
    profile: Profile,
) -> Result<CommandLine, Stop> {
    // Like upstream, each command checks its own arguments before the connection flags, so that an error in the
    // arguments is reported first.
    let verb = match name {
        "version" => {
            let (server, api) = (profile.server_version(), profile.api_version());
            return Ok(answered(format!(
                "etcdctl version: {server}\nAPI version: {api}\n"
            )));
        }
        "get" => Verb::Get {
            request: get(parsed, profile)?,
            print_value_only: parsed.on("print-value-only"),
            is_streamed: parsed.on("stream"),
        },
        "put" => Verb::Put(put(parsed)?),
        "del" => Verb::Del {
            request: del(parsed)?,
            warning: range_warning(parsed, profile),
        },
        // etcdctl ignores arguments.
        "member list" => {
            let is_stale = is_serializable(parsed)?;
            let request = MemberListRequest::of_client(profile);
            Verb::MemberList(MemberListRequest {
                linearizable: request.linearizable && !is_stale,
            })
        }
        name if name.starts_with("member ") => {
            member::read(name, parsed, || connection(parsed, span).map(|_| ()))?
        }
        "txn" => {
            if !parsed.args.is_empty() {
                let text = "txn command does not accept argument";
                return Err(Output::error(text, EXIT_BAD_ARGS).into());
            }
            let (format, endpoints) = connection(parsed, span)?;
            return Ok(CommandLine::Txn(TxnHead {
                interactive: parsed.on("interactive"),
                format,
                hex: parsed.on("hex"),
                user: auth::user(parsed),
                endpoints,
                text: text.to_owned(),
            }));
        }
        "compaction" => {
            let [revision] = parsed.args.as_slice() else {
                return Err(
                    Output::error("compaction command needs 1 argument", EXIT_BAD_ARGS).into(),
                );
            };
            Verb::Compaction(CompactionRequest {
                revision: parse_int(revision, 10).map_err(|e| Output::error(&e, EXIT_ERROR))?,
                physical: parsed.on("physical"),
            })
        }
        "lease grant" => lease::grant(parsed)?,
        "lease revoke" => lease::revoke(parsed)?,
        "lease keep-alive" => lease::keep_alive(parsed)?,
        "lease timetolive" => lease::time_to_live(parsed, || connection(parsed, span).map(|_| ()))?,
        "lease list" => Verb::LeaseList,
        "alarm list" => alarm(parsed, name, Verb::AlarmList)?,
        "alarm disarm" => alarm(parsed, name, Verb::AlarmDisarm)?,
        name if name.starts_with("snapshot ") => {
            let kind = snapshot::read(name, parsed, span, profile)?;
            return Ok(CommandLine::Whole(kind));
        }
        "defrag" => {
            if parsed.text("data-dir").is_some_and(|text| !text.is_empty()) {
                return Err(elsewhere(span, "--data-dir"));
            }
            Verb::Defrag
        }
        "move-leader" => move_leader::read(parsed)?,
        "endpoint hashkv" => Verb::EndpointHashKv(HashKvRequest {
            revision: parsed.int("rev"),
        }),
        "endpoint status" => Verb::EndpointStatus,
        "qos monitor" => {
            let (name, query) = qos::monitor(parsed, span)?;
            let (_, endpoints) = connection(parsed, span)?;
            return Ok(CommandLine::Whole(CommandKind::Monitor {
                name,
                query,
                endpoint: watch_line::first_endpoint(endpoints),
            }));
        }
        name if ["auth ", "user ", "role "]
            .iter()
            .any(|group| name.starts_with(group)) =>
        {
            auth::read(name, parsed, span)?
        }
        name if name.starts_with("qos ") => qos::read(name, parsed)?,
        "endpoint health" => Verb::EndpointHealth {
            asks_for_alarms: profile.has(Difference::AsksForAlarms),
        },
        "help" => {
            let output = help(&parsed.args, profile);
            return Ok(CommandLine::Whole(CommandKind::Answered(output)));
        }
        "options" => return Ok(answered(options(profile))),
        other => return Err(Stop::Unreadable(not_simulated(other, span))),
    };
    let is_for_each = verb.asks_each_endpoint() && !matches!(verb, Verb::MoveLeader(_));
    if is_for_each && parsed.text("endpoints") == Some(b"") {
        let format = format(parsed)?;
        return Ok(answered(no_endpoints(format, profile)));
    }
    let (format, endpoints) = connection(parsed, span).map_err(|stop| match (stop, &verb) {
        (Stop::Refused(mut output), Verb::Del { warning, .. }) => {
            let warning = warning.as_deref().unwrap_or_default();
            output.stderr.splice(..0, warning.bytes());
            Stop::Refused(output)
        }
        (stop, _) => stop,
    })?;
    let command = Etcdctl {
        hex: parsed.on("hex"),
        user: match verb {
            // The rule's users are the values of the same flag.
            Verb::Qos(_) => None,
            _ => auth::user(parsed),
        },
        verb,
        format,
        endpoints,
        cluster: parsed.on("cluster"),
        timeout: parsed
            .text("command-timeout")
            .and_then(amount::duration)
            .unwrap_or(COMMAND_TIMEOUT),
    };
    if let Some(refusal) = too_large(&command.request()) {
        return Err(refusal.into());
    }
    Ok(CommandLine::Whole(CommandKind::Etcdctl(command)))
}

/// Returns the output format given with `--write-out`.
pub(super) fn format(parsed: &Parsed) -> Result<Format, Output> {
    match parsed.text("write-out").unwrap_or(b"simple") {
        b"simple" => Ok(Format::Simple),
        b"json" => Ok(Format::Json),
        b"fields" => Ok(Format::Fields),
        b"table" => Ok(Format::Table),
        b"protobuf" => Ok(Format::Protobuf),
        _ => Err(Output::error("unsupported output format", EXIT_BAD_FEATURE)),
    }
}

/// Checks the flags about connections, and returns the output format and the endpoints.
pub(super) fn connection(
    parsed: &Parsed,
    span: (usize, usize),
) -> Result<(Format, Vec<String>), Stop> {
    for name in ["cert", "key", "cacert"] {
        if parsed.text(name) == Some(b"") {
            let text = format!("empty string is passed to --{name} option");
            return Err(Output::error(&text, EXIT_BAD_ARGS).into());
        }
    }
    let format = format(parsed)?;
    if parsed
        .text("discovery-srv")
        .is_some_and(|text| !text.is_empty())
    {
        return Err(elsewhere(span, "--discovery-srv"));
    }
    if parsed.on("debug") {
        return Err(elsewhere(span, "--debug"));
    }
    for name in ["--max-request-bytes", "--max-recv-bytes"] {
        if parsed.int(&name[2..]) != 0 {
            return Err(elsewhere(span, name));
        }
    }
    if parsed.text("endpoints") == Some(b"") {
        let text = "etcdclient: no available endpoints";
        return Err(Output::error(text, EXIT_BAD_CONNECTION).into());
    }
    let mut endpoints = Vec::new();
    for endpoint in parsed
        .text("endpoints")
        .unwrap_or(ENDPOINT.as_bytes())
        .split(|b| *b == b',')
    {
        endpoints.push(escape(endpoint).trim().to_owned());
    }
    Ok((format, endpoints))
}

/// Returns the output of a command for each endpoint if `--endpoints` names none.
fn no_endpoints(format: Format, profile: Profile) -> String {
    match format {
        Format::Json if profile.has(Difference::PrintsNullList) => "null\n".to_owned(),
        Format::Json => "[]\n".to_owned(),
        Format::Simple | Format::Fields | Format::Table | Format::Protobuf => String::new(),
    }
}

fn elsewhere(span: (usize, usize), what: &str) -> Stop {
    Stop::Unreadable(ParseError::new(
        span.0,
        span.1,
        "a command without this flag",
        format!("Watchglass does not support {what}; remove the flag"),
    ))
}

fn alarm(parsed: &Parsed, name: &str, verb: Verb) -> Result<Verb, Stop> {
    if parsed.args.is_empty() {
        return Ok(verb);
    }
    let text = format!("{name} command accepts no arguments");
    Err(Output::error(&text, EXIT_BAD_ARGS).into())
}

/// Returns the client's error if the request is larger than the maximum message size; `None` otherwise.
pub(super) fn too_large(request: &Request) -> Option<Output> {
    let error = check_send_size(request, CLIENT_SEND_BYTES).err()?;
    Some(Output::error(&error.to_string(), EXIT_ERROR))
}

fn help(topic: &[Vec<u8>], profile: Profile) -> Output {
    match find(topic, profile) {
        FoundCommand::Command(path, _) => Output::ok(page(&path, profile)),
        FoundCommand::Unknown(_) => {
            let words: Vec<String> = topic.iter().map(|word| escape(word)).collect();
            let complaint = format!("Unknown help topic [`{}`]\n", words.join("` `"));
            let page = unknown_topic_page(profile);
            let (stdout, stderr) = match has_cobra_pages(profile) {
                true => (String::new(), complaint + &page),
                false => (page, complaint),
            };
            Output {
                stdout: stdout.into_bytes(),
                stderr: stderr.into_bytes(),
                exit: 0,
            }
        }
    }
}

/// Returns the error for a command that Watchglass does not simulate, with the effect that the command has in etcdctl.
fn not_simulated(name: &str, span: (usize, usize)) -> ParseError {
    let text = match name {
        "check perf" | "check datascale" => {
            "`check perf` would put keys for 60 seconds, 150 per second from 50 clients, and compare throughput and \
             delays with limits; `check datascale` would put 10,000 pairs of 1 kB and print by how much the memory of \
             the member grows. Here, `load check /check/ --puts=150 --clients=50` sends such a load, `show clients` \
             counts its requests, and `show storage` prints the sizes of the file."
        }
        name if name.starts_with("completion") => {
            "Watchglass generates no completion script; the terminal itself completes commands with Tab."
        }
        name if name.starts_with("downgrade") => {
            "All members of a run have one version, so there is no downgrade. `world profile=VERSION` starts a run \
             with another version."
        }
        name => {
            let text =
                format!("`{name}` is not simulated yet. Type `help` for a list of commands.");
            return ParseError::help(span, text);
        }
    };
    ParseError::help(span, text)
}

/// Returns the error output for a command line that cobra refuses. cobra prints the error and `advice`. etcdctl 3.4
/// prints the error again.
pub(super) fn cobra_error(complaint: &str, advice: &str, profile: Profile) -> String {
    let mut stderr = format!("Error: {complaint}\n{advice}\n");
    if !profile.has(Difference::PrintsErrorsOnce) {
        stderr.push_str(&format!("Error: {complaint}\n"));
    }
    stderr
}

pub(super) fn wrong_flag(path: &Path, complaint: &str, profile: Profile) -> CommandLine {
    let (stdout, advice) = match has_cobra_pages(profile) {
        true => (String::new(), cobra_usage(path, profile)),
        false => (page(path, profile), String::new()),
    };
    refused(stdout, cobra_error(complaint, &advice, profile), EXIT_ERROR)
}

/// Returns the flags of a command, including `--help`.
pub(super) fn with_help(path: &Path, profile: Profile) -> Vec<&'static Flag> {
    static HELP: Flag = HELP_FLAG;
    let mut flags = path.flags(profile);
    flags.push(&HELP);
    flags
}

/// Creates a command that needs no member and prints this output.
pub(super) fn answered(stdout: String) -> CommandLine {
    CommandLine::Whole(CommandKind::Answered(Output::ok(stdout)))
}

pub(super) fn refused(stdout: String, stderr: String, exit: u8) -> CommandLine {
    CommandLine::Whole(CommandKind::Refused(Output {
        stdout: stdout.into_bytes(),
        stderr: stderr.into_bytes(),
        exit,
    }))
}
