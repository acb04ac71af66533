//! Splits the arguments of a kubectl command into words and flags.

use crate::shell::ParseError;
use crate::shell::names::name;
use crate::shell::table::{Spec, wrong};
use crate::transcript::for_loop::Arg;

/// The words and flags after the verb of a kubectl command, such as `get`.
#[derive(Default)]
pub(super) struct Words<'a> {
    pub(super) plain: Vec<&'a Arg>,
    pub(super) flags: Vec<(String, Option<String>, &'a Arg)>,
    pub(super) named: Option<String>,
}

/// The flag that prints more log lines. It has no effect, because Watchglass has no log of kubectl.
const VERBOSITY: &str = "v";

const SWITCHES: [&str; 14] = [
    "all",
    "all-namespaces",
    "watch",
    "watch-only",
    "bookmarks",
    "send-initial-events",
    "show-labels",
    "no-headers",
    "ignore-not-found",
    "force",
    "wait",
    "overwrite",
    "client",
    "namespaced",
];

/// Separates the words from the flags, and expands short flags such as `-n`.
pub(super) fn sort<'a>(args: &'a [Arg], spec: &Spec) -> Result<Words<'a>, ParseError> {
    let mut words = Words::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = text_of(arg);
        if text == "as" && !arg.quoted {
            let Some(given) = rest.next() else {
                return Err(wrong(spec, Some(arg), "a name after `as`"));
            };
            words.named = Some(name(given)?);
            continue;
        }
        let Some(flag) = text.strip_prefix('-').filter(|flag| !flag.is_empty()) else {
            words.plain.push(arg);
            continue;
        };
        let (flag, value) = match flag.strip_prefix('-') {
            Some(long) => match long.split_once('=') {
                Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
                None => (long.to_owned(), None),
            },
            None => {
                let mut letters = flag.chars();
                let letter = letters.next();
                let value = letters.as_str();
                let value = value.strip_prefix('=').unwrap_or(value);
                let long = match letter {
                    Some('n') => "namespace",
                    Some('A') => "all-namespaces",
                    Some('l') => "selector",
                    Some('s') => "server",
                    Some('o') => "output",
                    Some('w') => "watch",
                    Some('L') => "label-columns",
                    Some('f') => super::input::FILENAME,
                    Some('p') if spec.name == "patch" => "patch",
                    Some('v') => VERBOSITY,
                    _ => return Err(unknown_flag(spec, arg)),
                };
                let value = (!value.is_empty()).then(|| value.to_owned());
                (long.to_owned(), value)
            }
        };
        let is_verbosity = flag == VERBOSITY;
        if !is_verbosity && !spec.extra.iter().any(|known| known.name == flag) {
            return Err(unknown_flag(spec, arg));
        }
        let value = match value {
            None if !SWITCHES.contains(&flag.as_str()) => {
                let next = rest.next().map(text_of);
                let missing = || wrong(spec, Some(arg), "a value after this flag");
                Some(next.ok_or_else(missing)?)
            }
            value => value,
        };
        if !is_verbosity {
            words.flags.push((flag, value, arg));
        }
    }
    Ok(words)
}

/// Returns the error for a flag of kubectl that Watchglass does not have.
pub(super) fn unknown_flag(spec: &Spec, arg: &Arg) -> ParseError {
    let text = text_of(arg);
    let flag = text.split('=').next().unwrap_or_default();
    let hint = format!("Watchglass does not have `{flag}`");
    ParseError {
        hint,
        ..wrong(spec, Some(arg), "a flag of this command")
    }
}

pub(super) fn text_of(arg: &Arg) -> String {
    String::from_utf8_lossy(&arg.bytes).into_owned()
}
