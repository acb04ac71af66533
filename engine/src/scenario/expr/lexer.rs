//! Splits an expression into tokens: words, numbers, texts and signs.

use crate::words::expr as words;

/// A token and its position, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExprToken<'a> {
    pub(super) at: usize,
    pub(super) what: ExprTokenKind<'a>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExprTokenKind<'a> {
    Word(&'a str),
    Int(i64),
    Text(&'a str),
    Sign(&'static str),
}

/// The operators and punctuation. `<=` comes before `<`, and so on, so that the longer operator matches first.
const SIGNS: [&str; 18] = [
    "==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ".", ",", ":", "+", "-", "*", "/", "=",
];

pub(super) fn tokens(text: &str) -> Result<Vec<ExprToken<'_>>, String> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (what, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c == '"' {
            let end = rest[1..].find('"');
            let end = end.ok_or_else(|| words::unclosed_text(&cut(rest)))?;
            (ExprTokenKind::Text(&rest[1..=end]), end + 2)
        } else if c.is_ascii_digit() {
            let end = end_of(rest, |c| c.is_ascii_digit());
            let number = &rest[..end];
            let read = number.parse();
            let read = read.map_err(|_| words::number_too_large(&cut(number)))?;
            (ExprTokenKind::Int(read), end)
        } else if c.is_ascii_alphabetic() || c == '_' {
            let end = end_of(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            (ExprTokenKind::Word(&rest[..end]), end)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (ExprTokenKind::Sign(sign), sign.len())
        } else {
            return Err(words::unknown_character(c));
        };
        tokens.push(ExprToken { at, what });
        at += length;
    }
    Ok(tokens)
}

fn end_of(text: &str, inside: impl Fn(char) -> bool) -> usize {
    text.find(|c| !inside(c)).unwrap_or(text.len())
}

/// Returns the start of a long text, to quote it in an error message.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(24).collect()
}
