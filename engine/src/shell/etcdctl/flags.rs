//! Separates flags from arguments like the `pflag` library, with its error messages.
//!
//! Mirrors `github.com/spf13/pflag` 1.0. Flags can be before, after or between arguments. `--` ends the flags. If a
//! flag is repeated, its last value counts. Parsing stops at the first error.

use crate::base::go::number::{check_duration, parse_bool, parse_int, parse_uint};
use crate::base::go::quote::{quoted, quoted_char};
use crate::shell::table::{Flag, FlagKind};

#[derive(Debug, Default)]
pub(in crate::shell) struct Parsed {
    values: Vec<(&'static str, Value)>,
    /// The arguments, which are the words that are neither flags nor values of flags.
    pub(in crate::shell) args: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum Value {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Text(Vec<u8>),
}

impl Parsed {
    fn value(&self, name: &str) -> Option<&Value> {
        let (_, value) = self.values.iter().rev().find(|(n, _)| *n == name)?;
        Some(value)
    }

    pub(in crate::shell) fn on(&self, name: &str) -> bool {
        matches!(self.value(name), Some(Value::Bool(true)))
    }

    /// Returns the number given for this flag, or 0 if the flag is not given.
    pub(in crate::shell) fn int(&self, name: &str) -> i64 {
        match self.value(name) {
            Some(Value::Int(n)) => *n,
            _ => 0,
        }
    }

    /// Returns the number given for this flag without a sign, or 0 if the flag is not given.
    pub(in crate::shell) fn uint(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(Value::Uint(n)) => *n,
            _ => 0,
        }
    }

    pub(in crate::shell) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns all texts given for this flag, in order.
    pub(in crate::shell) fn texts(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let given = self.values.iter().filter(move |(n, _)| *n == name);
        given.filter_map(|(_, value)| match value {
            Value::Text(text) => Some(text.as_slice()),
            _ => None,
        })
    }

    /// Returns the elements of the lists given for a flag. Commas separate the elements; an element in double quotes
    /// may contain commas (`pflag.StringSlice`).
    pub(in crate::shell) fn list(&self, name: &str) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        for text in self.texts(name) {
            let (mut element, mut is_quoted) = (Vec::new(), false);
            for byte in text {
                match byte {
                    b'"' => is_quoted = !is_quoted,
                    b',' if !is_quoted => found.push(std::mem::take(&mut element)),
                    _ => element.push(*byte),
                }
            }
            found.push(element);
        }
        found.retain(|element| !element.is_empty());
        found
    }

    /// Returns the text given for this flag; `None` if the flag is not given.
    pub(in crate::shell) fn text(&self, name: &str) -> Option<&[u8]> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}

pub(in crate::shell) fn parse(
    words: &[Vec<u8>],
    known: &[&'static Flag],
) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_slice() {
            b"--" => {
                parsed.args.extend(rest.cloned());
                break;
            }
            [b'-', b'-', name @ ..] => long(word, name, known, &mut rest, &mut parsed)?,
            [b'-', letters @ ..] if !letters.is_empty() => {
                short(letters, known, &mut rest, &mut parsed)?;
            }
            _ => parsed.args.push(word.clone()),
        }
    }
    Ok(parsed)
}

pub(in crate::shell) fn by_name(known: &[&'static Flag], name: &[u8]) -> Option<&'static Flag> {
    known.iter().copied().find(|f| f.name.as_bytes() == name)
}

pub(in crate::shell) fn by_letter(known: &[&'static Flag], letter: u8) -> Option<&'static Flag> {
    known
        .iter()
        .copied()
        .find(|f| f.letter == letter && letter != 0)
}

fn long<'a>(
    word: &[u8],
    body: &[u8],
    known: &[&'static Flag],
    rest: &mut impl Iterator<Item = &'a Vec<u8>>,
    parsed: &mut Parsed,
) -> Result<(), String> {
    if matches!(body.first(), Some(b'-' | b'=')) {
        return Err(format!("bad flag syntax: {}", lossy(word)));
    }
    let (name, value) = match body.iter().position(|b| *b == b'=') {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let Some(flag) = by_name(known, name) else {
        return Err(format!("unknown flag: --{}", lossy(name)));
    };
    match value {
        Some(value) => set(flag, value, parsed),
        None if flag.kind == FlagKind::Bool => set(flag, b"true", parsed),
        None => match rest.next() {
            Some(value) => set(flag, value, parsed),
            None => Err(format!("flag needs an argument: {}", lossy(word))),
        },
    }
}

fn short<'a>(
    mut letters: &[u8],
    known: &[&'static Flag],
    rest: &mut impl Iterator<Item = &'a Vec<u8>>,
    parsed: &mut Parsed,
) -> Result<(), String> {
    while let Some((&letter, tail)) = letters.split_first() {
        let here = || [quoted_char(letter), " in -".to_owned(), lossy(letters)].concat();
        let Some(flag) = by_letter(known, letter) else {
            return Err(format!("unknown shorthand flag: {}", here()));
        };
        match tail {
            [b'=', value @ ..] if !value.is_empty() => return set(flag, value, parsed),
            _ if flag.kind == FlagKind::Bool => set(flag, b"true", parsed)?,
            [] => {
                return match rest.next() {
                    Some(value) => set(flag, value, parsed),
                    None => Err(format!("flag needs an argument: {}", here())),
                };
            }
            value => return set(flag, value, parsed),
        }
        letters = tail;
    }
    Ok(())
}

fn set(flag: &'static Flag, text: &[u8], parsed: &mut Parsed) -> Result<(), String> {
    let value = match flag.kind {
        FlagKind::Bool => parse_bool(text).map(Value::Bool),
        FlagKind::Int => parse_int(text, 0).map(Value::Int),
        FlagKind::Uint => parse_uint(text, 0).map(Value::Uint),
        FlagKind::Duration => check_duration(text).map(|()| Value::Text(text.to_vec())),
        FlagKind::Text | FlagKind::List => Ok(Value::Text(text.to_vec())),
    };
    let value = value.map_err(|complaint| {
        let mut name = String::new();
        if flag.letter != 0 {
            name.push('-');
            name.push(char::from(flag.letter));
            name.push_str(", ");
        }
        format!(
            "invalid argument {} for \"{name}--{}\" flag: {complaint}",
            quoted(text),
            flag.name
        )
    })?;
    parsed.values.push((flag.name, value));
    Ok(())
}

/// Returns the bytes as text for an error message.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::table::ETCDCTL;

    fn get(line: &str) -> Result<Parsed, String> {
        let words: Vec<Vec<u8>> = line.split(' ').map(|w| w.as_bytes().to_vec()).collect();
        let known: Vec<&'static Flag> = ETCDCTL.children[0]
            .flags
            .iter()
            .chain(ETCDCTL.shared)
            .collect();
        parse(&words, &known)
    }

    #[test]
    fn flags_stand_anywhere_before_two_dashes() {
        let parsed = get("a --limit -1 b -wjson --prefix=false --hex -- --rev").unwrap();
        assert_eq!(
            parsed.args,
            [b"a".to_vec(), b"b".to_vec(), b"--rev".to_vec()]
        );
        assert_eq!(parsed.int("limit"), -1);
        assert_eq!(parsed.text("write-out"), Some(&b"json"[..]));
        assert!(parsed.on("hex") && !parsed.on("prefix") && !parsed.on("keys-only"));
        assert_eq!(
            get("- -w=table").unwrap().text("write-out"),
            Some(&b"table"[..])
        );
    }

    #[test]
    fn complains_as_pflag_does() {
        for (line, complaint) in [
            ("--bogus=1 a", "unknown flag: --bogus"),
            ("-x a", "unknown shorthand flag: 'x' in -x"),
            ("---x", "bad flag syntax: ---x"),
            ("--=x", "bad flag syntax: --=x"),
            ("k --limit", "flag needs an argument: --limit"),
            ("k -w", "flag needs an argument: 'w' in -w"),
            (
                "k --prefix=maybe",
                "invalid argument \"maybe\" for \"--prefix\" flag: strconv.ParseBool: parsing \
                 \"maybe\": invalid syntax",
            ),
        ] {
            assert_eq!(get(line).unwrap_err(), complaint);
        }
    }
}
