//! The shell's own help: one screen about everything, or one command explained.
//!
//! Derived from the command table. `etcdctl help` and `--help` print etcdctl's own pages instead.

use super::table::{ETCDCTL, Flag, Kind, Spec, own_verbs};
use crate::api::Profile;

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
    let mut text = String::from("As etcdctl has them:\n");
    let mut rows = Vec::new();
    for spec in ETCDCTL.children {
        if spec.children.is_empty() {
            rows.push((spec.name.to_owned(), spec.gloss));
        }
        for child in spec.children {
            rows.push(([spec.name, " ", child.name].concat(), child.gloss));
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
    let mut text = [spec.usage, "\n    ", spec.gloss, "\n"].concat();
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

fn flag_form(flag: &Flag) -> String {
    let mut form = ["--", flag.name].concat();
    if flag.letter != 0 {
        form.push_str(", -");
        form.push(char::from(flag.letter));
    }
    match flag.kind {
        Kind::Bool => {}
        Kind::Int => form.push_str(" N"),
        Kind::Duration => form.push_str(" TIME"),
        Kind::Text | Kind::List if flag.values.is_empty() => form.push_str(" TEXT"),
        Kind::Text | Kind::List => {
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
