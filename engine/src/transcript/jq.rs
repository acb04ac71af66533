//! `jq` with paths, such as `jq -r '.[0].Status.header.revision'`.
//!
//! Supported are paths (`.a`, `."a"`, `.[0]`, `.[]`), `|` and `,` between them, `length`, `keys`, `@base64d`, and the
//! flags `-r` and `-c`. Numbers are printed as they are in the input, as jq 1.7 does. Left out: all other filters.

use std::borrow::Cow;

use super::filter::OUTPUT_BYTES_MAX;
use crate::base::base64;
use crate::base::json::{Raw, push_string, read_string, values};
use crate::base::small_sort::SmallSort;

#[derive(Clone, Debug)]
pub(crate) struct Jq {
    /// The parts between `|`. Each part lists the filters between `,`, and each filter is a path of steps.
    parts: Vec<Vec<Vec<Step>>>,
    /// Whether texts are printed without quotes.
    is_raw: bool,
    is_compact: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Member(String),
    /// An element of an array. Negative positions count from the end.
    Item(i64),
    /// All elements of an array, or all values of an object.
    Items,
    Length,
    Keys,
    Base64d,
}

impl Jq {
    /// Reads the arguments of `jq`. Returns `None` if they are not supported.
    pub(crate) fn of(words: &[Vec<u8>]) -> Option<Self> {
        let (mut is_raw, mut is_compact, mut filter) = (false, false, None);
        for word in words {
            match std::str::from_utf8(word).ok()? {
                "-r" | "--raw-output" => is_raw = true,
                "-c" | "--compact-output" => is_compact = true,
                "-rc" | "-cr" => (is_raw, is_compact) = (true, true),
                text if filter.is_none() && !text.starts_with('-') => filter = Some(text),
                _ => return None,
            }
        }
        let parts = filter.unwrap_or(".").split('|');
        let parts = parts.map(|part| part.split(',').map(|path| steps(path.trim())).collect());
        Some(Self {
            parts: parts.collect::<Option<_>>()?,
            is_raw,
            is_compact,
        })
    }

    /// Returns the output and the exit code: 2 if the input is not JSON, and 5 if a value has the wrong type.
    pub(crate) fn run(&self, input: &[u8]) -> (Vec<u8>, u8) {
        let mut out = String::new();
        let text = String::from_utf8_lossy(input);
        for value in values(&text) {
            if !is_json(value) {
                return (out.into_bytes(), 2);
            }
            let Some(results) = self.results(value.as_str()) else {
                return (out.into_bytes(), 5);
            };
            for result in results {
                self.print(Raw::new(&result), &mut out);
                out.push('\n');
            }
        }
        (out.into_bytes(), 0)
    }

    fn results<'a>(&self, value: &'a str) -> Option<Vec<Cow<'a, str>>> {
        let mut values = vec![Cow::from(value)];
        for paths in &self.parts {
            let mut next = Vec::new();
            for value in &values {
                for path in paths {
                    let mut found = vec![value.clone()];
                    for step in path {
                        let values = found.iter().map(|value| step.apply(Raw::new(value)));
                        let values = values.collect::<Option<Vec<_>>>()?;
                        found = values.into_iter().flatten().map(Cow::from).collect();
                    }
                    next.extend(found);
                }
            }
            let bytes = next
                .iter()
                .map(|value| value.len() + VALUE_BYTES)
                .sum::<usize>();
            if bytes > OUTPUT_BYTES_MAX {
                return None;
            }
            values = next;
        }
        Some(values)
    }

    fn print(&self, value: Raw<'_>, out: &mut String) {
        match value.text() {
            Some(text) if self.is_raw => out.push_str(&text),
            _ => write(value, 0, self.is_compact, out),
        }
    }
}

/// The number of bytes that a value adds to the size of a result, besides its text.
const VALUE_BYTES: usize = 32;

/// Returns true if a value begins and ends as JSON does.
fn is_json(value: Raw<'_>) -> bool {
    let text = value.as_str();
    match text.as_bytes() {
        [b'{', .., last] => *last == b'}',
        [b'[', .., last] => *last == b']',
        [b'"', .., last] => *last == b'"',
        _ => matches!(text, "null" | "true" | "false") || text.parse::<f64>().is_ok(),
    }
}

/// Reads a path such as `.a[0].b`, or a function.
fn steps(path: &str) -> Option<Vec<Step>> {
    match path {
        "." => return Some(Vec::new()),
        "length" => return Some(vec![Step::Length]),
        "keys" => return Some(vec![Step::Keys]),
        "@base64d" => return Some(vec![Step::Base64d]),
        path if !path.starts_with('.') => return None,
        _ => {}
    }
    let (mut steps, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if rest.starts_with('"') {
            let (name, tail) = read_string(rest)?;
            steps.push(Step::Member(name.into_owned()));
            rest = tail;
        } else if let Some(inside) = rest.strip_prefix('[') {
            let (inside, tail) = inside.split_once(']')?;
            steps.push(match inside.trim() {
                "" => Step::Items,
                name if name.starts_with('"') => Step::Member(read_string(name)?.0.into_owned()),
                number => Step::Item(number.parse().ok()?),
            });
            rest = tail;
        } else {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (name, tail) = rest.split_at(end);
            (!name.is_empty()).then(|| steps.push(Step::Member(name.to_owned())))?;
            rest = tail;
        }
    }
    Some(steps)
}

impl Step {
    /// Returns the values that the step makes of a value. Returns `None` if the value has the wrong type.
    fn apply(&self, value: Raw<'_>) -> Option<Vec<String>> {
        let text = value.as_str();
        let is_null = text == "null";
        let owned = |found: Option<Raw<'_>>| {
            let text = found.map_or("null", Raw::as_str);
            Some(vec![text.to_owned()])
        };
        let is_list = text.starts_with('[');
        let is_object = text.starts_with('{');
        match self {
            Self::Member(name) if is_object => owned(value.member(name)),
            Self::Item(at) if is_list => {
                let all: Vec<Raw<'_>> = value.items().collect();
                let at = match *at < 0 {
                    true => all.len() as i64 + at,
                    false => *at,
                };
                owned(usize::try_from(at).ok().and_then(|at| all.get(at).copied()))
            }
            Self::Member(_) | Self::Item(_) if is_null => owned(None),
            Self::Items if is_list => {
                Some(value.items().map(|item| item.as_str().to_owned()).collect())
            }
            Self::Items if is_object => {
                let values = value.members().map(|(_, value)| value.as_str().to_owned());
                Some(values.collect())
            }
            Self::Length => {
                let length = match text.chars().next() {
                    Some('[') => value.items().count(),
                    Some('{') => value.members().count(),
                    Some('"') => value.text()?.chars().count(),
                    _ if is_null => 0,
                    _ => return None,
                };
                Some(vec![length.to_string()])
            }
            Self::Keys if is_object => {
                let mut names: Vec<Cow<'_, str>> = value.members().map(|(name, _)| name).collect();
                names.small_sort();
                let mut out = String::from("[");
                for (at, name) in names.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    push_string(&mut out, name);
                }
                Some(vec![out + "]"])
            }
            Self::Base64d => {
                let bytes = base64::decode_padded(&value.text()?)?;
                let mut out = String::new();
                push_string(&mut out, &String::from_utf8_lossy(&bytes));
                Some(vec![out])
            }
            Self::Member(_) | Self::Item(_) | Self::Items | Self::Keys => None,
        }
    }
}

/// The depth from which on a value is printed as it is in the input. jq refuses deeper values.
const DEPTH_MAX: usize = 256;

/// Appends a value as jq prints it: on one line, or with each element on a line of its own.
fn write(value: Raw<'_>, depth: usize, is_compact: bool, out: &mut String) {
    let text = value.as_str();
    let new_line = |out: &mut String, depth: usize| {
        if !is_compact {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    };
    let mut is_first = true;
    let mut begin_item = |out: &mut String| {
        if !std::mem::take(&mut is_first) {
            out.push(',');
        }
        new_line(out, depth + 1);
    };
    let close = match text.as_bytes().first() {
        Some(b'[') if depth < DEPTH_MAX && value.items().next().is_some() => {
            out.push('[');
            for item in value.items() {
                begin_item(out);
                write(item, depth + 1, is_compact, out);
            }
            ']'
        }
        Some(b'{') if depth < DEPTH_MAX && value.members().next().is_some() => {
            out.push('{');
            for (name, value) in value.members() {
                begin_item(out);
                push_string(out, &name);
                out.push_str(if is_compact { ":" } else { ": " });
                write(value, depth + 1, is_compact, out);
            }
            '}'
        }
        _ => return out.push_str(text),
    };
    new_line(out, depth);
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str], input: &str) -> (String, u8) {
        let words: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let (out, exit) = Jq::of(&words)
            .expect("a supported filter")
            .run(input.as_bytes());
        (String::from_utf8(out).unwrap(), exit)
    }

    #[test]
    fn paths_select_values() {
        let range = r#"{"header":{"revision":9007199254740993},"kvs":[{"key":"YQ==","value":"eCJ5"},{"key":"Yg=="}],
            "count":2}"#;
        let print = |words: &[&str]| run(words, range).0;
        assert_eq!(print(&[".header.revision"]), "9007199254740993\n");
        assert_eq!(print(&["-r", ".kvs[].key | @base64d"]), "a\nb\n");
        assert_eq!(print(&[".kvs[0].value|@base64d"]), "\"x\\\"y\"\n");
        assert_eq!(print(&[".kvs[-1].value"]), "null\n");
        assert_eq!(print(&[".kvs[0].key, .count"]), "\"YQ==\"\n2\n");
        assert_eq!(print(&[".kvs | length"]), "2\n");
        assert_eq!(print(&["-c", "keys"]), "[\"count\",\"header\",\"kvs\"]\n");
        assert_eq!(print(&["-c", ".[\"kvs\"][1]"]), "{\"key\":\"Yg==\"}\n");
        assert_eq!(print(&[".more.names"]), "null\n");
    }

    #[test]
    fn values_are_indented() {
        let out = run(&["."], r#"{"a":[1,{}],"b":{"c":"d"}}"#).0;
        assert_eq!(
            out,
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": \"d\"\n  }\n}\n"
        );
    }

    #[test]
    fn the_values_of_a_text_are_read_one_by_one() {
        let text = "{\"a\":\n [1, \"}\"]}\n{\"a\":\"x \\\" y\"} {\"a\": 3}";
        assert_eq!(run(&["-c", ".a"], text).0, "[1,\"}\"]\n\"x \\\" y\"\n3\n");
    }

    #[test]
    fn a_value_of_another_type_ends_jq() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(run(&["."], &deep).1, 0);
        assert_eq!(run(&[".a.b"], "{\"a\":1}"), (String::new(), 5));
        assert_eq!(run(&[".[]"], "5"), (String::new(), 5));
        assert_eq!(run(&["."], "OK\n"), (String::new(), 2));
        assert!(Jq::of(&[b".a + 1".to_vec()]).is_none());
        assert!(Jq::of(&[b"-s".to_vec()]).is_none());
    }
}
