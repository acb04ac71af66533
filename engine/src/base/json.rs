//! A writer of JSON, and a reader of JSON objects. The writer writes 64-bit numbers with all their digits.
//!
//! The reader does not support arrays.

use std::borrow::Cow;
use std::fmt::Write;

use super::base64;

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

/// Members that are omitted if they have the default value of their type, as in the JSON of protobuf messages.
impl Json<'_> {
    pub fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.value(name, value);
        }
    }

    pub fn bytes(&mut self, name: &str, value: &[u8]) {
        if !value.is_empty() {
            push_bytes(self.key(name), value);
        }
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
    let mut rest = after(text, b'{')?.trim_ascii_start();
    while first(rest) != Some(b'}') {
        let (name, tail) = read_string(rest)?;
        let tail = after(tail.trim_ascii_start(), b':')?.trim_ascii_start();
        names.push(name);
        let tail = match first(tail)? {
            b'{' => walk(tail, names, leaf)?,
            b'"' => {
                let (value, tail) = read_string(tail)?;
                leaf(names, Leaf::Text(value));
                tail
            }
            _ => {
                let end = tail.find([',', '}'])?;
                leaf(names, Leaf::Word(tail[..end].trim_ascii()));
                &tail[end..]
            }
        };
        names.pop();
        rest = tail.trim_ascii_start();
        rest = after(rest, b',').map_or(rest, str::trim_ascii_start);
    }
    Some(&rest[1..])
}

/// Returns the first byte of a text.
fn first(text: &str) -> Option<u8> {
    text.as_bytes().first().copied()
}

/// Returns the text after an ASCII byte at the start of the text.
fn after(text: &str, byte: u8) -> Option<&str> {
    (first(text)? == byte).then(|| &text[1..])
}

/// Reads a string at the start of a text. Returns the string's value and the text after the string.
pub fn read_string(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let body = after(text, b'"')?;
    let bytes = body.as_bytes();
    let mut end = 0;
    // An index, because a test is compiled without the optimisation that makes an iterator as fast.
    while !matches!(bytes.get(end)?, b'"' | b'\\') {
        end += 1;
    }
    let (plain, rest) = body.split_at(end);
    if let Some(tail) = after(rest, b'"') {
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

/// Appends bytes as a string in base64.
pub fn push_bytes(out: &mut String, bytes: &[u8]) {
    out.push('"');
    base64::push_padded(out, bytes);
    out.push('"');
}

/// A value in a JSON text, as written. The parts of the value are found without reading the rest; what is not JSON has
/// no parts.
///
/// ```
/// use watchglass_engine::base::json::Raw;
/// let object = Raw::new(r#"{"a": [{"b": "x"}, 2], "c": null}"#);
/// let list = object.member("a").unwrap();
/// assert_eq!(list.items().count(), 2);
/// let text = list.items().next().and_then(|item| item.member("b")?.text());
/// assert_eq!(text.as_deref(), Some("x"));
/// assert_eq!(Raw::new("[1").items().count(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    pub fn new(text: &'a str) -> Self {
        Self(text.trim_ascii())
    }

    /// Returns the value as written.
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// Returns the names and values of an object.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        let mut rest = self.0.strip_prefix('{');
        std::iter::from_fn(move || {
            let (name, tail) = read_string(rest?.trim_ascii_start())?;
            let (value, tail) = split_value(tail.trim_ascii_start().strip_prefix(':')?)?;
            rest = tail.strip_prefix(',');
            Some((name, value))
        })
    }

    /// Returns the values of an array.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let mut rest = self.0.strip_prefix('[');
        std::iter::from_fn(move || {
            let (value, tail) = split_value(rest?)?;
            rest = tail.strip_prefix(',');
            Some(value)
        })
    }

    /// Returns the value of the first member with this name.
    pub fn member(self, name: &str) -> Option<Self> {
        self.members().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// Returns the content of a string.
    pub fn text(self) -> Option<Cow<'a, str>> {
        read_string(self.0).map(|(text, _)| text)
    }
}

/// Splits a text into the JSON value at its start and the text from the next `,` or closing bracket on.
fn split_value(text: &str) -> Option<(Raw<'_>, &str)> {
    let text = text.trim_ascii_start();
    let at = end_of_value(text, |byte| matches!(byte, b',' | b'}' | b']'))?;
    let value = text[..at].trim_ascii_end();
    (!value.is_empty()).then_some((Raw(value), &text[at..]))
}

/// Returns the values of a text that has one value after the other, with white space between them.
///
/// ```
/// let values = watchglass_engine::base::json::values("{\"a\": [1, 2]}\n3 ");
/// assert_eq!(values.map(|value| value.as_str()).collect::<Vec<_>>(), ["{\"a\": [1, 2]}", "3"]);
/// ```
pub fn values(text: &str) -> impl Iterator<Item = Raw<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let end = end_of_value(rest, |byte| byte.is_ascii_whitespace());
        let (value, tail) = rest.split_at(end.unwrap_or(rest.len()));
        rest = tail;
        (!value.is_empty()).then_some(Raw(value))
    })
}

/// Returns the place of the first byte outside of texts and brackets that ends a value.
fn end_of_value(text: &str, is_end: impl Fn(u8) -> bool) -> Option<usize> {
    let (mut depth, mut is_text, mut is_escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if is_text {
            is_text = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            byte if depth == 0 && is_end(byte) => return Some(at),
            b'"' => is_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
