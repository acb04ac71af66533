//! A shell script of `etcdctl put` commands that writes values of a file back, byte for byte.
//!
//! `etcdctl put KEY` reads the value from its standard input. A text is written by `printf '%s'`, other bytes by
//! `base64 -d`. A shell cannot pass every key as an argument, so a key with control characters or other bytes that are
//! no text is written by `etcdctl txn`, which reads keys and values in quotes.

use std::fmt::Write;

use super::value::plain_text;
use crate::base::go::quote::quoted as go_quoted;
use crate::base::{Bytes, base64};
use crate::transcript::quote::push_single;

/// The number of characters in a line of base64.
const LINE: usize = 76;

/// A script that grows by one put at a time.
#[derive(Clone, Debug)]
pub struct PutScript {
    text: String,
    puts: u64,
}

impl PutScript {
    /// Creates a script with the comments in its head.
    pub fn new(head: &[String]) -> Self {
        let mut text = String::from("#!/bin/sh\n");
        for line in head {
            // A name with a line break must not become a command.
            let line: String = line.chars().filter(|c| !c.is_control()).collect();
            let _ = writeln!(text, "# {line}");
        }
        text.push_str("set -eu\nexport ETCDCTL_API=3\n");
        Self { text, puts: 0 }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.puts == 0
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// Appends the put of a value.
    ///
    /// ```
    /// use watchglass_engine::view::file::put_script::PutScript;
    /// let mut script = PutScript::new(&[]);
    /// script.put(b"/a", b"it's");
    /// script.put(b"/b", b"\x00\x01");
    /// script.put(b"\xff", b"x\0");
    /// let text = String::from_utf8(script.into_bytes()).unwrap();
    /// assert_eq!(text, r#"#!/bin/sh
    /// set -eu
    /// export ETCDCTL_API=3
    ///
    /// printf '%s' 'it'\''s' | etcdctl put -- '/a'
    ///
    /// base64 -d <<'END' | etcdctl put -- '/b'
    /// AAE=
    /// END
    ///
    /// etcdctl txn <<'END'
    ///
    /// put "\xff" "x\x00"
    ///
    ///
    /// END
    /// "#);
    /// ```
    pub fn put(&mut self, key: &[u8], value: &[u8]) {
        self.puts += 1;
        self.text.push('\n');
        let out = &mut self.text;
        // Writing to a string cannot fail.
        let _ = match (plain_text(key, ""), plain_text(value, "\n\t")) {
            // etcdctl refuses an empty standard input.
            (Some(key), Some("")) => writeln!(out, "etcdctl put -- {} ''", quoted(key)),
            (Some(key), Some(value)) => writeln!(
                out,
                "printf '%s' {} | etcdctl put -- {}",
                quoted(value),
                quoted(key)
            ),
            (Some(key), None) => {
                let mut lines = String::new();
                base64::push_padded(&mut lines, value);
                let _ = writeln!(out, "base64 -d <<'END' | etcdctl put -- {}", quoted(key));
                for start in (0..lines.len()).step_by(LINE) {
                    out.push_str(&lines[start..lines.len().min(start + LINE)]);
                    out.push('\n');
                }
                writeln!(out, "END")
            }
            (None, _) => writeln!(
                out,
                "etcdctl txn <<'END'\n\nput {} {}\n\n\nEND",
                go_quoted(key),
                go_quoted(value)
            ),
        };
    }
}

/// Puts a text into single quotes of a shell.
pub(super) fn quoted(text: &str) -> String {
    let mut word = String::new();
    push_single(&mut word, text);
    word
}

/// Returns a name for a file from the last part of a key.
pub fn file_name(key: &[u8]) -> String {
    let text = Bytes::from(key).to_text();
    let last = text.rsplit('/').find(|part| !part.is_empty());
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name: String = last
        .unwrap_or_default()
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .take(100)
        .collect();
    let name = name.trim_start_matches('.');
    match name {
        "" => "value".to_owned(),
        name => name.to_owned(),
    }
}
