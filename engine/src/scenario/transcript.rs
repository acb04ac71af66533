//! A shell transcript: either commands after shell prompts, with or without their outputs, or a list with one command
//! per line.
//!
//! Real etcd chooses lease IDs at random, and outputs differ between versions. Therefore the run adopts the lease IDs
//! and the version that the outputs state.
//!
//! A command may continue on further lines: a transaction has three blocks, and a line can end with a backslash. The
//! shell's line reader therefore determines where each command ends. This module runs no commands.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::beat::Beat;
use super::format::{Block, Expected, FormatError, Scenario, check_text};
use super::joined::{INTERRUPT, JoinedLine, is_interrupt, joined};
use super::plain::plain;
use super::same_output::{self, TXN_PROMPTS};
use crate::api::Profile;
use crate::shell::{Command, CommandKind, LineReader, Read, is_command};
use crate::transcript::invocation::Aliases;
use crate::transcript::kubectl_verb;
use crate::transcript::prompt::{self, PastedLine, Prompts, after_continuation};
use crate::words::transcript as words;

pub use super::format::TEXT_BYTES_MAX;

/// Parses a transcript.
///
/// ```
/// use watchglass_engine::scenario::{Expected, transcript};
/// let s = transcript::parse("$ etcdctl put a 1\nOK\n$ etcdctl get a\na\n1\n").unwrap();
/// assert_eq!(s.blocks.len(), 2);
/// assert_eq!(s.blocks[1].expected, Expected::Output("a\n1".into()));
/// ```
pub fn parse(text: &str) -> Result<Scenario, FormatError> {
    TranscriptReader::new(text)?.finish()
}

/// A transcript that is being parsed, a few lines at a time, because a transcript of 16 MiB takes seconds to parse.
///
/// ```
/// use watchglass_engine::scenario::transcript::TranscriptReader;
/// let mut reader = TranscriptReader::new("$ etcdctl put a 1\nOK\n").unwrap();
/// assert!(reader.read(1));
/// assert_eq!(reader.progress(), (1, 2));
/// assert!(!reader.read(1));
/// assert_eq!(reader.finish().unwrap().blocks.len(), 1);
/// ```
#[derive(Debug)]
pub struct TranscriptReader {
    lines: std::vec::IntoIter<JoinedLine>,
    /// The number of lines at the start.
    total: usize,
    prompts: Prompts,
    needs_api_server: bool,
    splitter: Splitter,
    scenario: Scenario,
    /// The lines of the comment before the next command.
    comment: Vec<String>,
    /// The last command of a text with prompts, with the output lines that were read so far.
    open: Option<(Block, Vec<String>)>,
    /// The texts in typed commands that look like a prompt and a command, such as `$ x` in `put a '$ x'`. An output
    /// line that equals one of these texts is a printed value, not a command.
    values: BTreeSet<String>,
    has_watch: bool,
    /// Whether the last line was an event. A watch in the background prints its events after the prompt, and the next
    /// command follows the events.
    is_after_event: bool,
}

impl TranscriptReader {
    /// Finds the prompts and the etcd version of a text, and joins the lines of each command.
    pub fn new(text: &str) -> Result<Self, FormatError> {
        check_text(text)?;
        let text: &str = &plain(text);
        let (text, prompts) = prompt::with_prompts(text, is_command);
        let text: &str = &text;
        let profile = profile_of(text, &prompts);
        let lines = joined(text, &prompts);
        let mut scenario = Scenario {
            notes: notes(text, &prompts),
            ..Scenario::default()
        };
        if let Some(profile) = profile {
            let header = (PROFILE_HEADER.into(), profile.to_string());
            scenario.header.push(header);
        }
        Ok(Self {
            total: lines.len(),
            lines: lines.into_iter(),
            needs_api_server: needs_api_server(text, &prompts),
            prompts,
            splitter: Splitter::new(profile),
            scenario,
            comment: Vec::new(),
            open: None,
            values: BTreeSet::new(),
            has_watch: false,
            is_after_event: false,
        })
    }

    /// Reads up to `most` lines. Returns true if lines are left.
    pub fn read(&mut self, most: usize) -> bool {
        let is_list = self.prompts.is_empty();
        for _ in 0..most {
            let Some(JoinedLine { text, number }) = self.lines.next() else {
                break;
            };
            match is_list {
                true => self.read_command(&text, number),
                false => self.read_prompted(&text, number),
            }
        }
        self.lines.len() > 0
    }

    /// Returns the number of lines read and the number of all lines. The lines of a command count as one line.
    pub fn progress(&self) -> (u64, u64) {
        let read = self.total - self.lines.len();
        (read as u64, self.total as u64)
    }

    /// Reads the lines that are left, and returns the scenario.
    pub fn finish(mut self) -> Result<Scenario, FormatError> {
        self.read(usize::MAX);
        close(&mut self.scenario, self.open.take());
        let mut scenario = self.scenario;
        let blocks = &mut scenario.blocks;
        if blocks.is_empty() {
            let message = words::NO_COMMAND.into();
            return Err(FormatError { line: 1, message });
        }
        let has_output = |block: &Block| matches!(block.expected, Expected::Output(_));
        // A list of commands without any output says nothing about the output.
        if !blocks.iter().any(has_output) {
            for block in &mut *blocks {
                block.expected = Expected::Unsaid;
            }
        }
        if self.needs_api_server {
            let world = |block: &Block| block.input.starts_with("world ");
            let at = blocks.iter().rposition(world).map_or(0, |world| world + 1);
            let block = Block {
                line: blocks[0].line,
                input: "apiserver api-1\nsleep 1".into(),
                ..Block::default()
            };
            blocks.insert(at, block);
        }
        Ok(scenario)
    }

    fn read_prompted(&mut self, line: &str, number: u32) {
        let is_value = || self.values.contains(line.trim());
        let command = match self.prompts.line(line) {
            PastedLine::Command(command) | PastedLine::Doubtful(command)
                if !is_value() && !is_watch_head(line) =>
            {
                Some(command)
            }
            PastedLine::Output if self.is_after_event && prompt::begins_with_tool(line) => {
                Some(line)
            }
            _ => None,
        };
        if let Some(event @ ("PUT" | "DELETE")) = command.map(str::trim)
            && self.has_watch
            && let Some((_, output)) = &mut self.open
        {
            output.push(event.into());
            self.is_after_event = true;
            return;
        }
        if let Some(command) = command {
            self.has_watch |= command.contains("watch ");
            self.is_after_event = false;
            self.values
                .extend(self.prompts.value_in(command).map(str::to_owned));
            if let Some((block, lines)) = &mut self.open
                && !block.is_interrupted
                && lines.iter().all(|line| line.trim().is_empty())
            {
                block.expected = Expected::Nothing;
            }
            close(&mut self.scenario, self.open.take());
            self.splitter.begin(command);
            let is_abandoned = command.trim_end().ends_with(INTERRUPT);
            if is_abandoned {
                self.splitter.abandon();
            } else if !command.trim().is_empty() {
                let block = Block {
                    line: number,
                    beat: beat_of(&self.comment),
                    input: command.into(),
                    ..Block::default()
                };
                self.open = Some((block, Vec::new()));
            }
            self.comment.clear();
            return;
        }
        if header_profile(line).is_some() {
            return;
        }
        if is_interrupt(line)
            && let Some((block, lines)) = &mut self.open
        {
            self.splitter.abandon();
            if lines.iter().all(|line| line.trim().is_empty()) {
                interrupt(block);
            }
            block.is_interrupted = true;
            return;
        }
        let is_other = prompt::is_of_another_shell(line) && !is_watch_head(line);
        if !self.splitter.is_open() && is_other && !is_value() {
            close(&mut self.scenario, self.open.take());
            self.splitter.abandon();
            let block = Block {
                line: number,
                input: line.trim().into(),
                skip: Some(words::OTHER_PROMPT.into()),
                ..Block::default()
            };
            self.open = Some((block, Vec::new()));
            return;
        }
        if line.starts_with(FENCE) {
            close(&mut self.scenario, self.open.take());
            return;
        }
        if let Some((block, output)) = &mut self.open {
            match self.splitter.next(line, true) {
                Continuation::Printed => return,
                Continuation::Typed(typed) => {
                    self.values
                        .extend(self.prompts.value_in(typed).map(str::to_owned));
                    push_line(&mut block.input, typed);
                    return;
                }
                Continuation::No => {}
            }
            // The reader does not support this here document, so the lines of the document are not output.
            let is_unread = block.input.contains("<<") && output.is_empty();
            if is_unread && after_continuation(line).is_some() {
                return;
            }
            if !line.starts_with("# ") || is_value() {
                output.push(line.into());
                return;
            }
        }
        if let Some(text) = line.strip_prefix("# ") {
            close(&mut self.scenario, self.open.take());
            // This can also be a command after root's prompt.
            if !is_left_out(text) {
                self.comment.push(text.into());
            }
        } else if !line.trim().is_empty() && !is_noise(line) {
            self.scenario.skipped.push(number, line, words::NO_PROMPT);
        }
    }

    /// Reads a line of a text with one command per line.
    fn read_command(&mut self, line: &str, number: u32) {
        if self.splitter.is_open() {
            let block = self
                .scenario
                .blocks
                .last_mut()
                .expect("a command was begun");
            if let Continuation::Typed(typed) = self.splitter.next(line, false) {
                push_line(&mut block.input, typed);
            }
        } else if header_profile(line).is_some() {
            // `new` has read the header.
        } else if let Some(text) = line.strip_prefix('#').or_else(|| line.strip_prefix("//")) {
            self.comment.push(text.trim().into());
        } else if line.trim().is_empty() {
            self.comment.clear();
        } else if is_interrupt(line)
            && let Some(block) = self.scenario.blocks.last_mut()
        {
            interrupt(block);
        } else if is_left_out(line) {
            self.comment.clear();
        } else {
            self.splitter.begin(line);
            self.scenario.blocks.push(Block {
                line: number,
                beat: beat_of(&self.comment),
                input: line.into(),
                ..Block::default()
            });
            self.comment.clear();
        }
    }
}

/// Returns true if a line of the text has a shell prompt before etcdctl or kubectl.
pub(super) fn has_prompted_tools(text: &str) -> bool {
    let text = plain(text);
    let (text, prompts) = prompt::with_prompts(&text, is_command);
    let typed = text.lines().filter_map(|line| prompts.command(line));
    typed.map(str::split_whitespace).any(|words| {
        let mut words = words.map(str::as_bytes);
        words.any(prompt::is_tool)
    })
}

/// The name of the header line that states the etcd version, as in `#! profile: 3.4`. If an output states a version,
/// that version is used instead.
pub const PROFILE_HEADER: &str = "profile";

/// Returns the etcd version of the first output that states a version, or else of the header. Without both, an error
/// that etcdctl prints twice shows that the version is older than 3.6.
fn profile_of(text: &str, prompts: &Prompts) -> Option<Profile> {
    let stated = outputs(text, prompts).find_map(|line| Profile::closest(stated_version(line)?));
    let header = |line| Profile::parse(header_profile(line)?);
    stated
        .or_else(|| outputs(text, prompts).find_map(profile_of_rows))
        .or_else(|| outputs(text, prompts).find_map(header))
        .or_else(|| repeats_error(text, prompts).then_some(Profile::V3_4))
}

/// Returns the version of `etcd-dump-db` that prints a decoded row in this form. 3.6 and later also print the
/// tombstone.
fn profile_of_rows(line: &str) -> Option<Profile> {
    let is_old = line.starts_with("rev={main:") && line.contains(", value=[key ");
    is_old.then_some(Profile::V3_4)
}

/// Returns true if etcdctl prints its first error about an unknown command twice.
fn repeats_error(text: &str, prompts: &Prompts) -> bool {
    let mut lines = outputs(text, prompts);
    lines.any(|line| line == "Run 'etcdctl --help' for usage.")
        && lines
            .next()
            .is_some_and(|line| line.starts_with("Error: unknown command "))
}

fn outputs<'t>(text: &'t str, prompts: &Prompts) -> impl Iterator<Item = &'t str> {
    text.lines().filter(|line| prompts.command(line).is_none())
}

/// Returns notes for the reader, if the run uses another version or other endpoints than the text.
fn notes(text: &str, prompts: &Prompts) -> Vec<String> {
    let mut notes = Vec::new();
    let stated = outputs(text, prompts).find_map(|line| {
        let version = stated_version(line)?;
        Some((version, Profile::closest(version)?))
    });
    if let Some((version, profile)) = stated
        && !version.starts_with(&profile.to_string())
    {
        notes.push(words::runs_as(version, &profile.to_string()));
    }
    let count = |is_kind: fn(&str) -> bool| outputs(text, prompts).filter(|l| is_kind(l)).count();
    let (logs, times) = (count(same_output::is_log), count(is_time));
    if logs + times > 0 && !prompts.is_empty() {
        notes.push(words::not_compared(logs, times));
    }
    if needs_api_server(text, prompts) {
        notes.push(words::NO_API_SERVER.into());
    }
    let endpoints = text.lines().map(endpoints).max().unwrap_or_default();
    let has_world = || {
        let mut lines = text.lines();
        lines.any(|line| {
            prompts
                .command(line)
                .unwrap_or(line)
                .trim_start()
                .starts_with("world ")
        })
    };
    if endpoints > 1 && !has_world() {
        notes.push(words::one_member(endpoints));
    }
    notes
}

/// Returns true if the commands use kubectl and start no API server.
fn needs_api_server(text: &str, prompts: &Prompts) -> bool {
    let typed = text.lines().filter_map(|line| match prompts.is_empty() {
        true => Some(line),
        false => prompts.command(line),
    });
    let starts_one = |line: &str| line.split_whitespace().next() == Some("apiserver");
    let needs_one = |line: &str| {
        let verb = kubectl_verb(line);
        matches!(verb, Some("get" | "create" | "replace" | "delete"))
    };
    let mut aliases = Aliases::default();
    let mut uses_kubectl = false;
    for line in typed.filter(|line| !line.starts_with('#')) {
        let replaced = aliases.replaced(line);
        if starts_one(line) || replaced.iter().any(|line| starts_one(line)) {
            return false;
        }
        uses_kubectl |= needs_one(line) || replaced.iter().any(|line| needs_one(line));
        aliases.read(line);
    }
    uses_kubectl
}

/// Returns the number of different endpoints in a list such as `--endpoints=10.0.0.1:2379,10.0.0.2:2379`.
fn endpoints(line: &str) -> usize {
    if !line.to_ascii_lowercase().contains("endpoints") {
        return 0;
    }
    let lists = line.split(|c: char| c.is_whitespace() || "='\"".contains(c));
    let count = |list: &str| {
        let all: BTreeSet<&str> = list
            .split(',')
            .map(|one| one.trim_end_matches('/'))
            .collect();
        let is_address = |one: &&str| {
            one.rsplit_once(':')
                .is_some_and(|(_, port)| port.parse::<u16>().is_ok())
        };
        match all.iter().all(is_address) {
            true => all.len(),
            false => 0,
        }
    };
    lists.map(count).max().unwrap_or_default()
}

fn header_profile(line: &str) -> Option<&str> {
    let value = line.strip_prefix("#! ")?.strip_prefix(PROFILE_HEADER)?;
    Some(value.strip_prefix(':')?.trim())
}

/// Returns the version in an output line of `etcdctl version`, `etcd --version` or `endpoint status`.
fn stated_version(line: &str) -> Option<&str> {
    const STATUS_COLUMNS: usize = 9;
    let line = line.trim();
    let labels = ["etcdctl version: ", "etcd Version: ", "\"Version\" : \""];
    if let Some(version) = labels.iter().find_map(|label| line.strip_prefix(label)) {
        return version_of(version);
    }
    if line.contains("\"raftIndex\":") {
        let (_, version) = line.split_once("\"version\":\"")?;
        return version_of(version);
    }
    let columns = line.trim_matches('|').split(['|', ',']);
    let mut columns = columns.map(str::trim).take(STATUS_COLUMNS);
    let version = columns.by_ref().nth(2)?;
    let is_status = columns.count() == STATUS_COLUMNS - 3;
    version_of(version).filter(|_| is_status)
}

/// Returns the etcd version at the start of a text.
fn version_of(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    Profile::closest(&text[..end]).map(|_| &text[..end])
}

/// Returns the lease IDs in the outputs of `lease grant`, in every format.
fn lease_ids(output: &str) -> Vec<i64> {
    let id = |line: &str| {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("lease ") {
            let (id, _) = rest.split_once(" granted with TTL(")?;
            return i64::from_str_radix(id, 16).ok();
        }
        let (_, rest) = line.split_once("\"ID\"")?;
        let number = rest.trim_start_matches([' ', ':']);
        let end = number.find(|c: char| !c.is_ascii_digit());
        number[..end.unwrap_or(number.len())].parse().ok()
    };
    output.lines().filter_map(id).collect()
}

/// The line that opens or closes a code block in Markdown.
const FENCE: &str = "```";

/// Returns true if a line was printed by the terminal, `sudo` or `kubectl`, and not by etcdctl.
fn is_noise(line: &str) -> bool {
    let line = line.trim();
    if line.starts_with("Script started on ") || line.starts_with("Script done on ") {
        return true;
    }
    is_interrupt(line)
        || [
            "[sudo] password for ",
            "command terminated with exit code ",
            "Defaulted container ",
            "Defaulting container name to ",
            "Unable to use a TTY - ",
        ]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Returns true if a command leaves a shell, clears the terminal or changes the directory. Such commands have no
/// meaning for the store, so a transcript runs without them.
fn is_left_out(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_alone = !command.contains([';', '&', '|', '<', '>', '`', '(']);
    let is_known = matches!(
        words[..],
        ["exit" | "logout" | "clear" | "cd"] | ["exit" | "cd", _]
    );
    is_alone && is_known
}

/// Returns true if a line is the first line that `watch -n` prints, such as `Every 2.0s: etcdctl get a`. A prompt may
/// stand before `Every`.
fn is_watch_head(line: &str) -> bool {
    let interval = line.split_once("Every ").filter(|(prompt, _)| {
        prompt.is_empty() || prompt.ends_with("$ ") || prompt.ends_with("# ")
    });
    let interval = interval.and_then(|(_, rest)| rest.split_once("s: "));
    interval.is_some_and(|(seconds, _)| seconds.parse::<f64>().is_ok())
}

/// Returns true if etcdctl prints a line because the server has ended its watch.
fn is_end_of_watch(line: &str) -> bool {
    line.starts_with("watch was canceled (") || line == "Error: watch is canceled by the server"
}

/// Returns true if a line was printed by the shell's `time`, in the format of bash or of zsh.
fn is_time(line: &str) -> bool {
    let columns = |label: &str| line.strip_prefix(label)?.trim_start().chars().next();
    let is_number = |label: &&str| columns(label).is_some_and(|c| c.is_ascii_digit());
    ["real\t", "user\t", "sys\t"].iter().any(is_number)
        || line.ends_with(" total") && line.contains("% cpu ")
}

/// Finds the last line of each command in a transcript. If a command cannot be parsed, its first line counts as the
/// whole command.
#[derive(Debug)]
struct Splitter {
    reader: LineReader,
}

/// The relation of a line to the previous command.
enum Continuation<'a> {
    No,
    /// The line is output that etcdctl printed while the command was typed, such as a prompt.
    Printed,
    Typed(&'a str),
}

impl Splitter {
    fn new(profile: Option<Profile>) -> Self {
        Self {
            reader: LineReader::new(profile.unwrap_or_default()),
        }
    }

    /// Starts a new command whose first line is this line.
    fn begin(&mut self, line: &str) {
        self.reader.abandon();
        self.read(line);
    }

    fn abandon(&mut self) {
        self.reader.abandon();
    }

    fn is_open(&self) -> bool {
        self.reader.pending().is_some()
    }

    /// Reads the next line. `prompted` means that the line may start with a continuation prompt.
    fn next<'a>(&mut self, line: &'a str, prompted: bool) -> Continuation<'a> {
        let Some(pending) = self.reader.pending() else {
            return Continuation::No;
        };
        let in_a_txn = TXN_PROMPTS.contains(&pending);
        if in_a_txn && TXN_PROMPTS.contains(&line.trim()) {
            return Continuation::Printed;
        }
        let typed = if prompted && !in_a_txn {
            after_continuation(line).unwrap_or(line)
        } else {
            line
        };
        self.read(typed);
        Continuation::Typed(typed)
    }

    fn read(&mut self, line: &str) {
        let Ok(Read::Commands(commands)) = self.reader.beginning(line) else {
            return;
        };
        // Each version of etcdctl has its own flags, and accepts and refuses different transactions.
        if let Some(profile) = commands.iter().rev().find_map(changed_profile) {
            self.reader = self.reader.clone().with_profile(profile);
        }
    }
}

fn changed_profile(command: &Command) -> Option<Profile> {
    match &command.kind {
        CommandKind::World { profile, .. } => *profile,
        _ => None,
    }
}

/// Handles `^C` directly after a command. A `put` without a value reads the value from standard input.
fn interrupt(block: &mut Block) {
    block.is_interrupted = true;
    let words = block.input.split_whitespace();
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    if matches!(words[..], [.., "put", _]) {
        block.skip = Some(words::WAITS_FOR_INPUT.into());
    }
}

fn beat_of(comment: &[String]) -> Option<Arc<Beat>> {
    let text = comment.join(" ").trim().to_owned();
    let beat = Beat {
        text,
        picture: None,
        guess: None,
    };
    (!comment.is_empty()).then(|| beat.into())
}

fn close(scenario: &mut Scenario, open: Option<(Block, Vec<String>)>) {
    let Some((mut block, mut lines)) = open.filter(|(block, _)| !is_left_out(&block.input)) else {
        return;
    };
    block.is_interrupted |= block.input.trim_start().starts_with("timeout ");
    let is_timed = block.input.split_whitespace().any(|word| word == "time");
    lines.retain(|line| !(is_noise(line) || is_timed && is_time(line)));
    while lines.last().is_some_and(|l| l.trim().is_empty()) {
        lines.pop();
    }
    if !lines.is_empty() {
        // The server ended the watch, so the text has no `^C`.
        block.is_interrupted |= lines.iter().any(|line| is_end_of_watch(line));
        let output = lines.join("\n");
        block.lease_ids = lease_ids(&output);
        block.expected = Expected::Output(output);
    }
    scenario.blocks.push(block);
}

fn push_line(input: &mut String, line: &str) {
    input.push('\n');
    input.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(text: &str) -> Vec<String> {
        let scenario = parse(text).unwrap();
        assert_eq!(scenario.skipped.count, 0);
        scenario.blocks.into_iter().map(|b| b.input).collect()
    }

    fn outputs(text: &str) -> Vec<Option<String>> {
        let said = |block: Block| match block.expected {
            Expected::Output(text) => Some(text),
            Expected::Nothing => Some(String::new()),
            Expected::Unsaid => None,
        };
        parse(text).unwrap().blocks.into_iter().map(said).collect()
    }

    #[test]
    fn a_transaction_is_known_however_it_is_called() {
        let blocks = "ver(\"a\") = \"1\"\n\nget a\n \n\n";
        for head in [
            "txn",
            "etcdctl txn",
            "ETCDCTL_API=3 etcdctl txn",
            "etcdctl -w json txn",
            "etcdctl --write-out=json txn --interactive=false",
            "'txn'",
            "etcdctl \\\ntxn",
        ] {
            let input = format!("{head}\n{}", blocks.strip_suffix('\n').unwrap());
            let text = format!("$ {head}\n{blocks}SUCCESS\n\na\n1\n$ get a\na\n1\n");
            assert_eq!(inputs(&text), [&input, "get a"], "{head}");
            assert_eq!(
                outputs(&text),
                [Some("SUCCESS\n\na\n1".into()), Some("a\n1".into())],
                "{head}"
            );
            let text = format!("{head}\n{blocks}get a\n");
            assert_eq!(inputs(&text), [&input, "get a"], "{head}");
        }
        // These commands do not read further lines; the following lines are their output.
        for head in ["txn --help", "put txn txn", "txn --bogus", "put a b; txn"] {
            let text = format!("$ {head}\nget a\n\n\n\nx\n");
            assert_eq!(inputs(&text), [head], "{head}");
        }
    }

    #[test]
    fn what_an_interactive_transaction_prompts_with_is_not_typed() {
        let typed = "etcdctl txn -i\nmod(\"a\") > \"0\"\n\nput a 1\n\n";
        let shown = "etcdctl txn -i\ncompares:\nmod(\"a\") > \"0\"\n\nsuccess requests (get, put, \
                     del):\nput a 1\n\nfailure requests (get, put, del): \n\n";
        let text = format!("$ {shown}SUCCESS\n\nOK\n");
        assert_eq!(inputs(&text), [typed]);
        assert_eq!(outputs(&text), [Some("SUCCESS\n\nOK".into())]);
        assert_eq!(inputs(&format!("{shown}get a")), [typed, "get a"]);
        // Outside a transaction, such a line is an output.
        assert_eq!(
            outputs("$ get a\ncompares:\n"),
            [Some("compares:".to_owned())]
        );
    }

    #[test]
    fn lines_joined_by_a_backslash_are_one_command() {
        assert_eq!(
            inputs("put a \\\n  value\nget a\n"),
            ["put a \\\n  value", "get a"]
        );
        let text = "$ put a \\\n  value\nOK\n$ put b \\\n> 'x' \\\n>\nOK\n$ get a\n> b\n";
        assert_eq!(
            inputs(text),
            ["put a \\\n  value", "put b \\\n'x' \\\n", "get a"]
        );
        assert_eq!(
            outputs(text),
            [Some("OK".into()), Some("OK".into()), Some("> b".into())]
        );
        assert_eq!(
            inputs("put a \\\ncompares:\nget a\n"),
            ["put a \\\ncompares:", "get a"]
        );
        // A new prompt ends an open command, and a comment has no continuation line.
        assert_eq!(inputs("$ put a \\\n$ get a\n"), ["put a \\", "get a"]);
        assert_eq!(inputs("# a \\\nget a\n"), ["get a"]);
    }

    #[test]
    fn a_transcript_says_itself_which_etcdctl_it_is_of() {
        for profile in [Profile::V3_4, Profile::V3_6] {
            let mut splitter = Splitter::new(None);
            splitter.begin(&format!("world profile={profile}"));
            assert_eq!(
                format!("{:?}", splitter.reader),
                format!("{:?}", LineReader::new(profile))
            );
        }
    }

    #[test]
    fn the_lines_of_a_script_in_a_text_without_prompts_are_no_commands() {
        assert_eq!(
            inputs("cat > x.sh <<'EOS'\netcdctl del '' --prefix\nEOS\nput a 'x\ndel a\n'\nget a\n"),
            [
                "cat > x.sh <<'EOS'\netcdctl del '' --prefix\nEOS",
                "put a 'x\ndel a\n'",
                "get a"
            ]
        );
    }

    #[test]
    fn a_prompt_can_have_two_lines() {
        let text = "me@host ~/etcd (main)\n$ etcdctl put a 1\nOK\nme@host ~/etcd (main)\n$ etcdctl get a\na\n1\n\
                    me@host ~/etcd\n$\n";
        assert_eq!(outputs(text), [Some("OK".into()), Some("a\n1".into())]);
        let text = "~/etcd main\n❯ etcdctl put a 1\nOK\n\n~/etcd main\n❯ etcdctl get a\na\n1\n";
        assert_eq!(outputs(text), [Some("OK".into()), Some("a\n1".into())]);
        // A key that looks like a directory is an output.
        let text = "$ etcdctl get / --prefix --keys-only\n/a\n$ etcdctl get /a\n/a\n1\n";
        assert_eq!(outputs(text), [Some("/a".into()), Some("/a\n1".into())]);
    }

    #[test]
    fn decoded_rows_of_3_4_select_the_profile() {
        let row = "rev={main:2 sub:0}, value=[key \"a\" | val \"1\" | created 2 | mod 2 | ver 1]";
        let text = format!(
            "$ etcdctl put a 1\nOK\n$ etcd-dump-db iterate-bucket db key --decode\n{row}\n"
        );
        let profile = |text: &str| {
            parse(text)
                .unwrap()
                .header
                .first()
                .map(|(_, value)| value.clone())
        };
        assert_eq!(profile(&text).as_deref(), Some("3.4"));
        assert_eq!(profile(&format!("$ etcdctl put a '{row}'\nOK\n")), None);
    }

    #[test]
    fn examples_with_a_flag_on_each_line_are_one_command() {
        assert_eq!(
            inputs("// a rule\netcdctl qos rule add r\n--priority 9\n--ops Range\nget a\n"),
            ["etcdctl qos rule add r --priority 9 --ops Range", "get a"]
        );
    }

    #[test]
    fn a_long_transcript_of_long_loops_is_split_at_once() {
        let line = "$ for i in {1..100000}; do put key$i value$i; done\n";
        let joined = format!("$ put k \\\n{}> v\n", "> v\\\n".repeat(100_000));
        let text = [line.repeat(20_000), joined].concat();
        assert_eq!(parse(&text).unwrap().blocks.len(), 20_001);
    }
}
