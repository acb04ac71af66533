//! Splits a line of standard input into words, as `txn` and `watch -i` do.
//!
//! Mirrors `argify` in `etcdctl/ctlv3/command/util.go`, including the bug of 3.4: it cuts a text in single quotes at an
//! offset that depends on the number of words in the line, instead of the length of the text. etcdctl panics if the
//! number of words is too large or too small. Only the first line of the panic and the exit code 2 are simulated,
//! without the stack trace.

use super::operation::EXIT_INVALID_INPUT;
use crate::api::{Difference, Profile};
use crate::base::go::quote::unescape;
use crate::shell::Output;

/// Splits a line into words. A word is `"…"` with Go's escapes, `'…'`, or text without spaces.
pub(in crate::shell) fn argify(line: &str, profile: Profile) -> Result<Vec<Vec<u8>>, Output> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = word_length(&bytes[at..]);
        if length > 0 {
            words.push(bytes[at..at + length].to_vec());
        }
        at += length.max(1);
    }
    let count = words.len();
    for word in &mut words {
        match word.first() {
            Some(b'\'') if !profile.has(Difference::QuotesArguments) => *word = cut(word, count)?,
            Some(b'\'') => *word = word[1..word.len() - 1].to_vec(),
            Some(b'"') => {
                *word = unescape(&word[1..word.len() - 1])
                    .ok_or_else(|| Output::error("invalid syntax", EXIT_INVALID_INPUT))?;
            }
            _ => {}
        }
    }
    Ok(words)
}

/// Returns the length of the word at the start of `text`, or 0 if `text` does not start with a word.
fn word_length(text: &[u8]) -> usize {
    const SPACES: &[u8] = b" \t\n\x0c\r";
    match text.first() {
        Some(b'"') => {
            let mut at = 1;
            loop {
                match text.get(at) {
                    None => return 0,
                    Some(b'"') => return at + 1,
                    Some(b'\\') => at += 2,
                    Some(_) => at += 1,
                }
            }
        }
        Some(b'\'') => match text[1..].iter().position(|b| *b == b'\'') {
            Some(length) => length + 2,
            None => 0,
        },
        Some(byte) if SPACES.contains(byte) => 0,
        _ => text
            .iter()
            .position(|b| SPACES.contains(b))
            .unwrap_or(text.len()),
    }
}

/// Removes the quotes of a word in single quotes, with upstream's bug. Returns the bytes from offset 1 up to offset
/// `count - 1`. `count` is the number of words in the line.
fn cut(word: &[u8], count: usize) -> Result<Vec<u8>, Output> {
    let end = count - 1;
    let out_of_range = |bounds: &str| {
        panicked(&format!(
            "runtime error: slice bounds out of range {bounds}"
        ))
    };
    if end > word.len() {
        let (end, length) = (end.to_string(), word.len().to_string());
        return Err(out_of_range(&format!("[:{end}] with length {length}")));
    }
    match word.get(1..end) {
        Some(part) => Ok(part.to_vec()),
        None => Err(out_of_range(&format!("[1:{end}]"))),
    }
}

pub(in crate::shell) fn panicked(text: &str) -> Output {
    const EXIT_PANIC: u8 = 2;
    Output {
        stdout: Vec::new(),
        stderr: format!("panic: {text}\n").into_bytes(),
        exit: EXIT_PANIC,
    }
}
