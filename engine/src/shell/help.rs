//! The simulator's own help, which is an overview of all commands or a description of one command.
//!
//! The text is generated from the command tables. `etcdctl help` and `--help` print etcdctl's own pages instead.

use super::amount::value_of;
use super::table::{Flag, FlagKind, Spec, all_verbs, etcdctl_verbs, own_verbs};
use crate::api::Profile;
use crate::world::setting::SETTINGS;

/// Returns the help for the named command, such as `put`, `endpoint status` or `show`. Returns the overview if there is
/// no name or no such command.
pub fn help(about: Option<&str>, profile: Profile) -> String {
    match about.and_then(topic) {
        Some(spec) => one(spec, profile),
        None => all(),
    }
}

/// Returns the command with this name, such as `put` or `endpoint status`.
pub(super) fn topic(name: &str) -> Option<&'static Spec> {
    let name = name.strip_prefix("etcdctl ").unwrap_or(name);
    let name = if name == "compact" {
        "compaction"
    } else {
        name
    };
    let mut words = name.split_whitespace();
    let first = words.next()?;
    let spec = all_verbs().find(|s| s.name == first)?;
    words.try_fold(spec, |spec, word| {
        let mut children = spec.children.iter();
        children.find(|s| s.name == word && s.is_simulated())
    })
}

fn all() -> String {
    let mut text = String::from("Commands of etcdctl:\n");
    let mut rows = Vec::new();
    for spec in etcdctl_verbs() {
        if spec.children.is_empty() {
            rows.push((spec.name.to_owned(), spec.gloss));
        }
        for child in spec.children.iter().filter(|child| child.is_simulated()) {
            rows.push((format!("{} {}", spec.name, child.name), child.gloss));
        }
    }
    push_rows(&mut text, &rows);
    text.push_str("\nCommands of the simulator:\n");
    let mut rows = Vec::new();
    for spec in own_verbs() {
        if spec.children.is_empty() {
            rows.push((spec.usage.to_owned(), spec.gloss));
        }
        for child in spec.children {
            let usage = child.usage.split(" [--").next().unwrap_or(child.usage);
            rows.push((usage.to_owned(), child.gloss));
        }
    }
    push_rows(&mut text, &rows);
    text.push_str(
        "\nQuotes and escapes work as in a shell: 'a b', \"a b\", a\\ b, and $'\\xff' for any byte.\n\
         for i in {1..4}; do put /key$i value$i; done     get a; get b     # a comment\n\
         For one command, type its name after help: `help put`.\n",
    );
    text
}

fn one(spec: &Spec, profile: Profile) -> String {
    let mut text = format!("{}\n    {}\n", spec.usage, spec.gloss);
    let flags: Vec<(String, &str)> = spec
        .flags
        .iter()
        .chain(spec.shared)
        .filter(|f| f.exists(profile))
        .map(|f| (flag_form(f), f.usage))
        .collect();
    if !flags.is_empty() {
        text.push_str("\nFlags:\n");
        push_rows(&mut text, &flags);
    }
    if !spec.extra.is_empty() {
        // `watch` has flags that exist in etcd's API but not in etcdctl, so they are listed separately.
        text.push_str(if spec.flags.is_empty() {
            "\nFlags:\n"
        } else {
            "\nFlags that etcdctl does not have (the first three are fields of etcd's API):\n"
        });
        let extra: Vec<(String, &str)> =
            spec.extra.iter().map(|f| (flag_form(f), f.usage)).collect();
        push_rows(&mut text, &extra);
    }
    let children: Vec<(String, &str)> = spec
        .children
        .iter()
        .filter(|c| c.is_simulated())
        .map(|c| (c.usage.to_owned(), c.gloss))
        .collect();
    if !children.is_empty() {
        text.push('\n');
        push_rows(&mut text, &children);
        if spec.children.iter().any(|c| !c.flags.is_empty()) {
            text.push_str(
                "\nFor the flags of one of these commands, type `help` and the full name of the command.\n",
            );
        }
    }
    if etcdctl_verbs().any(|c| std::ptr::eq(c, spec)) {
        text.push_str("\nEvery command: -w simple|json|fields|table|protobuf, --hex\n");
    }
    if spec.name == "set" {
        text.push_str("\nSettings, with upstream's default values:\n");
        let settings: Vec<(String, &str)> = SETTINGS
            .iter()
            .map(|info| {
                let default = value_of(info, info.default);
                (format!("{} {default}", info.name), info.what)
            })
            .collect();
        push_rows(&mut text, &settings);
    }
    match spec.name {
        "watch" => text.push_str(WATCH),
        "net" => text.push_str(NET),
        _ => {}
    }
    if spec.name == "txn" {
        text.push_str(TXN);
    } else {
        text.push_str("\nExample:\n    ");
        text.push_str(spec.example);
        text.push('\n');
    }
    text
}

const TXN: &str = "
Type three blocks, with an empty line after each: the comparisons, the requests
to run if all comparisons are true, and the requests to run otherwise. A
comparison uses ver, create, mod or val, with =, !=, > or <. Example:
    txn
    mod(\"/key1\") > \"0\"

    put /key1 overwritten
    get /key1

    put /key1 created

";

const WATCH: &str = "
Add `as NAME` at the end to name the watch for recv, progress and unwatch; the
default names are w1, w2, … Add `on CLIENT` to use that client's stream.
With -i, the lines before the next empty line are the input: `watch KEY …`
or `progress`. To start many watches at once:
    watch /pods/ --prefix --many=1000 --streams=10 --rev=spread as crowd
where --rev=spread starts each watch at a different past revision. Watchglass
does not run a command after --.
";

const NET: &str = "
With `up`, CHANGE applies only to messages to the member; with `down`, only to messages
from the member; without these words, to messages in both directions. The client `etcdctl`
is this terminal. CHANGE is one of:
    delay 5ms                the travel time of a message
    delay uniform 1ms 9ms    a random time between the two
    delay longtail 2ms       mostly near 2 ms, sometimes up to 20 times as long
    bandwidth 1MB            bytes per second; 0 for no limit
    loss 1/10, dup 1/10      1 in 10 messages is retransmitted, or arrives twice; 0 for none
    hold, release            stop all messages at the link, and let them continue
";

fn flag_form(flag: &Flag) -> String {
    let mut form = format!("--{}", flag.name);
    if flag.letter != 0 {
        form.push_str(", -");
        form.push(char::from(flag.letter));
    }
    match flag.kind {
        FlagKind::Bool => {}
        FlagKind::Int | FlagKind::Uint => form.push_str(" N"),
        FlagKind::Duration => form.push_str(" TIME"),
        FlagKind::Text | FlagKind::List if flag.values.is_empty() => form.push_str(" TEXT"),
        FlagKind::Text | FlagKind::List => {
            form.push(' ');
            form.push_str(&flag.values.join("|"));
        }
    }
    form
}

/// Appends rows with two columns. If the left text does not fit into its column, the right text is on the next line.
fn push_rows(text: &mut String, rows: &[(String, &str)]) {
    const WIDE: usize = 34;
    let widths = rows.iter().map(|(left, _)| left.chars().count());
    let width = widths.filter(|w| *w <= WIDE).max().unwrap_or(0);
    for (left, right) in rows {
        text.push_str("  ");
        text.push_str(left);
        let mut used = left.chars().count();
        if used > width {
            text.push_str("\n  ");
            used = 0;
        }
        text.extend(std::iter::repeat_n(' ', width - used + 2));
        text.push_str(right);
        text.push('\n');
    }
}
