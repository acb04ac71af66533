//! The format of the recordings: each command, followed by everything that the real programs printed.
//!
//! | first character | the rest of the line |
//! |---|---|
//! | `#` | a comment |
//! | `$` | a command, quoted for bash |
//! | `<` | a line of the command's standard input |
//! | `\|` | a line of standard output |
//! | `!` | a line of standard error |
//! | `=` | the exit code, which ends the record |
//!
//! In lines of input and output, `\\` is a backslash and `\xNN` a byte that is not printable. `|~` and `!~` mark a last
//! line without a newline. Without this mark, a newline at the end of a stream is optional.

use std::fmt::Write as _;

use watchglass_engine::session::script::RecordedCommand;
use watchglass_engine::shell::Output;

pub(super) struct Record {
    /// The line of the command in the file, from 1.
    pub line: usize,
    pub command: RecordedCommand,
    pub output: Output,
    /// Whether the last line of standard output is known to have no newline.
    pub is_open: bool,
}

pub(super) fn parse(text: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (mark, rest) = line.split_at(line.len().min(1));
        match mark {
            "" | "#" => continue,
            "$" => {
                records.push(Record {
                    line: number + 1,
                    command: RecordedCommand {
                        line: rest.trim_start().to_owned(),
                        ..RecordedCommand::default()
                    },
                    output: Output::default(),
                    is_open: false,
                });
                continue;
            }
            _ => {}
        }
        let record = records.last_mut().expect("a command comes first");
        match mark {
            "<" => {
                let line = decoded(rest.strip_prefix(' ').unwrap_or(rest));
                let line = String::from_utf8(line).expect("input is text");
                record.command.input.push(line);
            }
            "|" => record.is_open = push_line(&mut record.output.stdout, rest),
            "!" => {
                push_line(&mut record.output.stderr, rest);
            }
            "=" => {
                record.output.exit = rest.trim().parse().expect("an exit code");
                if is_grant(record) {
                    record.command.lease_ids = granted(&record.output);
                }
            }
            _ => panic!("line {}: {line}", number + 1),
        }
    }
    find_silent_grants(&mut records, text);
    records
}

/// The low 16 bits of the member's ID, with which its lease IDs start.
const LEASE_PREFIX: i64 = 0x694d << 48;

fn is_lease(id: i64) -> bool {
    id >> 48 == LEASE_PREFIX >> 48
}

/// Finds the lease IDs of the grants that print none, such as `lease grant 60 -w table`. A server's IDs increase, so
/// such an ID lies between the IDs of the grants before and after, and appears only in other commands.
fn find_silent_grants(records: &mut [Record], text: &str) {
    let is_digit = |c: char| c.is_ascii_hexdigit();
    let hex = text.split(|c: char| !is_digit(c));
    let hex = hex.filter_map(|word| i64::from_str_radix(word, 16).ok());
    let decimal = text.split(|c: char| !c.is_ascii_digit());
    let decimal = decimal.filter_map(|word| word.parse().ok());
    let mut seen: Vec<i64> = hex.chain(decimal).filter(|id| is_lease(*id)).collect();
    seen.sort_unstable();
    seen.dedup();
    let mut last = LEASE_PREFIX;
    for at in 0..records.len() {
        if is_silent_grant(&records[at]) {
            let later = records[at + 1..].iter();
            let next = later.flat_map(|record| &record.command.lease_ids).next();
            let mut between = seen.iter().filter(|id| **id > last);
            let id = between
                .next()
                .filter(|id| next.is_none_or(|next| *id < next));
            records[at].command.lease_ids = vec![*id.unwrap_or(&(last + 1))];
        }
        if let [.., id] = records[at].command.lease_ids.as_slice() {
            last = last.max(*id);
        }
    }
}

/// Returns true if the command is `lease grant`, perhaps abbreviated.
fn is_grant(record: &Record) -> bool {
    let mut words = record.command.line.split(' ');
    words.any(|word| word.len() > 1 && "lease".starts_with(word))
        && words.any(|word| !word.is_empty() && "grant".starts_with(word))
}

fn is_silent_grant(record: &Record) -> bool {
    let output = &record.output;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let is_sent = output.exit == 0 && !output.stdout.starts_with(b"NAME:")
        || stderr.ends_with("supported as output format\n");
    is_grant(record) && is_sent && record.command.lease_ids.is_empty()
}

/// Adds a line to a stream. Returns true if the line has no newline.
fn push_line(stream: &mut Vec<u8>, text: &str) -> bool {
    let (text, is_open) = match text.strip_prefix('~') {
        Some(text) => (text, true),
        None => (text, false),
    };
    stream.extend(decoded(text.strip_prefix(' ').unwrap_or(text)));
    if !is_open {
        stream.push(b'\n');
    }
    is_open
}

fn decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'x') => {
                    let digits: String = bytes.by_ref().take(2).map(char::from).collect();
                    decoded.push(u8::from_str_radix(&digits, 16).expect("two digits"));
                }
                Some(escaped) => decoded.push(escaped),
                None => panic!("a backslash at the end"),
            },
            _ => decoded.push(byte),
        }
    }
    decoded
}

/// Returns the ID in the output of `lease grant`, in the formats that print it.
fn granted(output: &Output) -> Vec<i64> {
    let text = String::from_utf8_lossy(&output.stdout);
    let id = |line: &str| {
        if let Some((id, _)) = line
            .strip_prefix("lease ")?
            .split_once(" granted with TTL(")
        {
            return i64::from_str_radix(id, 16).ok();
        }
        None
    };
    let number = |line: &str| {
        let (_, rest) = line.split_once("\"ID\"")?;
        let rest = rest.trim_start_matches([' ', ':']);
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().ok()
    };
    let ids = text
        .lines()
        .filter_map(|line| id(line).or_else(|| number(line)));
    ids.filter(|id| is_lease(*id)).collect()
}

pub(super) fn shown(output: &Output) -> String {
    let mut text = String::new();
    for (mark, stream) in [('|', &output.stdout), ('!', &output.stderr)] {
        for line in stream.split_inclusive(|b| *b == b'\n') {
            let _ = writeln!(text, "{mark} {}", line.escape_ascii());
        }
    }
    let _ = writeln!(text, "= {}", output.exit);
    text
}
