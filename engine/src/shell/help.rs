//! The shell's own help: one screen about everything, or one command explained.
//!
//! Derived from the command table. `etcdctl help` and `--help` print etcdctl's own pages instead.

use super::line::amount::value_of;
use super::table::{ETCDCTL, Flag, FlagKind, Spec, own_verbs};
use crate::api::Profile;
use crate::world::op::SETTINGS;

/// The help text, about everything or about one command (`put`, `endpoint status`, `show`).
pub fn help(about: Option<&str>, profile: Profile) -> String {
    match about.and_then(topic) {
        Some(spec) => one(spec, profile),
        None => all(),
    }
}

/// The command with this name.
pub(super) fn topic(name: &str) -> Option<&'static Spec> {
    let name = name.strip_prefix("etcdctl ").unwrap_or(name);
    let name = if name == "compact" {
        "compaction"
    } else {
        name
    };
    let (first, second) = match name.split_once(' ') {
        Some((first, second)) => (first, Some(second.trim())),
        None => (name, None),
    };
    let spec = ETCDCTL
        .children
        .iter()
        .chain(own_verbs())
        .find(|s| s.name == first)?;
    match second {
        None => Some(spec),
        Some(second) => spec.children.iter().find(|s| s.name == second),
    }
}

fn all() -> String {
    let mut text = String::from("Commands of etcdctl:\n");
    let mut rows = Vec::new();
    for spec in ETCDCTL.children {
        if spec.children.is_empty() {
            rows.push((spec.name.to_owned(), spec.gloss));
        }
        for child in spec.children {
            rows.push((format!("{} {}", spec.name, child.name), child.gloss));
        }
    }
    push_rows(&mut text, &rows);
    text.push_str("\nOnly here:\n");
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
        "\nWords are split as a shell splits them: 'a b', \"a b\", a\\ b, and $'\\xff' for any byte.\n\
         for i in {1..4}; do put /key$i value$i; done     a; b     # a comment\n\
         `help put` explains one command.\n",
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
        // What `watch` has in the API and nowhere in etcdctl is told apart.
        text.push_str(if spec.flags.is_empty() {
            "\nFlags:\n"
        } else {
            "\nFlags of the simulator; the API has the first three, etcdctl does not:\n"
        });
        let extra: Vec<(String, &str)> =
            spec.extra.iter().map(|f| (flag_form(f), f.usage)).collect();
        push_rows(&mut text, &extra);
    }
    let children: Vec<(String, &str)> = spec
        .children
        .iter()
        .map(|c| (c.usage.to_owned(), c.gloss))
        .collect();
    if !children.is_empty() {
        text.push('\n');
        push_rows(&mut text, &children);
    }
    if ETCDCTL.children.iter().any(|c| std::ptr::eq(c, spec)) {
        text.push_str("\nEvery command: -w simple|json|fields|table|protobuf, --hex\n");
    }
    if spec.name == "set" {
        text.push_str("\nSettings, with upstream's values:\n");
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
Three blocks follow, each ended by an empty line: what to compare, what to do
if all of it holds, what to do if not. Compare ver, create, mod or val with
=, !=, > or <. Example:
    txn
    mod(\"/key1\") > \"0\"

    put /key1 overwritten
    get /key1

    put /key1 created

";

const WATCH: &str = "
It ends with `as NAME`, which recv, progress and unwatch take, or is named w1,
w2, … on its own; after that `on CLIENT` puts it on the stream of that client.
With -i the lines that follow are its input, up to an empty one: `watch KEY …`
or `progress`. Many at once:
    watch /pods/ --prefix --many=1000 --streams=10 --rev=spread as crowd
where --rev=spread begins each of them somewhere else in the past. A command
after -- is not run here.
";

const NET: &str = "
The way up is that to the member; without a way it is both. The client `etcdctl` is what is
typed here. A change is one of:
    delay 5ms                how long a message travels
    delay uniform 1ms 9ms    anything between the two
    delay longtail 2ms       mostly near it, now and then up to twenty times as long
    bandwidth 1MB            bytes a second; 0 for no limit
    loss 1/10, dup 1/10      one message in so many is sent again, or comes twice; 0 for none
    hold, release            messages wait at the link, and go on
";

fn flag_form(flag: &Flag) -> String {
    let mut form = format!("--{}", flag.name);
    if flag.letter != 0 {
        form.push_str(", -");
        form.push(char::from(flag.letter));
    }
    match flag.kind {
        FlagKind::Bool => {}
        FlagKind::Int => form.push_str(" N"),
        FlagKind::Duration => form.push_str(" TIME"),
        FlagKind::Text | FlagKind::List if flag.values.is_empty() => form.push_str(" TEXT"),
        FlagKind::Text | FlagKind::List => {
            form.push(' ');
            form.push_str(&flag.values.join("|"));
        }
    }
    form
}

/// Two columns. A left side that is too wide for its column stands on a line of its own.
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
