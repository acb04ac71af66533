//! The error for a line that the shell cannot read. It contains the position of the error, the expected input and a
//! correction.
//!
//! If etcdctl itself refuses a command, there is no such error: the refusal is the output of the command, see
//! [`CommandKind::Refused`](crate::shell::CommandKind::Refused).

use std::fmt;
use std::fmt::Write;

/// The error for a line that the shell cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The start and end of the wrong part of the line, as byte offsets.
    pub span: (u32, u32),
    /// The expected input at this position, as a clause such as "a closing ' for the quote opened here". Empty if the
    /// hint is sufficient.
    pub expected: String,
    /// The correction, as a clause without a full stop.
    pub hint: String,
    /// The name of the variable that the line does not set, because the variable's value is a command substitution.
    pub(crate) without_value: Option<String>,
    /// Whether a quote is open at the end of the line, so that the command can continue on the next line.
    pub(crate) is_unclosed: bool,
}

impl ParseError {
    /// Creates an error about the bytes `start..end` of the line.
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
            without_value: None,
            is_unclosed: false,
        }
    }

    /// Creates an error that has only a hint. Example: the etcd command that corresponds to a Redis command.
    pub fn help(span: (usize, usize), text: impl Into<String>) -> Self {
        Self::new(span.0, span.1, "", text)
    }

    /// Returns the column of the first wrong byte, counted from 1.
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
        // A hint that starts with a program's name, such as etcdctl, keeps its lower case.
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
