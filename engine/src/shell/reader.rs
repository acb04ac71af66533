//! Lines in, commands out; remembers what is still being typed.
//!
//! A line is what one types at a prompt or pastes from a transcript: a leading `$ `, a leading
//! `etcdctl` (or `e`, which the blog uses for it) and `ETCDCTL_API=3` before that are taken for
//! granted. A backslash at the end of a line joins the next one to it.

use super::etcdctl::{Line, too_large};
use super::for_loop::{Arg, expand};
use super::quote::push_word;
use super::txn_script::TxnScript;
use super::{Command, CommandKind, ParseError, etcdctl, simulator};
use crate::api::Profile;

/// Reads lines.
///
/// ```
/// use watchglass_engine::api::Profile;
/// use watchglass_engine::shell::{Read, Reader};
/// let mut reader = Reader::new(Profile::V3_6);
/// let Ok(Read::Commands(commands)) = reader.line("for i in {1..3}; do put /k$i v; done") else {
///     panic!("a loop is a list of commands");
/// };
/// assert_eq!(commands[2].text, "put /k3 v");
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    profile: Profile,
    pending: Pending,
}

#[derive(Clone, Debug)]
enum Pending {
    Nothing,
    /// The beginning of a line that goes on, without its last backslash.
    Joined(Vec<u8>),
    Txn(Box<TxnScript>),
}

/// What a line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// Nothing: an empty line or a comment.
    Blank,
    /// It goes on with the next line.
    More {
        /// What to ask for that with.
        prompt: &'static str,
    },
    /// One command or several.
    Commands(Vec<Command>),
}

const CONTINUATION_PROMPT: &str = ">";

impl Reader {
    /// A reader of what etcdctl of this profile understands.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            pending: Pending::Nothing,
        }
    }

    /// Reads one line, without its newline.
    ///
    /// After an error nothing is pending: what was half typed is forgotten with the bad line.
    pub fn line(&mut self, line: &str) -> Result<Read, ParseError> {
        self.line_bytes(line.as_bytes())
    }

    /// Reads one line that need not be UTF-8.
    pub fn line_bytes(&mut self, line: &[u8]) -> Result<Read, ParseError> {
        let mut line = line;
        let joined;
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Txn(script) => return self.txn_line(script, line),
            Pending::Joined(mut before) => {
                before.extend_from_slice(line);
                joined = before;
                line = &joined;
            }
            Pending::Nothing => {}
        }
        if let Some(before) = goes_on(line) {
            self.pending = Pending::Joined(before.to_vec());
            return Ok(Read::More {
                prompt: CONTINUATION_PROMPT,
            });
        }
        self.whole_line(line)
    }

    /// Reads a text of several lines to its end, such as [`Command::text`].
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

    /// Forgets what is half typed.
    pub fn abandon(&mut self) {
        self.pending = Pending::Nothing;
    }

    /// The prompt for what is half typed, if anything is.
    pub fn pending(&self) -> Option<&'static str> {
        match &self.pending {
            Pending::Nothing => None,
            Pending::Joined(_) => Some(CONTINUATION_PROMPT),
            Pending::Txn(script) => Some(script.prompt()),
        }
    }

    /// The input ends: a transaction that was cut short becomes etcdctl's own complaint.
    pub fn finish(&mut self) -> Result<Read, ParseError> {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => Ok(Read::Blank),
            Pending::Joined(line) => match self.whole_line(&line)? {
                Read::More { .. } => self.finish(),
                read => Ok(read),
            },
            Pending::Txn(script) => Ok(Read::Commands(vec![script.finish()?])),
        }
    }

    fn txn_line(&mut self, mut script: Box<TxnScript>, line: &[u8]) -> Result<Read, ParseError> {
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(ParseError::new(
                0,
                line.len(),
                "UTF-8 inside a transaction",
                "write other bytes as \"\\xff\"; the transaction was dropped",
            ));
        };
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

    fn whole_line(&mut self, line: &[u8]) -> Result<Read, ParseError> {
        let statements = expand(&without_prompt(line))?;
        let alone = statements.len() == 1;
        let mut commands = Vec::with_capacity(statements.len());
        for args in &statements {
            match read_command(args, self.profile)? {
                Line::Whole(kind) => commands.push(Command {
                    text: text_of(args),
                    kind,
                }),
                Line::Txn(head) if alone => {
                    let script = TxnScript::new(head, self.profile);
                    let prompt = script.prompt();
                    self.pending = Pending::Txn(Box::new(script));
                    return Ok(Read::More { prompt });
                }
                Line::Txn(_) => {
                    let (start, end) = span_of(args);
                    return Err(ParseError::new(
                        start,
                        end,
                        "txn alone on its line",
                        "its three blocks come from the lines that follow",
                    ));
                }
            }
        }
        if commands.is_empty() {
            return Ok(Read::Blank);
        }
        Ok(Read::Commands(commands))
    }
}

/// The line without the backslash that joins the next line to it.
fn goes_on(line: &[u8]) -> Option<&[u8]> {
    let backslashes = line.iter().rev().take_while(|b| **b == b'\\').count();
    let comment = line.trim_ascii_start().starts_with(b"#");
    (backslashes % 2 == 1 && !comment).then(|| &line[..line.len() - 1])
}

/// The line with a leading `$ ` blanked out, so that places in it stay the same.
fn without_prompt(line: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let start = line.len() - line.trim_ascii_start().len();
    match &line[start..] {
        [b'$'] | [b'$', b' ' | b'\t', ..] => {
            let mut line = line.to_vec();
            line[start] = b' ';
            line.into()
        }
        _ => line.into(),
    }
}

/// The words after `ETCDCTL_API=3` and `etcdctl`, and whether the latter was there.
fn after_etcdctl(args: &[Arg]) -> Result<(&[Arg], bool), ParseError> {
    let mut rest = args;
    while let [first, tail @ ..] = rest
        && !first.quoted
        && is_assignment(&first.bytes)
    {
        if first.bytes != b"ETCDCTL_API=3" {
            return Err(ParseError::new(
                first.span.0,
                first.span.1,
                "a command",
                "variables are not part of this shell, and ETCDCTL_API is 3 anyway",
            ));
        }
        rest = tail;
    }
    match rest {
        [first, tail @ ..] if matches!(first.bytes.as_slice(), b"etcdctl" | b"e") => {
            Ok((tail, true))
        }
        _ => Ok((rest, false)),
    }
}

fn is_assignment(word: &[u8]) -> bool {
    let name = word.split(|b| *b == b'=').next().unwrap_or_default();
    name.len() < word.len()
        && name
            .first()
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

fn read_command(args: &[Arg], profile: Profile) -> Result<Line, ParseError> {
    let (rest, named) = after_etcdctl(args)?;
    if let ([first, ..], false) = (rest, named) {
        if let Some(spec) = simulator::verb(&first.bytes) {
            return simulator::read(rest, spec).map(Line::Whole);
        }
        if let Some(near) = simulator::near_verb(&first.bytes)
            && !etcdctl::knows(&first.bytes)
        {
            return Err(ParseError::new(
                first.span.0,
                first.span.1,
                ["a command, perhaps ", near].concat(),
                "type help for the list",
            ));
        }
    }
    let words: Vec<Vec<u8>> = rest.iter().map(|a| a.bytes.clone()).collect();
    etcdctl::read(&words, span_of(args), &text_of(args), profile)
}

fn span_of(args: &[Arg]) -> (usize, usize) {
    match (args.first(), args.last()) {
        (Some(first), Some(last)) => (first.span.0, last.span.1),
        _ => (0, 0),
    }
}

/// The command in the plainest words that mean the same.
fn text_of(args: &[Arg]) -> String {
    let (rest, named) = after_etcdctl(args).unwrap_or((args, false));
    let mut text = String::new();
    // Without its name in front, `etcdctl help` would be the shell's own.
    let ambiguous = rest.first().is_none_or(|first| {
        simulator::verb(&first.bytes).is_some()
            || simulator::near_verb(&first.bytes).is_some()
            || is_assignment(&first.bytes)
            || matches!(
                first.bytes.as_slice(),
                b"for" | b"do" | b"done" | b"etcdctl" | b"e"
            )
    });
    if named && ambiguous {
        text.push_str("etcdctl");
    }
    for arg in rest {
        push_word(&mut text, &arg.bytes);
    }
    text
}
