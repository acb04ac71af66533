//! Formats commands and outputs as text, as input for the native shell and for recordings.
//!
//! `engine/tests/recorded/transcript.rs` describes the format of a record.

use super::{Answer, Case};

/// Returns the lines that run the command in the native shell.
pub(super) fn input(case: &Case) -> String {
    let mut text = String::new();
    // Only `txn` reads its input from the next lines.
    let (piped, lines) = match &case.stdin[..] {
        [line] => (Some(line), &[][..]),
        lines => (None, lines),
    };
    if let Some(line) = piped {
        text.push_str("echo ");
        push_word(&mut text, line.as_bytes());
        text.push_str(" | ");
    }
    text.push_str(if case.is_etcdutl() {
        "etcdutl"
    } else {
        "etcdctl"
    });
    for word in case.words() {
        text.push(' ');
        push_word(&mut text, word);
    }
    text.push('\n');
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Adds a word to a line. The word is quoted for a shell if necessary.
fn push_word(text: &mut String, word: &[u8]) {
    match std::str::from_utf8(word) {
        Ok(word) if !word.is_empty() && word.bytes().all(is_plain) => text.push_str(word),
        Ok(word) if !word.chars().any(char::is_control) => {
            text.push('\'');
            text.push_str(&word.replace('\'', "'\\''"));
            text.push('\'');
        }
        _ => {
            text.push_str("$'");
            for byte in word {
                match byte {
                    b'\'' | b'\\' => text.extend(['\\', char::from(*byte)]),
                    b' '..=b'~' => text.push(char::from(*byte)),
                    _ => text.push_str(&format!("\\x{byte:02x}")),
                }
            }
            text.push('\'');
        }
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(&byte)
}

/// Merges the parts of an output like the native shell: standard output, standard error, and the exit code.
pub(super) fn merged(answer: &Answer) -> Vec<u8> {
    let mut out = [answer.stdout.as_slice(), answer.stderr.as_slice()].concat();
    if out.last().is_some_and(|byte| *byte != b'\n') {
        out.push(b'\n');
    }
    out.extend_from_slice(format!("# exit {}\n", answer.exit).as_bytes());
    out
}

/// Splits the output of the native shell into one part per command.
pub(super) fn split(output: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        part.extend_from_slice(line);
        if line.starts_with(b"# exit ") {
            parts.push(std::mem::take(&mut part));
        }
    }
    parts
}

pub(super) fn push_record(text: &mut String, case: &Case, answer: &Answer) {
    for (number, line) in input(case).lines().enumerate() {
        let line = match number {
            0 => format!("$ {line}"),
            _ => format!("< {}", shown(line.as_bytes())),
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    push_stream(text, '|', &answer.stdout);
    push_stream(text, '!', &answer.stderr);
    text.push_str(&format!("= {}\n", answer.exit));
}

fn push_stream(text: &mut String, mark: char, stream: &[u8]) {
    for line in stream.split_inclusive(|byte| *byte == b'\n') {
        let (line, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line, ""),
            None => (line, "~"),
        };
        text.push(mark);
        text.push_str(end);
        if !line.is_empty() {
            text.push(' ');
            text.push_str(&shown(line));
        }
        text.push('\n');
    }
}

/// Returns bytes as printable text with escapes, so that editors do not change the text.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push(c),
                c if c.is_control() => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        out.push_str(&format!("\\x{byte:02x}"));
                    }
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}
