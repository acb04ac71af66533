//! Creates the pages that etcdctl prints for `--help` and after an error in the flags.
//!
//! Mirrors `pkg/cobrautl/help.go` (in 3.4: `etcdctl/ctlv3/command/help.go`) up to 3.6. Since 3.7, etcdctl prints the
//! pages of the library `cobra`; commands inside a transaction do so in all versions.

use super::find::Path;
use crate::api::{Difference, Profile};
use crate::base::small_sort::SmallSort;
use crate::shell::table::{ETCDCTL, Flag, FlagKind, Group, HELP_FLAG, Spec};

pub(in crate::shell) fn page(path: &Path, profile: Profile) -> String {
    match has_cobra_pages(profile) {
        true => cobra_help(path, profile),
        false => old_page(path, with_help(path.own_flags(profile)), profile),
    }
}

/// Returns true if etcdctl prints cobra's own pages. Then the page after a wrong flag is part of the error output.
pub(super) fn has_cobra_pages(profile: Profile) -> bool {
    profile.has(Difference::CobraPages)
}

/// Returns the page that `etcdctl help` prints for an unknown topic. This is etcdctl's own help page without the flag
/// `--help`, which cobra adds later.
pub(super) fn unknown_topic_page(profile: Profile) -> String {
    let root = Path::root();
    match has_cobra_pages(profile) {
        true => cobra_usage(&root, profile),
        false => old_page(&root, root.own_flags(profile), profile),
    }
}

/// Returns the page of etcdctl up to 3.6. Up to 3.5, a tab indents the lines, and two lines precede the commands.
fn old_page(path: &Path, own_flags: Vec<&'static Flag>, profile: Profile) -> String {
    let spec = path.spec();
    let name = path.name();
    let at_root = name.is_empty();
    let is_3_6 = profile >= Profile::V3_6;
    let indent = if is_3_6 { "  " } else { "\t" };
    let mut page = String::new();

    page.push_str("NAME:\n");
    let title = if at_root { spec.name } else { &name };
    push_line(&mut page, indent, &[title, " - ", spec.short].concat());
    page.push_str("\nUSAGE:\n");
    push_line(&mut page, indent, &use_line(path));
    if at_root {
        page.push_str("\nVERSION:\n");
        push_line(&mut page, indent, profile.server_version());
    }
    if !spec.children.is_empty() {
        page.push_str("\nAPI VERSION:\n");
        push_line(&mut page, indent, profile.api_version());
    }
    if !spec.manual.is_empty() {
        page.push_str("\nExamples:\n");
        push_line(&mut page, "", spec.manual);
    }
    if !spec.children.is_empty() {
        page.push_str(if is_3_6 {
            "\nCOMMANDS:\n"
        } else {
            "\n\nCOMMANDS:\n"
        });
        let mut rows = Vec::new();
        list_commands(&mut rows, indent, spec, profile);
        rows.small_sort();
        push_columns(&mut page, &rows);
    }
    if !spec.long.is_empty() {
        page.push_str("\nDESCRIPTION:\n");
        for line in spec.long.trim().split('\n') {
            push_line(&mut page, indent, line);
        }
    }

    let subject = if at_root { "etcdctl" } else { spec.name };
    page.push_str("\nOPTIONS:\n");
    push_columns(&mut page, &option_rows(&own_flags, subject));
    let inherited = path.inherited_flags(profile);
    if !inherited.is_empty() {
        page.push_str("\nGLOBAL OPTIONS:\n");
        push_columns(&mut page, &option_rows(&inherited, subject));
    }
    page.push('\n');
    page
}

fn push_line(page: &mut String, indent: &str, line: &str) {
    page.push_str(indent);
    page.push_str(line);
    page.push('\n');
}

fn use_line(path: &Path) -> String {
    let spec = path.spec();
    let parents = path.parents();
    let mut line = parents.join(" ");
    if !parents.is_empty() {
        line.push(' ');
    }
    line.push_str(spec.usage);
    if !spec.is_usage_complete {
        line.push_str(" [flags]");
    }
    line
}

/// Adds the commands below a command that can run: those without subcommands.
fn list_commands(
    rows: &mut Vec<(String, &'static str)>,
    name: &str,
    spec: &'static Spec,
    profile: Profile,
) {
    for child in spec.children(profile).filter(|child| is_listed(child)) {
        let name = [name, child.name].concat();
        match child.children.is_empty() {
            true => rows.push((name, child.short)),
            false => list_commands(rows, &[&name, " "].concat(), child, profile),
        }
    }
}

/// Returns true if etcdctl has the command. `qos` is a proposal that etcd never merged.
pub(super) fn is_listed(spec: &Spec) -> bool {
    spec.name != "qos"
}

fn cobra_help(path: &Path, profile: Profile) -> String {
    let spec = path.spec();
    let text = if spec.long.is_empty() {
        spec.short
    } else {
        spec.long
    };
    let text = text.trim_end();
    let usage = cobra_usage(path, profile);
    format!(
        "{text}\n\n{usage}Use \"etcdctl options\" for a list of global command-line options (applies to all \
         commands).\n"
    )
}

/// Returns cobra's page about the usage of a command, which etcdctl prints after an error inside a transaction, and
/// since 3.7 after any error in the flags.
pub(in crate::shell) fn cobra_usage(path: &Path, profile: Profile) -> String {
    let spec = path.spec();
    let at_root = std::ptr::eq(spec, &raw const ETCDCTL);
    let command = path.command();
    let mut page = "Usage:\n".to_owned();
    if spec.children.is_empty() {
        push_line(&mut page, "  ", &use_line(path));
    } else {
        push_line(&mut page, "  ", &[&command, " [command]"].concat());
    }
    if !spec.manual.is_empty() {
        page.push_str("\nExamples:\n");
        push_line(&mut page, "", spec.manual);
    }
    if at_root {
        for group in Group::ALL {
            page.push('\n');
            push_line(&mut page, "", group.title());
            push_commands(&mut page, path, profile, |child| child.group == Some(group));
        }
    } else if !spec.children.is_empty() {
        page.push_str("\nAvailable Commands:\n");
        push_commands(&mut page, path, profile, |_| true);
    }
    if !at_root {
        page.push_str("\nFlags:\n");
        push_flags(&mut page, &with_help(path.own_flags(profile)), spec.name);
    }
    let inherited = path.inherited_flags(profile);
    let is_global = |flag: &&'static Flag| {
        ETCDCTL
            .shared
            .iter()
            .any(|global| std::ptr::eq(global, *flag))
    };
    let inherited: Vec<_> = inherited
        .into_iter()
        .filter(|flag| !is_global(flag))
        .collect();
    if !inherited.is_empty() {
        page.push_str("\nGlobal Flags:\n");
        push_flags(&mut page, &inherited, spec.name);
    }
    if !spec.children.is_empty() {
        page.push_str(&format!(
            "\nUse \"{command} [command] --help\" for more information about a command.\n"
        ));
    }
    page
}

fn push_commands(
    page: &mut String,
    path: &Path,
    profile: Profile,
    is_shown: impl Fn(&Spec) -> bool,
) {
    const WIDTH_MIN: usize = 11;
    let all = || {
        path.spec()
            .children(profile)
            .filter(|child| is_listed(child))
    };
    let widest = all().map(|child| child.name.len()).max().unwrap_or(0);
    let width = widest.max(WIDTH_MIN);
    let mut rows: Vec<&Spec> = all().filter(|child| is_shown(child)).collect();
    rows.small_sort_by_key(|child| child.name);
    for child in rows {
        let short = child.short;
        let hint = match child.children.is_empty() || child.name == "snapshot" {
            true => String::new(),
            false => format!(". Use `etcdctl {} --help` to see subcommands", child.name),
        };
        page.push_str(&format!("  {:width$} {short}{hint}\n", child.name));
    }
}

/// Returns the list of the global flags that `etcdctl options` prints.
pub(super) fn options(profile: Profile) -> String {
    let mut page = "The following options can be passed to any command:\n\n".to_owned();
    push_flags(&mut page, &Path::root().own_flags(profile), "etcdctl");
    page
}

/// Appends flags in the form of the library `pflag`.
fn push_flags(page: &mut String, flags: &[&'static Flag], subject: &str) {
    let rows: Vec<(String, String)> = flags
        .iter()
        .map(|flag| {
            let mut left = left_of(flag);
            left.push_str(match flag.kind {
                FlagKind::Bool => "",
                FlagKind::Int => " int",
                FlagKind::Uint => " uint",
                FlagKind::Text => " string",
                FlagKind::Duration => " duration",
                FlagKind::List => " strings",
            });
            let mut right = description(flag, subject);
            match (flag.kind, flag.default) {
                (_, "" | "0" | "false" | "0s") if flag.kind != FlagKind::Text => {}
                (FlagKind::Text, "") => {}
                (FlagKind::Text, text) => right.push_str(&format!(" (default \"{text}\")")),
                (_, value) => right.push_str(&format!(" (default {value})")),
            }
            (left, right)
        })
        .collect();
    let width = rows.iter().map(|(left, _)| left.len()).max().unwrap_or(0) + 3;
    for (left, right) in &rows {
        page.push_str(&format!("{left:width$}{right}\n"));
    }
}

fn with_help(mut flags: Vec<&'static Flag>) -> Vec<&'static Flag> {
    static HELP: Flag = HELP_FLAG;
    flags.push(&HELP);
    flags.small_sort_by_key(|f| f.name);
    flags
}

fn description(flag: &Flag, subject: &str) -> String {
    match flag.usage {
        "" => format!("help for {subject}"),
        usage => usage.to_owned(),
    }
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
                FlagKind::Int | FlagKind::Uint | FlagKind::Duration | FlagKind::List => ("=", ""),
            };
            left.push_str(open);
            left.push_str(flag.default);
            left.push_str(close);
            (left, description(flag, subject))
        })
        .collect()
}

/// Appends rows with two columns. The second column starts at a multiple of eight characters.
fn push_columns<S: AsRef<str>>(page: &mut String, rows: &[(String, S)]) {
    const TAB: usize = 8;
    // A leading tab is a column of its own.
    let length = |left: &str| left.trim_start_matches('\t').len();
    let widest = rows.iter().map(|(left, _)| length(left)).max().unwrap_or(0);
    let width = (widest + 1).div_ceil(TAB) * TAB;
    for (left, right) in rows {
        page.push_str(left);
        page.extend(std::iter::repeat_n(
            '\t',
            (width - length(left)).div_ceil(TAB),
        ));
        page.push_str(right.as_ref());
        page.push('\n');
    }
}

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

    #[test]
    fn pages_of_cobra_list_the_commands_in_groups() {
        let page = cobra_help(&Path::root(), Profile::V3_6);
        let key_value = "Key-value commands\n  compaction  Compacts the event history in etcd\n";
        assert!(page.contains(key_value), "{page}");
        let lease =
            "  lease       Lease related commands. Use `etcdctl lease --help` to see subcommands\n";
        assert!(page.contains(lease), "{page}");
    }

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
            ("downgrade", "downgrade", new),
            ("help auth", "auth", new),
            ("migrate --help", "migrate", old),
        ] {
            let page = page_of(line, profile);
            assert!(page.contains(&format!("{name} - ")), "{line}: {page}");
        }
        for (line, part) in [
            ("downgrade validate 3.5", "`world profile=VERSION`"),
            ("completion bash", "completes commands with Tab"),
            ("check perf", "150 per second from 50 clients"),
        ] {
            let error = of_etcdctl(line, new).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
        for line in [
            "snapshot status x",
            "snapshot restore --help",
            "help snapshot status",
        ] {
            assert_eq!(
                page_of(line, new),
                page_of("snapshot --help", new),
                "{line}"
            );
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
