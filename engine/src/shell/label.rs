//! Shortens the text of a read command, for labels in pictures.

use crate::transcript::for_loop::CONNECTION_FLAGS;
use crate::transcript::lexer::{Token, scan};

/// Returns the text of a read command for a label. The word `etcdctl` and the flags for connections are left out,
/// because they say nothing about the read.
///
/// ```
/// use watchglass_engine::shell::read_label;
/// let line = "etcdctl --endpoints=10.0.0.1:2379 --cacert ca.crt get '/a b' --rev=3";
/// assert_eq!(read_label(line), "get '/a b' --rev=3");
/// ```
pub fn read_label(line: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_value = false;
    for token in scan(line.as_bytes()).0 {
        let span = match token {
            Token::Word(word) => word.span,
            Token::OutputTarget { span, .. } => span,
            Token::Separator(at, _) => (at, at + 1),
        };
        let text = &line[span.0..span.1];
        let is_program = kept.is_empty() && text == "etcdctl";
        if std::mem::take(&mut is_value) || is_program {
            continue;
        }
        match connection_flag(text) {
            // The flags `--insecure-…` are switches.
            Some(flag) => is_value = !text.contains('=') && !flag.starts_with("insecure-"),
            None => kept.push(text),
        }
    }
    kept.join(" ")
}

/// Returns the name of the flag in a word such as `--cacert=ca.crt`, if the flag is about connections.
fn connection_flag(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--")?.split('=').next()?;
    CONNECTION_FLAGS.contains(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_no_flags_for_connections() {
        for (line, label) in [
            ("get /a --rev=3", "get /a --rev=3"),
            ("etcdctl get /a", "get /a"),
            (
                "get --cacert=c --cert c.crt --key /etc/c.key --insecure-skip-tls-verify /a --prefix",
                "get /a --prefix",
            ),
            (
                "etcdctl --user 'root:a b' --dial-timeout=5s --command-timeout 2s get etcdctl -w json",
                "get etcdctl -w json",
            ),
            ("get --endpoints \"$E\" /a | jq .", "get /a | jq ."),
            ("get é --endpoints=é '", "get é"),
        ] {
            assert_eq!(read_label(line), label, "{line}");
        }
    }
}
