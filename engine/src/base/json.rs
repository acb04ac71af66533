//! Writing JSON: strings and numbers, nothing read back. 64-bit numbers keep all their digits.

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

/// An object or array being written: puts the commas and closes itself.
#[derive(Debug)]
pub struct Json<'a> {
    out: &'a mut String,
    close: char,
    first: bool,
}

impl<'a> Json<'a> {
    /// Begins an object.
    pub fn object(out: &'a mut String) -> Self {
        out.push('{');
        Self {
            out,
            close: '}',
            first: true,
        }
    }

    /// Begins an array.
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

    /// Names the next value of an object; returns where to write it.
    pub fn key(&mut self, name: &str) -> &mut String {
        self.separate();
        push_string(self.out, name);
        self.out.push(':');
        self.out
    }

    /// Where to write the next value of an array.
    pub fn item(&mut self) -> &mut String {
        self.separate();
        self.out
    }

    /// A number or a boolean under a name.
    pub fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        let out = self.key(name);
        // Writing to a string cannot fail.
        let _ = write!(out, "{value}");
    }

    /// A string under a name.
    pub fn string(&mut self, name: &str, value: &str) {
        push_string(self.key(name), value);
    }
}

impl Drop for Json<'_> {
    fn drop(&mut self) {
        self.out.push(self.close);
    }
}
