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
pub(crate) fn may_go_on(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["for", _, "in", ..] => true,
        ["if" | "while" | "until", second, ..] => {
            let is_test = matches!(*second, "[" | "[[" | "!" | "true" | ":");
            is_test
                || is_tool(second.as_bytes())
                || words.ends_with(&["do"])
                || words.ends_with(&["then"])
        }
        [.., "&&" | "||" | "|"] => begins_with_tool(text),
        _ => false,
    }
}

/// Returns the part of a command that is missing; `None` for a whole command.
pub(crate) fn missing_part(text: &str) -> Option<Missing> {
    let (mut quote, mut is_escaped, mut words) = (None, false, vec![String::new()]);
    for c in text.chars() {
        let word = words.last_mut()?;
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
            (None, '#') if word.is_empty() => break,
            (None, ';' | '|' | '&') => match word.as_str() {
                "|" | "&" | ";" => word.push(c),
                _ => words.push(c.to_string()),
            },
            (None, c) if c.is_whitespace() => words.push(String::new()),
            (None, c) => match word.as_str() {
                ";" | "|" | "&" | "||" | "&&" | ";;" => words.push(c.to_string()),
                _ => word.push(c),
            },
        }
    }
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
            "for k in $(etcdctl get a)",
            "while true; do",
            "if etcdctl get a | grep -q x",
            "if [ -z \"$A\" ]; then",
            "etcdctl get a &&",
        ] {
            assert!(may_go_on(line), "{line}");
            assert!(missing_part(line).is_some(), "{line}");
        }
        for line in [
            "for more details see the documentation",
            "if the alarm is raised, compact",
            "while etcd starts, wait",
            "put a 1",
        ] {
            assert!(!may_go_on(line), "{line}");
        }
    }
}
