//! Templates of JSONPath, as in `-o jsonpath='{.items[*].metadata.name}'`.
//!
//! Mirrors `k8s.io/client-go/util/jsonpath/parser.go`. `-o custom-columns` and `--sort-by` use single paths of the same
//! language. Left out: functions, and filters with nested filters.

/// A template: texts, and paths that select values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonPath {
    pub text: String,
    pub parts: Vec<PathPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// A text that is printed as it is.
    Text(String),
    /// The values that a path selects.
    Values(Vec<PathStep>),
    /// `{range PATH}…{end}`: the parts for each value that a path selects.
    Range(Vec<PathStep>, Vec<PathPart>),
}

/// A step of a path, which leads from values to other values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// `.name`: the value with this name.
    Field(String),
    /// `.*` and `[*]`: all inner values.
    All,
    /// `..`: the value and all values inside that contain values.
    Recursive,
    /// `[start:end:step]`: elements of a list.
    Slice(Option<i64>, Option<i64>, i64),
    /// `[n]`: one element of a list.
    Index(i64),
    /// `[a,b]`: the values of several paths.
    Union(Vec<Vec<PathStep>>),
    /// `[?(…)]`: the elements of a list that fulfill a condition.
    Filter(PathOperand, Option<(PathCompare, PathOperand)>),
}

/// A side of a comparison in a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathOperand {
    Path(Vec<PathStep>),
    Literal(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathCompare {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `>`
    Greater,
}

const COMPARES: [(&str, PathCompare); 6] = [
    ("==", PathCompare::Equal),
    ("!=", PathCompare::NotEqual),
    ("<=", PathCompare::AtMost),
    (">=", PathCompare::AtLeast),
    ("<", PathCompare::Less),
    (">", PathCompare::Greater),
];

impl JsonPath {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns upstream's message for a template that is not complete.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut open: Vec<(Vec<PathStep>, Vec<PathPart>)> = Vec::new();
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let Some((before, after)) = rest.split_once('{') else {
                parts.push(PathPart::Text(rest.to_owned()));
                break;
            };
            if !before.is_empty() {
                parts.push(PathPart::Text(before.to_owned()));
            }
            let end = end_of_action(after).ok_or("unclosed action")?;
            let action = after[..end].trim();
            rest = &after[end + 1..];
            if action == "end" {
                let (path, outer) = open.pop().ok_or("not in range, nothing to end")?;
                let inner = std::mem::replace(&mut parts, outer);
                parts.push(PathPart::Range(path, inner));
            } else if let Some(path) = action.strip_prefix("range").filter(|p| starts_path(p)) {
                let outer = std::mem::take(&mut parts);
                open.push((steps(path.trim())?, outer));
            } else {
                push_action(&mut parts, action)?;
            }
        }
        if !open.is_empty() {
            return Err("unterminated range, missing end".to_owned());
        }
        let text = text.to_owned();
        Ok(Self { text, parts })
    }

    /// Parses a path without braces, such as `.metadata.name` (`RelaxedJSONPathExpression`).
    ///
    /// # Errors
    /// Returns kubectl's message for a text that is not a path.
    pub fn parse_relaxed(text: &str) -> Result<Self, String> {
        let inner = text
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let inner = inner.unwrap_or(text);
        let path = inner.strip_prefix('.').unwrap_or(inner);
        if path.is_empty() || path.contains(['{', '}']) {
            return Err(
                "unexpected path string, expected a 'name1.name2' or '.name1.name2' or \
                 '{name1.name2}' or '{.name1.name2}'"
                    .to_owned(),
            );
        }
        Self::parse(&format!("{{.{path}}}"))
    }
}

fn starts_path(text: &str) -> bool {
    text.starts_with([' ', '\t'])
}

/// Returns the position of the brace that ends an action. Braces in quotes belong to texts.
fn end_of_action(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (_, '\\') => is_escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '}') => return Some(at),
            (None, _) => {}
        }
    }
    None
}

/// Appends the parts of an action: texts in quotes and paths, separated by spaces.
fn push_action(parts: &mut Vec<PathPart>, action: &str) -> Result<(), String> {
    let mut rest = action.trim_start();
    while !rest.is_empty() {
        if rest.starts_with(['"', '\'']) {
            let (text, after) = quoted(rest)?;
            parts.push(PathPart::Text(text));
            rest = after.trim_start();
            continue;
        }
        let end = end_of_path(rest);
        parts.push(PathPart::Values(steps(&rest[..end])?));
        rest = rest[end..].trim_start();
    }
    Ok(())
}

/// Returns the position after a path. Spaces inside of brackets belong to the path.
fn end_of_path(text: &str) -> usize {
    let mut depth = 0;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if depth > 0 => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth -= 1,
            (None, c) if depth <= 0 && c.is_whitespace() => return at,
            (None, _) => {}
        }
    }
    text.len()
}

/// Reads a text in quotes, and returns the rest after the text.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let mut chars = text.char_indices();
    let (_, quote) = chars.next().ok_or("unterminated quoted string")?;
    let mut out = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Ok((out, &text[at + c.len_utf8()..])),
            '\\' => match chars.next() {
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                Some((_, 'r')) => out.push('\r'),
                Some((_, other)) => out.push(other),
                None => break,
            },
            c => out.push(c),
        }
    }
    Err("unterminated quoted string".to_owned())
}

fn steps(path: &str) -> Result<Vec<PathStep>, String> {
    let mut steps = Vec::new();
    let mut rest = path;
    if let Some(inner) = rest.strip_prefix(['$', '@']) {
        rest = inner;
    } else if !rest.starts_with(['.', '[']) && !rest.is_empty() {
        let first = rest.chars().next().unwrap_or_default();
        return Err(match first.is_alphanumeric() {
            true => format!("unrecognized identifier {rest}"),
            false => format!(
                "unrecognized character in action: U+{:04X} '{first}'",
                u32::from(first)
            ),
        });
    }
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("..") {
            steps.push(PathStep::Recursive);
            rest = match after.starts_with('[') {
                true => after,
                false => push_field(&mut steps, after),
            };
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = match after.starts_with('[') {
                true => after,
                false => push_field(&mut steps, after),
            };
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = end_of_brackets(after).ok_or("unterminated array")?;
            steps.push(brackets(after[..end].trim())?);
            rest = &after[end + 1..];
        } else {
            let first = rest.chars().next().unwrap_or_default();
            return Err(format!(
                "unrecognized character in action: U+{:04X} '{first}'",
                u32::from(first)
            ));
        }
    }
    Ok(steps)
}

/// Appends the name at the start of a text, and returns the rest. A backslash makes the next character a part of the
/// name.
fn push_field<'a>(steps: &mut Vec<PathStep>, text: &'a str) -> &'a str {
    let mut name = String::new();
    let mut chars = text.char_indices();
    let mut end = text.len();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, next)| next)),
            '.' | '[' | ']' | ' ' | '(' | ')' | '=' | '!' | '<' | '>' | ',' => {
                end = at;
                break;
            }
            c => name.push(c),
        }
    }
    match name.as_str() {
        "" => {}
        "*" => steps.push(PathStep::All),
        _ => steps.push(PathStep::Field(name)),
    }
    &text[end..]
}

fn end_of_brackets(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(at),
            (None, ']') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

fn brackets(text: &str) -> Result<PathStep, String> {
    if let Some(filter) = text.strip_prefix("?(") {
        let filter = filter.strip_suffix(')').ok_or("unterminated filter")?;
        return read_filter(filter.trim());
    }
    let choices = split_commas(text);
    if choices.len() > 1 {
        let paths = choices.iter().map(|one| Ok(vec![brackets(one.trim())?]));
        return Ok(PathStep::Union(paths.collect::<Result<_, String>>()?));
    }
    if text.starts_with(['"', '\'']) {
        return Ok(PathStep::Field(quoted(text)?.0));
    }
    if text == "*" {
        return Ok(PathStep::All);
    }
    let number = |text: &str| match text.trim() {
        "" => Ok(None),
        text => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("invalid array index {text}")),
        },
    };
    let parts: Vec<&str> = text.split(':').collect();
    Ok(match parts.as_slice() {
        [one] => PathStep::Index(number(one)?.ok_or("invalid array index ")?),
        [start, end] => PathStep::Slice(number(start)?, number(end)?, 1),
        [start, end, step] => {
            PathStep::Slice(number(start)?, number(end)?, number(step)?.unwrap_or(1))
        }
        _ => return Err(format!("invalid array index {text}")),
    })
}

fn split_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, ',') => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn read_filter(text: &str) -> Result<PathStep, String> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, _) => {
                let mut compares = COMPARES.into_iter();
                let found = compares.find(|(symbol, _)| text[at..].starts_with(symbol));
                let Some((symbol, compare)) = found else {
                    continue;
                };
                let right = operand(text[at + symbol.len()..].trim())?;
                return Ok(PathStep::Filter(
                    operand(text[..at].trim())?,
                    Some((compare, right)),
                ));
            }
        }
    }
    Ok(PathStep::Filter(operand(text)?, None))
}

fn operand(text: &str) -> Result<PathOperand, String> {
    Ok(match text.chars().next() {
        Some('"' | '\'') => PathOperand::Literal(quoted(text)?.0),
        Some('@' | '.' | '$' | '[') => PathOperand::Path(steps(text)?),
        _ => PathOperand::Literal(text.to_owned()),
    })
}
