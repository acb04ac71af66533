//! Reads `snapshot status` and `snapshot restore`, for etcdctl 3.4 and for etcdutl (3.5 and later).
//!
//! Mirrors `etcdctl/ctlv3/command/snapshot_command.go` of 3.4 and `etcdutl/etcdutl/snapshot_command.go`. The simulated
//! member has only one data directory. A restore therefore ignores `--data-dir`, replaces the data of the stopped
//! member, and keeps the member's IDs. `--skip-hash-check` has no effect, because saved snapshots always contain a
//! hash, and imported files are checked when they are opened. Not supported: the log lines of these tools.

use crate::api::Profile;
use crate::shell::etcdctl::find::Path;
use crate::shell::etcdctl::flags::{Parsed, parse};
use crate::shell::etcdctl::operation::{EXIT_BAD_ARGS, EXIT_ERROR};
use crate::shell::etcdctl::{format, with_help};
use crate::shell::go::quote::quoted;
use crate::shell::line::for_loop::Arg;
use crate::shell::line::names::file_name;
use crate::shell::table::Flag;
use crate::shell::table::world::{ETCDUTL_FLAGS, RESTORE_FLAGS};
use crate::shell::{CommandKind, Output, ParseError, Show};
use crate::world::op::WorldOp;

use super::world_verb::BUMP_MAX;

/// The default value of `--name`.
const DEFAULT_NAME: &[u8] = b"default";
/// The default value of `--initial-cluster`.
const DEFAULT_CLUSTER: &[u8] = b"default=http://localhost:2380";

/// The tool whose command is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::shell) enum SnapshotTool {
    /// The tool `etcdctl`.
    Etcdctl,
    /// The tool `etcdutl`.
    Etcdutl,
}

/// Reads the words after the tool's name. `start` and `end` are the byte range of the command in the line.
pub(in crate::shell) fn read(
    tool: SnapshotTool,
    args: &[Arg],
    (start, end): (usize, usize),
    profile: Profile,
) -> Result<CommandKind, ParseError> {
    let is_known = args.first().is_some_and(|arg| arg.bytes == b"snapshot");
    let Some(what) = args.get(1).filter(|_| is_known) else {
        return Err(ParseError::new(
            start,
            end,
            "snapshot status or snapshot restore after etcdutl",
            "Watchglass has no other etcdutl commands; try `etcdctl defrag` or `etcdctl endpoint hashkv`",
        ));
    };
    let (start, end) = what.span;
    match (tool, profile) {
        (SnapshotTool::Etcdctl, Profile::V3_6) => {
            return Err(ParseError::new(
                start,
                end,
                "`save`, the only snapshot command of etcdctl since 3.6",
                "type etcdutl in place of etcdctl",
            ));
        }
        (SnapshotTool::Etcdutl, Profile::V3_4) => {
            return Err(ParseError::new(
                start,
                end,
                "etcdctl before `snapshot`, because etcd 3.4 has no etcdutl",
                "type etcdctl in place of etcdutl",
            ));
        }
        (SnapshotTool::Etcdctl, Profile::V3_4) | (SnapshotTool::Etcdutl, Profile::V3_6) => {}
    }
    let words: Vec<Vec<u8>> = args[2..].iter().map(|arg| arg.bytes.clone()).collect();
    let mut flags: Vec<&'static Flag> = match tool {
        SnapshotTool::Etcdctl => with_help(&Path::root(), profile),
        SnapshotTool::Etcdutl => ETCDUTL_FLAGS.iter().collect(),
    };
    let is_restore = match what.bytes.as_slice() {
        b"status" => false,
        b"restore" => true,
        b"save" => {
            let text = "Command \"save\" is deprecated, Use `etcdctl snapshot save` to download snapshot\n\
                        Error: In order to download snapshot use: `etcdctl snapshot save ...`\n";
            return Ok(CommandKind::Refused(Output {
                stdout: Vec::new(),
                stderr: text.into(),
                exit: EXIT_BAD_ARGS,
            }));
        }
        _ => {
            return Err(ParseError::new(
                start,
                end,
                "`status` or `restore`, and a file name",
                "`snapshot save monday.db` creates a file",
            ));
        }
    };
    if is_restore {
        flags.extend(RESTORE_FLAGS.iter().filter(|f| f.exists(profile)));
    }
    let refused = |text: &str, exit| Ok(CommandKind::Refused(Output::error(text, exit)));
    let parsed = match parse(&words, &flags) {
        Ok(parsed) => parsed,
        Err(complaint) => return refused(&complaint, EXIT_ERROR),
    };
    if is_restore && tool == SnapshotTool::Etcdutl && parsed.text("data-dir").is_none() {
        return refused("required flag(s) \"data-dir\" not set", EXIT_ERROR);
    }
    let [file] = parsed.args.as_slice() else {
        let text = format!(
            "snapshot {} requires exactly one argument",
            what.bytes.escape_ascii()
        );
        return refused(&text, EXIT_BAD_ARGS);
    };
    let file = args.iter().find(|arg| arg.bytes == *file).unwrap_or(what);
    let name = file_name(file)?;
    if !is_restore {
        return Ok(match format(&parsed) {
            Ok(format) => CommandKind::Show(Show::Snapshot { name, format }),
            Err(output) => CommandKind::Refused(output),
        });
    }
    restore(name, &parsed, what.span)
}

fn restore(
    name: String,
    parsed: &Parsed,
    (start, end): (usize, usize),
) -> Result<CommandKind, ParseError> {
    let refused = |text: &str, exit| Ok(CommandKind::Refused(Output::error(text, exit)));
    let (bump, mark_compacted) = (parsed.int("bump-revision"), parsed.on("mark-compacted"));
    if mark_compacted != (bump > 0) {
        return refused(
            "--mark-compacted required if --revision-bump > 0",
            EXIT_BAD_ARGS,
        );
    }
    if !(0..=BUMP_MAX).contains(&bump) {
        return Err(ParseError::new(
            start,
            end,
            "a number to add to the revision, at most a billion",
            "give a smaller --bump-revision",
        ));
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
        return Err(ParseError::new(
            start,
            end,
            "one member in --initial-cluster",
            "this world has only one member; list only this member",
        ));
    }
    Ok(CommandKind::Op(WorldOp::RestoreSnapshot {
        name,
        bump: bump.unsigned_abs(),
        mark_compacted,
    }))
}
