//! A paragraph of a lesson. Code is written in backticks; checked numbers and statements are written in braces.

use std::fmt;

use crate::scenario::expr::{Expr, Facts, Value};
use crate::words::lesson as words;

/// A parsed paragraph of a lesson.
///
/// ```
/// use watchglass_engine::scenario::lesson::Text;
/// let text = Text::parse("After `put a 1` the store is at revision {2 = store.rev}.").unwrap();
/// assert_eq!(text.to_string(), "After `put a 1` the store is at revision 2.");
/// assert!(Text::parse("The store is at revision 2.").unwrap_err().contains("{2 = "));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    pub pieces: Vec<Piece>,
    /// The number of the first line in the lesson, counted from 1; 0 if the text is not part of a lesson.
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Plain(String),
    /// Code, as typed between backticks.
    Code(String),
    /// `{5 = store.rev}`: a displayed text, and the expression whose value the text must equal.
    Said {
        said: String,
        expr: Expr,
    },
    /// `{store.rev}`: an expression. The text shows its current value.
    Now(Expr),
    /// `{empty if store.keys == 0}`: a displayed text, and the condition that must hold.
    If {
        said: String,
        check: Expr,
    },
}

/// The words for the numbers from 0; the index is the number. In a paragraph, `one` is usually a pronoun, so `one`
/// counts as a number only in braces and in an answer.
const WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

impl Text {
    /// Parses a paragraph. Every number must be in braces.
    ///
    /// # Errors
    /// Returns a message that names the mistake and the correction.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_with(text, &[])
    }

    /// Parses the reason why a check fails. The numbers in `known`, which occur in the condition of the check, need no
    /// braces.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    pub fn parse_with(text: &str, known: &[i64]) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['`', '{']) {
            let (plain, special) = rest.split_at(at);
            push_plain(&mut pieces, plain, known)?;
            rest = if let Some(code) = special.strip_prefix('`') {
                let (code, after) = code.split_once('`').ok_or(words::UNCLOSED_CODE)?;
                if code.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(words::unchecked_code(code));
                }
                pieces.push(Piece::Code(code.into()));
                after
            } else {
                let (inside, after) = braces(special)?;
                pieces.push(reference(inside)?);
                after
            };
        }
        push_plain(&mut pieces, rest, known)?;
        Ok(Self { pieces, line: 0 })
    }

    /// Sets the line of the lesson at which the text starts.
    pub(super) fn at(self, line: u32) -> Self {
        Self { line, ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the text with the values that its expressions have at a step.
    pub fn filled(&self, facts: &Facts<'_>) -> String {
        let fill = |piece: &Piece| match piece {
            Piece::Now(expr) => expr.value(facts).to_string(),
            other => other.to_string(),
        };
        self.pieces.iter().map(fill).collect()
    }

    /// Describes each statement of the text that is false, with the index of its piece and the actual value.
    pub fn lies(&self, facts: &Facts<'_>) -> Vec<(usize, String)> {
        let lie = |piece: &Piece| match piece {
            Piece::Said { said, expr } => {
                let value = expr.value(facts);
                let wrong = !said_is(said, &value);
                wrong.then(|| words::wrong_value(expr, said, &value))
            }
            Piece::If { said, check } => {
                let wrong = !check.holds(facts);
                wrong.then(|| words::wrong_statement(said, check))
            }
            Piece::Plain(_) | Piece::Code(_) | Piece::Now(_) => None,
        };
        let pieces = self.pieces.iter().enumerate();
        pieces
            .filter_map(|(index, piece)| Some((index, lie(piece)?)))
            .collect()
    }

    /// Returns the first displayed expression that has no value; the text would show "nothing" for it.
    pub fn unknown(&self, facts: &Facts<'_>) -> Option<&Expr> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Now(expr) if expr.value(facts) == Value::Nothing => Some(expr),
            Piece::Plain(_)
            | Piece::Code(_)
            | Piece::Said { .. }
            | Piece::Now(_)
            | Piece::If { .. } => None,
        })
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| piece.fmt(f))
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(text) | Self::Said { said: text, .. } | Self::If { said: text, .. } => {
                f.write_str(text)
            }
            Self::Code(code) => write!(f, "`{code}`"),
            Self::Now(expr) => write!(f, "{{{expr}}}"),
        }
    }
}

/// Returns true if a displayed text equals a value: both consist of the same words, or the value is a number and the
/// text is the same number, in digits or as a word.
pub fn said_is(said: &str, value: &Value) -> bool {
    value.to_string() == said || number(said).is_some_and(|n| *value == Value::Int(n))
}

/// Reads a number in digits or as a word.
///
/// ```
/// use watchglass_engine::scenario::lesson::number;
/// assert_eq!((number("12"), number("Two"), number("-1")), (Some(12), Some(2), Some(-1)));
/// assert_eq!(number("some"), None);
/// ```
pub fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let word = WORDS
        .iter()
        .position(|word| text.eq_ignore_ascii_case(word));
    text.parse().ok().or(word.map(|n| n as i64))
}

/// Returns the number in an answer that contains exactly one number: in digits, as a word, with a unit, or with zeros
/// after the decimal point.
///
/// ```
/// use watchglass_engine::scenario::lesson::number_in;
/// for text in ["5", " five", "5.0", "revision 5.", "5 rows", "5ms"] {
///     assert_eq!(number_in(text), Some(5), "{text}");
/// }
/// for text in ["", "4 or 5", "5.5", "val-5", "v5", "base64"] {
///     assert_eq!(number_in(text), None, "{text}");
/// }
/// ```
pub fn number_in(text: &str) -> Option<i64> {
    let word = |word: &str| {
        let word = word.trim_end_matches(['.', ',', '!', '?']);
        let whole = match word.split_once('.') {
            Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
            _ => word,
        };
        let digits = whole.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        number(whole).or_else(|| number(digits).filter(|_| !digits.is_empty()))
    };
    let mut numbers = text.split_whitespace().filter_map(word);
    numbers.next().filter(|_| numbers.next().is_none())
}

fn push_plain(pieces: &mut Vec<Piece>, text: &str, known: &[i64]) -> Result<(), String> {
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        // A word that starts with a letter is a name, such as base64.
        let digits = word.starts_with(|c: char| c.is_ascii_digit());
        let counts = number(word).is_some_and(|n| n != 1) || digits;
        if counts && !number(word).is_some_and(|n| known.contains(&n)) {
            return Err(words::unchecked_number(word));
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Plain(text.into()));
    }
    Ok(())
}

/// Splits a text that starts with a part in braces into this part, without the braces, and the rest. Braces inside
/// quotation marks do not count.
fn braces(text: &str) -> Result<(&str, &str), String> {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '}' if !quoted => return Ok((&text[1..at], &text[at + 1..])),
            _ => {}
        }
    }
    Err(words::UNCLOSED_REFERENCE.into())
}

fn reference(inside: &str) -> Result<Piece, String> {
    if let Some((said, check)) = inside.split_once(" if ") {
        return Ok(Piece::If {
            said: said.trim().into(),
            check: Expr::condition(check)?,
        });
    }
    match inside.split_once(" = ") {
        Some((said, expr)) => Ok(Piece::Said {
            said: said.trim().into(),
            expr: Expr::parse(expr)?,
        }),
        None => Expr::parse(inside).map(Piece::Now),
    }
}
