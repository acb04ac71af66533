//! Reads typed lines. The reader turns each line into commands, and stores the beginning of a command that continues on
//! the next line.
//!
//! A line can be typed, or pasted from a transcript. The reader ignores a shell prompt, a leading `etcdctl` (or
//! `e`, which is a common abbreviation in blog posts) and the prefixes that [`invocation`] removes. If a line ends
//! in a backslash or inside quotes, the command continues on the next line. As in a shell, `alias` names a command,
//! `sleep` lets time pass, `echo` and `printf` print text or pass it to `put`, `txn` and `kubectl apply -f -`, and
//! `txn <<EOF` reads its blocks up to the line `EOF`. The lines of any other here-document, such as the text of a
//! script, are never commands.

use std::borrow::Cow;

use super::etcdctl::txn_script::TxnScript;
use super::etcdctl::watch_line;
use super::etcdctl::watch_script::{PROMPT, WatchScript};
use super::etcdctl::{CommandLine, too_large};
use super::etcdctl::{etcdutl, snapshot};
use super::note::connection_note;
use super::{
    AuthCommand, Command, CommandKind, Etcdctl, Note, Output, ParseError, Verb, etcdctl,
    is_command, kubectl, simulator,
};
use crate::api::{AuthRequest, Password, Profile};
use crate::base::bytes::escape;
use crate::base::time::SimDuration;
use crate::transcript::for_loop::{
    Arg, COMMANDS_MAX, ShellNames, Statement, Variable, Wanted, expand_first, expand_with,
    is_assignment,
};
use crate::transcript::here_document::{delimiter_inside, heredoc, is_put};
use crate::transcript::invocation::{self, Invocation};
use crate::transcript::quote::{push_quoted, push_word};
use crate::transcript::unfinished::{
    Missing, ends_in_a_backslash, is_continued, join, missing_part,
};
use crate::transcript::{EXIT_CODE, Filters, RunIf, foreign, prompt, text_tools};

/// Turns lines into commands.
///
/// ```
/// use watchglass_engine::api::Profile;
/// use watchglass_engine::shell::{Read, LineReader};
/// let mut reader = LineReader::new(Profile::V3_6);
/// let Ok(Read::Commands(commands)) = reader.line("for i in {1..3}; do put /k$i v; done") else {
///     panic!("a loop is a list of commands");
/// };
/// assert_eq!(commands[2].text, "put /k3 v");
/// ```
#[derive(Clone, Debug)]
pub struct LineReader {
    profile: Profile,
    pending: Pending,
    names: ShellNames,
    /// Whether the lines are texts of commands that were read before.
    is_saved: bool,
}

#[derive(Clone, Debug)]
enum Pending {
    Nothing,
    Joined(Joined),
    Quoted(Quoted),
    Unfinished(Unfinished),
    Document(Box<Document>),
    Txn(Box<TxnScript>),
    Heredoc(Box<Heredoc>),
    Watch(Box<WatchScript>),
}

/// A transaction whose lines are read up to a line with a delimiter, as in `txn <<EOF`.
#[derive(Clone, Debug)]
struct Heredoc {
    script: TxnScript,
    delimiter: Vec<u8>,
    lines: Vec<Vec<u8>>,
    bytes: usize,
}

/// A command with an open quote, which continues on the next line.
#[derive(Clone, Debug)]
struct Quoted {
    bytes: Vec<u8>,
    /// The character that closes the quote.
    quote: u8,
    lines: u32,
    /// The error if the text ends inside the quote.
    error: ParseError,
}

/// A loop without `done`, or a command after which `&&`, `||` or `|` announces another one.
#[derive(Clone, Debug)]
struct Unfinished {
    text: String,
    missing: Missing,
    lines: u32,
    /// The error if nothing follows.
    error: ParseError,
}

/// A here-document that is the value of a `put`, or the manifest of a `kubectl apply -f -`, or that belongs to a
/// command which the shell refuses.
#[derive(Clone, Debug)]
struct Document {
    /// The command before `<<`, or the error about it.
    head: Result<Vec<u8>, ParseError>,
    delimiter: Vec<u8>,
    body: Vec<u8>,
}

/// The beginning of a command that continues on the next line: the lines read so far, joined, without the backslashes
/// at their ends.
#[derive(Clone, Debug)]
struct Joined {
    bytes: Vec<u8>,
    /// Whether the lines so far contain only white space, so that a comment can still start.
    blank: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    Blank,
    More { prompt: &'static str },
    Commands(Vec<Command>),
}

/// A line that is read in several steps. A loop can expand to 100,000 commands, which are too many for one step.
#[derive(Debug)]
pub struct Reading {
    /// The commands that are not read yet, each as a list of words.
    statements: std::vec::IntoIter<Statement>,
    /// Whether the line contains only one command. Only then can the command continue on the next line.
    alone: bool,
    /// The maximum number of commands in one `sh -c` text.
    most: usize,
    commands: Vec<Command>,
    /// The result of reading the line; `None` until all commands are read.
    done: Option<Read>,
    substitutions: Substitutions,
}

/// The substituted commands of a line.
#[derive(Debug, Default)]
struct Substitutions {
    line: Vec<u8>,
    /// The variables and aliases before the line, because the whole line is expanded again.
    names: ShellNames,
    /// The outputs so far.
    outputs: Vec<Vec<u8>>,
    /// The number of statements that are already read.
    read: usize,
    /// The next substituted command.
    wanted: Option<Wanted>,
}

/// The maximum number of substituted commands in a line. The line is expanded again after each of them.
const SUBSTITUTIONS_MAX: usize = 200;

impl Reading {
    /// Returns the number of commands that are already read.
    pub fn done(&self) -> u64 {
        self.commands.len() as u64
    }

    pub fn total(&self) -> u64 {
        (self.commands.len() + self.statements.len()) as u64
    }

    /// Returns true if the rest of the line needs the output of the last command that was read, as in
    /// `compact $(etcdctl …)`. After the command, call [`LineReader::substitute`].
    pub fn needs_output(&self) -> bool {
        self.statements.len() == 0 && self.substitutions.wanted.is_some()
    }
}

impl From<Read> for Reading {
    fn from(read: Read) -> Self {
        Self {
            statements: Vec::new().into_iter(),
            alone: false,
            most: usize::MAX,
            commands: Vec::new(),
            done: Some(read),
            substitutions: Substitutions::default(),
        }
    }
}

const CONTINUATION_PROMPT: &str = ">";

/// The maximum length of a line that is joined from several lines, in bytes. This is four times the size of the largest
/// message that etcdctl can send.
const JOINED_BYTES_MAX: usize = 8 << 20;

/// The number of commands that the reader expands in order to check whether a line continues on the next line. Two are
/// enough: a `txn` that is alone on its line continues on the next line, and a `txn` followed by another command does
/// not.
const COMMANDS_TO_SEE_THE_END: usize = 2;

impl LineReader {
    pub fn new(profile: Profile) -> Self {
        Self {
            profile: profile.plain(),
            pending: Pending::Nothing,
            names: ShellNames::default(),
            is_saved: false,
        }
    }

    /// Sets whether the next lines are [texts](Command::text) of commands that were read before. Such a text contains
    /// the flags that the variables stood for, so these flags do not conflict with the variables.
    pub fn reads_saved(&mut self, is_saved: bool) {
        self.is_saved = is_saved;
    }

    /// Changes the etcdctl version, and discards an unfinished command.
    pub fn with_profile(self, profile: Profile) -> Self {
        Self {
            profile: profile.plain(),
            pending: Pending::Nothing,
            ..self
        }
    }

    /// Reads one line, without its newline.
    ///
    /// If the line contains an error, an unfinished command is discarded, too.
    pub fn line(&mut self, line: &str) -> Result<Read, ParseError> {
        self.line_bytes(line.as_bytes())
    }

    /// Reads one line, which may not be valid UTF-8.
    pub fn line_bytes(&mut self, line: &[u8]) -> Result<Read, ParseError> {
        let reading = self.begin(line, usize::MAX)?;
        self.read_all(reading)
    }

    /// Starts to read a line. Call [`LineReader::read_more`] until all commands of the line are read.
    pub fn begin_line(&mut self, line: &str) -> Result<Reading, ParseError> {
        self.begin(line.as_bytes(), usize::MAX)
    }

    /// Reads at most `most` further commands of a line. Returns `None` until all commands are read.
    pub fn read_more(
        &mut self,
        reading: &mut Reading,
        most: usize,
    ) -> Result<Option<Read>, ParseError> {
        if let Some(done) = reading.done.take() {
            return Ok(Some(done));
        }
        for _ in 0..most {
            let Some(statement) = reading.statements.next() else {
                break;
            };
            if let Some(more) = self.statement(
                &statement,
                reading.alone,
                reading.most,
                &mut reading.commands,
            )? {
                return Ok(Some(more));
            }
        }
        if reading.statements.len() > 0 {
            return Ok(None);
        }
        let mut commands = std::mem::take(&mut reading.commands);
        if let Some(wanted) = &reading.substitutions.wanted {
            let line = String::from_utf8_lossy(&reading.substitutions.line);
            // A sentence of a document can contain a command in backquotes.
            if wanted.is_in_backquotes() && !begins_a_command(&line) {
                return Err(wanted.refusal());
            }
            self.substituted(wanted, reading.most, &mut commands)?;
            return Ok(Some(Read::Commands(commands)));
        }
        Ok(Some(match commands.is_empty() {
            true => Read::Blank,
            false => Read::Commands(commands),
        }))
    }

    /// Reads a substituted command.
    fn substituted(
        &mut self,
        wanted: &Wanted,
        most: usize,
        commands: &mut Vec<Command>,
    ) -> Result<(), ParseError> {
        let before = commands.len();
        let read = self.statement(&wanted.statement, false, most, commands);
        let has_output = |command: &Command| {
            let ends = matches!(
                command.kind,
                CommandKind::Etcdctl(_)
                    | CommandKind::Kubectl(_)
                    | CommandKind::Show(_)
                    | CommandKind::Answered(_)
            );
            ends && !command.note.as_ref().is_some_and(Note::changes_output)
        };
        let is_possible = matches!(read, Ok(None))
            && commands.len() == before + 1
            && commands.last().is_some_and(has_output);
        if self.is_saved || !is_possible {
            let error = wanted.refusal();
            self.remember_without_value(&error);
            return Err(error);
        }
        Ok(())
    }

    /// Continues a line after a substituted command with the output of this command.
    pub fn substitute(&mut self, reading: &mut Reading, output: Vec<u8>) -> Result<(), ParseError> {
        let line = &mut reading.substitutions;
        line.wanted = None;
        line.outputs.push(output);
        if line.outputs.len() > SUBSTITUTIONS_MAX {
            return Err(ParseError::help(
                (0, 0),
                format!("Watchglass runs at most {SUBSTITUTIONS_MAX} commands in $( ) of one line"),
            ));
        }
        let expanded = expand_with(&line.line, &line.names, &line.outputs, reading.most)?;
        let mut statements = expanded.statements.into_iter();
        // The first statements were read before the substituted command.
        let begun = statements.by_ref().take(line.read).count();
        line.read = begun + statements.len();
        line.wanted = expanded.wanted;
        reading.statements = statements;
        reading.alone = false;
        Ok(())
    }

    fn read_all(&mut self, mut reading: Reading) -> Result<Read, ParseError> {
        let read = self.read_more(&mut reading, usize::MAX)?;
        match reading.substitutions.wanted {
            Some(wanted) => {
                let error = wanted.refusal();
                self.remember_without_value(&error);
                Err(error)
            }
            None => Ok(read.unwrap_or(Read::Blank)),
        }
    }

    /// Reads one line like [`line`](Self::line), but only to check whether the line continues on the next line. If the
    /// line contains a loop, only the first commands of the loop are expanded.
    pub(crate) fn beginning(&mut self, line: &str) -> Result<Read, ParseError> {
        let reading = self.begin(line.as_bytes(), COMMANDS_TO_SEE_THE_END)?;
        self.read_all(reading)
    }

    fn begin(&mut self, line: &[u8], most: usize) -> Result<Reading, ParseError> {
        let joined = match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Txn(script) => return Ok(self.txn_line(script, line)?.into()),
            Pending::Quoted(quoted) => return self.quoted_line(quoted, line, most),
            Pending::Unfinished(begun) => return self.next_line_of(begun, line, most),
            Pending::Document(document) => return self.document_line(document, line, most),
            Pending::Heredoc(text) => return Ok(self.heredoc_line(text, line)?.into()),
            Pending::Watch(script) => return Ok(self.watch_line(script, line)?.into()),
            Pending::Joined(joined) => Some(joined),
            Pending::Nothing => None,
        };
        let may_be_comment = joined.as_ref().is_none_or(|joined| joined.blank);
        let text = line.trim_ascii_start();
        let comment = may_be_comment && is_comment(text);
        if joined.is_none() && !comment {
            if let Some((head, delimiter)) = heredoc(line, is_command) {
                return self.begin_heredoc(head, delimiter, most);
            }
            if let Some(delimiter) = delimiter_inside(line) {
                let error = self.whole_line(line, most).err();
                return Ok(self.begin_document(Err(error.unwrap_or_else(no_document)), &delimiter));
            }
        }
        if comment {
            return Ok(Read::Blank.into());
        }
        // All earlier lines end in complete pairs of backslashes, so only the current line decides whether the command
        // continues.
        let goes_on = !comment && ends_in_a_backslash(line);
        if joined.is_none() && !goes_on {
            return self.line_or_quote(line, most);
        }
        let mut joined = joined.unwrap_or(Joined {
            bytes: Vec::new(),
            blank: true,
        });
        if joined.bytes.len() + line.len() > JOINED_BYTES_MAX {
            return Err(ParseError::new(
                0,
                line.len(),
                format!(
                    "at most {} MiB in a line continued with backslashes",
                    JOINED_BYTES_MAX >> 20
                ),
                "split the input into several commands; Watchglass has discarded the earlier lines of this command",
            ));
        }
        if !goes_on {
            joined.bytes.extend_from_slice(line);
            return self.line_or_quote(&joined.bytes, most);
        }
        joined.bytes.extend_from_slice(&line[..line.len() - 1]);
        joined.blank = may_be_comment && text == b"\\";
        self.pending = Pending::Joined(joined);
        let prompt = CONTINUATION_PROMPT;
        Ok(Read::More { prompt }.into())
    }

    /// Reads a text with several lines, such as [`Command::text`].
    pub fn text(&mut self, text: &str) -> Result<Vec<Command>, ParseError> {
        let mut commands = Vec::new();
        for line in text.lines() {
            if let Read::Commands(more) = self.line(line)? {
                commands.extend(more);
            }
        }
        if let Read::Commands(more) = self.finish()? {
            commands.extend(more);
        }
        Ok(commands)
    }

    /// Ends a transaction in which etcdctl refuses a line, a command with an open quote, and a here-document whose
    /// command is refused. Call this function only at the end of the input: in a pasted text, the next lines still
    /// belong to the command and must not run as commands.
    pub fn end_refused(&mut self) -> Option<Result<Read, ParseError>> {
        let is_refused = match &self.pending {
            Pending::Txn(script) => script.is_refused(),
            Pending::Quoted(_) => true,
            Pending::Document(document) => document.head.is_err(),
            _ => false,
        };
        is_refused.then(|| self.finish())
    }

    /// Reads a line. If a quote is open at the end of a line that is a command, the command continues on the next line.
    fn line_or_quote(&mut self, line: &[u8], most: usize) -> Result<Reading, ParseError> {
        match self.whole_line(line, most) {
            Err(error) if error.is_unclosed && may_continue(line, &error) => {
                Ok(self.begin_quoted(line.to_vec(), 1, error))
            }
            // In a transcript, continuation prompts say which lines belong to a loop.
            Err(error) if most == usize::MAX => {
                let text = prompt::blanked(line, is_command);
                match String::from_utf8_lossy(&text) {
                    text if is_continued(&text) => {
                        self.unless_unfinished(text.into_owned(), 1, Err(error))
                    }
                    _ => Err(error),
                }
            }
            read => read,
        }
    }

    /// Returns the result of reading a text, unless the text continues on the next line.
    fn unless_unfinished(
        &mut self,
        text: String,
        lines: u32,
        read: Result<Reading, ParseError>,
    ) -> Result<Reading, ParseError> {
        match (missing_part(&text), read) {
            (Some(missing), Err(error)) => {
                self.pending = Pending::Unfinished(Unfinished {
                    text,
                    missing,
                    lines,
                    error,
                });
                let prompt = CONTINUATION_PROMPT;
                Ok(Read::More { prompt }.into())
            }
            (_, read) => read,
        }
    }

    /// Reads a further line of a loop.
    fn next_line_of(
        &mut self,
        mut begun: Unfinished,
        line: &[u8],
        most: usize,
    ) -> Result<Reading, ParseError> {
        let is_full = begun.text.len() + line.len() > QUOTED_BYTES_MAX;
        if is_full || begun.lines == QUOTED_LINES_MAX {
            return Err(begun.error);
        }
        let line = String::from_utf8_lossy(line);
        join(&mut begun.text, begun.missing, &line);
        let read = match missing_part(&begun.text) {
            None => self.line_or_quote(begun.text.as_bytes(), most),
            Some(_) => Err(begun.error),
        };
        self.unless_unfinished(begun.text, begun.lines + 1, read)
    }

    fn begin_quoted(&mut self, bytes: Vec<u8>, lines: u32, error: ParseError) -> Reading {
        let open = bytes[error.span.0 as usize..].iter();
        let quote = open.copied().find(|byte| matches!(byte, b'\'' | b'"'));
        self.pending = Pending::Quoted(Quoted {
            quote: quote.unwrap_or(b'\''),
            bytes,
            lines,
            error,
        });
        let prompt = CONTINUATION_PROMPT;
        Read::More { prompt }.into()
    }

    fn quoted_line(
        &mut self,
        mut quoted: Quoted,
        line: &[u8],
        most: usize,
    ) -> Result<Reading, ParseError> {
        let is_full = quoted.bytes.len() + line.len() > QUOTED_BYTES_MAX;
        if is_full || quoted.lines == QUOTED_LINES_MAX {
            return Err(quoted.error);
        }
        quoted.bytes.push(b'\n');
        quoted.bytes.extend_from_slice(line);
        quoted.lines += 1;
        let read = match line.contains(&quoted.quote) {
            true => self.whole_line(&quoted.bytes, most),
            false => Err(quoted.error),
        };
        match read {
            Err(error) if error.is_unclosed => {
                Ok(self.begin_quoted(quoted.bytes, quoted.lines, error))
            }
            read => read,
        }
    }

    /// Starts a here-document that is not the text of a transaction.
    fn begin_document(&mut self, head: Result<Vec<u8>, ParseError>, delimiter: &[u8]) -> Reading {
        self.pending = Pending::Document(Box::new(Document {
            head,
            delimiter: delimiter.to_vec(),
            body: Vec::new(),
        }));
        let prompt = CONTINUATION_PROMPT;
        Read::More { prompt }.into()
    }

    fn document_line(
        &mut self,
        mut document: Box<Document>,
        line: &[u8],
        most: usize,
    ) -> Result<Reading, ParseError> {
        if line.trim_ascii() == document.delimiter {
            return self.end_document(*document, most);
        }
        // A text that is too long belongs to a refused command, or is too large for etcd anyway.
        if document.body.len() + line.len() < JOINED_BYTES_MAX {
            document.body.extend_from_slice(line);
            document.body.push(b'\n');
        }
        self.pending = Pending::Document(document);
        let prompt = CONTINUATION_PROMPT;
        Ok(Read::More { prompt }.into())
    }

    fn end_document(&mut self, document: Document, most: usize) -> Result<Reading, ParseError> {
        let Document { head, body, .. } = document;
        let mut line = b"printf %s ".to_vec();
        let mut value = String::new();
        push_quoted(&mut value, &body);
        line.extend(value.trim_start().as_bytes());
        line.extend(b" | ");
        line.extend(head?);
        self.whole_line(&line, most)
    }

    pub fn abandon(&mut self) {
        self.pending = Pending::Nothing;
    }

    /// Returns the prompt for the next line of an unfinished command; `None` if there is no unfinished command.
    pub fn pending(&self) -> Option<&'static str> {
        match &self.pending {
            Pending::Nothing => None,
            Pending::Joined(_)
            | Pending::Quoted(_)
            | Pending::Unfinished(_)
            | Pending::Document(_)
            | Pending::Heredoc(_) => Some(CONTINUATION_PROMPT),
            Pending::Txn(script) => Some(script.prompt()),
            Pending::Watch(_) => Some(PROMPT),
        }
    }

    /// Returns the lines of the unfinished command that were read so far; empty if there is no unfinished command.
    pub fn pending_text(&self) -> Cow<'_, str> {
        match &self.pending {
            Pending::Nothing => "".into(),
            Pending::Joined(joined) => String::from_utf8_lossy(&joined.bytes),
            Pending::Quoted(quoted) => String::from_utf8_lossy(&quoted.bytes),
            Pending::Unfinished(begun) => begun.text.as_str().into(),
            Pending::Document(document) => String::from_utf8_lossy(&document.body),
            Pending::Txn(script) => script.text().into(),
            Pending::Heredoc(text) => {
                let head = text.script.text().trim_end();
                let head = [head.as_bytes(), b" <<", &text.delimiter].concat();
                let lines = text.lines.iter().map(Vec::as_slice);
                let all: Vec<&[u8]> = [&*head].into_iter().chain(lines).collect();
                String::from_utf8_lossy(&all.join(&b'\n'))
                    .into_owned()
                    .into()
            }
            Pending::Watch(script) => script.text().into(),
        }
    }

    /// Handles the end of the input. An unfinished transaction or `watch -i` results in etcdctl's own error message.
    pub fn finish(&mut self) -> Result<Read, ParseError> {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => Ok(Read::Blank),
            Pending::Joined(joined) => {
                let reading = self.whole_line(&joined.bytes, usize::MAX)?;
                match self.read_all(reading)? {
                    Read::More { .. } => self.finish(),
                    read => Ok(read),
                }
            }
            Pending::Txn(script) => Ok(Read::Commands(vec![script.finish()?])),
            Pending::Quoted(quoted) => Err(quoted.error),
            Pending::Unfinished(begun) => Err(begun.error),
            Pending::Document(document) => {
                let reading = self.end_document(*document, usize::MAX)?;
                self.read_all(reading)
            }
            Pending::Heredoc(text) => self.finish_heredoc(*text),
            Pending::Watch(script) => Ok(Read::Commands(vec![script.finish()?])),
        }
    }

    /// Reads the line `txn <<EOF`.
    fn begin_heredoc(
        &mut self,
        head: &[u8],
        delimiter: &[u8],
        most: usize,
    ) -> Result<Reading, ParseError> {
        if is_put(head, is_command) {
            return Ok(self.begin_document(Ok(head.to_vec()), delimiter));
        }
        let line = prompt::blanked(head, is_command);
        if let Some(args) = self.manifest_command(&line) {
            let head = kubectl_with_input(&args, "").map(|_| line.into_owned());
            return Ok(self.begin_document(head, delimiter));
        }
        let read = self
            .whole_line(head, most)
            .and_then(|reading| self.read_all(reading));
        let script = match (std::mem::replace(&mut self.pending, Pending::Nothing), read) {
            (Pending::Txn(script), Ok(_)) => script,
            (_, Err(error)) => return Ok(self.begin_document(Err(error), delimiter)),
            (_, Ok(_)) => return Ok(self.begin_document(Err(no_document()), delimiter)),
        };
        self.pending = Pending::Heredoc(Box::new(Heredoc {
            script: *script,
            delimiter: delimiter.to_vec(),
            lines: Vec::new(),
            bytes: 0,
        }));
        let prompt = CONTINUATION_PROMPT;
        Ok(Read::More { prompt }.into())
    }

    /// Returns the arguments of a kubectl command that reads a manifest from its standard input; `None` for any other
    /// line.
    fn manifest_command(&self, line: &[u8]) -> Option<Vec<Arg>> {
        let statements = expand_first(line, &self.names, 2).ok()?;
        let [statement] = statements.as_slice() else {
            return None;
        };
        let Ok(Invocation::Command { args, .. }) = invocation::read(&statement.args) else {
            return None;
        };
        (is_kubectl(&args) && kubectl::reads_standard_input(&args)).then_some(args)
    }

    fn heredoc_line(&mut self, mut text: Box<Heredoc>, line: &[u8]) -> Result<Read, ParseError> {
        if line.trim_ascii() == text.delimiter {
            return self.finish_heredoc(*text);
        }
        text.bytes += line.len() + 1;
        if text.bytes > JOINED_BYTES_MAX {
            return Err(ParseError::new(
                0,
                line.len(),
                format!(
                    "at most {} MiB before the delimiter",
                    JOINED_BYTES_MAX >> 20
                ),
                "use a smaller transaction",
            ));
        }
        text.lines.push(line.to_vec());
        self.pending = Pending::Heredoc(text);
        let prompt = CONTINUATION_PROMPT;
        Ok(Read::More { prompt })
    }

    /// Passes the lines to the transaction, which ignores the lines after its third block.
    fn finish_heredoc(&mut self, text: Heredoc) -> Result<Read, ParseError> {
        let mut script = Box::new(text.script);
        for line in &text.lines {
            if let Read::Commands(commands) = self.txn_line(script, line)? {
                return Ok(Read::Commands(commands));
            }
            match std::mem::replace(&mut self.pending, Pending::Nothing) {
                Pending::Txn(rest) => script = rest,
                _ => unreachable!("an unfinished transaction is pending"),
            }
        }
        Ok(Read::Commands(vec![script.finish()?]))
    }

    fn watch_line(
        &mut self,
        mut script: Box<WatchScript>,
        line: &[u8],
    ) -> Result<Read, ParseError> {
        if script.line(utf8_inside(line, "watch -i")?) {
            return Ok(Read::Commands(vec![script.finish()?]));
        }
        self.pending = Pending::Watch(script);
        Ok(Read::More { prompt: PROMPT })
    }

    fn txn_line(&mut self, mut script: Box<TxnScript>, line: &[u8]) -> Result<Read, ParseError> {
        let line = utf8_inside(line, "a transaction")?;
        if script.line(line) {
            let mut command = script.finish()?;
            if let CommandKind::Etcdctl(e) = &command.kind
                && let Some(refusal) = too_large(&e.request())
            {
                command.kind = CommandKind::Refused(refusal);
            }
            return Ok(Read::Commands(vec![command]));
        }
        let prompt = script.prompt();
        self.pending = Pending::Txn(script);
        Ok(Read::More { prompt })
    }

    fn whole_line(&mut self, line: &[u8], most: usize) -> Result<Reading, ParseError> {
        let line = prompt::blanked(line, is_command);
        let line = invocation::windows_variable(&line).map_or(line, Cow::from);
        let expanded = expand_with(&line, &self.names, &[], most)?;
        let statements = expanded.statements;
        Ok(Reading {
            alone: statements.len() == 1 && expanded.wanted.is_none(),
            most,
            substitutions: Substitutions {
                read: statements.len(),
                line: match expanded.wanted {
                    Some(_) => line.into_owned(),
                    None => Vec::new(),
                },
                names: match expanded.wanted {
                    Some(_) => self.names.clone(),
                    None => ShellNames::default(),
                },
                outputs: Vec::new(),
                wanted: expanded.wanted,
            },
            statements: statements.into_iter(),
            commands: Vec::new(),
            done: None,
        })
    }

    /// Stores the name of the variable in a line such as `NAME=$(…)`, so that the error about a later use of the
    /// variable can name the reason.
    fn remember_without_value(&mut self, error: &ParseError) {
        let known = &mut self.names.without_value;
        if let Some(name) = &error.without_value
            && known.len() < VARIABLES_MAX
            && name.len() <= VARIABLE_BYTES_MAX
            && !known.contains(name)
        {
            known.push(name.clone());
        }
    }

    /// Reads one command. If the command continues on the next line, returns the prompt for that line.
    fn statement(
        &mut self,
        statement: &Statement,
        alone: bool,
        most: usize,
        commands: &mut Vec<Command>,
    ) -> Result<Option<Read>, ParseError> {
        let Statement {
            args,
            output_target,
            run_if,
        } = statement;
        let (begun, run_if) = (commands.len(), *run_if);
        let read = self.unconditional(args, output_target, alone, most, commands)?;
        if let Some(first) = commands.get_mut(begun) {
            first.run_if = run_if;
        }
        Ok(read)
    }

    fn unconditional(
        &mut self,
        args: &[Arg],
        output_target: &str,
        alone: bool,
        most: usize,
        commands: &mut Vec<Command>,
    ) -> Result<Option<Read>, ParseError> {
        let (args, variables) = match invocation::read(args)? {
            Invocation::Command { args, variables } => (args, variables),
            Invocation::Script { text, span } => {
                return self.script(&text, span, output_target, alone, most, commands);
            }
            Invocation::Set(variables) => {
                let names = variables.iter().map(|(name, _)| name.clone()).collect();
                self.set(variables, watch_line::span_of(args))?;
                commands.push(without_output(args, Note::Variables(names)));
                return Ok(None);
            }
            Invocation::Unset(names) => {
                let is_removed = |(name, _): &mut Variable| names.contains(name);
                let removed = self.names.variables.extract_if(.., is_removed);
                let removed = removed.map(|(name, _)| name).collect();
                commands.push(without_output(args, Note::Removed(removed)));
                return Ok(None);
            }
            Invocation::Alias(aliases) => {
                let names = aliases.iter().map(|(name, _)| name.clone()).collect();
                self.set_aliases(aliases, watch_line::span_of(args))?;
                commands.push(without_output(args, Note::Aliases(names)));
                return Ok(None);
            }
            Invocation::Unalias(names) => {
                let all = names.iter().any(|name| name == "-a");
                let is_removed = |(name, _): &mut Variable| all || names.contains(name);
                let removed = self.names.aliases.extract_if(.., is_removed);
                let removed = removed.map(|(name, _)| name).collect();
                commands.push(without_output(args, Note::Removed(removed)));
                return Ok(None);
            }
            Invocation::Shell => {
                commands.push(without_output(args, Note::Shell));
                return Ok(None);
            }
        };
        if matches!(args[0].bytes.as_slice(), b"echo" | b"printf") {
            commands.push(self.echo(&args, output_target)?);
            return Ok(None);
        }
        let args = match args[0].bytes.as_slice() {
            b"sleep" => sleep(&args)?,
            b"watch" => without_repetition(args)?,
            _ => args,
        };
        let connection = connection_note(&args);
        let conflict = self.conflict(&args, &variables);
        let args = &self.with_environment(args, &variables)?;
        let mut text = text_of(args);
        let read = match (read_command(args, self.profile)?, conflict) {
            // etcdctl checks the variables when it connects, after it has checked the arguments of the command.
            (read, Some(((name, value), error))) if is_sent(&read) => {
                let mut quoted = String::new();
                push_word(&mut quoted, &value);
                text = format!("{name}={quoted} {text}");
                CommandLine::Whole(CommandKind::Refused(error))
            }
            (read, _) => read,
        };
        match read {
            CommandLine::Whole(kind) => {
                let arguments = arguments_note(args, &kind, self.profile);
                let note = match output_target {
                    _ if is_unknown(args, self.profile) => {
                        Some(Note::Unknown(escape(&args[0].bytes)))
                    }
                    "" if arguments.is_some() => arguments,
                    "" if kind.is_serializable() => Some(Note::Serializable),
                    "" if kind.is_sent() => connection,
                    "" => None,
                    target => Some(note_of_target(target, &kind)),
                };
                if !output_target.is_empty() {
                    text.push(' ');
                    text.push_str(output_target);
                }
                commands.push(Command {
                    text,
                    kind,
                    note,
                    run_if: RunIf::Always,
                });
            }
            CommandLine::Txn(head) if alone => {
                let script = TxnScript::new(head, self.profile);
                let prompt = script.prompt();
                self.pending = Pending::Txn(Box::new(script));
                return Ok(Some(Read::More { prompt }));
            }
            CommandLine::Watch(head) if alone => {
                let script = WatchScript::new(head, self.profile);
                self.pending = Pending::Watch(Box::new(script));
                return Ok(Some(Read::More { prompt: PROMPT }));
            }
            CommandLine::Txn(_) => {
                let why = "type the three blocks of the transaction on the next lines";
                return Err(not_alone(args, "txn alone on its line", why));
            }
            CommandLine::Watch(_) => {
                let why = "type the input of the watch on the next lines";
                return Err(not_alone(args, "watch -i alone on its line", why));
            }
        }
        Ok(None)
    }

    /// Reads the commands in the text of `sh -c`.
    fn script(
        &mut self,
        text: &[u8],
        span: (usize, usize),
        output_target: &str,
        alone: bool,
        most: usize,
        commands: &mut Vec<Command>,
    ) -> Result<Option<Read>, ParseError> {
        let at = |error: ParseError| ParseError::new(span.0, span.1, error.expected, error.hint);
        if !alone {
            let hint = "type the commands without `sh -c`";
            return Err(ParseError::new(
                span.0,
                span.1,
                "no other command on the line of `sh -c`",
                hint,
            ));
        }
        let statements = expand_first(text, &self.names, most.min(COMMANDS_MAX)).map_err(at)?;
        // For nested `sh -c`, `alone` becomes false, so the recursion ends.
        for mut statement in statements.iter().cloned() {
            if !output_target.is_empty() {
                statement.output_target = output_target.to_owned();
            }
            let is_script = matches!(
                invocation::read(&statement.args),
                Ok(Invocation::Script { .. })
            );
            let alone = statements.len() == 1 && !is_script;
            if let Some(more) = self
                .statement(&statement, alone, most, commands)
                .map_err(at)?
            {
                return Ok(Some(more));
            }
        }
        Ok(None)
    }

    /// Reads `echo` or `printf`. The output is printed, or passed to etcdctl or kubectl as its standard input. Commands
    /// without input ignore it.
    fn echo(&self, args: &[Arg], output_target: &str) -> Result<Command, ParseError> {
        let words: Vec<Vec<u8>> = args[1..].iter().map(|word| word.bytes.clone()).collect();
        let printed = match args[0].bytes.as_slice() {
            b"printf" => text_tools::printf(&words),
            _ => text_tools::echo(&words),
        };
        let Some(piped) = output_target.strip_prefix('|') else {
            let note = Note::OutputTarget(output_target.into());
            let mut echo = without_output(args, note);
            // The session replaces this variable, because the exit code is known only after the earlier commands.
            echo.text = echo.text.replace("'$?'", EXIT_CODE);
            echo.kind = CommandKind::Answered(Output {
                stdout: printed,
                ..Output::default()
            });
            if output_target.is_empty() {
                echo.note = None;
            } else {
                echo.text = format!("{} {output_target}", echo.text);
            }
            return Ok(echo);
        };
        let (span, echoed) = (watch_line::span_of(args), text_of(args));
        let not_read = || {
            ParseError::help(
                span,
                "Watchglass passes the output of `echo` and `printf` only to an etcdctl or kubectl command",
            )
        };
        let statements = expand_first(piped.as_bytes(), &self.names, 2);
        let statements = statements.map_err(|_| not_read())?;
        let [statement] = statements.as_slice() else {
            return Err(not_read());
        };
        let Invocation::Command { args, variables } = invocation::read(&statement.args)? else {
            return Err(not_read());
        };
        if is_kubectl(&args) {
            let target = &statement.output_target;
            let kind = kubectl_with_input(&args, utf8_inside(&printed, "a manifest")?)?;
            let text = format!("{echoed} | {} {target}", text_of(&args));
            return Ok(Command {
                text: text.trim_end().to_owned(),
                kind,
                note: (!target.is_empty()).then(|| Note::OutputTarget(target.clone())),
                run_if: RunIf::Always,
            });
        }
        let mut args = self.with_environment(args, &variables)?;
        let (rest, named) = after_etcdctl(&args);
        if !named {
            return Err(not_read());
        }
        if rest.iter().any(|word| word.bytes == b"user") {
            let text = format!("{echoed} {output_target}");
            if let Some(command) = self.with_password(&args, &printed, text)? {
                return Ok(command);
            }
        }
        let words: Vec<Vec<u8>> = rest.iter().map(|word| word.bytes.clone()).collect();
        if etcdctl::reads_value(&words, self.profile) {
            args.push(Arg {
                bytes: printed.clone(),
                span,
                quoted: true,
            });
        }
        match read_command(&args, self.profile)? {
            CommandLine::Whole(kind) => Ok(Command {
                text: text_of(&args),
                kind,
                note: None,
                run_if: RunIf::Always,
            }),
            CommandLine::Txn(head) => {
                let mut script = TxnScript::new(head, self.profile);
                let input = utf8_inside(&printed, "a transaction")?;
                let mut lines = input.lines();
                while lines.next().is_some_and(|line| !script.line(line)) {}
                script.finish()
            }
            CommandLine::Watch(_) => Err(not_read()),
        }
    }

    /// Reads a command that takes its password from the output of `echo`. The password is the first word of the output,
    /// as `fmt.Scanf` reads it. Returns `None` for a command that reads no password.
    fn with_password(
        &self,
        args: &[Arg],
        printed: &[u8],
        text: String,
    ) -> Result<Option<Command>, ParseError> {
        let CommandLine::Whole(mut kind) = read_command(args, self.profile)? else {
            return Ok(None);
        };
        let CommandKind::Etcdctl(Etcdctl {
            verb:
                Verb::Auth(AuthCommand {
                    request,
                    reads_password: true,
                    ..
                }),
            ..
        }) = &mut kind
        else {
            return Ok(None);
        };
        let line = printed.split(|b| *b == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let word = line.split_whitespace().next().unwrap_or_default();
        let typed = Password::Plain(word.to_owned());
        match request {
            AuthRequest::UserAdd { password, .. } => *password = Some(typed),
            AuthRequest::UserChangePassword { password, .. } => *password = typed,
            _ => {}
        }
        Ok(Some(Command {
            text,
            kind,
            note: None,
            run_if: RunIf::Always,
        }))
    }

    fn set(&mut self, variables: Vec<Variable>, span: (usize, usize)) -> Result<(), ParseError> {
        let limits = (VARIABLES_MAX, VARIABLE_BYTES_MAX);
        define(&mut self.names.variables, variables, limits).map_err(|()| {
            ParseError::new(
                span.0,
                span.1,
                format!("at most {VARIABLES_MAX} variables of {VARIABLE_BYTES_MAX} bytes"),
                "remove a variable with `unset NAME` first",
            )
        })
    }

    fn set_aliases(
        &mut self,
        aliases: Vec<Variable>,
        span: (usize, usize),
    ) -> Result<(), ParseError> {
        let limits = (ALIASES_MAX, ALIAS_BYTES_MAX);
        define(&mut self.names.aliases, aliases, limits).map_err(|()| {
            ParseError::new(
                span.0,
                span.1,
                format!("at most {ALIASES_MAX} aliases of {ALIAS_BYTES_MAX} bytes"),
                "remove an alias with `unalias NAME` first",
            )
        })
    }

    /// Returns the value of a shell variable. `variables` are set only for this command.
    fn variable<'a>(&'a self, variables: &'a [Variable], wanted: &str) -> Option<&'a Vec<u8>> {
        let mut all = variables
            .iter()
            .rev()
            .chain(self.names.variables.iter().rev());
        all.find(|(name, _)| name == wanted).map(|(_, value)| value)
    }

    /// Returns the variable and etcdctl's error if a flag is given both on the command line and as an environment
    /// variable. Mirrors `verifyEnv` in `pkg/flags/flag.go`, without the time and the stack trace of the log line.
    fn conflict(&self, args: &[Arg], variables: &[Variable]) -> Option<(Variable, Output)> {
        let (rest, named) = after_etcdctl(args);
        let words: Vec<Vec<u8>> = rest.iter().map(|arg| arg.bytes.clone()).collect();
        let verb = etcdctl::find::verb(&words, self.profile)?;
        if !named && simulator::verb(&verb).is_some() {
            return None;
        }
        let given = etcdctl::global_flags(&words, self.profile);
        let names = given.iter().map(|flag| {
            let name = flag.to_ascii_uppercase().replace('-', "_");
            format!("ETCDCTL_{name}")
        });
        let value = |name: &str| match self.is_saved {
            true => variables
                .iter()
                .find(|(own, _)| own == name)
                .map(|(_, value)| value),
            false => self.variable(variables, name),
        };
        let variable = names.into_iter().find_map(|name| {
            let value = value(&name)?.clone();
            Some((name, value))
        })?;
        let name = &variable.0;
        let output = Output {
            stderr: format!(
                "{{\"level\":\"fatal\",\"msg\":\"conflicting environment variable is shadowed by corresponding \
                 command-line flag (either unset environment variable or disable flag))\",\
                 \"environment-variable\":\"{name}\"}}\n"
            )
            .into_bytes(),
            exit: 1,
            ..Output::default()
        };
        Some((variable, output))
    }

    /// Adds flags for the environment variables that etcdctl reads, if the flags have an effect in the simulator.
    fn with_environment(
        &self,
        mut args: Vec<Arg>,
        variables: &[Variable],
    ) -> Result<Vec<Arg>, ParseError> {
        let (rest, named) = after_etcdctl(&args);
        let words: Vec<Vec<u8>> = rest.iter().map(|arg| arg.bytes.clone()).collect();
        let verb = etcdctl::find::verb(&words, self.profile);
        let verb = verb.and_then(|word| rest.iter().position(|arg| arg.bytes == word));
        let Some((at, verb)) = verb.map(|at| (at, &rest[at])) else {
            return Ok(args);
        };
        if !named && simulator::verb(&verb.bytes).is_some() {
            return Ok(args);
        }
        let value = |wanted: &str| self.variable(variables, wanted);
        let span = verb.span;
        if value("ETCDCTL_API").is_some_and(|version| version != b"3") {
            return Err(ParseError::new(
                span.0,
                span.1,
                "ETCDCTL_API=3",
                "Watchglass simulates only version 3 of the API",
            ));
        }
        let place = args.len() - rest.len() + at + 1;
        let has = |flag: &[u8]| rest.iter().any(|arg| arg.bytes.starts_with(flag));
        let mut flags: Vec<Vec<u8>> = Vec::new();
        for (variable, flag, letter) in [
            ("ETCDCTL_WRITE_OUT", "--write-out", "-w"),
            ("ETCDCTL_HEX", "--hex", "--hex"),
            ("ETCDCTL_ENDPOINTS", "--endpoints", "--endpoints"),
            ("ETCDCTL_USER", "--user", "--user"),
            ("ETCDCTL_PASSWORD", "--password", "--password"),
            (
                "ETCDCTL_COMMAND_TIMEOUT",
                "--command-timeout",
                "--command-timeout",
            ),
        ] {
            if let Some(value) = value(variable)
                && !has(flag.as_bytes())
                && !has(letter.as_bytes())
            {
                flags.push([flag.as_bytes(), b"=", value].concat());
            }
        }
        let flags = flags.into_iter().map(|bytes| Arg {
            bytes,
            span,
            quoted: false,
        });
        let is_watch = etcdctl::reads_no_key(&words, self.profile);
        args.splice(place..place, flags);
        // `watch` without arguments watches the keys that two variables name.
        for name in ["ETCDCTL_WATCH_KEY", "ETCDCTL_WATCH_RANGE_END"] {
            if is_watch && let Some(bytes) = value(name) {
                args.push(Arg {
                    bytes: bytes.clone(),
                    span,
                    quoted: true,
                });
            }
        }
        Ok(args)
    }
}

/// The maximum size of a command with an open quote, in bytes, and its maximum number of lines.
const QUOTED_BYTES_MAX: usize = 256 << 10;
const QUOTED_LINES_MAX: u32 = 1_000;

/// Returns true if a line is a comment of a shell, or of the examples in Go's style.
fn is_comment(text: &[u8]) -> bool {
    text.starts_with(b"#") || text.starts_with(b"//")
}

/// Returns true if a line with an open quote is a command, and not a sentence with an apostrophe.
fn may_continue(line: &[u8], error: &ParseError) -> bool {
    let before = &line[..error.span.0 as usize];
    let is_word_start = before.last().is_none_or(|byte| b" \t=:$(".contains(byte));
    is_word_start || prompt::begins_any_command(&String::from_utf8_lossy(line), is_command)
}

/// Returns the note about the text after a command, such as `| grep a`. A command that runs in the background prints
/// later, so nothing filters its output.
fn note_of_target(target: &str, kind: &CommandKind) -> Note {
    let prints_later = match kind {
        CommandKind::Watch(_)
        | CommandKind::Process(_)
        | CommandKind::Monitor { .. }
        | CommandKind::Recv { .. } => true,
        CommandKind::Kubectl(kubectl) => kubectl.watch.is_some(),
        _ => false,
    };
    match Filters::parse(target) {
        Some(_) if !prints_later => Note::Pipe(target.into()),
        _ => Note::OutputTarget(target.into()),
    }
}

/// Returns true if a line begins with a command or an assignment.
fn begins_a_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    is_assignment(first.as_bytes())
        || matches!(first, "if" | "export")
        || prompt::begins_any_command(line, is_command)
}

fn no_document() -> ParseError {
    ParseError::help(
        (0, 0),
        "Watchglass passes a here-document only to `txn`, `put` and `kubectl apply -f -`, and skips the lines of any \
         other here-document",
    )
}

fn is_kubectl(args: &[Arg]) -> bool {
    args.first().is_some_and(|first| first.bytes == b"kubectl")
}

/// Reads a kubectl command with the text that it gets as standard input.
fn kubectl_with_input(args: &[Arg], input: &str) -> Result<CommandKind, ParseError> {
    let spec = simulator::verb(b"kubectl").expect("kubectl is in the table");
    kubectl::read_with_input(args, spec, Some(input))
}

const VARIABLES_MAX: usize = 64;
/// The maximum length of a variable's value, in bytes.
const VARIABLE_BYTES_MAX: usize = 4_096;

const ALIASES_MAX: usize = 32;
/// The maximum length of the text of an alias, in bytes.
const ALIAS_BYTES_MAX: usize = 512;

/// Sets each name to its value. The entry of the name becomes the newest entry of the list. `count` is the maximum
/// number of names, and `bytes` is the maximum size of a value in bytes.
///
/// # Errors
/// Returns an error at the first entry that exceeds a limit; the entries before it are set.
fn define(
    names: &mut Vec<Variable>,
    entries: Vec<Variable>,
    (count, bytes): (usize, usize),
) -> Result<(), ()> {
    for (name, value) in entries {
        names.retain(|(known, _)| *known != name);
        if names.len() == count || value.len() > bytes {
            return Err(());
        }
        names.push((name, value));
    }
    Ok(())
}

fn is_sent(line: &CommandLine) -> bool {
    match line {
        CommandLine::Whole(kind) => kind.is_sent(),
        CommandLine::Txn(_) | CommandLine::Watch(_) => true,
    }
}

fn without_output(args: &[Arg], note: Note) -> Command {
    let mut text = String::new();
    for arg in args {
        push_word(&mut text, &arg.bytes);
    }
    Command {
        text,
        kind: CommandKind::Answered(Output::default()),
        note: Some(note),
        run_if: RunIf::Always,
    }
}

/// Returns the command `run` for the shell's `sleep`.
fn sleep(args: &[Arg]) -> Result<Vec<Arg>, ParseError> {
    let (start, end) = watch_line::span_of(args);
    let wrong = || {
        ParseError::new(
            start,
            end,
            "a duration after sleep",
            "write it as `sleep 5`",
        )
    };
    let [name, length] = args else {
        return Err(wrong());
    };
    let mut run = name.clone();
    run.bytes = b"run".to_vec();
    let mut length = length.clone();
    if length.bytes.last().is_some_and(u8::is_ascii_digit) {
        length.bytes.push(b's');
    }
    match SimDuration::parse(&escape(&length.bytes)) {
        Some(_) => Ok(vec![run, length]),
        None => Err(wrong()),
    }
}

/// Refuses the shell's `watch`, which repeats another program.
fn without_repetition(args: Vec<Arg>) -> Result<Vec<Arg>, ParseError> {
    let is_program = |arg: &Arg| matches!(arg.bytes.as_slice(), b"etcdctl" | b"kubectl");
    let before_command = args.iter().take_while(|arg| arg.bytes != b"--");
    match before_command.into_iter().any(is_program) {
        true => Err(ParseError::help(
            watch_line::span_of(&args),
            "Watchglass does not support the shell's `watch`, which repeats a command",
        )),
        false => Ok(args),
    }
}

fn not_alone(args: &[Arg], expected: &str, why: &str) -> ParseError {
    let (start, end) = watch_line::span_of(args);
    ParseError::new(start, end, expected, why)
}

/// Returns an input line as text, or an error if the line is not valid UTF-8.
fn utf8_inside<'a>(line: &'a [u8], what: &str) -> Result<&'a str, ParseError> {
    std::str::from_utf8(line).map_err(|_| {
        ParseError::new(
            0,
            line.len(),
            format!("UTF-8 inside {what}"),
            format!("write a byte that is not UTF-8 as \"\\xff\"; {what} was discarded"),
        )
    })
}

/// Returns the words after `etcdctl`, and a flag that is true if the line starts with `etcdctl`.
fn after_etcdctl(args: &[Arg]) -> (&[Arg], bool) {
    match args {
        [first, tail @ ..] if matches!(first.bytes.as_slice(), b"etcdctl" | b"e") => (tail, true),
        _ => (args, false),
    }
}

fn read_command(args: &[Arg], profile: Profile) -> Result<CommandLine, ParseError> {
    let (rest, named) = after_etcdctl(args);
    let words: Vec<Vec<u8>> = rest.iter().map(|a| a.bytes.clone()).collect();
    if let ([tool, of_tool @ ..], false) = (words.as_slice(), named)
        && tool == b"etcdutl"
    {
        let place = watch_line::span_of(args);
        return etcdutl::read(of_tool, place, profile).map(CommandLine::Whole);
    }
    // Only etcdctl's own `snapshot save` takes a user.
    let names_user = |arg: &Arg| arg.bytes.starts_with(b"--user");
    let is_of_user =
        rest.iter().any(names_user) && rest.first().is_some_and(|word| word.bytes == b"snapshot");
    if is_of_user {
        let place = watch_line::span_of(args);
        return etcdctl::read(&words, place, &text_of(args), profile);
    }
    // etcdctl itself prints the help pages and the error for a missing file.
    if !named
        && let Some(words) = snapshot::of_simulator(rest, profile)
        && let Some(spec) = simulator::verb(&words[0].bytes)
    {
        let is_help = |arg: &Arg| matches!(arg.bytes.as_slice(), b"-h" | b"--help");
        let is_bare_save = matches!(words.as_slice(), [_, save] if save.bytes == b"save");
        if !is_bare_save && !words.iter().any(is_help) {
            return simulator::read(&words, spec).map(CommandLine::Whole);
        }
        let words: Vec<Vec<u8>> = words.iter().map(|arg| arg.bytes.clone()).collect();
        return etcdctl::read(&words, watch_line::span_of(args), &text_of(args), profile);
    }
    if !named && let Some(help) = foreign::help(rest, simulator::is_near_setting) {
        return Err(help);
    }
    if let ([first, ..], false) = (rest, named) {
        if let Some(spec) = simulator::verb(&first.bytes) {
            return simulator::read(rest, spec).map(CommandLine::Whole);
        }
        if !etcdctl::knows(&first.bytes, profile)
            && let Some(near) = simulator::near_verb(&first.bytes)
        {
            return Err(ParseError::new(
                first.span.0,
                first.span.1,
                "a command",
                format!("did you mean `{near}`? Type `help` for a list of commands"),
            ));
        }
    }
    etcdctl::read_line(rest, watch_line::span_of(args), &text_of(args), profile)
}

/// Returns true if the first word is not the name of any command. For such a word, the shell prints etcdctl's error
/// about an unknown command.
fn is_unknown(args: &[Arg], profile: Profile) -> bool {
    let first = args.first().map_or(&b""[..], |first| &first.bytes);
    let is_name = simulator::verb(first).is_some() || etcdctl::knows(first, profile);
    !is_name && !matches!(first, [] | [b'-', ..] | b"etcdctl" | b"e" | b"etcdutl")
}

/// Returns the note about an argument that etcdctl reads in another way than the user may expect.
fn arguments_note(args: &[Arg], kind: &CommandKind, profile: Profile) -> Option<Note> {
    let CommandKind::Etcdctl(command) = kind else {
        return None;
    };
    let arguments = || {
        let (rest, _) = after_etcdctl(args);
        let words: Vec<Vec<u8>> = rest.iter().map(|arg| arg.bytes.clone()).collect();
        etcdctl::arguments(&words, profile)
    };
    match &command.verb {
        Verb::Get { request, .. } if request.key.contains(&b'*') => Some(Note::Star),
        Verb::Del { request, .. } if request.key.contains(&b'*') => Some(Note::Star),
        Verb::Get { request, .. } => {
            // An empty end stands for a single key, and the end `\0` for all later keys.
            let is_range = !matches!(&request.range_end[..], [] | [0]);
            let has_end = is_range && arguments().len() > 1;
            has_end.then(|| Note::RangeEnd {
                key: escape(&request.key),
                end: escape(&request.range_end),
            })
        }
        // etcdctl ignores only arguments after the key and the value, so most lines need no second parse.
        Verb::Put(_) if args.len() > 3 => {
            let arguments = arguments();
            let ignored = arguments.get(2..).filter(|ignored| !ignored.is_empty())?;
            Some(Note::IgnoredArguments(escape(&ignored.join(&b' '))))
        }
        _ => None,
    }
}

/// Returns the text of a command. Only words that need quotes are quoted.
fn text_of(args: &[Arg]) -> String {
    let text = text_with(args, false);
    // A first word such as `foo%` would look like a prompt.
    match prompt::blanked(text.as_bytes(), is_command) {
        Cow::Borrowed(_) => text,
        Cow::Owned(_) => text_with(args, true),
    }
}

fn text_with(args: &[Arg], quotes_marks: bool) -> String {
    let (rest, named) = after_etcdctl(args);
    let mut text = String::new();
    // Without `etcdctl` in front, these words would be read as commands of the simulator: `help`, for example.
    let ambiguous = rest.first().is_none_or(|first| {
        simulator::verb(&first.bytes).is_some()
            || !etcdctl::is_in_all(&first.bytes) && simulator::near_verb(&first.bytes).is_some()
            || !etcdctl::is_known(&first.bytes) && first.bytes.first() != Some(&b'-')
            || first.bytes.first() == Some(&b'-') && rest.iter().any(|arg| arg.bytes == b"snapshot")
            || matches!(
                first.bytes.as_slice(),
                b"for" | b"do" | b"done" | b"etcdctl" | b"e" | b"etcdutl"
            )
    });
    if named && ambiguous || rest.is_empty() {
        text.push_str("etcdctl");
    }
    for arg in rest {
        // Without quotes, these words would name a watch, start a loop or set a variable.
        let means_more_when_bare = match arg.bytes.as_slice() {
            b"as" | b"on" => arg.quoted,
            [.., b'$' | b'#' | b'%' | b'>'] if quotes_marks => true,
            word if text.is_empty() => {
                matches!(word, b"for" | b"do" | b"done") || is_assignment(word)
            }
            _ => false,
        };
        if means_more_when_bare {
            push_quoted(&mut text, &arg.bytes);
        } else {
            push_word(&mut text, &arg.bytes);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Request, RequestOp};
    use crate::shell::Output;

    fn reader() -> LineReader {
        LineReader::new(Profile::V3_4)
    }

    fn one(line: &str) -> Command {
        match reader().line(line) {
            Ok(Read::Commands(mut commands)) if commands.len() == 1 => commands.remove(0),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn refused(line: &str) -> Output {
        match one(line).kind {
            CommandKind::Refused(output) => output,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn error(line: &str) -> String {
        let mut reader = reader();
        let read = match reader.line(line) {
            Ok(Read::More { .. }) => reader.finish(),
            read => read,
        };
        read.unwrap_err().to_string()
    }

    fn texts(text: &str) -> Vec<String> {
        let commands = reader().text(text).unwrap();
        commands.into_iter().map(|command| command.text).collect()
    }

    #[test]
    fn what_surrounds_a_command_in_a_transcript_is_taken_for_granted() {
        for line in [
            "put /a b",
            "$ put /a b",
            "etcdctl put /a b",
            "  $ ETCDCTL_API=3 etcdctl put '/a' \"b\"  # a comment",
            "e put /a b",
            "$\tetcdctl put /a b\r",
        ] {
            let command = one(line);
            assert_eq!(command.text, "put /a b", "{line}");
            assert!(command.is_write());
        }
        for line in ["", "   ", "# put a b", "$ ", "$"] {
            assert_eq!(reader().line(line), Ok(Read::Blank), "{line}");
        }
    }

    #[test]
    fn the_way_to_a_member_is_taken_for_granted() {
        for line in [
            "root@etcd-0:/# etcdctl put /a b",
            "sudo -u etcd /usr/local/bin/etcdctl put /a b",
            "ETCDCTL_API=3 ETCDCTL_CACERT=/a etcdctl put /a b",
            "kubectl -n kube-system exec -it etcd-0 -c etcd -- etcdctl put /a b",
            "kubectl exec etcd-0 -n kube-system -- sh -c 'ETCDCTL_API=3 etcdctl put /a b'",
            "kubectl exec etcd-0 etcdctl put /a b",
            "docker exec -it -e ETCDCTL_API=3 etcd /usr/bin/etcdctl put /a b",
            "docker compose exec -T etcd bash -lc \"etcdctl put /a b\"",
            "ssh -i key core@node sudo etcdctl put /a b",
        ] {
            assert_eq!(one(line).text, "put /a b", "{line}");
            assert_eq!(one(line).note, None, "{line}");
        }
        let command = one("etcdctl --endpoints=$ENDPOINTS --cacert $CA get /a");
        let note = Note::Connection(vec!["endpoints".into(), "cacert".into()]);
        assert_eq!(command.note, Some(note));
        assert!(command.request().is_some());
        assert_eq!(one("get /a --consistency=s").note, Some(Note::Serializable));
        assert_eq!(one("get /a --consistency=l").note, None);
        let CommandKind::Answered(page) = one("etcdctl --hex snapshot save --help").kind else {
            panic!("a page");
        };
        assert!(
            page.stdout
                .starts_with(b"NAME:\n\tsnapshot save - Stores an etcd node")
        );
        // The environment variables that have an effect become flags.
        let line = "ETCDCTL_ENDPOINTS=etcd-2:2379 ETCDCTL_USER=eve ETCDCTL_COMMAND_TIMEOUT=1s \
                    etcdctl --cacert=/a put /a b";
        let command = one(line);
        assert_eq!(
            command.text,
            "--cacert=/a put --endpoints=etcd-2:2379 --user=eve --command-timeout=1s /a b"
        );
        assert_eq!(command.note, Some(Note::Connection(vec!["cacert".into()])));
        // Saved texts contain these flags beside the variables, and the variable of a command that etcdctl refuses.
        let mut reader = reader();
        let typed = reader.text("export ETCDCTL_ENDPOINTS='etcd 2'\nget a\nget --endpoints=b a");
        let typed = typed.unwrap();
        let saved = typed.iter().map(|command| command.text.clone());
        reader.reads_saved(true);
        let again = reader.text(&saved.collect::<Vec<_>>().join("\n")).unwrap();
        // The notes differ: in the saved text, the flag was typed.
        let kinds = |commands: &[Command]| commands.iter().map(|one| one.kind.clone()).collect();
        let [again, kept]: [Vec<_>; 2] = [kinds(&again), kinds(&typed)];
        assert_eq!(again, kept);
        assert!(typed[1].request().is_some() && typed[2].request().is_none());
        assert_eq!(
            typed[2].text,
            "ETCDCTL_ENDPOINTS='etcd 2' get --endpoints=b a"
        );
        let line = "ETCDCTL_ENDPOINTS=etcd-2:2379 etcdctl put /a b --endpoints=etcd-3:2379";
        let saved = "ETCDCTL_ENDPOINTS=etcd-2:2379 put /a b --endpoints=etcd-3:2379";
        assert_eq!(one(line).text, saved);
        let note = one("export ETCDCTL_ENDPOINTS=a ETCDCTL_CACERT=b").note;
        assert_eq!(
            note.and_then(|note| note.sentence()).as_deref(),
            Some("Later commands use ETCDCTL_ENDPOINTS. Watchglass ignores ETCDCTL_CACERT.")
        );
    }

    #[test]
    fn variables_stay_and_change_what_etcdctl_prints() {
        let mut reader = reader();
        let mut text = |line: &str| match reader.line(line) {
            Ok(Read::Commands(commands)) => commands[0].text.clone(),
            other => panic!("{line}: {other:?}"),
        };
        text("export KEY='a b' ETCDCTL_WRITE_OUT=json");
        assert_eq!(text("get $KEY"), "get --write-out=json 'a b'");
        assert_eq!(
            text("get $KEY -w fields"),
            "ETCDCTL_WRITE_OUT=json get 'a b' -w fields"
        );
        assert_eq!(
            text("ETCDCTL_WRITE_OUT=table get a"),
            "get --write-out=table a"
        );
        text("unset ETCDCTL_WRITE_OUT");
        assert_eq!(text("get a"), "get a");
        text("ETCDCTL_API=2");
        let error = reader.line("get a").unwrap_err().to_string();
        assert!(error.contains("only version 3"), "{error}");
        for i in 0..100 {
            let read = reader.line(&format!("V{i}=1"));
            assert_eq!(read.is_ok(), i < 63 - 1, "{i}");
        }
    }

    #[test]
    fn an_alias_replaces_the_first_word_of_later_commands() {
        let mut reader = reader();
        let mut texts = |line: &str| match reader.line(line) {
            Ok(Read::Commands(commands)) => {
                let texts = commands.into_iter().map(|command| command.text);
                texts.collect::<Vec<_>>().join("; ")
            }
            other => panic!("{line}: {other:?}"),
        };
        texts("alias ec='etcdctl -w table' k=kubectl kg='k get'");
        texts("alias in='docker exec etcd-0 etcdctl --endpoints=$E' etcdctl='etcdctl --hex'");
        for (line, text) in [
            ("ec get a", "--hex -w table get a"),
            ("get ec", "get ec"),
            ("kg pods", "kubectl get pods"),
            ("ETCDCTL_API=3 in get a", "'--endpoints=$E' get a"),
            (
                "for i in {1..2}; do ec get $i; done",
                "--hex -w table get 1; --hex -w table get 2",
            ),
            ("get a && kg pods", "get a; kubectl get pods"),
            ("etcdctl get a", "--hex get a"),
            ("'etcdctl' get a", "get a"),
        ] {
            assert_eq!(texts(line), text, "{line}");
        }
        texts("unalias ec etcdctl");
        assert_eq!(texts("etcdctl get a"), "get a");
        let unknown = reader.line("ec get a").map(|read| match read {
            Read::Commands(commands) => commands[0].note.clone(),
            _ => None,
        });
        assert_eq!(unknown, Ok(Some(Note::Unknown("ec".into()))));
        let mut note = |line: &str| match reader.line(line) {
            Ok(Read::Commands(commands)) => commands[0].note.as_ref().and_then(Note::sentence),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(
            note("unalias -a").as_deref(),
            Some("Later commands do not use k, kg and in.")
        );
        note("X=1");
        assert_eq!(
            note("unset X").as_deref(),
            Some("Later commands do not use X.")
        );
        assert_eq!(
            note("unset X").as_deref(),
            Some("No earlier line has set this name.")
        );
        assert!(error("alias ec").contains("NAME=VALUE"));
        assert!(error("put d < value.json").contains("type the value in the command"));
    }

    #[test]
    fn a_variable_with_a_skipped_command_substitution_is_explained() {
        let mut reader = reader();
        let mut error = |line: &str| reader.line(line).unwrap_err().to_string();
        // The sentence starts with a capital letter, and the name of the variable stays as typed.
        assert!(error("rev=$(x)").starts_with("Watchglass does not run `$(x)`; write the result"));
        let explained = "The variable `rev` is not set because Watchglass skipped its command substitution; set the \
                         variable with `rev=VALUE`.";
        assert!(error("put a b --rev=$rev").starts_with(explained));
        assert!(
            error("put a $OTHER")
                .starts_with("The variable `OTHER` is not set; for the character $")
        );
        for line in [
            "A=1 LATER=$(x)",
            "put a 1; export LATER=\"$(x)\"",
            "LATER=n-`x`",
        ] {
            let mut reader = self::reader();
            let mut error = |line: &str| reader.line(line).unwrap_err().to_string();
            error(line);
            let explained =
                "The variable `LATER` is not set because Watchglass skipped its command";
            assert!(error("put a $LATER").starts_with(explained), "{line}");
        }
        // An argument sets no variable.
        error("put KEY=$(x) 1");
        assert!(
            error("put a $KEY").starts_with("The variable `KEY` is not set; for the character $")
        );
    }

    #[test]
    fn the_aliases_of_a_line_have_a_limit() {
        let mut reader = reader();
        assert!(
            reader
                .line(&format!("alias a='{}'", "b ".repeat(250)))
                .is_ok()
        );
        assert!(reader.line(&"a;".repeat(1_000)).is_err());
        assert!(
            reader
                .line(&format!("alias c='{}'", "b".repeat(600)))
                .is_err()
        );
        for i in 0..40 {
            assert_eq!(reader.line(&format!("alias a{i}=b")).is_ok(), i < 31, "{i}");
        }
    }

    #[test]
    fn an_argument_with_an_unexpected_meaning_gets_a_note() {
        let note = |line: &str| one(line).note.and_then(|note| note.sentence());
        for line in [
            "get user:*",
            "etcdctl get --prefix 'user:*'",
            "del 'user:*'",
        ] {
            assert_eq!(
                note(line).as_deref(),
                Some("`*` is an ordinary character in etcd; use --prefix."),
                "{line}"
            );
        }
        for line in ["get a b", "etcdctl get --keys-only a b"] {
            assert_eq!(
                note(line).as_deref(),
                Some(
                    "The second argument is the end of a range: the command reads the keys from a up to, but not \
                     including, b."
                ),
                "{line}"
            );
        }
        for (line, ignored) in [
            ("put k hello world", "world"),
            ("etcdctl put k hello --prev-kv big world", "big world"),
        ] {
            let expected = format!("etcdctl ignores `{ignored}`; quote a value with spaces.");
            assert_eq!(note(line), Some(expected), "{line}");
        }
        for line in [
            "put k 'hello world'",
            "put 'k*' v --prev-kv",
            "get a --prefix",
            "get a --from-key",
            "del a b",
        ] {
            assert_eq!(note(line), None, "{line}");
        }
    }

    #[test]
    fn words_of_other_systems_get_one_line_of_help() {
        for (line, help) in [
            ("SET foo bar", "In etcd: put foo bar"),
            (
                "set foo 'b r'",
                "In etcd: put foo 'b r'; here: `set NAME VALUE` changes a setting from `show settings`",
            ),
            (
                "set /servers/group-1x 1",
                "In etcd: put /servers/group-1x 1; here: `set NAME VALUE` changes a setting from `show settings`",
            ),
            (
                "set /page-cache",
                "In etcd: put /page-cache VALUE; here: `set NAME VALUE` changes a setting from `show settings`",
            ),
            (
                "SET k v EX 30",
                "In etcd: lease grant 30, then put k v --lease=ID; ID is the number that `lease grant` prints",
            ),
            (
                "set k v px 1500",
                "In etcd: lease grant 2, then put k v --lease=ID; ID is the number that `lease grant` prints",
            ),
            (
                "SET a 1 NX",
                "In etcd: a txn that compares create(\"a\") = \"0\" and then runs put a 1",
            ),
            (
                "SET a 1 XX EX 5",
                "In etcd: lease grant 5, then a txn that compares create(\"a\") > \"0\" and then runs \
                 put a 1 --lease=ID; ID is the number that `lease grant` prints",
            ),
            (
                "WATCH k",
                "In etcd: a txn that compares mod(\"k\") with the ModRevision from `get -w fields`; etcd's `watch` is \
                 different: it sends notifications",
            ),
            (
                "WATCH /k --prefix",
                "etcdctl's commands are in lower case: watch /k --prefix",
            ),
            (
                "delete from t where k = 'a'",
                "In etcd: del KEY; there are no tables",
            ),
            (
                "APPEND k v",
                "In etcd: get k, then put k with the whole new value",
            ),
            (
                "MULTI",
                "In etcd: txn, which receives all requests of a transaction at once; `help txn` has an example",
            ),
            (
                "XADD s * a 1",
                "In etcd: put s VALUE; etcd keeps each revision of the key until a compaction",
            ),
            (
                "XREAD COUNT 2 STREAMS s 0",
                "In etcd: watch s --rev=N sends all changes from revision N on; here, recv NAME prints the events",
            ),
            ("GET foo", "etcdctl's commands are in lower case: get foo"),
            ("keys *", "In etcd: get '' --prefix --keys-only"),
            (
                "EXPIRE foo 60",
                "In etcd: lease grant 60, then put foo VALUE --lease=ID; ID is the number that `lease grant` prints",
            ),
            (
                "subscribe news",
                "In etcd: watch news; here, recv NAME prints the events",
            ),
            (
                "hset user name ann",
                "In etcd: put user/name VALUE; each field is a separate key",
            ),
            ("ls /", "In etcd: get / --prefix --keys-only"),
            ("ls", "In etcd: get '' --prefix --keys-only"),
            ("create /a b", "In etcd: put /a b"),
            (
                "SELECT name FROM users",
                "In etcd: get KEY, or get PREFIX --prefix; there are no tables",
            ),
            (
                "insert into users values 1",
                "In etcd: put KEY VALUE; there are no tables",
            ),
            (
                "show tables",
                "In etcd: get '' --prefix --keys-only; there are no tables",
            ),
            ("clear", "Ctrl+L clears the terminal."),
        ] {
            assert_eq!(error(line), help, "{line}");
        }
        // Commands of Watchglass and etcdctl keep their meaning.
        assert_eq!(
            error("set watch-chanel 4"),
            "Write `set NAME VALUE|default`, for example `set watch-channel 4`. Column 5: expected the name of a \
             setting, perhaps watch-channel."
        );
        assert!(error("set watch-chanel 5").contains("perhaps watch-channel"));
        assert!(reader().line("set watch-channel 5").is_ok());
        assert!(reader().line("show store").is_ok());
        assert_eq!(refused("etcdctl SET foo bar").exit, 1);
    }

    #[test]
    fn a_pipe_runs_or_is_ignored_with_a_note() {
        let note = |line: &str| one(line).note;
        let target = "| grep 'x; y' | head -3";
        let runs = Some(Note::Pipe(target.into()));
        assert_eq!(note(&format!("etcdctl get a --prefix {target}")), runs);
        // A watch prints its events later.
        let ignored = Some(Note::OutputTarget(target.into()));
        assert_eq!(note(&format!("watch a {target}")), ignored);
        let ignored = Some(Note::OutputTarget("| xargs etcdctl del".into()));
        assert_eq!(note("get a | xargs etcdctl del"), ignored);
        let Ok(Read::Commands(commands)) =
            reader().line("for i in 1 2; do get $i | cat; done; get 3 2>/dev/null")
        else {
            panic!("three commands");
        };
        let texts: Vec<_> = commands.iter().map(|c| c.text.as_str()).collect();
        assert_eq!(texts, ["get 1 | cat", "get 2 | cat", "get 3 2>/dev/null"]);
    }

    #[test]
    fn a_command_reads_back_from_its_text() {
        for line in [
            "put 'a b' $'\\xff\\n' --lease=0",
            "etcdctl -w json get '' --prefix",
            "etcdctl help get",
            "etcdctl",
            "etcdctl show",
            "etcdctl etcdutl snapshot status a.db",
            "show bucket key --limit=3 --decode",
            "show key-index -- --json",
            "world profile=3.4 seed=7",
            "run 1m30s",
            "etcdctl bogus 'x y'",
            "etcdctl ls /tmp",
            "get a --prefix | jq '.kvs[0]; x' | head -3",
            "export ETCDCTL_API=3 A='x y'",
            "etcdctl sudo x",
            "etcdctl /bin/etcdctl get",
            "docker exec -it etcd sh",
        ] {
            let command = one(line);
            assert_eq!(one(&command.text), command, "{line}");
        }
    }

    #[test]
    fn a_backslash_joins_lines() {
        let mut reader = reader();
        assert_eq!(reader.line("put \\"), Ok(Read::More { prompt: ">" }));
        assert_eq!(reader.pending(), Some(">"));
        let read = reader.line("  k 'v'").unwrap();
        assert!(
            matches!(&read, Read::Commands(c) if c[0].text == "put k v"),
            "{read:?}"
        );
        assert_eq!(
            reader.line("put k v\\\\").unwrap(),
            Read::Commands(vec![one("put k 'v\\'")])
        );
    }

    #[test]
    fn a_quoted_text_over_several_lines_is_one_word() {
        assert_eq!(
            texts("put k 'a\ndel \"\" --prefix\nb' --prev-kv\nget k"),
            ["put k $'a\\ndel \"\" --prefix\\nb' --prev-kv", "get k"]
        );
        assert_eq!(
            texts("put k \"a\n'b\" 'c\n'\nget k"),
            ["put k $'a\\n\\'b' $'c\\n'", "get k"]
        );
        // An apostrophe in a sentence opens no quote.
        let mut reader = reader();
        assert!(reader.line("Here's a line").is_err());
        assert_eq!(reader.pending(), None);
        // At the end of the input, the open quote is an error.
        assert_eq!(reader.line("put k 'a"), Ok(Read::More { prompt: ">" }));
        let Some(Err(error)) = reader.end_refused() else {
            panic!("the quote is open");
        };
        assert!(error.to_string().starts_with("Add ' at the end"), "{error}");
        assert_eq!(reader.pending(), None);
    }

    #[test]
    fn the_lines_of_a_here_document_are_no_commands() {
        for head in [
            "cat > clean.sh <<'EOS'",
            "cat <<EOS > clean.sh",
            "sudo tee /etc/x <<-EOS",
            "$ cat >x <<\\EOS",
            "kubectl apply -f web.yaml <<EOS",
            "kubectl apply <<EOS",
            "kubectl get pods <<EOS",
        ] {
            let mut reader = reader();
            for line in [head, "etcdctl del '' --prefix", "it's"] {
                assert_eq!(
                    reader.line(line),
                    Ok(Read::More { prompt: ">" }),
                    "{head}: {line}"
                );
            }
            assert!(reader.line("EOS").is_err(), "{head}");
            assert!(
                matches!(reader.line("put a b"), Ok(Read::Commands(_))),
                "{head}"
            );
        }
        assert_eq!(
            texts("etcdctl put k <<EOF\nv1\nv2\nEOF\nget k"),
            ["put k $'v1\\nv2\\n'", "get k"]
        );
        assert_eq!(
            texts("cat <<EOF | etcdctl put k\nv\nEOF"),
            ["put k $'v\\n'"]
        );
        assert_eq!(texts("put k 'a << b'"), ["put k 'a << b'"]);
    }

    #[test]
    fn a_variable_of_a_line_is_set_for_the_commands_after_it() {
        for (line, commands) in [
            ("A=1; put k $A", &["A=1", "put k 1"][..]),
            (
                "export A='x y'; put k \"$A\"",
                &["export 'A=x y'", "put k 'x y'"],
            ),
            (
                "for i in 1 2; do B=x$i; put k$i $B; done",
                &["B=x1", "put k1 x1", "B=x2", "put k2 x2"],
            ),
        ] {
            assert_eq!(texts(line), commands, "{line}");
        }
        assert!(error("put k A=1; put k $A").contains("not set"));
    }

    #[test]
    fn commands_that_only_print_are_substituted() {
        for (line, commands) in [
            (
                "for i in $(seq 1 2); do put k$i v; done",
                &["put k1 v", "put k2 v"][..],
            ),
            ("for i in `seq 2`; do get $i; done", &["get 1", "get 2"]),
            ("put $(echo k v)", &["put k v"]),
            ("put k \"$(printf 'a  b\\n')\"", &["put k 'a  b'"]),
            (
                "N=2; for i in $(seq $N); do get $i; done",
                &["N=2", "get 1", "get 2"],
            ),
        ] {
            assert_eq!(texts(line), commands, "{line}");
        }
        assert!(error("put k $(uptime)").contains("does not run `$(uptime)`"));
        assert!(error("put k $(echo $(echo a))").contains("one command in $( )"));
        assert!(error("put k $(seq a)").contains("whole numbers after seq"));
    }

    #[test]
    fn printf_and_echo_pass_their_output_to_put_and_txn() {
        for (line, text) in [
            ("printf 'a b' | etcdctl put k", "put k 'a b'"),
            (
                "printf '%s\\n' x | ETCDCTL_API=3 etcdctl put k --prev-kv",
                "put k --prev-kv $'x\\n'",
            ),
            ("echo -n v | etcdctl pu k", "pu k v"),
            ("echo -e 'a\\tb' | etcdctl put k", "put k $'a\\tb\\n'"),
        ] {
            assert_eq!(one(line).text, text, "{line}");
        }
        let txn = one("printf 'mod(\"a\") = \"0\"\\n\\nput a 1\\n\\n\\n' | etcdctl txn");
        assert!(matches!(txn.request(), Some(Request::Txn(_))), "{txn:?}");
        // The error of etcdctl, and not of Watchglass.
        assert_eq!(refused("echo v | etcdctl put k --lease=x").exit, 128);
        assert!(error("echo v | grep v").contains("only to an etcdctl or kubectl command"));
    }

    #[test]
    fn shells_of_windows_are_understood() {
        for line in [
            r"PS C:\> .\etcdctl.exe put a b",
            r"PS C:\Program Files\etcd> etcdctl put a b",
            r"C:\etcd>etcdctl.exe put a b",
            r"C:\etcd\etcdctl.exe put a b",
        ] {
            assert_eq!(one(line).text, "put a b", "{line}");
        }
        for line in [
            "set ETCDCTL_API=3",
            "$env:ETCDCTL_API = \"3\"",
            "$Env:ETCDCTL_API=3",
        ] {
            assert_eq!(one(line).text, "export ETCDCTL_API=3", "{line}");
        }
    }

    #[test]
    fn comments_of_go_are_comments() {
        assert_eq!(reader().line("// create a queue class"), Ok(Read::Blank));
    }

    #[test]
    fn only_the_backslashes_of_the_last_line_say_whether_it_goes_on() {
        let mut reader = reader();
        for line in ["\\", "  \\", "put a\\\\\\", "\\", "\\"] {
            assert_eq!(reader.line(line), Ok(Read::More { prompt: ">" }), "{line}");
        }
        assert_eq!(
            reader.line("b \\\\"),
            Ok(Read::Commands(vec![one(r"put 'a\b' '\'")]))
        );
        // A comment does not continue, even after joined white space.
        assert_eq!(reader.line("# put a \\"), Ok(Read::Blank));
        reader.line(" \\").unwrap();
        assert_eq!(reader.line(" # put a \\"), Ok(Read::Blank));
        reader.line("put \\").unwrap();
        reader.line("\\").unwrap();
        assert_eq!(reader.line("#a \\"), Ok(Read::More { prompt: ">" }));
        reader.abandon();
        reader.line("put a b\\").unwrap();
        assert_eq!(reader.finish(), Ok(Read::Commands(vec![one("put a b")])));
    }

    #[test]
    fn many_joined_lines_take_one_pass() {
        let mut reader = reader();
        reader.line("put k \\").unwrap();
        // A quadratic algorithm would copy a terabyte here.
        for _ in 0..1_000_000 {
            reader.line("v\\").unwrap();
        }
        let Ok(Read::Commands(commands)) = reader.line("") else {
            panic!("it ends");
        };
        assert_eq!(commands[0].text.len(), "put k ".len() + 1_000_000);
    }

    #[test]
    fn joined_lines_have_a_limit() {
        let mut reader = reader();
        let line = format!("{}\\", "v".repeat(1 << 20));
        for _ in 0..7 {
            reader.line(&line).unwrap();
        }
        let error = reader.line(&line).unwrap_err().to_string();
        assert_eq!(
            error,
            "Split the input into several commands; Watchglass has discarded the earlier lines of this command. \
             Column 1: expected at most 8 MiB in a line continued with backslashes."
        );
        assert_eq!(reader.pending(), None);
        assert!(reader.line("put a b").is_ok());
    }

    #[test]
    fn the_beginning_of_a_line_tells_whether_it_goes_on() {
        let mut reader = reader();
        let mut more = |line: &str| {
            reader.abandon();
            matches!(reader.beginning(line), Ok(Read::More { .. }))
        };
        for line in [
            "txn",
            "etcdctl -w json txn",
            "for i in a; do txn; done",
            "put \\",
        ] {
            assert!(more(line), "{line}");
        }
        for line in [
            "put a b; txn",
            "txn; put a b",
            "put a b; get a; txn",
            "txn --help",
            "it's",
        ] {
            assert!(!more(line), "{line}");
        }
        // Without the limit, each of these lines would take a second.
        for _ in 0..1_000 {
            assert!(!more(
                "for i in {1..100000}; do for j in {1..9}; do get $i$j; done; done"
            ));
        }
    }

    #[test]
    fn a_transaction_takes_three_blocks() {
        let mut reader = reader();
        let prompts: Vec<_> = [
            "etcdctl txn -w json",
            " mod(\"a\") > \"1\" ",
            "",
            "put a 1",
            "",
            "get a",
        ]
        .map(|line| match reader.line(line) {
            Ok(Read::More { prompt }) => prompt,
            other => panic!("{line}: {other:?}"),
        })
        .into();
        assert_eq!(
            prompts,
            [
                "compares:",
                "compares:",
                "success requests (get, put, del):",
                "success requests (get, put, del):",
                "failure requests (get, put, del):",
                "failure requests (get, put, del):",
            ]
        );
        let Ok(Read::Commands(commands)) = reader.line("") else {
            panic!("the third empty line ends it");
        };
        let Some(Request::Txn(txn)) = commands[0].request() else {
            panic!("it is sent");
        };
        assert!(matches!(txn.success[..], [RequestOp::Put(_)]));
        assert!(matches!(txn.failure[..], [RequestOp::Range(_)]));
        assert_eq!(
            commands[0].text,
            "txn -w json\nmod(\"a\") > \"1\"\n\nput a 1\n\nget a\n\n"
        );
        assert_eq!(reader.text(&commands[0].text), Ok(commands));
        assert_eq!(reader.pending(), None);
    }

    #[test]
    fn a_refused_transaction_still_takes_its_blocks() {
        let commands = reader()
            .text("txn -i\ngarbage\n\nput a\n\n\nput a b")
            .unwrap();
        let CommandKind::Refused(output) = &commands[0].kind else {
            panic!("{commands:?}");
        };
        assert_eq!(output.stdout, b"compares:\n");
        assert_eq!(output.stderr, b"Error: malformed comparison: garbage\n");
        assert_eq!(output.exit, 3);
        assert_eq!(commands[1].text, "put a b");
    }

    #[test]
    fn a_typed_transaction_ends_at_the_line_that_is_refused() {
        let mut reader = reader();
        reader.line("txn").unwrap();
        assert_eq!(reader.end_refused(), None);
        reader.line("mod(stock) = 5").unwrap();
        let Some(Ok(Read::Commands(commands))) = reader.end_refused() else {
            panic!("the transaction ends");
        };
        assert_eq!(reader.pending(), None);
        let CommandKind::Refused(output) = &commands[0].kind else {
            panic!("{commands:?}");
        };
        // Recorded from etcdctl 3.4.23.
        assert_eq!(
            output.stderr,
            b"Error: malformed comparison: mod(stock) = 5; got mod(\"\")  \"\"\n"
        );
        let note = commands[0].note.as_ref().and_then(Note::sentence);
        assert_eq!(
            note.as_deref(),
            Some("The key and the value need double quotes: `mod(\"stock\") = \"5\"`.")
        );
        assert_eq!(reader.text(&commands[0].text), Ok(commands.clone()));
        // The text contains three blocks, so it does not continue in the next line of a log.
        let both = reader.text(&format!("{}\nput a b", commands[0].text));
        assert_eq!(both.map(|both| both.len()), Ok(2));
    }

    #[test]
    fn a_transaction_can_be_cut_short_or_abandoned() {
        let mut reader = reader();
        reader.line("txn").unwrap();
        let Ok(Read::Commands(commands)) = reader.finish() else {
            panic!("it ends");
        };
        assert_eq!(
            commands[0].kind,
            CommandKind::Refused(Output::error("EOF", 3))
        );
        reader.line("txn").unwrap();
        reader.abandon();
        assert_eq!(reader.pending(), None);
        assert_eq!(reader.finish(), Ok(Read::Blank));
        assert!(error("put a b; txn").contains("expected txn alone on its line"));
        reader.line("txn").unwrap();
        reader.line("").unwrap();
        assert!(reader.line("get -h x").is_ok());
        reader.line("").unwrap();
        assert!(
            reader
                .line("")
                .unwrap_err()
                .to_string()
                .contains("wait forever")
        );
    }

    #[test]
    fn etcdctl_refuses_in_its_own_words() {
        assert_eq!(refused("put a").exit, 128);
        assert_eq!(
            refused("put a --lease=zz b").stderr,
            b"Error: bad lease ID (strconv.ParseInt: parsing \"zz\": invalid syntax), expecting ID \
              in Hex\n"
        );
        assert_eq!(
            refused("get a -w bogus"),
            Output::error("unsupported output format", 4)
        );
        assert_eq!(
            refused("txn a -w bogus"),
            Output::error("txn command does not accept argument", 128)
        );
        let output = refused("get --bogus a");
        assert!(
            output
                .stdout
                .starts_with(b"NAME:\n\tget - Gets the key or a range of keys\n\n")
        );
        assert_eq!(
            output.stderr,
            b"Error: unknown flag: --bogus\n\nError: unknown flag: --bogus\n"
        );
        let large = format!("put k {}", "v".repeat(2_097_146));
        assert_eq!(
            refused(&large).stderr,
            b"Error: rpc error: code = ResourceExhausted desc = trying to send message larger than \
              max (2097153 vs. 2097152)\n"
        );
    }

    #[test]
    fn what_is_not_in_the_language_is_placed_and_explained() {
        assert_eq!(
            error("put 'a"),
            "Add ' at the end of the text. Column 5: expected a closing ' for the quote opened here."
        );
        assert_eq!(
            error("  shw store"),
            "Did you mean `show`? Type `help` for a list of commands. Column 3: expected a command."
        );
        assert_eq!(
            error("migrate"),
            "`migrate` is not simulated yet. Type `help` for a list of commands."
        );
        assert!(error("show nothing").contains("expected key-index, bucket, store"));
        assert!(error("show bucket").contains("expected a name after this word"));
        assert!(error("run 5").contains("a duration such as 5s"));
        assert!(error("step -1").contains("a number of steps"));
        assert!(error("world seed=x").contains("a whole number after seed="));
        assert!(error("help putt").contains("perhaps put"));
        // An abbreviated etcdctl command does not become a simulator command.
        assert_eq!(one("ver").kind, one("version").kind);
        assert!(matches!(
            one("etcdctl gett a").kind,
            CommandKind::Refused(_)
        ));
    }

    #[test]
    fn commands_of_redis_name_the_etcd_command_with_the_same_effect() {
        for (line, help) in [
            (
                "GET user:1",
                "etcdctl's commands are in lower case: get user:1",
            ),
            (
                "DEL user:1",
                "etcdctl's commands are in lower case: del user:1",
            ),
            ("DEL user:1 user:2", "In etcd: del user:1, then del user:2"),
            (
                "DEL user: --prefix",
                "etcdctl's commands are in lower case: del user: --prefix",
            ),
            ("UNLINK a b", "In etcd: del a, then del b"),
            ("rm -f a", "In etcd: del a"),
            ("kill %1", "In etcd: Ctrl+C ends a watch; here: unwatch w1"),
            (
                "kill -9 %2",
                "In etcd: Ctrl+C ends a watch; here: unwatch w2",
            ),
            (
                "kill 4711",
                "In etcd: Ctrl+C ends a watch; here: unwatch w1",
            ),
            (
                "ls -l /var/lib",
                "In etcd: get /var/lib --prefix --keys-only",
            ),
            ("ls -l", "In etcd: get '' --prefix --keys-only"),
            ("KEYS *", "In etcd: get '' --prefix --keys-only"),
            ("KEYS user:*", "In etcd: get user: --prefix --keys-only"),
            ("KEYS user:1", "In etcd: get user:1 --keys-only"),
            (
                "KEYS u?er:*",
                "In etcd: get u --prefix --keys-only; etcd finds keys by prefix only, not by pattern",
            ),
            ("SCAN 0", "In etcd: get '' --prefix --keys-only --limit=10"),
            (
                "SCAN 0 MATCH user:* COUNT 100",
                "In etcd: get user: --prefix --keys-only --limit=100",
            ),
            (
                "SELECT 1",
                "etcd has one key space, without numbered databases: begin the keys with a prefix, such as db1/.",
            ),
            (
                "PEXPIRE foo 1500",
                "In etcd: lease grant 2, then put foo VALUE --lease=ID; ID is the number that `lease grant` prints",
            ),
            (
                "EXPIRE user:1",
                "In etcd: lease grant SECONDS, then put user:1 VALUE --lease=ID; ID is the number that `lease grant` \
                 prints",
            ),
            (
                "SETEX user:1 10 alice",
                "In etcd: lease grant 10, then put user:1 alice --lease=ID; ID is the number that `lease grant` prints",
            ),
            (
                "INCR counter",
                "In etcd: a txn that compares mod(\"counter\") with the ModRevision from `get -w fields` and then puts \
                 the new value",
            ),
            (
                "UNWATCH",
                "etcd has no such command: a txn contains its compares, so there is nothing to cancel. `unwatch w1` \
                 ends a watch here.",
            ),
            (
                "AUTH secret",
                "In etcd: the flag --user NAME:PASSWORD of each command; etcd needs no login until `auth enable`",
            ),
            (
                "MONITOR",
                "In etcd: watch '' --prefix sends all changes, but no reads; here, recv NAME prints the events",
            ),
            (
                "EVAL 'return 1' 0",
                "etcd has no such command: etcd runs no scripts, but a txn compares keys and then runs requests.",
            ),
            ("BGSAVE", "In etcd: snapshot save backup.db"),
            (
                "CONFIG GET maxmemory",
                "etcd has no such command: the settings of etcd are flags of the etcd process. `help set` lists the \
                 settings here.",
            ),
            (
                "CLIENT LIST",
                "etcd has no such command: etcd does not list its clients.",
            ),
            (
                "SLOWLOG GET",
                "etcd has no such command: etcd writes slow requests to its log.",
            ),
            (
                "OBJECT ENCODING k",
                "etcd has no such command: each value is a string of bytes. `get KEY -w fields` prints the revisions \
                 of a key.",
            ),
            (
                "HELP SET",
                "Type `help` for a list of commands, or `help put` for one command.",
            ),
            (
                "?",
                "Type `help` for a list of commands, or `help put` for one command.",
            ),
            (
                "TTL foo",
                "In etcd: get foo -w fields --hex prints the ID of the key's lease; then type lease timetolive ID",
            ),
            (
                "ZADD board 7 ann",
                "In etcd: put board/7/ann ''; keys are sorted by their bytes, so write all scores with the same \
                 number of digits",
            ),
            (
                "RENAME a b",
                "In etcd: a txn that puts b with the value of a and deletes a",
            ),
        ] {
            let error = LineReader::new(Profile::V3_6).line(line);
            assert_eq!(
                error.expect_err("a command of Redis").to_string(),
                help,
                "{line}"
            );
        }
    }
}
