//! Label selectors: lexing, parsing, validation and matching, with upstream's error messages.
//!
//! Mirrors `apimachinery/pkg/labels/selector.go`. Requirements keep the order of the text; upstream sorts them.

use crate::base::small_sort::SmallSort;
use std::fmt;
use std::sync::Arc;

use super::super::label_rules::{label_key_errors, label_value_errors};
use super::super::object::Object;
use super::SelectorError;

/// The condition on one label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Requirement {
    Exists,
    DoesNotExist,
    /// The label exists and its value is one of the given values.
    In(Vec<Arc<str>>),
    /// The label does not exist, or its value is none of the given values.
    NotIn(Vec<Arc<str>>),
    /// The label exists and its value is a number greater than the given number.
    GreaterThan(i64),
    /// The label exists and its value is a number less than the given number.
    LessThan(i64),
}

/// A label selector: a list of requirements, all of which must be satisfied.
///
/// ```
/// use watchglass_engine::kube::selector::LabelSelector;
/// use watchglass_engine::kube::object::Object;
/// let web = Object::new("Pod", "default", "web-1").with_label("app", "web");
/// let matches = |text: &str| LabelSelector::parse(text).unwrap().matches(&web);
/// assert!(matches("app=web,tier!=db") && matches("app in (web, api)") && matches("!tier"));
/// assert!(!matches("tier") && !matches("app notin (web)"));
/// let error = LabelSelector::parse("app in web").unwrap_err();
/// assert_eq!(error.to_string(), "unable to parse requirement: found 'web' expected: '('");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelSelector {
    requirements: Vec<(Arc<str>, Requirement)>,
}

impl LabelSelector {
    /// Parses a selector. The empty selector matches every object.
    ///
    /// # Errors
    /// Returns an error if `text` is not a valid selector.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut parser = Parser {
            tokens: tokens(text),
            at: 0,
        };
        let requirements = parser.requirements().map_err(SelectorError)?;
        Ok(Self { requirements })
    }

    /// Returns true if the selector matches every object.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub fn matches(&self, object: &Object) -> bool {
        self.requirements.iter().all(|(name, requirement)| {
            requirement.holds(object.labels.get(name).map(|value| &**value))
        })
    }

    /// Returns the value that the selector requires for a label, or `None` if the selector does not require one
    /// specific value.
    pub fn requires_exact_match(&self, label: &str) -> Option<&str> {
        self.requirements
            .iter()
            .find_map(|(name, requirement)| match requirement {
                Requirement::In(values) if &**name == label => match values.as_slice() {
                    [one] => Some(&**one),
                    _ => None,
                },
                _ => None,
            })
    }
}

impl Requirement {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|v| v.parse::<i64>().ok());
        match self {
            Self::Exists => value.is_some(),
            Self::DoesNotExist => value.is_none(),
            Self::In(values) => value.is_some_and(|v| values.iter().any(|one| &**one == v)),
            Self::NotIn(values) => value.is_none_or(|v| !values.iter().any(|one| &**one == v)),
            Self::GreaterThan(bound) => number().is_some_and(|n| n > *bound),
            Self::LessThan(bound) => number().is_some_and(|n| n < *bound),
        }
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, requirement)) in self.requirements.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match requirement {
                Requirement::Exists => write!(f, "{name}")?,
                Requirement::DoesNotExist => write!(f, "!{name}")?,
                Requirement::In(values) => match values.as_slice() {
                    [one] => write!(f, "{name}={one}")?,
                    several => write!(f, "{name} in ({})", several.join(","))?,
                },
                Requirement::NotIn(values) => match values.as_slice() {
                    [one] => write!(f, "{name}!={one}")?,
                    several => write!(f, "{name} notin ({})", several.join(","))?,
                },
                Requirement::GreaterThan(n) => write!(f, "{name}>{n}")?,
                Requirement::LessThan(n) => write!(f, "{name}<{n}")?,
            }
        }
        Ok(())
    }
}

/// The kind of a token (`labels.Token`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    End,
    Close,
    Comma,
    Not,
    DoubleEquals,
    Equals,
    Greater,
    Identifier,
    In,
    Less,
    NotEquals,
    NotIn,
    Open,
}

type Token = (TokenKind, String);

/// The operators that upstream lists in its error messages.
const BINARY_OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_special(byte: u8) -> bool {
    b"=!(),><".contains(&byte)
}

fn known(text: &str) -> Option<TokenKind> {
    Some(match text {
        ")" => TokenKind::Close,
        "," => TokenKind::Comma,
        "!" => TokenKind::Not,
        "==" => TokenKind::DoubleEquals,
        "=" => TokenKind::Equals,
        ">" => TokenKind::Greater,
        "in" => TokenKind::In,
        "<" => TokenKind::Less,
        "!=" => TokenKind::NotEquals,
        "notin" => TokenKind::NotIn,
        "(" => TokenKind::Open,
        _ => return None,
    })
}

/// Splits a text into tokens. The last token is the end of the text; like upstream, a zero byte also ends the text.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let text = text.split('\0').next().unwrap_or_default();
    let mut rest = text.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
    while let Some(first) = rest.bytes().next() {
        let length = if is_special(first) {
            // Each special character is an operator, and some pairs are.
            let is_pair = rest.get(..2).is_some_and(|pair| known(pair).is_some());
            1 + usize::from(is_pair)
        } else {
            let ends = |byte: u8| is_special(byte) || is_space(byte);
            rest.bytes().position(ends).unwrap_or(rest.len())
        };
        let word = &rest[..length];
        let kind = known(word).unwrap_or(TokenKind::Identifier);
        found.push((kind, word.to_owned()));
        rest = rest[word.len()..].trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
    }
    found.push((TokenKind::End, String::new()));
    found
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    /// Returns the next token as a value: `in` and `notin` are identifiers there.
    fn peek(&self) -> (TokenKind, &str) {
        let (kind, text) = &self.tokens[self.at.min(self.tokens.len() - 1)];
        match kind {
            TokenKind::In | TokenKind::NotIn => (TokenKind::Identifier, text),
            kind => (*kind, text),
        }
    }

    fn value(&mut self) -> Token {
        let (kind, text) = self.peek();
        let token = (kind, text.to_owned());
        self.at += 1;
        token
    }

    fn requirements(&mut self) -> Result<Vec<(Arc<str>, Requirement)>, String> {
        let mut all = Vec::new();
        loop {
            match self.peek() {
                (TokenKind::Identifier | TokenKind::Not, _) => {
                    let one = self.requirement();
                    all.push(one.map_err(|why| format!("unable to parse requirement: {why}"))?);
                }
                (TokenKind::End, _) => return Ok(all),
                (_, text) => {
                    return Err(format!(
                        "found '{text}', expected: !, identifier, or 'end of string'"
                    ));
                }
            }
            match self.value() {
                (TokenKind::End, _) => return Ok(all),
                (TokenKind::Comma, _) => {
                    let (kind, text) = self.peek();
                    if !matches!(kind, TokenKind::Identifier | TokenKind::Not) {
                        return Err(format!("found '{text}', expected: identifier after ','"));
                    }
                }
                (_, text) => {
                    return Err(format!("found '{text}', expected: ',' or 'end of string'"));
                }
            }
        }
    }

    fn requirement(&mut self) -> Result<(Arc<str>, Requirement), String> {
        let mut token = self.value();
        let is_absent = token.0 == TokenKind::Not;
        if is_absent {
            token = self.value();
        }
        let (TokenKind::Identifier, name) = token else {
            return Err(format!("found '{}', expected: identifier", token.1));
        };
        let errors = label_key_errors(&name);
        if !errors.is_empty() {
            return Err(format!(
                "<nil>: Invalid value: {name:?}: {}",
                errors.join("; ")
            ));
        }
        let ends = matches!(self.peek().0, TokenKind::End | TokenKind::Comma);
        let requirement = match (is_absent, ends) {
            (true, _) => Requirement::DoesNotExist,
            (false, true) => Requirement::Exists,
            (false, false) => self.condition(&name)?,
        };
        Ok((name.into(), requirement))
    }

    fn condition(&mut self, name: &str) -> Result<Requirement, String> {
        let (operator, text) = self.tokens[self.at].clone();
        self.at += 1;
        let mut values = match operator {
            TokenKind::In | TokenKind::NotIn => self.list()?,
            TokenKind::Equals
            | TokenKind::DoubleEquals
            | TokenKind::NotEquals
            | TokenKind::Greater
            | TokenKind::Less => vec![self.single()?],
            TokenKind::End
            | TokenKind::Close
            | TokenKind::Comma
            | TokenKind::Not
            | TokenKind::Identifier
            | TokenKind::Open => {
                return Err(format!("found '{text}', expected: {BINARY_OPERATORS}"));
            }
        };
        // Upstream keeps the values in a set.
        values.small_sort();
        values.dedup();
        let is_number = matches!(operator, TokenKind::Greater | TokenKind::Less);
        let number = values[0].parse::<i64>();
        let mut errors = Vec::new();
        if is_number && number.is_err() {
            errors.push(format!(
                "values[0]: Invalid value: {:?}: for 'Gt', 'Lt' operators, the value must be an integer",
                values[0]
            ));
        }
        for (place, value) in values.iter().enumerate() {
            let wrong = label_value_errors(value);
            if !wrong.is_empty() {
                errors.push(format!(
                    "values[{place}][{name}]: Invalid value: {value:?}: {}",
                    wrong.join("; ")
                ));
            }
        }
        match errors.as_slice() {
            [] => {}
            [one] => return Err(one.clone()),
            several => return Err(format!("[{}]", several.join(", "))),
        }
        let values = values.into_iter().map(Arc::from).collect();
        Ok(match (operator, number) {
            (TokenKind::Greater, Ok(bound)) => Requirement::GreaterThan(bound),
            (TokenKind::Less, Ok(bound)) => Requirement::LessThan(bound),
            (TokenKind::NotIn | TokenKind::NotEquals, _) => Requirement::NotIn(values),
            _ => Requirement::In(values),
        })
    }

    fn single(&mut self) -> Result<String, String> {
        if matches!(self.peek().0, TokenKind::End | TokenKind::Comma) {
            return Ok(String::new());
        }
        match self.value() {
            (TokenKind::Identifier, value) => Ok(value),
            (_, text) => Err(format!("found '{text}', expected: identifier")),
        }
    }

    /// Parses the values of `in` and `notin`, in parentheses.
    fn list(&mut self) -> Result<Vec<String>, String> {
        let (kind, text) = self.value();
        if kind != TokenKind::Open {
            return Err(format!("found '{text}' expected: '('"));
        }
        match self.peek() {
            (TokenKind::Identifier | TokenKind::Comma, _) => {}
            (TokenKind::Close, _) => {
                self.at += 1;
                return Ok(vec![String::new()]);
            }
            (_, text) => {
                return Err(format!("found '{text}', expected: ',', ')' or identifier"));
            }
        }
        let mut values: Vec<String> = Vec::new();
        loop {
            match self.value() {
                (TokenKind::Identifier, value) => {
                    values.push(value);
                    match self.peek() {
                        (TokenKind::Comma, _) => {}
                        (TokenKind::Close, _) => break,
                        (_, text) => return Err(format!("found '{text}', expected: ',' or ')'")),
                    }
                }
                (TokenKind::Comma, _) => {
                    // An empty place before, between or after commas is the empty value.
                    if values.is_empty() {
                        values.push(String::new());
                    }
                    match self.peek().0 {
                        TokenKind::Close => {
                            values.push(String::new());
                            break;
                        }
                        TokenKind::Comma => values.push(String::new()),
                        _ => {}
                    }
                }
                (_, text) => return Err(format!("found '{text}', expected: ',', or identifier")),
            }
        }
        self.at += 1;
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod() -> Object {
        Object::new("Pod", "default", "web-1")
            .with_label("app", "web")
            .with_label("weight", "7")
    }

    #[test]
    fn label_selectors() {
        for (text, expected) in [
            ("", true),
            ("app", true),
            ("!app", false),
            ("tier", false),
            ("!tier", true),
            ("app=web", true),
            ("app==web", true),
            ("app = web", true),
            ("app=db", false),
            ("app!=db", true),
            ("app!=web", false),
            ("app=", false),
            // An absent label is different from any value.
            ("tier!=db", true),
            ("tier notin (db)", true),
            ("tier in ()", false),
            ("app in (db,web)", true),
            ("app in (db)", false),
            ("app in (,web)", true),
            ("app notin (db, api)", true),
            ("in=in", false),
            ("weight>6", true),
            ("weight>7", false),
            ("weight<8", true),
            ("app<8", false),
            ("app=web,weight>6, !tier", true),
            ("app=web,weight>7", false),
            ("app=web,weight>7,", false),
        ] {
            let selector = match LabelSelector::parse(text) {
                Ok(selector) => selector,
                Err(_) if text.ends_with(',') => continue,
                Err(error) => panic!("{text}: {error}"),
            };
            assert_eq!(selector.matches(&pod()), expected, "{text}");
        }
    }

    #[test]
    fn errors_have_upstream_texts() {
        for (text, expected) in [
            (
                "a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                "a in b",
                "unable to parse requirement: found 'b' expected: '('",
            ),
            (
                "a>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' \
                 operators, the value must be an integer",
            ),
            (
                "=x",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            ("a,", "found '', expected: identifier after ','"),
            (
                "a in (x",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            (
                "-a=b",
                "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist \
                 of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used \
                 for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            ),
        ] {
            let error = LabelSelector::parse(text).unwrap_err();
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }
}
