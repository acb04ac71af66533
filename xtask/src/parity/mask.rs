//! Masks output that differs between the simulator and a real etcd: sizes, and times that depend on the wall clock.

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
}

fn masked(case: &Case) -> Option<Masked> {
    let words: Vec<&[u8]> = case.args.iter().map(Vec::as_slice).collect();
    let has = |beginning: &str, shortest: usize| {
        words
            .iter()
            .any(|word| word.len() >= shortest && beginning.as_bytes().starts_with(word))
    };
    if has("lease", 2) && has("timetolive", 1) {
        return Some(Masked::Left);
    }
    if !has("endpoint", 2) {
        return None;
    }
    if has("status", 1) {
        Some(Masked::Sizes)
    } else if has("health", 2) {
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
    if what == Masked::Left {
        return left(output);
    }
    let text = String::from_utf8_lossy(output);
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        out.push_str(&match what {
            Masked::Sizes => sizes(line),
            Masked::Took => took(line),
            Masked::Left => line.to_owned(),
        });
    }
    out.into_bytes()
}

fn sizes(line: &str) -> String {
    const COLUMN: usize = 3;
    if line.starts_with("\"DBSize\"") {
        return "\"DBSize\" : …\n".to_owned();
    }
    if line.starts_with("[{\"Endpoint\"") {
        let line = without_number(line, "\"dbSize\":");
        return without_number(&line, "\"dbSizeInUse\":");
    }
    if line.starts_with(['+', '|']) {
        return without_cell(line, COLUMN);
    }
    if line.contains(", ") && !line.contains('"') && !line.contains("--") {
        let mut cells: Vec<&str> = line.split(", ").collect();
        if cells.len() > COLUMN {
            cells[COLUMN] = "…";
        }
        return cells.join(", ");
    }
    line.to_owned()
}

fn left(output: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(output);
    let mut lines: Vec<String> = text
        .split_inclusive('\n')
        .map(|line| {
            let line = without_number(line, "remaining(");
            let line = without_number(&line, "\"ttl\":");
            without_number(&line, "\"TTL\" : ")
        })
        .collect();
    // In the format `fields`, each key has a line. In other formats the characters of the lists are sorted before the
    // comparison, because a key may contain spaces.
    if text.contains("\"Key\" : ") {
        lines.sort();
    }
    let mut masked = lines.concat();
    for (open, close) in [("attached keys([", "])"), ("\"keys\":[", "]}")] {
        if let Some(start) = masked.find(open).map(|at| at + open.len())
            && let Some(end) = masked.rfind(close)
            && start <= end
        {
            let mut heap: Vec<char> = masked[start..end].chars().collect();
            heap.sort_unstable();
            masked.replace_range(start..end, &heap.iter().collect::<String>());
        }
    }
    masked.into_bytes()
}

fn took(line: &str) -> String {
    const COLUMN: usize = 2;
    if let Some((before, _)) = line.split_once("took = ") {
        return format!("{before}took = …\n");
    }
    if line.starts_with("\"Took\"") {
        return "\"Took\" : …\n".to_owned();
    }
    if let Some((before, rest)) = line.split_once("\"took\":\"") {
        let rest = rest.split_once('"').map_or("", |(_, rest)| rest);
        return format!("{before}\"took\":\"…\"{rest}");
    }
    if line.starts_with(['+', '|']) {
        return without_cell(line, COLUMN);
    }
    line.to_owned()
}

fn without_number(line: &str, name: &str) -> String {
    let Some((before, rest)) = line.split_once(name) else {
        return line.to_owned();
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}{name}…{rest}")
}

fn without_cell(line: &str, column: usize) -> String {
    let separator = if line.starts_with('+') { "+" } else { "|" };
    let mut cells: Vec<&str> = line.split(separator).collect();
    if cells.len() > column + 1 {
        cells[column + 1] = "…";
    }
    cells.join(separator)
}
