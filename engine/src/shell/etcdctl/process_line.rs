//! Reads the commands of etcdctl that run until they are ended: `lease keep-alive`, `lock`, `elect` and `make-mirror`.
//!
//! Mirrors `lease_command.go`, `lock_command.go`, `elect_command.go` and `make_mirror_command.go` in
//! `etcdctl/ctlv3/command`, with the checks in the same order. The simulator adds `as NAME` at the end of the line.

use std::sync::Arc;

use super::find::{FoundCommand, find};
use super::flags::{Parsed, parse};
use super::operation::EXIT_BAD_ARGS;
use super::usage::page;
use super::watch_line::{Ending, error_at, first_endpoint, span_of};
use super::{CommandLine, Stop, answered, connection, lease, read_program, with_help, wrong_flag};
use crate::api::Profile;
use crate::base::Bytes;
use crate::base::bytes::escape;
use crate::base::ids::NodeId;
use crate::client::etcd::mirror::MirrorSpec;
use crate::client::etcd::process::ProcessSpec;
use crate::client::etcd::session::{HeldCommand, SessionRole, SessionSpec};
use crate::shell::{CommandKind, Output, ParseError, ProcessCommand, Verb, WatchPrint};
use crate::transcript::for_loop::Arg;

/// The default of `lock --ttl`, in seconds.
const LOCK_TTL: i64 = 10;

/// The default of `make-mirror --max-txn-ops`.
const TXN_OPERATIONS_MAX: u64 = 128;

/// Returns true if the words after `etcdctl` select a command that runs until it is ended.
pub(in crate::shell) fn is_process(words: &[Vec<u8>], profile: Profile) -> bool {
    let FoundCommand::Command(path, rest) = find(words, profile) else {
        return false;
    };
    match &*path.name() {
        "lock" | "elect" | "make-mirror" => true,
        "lease keep-alive" => {
            let parsed = parse(&rest, &with_help(&path, profile));
            parsed.is_ok_and(|parsed| !parsed.on("once") && !parsed.on("help"))
        }
        _ => false,
    }
}

pub(in crate::shell) fn read(args: &[Arg], profile: Profile) -> Result<CommandLine, ParseError> {
    let (args, ending) = Ending::split(args)?;
    if ending.client.is_some() {
        return Err(error_at(
            args,
            "a command without `on`",
            "remove `on CLIENT`",
        ));
    }
    let words: Vec<Vec<u8>> = args.iter().map(|arg| arg.bytes.clone()).collect();
    let FoundCommand::Command(path, mine) = find(&words, profile) else {
        return Err(error_at(args, "a command", "type `help`"));
    };
    let parsed = match parse(&mine, &with_help(&path, profile)) {
        Ok(parsed) => parsed,
        Err(complaint) => return Ok(wrong_flag(&path, &complaint, profile)),
    };
    if parsed.on("help") {
        return Ok(answered(page(&path, profile)));
    }
    let line = Line {
        args,
        parsed,
        profile,
    };
    let read = match &*path.name() {
        "lock" => line.lock(),
        "elect" => line.elect(),
        "make-mirror" => line.mirror(),
        _ => line.keep_alive(),
    };
    match read {
        Ok(command) => Ok(CommandLine::Whole(CommandKind::Process(Box::new(
            ProcessCommand {
                name: ending.name,
                ..command
            },
        )))),
        Err(Stop::Refused(output)) => Ok(CommandLine::Whole(CommandKind::Refused(output))),
        Err(Stop::Unreadable(error)) => Err(error),
    }
}

fn bad_args(text: &str) -> Stop {
    Stop::Refused(Output::error(text, EXIT_BAD_ARGS))
}

struct Line<'a> {
    args: &'a [Arg],
    parsed: Parsed,
    profile: Profile,
}

impl Line<'_> {
    fn process(&self, spec: ProcessSpec) -> Result<ProcessCommand, Stop> {
        let (format, endpoints) = connection(&self.parsed, span_of(self.args))?;
        Ok(ProcessCommand {
            spec,
            name: None,
            endpoint: first_endpoint(endpoints),
            destination: None,
            user: super::auth::user(&self.parsed),
            print: WatchPrint {
                format,
                hex: self.parsed.on("hex"),
                ..WatchPrint::default()
            },
        })
    }

    fn keep_alive(&self) -> Result<ProcessCommand, Stop> {
        let Verb::LeaseKeepAlive { request, .. } = lease::keep_alive(&self.parsed)? else {
            unreachable!("`lease::keep_alive` reads only this command");
        };
        self.process(ProcessSpec::KeepAlive { lease: request.id })
    }

    fn lock(&self) -> Result<ProcessCommand, Stop> {
        let Some((name, words)) = self.parsed.args.split_first() else {
            return Err(bad_args(
                "lock takes a lock name argument and an optional command to execute",
            ));
        };
        let command = match words {
            [] => None,
            words => Some(
                read_program(words, self.profile)
                    .map_err(|why| Stop::Unreadable(ParseError::help(span_of(self.args), why)))?,
            ),
        };
        let runs = command.as_ref().map(|command| match command.request() {
            Some(request) => HeldCommand::Requests(request.into()),
            None => HeldCommand::Prints,
        });
        let ttl = match self.parsed.has("ttl") {
            true => self.parsed.int("ttl"),
            false => LOCK_TTL,
        };
        let mut process = self.session(name, SessionRole::Lock { ttl, runs })?;
        process.print.command = command.map(Arc::new);
        Ok(process)
    }

    fn elect(&self) -> Result<ProcessCommand, Stop> {
        let (name, value) = match self.parsed.args.as_slice() {
            [name] => (name, None),
            [name, value] => (name, Some(value)),
            _ => {
                return Err(bad_args(
                    "elect takes one election name argument and an optional proposal argument",
                ));
            }
        };
        let observes = self.parsed.on("listen");
        let role = match value {
            None => SessionRole::Observe,
            Some(value) => SessionRole::Campaign(Bytes::from(value.as_slice())),
        };
        let process = self.session(name, role)?;
        match (value, observes) {
            (None, false) => Err(bad_args("no proposal argument but -l not set")),
            (Some(_), true) => Err(bad_args("proposal given but -l is set")),
            _ => Ok(process),
        }
    }

    fn session(&self, name: &[u8], role: SessionRole) -> Result<ProcessCommand, Stop> {
        let name = Bytes::from(name);
        self.process(ProcessSpec::Session(SessionSpec { name, role }))
    }

    fn mirror(&self) -> Result<ProcessCommand, Stop> {
        let [destination] = self.parsed.args.as_slice() else {
            return Err(bad_args("make-mirror takes one destination argument"));
        };
        let text = |flag: &str| self.parsed.text(flag).unwrap_or_default();
        let (new, has_none) = (text("dest-prefix"), self.parsed.on("no-dest-prefix"));
        let destination_prefix = match (new, has_none) {
            (_, true) => Some(Bytes::default()),
            (b"", false) => None,
            (new, false) => Some(Bytes::from(new)),
        };
        let process = self.process(ProcessSpec::Mirror(MirrorSpec {
            destination: NodeId::Member(1),
            prefix: Bytes::from(text("prefix")),
            destination_prefix,
            revision: self.parsed.int("rev"),
            operations_max: match self.parsed.has("max-txn-ops") {
                true => self.parsed.uint("max-txn-ops"),
                // 3.4 has no such flag and no maximum.
                false if self.profile == Profile::V3_4 => u64::MAX,
                false => TXN_OPERATIONS_MAX,
            },
        }))?;
        if has_none && !new.is_empty() {
            return Err(bad_args(
                "`--dest-prefix` and `--no-dest-prefix` cannot be set at the same time, choose one",
            ));
        }
        Ok(ProcessCommand {
            destination: Some(escape(destination)),
            ..process
        })
    }
}
