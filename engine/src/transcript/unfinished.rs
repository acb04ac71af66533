//! Finds out whether a command of a shell continues on the next line: an open quote, a loop without `done`, or a `&&`
//! at the end.

use super::prompt::{begins_with_tool, is_tool};

/// The part that is missing at the end of a line, so that the command continues on the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Quote(char),
    /// A further command of a loop or of a list is missing, or the end of the loop is missing.
    Command {
        /// The text to insert between this line and the next command when the lines are joined.
        separator: &'static str,
    },
}

/// Returns true if a text begins a loop or a condition, or announces a further command. A sentence, such as "for more
/// details see below", does not.
pub(crate) fn is_continued(text: &str) -> bool {
    let text = &text[..Words::of(text).end];
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [.., "do" | "then"] if matches!(words[0], "for" | "if" | "while" | "until") => true,
        ["for", _, "in", items @ ..] => {
            let is_value = |word: &&str| {
                word.starts_with(|c: char| "$`{\"'/".contains(c) || c.is_ascii_digit())
            };
            items.iter().any(is_value)
        }
        ["if" | "while" | "until", second, rest @ ..] => {
            let is_test = matches!(*second, "[" | "[[" | "!" | "true" | ":");
            let is_prose = rest.iter().any(|word| word.ends_with([',', '.']));
            is_test || is_tool(second.as_bytes()) && !is_prose
        }
        [.., "&&" | "||" | "|"] => begins_with_tool(text),
        _ => false,
    }
}

/// Adds the next line to a command of which this part is missing.
pub(crate) fn join(command: &mut String, missing: Missing, next: &str) {
    match missing {
        // The backslash joins the lines without a separator.
        missing if missing != Missing::Quote('\'') && ends_in_a_backslash(command.as_bytes()) => {
            command.pop();
            command.push_str(next);
        }
        // The quote is closed for the line break, because the reader reads one line.
        Missing::Quote(quote) => {
            command.push(quote);
            command.push_str("$'\\n'");
            command.push(quote);
            command.push_str(next);
        }
        Missing::Command { .. } if next.trim().is_empty() || next.trim().starts_with('#') => {}
        Missing::Command { separator } => {
            // A comment would hide the next line.
            command.truncate(Words::of(command).end);
            command.push_str(separator);
            command.push_str(next.trim());
        }
    }
}

/// Returns true if the line ends in a backslash that is not escaped by another backslash.
pub(crate) fn ends_in_a_backslash(line: &[u8]) -> bool {
    line.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}

/// The words and operators of a text.
struct Words {
    words: Vec<String>,
    /// The quote that is open at the end.
    quote: Option<char>,
    /// The byte at which the text ends, without a comment.
    end: usize,
}

impl Words {
    fn of(text: &str) -> Self {
        let (mut quote, mut is_escaped) = (None, false);
        let mut words: Vec<String> = Vec::new();
        let mut word = String::new();
        let mut end = text.len();
        for (at, c) in text.char_indices() {
            match (quote, c) {
                _ if std::mem::take(&mut is_escaped) => word.push(c),
                (None | Some('"'), '\\') => is_escaped = true,
                (Some(open), c) if open == c => quote = None,
                (Some(_), c) => word.push(c),
                (None, '\'' | '"') => {
                    quote = Some(c);
                    // A quoted word is no keyword.
                    word.push(c);
                }
                (None, '#') if word.is_empty() => {
                    end = at;
                    break;
                }
                (None, ';' | '|' | '&') => match word.as_str() {
                    "|" | "&" | ";" => word.push(c),
                    _ => words.push(std::mem::replace(&mut word, c.to_string())),
                },
                (None, c) if c.is_whitespace() => words.push(std::mem::take(&mut word)),
                (None, c) => match word.as_str() {
                    ";" | "|" | "&" | "||" | "&&" | ";;" => {
                        words.push(std::mem::replace(&mut word, c.to_string()));
                    }
                    _ => word.push(c),
                },
            }
        }
        words.push(word);
        Self { words, quote, end }
    }
}

/// Returns the part of a command that is missing; `None` for a whole command.
pub(crate) fn missing_part(text: &str) -> Option<Missing> {
    let Words {
        mut words, quote, ..
    } = Words::of(text);
    if let Some(quote) = quote {
        return Some(Missing::Quote(quote));
    }
    words.retain(|word| !word.is_empty());
    let (mut open, mut is_command) = (0_u32, true);
    for word in words.iter().map(String::as_str) {
        match word {
            "for" | "while" | "until" | "if" if is_command => open += 1,
            "done" | "fi" if is_command => open = open.saturating_sub(1),
            _ => {}
        }
        let joins = matches!(word, ";" | "|" | "||" | "&&" | "&");
        let keyword = matches!(word, "do" | "then" | "else" | "while" | "until" | "if");
        is_command = joins || is_command && keyword;
    }
    let last = words.last().map_or("", String::as_str);
    let separator = match last {
        "do" | "then" | "else" | ";" | "&" | "|" | "||" | "&&" => " ",
        _ => "; ",
    };
    let is_open = open > 0 || matches!(last, "|" | "||" | "&&");
    is_open.then_some(Missing::Command { separator })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_begins_no_loop() {
        for line in [
            "for i in 1 2; do",
            "for k in c d; do  # all keys",
            "for k in $(etcdctl get a)",
            "while true; do",
            "if etcdctl get a | grep -q x",
            "if [ -z \"$A\" ]; then",
            "etcdctl get a &&",
        ] {
            assert!(is_continued(line), "{line}");
            assert!(missing_part(line).is_some(), "{line}");
        }
        for line in [
            "for more details see the documentation",
            "for example in production, never",
            "if etcdctl prints an error, compact",
            "if the alarm is raised, compact",
            "while etcd starts, wait",
            "put a 1",
        ] {
            assert!(!is_continued(line), "{line}");
        }
    }
}
