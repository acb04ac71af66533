//! Creates the pages that etcdctl prints for `--help` and after an error in the flags.
//!
//! Mirrors `pkg/cobrautl/help.go` (in 3.4: `etcdctl/ctlv3/command/help.go`). Commands inside a transaction use the
//! plain page of `cobra` and `pflag` instead.

use std::collections::BTreeMap;

use super::find::Path;
use crate::api::{Difference, Profile};
use crate::shell::table::{Flag, FlagKind, HELP_FLAG, Spec};

/// Returns etcdctl's help page about a command.
pub(in crate::shell) fn page(path: &Path, profile: Profile) -> String {
    page_with(path, with_help(path.own_flags(profile)), profile)
}

/// Returns the page that `etcdctl help` prints for an unknown topic. This is etcdctl's own help page without the flag
/// `--help`, which cobra adds later.
pub(in crate::shell) fn unknown_topic_page(profile: Profile) -> String {
    let root = Path::root();
    page_with(&root, root.own_flags(profile), profile)
}

fn page_with(path: &Path, own_flags: Vec<&'static Flag>, profile: Profile) -> String {
    let spec = path.spec();
    let name = path.name();
    let at_root = name.is_empty();
    let mut page = String::new();

    page.push_str("NAME:\n\t");
    page.push_str(if at_root { spec.name } else { &name });
    page.push_str(" - ");
    page.push_str(spec.short);

    page.push_str("\n\nUSAGE:\n\tetcdctl");
    if let Some((parents, _)) = name.rsplit_once(' ') {
        page.push(' ');
        page.push_str(parents);
    }
    if !at_root {
        page.push(' ');
        page.push_str(spec.usage);
    }
    page.push_str(" [flags]\n\n");

    if at_root {
        page.push_str("VERSION:\n\t");
        page.push_str(profile.server_version());
        page.push_str("\n\n");
    }
    if !spec.children.is_empty() {
        page.push_str("API VERSION:\n\t");
        page.push_str(profile.api_version());
        page.push_str("\n\n\nCOMMANDS:\n");
        let mut rows: Vec<(String, &str)> = if at_root {
            listing(profile).map(|(n, s)| (n.to_owned(), s)).collect()
        } else {
            let listed = listed(spec.name, profile).map(|(name, _, short)| (name, short));
            let is_gone = |c: &&Spec| is_gone(&[spec.name, c.name].join(" "), profile);
            let children = spec.children.iter().filter(|c| !is_gone(c));
            let children = children.map(|c| (c.name, c.short));
            let children: BTreeMap<&str, &str> = listed.chain(children).collect();
            let rows = children.into_iter();
            rows.map(|(name, short)| (name.to_owned(), short)).collect()
        };
        rows.sort_unstable();
        push_columns(&mut page, "\t", &rows);
        page.push('\n');
    }
    if !spec.long.is_empty() {
        page.push_str("DESCRIPTION:\n");
        for line in spec.long.split('\n') {
            page.push('\t');
            page.push_str(line);
            page.push('\n');
        }
        page.push('\n');
    }

    let subject = if at_root { "etcdctl" } else { spec.name };
    page.push_str("OPTIONS:\n");
    push_columns(&mut page, "", &option_rows(&own_flags, subject));
    let inherited = path.inherited_flags(profile);
    if !inherited.is_empty() {
        page.push_str("\nGLOBAL OPTIONS:\n");
        push_columns(&mut page, "", &option_rows(&inherited, subject));
    }
    page.push('\n');
    page
}

/// Returns `cobra`'s plain help page, which etcdctl prints after an error inside a transaction.
pub(in crate::shell) fn plain_page(path: &Path, profile: Profile) -> String {
    let spec = path.spec();
    let mut page = format!("Usage:\n   {} [flags]\n\nFlags:\n", spec.usage);
    let help = format!("help for {}", spec.name);
    let rows: Vec<(String, String)> = with_help(path.own_flags(profile))
        .into_iter()
        .map(|flag| {
            let mut left = left_of(flag);
            left.push_str(match flag.kind {
                FlagKind::Bool => "",
                FlagKind::Int => " int",
                FlagKind::Text => " string",
                FlagKind::Duration => " duration",
                FlagKind::List => " strings",
            });
            let mut right = if flag.usage.is_empty() {
                help.clone()
            } else {
                flag.usage.to_owned()
            };
            if flag.kind == FlagKind::Text && !flag.default.is_empty() {
                right.push_str(" (default \"");
                right.push_str(flag.default);
                right.push_str("\")");
            }
            (left, right)
        })
        .collect();
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0) + 3;
    for (left, right) in &rows {
        page.push_str(left);
        page.extend(std::iter::repeat_n(' ', width - left.len()));
        page.push_str(right);
        page.push('\n');
    }
    page
}

fn with_help(mut flags: Vec<&'static Flag>) -> Vec<&'static Flag> {
    static HELP: Flag = HELP_FLAG;
    flags.push(&HELP);
    flags.sort_by_key(|f| f.name);
    flags
}

/// Returns the left column of a flag's row in a help page, such as `  -w, --write-out`.
fn left_of(flag: &Flag) -> String {
    let mut left = String::from("      --");
    if flag.letter != 0 {
        left = String::from("  -");
        left.push(char::from(flag.letter));
        left.push_str(", --");
    }
    left.push_str(flag.name);
    left
}

fn option_rows(flags: &[&'static Flag], subject: &str) -> Vec<(String, String)> {
    flags
        .iter()
        .map(|flag| {
            let mut left = left_of(flag);
            let (open, close) = match flag.kind {
                FlagKind::Bool => ("[=", "]"),
                FlagKind::Text => ("=\"", "\""),
                FlagKind::Int | FlagKind::Duration | FlagKind::List => ("=", ""),
            };
            left.push_str(open);
            left.push_str(flag.default);
            left.push_str(close);
            let right = if flag.usage.is_empty() {
                format!("help for {subject}")
            } else {
                flag.usage.to_owned()
            };
            (left, right)
        })
        .collect()
}

/// Appends rows with two columns. The second column starts at a multiple of eight characters.
fn push_columns<S: AsRef<str>>(page: &mut String, indent: &str, rows: &[(String, S)]) {
    const TAB: usize = 8;
    let widest = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0);
    let width = (widest + 1).div_ceil(TAB) * TAB;
    for (left, right) in rows {
        page.push_str(indent);
        page.push_str(left);
        page.extend(std::iter::repeat_n(
            '\t',
            (width - left.len()).div_ceil(TAB),
        ));
        page.push_str(right.as_ref());
        page.push('\n');
    }
}

/// Returns the subcommands of a command in etcdctl's list: name, full name and description.
pub(super) fn listed(
    parent: &str,
    profile: Profile,
) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    listing(profile).filter_map(move |(full, short)| {
        let name = full.strip_prefix(parent)?.strip_prefix(' ')?;
        Some((name, full, short))
    })
}

/// Returns true if etcdctl 3.4 has a command with this full name and the simulated version (`profile`) does not have
/// it.
pub(super) fn is_gone(full: &str, profile: Profile) -> bool {
    profile.has(Difference::NewCommands) && ONLY_IN_3_4.iter().any(|(name, _)| *name == full)
}

/// Returns the commands that `etcdctl --help` lists, with their descriptions, unsorted.
fn listing(profile: Profile) -> impl Iterator<Item = (&'static str, &'static str)> {
    let own = match profile.has(Difference::NewCommands) {
        false => ONLY_IN_3_4,
        true => ONLY_IN_3_6,
    };
    IN_BOTH_VERSIONS.iter().chain(own).copied()
}

/// The commands that `etcdctl --help` lists only in 3.4.23.
const ONLY_IN_3_4: &[(&str, &str)] = &[
    (
        "completion bash",
        "Generate the autocompletion script for bash",
    ),
    (
        "completion fish",
        "Generate the autocompletion script for fish",
    ),
    (
        "completion powershell",
        "Generate the autocompletion script for powershell",
    ),
    (
        "completion zsh",
        "Generate the autocompletion script for zsh",
    ),
    ("migrate", "Migrates keys in a v2 store to a mvcc store"),
    (
        "snapshot restore",
        "Restores an etcd member snapshot to an etcd directory",
    ),
    (
        "snapshot status",
        "Gets backend snapshot status of a given file",
    ),
];

/// The commands that `etcdctl --help` lists in 3.6 and not in 3.4.23, from `etcdctl/ctlv3` of 3.6.
const ONLY_IN_3_6: &[(&str, &str)] = &[
    ("auth status", "Returns authentication status"),
    ("completion", "Generate completion script"),
    (
        "downgrade cancel",
        "Cancel the ongoing downgrade action to cluster",
    ),
    ("downgrade enable", "Start a downgrade action to cluster"),
    (
        "downgrade validate",
        "Validate downgrade capability before starting downgrade",
    ),
];

/// The commands that `etcdctl --help` lists in 3.4.23 and in 3.6.
const IN_BOTH_VERSIONS: &[(&str, &str)] = &[
    ("alarm disarm", "Disarms all alarms"),
    ("alarm list", "Lists all alarms"),
    ("auth disable", "Disables authentication"),
    ("auth enable", "Enables authentication"),
    (
        "check datascale",
        "Check the memory usage of holding data for different workloads on a given server endpoint.",
    ),
    ("check perf", "Check the performance of the etcd cluster"),
    ("compaction", "Compacts the event history in etcd"),
    (
        "defrag",
        "Defragments the storage of the etcd members with given endpoints",
    ),
    (
        "del",
        "Removes the specified key or range of keys [key, range_end)",
    ),
    ("elect", "Observes and participates in leader election"),
    (
        "endpoint hashkv",
        "Prints the KV history hash for each endpoint in --endpoints",
    ),
    (
        "endpoint health",
        "Checks the healthiness of endpoints specified in `--endpoints` flag",
    ),
    (
        "endpoint status",
        "Prints out the status of endpoints specified in `--endpoints` flag",
    ),
    ("get", "Gets the key or a range of keys"),
    ("help", "Help about any command"),
    ("lease grant", "Creates leases"),
    ("lease keep-alive", "Keeps leases alive (renew)"),
    ("lease list", "List all active leases"),
    ("lease revoke", "Revokes leases"),
    ("lease timetolive", "Get lease information"),
    ("lock", "Acquires a named lock"),
    (
        "make-mirror",
        "Makes a mirror at the destination etcd cluster",
    ),
    ("member add", "Adds a member into the cluster"),
    ("member list", "Lists all members in the cluster"),
    (
        "member promote",
        "Promotes a non-voting member in the cluster",
    ),
    ("member remove", "Removes a member from the cluster"),
    ("member update", "Updates a member in the cluster"),
    (
        "move-leader",
        "Transfers leadership to another etcd cluster member.",
    ),
    ("put", "Puts the given key into the store"),
    ("role add", "Adds a new role"),
    ("role delete", "Deletes a role"),
    ("role get", "Gets detailed information of a role"),
    ("role grant-permission", "Grants a key to a role"),
    ("role list", "Lists all roles"),
    ("role revoke-permission", "Revokes a key from a role"),
    (
        "snapshot save",
        "Stores an etcd node backend snapshot to a given file",
    ),
    ("txn", "Txn processes all the requests in one transaction"),
    ("user add", "Adds a new user"),
    ("user delete", "Deletes a user"),
    ("user get", "Gets detailed information of a user"),
    ("user grant-role", "Grants a role to a user"),
    ("user list", "Lists all users"),
    ("user passwd", "Changes password of user"),
    ("user revoke-role", "Revokes a role from a user"),
    ("version", "Prints the version of etcdctl"),
    ("watch", "Watches events stream on keys or prefixes"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::etcdctl::{CommandLine, read};
    use crate::shell::{CommandKind, Output};

    fn of_etcdctl(line: &str, profile: Profile) -> Result<Output, String> {
        let words: Vec<Vec<u8>> = line.split(' ').map(|w| w.as_bytes().to_vec()).collect();
        match read(&words, (0, line.len()), line, profile) {
            Ok(CommandLine::Whole(
                CommandKind::Answered(output) | CommandKind::Refused(output),
            )) => Ok(output),
            Ok(other) => panic!("{line}: {other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    fn page_of(line: &str, profile: Profile) -> String {
        String::from_utf8(of_etcdctl(line, profile).unwrap().stdout).unwrap()
    }

    fn stderr_of(line: &str, profile: Profile) -> String {
        String::from_utf8(of_etcdctl(line, profile).unwrap().stderr).unwrap()
    }

    /// Returns the commands that a help page lists, in the order of the page.
    fn commands(page: &str) -> Vec<&str> {
        let (_, rest) = page.split_once("COMMANDS:\n").unwrap();
        let rows = rest.lines().take_while(|line| !line.is_empty());
        rows.map(|line| line.trim_start().split('\t').next().unwrap())
            .collect()
    }

    #[test]
    fn each_version_lists_its_own_commands() {
        let (old, new) = (
            page_of("--help", Profile::V3_4),
            page_of("--help", Profile::V3_6),
        );
        let (old, new) = (commands(&old), commands(&new));
        let only_old: Vec<&str> = old.iter().copied().filter(|c| !new.contains(c)).collect();
        let only_new: Vec<&str> = new.iter().copied().filter(|c| !old.contains(c)).collect();
        assert_eq!(
            only_old,
            [
                "completion bash",
                "completion fish",
                "completion powershell",
                "completion zsh",
                "migrate",
                "snapshot restore",
                "snapshot status"
            ]
        );
        assert_eq!(
            only_new,
            [
                "auth status",
                "completion",
                "downgrade cancel",
                "downgrade enable",
                "downgrade validate"
            ]
        );
        let snapshot = page_of("snapshot --help", Profile::V3_6);
        assert_eq!(commands(&snapshot), ["save"]);
        let snapshot = page_of("snapshot --help", Profile::V3_4);
        assert_eq!(commands(&snapshot).len(), 3);
    }

    #[test]
    fn version_3_6_has_two_flags_for_the_size_of_messages() {
        let rows = "      --max-recv-bytes=0\t\t\tclient-side response receive limit in bytes (if 0, it \
                    defaults to \"math.MaxInt32\")\n      \
                    --max-request-bytes=0\t\t\tclient-side request send limit in bytes (if 0, it \
                    defaults to 2.0 MiB (2 * 1024 * 1024).)\n";
        for line in ["--help", "get --help"] {
            assert!(page_of(line, Profile::V3_6).contains(rows), "{line}");
            assert!(!page_of(line, Profile::V3_4).contains("-bytes"), "{line}");
        }
        let error = of_etcdctl("get a --max-recv-bytes=9", Profile::V3_6).unwrap_err();
        assert!(
            error.contains("does not support --max-recv-bytes"),
            "{error}"
        );
    }

    #[test]
    fn a_command_that_only_one_version_has_is_unknown_in_the_other() {
        let (old, new) = (Profile::V3_4, Profile::V3_6);
        assert!(stderr_of("downgrade validate 3.5", old).starts_with("Error: unknown command"));
        assert!(stderr_of("migrate", new).starts_with("Error: unknown command"));
        for (line, name, profile) in [
            ("downgrade validate 3.5", "downgrade", new),
            ("auth status", "auth", new),
            ("migrate", "migrate", old),
        ] {
            let error = of_etcdctl(line, profile).unwrap_err();
            let expected = format!("`{name}` is not simulated yet");
            assert!(error.contains(&expected), "{line}: {error}");
        }
        for line in [
            "snapshot status x",
            "snapshot restore --help",
            "help snapshot status",
        ] {
            let error = of_etcdctl(line, new).unwrap_err();
            assert!(error.contains("etcdutl"), "{line}: {error}");
        }
    }

    #[test]
    fn version_3_6_prints_an_error_once() {
        assert_eq!(
            stderr_of("putt a", Profile::V3_6),
            "Error: unknown command \"putt\" for \"etcdctl\"\n\nDid you mean this?\n\tput\n\tauth\n\n\
             Run 'etcdctl --help' for usage.\n"
        );
        assert_eq!(
            stderr_of("get a --bogus", Profile::V3_6),
            "Error: unknown flag: --bogus\n\n"
        );
        assert_eq!(
            stderr_of("get a --bogus", Profile::V3_4),
            "Error: unknown flag: --bogus\n\nError: unknown flag: --bogus\n"
        );
    }
}
