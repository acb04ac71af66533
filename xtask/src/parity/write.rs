//! Random writes of keys and leases. In the generated commands, a number stands for each lease, because the lease IDs
//! of a real etcd are random.

use super::Answer;
use super::chance::Chance;
use super::transcript;
use super::watch::{Ids, Side};

/// The first digits of the simulator's lease IDs, which are the low 16 bits of its member ID. A counter follows these
/// digits.
const OURS: &str = "694d";

const KEYS: [&str; 8] = ["/a", "/a/1", "/a/2", "/b", "/b/1", "/c", "k", "z"];

/// A command, in which numbers replace lease IDs.
#[derive(Clone, Debug)]
pub(super) struct Line {
    words: Vec<String>,
    stdin: Vec<String>,
}

/// A generator of writes. The same seed leads to the same writes.
pub(super) struct Writer {
    chance: Chance,
    revision: u64,
    compacted: u64,
    puts: u64,
    leases: usize,
    real: Ids,
}

impl Line {
    fn new(words: &[&str]) -> Self {
        Self {
            words: words.iter().map(|w| (*w).to_owned()).collect(),
            stdin: Vec::new(),
        }
    }

    /// Returns the words of the command with the lease IDs of one side (etcd or the simulator).
    pub(super) fn words(&self, writer: &Writer, side: Side) -> Vec<Vec<u8>> {
        let words = self
            .words
            .iter()
            .map(|w| writer.with_ids(w, side).into_bytes());
        words.collect()
    }

    /// Returns the lines of standard input with the lease IDs of one side (etcd or the simulator).
    pub(super) fn stdin(&self, writer: &Writer, side: Side) -> Vec<String> {
        self.stdin
            .iter()
            .map(|line| writer.with_ids(line, side))
            .collect()
    }

    /// Returns the command as a person would type it.
    pub(super) fn shown(&self) -> String {
        let mut text = self.words.join(" ");
        for line in &self.stdin {
            text.push_str("\n> ");
            text.push_str(line);
        }
        text
    }

    /// Adds the command to a script of the native shell.
    pub(super) fn push_to(&self, script: &mut String) {
        let ours = |text: &String| {
            let mut text = text.clone();
            for n in (0..1000).rev() {
                let name = lease_name(n);
                if text.contains(&name) {
                    text = text.replace(&name, &our_id(n));
                }
            }
            text
        };
        let case = super::Case {
            args: self.words.iter().map(|w| ours(w).into_bytes()).collect(),
            stdin: self.stdin.iter().map(ours).collect(),
        };
        script.push_str(&transcript::input(&case));
    }
}

/// Returns the name that replaces the ID of lease number `n` in commands and in compared outputs.
fn lease_name(n: usize) -> String {
    format!("<lease {n}>")
}

fn our_id(n: usize) -> String {
    format!("{OURS}{:012x}", n + 1)
}

impl Writer {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            chance: Chance(seed ^ 0x7761_7463_6865_7273),
            revision: 1,
            compacted: 1,
            puts: 0,
            leases: 0,
            real: Ids::new(),
        }
    }

    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn compacted(&self) -> u64 {
        self.compacted
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.chance.below(bound)
    }

    fn key(&mut self) -> &'static str {
        KEYS[self.below(KEYS.len() as u64) as usize]
    }

    /// Generates a random range. Returns its key, its end, and the arguments that select the range.
    pub(super) fn range(&mut self) -> (String, String, Vec<String>) {
        match self.below(4) {
            0 => {
                let key = self.key();
                (key.into(), String::new(), vec![key.into()])
            }
            1 => ("/".into(), "0".into(), vec!["/".into(), "--prefix".into()]),
            2 => ("/a".into(), "/b".into(), vec!["/a".into(), "/b".into()]),
            _ => (
                "/b".into(),
                "/c".into(),
                vec!["/b".into(), "--prefix".into()],
            ),
        }
    }

    /// Generates a compaction near the current revision.
    pub(super) fn compact(&mut self) -> Line {
        let back = self.below(12);
        let rev = self.revision.saturating_sub(back).max(self.compacted + 1);
        Line::new(&["compaction", &rev.to_string()])
    }

    pub(super) fn next(&mut self) -> Line {
        self.puts += 1;
        let value = format!("v{}", self.puts);
        let key = self.key();
        match self.below(20) {
            0..9 => Line::new(&["put", key, &value]),
            9..12 => Line::new(&["del", key]),
            12 => Line::new(&["del", "/a", "--prefix"]),
            13..15 => {
                let (other, third) = (self.key(), self.key());
                let mut line = Line::new(&["txn"]);
                line.stdin = vec![
                    format!("version(\"{key}\") > \"0\""),
                    String::new(),
                    format!("del {key}"),
                ];
                if other != key {
                    line.stdin.push(format!("put {other} {value}"));
                }
                line.stdin
                    .extend([String::new(), format!("put {third} {value}"), String::new()]);
                line
            }
            15 => Line::new(&["lease", "grant", "1000"]),
            16..18 if self.leases > 0 => {
                let lease = self.lease();
                Line::new(&["put", key, &value, &format!("--lease={lease}")])
            }
            18 if self.leases > 0 => {
                let lease = self.lease();
                match self.below(4) {
                    0 => Line::new(&["lease", "revoke", &lease]),
                    1 => Line::new(&["lease", "timetolive", &lease, "--keys"]),
                    2 => Line::new(&["lease", "keep-alive", "--once", &lease]),
                    _ => Line::new(&["lease", "list"]),
                }
            }
            _ => Line::new(&["get", key, "-w", "json"]),
        }
    }

    fn lease(&mut self) -> String {
        let n = self.below(self.leases as u64) as usize;
        lease_name(n)
    }

    /// Records the IDs and revisions in an output of the real etcd.
    pub(super) fn learn(&mut self, line: &Line, answer: &Answer) {
        let text = String::from_utf8_lossy(&answer.stdout);
        if let Some(rest) = text.strip_prefix("lease ")
            && let Some((id, rest)) = rest.split_once(' ')
            && rest.starts_with("granted")
            && line.words[1] == "grant"
        {
            self.real.insert(self.leases, id.to_owned());
            self.leases += 1;
        }
        if let Some((_, rest)) = text.split_once("\"revision\":") {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            self.revision = digits.parse().unwrap_or(self.revision);
        }
        if let Some(rest) = text.strip_prefix("compacted revision ") {
            self.compacted = rest.trim().parse().unwrap_or(self.compacted);
            self.revision = self.revision.max(self.compacted);
        }
    }

    fn with_ids(&self, text: &str, side: Side) -> String {
        let mut text = text.to_owned();
        for n in 0..self.leases {
            let id = match side {
                Side::Real => self.real[&n].clone(),
                Side::Ours => our_id(n),
            };
            text = text.replace(&lease_name(n), &id);
        }
        text
    }

    /// Replaces the lease IDs of one side with their names, in hexadecimal and in decimal form.
    pub(super) fn rename(&self, text: &str, side: Side) -> String {
        let mut text = text.to_owned();
        for n in 0..self.leases {
            let id = match side {
                Side::Real => self.real[&n].clone(),
                Side::Ours => our_id(n),
            };
            text = text.replace(&id, &lease_name(n));
            if let Ok(number) = i64::from_str_radix(&id, 16) {
                // The name is a string, so that JSON stays valid.
                text = text.replace(
                    &format!("\"lease\":{number}"),
                    &format!("\"lease\":\"{}\"", lease_name(n)),
                );
                text = text.replace(&number.to_string(), &lease_name(n));
            }
        }
        text
    }

    /// Prepares an output for comparison: replaces lease IDs with names, sorts lists, and removes times.
    pub(super) fn named(&self, line: &Line, answer: &[u8], side: Side) -> String {
        let text = self.rename(&String::from_utf8_lossy(answer), side);
        if line.words.first().map(String::as_str) != Some("lease") {
            return text;
        }
        let mut lines: Vec<String> = text.lines().map(without_remaining).collect();
        if line.words[1] == "list" {
            // etcd sorts by the remaining time, and the order of leases of the same age is random.
            lines.sort();
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

fn without_remaining(line: &str) -> String {
    match line.split_once("remaining(") {
        Some((before, rest)) => {
            let after = rest.split_once(')').map_or("", |(_, after)| after);
            let after = sorted_keys(after);
            format!("{before}remaining(…){after}")
        }
        None => line.to_owned(),
    }
}

/// Sorts the keys in a list such as `, attached keys([b a])`, because etcd stores the keys in a map without an order.
fn sorted_keys(text: &str) -> String {
    let Some((before, rest)) = text.split_once("([") else {
        return text.to_owned();
    };
    let (list, after) = rest.split_once("])").unwrap_or((rest, ""));
    let mut keys: Vec<&str> = list.split(' ').collect();
    keys.sort_unstable();
    format!("{before}([{}]){after}", keys.join(" "))
}
