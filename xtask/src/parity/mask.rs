//! Masks output that differs between the simulator and a real etcd: sizes, times that depend on the wall clock, and the
//! texts of a distribution's build.

use super::Case;

/// The part of a command's output that is excluded from the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Masked {
    /// The size of the database, and the size in use.
    Sizes,
    /// The duration of the request.
    Took,
    /// The remaining time of a lease, and the order of the lease's keys, because this order is random.
    Left,
    /// The hash and the size of a snapshot file, which contains the addresses of the member.
    File,
}

/// The columns of tables that are excluded from the comparison.
const COLUMNS: [&str; 6] = [
    "DB SIZE",
    "IN USE",
    "PERCENTAGE NOT IN USE",
    "TOOK",
    "HASH",
    "TOTAL SIZE",
];

/// The texts before numbers and durations that are excluded from the comparison.
const NAMES: [&str; 15] = [
    "\"dbSize\":",
    "\"dbSizeInUse\":",
    "\"DBSize\" : ",
    "\"DBSizeInUse\" : ",
    "took = ",
    "]. took ",
    "\"Took\" : ",
    "\"took\":\"",
    "remaining(",
    "\"ttl\":",
    "\"TTL\" : ",
    "\"hash\":",
    "\"totalSize\":",
    "\"Hash\" : ",
    "\"Size\" : ",
];

fn masked(case: &Case) -> Option<Masked> {
    let has = |beginning: &str, shortest: usize| {
        case.args
            .iter()
            .any(|word| word.len() >= shortest && beginning.as_bytes().starts_with(word))
    };
    if has("lease", 2) && has("timetolive", 1) {
        Some(Masked::Left)
    } else if has("snapshot", 2) && has("status", 2) {
        Some(Masked::File)
    } else if has("endpoint", 2) && has("status", 1) {
        Some(Masked::Sizes)
    } else if has("endpoint", 2) && has("health", 2) || has("defrag", 3) {
        Some(Masked::Took)
    } else {
        None
    }
}

/// Returns true if a part of this command's output is excluded from the comparison.
pub(super) fn is_masked(case: &Case) -> bool {
    masked(case).is_some()
}

/// Returns the output without the parts that are excluded from the comparison.
pub(super) fn mask(case: &Case, output: &[u8]) -> Vec<u8> {
    let Some(what) = masked(case) else {
        return output.to_vec();
    };
    let mut text = String::from_utf8_lossy(output).into_owned();
    for name in NAMES {
        text = without_number(&text, name);
    }
    if text.starts_with(['┌', '+']) {
        text = without_columns(&text);
    }
    if what == Masked::Left {
        return without_order(text);
    }
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| without_cells(what, line))
        .collect::<String>()
        .into_bytes()
}

/// Replaces the sizes and the hash in a line of the format `simple`.
fn without_cells(what: Masked, line: &str) -> String {
    let cells: Vec<&str> = line.split(", ").collect();
    let columns: &[usize] = match (what, cells.len()) {
        (Masked::Sizes, 10) => &[3],
        (Masked::Sizes, 16) => &[4, 5, 6],
        (Masked::File, 4 | 5) => &[0, 3],
        _ => return line.to_owned(),
    };
    let cells = cells.iter().enumerate();
    let cells = cells.map(|(column, cell)| {
        if columns.contains(&column) {
            "…"
        } else {
            cell
        }
    });
    cells.collect::<Vec<_>>().join(", ")
}

/// Returns both outputs without what differs between builds of a version. Debian builds etcdctl 3.5 with newer versions
/// of the libraries for tables and for commands: a table is compared by its words then. The library for protobuf of 3.7
/// doubles some spaces, and a Go value contains an address in memory.
pub(super) fn without_build(profile: &str, real: Vec<u8>, ours: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let [text, our_text] = [&real, &ours].map(|output| String::from_utf8_lossy(output));
    if profile == "3.7" && (text.contains("alarm:") || text.contains("[] [] 0x")) {
        let plain = |text: &str| {
            let words = text.split(' ').filter(|word| !word.is_empty());
            let words = words.map(|word| {
                if word.starts_with("0x") {
                    "0x…"
                } else {
                    word
                }
            });
            words.collect::<Vec<_>>().join(" ").into_bytes()
        };
        return (plain(&text), plain(&our_text));
    }
    if profile != "3.5" {
        return (real, ours);
    }
    if text.starts_with('┌') && our_text.starts_with('+') {
        return (table_words(&text), table_words(&our_text));
    }
    let added = |line: &&str| line.starts_with("\tcompletion");
    if text.lines().any(|line| added(&line)) && !our_text.lines().any(|line| added(&line)) {
        let kept = text.split_inclusive('\n').filter(|line| !added(line));
        return (kept.collect::<String>().into_bytes(), ours);
    }
    (real, ours)
}

/// Returns true if a transaction or a change of the members fails on both sides with different errors, because etcdctl
/// logs in first, and the simulator reads the transaction or checks the peer URLs first.
pub(super) fn is_order_of_login(case: &Case, real: &[u8], ours: &[u8]) -> bool {
    let has_user = case.args.iter().any(|word| word.starts_with(b"--user="));
    let is_refused = String::from_utf8_lossy(real).contains("authentication failed");
    let is_checked_before =
        !case.stdin.is_empty() || case.args.iter().any(|word| word == b"member");
    has_user && is_refused && is_checked_before && !ours.ends_with(b"# exit 0\n")
}

fn is_border(line: &str) -> bool {
    line.starts_with(['┌', '├', '└', '+'])
}

/// Returns the words of a table in alphabetical order, without borders.
fn table_words(table: &str) -> Vec<u8> {
    let rows = table.lines().filter(|line| !is_border(line));
    let mut words: Vec<&str> = rows.flat_map(|row| row.split([' ', '|', '│'])).collect();
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.join("\n").into_bytes()
}

/// Returns the rows of a table without some columns, without borders and without the widths of the cells.
fn without_columns(table: &str) -> String {
    let rows = table.lines().filter(|line| !is_border(line));
    let rows = rows.map(|row| row.split(['|', '│']).map(str::trim).collect::<Vec<_>>());
    let rows: Vec<Vec<&str>> = rows.collect();
    let is_kept = |column: usize| {
        let heading = rows.first().and_then(|row| row.get(column));
        heading.is_none_or(|heading| !COLUMNS.contains(heading))
    };
    let mut text = String::new();
    // The first character shows the style of the borders.
    text.extend(table.chars().take(1).chain(['\n']));
    for row in &rows {
        let cells = row
            .iter()
            .enumerate()
            .filter(|(column, _)| is_kept(*column));
        let cells: Vec<&str> = cells.map(|(_, cell)| *cell).collect();
        text += &(cells.join(" | ") + "\n");
    }
    text
}

/// Sorts the keys of a lease. In the format `fields`, each key has a line. In other formats the characters of the list
/// are sorted, because a key may contain spaces.
fn without_order(mut text: String) -> Vec<u8> {
    if text.contains("\"Key\" : ") {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.sort_unstable();
        text = lines.concat();
    }
    for (open, close) in [("attached keys([", "])"), ("\"keys\":[", "]}")] {
        if let Some(start) = text.find(open).map(|at| at + open.len())
            && let Some(end) = text.rfind(close)
            && start <= end
        {
            let mut heap: Vec<char> = text[start..end].chars().collect();
            heap.sort_unstable();
            text.replace_range(start..end, &heap.iter().collect::<String>());
        }
    }
    text.into_bytes()
}

fn without_number(text: &str, name: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || ".hmnsµ".contains(c);
    let mut parts = text.split(name);
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked = [&masked, name, "…", part.trim_start_matches(is_part)].concat();
    }
    masked
}
