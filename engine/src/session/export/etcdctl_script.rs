//! A shell script that repeats the commands of a run with a real etcd and compares the outputs.
//!
//! Each command stands as typed, with the simulator's output below it in comment lines with the number of the command:
//!
//! ```text
//! run 1 etcdctl put /key1 value1
//! #1: OK
//! ```
//!
//! A function `run` executes the command and compares its output with these lines, which the script reads from its own
//! file. So an expected output is a comment, can be read as one, and cannot become a command. The functions at the top
//! are POSIX; only a word with control characters or bytes that are no UTF-8 needs bash (`$'…'`).
//!
//! etcd chooses lease IDs, so the script keeps the ID of each `lease grant` and `lock` in a variable, and replaces it
//! in outputs by the simulator's ID. IDs of the cluster and its members, the raft term and durations are removed from
//! both outputs. An output that consists of such values is printed and not compared.
//!
//! Left out: commands of the simulator and of kubectl, processes that run until they are ended, other than a watch, and
//! waits of more than a minute. Each is a comment.

use std::fmt::Write as _;

use crate::api::Profile;
use crate::base::time::SimDuration;
use crate::scenario::Beat;
use crate::shell::{Command, CommandKind, Etcdctl, Format, LineReader, Show, Verb, WatchLine};
use crate::transcript::for_loop::{Arg, ShellNames, Statement, expand_first};
use crate::transcript::quote::push_quoted;
use crate::transcript::text_tools;
use crate::words::export::{self as words, LeftOut, NotCompared, ScriptStart};
use crate::world::op::WorldOp;

/// The functions of the script.
const FUNCTIONS: &str = include_str!("functions.sh");

/// The longest wait that the script repeats.
const WAIT_MAX: SimDuration = SimDuration::from_millis(60_000);

/// The number of characters in a line of a comment.
const COMMENT_CHARS: usize = 100;

/// The flags for the connection, with a value. The simulator has other addresses than the real etcd.
const CONNECTION: [&str; 4] = ["--endpoints", "--cacert", "--cert", "--key"];

/// The same, without a value.
const CONNECTION_SWITCHES: [&str; 2] = ["--insecure-skip-tls-verify", "--insecure-transport"];

/// A command of the run and its output.
pub(super) struct Exchange<'a> {
    pub(super) text: &'a str,
    pub(super) beat: Option<&'a Beat>,
    /// The output in the order in which it was printed; `None` if the run does not have it.
    pub(super) output: Option<Vec<u8>>,
    /// The effects of the command, if the script needs them ([`EtcdctlScript::needs_effects`]).
    pub(super) effects: Effects,
}

/// What a command started.
#[derive(Default)]
pub(super) struct Effects {
    /// The name of the watch.
    pub(super) watch: Option<String>,
    /// The ID of the granted lease.
    pub(super) lease: Option<i64>,
}

/// A script that grows by one command at a time.
///
/// [`Request::Export`](crate::session::Request::Export) creates it:
///
/// ```
/// use watchglass_engine::session::protocol::{Done, ExportForm, FromEngine, Request, ToEngine};
/// use watchglass_engine::session::Session;
/// let mut session = Session::default();
/// session.exec("put /key1 value1");
/// let mut out = Vec::new();
/// session.handle(ToEngine::Request(1, Request::Export(ExportForm::EtcdctlScript)), &mut out);
/// while session.pump(1000, &mut out) {}
/// let script = out.into_iter().find_map(|message| match message {
///     FromEngine::Done { done: Done::File { bytes, .. }, .. } => String::from_utf8(bytes).ok(),
///     _ => None,
/// });
/// assert!(script.unwrap().contains("\nrun 1 etcdctl put /key1 value1\n#1: OK\n"));
/// ```
#[derive(Debug)]
pub(super) struct EtcdctlScript {
    profile: Profile,
    body: String,
    /// The text of the last beat whose comment was written.
    beat: String,
    /// The number of commands whose outputs are compared.
    compared: u64,
    left_out: u64,
    /// The simulator's IDs of the granted leases, in hexadecimal. The variable `lease1` has etcd's ID of the first one.
    leases: Vec<String>,
    /// The names of the watches that the script has started.
    watches: Vec<String>,
    needs_bash: bool,
}

impl EtcdctlScript {
    pub(super) fn new(profile: Profile) -> Self {
        Self {
            profile,
            body: String::new(),
            beat: String::new(),
            compared: 0,
            left_out: 0,
            leases: Vec::new(),
            watches: Vec::new(),
            needs_bash: false,
        }
    }

    /// Returns the size of the commands in bytes.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// Returns true if the script needs the name of the watch or the ID of the lease that the command creates.
    pub(super) fn needs_effects(&self, text: &str) -> bool {
        match self.read(text).map(|command| command.kind) {
            Some(CommandKind::Watch(_) | CommandKind::Process(_)) => true,
            Some(CommandKind::Etcdctl(etcdctl)) => matches!(etcdctl.verb, Verb::LeaseGrant(_)),
            _ => false,
        }
    }

    /// Reads the text of a command.
    fn read(&self, text: &str) -> Option<Command> {
        let mut reader = LineReader::new(self.profile);
        reader.reads_saved(true);
        reader.text(text).ok()?.into_iter().next()
    }

    pub(super) fn add(&mut self, exchange: &Exchange<'_>) {
        if let Some(beat) = exchange.beat.filter(|beat| beat.text != self.beat) {
            self.beat.clone_from(&beat.text);
            self.body.push('\n');
            push_comment(&mut self.body, &beat.text);
        }
        self.body.push('\n');
        let (command, statement) = (self.read(exchange.text), statement(exchange.text));
        let (Some(command), Some(statement)) = (command, statement) else {
            return self.leave_out(LeftOut::Unreadable, exchange);
        };
        if let Err(reason) = self.command(&command, &statement, exchange) {
            self.leave_out(reason, exchange);
        }
    }

    fn command(
        &mut self,
        command: &Command,
        statement: &Statement,
        exchange: &Exchange<'_>,
    ) -> Result<(), LeftOut> {
        let (words, stdin) = words_and_input(statement, exchange.text);
        if stdin.as_deref().is_some_and(|input| !fits_document(input)) {
            return Err(LeftOut::Input);
        }
        match &command.kind {
            CommandKind::Etcdctl(etcdctl) => {
                let reason = self.not_compared(etcdctl);
                let words = self.without_connection(words);
                self.etcdctl(words, stdin.as_deref(), exchange, reason);
            }
            CommandKind::Refused(_) | CommandKind::Answered(_) if can_start_or_write(&words) => {
                return Err(LeftOut::Program);
            }
            CommandKind::Refused(_) if is_of_etcdctl(statement) => {
                self.etcdctl(words, stdin.as_deref(), exchange, None);
            }
            CommandKind::Answered(_) if is_of_etcdctl(statement) => {
                self.etcdctl(words, None, exchange, Some(NotCompared::Build));
            }
            CommandKind::Op(WorldOp::SaveSnapshot { name, .. }) if name.contains('/') => {
                return Err(LeftOut::Path);
            }
            CommandKind::Op(WorldOp::SaveSnapshot { .. }) => {
                let words = self.without_connection(words);
                self.etcdctl(words, None, exchange, None);
            }
            CommandKind::Show(Show::Snapshot { .. }) if is_of_etcdctl(statement) => {
                self.etcdctl(words, None, exchange, Some(NotCompared::Snapshot));
            }
            CommandKind::Watch(watch) => {
                let is_plain = match &watch.starts[..] {
                    [WatchLine::Watch(create)] => {
                        !create.no_put
                            && !create.no_delete
                            && !create.fragment
                            && create.watch_id == 0
                    }
                    _ => false,
                };
                let name = exchange
                    .effects
                    .watch
                    .clone()
                    .filter(|name| is_plain_name(name));
                let (Some(name), true) = (name, is_plain) else {
                    return Err(LeftOut::Process);
                };
                let print = &watch.print;
                if watch.client.is_some() || print.command.is_some() || print.interactive {
                    return Err(LeftOut::Process);
                }
                let mut words = words;
                if let [.., word, _] = &words[..]
                    && word == b"as"
                {
                    words.truncate(words.len() - 2);
                }
                let words = self.without_connection(words);
                let line = self.line(&words);
                let _ = writeln!(self.body, "start {name} etcdctl{line}");
                if !self.watches.contains(&name) {
                    self.watches.push(name);
                }
            }
            CommandKind::Recv { name }
                if self.watches.contains(name) && exchange.output.is_some() =>
            {
                self.compared += 1;
                let _ = writeln!(self.body, "receive {} {name}", self.compared);
                self.expect(exchange.output.as_deref());
            }
            CommandKind::Op(WorldOp::Unwatch { name }) if self.watches.contains(name) => {
                let _ = writeln!(self.body, "stop {name}");
            }
            CommandKind::Process(process) if let Some(program) = &process.print.command => {
                if !program.is_harmless() {
                    return Err(LeftOut::Program);
                }
                let words = self.without_connection(words);
                self.etcdctl(words, None, exchange, None);
            }
            CommandKind::Process(_) | CommandKind::Monitor { .. } => return Err(LeftOut::Process),
            CommandKind::Run(time) if *time <= WAIT_MAX => {
                let _ = writeln!(self.body, "sleep {}", seconds(*time));
            }
            CommandKind::Run(_) => return Err(LeftOut::Wait),
            CommandKind::Kubectl(_) => return Err(LeftOut::Kubectl),
            CommandKind::Recv { .. }
            | CommandKind::Op(_)
            | CommandKind::Show(_)
            | CommandKind::Step(_)
            | CommandKind::Fork
            | CommandKind::Help(_)
            | CommandKind::World { .. }
            | CommandKind::Answered(_)
            | CommandKind::Refused(_) => return Err(LeftOut::Simulator),
        }
        Ok(())
    }

    /// Returns the reason why the output of a command cannot equal that of the simulator.
    fn not_compared(&self, etcdctl: &Etcdctl) -> Option<NotCompared> {
        match &etcdctl.verb {
            _ if etcdctl.format == Format::Protobuf => Some(NotCompared::Protobuf),
            Verb::EndpointStatus | Verb::MemberList(_) | Verb::MemberChange { .. } => {
                Some(NotCompared::Server)
            }
            Verb::MoveLeader(_) => Some(NotCompared::Server),
            Verb::EndpointHashKv(_) if !self.leases.is_empty() => Some(NotCompared::LeaseHash),
            Verb::LeaseTimeToLive(request) if request.keys => Some(NotCompared::KeyOrder),
            _ => None,
        }
    }

    fn etcdctl(
        &mut self,
        words: Vec<Vec<u8>>,
        stdin: Option<&[u8]>,
        exchange: &Exchange<'_>,
        reason: Option<NotCompared>,
    ) {
        let reason = match exchange.output.as_deref() {
            // A stack trace follows.
            Some(output) if output.starts_with(b"panic: ") => Some(NotCompared::Build),
            Some(_) => reason,
            None => Some(NotCompared::Unknown),
        };
        let granted = exchange.effects.lease.map(|id| format!("{id:016x}"));
        let mut line = self.line(&words);
        let mut document = String::new();
        if let Some(stdin) = stdin {
            let delimiter = delimiter(stdin);
            self.push_document(&mut document, stdin, &delimiter);
            let quote = if self.names_lease(stdin) { "" } else { "'" };
            let _ = write!(line, " <<{quote}{delimiter}{quote}");
        }
        if let Some(reason) = reason {
            push_comment(&mut self.body, &words::not_compared(reason));
            let _ = writeln!(self.body, "etcdctl{line}");
            self.body.push_str(&document);
            let shown = encoded(exchange.output.as_deref().unwrap_or_default());
            for line in shown.lines() {
                let _ = writeln!(self.body, "# {line}");
            }
            return;
        }
        self.compared += 1;
        let number = self.compared;
        match &granted {
            Some(lease) => {
                let _ = writeln!(self.body, "grant {number} {lease} etcdctl{line}");
            }
            None => {
                let _ = writeln!(self.body, "run {number} etcdctl{line}");
            }
        }
        self.body.push_str(&document);
        self.expect(exchange.output.as_deref());
        if let Some(lease) = granted {
            self.leases.push(lease);
            let _ = writeln!(self.body, "lease{}=$granted", self.leases.len());
        }
    }

    /// Removes the flags for the connection, which name addresses and files of the simulated cluster.
    fn without_connection(&mut self, words: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let (words, is_shorter) = without_connection(words);
        if is_shorter {
            push_comment(&mut self.body, words::WITHOUT_CONNECTION);
        }
        words
    }

    /// Writes the expected output of the last compared command.
    fn expect(&mut self, output: Option<&[u8]>) {
        let number = self.compared;
        let output = without_log_lines(output.unwrap_or_default());
        if output.is_empty() {
            let _ = writeln!(self.body, "# {}", words::NO_OUTPUT);
            return;
        }
        for line in encoded(&output).lines() {
            let _ = match line {
                "" => writeln!(self.body, "#{number}:"),
                line => writeln!(self.body, "#{number}: {line}"),
            };
        }
    }

    fn leave_out(&mut self, reason: LeftOut, exchange: &Exchange<'_>) {
        self.left_out += 1;
        let mut lines = exchange.text.lines();
        let first = lines.next().unwrap_or_default();
        push_comment_line(&mut self.body, &words::left_out(reason, first));
        for line in lines {
            push_comment_line(&mut self.body, line);
        }
    }

    /// Returns the words as a part of a command line, each after a space. Variables replace the IDs of leases.
    fn line(&mut self, words: &[Vec<u8>]) -> String {
        let mut line = String::new();
        for word in words {
            line.push(' ');
            let mut rest = &word[..];
            if rest.is_empty() {
                line.push_str("''");
            }
            while !rest.is_empty() {
                match self.first_lease(rest) {
                    Some((at, number)) => {
                        self.push_word(&mut line, &rest[..at]);
                        let _ = write!(line, "\"$lease{}\"", number + 1);
                        rest = &rest[at + self.leases[number].len()..];
                    }
                    None => {
                        self.push_word(&mut line, rest);
                        rest = &[];
                    }
                }
            }
        }
        line
    }

    /// Returns the first lease ID in a text: its place, and the number of the lease from 0.
    fn first_lease(&self, text: &[u8]) -> Option<(usize, usize)> {
        let place = |id: &String| {
            let mut windows = text.windows(id.len());
            windows.position(|window| window == id.as_bytes())
        };
        let found = self.leases.iter().enumerate();
        let found = found.filter_map(|(number, id)| Some((place(id)?, number)));
        found.min()
    }

    fn names_lease(&self, text: &[u8]) -> bool {
        self.first_lease(text).is_some()
    }

    fn push_word(&mut self, line: &mut String, word: &[u8]) {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(byte);
        if word.is_empty() {
            return;
        }
        if word.iter().all(is_plain) {
            line.push_str(&String::from_utf8_lossy(word));
            return;
        }
        let mut quoted = String::new();
        push_quoted(&mut quoted, word);
        self.needs_bash |= quoted.starts_with('$');
        line.push_str(&quoted);
    }

    /// Appends a here-document. If it names a lease, the shell expands it, so all other special characters are escaped.
    fn push_document(&self, out: &mut String, text: &[u8], delimiter: &str) {
        let text = String::from_utf8_lossy(text);
        let mut text = match self.names_lease(text.as_bytes()) {
            true => text
                .replace('\\', "\\\\")
                .replace('$', "\\$")
                .replace('`', "\\`"),
            false => text.into_owned(),
        };
        for (number, id) in self.leases.iter().enumerate() {
            text = text.replace(id.as_str(), &format!("${{lease{}}}", number + 1));
        }
        out.push_str(&text);
        if !text.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(delimiter);
        out.push('\n');
    }

    /// Returns the whole script.
    pub(super) fn into_bytes(self, start: ScriptStart<'_>) -> Vec<u8> {
        let start = ScriptStart {
            shell: if self.needs_bash { "bash" } else { "sh" },
            ..start
        };
        let mut out = match self.needs_bash {
            true => "#!/usr/bin/env bash\n".to_owned(),
            false => "#!/bin/sh\n".to_owned(),
        };
        let head = words::script_head(&start, self.compared, self.left_out);
        for (place, paragraph) in head.iter().enumerate() {
            if place > 0 {
                push_comment_line(&mut out, "");
            }
            push_comment(&mut out, paragraph);
        }
        let mut functions = FUNCTIONS.to_owned();
        let revision = start.revision.to_string();
        for (name, value) in [
            ("@REVISION@", revision.as_str()),
            ("@PROFILE@", start.profile),
            ("@NO_ETCDCTL@", words::NO_ETCDCTL),
            ("@NO_FILE@", words::NO_FILE),
            ("@OTHER_REVISION@", words::OTHER_REVISION),
            ("@OTHER_VERSION@", &words::other_version(start.profile)),
            ("@ABOUT_MASK@", words::ABOUT_MASK),
            ("@ABOUT_EXECUTE@", words::ABOUT_EXECUTE),
            ("@ABOUT_COMPARE@", words::ABOUT_COMPARE),
            ("@ABOUT_RUN@", words::ABOUT_RUN),
            ("@ABOUT_GRANT@", words::ABOUT_GRANT),
            ("@ABOUT_START@", words::ABOUT_START),
            ("@ABOUT_RECEIVE@", words::ABOUT_RECEIVE),
        ] {
            functions = functions.replace(name, value);
        }
        out.push_str(&functions);
        out.push_str(&self.body);
        out.push_str("\nfinish\n");
        out.into_bytes()
    }
}

/// Returns the first command of a text as words. The lines after the first line of `txn` are its input.
fn statement(text: &str) -> Option<Statement> {
    let names = ShellNames::default();
    let words = |text: &str| expand_first(text.as_bytes(), &names, 2).ok();
    let first = text.lines().next().unwrap_or_default();
    let is_txn = words(first).is_some_and(|statements| {
        let words = statements.first().map(|first| first.args.as_slice());
        words.is_some_and(|words| words.iter().any(|word| word.bytes == b"txn"))
    });
    let statements = words(if is_txn { first } else { text })?;
    statements.into_iter().next()
}

/// Returns the words after `etcdctl`, and the text that the command reads from its standard input.
fn words_and_input(statement: &Statement, text: &str) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let bytes = |args: &[Arg]| -> Vec<Vec<u8>> {
        let args = args.iter().map(|arg| arg.bytes.clone());
        args.collect()
    };
    let words = bytes(&statement.args);
    let program = words.first().map(Vec::as_slice).unwrap_or_default();
    let piped = statement.output_target.strip_prefix('|');
    if let (b"echo" | b"printf", Some(piped)) = (program, piped) {
        let input = match program {
            b"printf" => text_tools::printf(&words[1..]),
            _ => text_tools::echo(&words[1..]),
        };
        let names = ShellNames::default();
        let reader = expand_first(piped.as_bytes(), &names, 1).unwrap_or_default();
        let words = reader.first().map(|reader| bytes(&reader.args));
        return (after_program(words.unwrap_or_default()), Some(input));
    }
    let words = after_program(words);
    let is_txn = words.iter().any(|word| word == b"txn");
    let input = text.split_once('\n').filter(|_| is_txn);
    (words, input.map(|(_, blocks)| blocks.as_bytes().to_vec()))
}

/// Removes the name of etcdctl, if the words begin with it.
fn after_program(mut words: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    if let Some(b"etcdctl" | b"e") = words.first().map(Vec::as_slice) {
        words.remove(0);
    }
    words
}

/// Returns true if the command is one of etcdctl, and not of another program such as kubectl or echo.
fn is_of_etcdctl(statement: &Statement) -> bool {
    let first = statement.args.first().map(|arg| arg.bytes.as_slice());
    let others: [&[u8]; 5] = [b"kubectl", b"etcdutl", b"echo", b"printf", b"help"];
    first.is_some_and(|word| !others.contains(&word) && !word.contains(&b'='))
}

/// Returns true if a here-document passes on the input as it is, except that it ends with a line break. The script
/// takes lines that begin with `#` for its comments.
fn fits_document(input: &[u8]) -> bool {
    let mut lines = input.split(|byte| *byte == b'\n');
    str::from_utf8(input).is_ok() && !lines.any(|line| line.starts_with(b"#"))
}

/// Returns true if a word is a subcommand that starts a program or writes a file. A real etcdctl may accept a command
/// that the simulator refuses.
fn can_start_or_write(words: &[Vec<u8>]) -> bool {
    let subcommands: [&[u8]; 5] = [b"lock", b"elect", b"watch", b"snapshot", b"make-mirror"];
    words.iter().any(|word| subcommands.contains(&&word[..]))
}

/// Removes the flags for the connection. Returns true if there were any.
fn without_connection(words: Vec<Vec<u8>>) -> (Vec<Vec<u8>>, bool) {
    let (mut kept, before) = (Vec::new(), words.len());
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        if word == b"--" {
            kept.push(word);
            kept.extend(rest.by_ref());
            break;
        }
        let text = String::from_utf8_lossy(&word).into_owned();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_str(), None),
        };
        if CONNECTION_SWITCHES.contains(&name) {
            continue;
        }
        if CONNECTION.contains(&name) {
            if value.is_none() {
                rest.next();
            }
            continue;
        }
        kept.push(word);
    }
    let is_shorter = kept.len() < before;
    (kept, is_shorter)
}

/// Returns the output without the log lines of etcdctl, whose times differ.
fn without_log_lines(output: &[u8]) -> Vec<u8> {
    let lines = output.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.starts_with(b"{\"level\":"));
    lines.flatten().copied().collect()
}

/// Returns bytes as the text that `printf '%b\n'` turns into these bytes. The shell removes line breaks at the end of
/// the text.
fn encoded(output: &[u8]) -> String {
    let mut text = String::new();
    for chunk in output.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                '\n' | '\t' => text.push(c),
                c if c.is_control() => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(text, "\\0{byte:03o}");
                    }
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\0{byte:03o}");
        }
    }
    match text.strip_suffix('\n') {
        Some(line) if !line.is_empty() && !line.ends_with('\n') => text.truncate(line.len()),
        _ => text.push_str("\\c"),
    }
    text
}

/// Returns a delimiter that is not a line of the here-document.
fn delimiter(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let is_free = |name: &String| text.lines().all(|line| line != name);
    let names = (1..).map(|number| match number {
        1 => "END".to_owned(),
        number => format!("END{number}"),
    });
    names.into_iter().find(is_free).unwrap_or_default()
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 64
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && !name.starts_with('-')
}

/// Returns a duration as a number of seconds, such as `0.1`.
fn seconds(time: SimDuration) -> String {
    let (whole, rest) = (time.0 / 1_000_000, time.0 % 1_000_000);
    match rest {
        0 => whole.to_string(),
        rest => format!("{whole}.{rest:06}")
            .trim_end_matches('0')
            .to_owned(),
    }
}

/// Appends a comment in lines of at most [`COMMENT_CHARS`] characters.
fn push_comment(out: &mut String, text: &str) {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() >= COMMENT_CHARS {
            push_comment_line(out, &line);
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    push_comment_line(out, &line);
}

/// Appends a comment of one line. A text with a line break must not become a command.
fn push_comment_line(out: &mut String, text: &str) {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    match text.as_str() {
        "" => out.push_str("#\n"),
        text => {
            let _ = writeln!(out, "# {text}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expected_output_is_a_text_for_printf() {
        for (output, text) in [
            (&b"OK\n"[..], "OK"),
            (b"a\\b\n", "a\\\\b"),
            (b"z\xff\x01\n", "z\\0377\\0001"),
            (b"no end", "no end\\c"),
            (b"a\n\n", "a\n\n\\c"),
            (b"\n", "\n\\c"),
        ] {
            assert_eq!(encoded(output), text);
        }
    }

    #[test]
    fn waits_are_seconds() {
        let text = |us| seconds(SimDuration(us));
        assert_eq!(
            [text(100_000), text(2_000_000), text(1_500_001)],
            ["0.1", "2", "1.500001"]
        );
    }

    #[test]
    fn flags_for_the_connection_are_left_out() {
        let words = |line: &str| -> Vec<Vec<u8>> {
            let words = line.split(' ').map(|word| word.as_bytes().to_vec());
            words.collect()
        };
        let (kept, is_shorter) = without_connection(words("--endpoints a put --cert=x k -- --key"));
        assert_eq!((kept, is_shorter), (words("put k -- --key"), true));
    }
}
