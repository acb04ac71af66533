//! Reads `snapshot save`, and `snapshot status` and `snapshot restore` for etcdctl 3.4 and for etcdutl (3.5 and later).
//!
//! Mirrors `etcdctl/ctlv3/command/snapshot_command.go` of 3.4 and `etcdutl/etcdutl/snapshot_command.go`. The simulated
//! member has only one data directory. A restore therefore ignores `--data-dir`, replaces the data of the stopped
//! member, and keeps the member's IDs. `--skip-hash-check` has no effect, because saved snapshots always contain a
//! hash, and imported files are checked when they are opened. Not supported: the log lines of these tools.

use super::find::{Path, takes_next};
use super::flags::{Parsed, by_letter, by_name};
use super::operation::{EXIT_BAD_ARGS, EXIT_ERROR, EXIT_INTERRUPTED};
use super::{Stop, connection, format};
use crate::api::Profile;
use crate::base::digest::Sparse;
use crate::base::go::quote::quoted;
use crate::shell::command::deprecation;
use crate::shell::names::file_name;
use crate::shell::{CommandKind, Output, ParseError, Show};
use crate::transcript::for_loop::Arg;
use crate::world::op::WorldOp;

const DEFAULT_NAME: &[u8] = b"default";
const DEFAULT_CLUSTER: &[u8] = b"default=http://localhost:2380";

/// The maximum of `--bump-revision`, which is the value that etcd's documentation suggests.
pub(in crate::shell) const BUMP_MAX: u64 = 1_000_000_000;

/// Reads `etcdctl snapshot save`, `status` and `restore`. `name` is the full name of the command.
pub(super) fn read(
    name: &str,
    parsed: &Parsed,
    span: (usize, usize),
    profile: Profile,
) -> Result<CommandKind, Stop> {
    let (moved, read) = match name {
        "snapshot save" => return save(parsed, span, profile),
        "snapshot status" => ("status", status(parsed, span)),
        _ => ("restore", restore(parsed, span)),
    };
    read.map_err(|stop| match stop {
        Stop::Refused(mut output) if profile == Profile::V3_5 => {
            output.stderr.splice(0..0, deprecation(moved).into_bytes());
            Stop::Refused(output)
        }
        stop => stop,
    })
}

/// Removes etcdctl's flags for connections from the words of the simulator's command `snapshot`. Returns `None` if the
/// words are another command.
pub(in crate::shell) fn of_simulator(args: &[Arg], profile: Profile) -> Option<Vec<Arg>> {
    let flags = Path::root().flags(profile);
    let (mut words, mut formats) = (Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let body = arg.bytes.strip_prefix(b"--");
        let name = body.and_then(|body| body.split(|b| *b == b'=').next());
        let letter = arg.bytes.strip_prefix(b"-").and_then(|body| body.first());
        let flag = match (name, letter) {
            (Some(name), _) => by_name(&flags, name),
            (None, Some(letter)) => by_letter(&flags, *letter),
            (None, None) => None,
        };
        let Some(flag) = flag else {
            words.push(arg.clone());
            continue;
        };
        let value = takes_next(&arg.bytes, &flags)
            .then(|| rest.next())
            .flatten();
        if flag.name == "write-out" {
            formats.push(arg.clone());
            formats.extend(value.cloned());
        }
    }
    let is_snapshot = words.first().is_some_and(|word| word.bytes == b"snapshot");
    words.extend(formats);
    is_snapshot.then_some(words)
}

fn save(parsed: &Parsed, span: (usize, usize), profile: Profile) -> Result<CommandKind, Stop> {
    let [file] = parsed.args.as_slice() else {
        let text = match profile >= Profile::V3_6 {
            true => "snapshot save expects one argument <filename>",
            false => "snapshot save expects one argument",
        };
        return Err(Output::error(text, EXIT_BAD_ARGS).into());
    };
    let (_, endpoints) = connection(parsed, span)?;
    if endpoints.len() > 1 {
        let endpoints = endpoints.join(" ");
        let text =
            format!("snapshot must be requested to one selected node, not multiple [{endpoints}]");
        return Err(Output::error(&text, EXIT_INTERRUPTED).into());
    }
    let name = file_of(file, span)?;
    let login = super::auth::user(parsed).and_then(|user| user.login());
    let login = Sparse(login);
    Ok(CommandKind::Op(WorldOp::SaveSnapshot { name, login }))
}

pub(super) fn status(parsed: &Parsed, span: (usize, usize)) -> Result<CommandKind, Stop> {
    let name = only_file("status", parsed, span)?;
    let format = format(parsed)?;
    Ok(CommandKind::Show(Show::Snapshot { name, format }))
}

/// Returns the file, which must be the only argument of the command.
fn only_file(command: &str, parsed: &Parsed, span: (usize, usize)) -> Result<String, Stop> {
    let [file] = parsed.args.as_slice() else {
        let text = format!("snapshot {command} requires exactly one argument");
        return Err(Output::error(&text, EXIT_BAD_ARGS).into());
    };
    file_of(file, span)
}

fn file_of(bytes: &[u8], span: (usize, usize)) -> Result<String, Stop> {
    let arg = Arg {
        bytes: bytes.to_vec(),
        span,
        quoted: false,
    };
    file_name(&arg).map_err(Stop::Unreadable)
}

pub(super) fn restore(parsed: &Parsed, (start, end): (usize, usize)) -> Result<CommandKind, Stop> {
    let name = only_file("restore", parsed, (start, end))?;
    let refused = |text: &str, exit| Err(Output::error(text, exit).into());
    let (bump, mark_compacted) = (parsed.uint("bump-revision"), parsed.on("mark-compacted"));
    if mark_compacted != (bump > 0) {
        return refused(
            "--mark-compacted required if --revision-bump > 0",
            EXIT_BAD_ARGS,
        );
    }
    if bump > BUMP_MAX {
        return Err(Stop::Unreadable(ParseError::new(
            start,
            end,
            "a number from 0 to 1000000000 after --bump-revision",
            "choose a number in this range",
        )));
    }
    let member = parsed.text("name").unwrap_or(DEFAULT_NAME);
    let cluster = parsed.text("initial-cluster").unwrap_or(DEFAULT_CLUSTER);
    let mut members = cluster.split(|byte| *byte == b',');
    let is_member = |entry: &[u8]| {
        entry
            .strip_prefix(member)
            .is_some_and(|rest| rest.starts_with(b"="))
    };
    if !members.clone().any(is_member) {
        let member = quoted(member);
        let text =
            format!("couldn't find local name {member} in the initial cluster configuration");
        return refused(&text, EXIT_ERROR);
    }
    if members.nth(1).is_some() {
        return Err(Stop::Unreadable(ParseError::new(
            start,
            end,
            "one member in --initial-cluster",
            "Watchglass restores a single member; name only this member in --initial-cluster",
        )));
    }
    Ok(CommandKind::Op(WorldOp::RestoreSnapshot {
        name,
        bump,
        mark_compacted,
    }))
}
