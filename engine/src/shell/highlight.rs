//! Classifies the parts of a line for syntax highlighting while the user types.

use std::ops::Range;

use super::{etcdctl, simulator};
use crate::transcript::lexer::{RunIf, Token, WordPiece, scan};

/// The class of a part of a line, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenClass {
    /// A known command, or a keyword of the shell.
    Verb,
    Flag,
    Word,
    /// A word with at least one quoted part.
    Quoted,
    Variable,
    /// A separator of commands.
    Separator,
    /// The rest of the line, from a syntax error to the end.
    Error,
}

/// Returns the parts of a line, in order. The gaps between the parts are spaces or comments.
pub fn highlight(line: &str) -> Vec<(Range<u32>, TokenClass)> {
    let (tokens, error) = scan(line.as_bytes());
    let mut parts = Vec::new();
    let mut at_command = true;
    let mut named = false;
    for token in &tokens {
        let (span, class) = match token {
            Token::Separator(at, run_if) => {
                at_command = true;
                named = false;
                let length = if *run_if == RunIf::Always { 1 } else { 2 };
                ((*at, at + length), TokenClass::Separator)
            }
            Token::OutputTarget { span, .. } => (*span, TokenClass::Separator),
            Token::Word(word) => {
                let text = word.keyword().unwrap_or_default();
                let class = match text {
                    b"$" | b"ETCDCTL_API=3" if at_command => TokenClass::Separator,
                    b"etcdctl" | b"e" | b"do" if at_command => TokenClass::Verb,
                    b"for" | b"done" if at_command => {
                        at_command = false;
                        TokenClass::Verb
                    }
                    _ if at_command => {
                        at_command = false;
                        named = matches!(text, b"watch" | b"listwatch" | b"poll");
                        let known = simulator::verb(text).is_some() || etcdctl::is_known(text);
                        if known {
                            TokenClass::Verb
                        } else {
                            TokenClass::Word
                        }
                    }
                    b"as" | b"on" if named => TokenClass::Verb,
                    [b'-', _, ..] => TokenClass::Flag,
                    _ if word
                        .pieces
                        .iter()
                        .any(|p| matches!(p, WordPiece::Variable { .. })) =>
                    {
                        TokenClass::Variable
                    }
                    _ if word.quoted => TokenClass::Quoted,
                    _ => TokenClass::Word,
                };
                (word.span, class)
            }
        };
        parts.push((span.0 as u32..span.1 as u32, class));
    }
    if let Some(error) = error {
        parts.push((error.span.0..line.len() as u32, TokenClass::Error));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_a_loop() {
        let line = "for i in 1; do put \"/k\" $i --prev-kv; done # x";
        let parts: Vec<_> = highlight(line)
            .into_iter()
            .map(|(range, class)| (&line[range.start as usize..range.end as usize], class))
            .collect();
        assert_eq!(
            parts,
            [
                ("for", TokenClass::Verb),
                ("i", TokenClass::Word),
                ("in", TokenClass::Word),
                ("1", TokenClass::Word),
                (";", TokenClass::Separator),
                ("do", TokenClass::Verb),
                ("put", TokenClass::Verb),
                ("\"/k\"", TokenClass::Quoted),
                ("$i", TokenClass::Variable),
                ("--prev-kv", TokenClass::Flag),
                (";", TokenClass::Separator),
                ("done", TokenClass::Verb),
            ]
        );
        let classes = |line: &str| -> Vec<_> { highlight(line).iter().map(|(_, c)| *c).collect() };
        assert_eq!(
            classes("watch 'as' as w1"),
            [
                TokenClass::Verb,
                TokenClass::Quoted,
                TokenClass::Verb,
                TokenClass::Word
            ]
        );
        assert_eq!(classes("get as"), [TokenClass::Verb, TokenClass::Word]);
        assert_eq!(
            highlight("put 'a").last().unwrap(),
            &(4..6, TokenClass::Error)
        );
    }
}
