//! The scenario file: commands, their outputs, and comments.
//!
//! ```text
//! #! title: a delete is a write too
//!
//! # A comment in front of a command begins a beat.
//! put a one
//! ----
//! OK
//!
//! get b
//! ----
//! ok
//! ```
//!
//! The output `ok` means that the command prints nothing. An output that contains an empty line is written between two
//! doubled separators (two lines `----` before the output and two after it). The syntax is from Go's `datadriven`
//! files, which etcd's raft tests use. There is one addition: an output that contains a line of dashes is written
//! between two longer lines of dashes.

use std::fmt;
use std::sync::Arc;

use super::beat::{self, Beat};
use super::guess::Guess;
use super::picture::Picture;
use super::skipped::SkippedLines;
use crate::words::scenario as words;

/// The line between a command and its expected output.
pub const SEPARATOR: &str = "----";

/// The expected output of a command that prints nothing.
pub const NOTHING: &str = "ok";

/// The maximum size of a scenario file in bytes: far above any real session, and small enough for a browser page.
pub const TEXT_BYTES_MAX: usize = 16 << 20;

/// The maximum number of characters that an error message quotes from a line.
const QUOTED_CHARS_MAX: usize = 80;

/// A parsed scenario file: its header and its commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// The header lines `#! key: value`, in the order of the file.
    pub header: Vec<(String, String)>,
    pub blocks: Vec<Block>,
    /// Comments and all other lines that are neither commands nor outputs.
    pub skipped: SkippedLines,
    /// Notes for the reader about parts of the text that the simulator runs differently from a real cluster. The page
    /// shows these notes in a notice.
    pub notes: Vec<String>,
}

/// A command with its expected output and its beat (the section of the narration to which the command belongs).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The line number in the text, from 1.
    pub line: u32,
    /// The beat that the last comment above the command starts; `None` if there is no such comment.
    pub beat: Option<Arc<Beat>>,
    /// The command as typed. For a transaction, further lines contain the compares and the requests.
    pub input: String,
    pub expected: Expected,
    /// The lease IDs that the expected output states. The run grants its leases with these IDs, so that later commands
    /// of the transcript can use these IDs.
    pub lease_ids: Vec<i64>,
    /// Whether `^C` follows the output of the command. `^C` ends the watch that the command runs in the foreground.
    /// Also true if the output says that the server has ended the watch.
    pub is_interrupted: bool,
    /// The reason why the block does not run; `None` if the block runs.
    pub skip: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// The text contains no output for the command.
    #[default]
    Unsaid,
    /// The next line of the transcript is the next prompt, so the text shows no output for the command. For `etcdctl
    /// get`, the actual output must then also be empty. For other commands, the output is not compared: these commands
    /// always print something, so the author of the text left their output out.
    Nothing,
    /// Exactly this output, without the last newline; empty if the command prints nothing.
    Output(String),
}

/// The first error in a text that is not a valid scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, from 1.
    pub line: u32,
    /// A message that names the error and the correction.
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&words::at_line(self.line, &self.message))
    }
}

impl std::error::Error for FormatError {}

impl Scenario {
    /// Returns the target and title of each line `#! next: TARGET TITLE`. The page offers these targets at the end of
    /// the run.
    pub fn ways(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.header.iter().filter(|(key, _)| key == "next");
        lines.filter_map(|(_, value)| value.split_once(' '))
    }

    /// Returns the sections of documents that the run shows: the value of each line `#! source:`.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        let lines = self.header.iter().filter(|(key, _)| key == "source");
        lines.map(|(_, value)| value.as_str())
    }

    /// Returns the number of the beat that the line `#! cover: beat:4` names. The card of the run shows this beat.
    /// Beats are counted from 1.
    pub fn cover(&self) -> Option<u64> {
        cover_number(self.header("cover")?)
    }

    pub fn header(&self, key: &str) -> Option<&str> {
        self.header
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
    }
}

/// Parses a scenario file.
///
/// ```
/// use watchglass_engine::scenario::{Expected, format};
/// let s = format::parse("#! title: t\n\n# why\nput a 1\n----\nOK\n").unwrap();
/// assert_eq!(s.header("title"), Some("t"));
/// assert_eq!(s.blocks[0].beat.as_ref().unwrap().text, "why");
/// assert_eq!(s.blocks[0].expected, Expected::Output("OK".into()));
/// ```
pub fn parse(text: &str) -> Result<Scenario, FormatError> {
    let mut scenario = Scenario::default();
    let mut comment: Vec<&str> = Vec::new();
    let (mut picture, mut guess) = (None, None);
    for piece in pieces(text)? {
        match piece {
            FilePiece::Header { line, key, value } => {
                if key == "picture" {
                    let read = Picture::parse(value);
                    picture = Some(read.map_err(|message| FormatError { line, message })?);
                }
                if key == "cover" && cover_number(value).is_none() {
                    let message = words::COVER_SYNTAX.into();
                    return Err(FormatError { line, message });
                }
                Guess::read(&mut guess, key, value);
                scenario.header.push((key.into(), value.into()));
            }
            FilePiece::Comment { text, .. } => comment.push(text),
            // A comment that is not directly above a command belongs to no command.
            FilePiece::Blank | FilePiece::Directive { .. } | FilePiece::Attempt { .. } => {
                comment.clear();
            }
            FilePiece::Block(block) => {
                let (picture, guess) = (picture.take(), guess.take());
                let begins = !comment.is_empty() || picture.is_some();
                let text = comment.join(" ").trim().to_owned();
                scenario.blocks.push(Block {
                    beat: begins.then(|| {
                        let beat = Beat {
                            text,
                            picture,
                            guess,
                        };
                        beat.into()
                    }),
                    ..block
                });
                comment.clear();
            }
        }
    }
    beat::fill(&mut scenario.blocks);
    Ok(scenario)
}

/// Returns the number in the value of a line `#! cover: beat:4`.
fn cover_number(value: &str) -> Option<u64> {
    let number = value.strip_prefix("beat:")?.parse().ok()?;
    (number > 0).then_some(number)
}

/// The kinds of lines in a scenario file, in file order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilePiece<'a> {
    /// `#! key: value`
    Header {
        line: u32,
        key: &'a str,
        value: &'a str,
    },
    /// `#: word …`: a directive of a lesson; a run of the file as a scenario ignores this line.
    Directive {
        line: u32,
        text: &'a str,
    },
    /// `#> command`: a command of a way or a wrong turn of a lesson; a run of the file as a scenario ignores this line.
    Attempt {
        line: u32,
        text: &'a str,
    },
    /// A comment: any other line that starts with `#`.
    Comment {
        line: u32,
        text: &'a str,
    },
    Blank,
    /// A command with its output. The field `beat` is not set yet.
    Block(Block),
}

pub(super) fn pieces(text: &str) -> Result<Vec<FilePiece<'_>>, FormatError> {
    check_text(text)?;
    let mut pieces = Vec::new();
    let mut lines = text.lines().zip(1u32..).peekable();
    while let Some((line, number)) = lines.next() {
        pieces.push(if let Some(header) = line.strip_prefix("#!") {
            let (key, value) = header.split_once(':').ok_or_else(|| FormatError {
                line: number,
                message: words::HEADER_SYNTAX.into(),
            })?;
            FilePiece::Header {
                line: number,
                key: key.trim(),
                value: value.trim(),
            }
        } else if let Some(directive) = line.strip_prefix("#:") {
            FilePiece::Directive {
                line: number,
                text: directive.trim(),
            }
        } else if let Some(text) = line.strip_prefix("#>") {
            FilePiece::Attempt { line: number, text }
        } else if let Some(comment) = line.strip_prefix('#') {
            FilePiece::Comment {
                line: number,
                text: comment.strip_prefix(' ').unwrap_or(comment),
            }
        } else if line.trim().is_empty() {
            FilePiece::Blank
        } else {
            let mut input = vec![line];
            loop {
                match lines.next() {
                    Some((line, _)) if line.trim_end() == SEPARATOR => break,
                    Some((line, _)) => input.push(line),
                    None => {
                        let message = words::command_without_output(&cut(line), SEPARATOR);
                        return Err(FormatError {
                            line: number,
                            message,
                        });
                    }
                }
            }
            let expected = parse_expected(&mut lines, number)?;
            FilePiece::Block(Block {
                line: number,
                beat: None,
                input: input.join("\n"),
                expected: Expected::Output(expected),
                ..Block::default()
            })
        });
    }
    Ok(pieces)
}

/// Refuses a text that is too long or that contains a NUL character.
pub(super) fn check_text(text: &str) -> Result<(), FormatError> {
    if text.len() > TEXT_BYTES_MAX {
        let message = words::text_too_long(TEXT_BYTES_MAX >> 20);
        return Err(FormatError { line: 1, message });
    }
    if let Some((before, _)) = text.split_once('\0') {
        let line = 1 + before.bytes().filter(|b| *b == b'\n').count() as u32;
        let message = words::NOT_A_TEXT.into();
        return Err(FormatError { line, message });
    }
    Ok(())
}

/// Returns the start of a line, to quote it in an error message.
fn cut(line: &str) -> std::borrow::Cow<'_, str> {
    match line.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]).into(),
        None => line.into(),
    }
}

fn parse_expected<'a>(
    lines: &mut std::iter::Peekable<impl Iterator<Item = (&'a str, u32)>>,
    block_line: u32,
) -> Result<String, FormatError> {
    let mut out = Vec::new();
    if let Some((fence, _)) = lines.next_if(|(line, _)| is_fence(line)) {
        for (line, _) in lines.by_ref() {
            if line == fence {
                return Ok(out.join("\n"));
            }
            out.push(line);
        }
        let message = words::unclosed_output(&cut(fence));
        return Err(FormatError {
            line: block_line,
            message,
        });
    }
    let doubled = lines
        .next_if(|(line, _)| line.trim_end() == SEPARATOR)
        .is_some();
    loop {
        match lines.next() {
            Some((SEPARATOR, _)) if doubled => {
                if lines.next_if(|(line, _)| *line == SEPARATOR).is_some() {
                    break;
                }
                out.push(SEPARATOR);
            }
            Some((line, _)) if doubled => out.push(line),
            Some((line, _)) if !line.is_empty() => out.push(line),
            None if doubled => {
                let message = words::unclosed_doubled_output(SEPARATOR);
                return Err(FormatError {
                    line: block_line,
                    message,
                });
            }
            _ => break,
        }
    }
    let joined = out.join("\n");
    Ok(if joined == NOTHING && !doubled {
        String::new()
    } else {
        joined
    })
}

/// Returns true if a line consists of more dashes than the separator, and therefore marks the start or the end of an
/// output.
fn is_fence(line: &str) -> bool {
    line.len() > SEPARATOR.len() && line.bytes().all(|b| b == b'-')
}

/// Writes an output in the form that [`parse`] reads. `output` has no final newline.
pub fn render_expected(output: &str) -> String {
    let dashes = output.lines().map(str::trim_end);
    let dashes = dashes.filter(|l| l.len() >= SEPARATOR.len() && l.bytes().all(|b| b == b'-'));
    let needs_double =
        output.lines().any(str::is_empty) || output.ends_with('\n') || output == NOTHING;
    if let Some(longest) = dashes.map(str::len).max() {
        let fence = "-".repeat(longest + 1);
        format!("{fence}\n{output}\n{fence}\n")
    } else if output.is_empty() {
        format!("{NOTHING}\n")
    } else if needs_double {
        format!("{SEPARATOR}\n{output}\n{SEPARATOR}\n{SEPARATOR}\n")
    } else {
        format!("{output}\n")
    }
}

/// Returns the text of a scenario file with its expected outputs replaced: `outputs[i]` replaces the output of block
/// `i`.
pub fn rewrite(text: &str, outputs: &[String]) -> Result<String, FormatError> {
    let scenario = parse(text)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    let mut at = 0;
    for (block, output) in scenario.blocks.iter().zip(outputs) {
        let start = block.line as usize - 1;
        let separator = start + block.input.split('\n').count();
        for line in &lines[at..=separator] {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str(&render_expected(output));
        at = skip_expected(&lines, separator + 1);
        // An output that is not enclosed in separators ends at an empty line.
        if lines.get(at).is_some_and(|next| !next.is_empty()) {
            out.push('\n');
        }
    }
    for line in &lines[at..] {
        out.push_str(line);
        out.push('\n');
    }
    Ok(out)
}

/// Returns the index of the first line after the expected output. The output starts at line `at`.
fn skip_expected(lines: &[&str], mut at: usize) -> usize {
    if let Some(fence) = lines.get(at).filter(|line| is_fence(line)) {
        let length = lines[at + 1..].iter().position(|line| line == fence);
        return length.map_or(lines.len(), |length| at + length + 2);
    }
    if lines.get(at).is_some_and(|l| l.trim_end() == SEPARATOR) {
        at += 1;
        while at + 1 < lines.len() && !(lines[at] == SEPARATOR && lines[at + 1] == SEPARATOR) {
            at += 1;
        }
        return (at + 2).min(lines.len());
    }
    while at < lines.len() && !lines[at].is_empty() {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::read;

    #[test]
    fn a_text_of_either_kind_has_a_size_and_is_text() {
        for text in ["put a 1\n----\nOK\n\n", "$ put a 1\nOK\n", "put a 1\n"] {
            let fits = [text, &"#".repeat(TEXT_BYTES_MAX - text.len())].concat();
            assert_eq!(read(&fits).unwrap().blocks.len(), 1, "{text}");
            let error = read(&format!("{fits}#")).unwrap_err();
            assert_eq!(
                error.to_string(),
                "line 1: the text is larger than the limit of 16 MiB; divide it into smaller texts"
            );
            let error = read(&format!("{text}\0")).unwrap_err();
            let lines = text.lines().count() as u32;
            assert_eq!(error.line, lines + 1, "{text}");
            assert!(error.message.starts_with("this is not text"), "{error}");
            assert_eq!(read(&format!("\0{text}")).unwrap_err().line, 1);
        }
    }

    #[test]
    fn any_output_is_read_back() {
        let lines = [
            "OK", "", "ok", "----", "-----", "---- ", "--", "# no", "$ x", " ",
        ];
        let mut outputs: Vec<String> = vec![String::new()];
        for a in lines {
            outputs.push(a.into());
            for b in lines {
                outputs.push(format!("{a}\n{b}"));
                outputs.extend(lines.map(|c| format!("{a}\n{b}\n{c}")));
            }
        }
        for old in ["OK", "a\n\nb", "----", "-----"] {
            let block = |command: &str| format!("{command}\n----\n{}", render_expected(old));
            // An output that is enclosed in separators needs no empty line at its end.
            let gap = if old == "OK" { "\n" } else { "" };
            let text = format!(
                "# why\n{}{gap}{}{gap}# end\n",
                block("get a"),
                block("get b")
            );
            for output in &outputs {
                let both = [output.clone(), output.clone()];
                let rewritten = rewrite(&text, &both).unwrap();
                let read = parse(&rewritten).unwrap();
                let read: Vec<_> = read
                    .blocks
                    .iter()
                    .map(|b| (&*b.input, &b.expected))
                    .collect();
                let expected = Expected::Output(output.clone());
                let expected = [("get a", &expected), ("get b", &expected)];
                assert_eq!(read, expected, "{output:?}\n{rewritten}");
                assert!(rewritten.ends_with("# end\n"), "{rewritten}");
                assert_eq!(rewrite(&rewritten, &both).unwrap(), rewritten);
            }
        }
    }

    #[test]
    fn a_complaint_repeats_only_the_beginning_of_a_line() {
        let error = |line: &str| parse(line).unwrap_err().message;
        let long = "é".repeat(100_000);
        assert_eq!(
            error(&long),
            format!(
                "the command `{}…` must be followed by a `----` line and then by its output",
                "é".repeat(80)
            )
        );
        let short = "x".repeat(80);
        assert!(error(&short).starts_with(&format!("the command `{short}` must")));
    }
}
