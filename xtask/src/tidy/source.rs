//! Distinguishes code, comments and strings in Rust sources. Only this part of Rust's grammar is implemented.

use std::ops::Range;

/// A source text in which spaces replace comments or the contents of strings. Line breaks are kept, so that line
/// numbers do not change.
pub(crate) struct Masked {
    /// The text without comments and without the contents of strings.
    pub(crate) code: String,
    /// The text without comments.
    pub(crate) code_and_strings: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

pub(crate) fn mask(text: &str) -> Masked {
    let mut code = String::with_capacity(text.len());
    let mut code_and_strings = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_word = false;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = next_token(rest, first, after_word);
        let token = &rest[..length];
        let blank = || token.chars().map(|c| if c == '\n' { c } else { ' ' });
        match kind {
            Kind::Code => {
                code.push_str(token);
                code_and_strings.push_str(token);
            }
            Kind::Comment => {
                code.extend(blank());
                code_and_strings.extend(blank());
            }
            Kind::Literal => {
                code.extend(blank());
                code_and_strings.push_str(token);
            }
        }
        after_word = kind == Kind::Code && is_word(first);
        rest = &rest[length..];
    }
    Masked {
        code,
        code_and_strings,
    }
}

/// Returns the byte ranges of all string literals, with their quotes. Literals of bytes and of characters are left out.
pub(crate) fn string_literals(text: &str) -> Vec<Range<usize>> {
    let mut literals = Vec::new();
    let (mut at, mut after_word) = (0, false);
    while let Some(first) = text[at..].chars().next() {
        let (kind, length) = next_token(&text[at..], first, after_word);
        if kind == Kind::Literal && matches!(first, '"' | 'r') {
            literals.push(at..at + length);
        }
        after_word = kind == Kind::Code && is_word(first);
        at += length;
    }
    literals
}

/// Returns true if a character can be part of an identifier.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the kind of the token at the start of `rest`, and the token's length in bytes. A token of code is a single
/// character.
fn next_token(rest: &str, first: char, after_word: bool) -> (Kind, usize) {
    if rest.starts_with("//") {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Kind::Comment, block_comment_length(rest));
    }
    if first == '"' {
        return (Kind::Literal, quoted_length(rest, 0, '"'));
    }
    if first == '\''
        && let Some(length) = char_literal_length(rest)
    {
        return (Kind::Literal, length);
    }
    if !after_word && let Some(length) = prefixed_string_length(rest) {
        return (Kind::Literal, length);
    }
    (Kind::Code, first.len_utf8())
}

/// Returns the length of a block comment, including the block comments nested in it.
fn block_comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0_u32, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// Returns the length of a literal in quotes, whose opening quote is at `start`. A backslash escapes the next
/// character.
fn quoted_length(rest: &str, start: usize, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip_while(|(at, _)| *at <= start) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of a character literal. Returns `None` for a lifetime, in which no closing quote follows after
/// one character or escape.
fn char_literal_length(rest: &str) -> Option<usize> {
    let inner = rest.chars().nth(1)?;
    if inner == '\\' {
        return Some(quoted_length(rest, 0, '\''));
    }
    let end = 1 + inner.len_utf8();
    rest[end..].starts_with('\'').then_some(end + 1)
}

/// Returns the length of a string literal with a prefix, including the prefix: `b"…"`, `c"…"`, `r"…"`, `br#"…"#` and
/// similar strings.
fn prefixed_string_length(rest: &str) -> Option<usize> {
    let letters = rest.find(|c| !matches!(c, 'b' | 'c' | 'r'))?;
    let prefix = &rest[..letters];
    if prefix.is_empty() || prefix.len() > 2 {
        return None;
    }
    let hashes = rest[letters..].find(|c| c != '#')?;
    let quote = letters + hashes;
    if !rest[quote..].starts_with('"') {
        return None;
    }
    if !prefix.contains('r') {
        return (hashes == 0).then(|| quoted_length(rest, quote, '"'));
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let end = rest[quote + 1..]
        .find(&close)
        .map(|at| quote + 1 + at + close.len());
    Some(end.unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_told_apart() {
        let text =
            "let a = \"x // y\"; // crate::b\nlet c = '\"'; /* /* */ d */ e::<'f>(r#\"g\"h\"#);";
        let masked = mask(text);
        assert_eq!(
            masked.code,
            "let a =         ;            \nlet c =    ;               e::<'f>(        );"
        );
        assert!(masked.code_and_strings.contains("\"x // y\""));
        assert!(!masked.code_and_strings.contains("crate::b"));
    }

    #[test]
    fn escapes_do_not_end_a_literal() {
        assert_eq!(
            mask(r#"f("\"", '\'', b"\\", x)"#).code,
            "f(    ,     ,      , x)"
        );
    }
}
