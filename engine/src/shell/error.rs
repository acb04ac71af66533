//! What the shell could not read: where, what was expected there, and how to mend it.
//!
//! Not for what etcdctl refuses; that is output, see [`super::CommandKind::Refused`].

use std::fmt;

/// A line that is not in the shell's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the line it is about, from and up to.
    pub span: (u32, u32),
    /// What was expected there, as a clause: "a closing ' for the quote opened here"; empty when the hint says it all.
    pub expected: String,
    /// How to mend it, as a sentence.
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

    /// Help in place of a complaint.
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
        write!(
            f,
            "column {}: expected {}; {}",
            self.column(),
            self.expected,
            self.hint
        )
    }
}

impl std::error::Error for ParseError {}
