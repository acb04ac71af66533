//! Compares an output in a transcript with the output of the simulator.
//!
//! Some values of a real cluster can never be equal: durations, the remaining time of a lease, the ids, names and
//! addresses of members, patch versions, and values that depend on elections, such as the term of raft. For these
//! values, the comparison only checks the kind of value, e.g. that both outputs contain a duration. The names of the
//! fields are from `printer.go` and `ep_command.go`.

/// The prompts that `etcdctl txn -i` prints between the typed lines.
pub(super) const TXN_PROMPTS: [&str; 3] = [
    "compares:",
    "success requests (get, put, del):",
    "failure requests (get, put, del):",
];

/// The result of the comparison of two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    Same,
    /// The outputs differ only in values that are different in every cluster, such as durations.
    SameKind,
    Different,
}

/// Compares an output with the expected output. The comparison ignores white space at line ends, white space in JSON,
/// etcdctl's log, and the prompts between the typed lines.
///
/// ```
/// use watchglass_engine::scenario::{Sameness, compare_output};
/// assert_eq!(compare_output("a\n1", "a\n1\n"), Sameness::Same);
/// assert_eq!(compare_output("a\n1", "a\n2\n"), Sameness::Different);
/// let took = |ms| format!("etcd-1 is healthy: successfully committed proposal: took = {ms}ms");
/// assert_eq!(compare_output(&took("2.5"), &took("1")), Sameness::SameKind);
/// ```
pub fn compare_output(expected: &str, actual: &str) -> Sameness {
    let (expected, actual) = (lines(expected), lines(actual));
    if expected == actual {
        return Sameness::Same;
    }
    let is_json = |lines: &[&str]| {
        lines
            .first()
            .is_some_and(|line| line.starts_with(['{', '[']))
    };
    if is_json(&expected) && is_json(&actual) {
        let (expected, actual) = (without_space(&expected), without_space(&actual));
        if expected == actual {
            return Sameness::Same;
        }
        // A value of a user can be JSON, too.
        let is_response = ["\"cluster_id\":", "\"health\":"]
            .iter()
            .any(|field| actual.contains(field));
        return match is_response && kinds_in_json(&expected) == kinds_in_json(&actual) {
            true => Sameness::SameKind,
            false => Sameness::Different,
        };
    }
    let kinds = |lines: &[&str]| -> Vec<String> {
        // Other responses print a granted TTL with the same label.
        let is_remaining = |line: &str| {
            line.starts_with("\"TTL\" : ")
                && lines
                    .iter()
                    .any(|line| line.starts_with("\"GrantedTTL\" : "))
        };
        let kind = |line: &str| match is_remaining(line) {
            true => "\"TTL\"".to_owned(),
            false => kinds_in_line(line),
        };
        let shown = lines.iter().filter(|line| !is_border(line));
        let mut kinds: Vec<String> = shown.map(|line| kind(line)).collect();
        // The order of endpoints depends on times and ids.
        let is_list = kinds
            .iter()
            .all(|line| line.contains(ADDRESS) || line.contains('|'));
        if is_list {
            kinds.sort_unstable();
        }
        kinds
    };
    match kinds(&expected) == kinds(&actual) {
        true => Sameness::SameKind,
        false => Sameness::Different,
    }
}

/// Returns true if a recorded output consists of an output and of events that a watch printed before or after it.
pub fn is_beside_events(recorded: &str, output: &str) -> bool {
    let (recorded, output) = (lines(recorded), lines(output));
    let is_events = |lines: &[&str]| {
        lines.first().is_some_and(|line| {
            matches!(*line, "PUT" | "DELETE") || line.starts_with("{\"Header\":")
        })
    };
    let (after, before) = (
        recorded.strip_prefix(&*output),
        recorded.strip_suffix(&*output),
    );
    after.is_some_and(is_events) || before.is_some_and(is_events)
}

fn lines(text: &str) -> Vec<&str> {
    let is_shown = |line: &&str| !is_log(line) && !TXN_PROMPTS.contains(&line.trim());
    let lines = text.trim().lines().filter(is_shown);
    lines.map(str::trim_end).collect()
}

/// Returns true if a line is a log line of etcd or etcdctl. Since 3.4, etcdctl prints a log in JSON. Before 3.5, etcd's
/// log could have the format of `capnslog`: `2025-03-11 09:21:44.118234 W | etcdserver: …`.
pub(super) fn is_log(line: &str) -> bool {
    line.starts_with("{\"level\":\"") || is_line_of_capnslog(line) || is_line_of_klog(line)
}

/// Returns true for a line of kubectl's log, as in `I0311 09:21:45.000001   12345 loader.go:395] Config loaded`.
fn is_line_of_klog(line: &str) -> bool {
    let (Some((head, _)), Some(time)) = (line.split_once("] "), line.split(' ').nth(1)) else {
        return false;
    };
    let day = head.strip_prefix(['I', 'W', 'E', 'F']).unwrap_or_default();
    has_shape(day.split(' ').next().unwrap_or_default(), "0000")
        && has_shape(time, "00:00:00.000000")
}

/// Returns true if the text has a digit at each position at which the shape has `0`, and the same character as the
/// shape at every other position.
fn has_shape(text: &str, shape: &str) -> bool {
    let mut letters = text.chars().zip(shape.chars());
    text.len() == shape.len()
        && letters.all(|(c, kind)| match kind {
            '0' => c.is_ascii_digit(),
            kind => c == kind,
        })
}

fn is_line_of_capnslog(line: &str) -> bool {
    let mut words = line.split(' ');
    let mut next = || words.next().unwrap_or_default();
    let (date, time, level, bar) = (next(), next(), next(), next());
    has_shape(date, "0000-00-00")
        && has_shape(time, "00:00:00.000000")
        && matches!(level.as_bytes(), [letter] if letter.is_ascii_uppercase())
        && bar == "|"
}

fn without_space(lines: &[&str]) -> String {
    let text = lines.iter().flat_map(|line| line.chars());
    text.filter(|c| !c.is_whitespace()).collect()
}

/// Returns true if a line is a border of a table.
fn is_border(line: &str) -> bool {
    line.starts_with('+') && line.chars().all(|c| matches!(c, '+' | '-'))
}

const ADDRESS: &str = "<address>";

/// The fields of responses whose values differ between clusters and are therefore not compared.
const OWN_FIELDS: [&str; 14] = [
    "cluster_id",
    "member_id",
    "leader",
    "raft_term",
    "raftTerm",
    "raftIndex",
    "raftAppliedIndex",
    "version",
    "Endpoint",
    "endpoint",
    "name",
    "peerURLs",
    "clientURLs",
    "took",
];

/// Replaces the values of the fields in [`OWN_FIELDS`], the ids of members, and the remaining time of a lease. The JSON
/// contains no white space.
fn kinds_in_json(json: &str) -> String {
    let is_of_members = json.contains("\"peerURLs\":");
    let is_of_lease = json.contains("\"granted-ttl\":");
    let mut kinds = String::new();
    let mut rest = json;
    while let Some((before, after)) = rest.split_once("\":") {
        kinds.push_str(before);
        kinds.push_str("\":");
        let field = before.rsplit('"').next().unwrap_or_default();
        let is_own = OWN_FIELDS.contains(&field)
            || field == "ID" && is_of_members
            || field == "ttl" && is_of_lease;
        // A key-value pair has a version, too: the number of its changes.
        let is_count = field == "version" && !after.starts_with('"');
        rest = match is_own && !is_count {
            true => &after[end_of_value(after)..],
            false => after,
        };
    }
    kinds.push_str(rest);
    kinds
}

/// Returns the length of a number, a text or a list of texts at the start of JSON.
fn end_of_value(json: &str) -> usize {
    let end = match json.chars().next() {
        Some('"') => json[1..].find('"').map(|at| at + 2),
        Some('[') => json.find(']').map(|at| at + 1),
        _ => json.find([',', '}', ']']),
    };
    end.unwrap_or(json.len())
}

/// Replaces the values in a line that differ from run to run, so that these values do not count as differences.
fn kinds_in_line(line: &str) -> String {
    if let Some((name, _)) = line.split_once(" : ") {
        let own = [
            "\"ClusterID\"",
            "\"MemberID\"",
            "\"Leader\"",
            "\"RaftTerm\"",
            "\"RaftIndex\"",
            "\"RaftAppliedIndex\"",
            "\"Endpoint\"",
            "\"Version\"",
        ];
        // A key-value pair has a version, too: the number of its changes.
        let is_count = name == "\"Version\"" && !line.ends_with('"');
        return match own.contains(&name) && !is_count {
            true => name.to_owned(),
            false => line.to_owned(),
        };
    }
    for label in ["etcdctl version: ", "API version: ", "Server version "] {
        if line.starts_with(label) {
            return label.to_owned();
        }
    }
    if let Some(line) = without_remaining_time(line) {
        return line;
    }
    let is_table = line.starts_with('|') && line.ends_with('|');
    let cells: Vec<&str> = match is_table {
        true => line.trim_matches('|').split('|').map(str::trim).collect(),
        false => line.split(", ").collect(),
    };
    let is_report = [
        " is healthy: ",
        " is unhealthy: ",
        "Finished defragmenting ",
        "Failed to get ",
    ]
    .iter()
    .any(|text| line.contains(text));
    let is_hash = matches!(cells.as_slice(), [endpoint, hash, ..] if is_hash_row(endpoint, hash));
    let is_member = matches!(cells.get(1), Some(&("started" | "unstarted")));
    let is_status = cells.len() >= 9 && cells.get(2).is_some_and(|version| is_version(version));
    // The columns from IS LEADER on: two flags, and then the term and the indexes of raft. The number of earlier
    // columns depends on the version.
    let is_flag = |cell: &&str| matches!(*cell, "true" | "false");
    let flags = cells.windows(2).position(|pair| pair.iter().all(is_flag));
    let is_of_election =
        |column: usize| flags.is_some_and(|at| column == at || (at + 2..at + 5).contains(&column));
    let kind = |(column, cell): (usize, &&str)| match (column, *cell) {
        (0 | 2, _) if is_member => "<own>".to_owned(),
        (1 | 2, _) if is_status => "<own>".to_owned(),
        (column, _) if is_status && is_of_election(column) => "<own>".to_owned(),
        (_, cell) => kinds_in_text(cell, is_table),
    };
    // Any other line can be a key or a value of a user.
    if !(is_table || is_report || is_hash || is_member || is_status) {
        return line.to_owned();
    }
    let cells: Vec<String> = cells.iter().enumerate().map(kind).collect();
    cells.join(if is_table { "|" } else { ", " })
}

/// Removes the remaining seconds from a line that `lease timetolive` prints. Returns `None` for any other line.
fn without_remaining_time(line: &str) -> Option<String> {
    let (granted, rest) = line.split_once("s), remaining(")?;
    let (remaining, rest) = rest.split_once("s)")?;
    let is_lease = granted.starts_with("lease ") && granted.contains(" granted with TTL(");
    (is_lease && remaining.parse::<u64>().is_ok()).then(|| format!("{granted}{rest}"))
}

/// Returns true for a row that `endpoint hashkv` prints.
fn is_hash_row(endpoint: &str, hash: &str) -> bool {
    with_addresses(endpoint) == ADDRESS && hash.parse::<u32>().is_ok()
}

/// Replaces the addresses in a text. Also replaces a duration, if it follows `took` or is the whole text of a table
/// cell (`is_cell`).
fn kinds_in_text(text: &str, is_cell: bool) -> String {
    let mut kinds = Vec::new();
    let (mut before, mut before_that) = ("", "");
    for word in text.split(' ') {
        let is_took = before == "took" || before_that == "took" && before == "=";
        let is_alone = is_cell && !text.contains(' ');
        kinds.push(match word {
            word if is_duration(word) && (is_took || is_alone) => "<time>".to_owned(),
            word => with_addresses(word),
        });
        (before_that, before) = (before, word);
    }
    kinds.join(" ")
}

fn is_version(text: &str) -> bool {
    text.starts_with("3.") && text.matches('.').count() == 2
}

/// Returns true for a duration as Go prints it, such as `2.5ms`, with or without a dot at its end.
fn is_duration(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ')']);
    let number = word.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = &word[number.len()..];
    !number.is_empty()
        && number.starts_with(|c: char| c.is_ascii_digit())
        && matches!(unit, "ns" | "µs" | "ms" | "s")
}

/// Replaces the addresses in a word such as `member[127.0.0.1:2379]` or `https://10.0.0.1:2379,`.
fn with_addresses(word: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | '.' | '-' | '_');
    let (mut kinds, mut rest) = (String::new(), word);
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        let address = part.trim_end_matches([':', '.']);
        match is_address(address) {
            true => {
                kinds.push_str(ADDRESS);
                kinds.push_str(&part[address.len()..]);
            }
            false => kinds.push_str(part),
        }
        let mut separators = after.chars();
        kinds.extend(separators.next());
        rest = separators.as_str();
    }
    kinds
}

/// Returns true for an address such as `etcd-1:2379` or `http://localhost:2379`.
fn is_address(text: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let is_port = |port: &str| port.len() >= 4 && port.bytes().all(|b| b.is_ascii_digit());
    match (rest, text.rsplit_once(':')) {
        (Some(rest), _) => !rest.is_empty(),
        (None, Some((host, port))) => !host.is_empty() && !host.contains('/') && is_port(port),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_indexes_of_raft_are_not_compared() {
        let status = |term, index, leader| {
            format!(
                "127.0.0.1:2379, 8e9e05c52164694d, 3.5.9, 20 kB, {leader}, false, {term}, {index}, {index}, "
            )
        };
        let same = |a: &str, b: &str| compare_output(a, b);
        assert_eq!(
            same(&status(2, 4, true), &status(7, 31, false)),
            Sameness::SameKind
        );
        let json = |term, revision| {
            format!(
                "{{\"header\":{{\"cluster_id\":1,\"member_id\":2,\"revision\":{revision},\
                 \"raft_term\":{term}}},\"count\":1}}"
            )
        };
        assert_eq!(same(&json(2, 5), &json(9, 5)), Sameness::SameKind);
        assert_eq!(same(&json(2, 5), &json(2, 6)), Sameness::Different);
        assert_eq!(
            same("\"RaftTerm\" : 2", "\"RaftTerm\" : 5"),
            Sameness::SameKind
        );
    }

    #[test]
    fn own_values_of_a_cluster_are_compared_by_their_kind() {
        for (expected, actual) in [
            (
                "8211f1d0f64f3269, started, infra1, http://127.0.0.1:12380, http://127.0.0.1:2379, false",
                "8e9e05c52164694d, started, default, http://localhost:2380, http://localhost:2379, false",
            ),
            (
                "127.0.0.1:2379, 8211f1d0f64f3269, 3.5.9, 20 kB, true, false, 2, 8, 8, ",
                "127.0.0.1:2379, 8e9e05c52164694d, 3.6.14, 20 kB, true, false, 2, 8, 8, ",
            ),
            (
                "+------+---------+\n| ENDPOINT | HEALTH | TOOK | ERROR |\n+------+\n\
                 | https://192.168.56.10:2379 |   true | 11.245918ms |       |\n+---+",
                "+------+\n| ENDPOINT | HEALTH | TOOK | ERROR |\n+---+\n| http://etcd-1:2379 | true | 1ms |  |\n+--+",
            ),
            (
                "{\"header\":{\"cluster_id\":324952591200643700,\"member_id\":33,\"revision\":4},\"count\":1}",
                "{\n \"header\": {\"cluster_id\": 1, \"member_id\": 2, \"revision\": 4}, \"count\": 1}",
            ),
            (
                "\"ClusterID\" : 324952591200643719\n\"Revision\" : 4",
                "\"ClusterID\" : 1\n\"Revision\" : 4",
            ),
            (
                "Finished defragmenting etcd member[10.0.0.1:2379]. took 12.3ms",
                "Finished defragmenting etcd member[127.0.0.1:2379]. took 1ms",
            ),
            (
                "etcdctl version: 3.5.9\nAPI version: 3.5",
                "etcdctl version: 3.6.14\nAPI version: 3.6",
            ),
            (
                "lease 694d81417acd4754 granted with TTL(300s), remaining(271s), attached keys([a])",
                "lease 694d81417acd4754 granted with TTL(300s), remaining(299s), attached keys([a])",
            ),
            (
                "{\"cluster_id\":1,\"id\":7,\"ttl\":271,\"granted-ttl\":300,\"keys\":null}",
                "{\"cluster_id\":1,\"id\":7,\"ttl\":299,\"granted-ttl\":300,\"keys\":null}",
            ),
            (
                "\"ID\" : 7\n\"TTL\" : 271\n\"GrantedTTL\" : 300",
                "\"ID\" : 7\n\"TTL\" : 299\n\"GrantedTTL\" : 300",
            ),
            (
                "10.0.0.2:2379 is healthy: successfully committed proposal: took = 2ms\n\
                 10.0.0.1:2379 is healthy: successfully committed proposal: took = 2.5ms",
                "10.0.0.1:2379 is healthy: successfully committed proposal: took = 1ms\n\
                 10.0.0.2:2379 is healthy: successfully committed proposal: took = 1ms",
            ),
        ] {
            assert_eq!(
                compare_output(expected, actual),
                Sameness::SameKind,
                "{expected}"
            );
        }
    }

    #[test]
    fn events_beside_an_output_are_known() {
        for (recorded, output) in [
            ("OK\nPUT\na\n1", "OK\n"),
            ("PUT\na\n1\nOK", "OK\n"),
            ("OK\nDELETE\na\n", "OK\n"),
            ("PUT\na\n1", ""),
        ] {
            assert!(is_beside_events(recorded, output), "{recorded}");
        }
        for (recorded, output) in [("OK", "OK"), ("OK\na\n1", "OK"), ("NO\nPUT\na\n1", "OK")] {
            assert!(!is_beside_events(recorded, output), "{recorded}");
        }
    }

    #[test]
    fn other_values_are_compared() {
        for (expected, actual) in [
            ("a\n10s", "a\n11s"),
            ("a\n10.0.0.1:8080", "a\n10.0.0.2:8080"),
            ("{\"name\":\"a\"}", "{\"name\":\"b\"}"),
            ("a\n1", "a\n2"),
            ("{\"kvs\":[{\"version\":1}]}", "{\"kvs\":[{\"version\":2}]}"),
            (
                "{\"header\":{\"revision\":4}}",
                "{\"header\":{\"revision\":5}}",
            ),
            ("\"Version\" : 2", "\"Version\" : 3"),
            ("10.0.0.1:2379 is healthy", "10.0.0.1:2379 is unhealthy"),
            ("\"Revision\" : 4", "\"Revision\" : 5"),
            ("127.0.0.1:2379, 3836178915", "127.0.0.1:2379, 1"),
            (
                "lease 694d81417acd4754 granted with TTL(300s), remaining(271s)",
                "lease 694d81417acd4754 granted with TTL(60s), remaining(271s)",
            ),
            (
                "lease 694d81417acd4754 granted with TTL(300s), remaining(271s)",
                "lease 694d81417acd4754 already expired",
            ),
            (
                "{\"cluster_id\":1,\"ttl\":271,\"granted-ttl\":300}",
                "{\"cluster_id\":1,\"ttl\":271,\"granted-ttl\":60}",
            ),
            ("\"ID\" : 7\n\"TTL\" : 300", "\"ID\" : 7\n\"TTL\" : 60"),
        ] {
            assert_eq!(
                compare_output(expected, actual),
                Sameness::Different,
                "{expected}"
            );
        }
    }
}
