//! What the shell could not read: how to correct it, where, and what was expected there.
//!
//! Not for what etcdctl refuses; that is output, see [`super::CommandKind::Refused`].

use std::fmt;
use std::fmt::Write;

/// A line that is not in the shell's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the line it is about, from and up to.
    pub span: (u32, u32),
    /// What was expected there, as a clause: "a closing ' for the quote opened here"; empty when the hint says it all.
    pub expected: String,
    /// How to correct the line, as a clause without a full stop.
    pub hint: String,
}

impl ParseError {
    /// An error about the bytes `start..end` of the line.
    pub fn new(
        start: usize,
        end: usize,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            span: (start as u32, end as u32),
            expected: expected.into(),
            hint: hint.into(),
        }
    }

    /// Creates a help text in place of an error.
    pub fn help(span: (usize, usize), text: impl Into<String>) -> Self {
        Self::new(span.0, span.1, "", text)
    }

    /// The column of the first byte it is about, counted from 1.
    pub fn column(&self) -> u32 {
        self.span.0 + 1
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.expected.is_empty() {
            return f.write_str(&self.hint);
        }
        let mut rest = self.hint.chars();
        // Names such as etcdctl stay as they are.
        if !self.hint.starts_with("etcd") {
            let first = rest.next().into_iter();
            first
                .flat_map(char::to_uppercase)
                .try_for_each(|c| f.write_char(c))?;
        }
        let (rest, column, expected) = (rest.as_str(), self.column(), &self.expected);
        write!(f, "{rest}. Column {column}: expected {expected}.")
    }
}

impl std::error::Error for ParseError {}
