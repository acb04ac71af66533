//! A protobuf message as text, by the numbers of its fields, for messages whose field names are unknown.
//!
//! The encoding does not tell texts from messages: printable bytes are shown as text, other bytes that are a message as
//! a message, and the rest as a number of bytes.

use std::fmt::Write;

use super::value::plain_text;
use crate::base::json::push_string;
use crate::base::proto::{self, Content};

/// The maximum nesting depth, and the maximum size of the text in bytes.
const DEPTH_MAX: usize = 24;
const TEXT_BYTES_MAX: usize = 64 << 10;

/// Returns the fields of a message, one on each line.
pub(super) fn fields_by_number(message: &[u8]) -> String {
    let mut out = String::new();
    push(&mut out, message, 0);
    out
}

fn push(out: &mut String, message: &[u8], depth: usize) {
    let indent = "  ".repeat(depth);
    proto::each_field(message, |number, content| {
        if out.len() > TEXT_BYTES_MAX {
            return;
        }
        // Writing to a string cannot fail.
        let _ = write!(out, "{indent}{number}: ");
        let _ = match content {
            Content::Int(value) => writeln!(out, "{}", value as i64),
            Content::Bytes(bytes) => match plain_text(bytes, "\n\r\t") {
                Some(text) => {
                    push_string(out, text);
                    writeln!(out)
                }
                None if depth < DEPTH_MAX && proto::each_field(bytes, |_, _| {}) => {
                    out.push_str("{\n");
                    push(out, bytes, depth + 1);
                    writeln!(out, "{indent}}}")
                }
                None => writeln!(out, "{} bytes", bytes.len()),
            },
        };
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_texts_and_numbers_are_told_apart() {
        let message = b"\x0a\x06\x0a\x02v1\x10\x05\x12\x03Pod\x1a\x02\xff\x01";
        assert_eq!(
            fields_by_number(message),
            "1: {\n  1: \"v1\"\n  2: 5\n}\n2: \"Pod\"\n3: 2 bytes\n"
        );
    }
}
