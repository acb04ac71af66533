//! Reads `etcdutl`, which works on files: `hashkv`, `version`, and the pages of its help.
//!
//! Mirrors `etcdutl/ctl.go` and `etcdutl/etcdutl`, with the pages of `cobra`. [`snapshot`](super::snapshot) reads
//! `etcdutl snapshot`. The simulated member has no data directory, so `defrag` and `migrate` only check their flags;
//! `completion` generates no script.

use super::find::{first_command, pick, without};
use super::flags::{Parsed, parse};
use super::operation::{EXIT_BAD_ARGS, EXIT_ERROR};
use super::{format, snapshot};
use crate::api::{Difference, Profile};
use crate::base::bytes::escape;
use crate::shell::go::quote::quoted;
use crate::shell::line::for_loop::Arg;
use crate::shell::line::names::file_name;
use crate::shell::table::world::ETCDUTL_FLAGS;
use crate::shell::table::{Flag, FlagKind, HELP_FLAG, flag};
use crate::shell::{CommandKind, Output, ParseError, Show};

/// A command of etcdutl.
struct Tool {
    name: &'static str,
    /// The name and the arguments, as the usage prints them.
    usage: &'static str,
    short: &'static str,
    flags: &'static [Flag],
    /// The flags without which etcdutl refuses the command.
    required: &'static [&'static str],
}

impl Tool {
    fn exists(&self, profile: Profile) -> bool {
        !matches!(self.name, "hashkv" | "migrate") || profile.has(Difference::HashesFiles)
    }
}

static TOOLS: &[Tool] = &[
    Tool {
        name: "completion",
        usage: "completion [bash|zsh|fish|powershell]",
        short: "Generate completion script",
        flags: &[],
        required: &[],
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
    },
    Tool {
        name: "help",
        usage: "help [command] [flags]",
        short: "Help about any command",
        flags: &[],
        required: &[],
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
    },
    Tool {
        name: "snapshot",
        usage: "snapshot [command]",
        short: "Manages etcd node snapshots",
        flags: &[],
        required: &[],
    },
    Tool {
        name: "version",
        usage: "version [flags]",
        short: "Prints the version of etcdutl",
        flags: &[],
        required: &[],
    },
];

/// Reads the words after `etcdutl`. `place` is the byte range of the command in the line.
pub(in crate::shell) fn read(
    words: &[Vec<u8>],
    place: (usize, usize),
    profile: Profile,
) -> Result<CommandKind, ParseError> {
    let shared: Vec<&'static Flag> = ETCDUTL_FLAGS.iter().collect();
    let tools: Vec<&'static Tool> = TOOLS.iter().filter(|tool| tool.exists(profile)).collect();
    let names: Vec<&'static str> = tools.iter().map(|tool| tool.name).collect();
    let root_page = || root_page(&tools);
    if !profile.has(Difference::HasEtcdutl) {
        return snapshot::etcdutl(words, place, profile);
    }
    let Some(first) = first_command(words, &shared) else {
        return Ok(answered(root_page()));
    };
    let Some(name) = pick(&first, &names) else {
        let complaint = format!("unknown command {} for \"etcdutl\"", quoted(&first));
        return Ok(refused(&format!(
            "Error: {complaint}\nRun 'etcdutl --help' for usage.\nError: {complaint}\n"
        )));
    };
    if name == "snapshot" {
        return snapshot::etcdutl(words, place, profile);
    }
    let tool = tool(name);
    let rest = without(words.to_vec(), &first, &shared);
    if name == "help" {
        let topic = first_command(&rest, &shared).and_then(|topic| pick(&topic, &names));
        return Ok(answered(
            topic.map_or_else(root_page, |topic| page(self::tool(topic))),
        ));
    }
    static HELP: Flag = HELP_FLAG;
    let known = shared
        .into_iter()
        .chain(tool.flags)
        .chain([&HELP])
        .collect::<Vec<_>>();
    let parsed = match parse(&rest, &known) {
        Ok(parsed) => parsed,
        Err(complaint) => return Ok(with_usage(&complaint, tool)),
    };
    if parsed.on("help") {
        return Ok(answered(page(tool)));
    }
    if let Some(complaint) = complaint(tool, &parsed) {
        return Ok(with_usage(&complaint, tool));
    }
    command(tool, &parsed, place, profile)
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
        "migrate" if let Some(complaint) = wrong_version(parsed) => Ok(CommandKind::Refused(
            Output::error(&complaint, EXIT_BAD_ARGS),
        )),
        "completion" => Err(ParseError::help(
            (start, end),
            "Watchglass generates no completion script; the terminal itself completes commands with Tab",
        )),
        _ => Err(ParseError::help(
            (start, end),
            "a member of Watchglass has no data directory; `etcdctl defrag` rewrites the file of a running member, and \
             `world profile=VERSION` starts another version",
        )),
    }
}

/// Returns the error about `migrate --target-version`.
fn wrong_version(parsed: &Parsed) -> Option<String> {
    let target = parsed.text("target-version").unwrap_or_default();
    if target.iter().filter(|byte| **byte == b'.').count() != 1 {
        let target = quoted(target);
        return Some(format!(
            "wrong target version format, expected \"X.Y\", got {target}"
        ));
    }
    let target = escape(target);
    let (major, minor) = target.split_once('.')?;
    match (major.parse::<u64>(), minor.parse::<u64>()) {
        (Ok(major), Ok(minor)) if (major, minor) < (3, 5) => Some(format!(
            "target version \"{major}.{minor}\" not supported. Minimal \"3.5\""
        )),
        (Ok(_), Ok(_)) => None,
        (Err(_), _) => Some(format!(
            "failed to parse target version: strconv.ParseInt: parsing {}: invalid syntax",
            quoted(major.as_bytes())
        )),
        (_, Err(_)) => Some(format!(
            "failed to parse target version: strconv.ParseInt: parsing {}: invalid syntax",
            quoted(minor.as_bytes())
        )),
    }
}

fn tool(name: &str) -> &'static Tool {
    let mut tools = TOOLS.iter();
    tools
        .find(|tool| tool.name == name)
        .expect("the name is from the table")
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

fn with_usage(complaint: &str, tool: &Tool) -> CommandKind {
    refused(&format!(
        "Error: {complaint}\n{}\nError: {complaint}\n",
        page(tool)
    ))
}

/// Returns the page of etcdutl itself.
fn root_page(tools: &[&Tool]) -> String {
    let commands = tools.iter();
    let commands = commands.map(|tool| format!("  {:<11} {}\n", tool.name, tool.short));
    let commands: String = commands.collect();
    static HELP: Flag = HELP_FLAG;
    let flags = rows([&HELP].into_iter().chain(ETCDUTL_FLAGS), "etcdutl");
    format!(
        "Usage:\n  etcdutl [command]\n\nAvailable Commands:\n{commands}\nFlags:\n{flags}\n\
         Use \"etcdutl [command] --help\" for more information about a command.\n"
    )
}

/// Returns the page of a command.
fn page(tool: &Tool) -> String {
    static HELP: Flag = HELP_FLAG;
    let mut flags: Vec<&'static Flag> = tool.flags.iter().chain([&HELP]).collect();
    flags.sort_by_key(|flag| flag.name);
    let (own, global) = (rows(flags, tool.name), rows(ETCDUTL_FLAGS, tool.name));
    format!(
        "Usage:\n  etcdutl {}\n\nFlags:\n{own}\nGlobal Flags:\n{global}",
        tool.usage
    )
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
        if flag.kind == FlagKind::Text && !flag.default.is_empty() {
            right.push_str(&format!(" (default \"{}\")", flag.default));
        }
        (left, right)
    };
    let rows: Vec<(String, String)> = flags.into_iter().map(row).collect();
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0) + 3;
    rows.iter()
        .map(|(left, right)| format!("{left:<width$}{right}\n"))
        .collect()
}
