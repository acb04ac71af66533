//! A writer of JSON, and a reader of JSON objects. The writer writes 64-bit numbers with all their digits.
//!
//! The reader does not support arrays.

use std::borrow::Cow;
use std::fmt::Write;

/// Appends `text` as a JSON string.
///
/// ```
/// let mut out = String::new();
/// watchglass_engine::base::json::push_string(&mut out, "a\"b\n");
/// assert_eq!(out, r#""a\"b\n""#);
/// ```
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A writer of an object or array. The writer writes the commas. When dropped, the writer writes the closing bracket.
#[derive(Debug)]
pub struct Json<'a> {
    out: &'a mut String,
    close: char,
    first: bool,
}

impl<'a> Json<'a> {
    pub fn object(out: &'a mut String) -> Self {
        out.push('{');
        Self {
            out,
            close: '}',
            first: true,
        }
    }

    pub fn array(out: &'a mut String) -> Self {
        out.push('[');
        Self {
            out,
            close: ']',
            first: true,
        }
    }

    fn separate(&mut self) {
        if !self.first {
            self.out.push(',');
        }
        self.first = false;
    }

    /// Writes the name of the next value in an object. Returns the output to which the caller writes the value.
    pub fn key(&mut self, name: &str) -> &mut String {
        self.separate();
        push_string(self.out, name);
        self.out.push(':');
        self.out
    }

    /// Starts the next value in an array. Returns the output to which the caller writes the value.
    pub fn item(&mut self) -> &mut String {
        self.separate();
        self.out
    }

    pub fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        let out = self.key(name);
        // Writing to a string cannot fail.
        let _ = write!(out, "{value}");
    }

    pub fn string(&mut self, name: &str, value: &str) {
        push_string(self.key(name), value);
    }
}

impl Drop for Json<'_> {
    fn drop(&mut self) {
        self.out.push(self.close);
    }
}

/// The maximum nesting depth of objects that the reader accepts.
const DEPTH_MAX: usize = 8;

/// A value inside a JSON object, other than a nested object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf<'a> {
    Text(Cow<'a, str>),
    /// A number, `true`, `false` or `null`, as written.
    Word(&'a str),
}

/// Reads an object at the start of a text. Calls `leaf(names, value)` for each value that is not an object; `names`
/// lists the names from the outermost object to the value. Returns the text after the object, or `None` if the text
/// does not start with a valid object.
///
/// ```
/// use watchglass_engine::base::json::{Leaf, read_object};
/// let mut found = Vec::new();
/// let read = read_object(r#"{"a":{"b":"c"},"d":5}"#, &mut |names, leaf| {
///     found.push((names.join("."), leaf == Leaf::Word("5")));
/// });
/// assert_eq!(found, [("a.b".to_owned(), false), ("d".to_owned(), true)]);
/// assert_eq!(read, Some(""));
/// ```
pub fn read_object<'a>(
    text: &'a str,
    leaf: &mut dyn FnMut(&[Cow<'a, str>], Leaf<'a>),
) -> Option<&'a str> {
    walk(text.trim_ascii_start(), &mut Vec::new(), leaf)
}

fn walk<'a>(
    text: &'a str,
    names: &mut Vec<Cow<'a, str>>,
    leaf: &mut dyn FnMut(&[Cow<'a, str>], Leaf<'a>),
) -> Option<&'a str> {
    if names.len() > DEPTH_MAX {
        return None;
    }
    let mut rest = text.strip_prefix('{')?.trim_ascii_start();
    while !rest.starts_with('}') {
        let (name, tail) = read_string(rest)?;
        let tail = tail
            .trim_ascii_start()
            .strip_prefix(':')?
            .trim_ascii_start();
        names.push(name);
        let tail = if tail.starts_with('{') {
            walk(tail, names, leaf)?
        } else if tail.starts_with('"') {
            let (value, tail) = read_string(tail)?;
            leaf(names, Leaf::Text(value));
            tail
        } else {
            let end = tail.find([',', '}'])?;
            leaf(names, Leaf::Word(tail[..end].trim_ascii()));
            &tail[end..]
        };
        names.pop();
        rest = tail.trim_ascii_start();
        rest = rest.strip_prefix(',').map_or(rest, str::trim_ascii_start);
    }
    Some(&rest[1..])
}

/// Reads a string at the start of a text. Returns the string's value and the text after the string.
fn read_string(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let body = text.strip_prefix('"')?;
    let end = body.bytes().position(|b| matches!(b, b'"' | b'\\'))?;
    let (plain, rest) = body.split_at(end);
    if let Some(tail) = rest.strip_prefix('"') {
        return Some((plain.into(), tail));
    }
    let mut out = plain.to_owned();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out.into(), &rest[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'u' => {
                    let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    let code = u32::from_str_radix(&digits, 16).ok()?;
                    out.push(char::from_u32(code)?);
                }
                c @ ('"' | '\\' | '/') => out.push(c),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    None
}
