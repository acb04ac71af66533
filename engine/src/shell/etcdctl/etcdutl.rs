//! Reads `etcdutl`, which works on files, with the pages of its help.
//!
//! Mirrors `etcdutl/ctl.go` and `etcdutl/etcdutl`, with the pages of `cobra`. [`snapshot`](super::snapshot) reads the
//! arguments of `etcdutl snapshot`. The data directory of a cluster's member is `NAME.etcd`; any other directory is
//! that of the first member. Left out: the log lines. `completion` generates no script.

use super::find::{first_command, pick, without};
use super::flags::{Parsed, parse};
use super::operation::{EXIT_BAD_ARGS, EXIT_ERROR};
use super::{Stop, format, snapshot};
use crate::api::{Difference, Profile};
use crate::base::bytes::escape;
use crate::base::go::quote::quoted;
use crate::base::small_sort::SmallSort;
use crate::etcd::FileEdit;
use crate::shell::names::file_name;
use crate::shell::table::Versions::{self, All, Only, Since};
use crate::shell::table::world::{ETCDUTL_FLAGS, RESTORE_FLAGS};
use crate::shell::table::{Flag, FlagKind, HELP_FLAG, flag};
use crate::shell::{CommandKind, Output, ParseError, Show};
use crate::transcript::for_loop::Arg;
use crate::world::op::WorldOp;

/// A command of etcdutl.
struct Tool {
    name: &'static str,
    /// The name and the arguments, as the usage prints them.
    usage: &'static str,
    short: &'static str,
    flags: &'static [Flag],
    /// The flags without which etcdutl refuses the command.
    required: &'static [&'static str],
    versions: Versions,
}

static TOOLS: &[Tool] = &[
    Tool {
        name: "backup",
        usage: "backup [flags]",
        short: "[legacy] offline backup of etcd directory",
        flags: &[],
        required: &[],
        versions: Only(Profile::V3_5),
    },
    Tool {
        name: "check",
        usage: "check [command]",
        short: "commands for checking properties",
        flags: &[],
        required: &[],
        versions: Only(Profile::V3_5),
    },
    Tool {
        name: "completion",
        usage: "completion [bash|zsh|fish|powershell]",
        short: "Generate completion script",
        flags: &[],
        required: &[],
        versions: Since(Profile::V3_6),
    },
    Tool {
        name: "defrag",
        usage: "defrag [flags]",
        short: "Defragments the storage of the etcd",
        flags: &[flag(
            "data-dir",
            FlagKind::Text,
            "",
            "Required. Defragments a data directory not in use by etcd.",
        )],
        required: &["data-dir"],
        versions: All,
    },
    Tool {
        name: "hashkv",
        usage: "hashkv <filename> [flags]",
        short: "Prints the KV history hash of a given file",
        flags: &[flag(
            "rev",
            FlagKind::Int,
            "0",
            "maximum revision to hash (default: latest revision)",
        )],
        required: &[],
        versions: Since(Profile::V3_6),
    },
    Tool {
        name: "help",
        usage: "help [command] [flags]",
        short: "Help about any command",
        flags: &[],
        required: &[],
        versions: All,
    },
    Tool {
        name: "migrate",
        usage: "migrate [flags]",
        short: "Migrates schema of etcd data dir files to make them compatible with different etcd version",
        flags: &[
            flag("data-dir", FlagKind::Text, "", "Path to the etcd data dir"),
            flag(
                "force",
                FlagKind::Bool,
                "false",
                "Ignore migration failure and forcefully override storage version. Not recommended.",
            ),
            flag(
                "target-version",
                FlagKind::Text,
                "",
                "Target etcd version to migrate contents of data dir. Minimal value 3.5. Format \"X.Y\" for example \
                 3.6.",
            ),
        ],
        required: &["data-dir", "target-version"],
        versions: Since(Profile::V3_6),
    },
    Tool {
        name: "snapshot",
        usage: "snapshot [command]",
        short: "Manages etcd node snapshots",
        flags: &[],
        required: &[],
        versions: All,
    },
    Tool {
        name: "version",
        usage: "version [flags]",
        short: "Prints the version of etcdutl",
        flags: &[],
        required: &[],
        versions: All,
    },
];

static SNAPSHOT_TOOLS: &[Tool] = &[
    Tool {
        name: "restore",
        usage: "snapshot restore <filename> --data-dir {output dir} [options] [flags]",
        short: "Restores an etcd member snapshot to an etcd directory",
        flags: RESTORE_FLAGS,
        required: &[],
        versions: Since(Profile::V3_6),
    },
    Tool {
        name: "restore",
        usage: "snapshot restore <filename> --data-dir {output dir} [options] [flags]",
        short: "Restores an etcd member snapshot to an etcd directory",
        flags: RESTORE_FLAGS,
        required: &["data-dir"],
        versions: Only(Profile::V3_5),
    },
    Tool {
        name: "status",
        usage: "snapshot status <filename> [flags]",
        short: "Gets backend snapshot status of a given file",
        flags: &[],
        required: &[],
        versions: All,
    },
];

/// The error of `etcdutl snapshot save` in 3.5. Later versions have no such command, and print the page of `snapshot`.
const SAVE_MOVED: &str = "Command \"save\" is deprecated, Use `etcdctl snapshot save` to download snapshot\n\
                          Error: In order to download snapshot use: `etcdctl snapshot save ...`\n";

fn of_version(tools: &'static [Tool], profile: Profile) -> Vec<&'static Tool> {
    let exists = |tool: &&Tool| tool.versions.include(profile);
    tools.iter().filter(exists).collect()
}

/// Returns the tool that a word names, which can be the start of a name.
fn named(word: &[u8], tools: &[&'static Tool]) -> Option<&'static Tool> {
    let names: Vec<&'static str> = tools.iter().map(|tool| tool.name).collect();
    let name = pick(word, &names)?;
    tools.iter().find(|tool| tool.name == name).copied()
}

/// Reads the words after `etcdutl`. `place` is the byte range of the command in the line.
pub(in crate::shell) fn read(
    words: &[Vec<u8>],
    place: (usize, usize),
    profile: Profile,
) -> Result<CommandKind, ParseError> {
    if !profile.has(Difference::HasEtcdutl) {
        return Err(ParseError::new(
            place.0,
            place.1,
            "`etcdctl`, because etcd 3.4 has no etcdutl",
            "type `etcdctl` instead of `etcdutl`",
        ));
    }
    let shared: Vec<&'static Flag> = of_profile(ETCDUTL_FLAGS, profile).collect();
    let tools = of_version(TOOLS, profile);
    let Some(first) = first_command(words, &shared) else {
        return Ok(answered(group_page("etcdutl", &tools, profile)));
    };
    let Some(tool) = named(&first, &tools) else {
        let complaint = format!("unknown command {} for \"etcdutl\"", quoted(&first));
        return Ok(refused(&format!(
            "Error: {complaint}\nRun 'etcdutl --help' for usage.\nError: {complaint}\n"
        )));
    };
    let mut rest = without(words.to_vec(), &first, &shared);
    if tool.name == "help" {
        return Ok(answered(help(rest, &shared, profile)));
    }
    let mut tool = tool;
    if tool.name == "snapshot" {
        let second = first_command(&rest, &shared);
        let found = second.as_ref().and_then(|second| {
            let tool = named(second, &of_version(SNAPSHOT_TOOLS, profile))?;
            rest = without(rest.clone(), second, &shared);
            Some(tool)
        });
        match (found, second.as_deref()) {
            (Some(found), _) => tool = found,
            (None, Some(b"save")) if profile == Profile::V3_5 => {
                return Ok(CommandKind::Refused(Output {
                    stderr: SAVE_MOVED.into(),
                    exit: EXIT_BAD_ARGS,
                    ..Output::default()
                }));
            }
            (None, _) => return Ok(answered(snapshot_page(profile))),
        }
    }
    static HELP: Flag = HELP_FLAG;
    let known = shared
        .into_iter()
        .chain(of_profile(tool.flags, profile))
        .chain([&HELP])
        .collect::<Vec<_>>();
    let parsed = match parse(&rest, &known) {
        Ok(parsed) => parsed,
        Err(complaint) => return Ok(with_usage(&complaint, tool, profile)),
    };
    if parsed.on("help") {
        return Ok(answered(page(tool, profile)));
    }
    if let Some(complaint) = complaint(tool, &parsed) {
        return Ok(with_usage(&complaint, tool, profile));
    }
    command(tool, &parsed, place, profile)
}

fn help(topic: Vec<Vec<u8>>, shared: &[&'static Flag], profile: Profile) -> String {
    let tools = of_version(TOOLS, profile);
    let first = first_command(&topic, shared);
    match first.and_then(|first| Some((named(&first, &tools)?, first))) {
        None => group_page("etcdutl", &tools, profile),
        Some((tool, first)) if tool.name == "snapshot" => {
            let second = first_command(&without(topic, &first, shared), shared);
            let tools = of_version(SNAPSHOT_TOOLS, profile);
            match second.and_then(|second| named(&second, &tools)) {
                Some(tool) => page(tool, profile),
                None => snapshot_page(profile),
            }
        }
        Some((tool, _)) => page(tool, profile),
    }
}

/// Returns the error of `cobra` about the arguments or about missing flags.
fn complaint(tool: &Tool, parsed: &Parsed) -> Option<String> {
    let count = parsed.args.len();
    let takes_one = matches!(tool.name, "hashkv" | "completion");
    if takes_one && count != 1 {
        return Some(format!("accepts 1 arg(s), received {count}"));
    }
    let shells = ["bash", "zsh", "fish", "powershell"];
    if tool.name == "completion"
        && shells
            .iter()
            .all(|shell| parsed.args[0] != shell.as_bytes())
    {
        let shell = quoted(&parsed.args[0]);
        return Some(format!(
            "invalid argument {shell} for \"etcdutl completion\""
        ));
    }
    let missing = tool.required.iter().filter(|flag| !parsed.has(flag));
    let missing: Vec<String> = missing.map(|flag| format!("\"{flag}\"")).collect();
    (!missing.is_empty()).then(|| format!("required flag(s) {} not set", missing.join(", ")))
}

fn command(
    tool: &Tool,
    parsed: &Parsed,
    (start, end): (usize, usize),
    profile: Profile,
) -> Result<CommandKind, ParseError> {
    match tool.name {
        "version" => {
            let (server, api) = (profile.server_version(), profile.api_version());
            Ok(answered(format!(
                "etcdutl version: {server}\nAPI version: {api}\n"
            )))
        }
        "hashkv" => {
            let name = file_name(&Arg {
                bytes: parsed.args[0].clone(),
                span: (start, end),
                quoted: false,
            })?;
            Ok(match format(parsed) {
                Ok(format) => CommandKind::Show(Show::FileHash {
                    name,
                    revision: parsed.int("rev"),
                    format,
                }),
                Err(output) => CommandKind::Refused(output),
            })
        }
        "status" => read_kind(snapshot::status(parsed, (start, end))),
        "restore" => read_kind(snapshot::restore(parsed, (start, end))),
        "defrag" => Ok(edit(parsed, FileEdit::Defragment)),
        "migrate" => Ok(migrate(parsed, profile)),
        "completion" => Err(ParseError::help(
            (start, end),
            "Watchglass generates no completion script; the terminal itself completes commands with Tab",
        )),
        _ => Err(ParseError::help(
            (start, end),
            "Watchglass has no data of etcd 2, which this command is for",
        )),
    }
}

fn read_kind(read: Result<CommandKind, Stop>) -> Result<CommandKind, ParseError> {
    match read {
        Ok(kind) => Ok(kind),
        Err(Stop::Refused(output)) => Ok(CommandKind::Refused(output)),
        Err(Stop::Unreadable(error)) => Err(error),
    }
}

/// Creates the command that changes the database file in `--data-dir`.
fn edit(parsed: &Parsed, edit: FileEdit) -> CommandKind {
    let data_dir = escape(parsed.text("data-dir").unwrap_or_default());
    CommandKind::Op(WorldOp::EditFile { data_dir, edit })
}

/// Reads `migrate`. etcd's log has no entries that an older version could not read, so every older version can be the
/// target.
fn migrate(parsed: &Parsed, profile: Profile) -> CommandKind {
    let refuse = |text: &str, exit| CommandKind::Refused(Output::error(text, exit));
    let (major, minor) = match target_version(parsed) {
        Ok(target) => target,
        Err(complaint) => return refuse(&complaint, EXIT_BAD_ARGS),
    };
    let newest = profile.minor();
    if !parsed.on("force") && major != 3 {
        let text = "cannot create migration plan: changing major storage version is not supported";
        return refuse(text, EXIT_ERROR);
    }
    if !parsed.on("force") && minor > newest {
        let next = newest + 1;
        let text = format!("cannot create migration plan: version \"3.{next}.0\" is not supported");
        return refuse(&text, EXIT_ERROR);
    }
    edit(parsed, FileEdit::Migrate { major, minor })
}

/// Returns the two numbers of `migrate --target-version`, or the error about them.
fn target_version(parsed: &Parsed) -> Result<(u64, u64), String> {
    let target = parsed.text("target-version").unwrap_or_default();
    if target.iter().filter(|byte| **byte == b'.').count() != 1 {
        let target = quoted(target);
        return Err(format!(
            "wrong target version format, expected \"X.Y\", got {target}"
        ));
    }
    let target = escape(target);
    let (major, minor) = target.split_once('.').unwrap_or_default();
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| {
            let text = quoted(text.as_bytes());
            format!(
                "failed to parse target version: strconv.ParseInt: parsing {text}: invalid syntax"
            )
        })
    };
    let (major, minor) = (number(major)?, number(minor)?);
    match (major, minor) < (3, 5) {
        true => Err(format!(
            "target version \"{major}.{minor}\" not supported. Minimal \"3.5\""
        )),
        false => Ok((major, minor)),
    }
}

fn answered(text: String) -> CommandKind {
    CommandKind::Answered(Output::ok(text))
}

fn refused(text: &str) -> CommandKind {
    CommandKind::Refused(Output {
        stderr: text.into(),
        exit: EXIT_ERROR,
        ..Output::default()
    })
}

fn with_usage(complaint: &str, tool: &Tool, profile: Profile) -> CommandKind {
    let page = page(tool, profile);
    refused(&format!("Error: {complaint}\n{page}\nError: {complaint}\n"))
}

fn snapshot_page(profile: Profile) -> String {
    let tools = of_version(SNAPSHOT_TOOLS, profile);
    group_page("etcdutl snapshot", &tools, profile)
}

/// Returns the page of a command that has other commands. `path` is its full name.
fn group_page(path: &str, tools: &[&Tool], profile: Profile) -> String {
    let commands = tools.iter();
    let commands = commands.map(|tool| format!("  {:<11} {}\n", tool.name, tool.short));
    let commands: String = commands.collect();
    static HELP: Flag = HELP_FLAG;
    let shared = of_profile(ETCDUTL_FLAGS, profile);
    let flags = match path.split_once(' ') {
        None => rows([&HELP].into_iter().chain(shared), path),
        Some((_, subject)) => {
            let (own, global) = (rows([&HELP], subject), rows(shared, subject));
            format!("{own}\nGlobal Flags:\n{global}")
        }
    };
    format!(
        "Usage:\n  {path} [command]\n\nAvailable Commands:\n{commands}\nFlags:\n{flags}\n\
         Use \"{path} [command] --help\" for more information about a command.\n"
    )
}

fn page(tool: &Tool, profile: Profile) -> String {
    static HELP: Flag = HELP_FLAG;
    let mut flags: Vec<&'static Flag> = of_profile(tool.flags, profile).chain([&HELP]).collect();
    flags.small_sort_by_key(|flag| flag.name);
    let own = rows(flags, tool.name);
    let global = rows(of_profile(ETCDUTL_FLAGS, profile), tool.name);
    format!(
        "Usage:\n  etcdutl {}\n\nFlags:\n{own}\nGlobal Flags:\n{global}",
        tool.usage
    )
}

fn of_profile(flags: &'static [Flag], profile: Profile) -> impl Iterator<Item = &'static Flag> {
    flags.iter().filter(move |flag| flag.exists(profile))
}

/// Returns the rows of flags, in the form of `pflag`.
fn rows(flags: impl IntoIterator<Item = &'static Flag>, subject: &str) -> String {
    let row = |flag: &'static Flag| {
        let mut left = match flag.letter {
            0 => format!("      --{}", flag.name),
            letter => format!("  -{}, --{}", char::from(letter), flag.name),
        };
        left.push_str(match flag.kind {
            FlagKind::Bool => "",
            FlagKind::Int => " int",
            FlagKind::Uint => " uint",
            FlagKind::Text => " string",
            FlagKind::Duration => " duration",
            FlagKind::List => " strings",
        });
        let mut right = match flag.usage {
            "" => format!("help for {subject}"),
            usage => usage.to_owned(),
        };
        match flag.kind {
            FlagKind::Text if !flag.default.is_empty() => {
                right.push_str(&format!(" (default \"{}\")", flag.default));
            }
            FlagKind::Uint | FlagKind::Duration if flag.default != "0" => {
                right.push_str(&format!(" (default {})", flag.default));
            }
            _ => {}
        }
        (left, right)
    };
    let rows: Vec<(String, String)> = flags.into_iter().map(row).collect();
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0) + 3;
    rows.iter()
        .map(|(left, right)| format!("{left:<width$}{right}\n"))
        .collect()
}
