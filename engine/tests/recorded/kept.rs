//! The kinds of differences that stay between the simulator and the recordings. None of them is a difference of
//! behaviour, and `docs/fidelity.md` has a line about each.

use watchglass_engine::shell::Output;

/// A kind of difference that stays. The comparison replaces the values in both outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Durations, and the remaining time of a lease: a real server takes its own time.
    Time,
    /// The size of the database file and of its used pages: they depend on the moments at which a real server ends a
    /// batch and its read transactions.
    FileSize,
    /// The pages of `etcdctl check`: the recorded program is a build for OpenShift, in which it has no subcommands.
    Check,
}

impl Kept {
    pub(super) const ALL: [Self; 3] = [Self::Time, Self::FileSize, Self::Check];

    /// Returns the line of `docs/fidelity.md` about the difference.
    pub(super) fn line(self) -> &'static str {
        match self {
            Self::Time => "Durations, and the remaining time of a lease",
            Self::FileSize => "The size of the database file and of its used pages",
            Self::Check => "`etcdctl check` of OpenShift",
        }
    }

    pub(super) fn masked(self, output: &Output) -> Output {
        Output {
            stdout: self.without_values(&output.stdout),
            stderr: self.without_values(&output.stderr),
            exit: output.exit,
        }
    }

    fn without_values(self, stream: &[u8]) -> Vec<u8> {
        // Outputs can contain bytes that are not text. In the following, each byte is a character.
        let mut text: String = stream.iter().map(|byte| char::from(*byte)).collect();
        let is_table = text.contains(" TOOK ") || text.contains(" DB SIZE ");
        if self != Self::Check && is_table {
            text = without_lines(&text);
        }
        let text = match self {
            Self::Time => without_times(text),
            Self::FileSize => without_sizes(text),
            Self::Check if text.starts_with("NAME:\n  check - ") => String::new(),
            Self::Check if text.starts_with("commands for checking") => String::new(),
            Self::Check => {
                let lines = text.split_inclusive('\n');
                lines.filter(|line| !line.starts_with("  check ")).collect()
            }
        };
        text.chars().map(|c| c as u8).collect()
    }
}

/// Removes the number after each of these texts, and the widths of the columns of a table with the column `column`.
fn without_numbers(mut text: String, column: &str, before: &[&str]) -> String {
    if text.contains(column) {
        text = without_widths(&text);
    }
    for before in before {
        text = without_number(&text, before);
    }
    text
}

fn without_times(mut text: String) -> String {
    const BEFORE: [&str; 7] = [
        "took = ",
        "took ",
        "\"took\":\"",
        "\"Took\" : ",
        "remaining(",
        "\"ttl\":",
        "| true | ",
    ];
    text = without_numbers(text, " TOOK ", &BEFORE);
    if text.contains("\"GrantedTTL\" : ") {
        text = without_number(&text, "\"TTL\" : ");
    }
    text
}

fn without_sizes(mut text: String) -> String {
    const BEFORE: [&str; 4] = [
        "\"dbSize\":",
        "\"dbSizeInUse\":",
        "\"DBSize\" : ",
        "\"DBSizeInUse\" : ",
    ];
    text = without_numbers(text, " DB SIZE ", &BEFORE);
    for (before, after) in [(".0, ", ", 2.1 GB"), (".0 | ", " | 2.1 GB")] {
        if let Some((start, rest)) = text.split_once(before)
            && let Some((_, end)) = rest.split_once(after)
        {
            text = [start, before, "SIZES", after, end].concat();
        }
    }
    text
}

fn without_lines(table: &str) -> String {
    let bytes: Vec<u8> = table.chars().map(|c| c as u8).collect();
    let bar = |c| if c == '│' { '|' } else { '-' };
    let is_line = |c| ('─'..='┼').contains(&c);
    let text = String::from_utf8_lossy(&bytes);
    text.chars()
        .map(|c| if is_line(c) { bar(c) } else { c })
        .collect()
}

fn without_widths(table: &str) -> String {
    let cells = table.split(' ').filter(|word| !word.is_empty());
    cells.collect::<Vec<_>>().join(" ").replace('-', "")
}

fn without_number(text: &str, before: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || ".hmns\u{c2}\u{b5}".contains(c);
    let mut parts = text.split(before);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(is_part);
        let mask = if rest.len() < part.len() { "N" } else { "" };
        [&text, before, mask, rest].concat()
    })
}
