//! What a line says before its words are filled in: commands one after another, and `for` loops.
//!
//! A POSIX shell's `for NAME in WORDS; do LIST; done` on one line, nested if need be, with the
//! brace ranges and lists of bash in its WORDS (`{1..4}`, `{01..10..3}`, `{a,b}`). Only there: in
//! a command `{` stands for itself, as in `put /key{$i}`. No `while`, no `if`.

use super::ParseError;
use super::lexer::{Piece, Token, Word, lex};

/// The most commands a line may stand for.
const COMMANDS_MAX: usize = 100_000;

/// The most bytes that the words of those commands may have.
const EXPANDED_BYTES_MAX: usize = 64 << 20;

/// A word with its variables filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arg {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Where it stands in the line.
    pub(super) span: (usize, usize),
    /// Whether any of it was quoted.
    pub(super) quoted: bool,
}

/// The commands a line stands for, each as its words.
pub(super) fn expand(line: &[u8]) -> Result<Vec<Vec<Arg>>, ParseError> {
    let tokens = lex(line)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        end: line.len(),
    };
    let nodes = parser.list(None)?;
    let mut expansion = Expansion::default();
    run(&nodes, &mut Vec::new(), &mut expansion)?;
    Ok(expansion.commands)
}

#[derive(Default)]
struct Expansion {
    commands: Vec<Vec<Arg>>,
    bytes: usize,
}

enum Node<'a> {
    Command(Vec<&'a Word>),
    For {
        name: String,
        items: Vec<&'a Word>,
        body: Vec<Node<'a>>,
        span: (usize, usize),
    },
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    end: usize,
}

impl<'a> Parser<'a> {
    fn keyword(&self) -> Option<&'a [u8]> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => word.keyword(),
            _ => None,
        }
    }

    fn word(&mut self) -> Option<&'a Word> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => {
                self.at += 1;
                Some(word)
            }
            _ => None,
        }
    }

    fn here(&self) -> (usize, usize) {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => word.span,
            Some(Token::Semicolon(at)) => (*at, at + 1),
            None => (self.end, self.end),
        }
    }

    fn expected(&self, what: &str, open: (usize, usize)) -> ParseError {
        let (start, end) = if self.at < self.tokens.len() {
            self.here()
        } else {
            open
        };
        ParseError::new(
            start,
            end,
            what,
            "a loop is written: for i in {1..4}; do put /key$i value$i; done",
        )
    }

    /// Commands up to the end or, inside a loop, up to `done`.
    fn list(&mut self, open: Option<(usize, usize)>) -> Result<Vec<Node<'a>>, ParseError> {
        let mut nodes = Vec::new();
        loop {
            match (self.keyword(), open) {
                (Some(b"done"), Some(span)) if nodes.is_empty() => {
                    return Err(self.expected("a command between do and done", span));
                }
                (Some(b"done"), Some(_)) => {
                    self.at += 1;
                    return Ok(nodes);
                }
                (Some(b"done" | b"do"), None) => {
                    return Err(self.expected("a command, or for before this", self.here()));
                }
                (Some(b"for"), _) => nodes.push(self.for_loop()?),
                _ => {
                    let mut words = Vec::new();
                    while let Some(word) = self.word() {
                        words.push(word);
                    }
                    match (words.is_empty(), self.tokens.get(self.at)) {
                        (true, Some(_)) => {
                            return Err(ParseError::new(
                                self.here().0,
                                self.here().1,
                                "a command before this ;",
                                "remove the ;",
                            ));
                        }
                        (true, None) => {}
                        (false, _) => nodes.push(Node::Command(words)),
                    }
                }
            }
            match (self.tokens.get(self.at), open) {
                (Some(Token::Semicolon(_)), _) => self.at += 1,
                (None, Some(span)) => {
                    return Err(self.expected("done, which ends the loop that begins here", span));
                }
                (None, None) => return Ok(nodes),
                (Some(Token::Word(_)), _) => {
                    return Err(ParseError::new(
                        self.here().0,
                        self.here().1,
                        "; or the end of the line after done",
                        "put a ; before this",
                    ));
                }
            }
        }
    }

    fn for_loop(&mut self) -> Result<Node<'a>, ParseError> {
        let open = self.here();
        self.at += 1;
        let name = match self.word().and_then(Word::keyword) {
            Some(name) if is_name(name) => String::from_utf8_lossy(name).into_owned(),
            _ => {
                self.at = self.at.saturating_sub(1);
                return Err(self.expected("the name of a variable after for", open));
            }
        };
        if self.keyword() != Some(b"in") {
            return Err(self.expected("in, after the variable of the loop", open));
        }
        self.at += 1;
        let mut items = Vec::new();
        while let Some(word) = self.word() {
            items.push(word);
        }
        if !matches!(self.tokens.get(self.at), Some(Token::Semicolon(_))) {
            return Err(self.expected("; and do, after the values of the loop", open));
        }
        self.at += 1;
        if self.keyword() != Some(b"do") {
            return Err(self.expected("do, before the commands of the loop", open));
        }
        self.at += 1;
        let body = self.list(Some(open))?;
        Ok(Node::For {
            name,
            items,
            body,
            span: open,
        })
    }
}

fn is_name(name: &[u8]) -> bool {
    name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && name.first().is_some_and(|b| !b.is_ascii_digit())
}

type Variables = Vec<(String, Vec<u8>)>;

fn run(
    nodes: &[Node<'_>],
    variables: &mut Variables,
    out: &mut Expansion,
) -> Result<(), ParseError> {
    for node in nodes {
        match node {
            Node::Command(words) => {
                let args = words
                    .iter()
                    .map(|w| fill(w, variables))
                    .collect::<Result<Vec<Arg>, _>>()?;
                out.bytes += args.iter().map(|a| a.bytes.len()).sum::<usize>();
                out.commands.push(args);
            }
            Node::For {
                name,
                items,
                body,
                span,
            } => {
                let too_many = || {
                    ParseError::new(
                        span.0,
                        span.1,
                        "a loop of at most 100000 commands and 64 MiB",
                        "make its range or its values smaller",
                    )
                };
                for item in items {
                    let values = match item.keyword().map(|w| braces(w, COMMANDS_MAX)) {
                        Some(Some(values)) => values,
                        Some(None) => return Err(too_many()),
                        None => vec![fill(item, variables)?.bytes],
                    };
                    for value in values {
                        variables.push((name.clone(), value));
                        let result = run(body, variables, out);
                        variables.pop();
                        result?;
                        if out.commands.len() > COMMANDS_MAX || out.bytes > EXPANDED_BYTES_MAX {
                            return Err(too_many());
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

fn fill(word: &Word, variables: &Variables) -> Result<Arg, ParseError> {
    let mut bytes = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) => bytes.extend_from_slice(text),
            Piece::Variable { name, span } => {
                let Some((_, value)) = variables.iter().rev().find(|(n, _)| n == name) else {
                    return Err(ParseError::new(
                        span.0,
                        span.1,
                        "the variable of a for loop around this",
                        [
                            "no loop here sets ",
                            name,
                            "; write \\$ or '…' to mean the character $",
                        ]
                        .concat(),
                    ));
                };
                bytes.extend_from_slice(value);
            }
        }
    }
    Ok(Arg {
        bytes,
        span: word.span,
        quoted: word.quoted,
    })
}

/// The words a word with one pair of braces stands for; `None` if they are more than `most`.
fn braces(word: &[u8], most: usize) -> Option<Vec<Vec<u8>>> {
    let same = || Some(vec![word.to_vec()]);
    let Some(open) = word.iter().position(|b| *b == b'{') else {
        return same();
    };
    let Some(length) = word[open..].iter().position(|b| *b == b'}') else {
        return same();
    };
    let (before, inside, after) = (
        &word[..open],
        &word[open + 1..open + length],
        &word[open + length + 1..],
    );
    let Ok(inside) = std::str::from_utf8(inside) else {
        return same();
    };
    let parts: Vec<String> = if inside.contains(',') {
        inside.split(',').map(str::to_owned).collect()
    } else {
        match range(inside, most) {
            Range::Parts(parts) => parts,
            Range::TooMany => return None,
            Range::NotOne => return same(),
        }
    };
    Some(
        parts
            .iter()
            .map(|part| [before, part.as_bytes(), after].concat())
            .collect(),
    )
}

enum Range {
    Parts(Vec<String>),
    TooMany,
    NotOne,
}

/// `1..4`, `4..1`, `01..10`, `0..20..5`, `a..e`
fn range(text: &str, most: usize) -> Range {
    let fields: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match fields.as_slice() {
        [from, to] => (*from, *to, "1"),
        [from, to, step] => (*from, *to, *step),
        _ => return Range::NotOne,
    };
    let Ok(step) = step.parse::<i64>() else {
        return Range::NotOne;
    };
    let step = step.unsigned_abs().max(1);
    let letter = |text: &str| match text.as_bytes() {
        [b] if b.is_ascii_alphabetic() => Some(i64::from(*b)),
        _ => None,
    };
    let (first, last, letters) = match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(first), Ok(last)) => (first, last, false),
        _ => match (letter(from), letter(to)) {
            (Some(first), Some(last)) => (first, last, true),
            _ => return Range::NotOne,
        },
    };
    if first.abs_diff(last) / step >= most as u64 {
        return Range::TooMany;
    }
    let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
    let width = if padded(from) || padded(to) {
        from.len().max(to.len())
    } else {
        0
    };
    let count = first.abs_diff(last) / step;
    let parts = (0..=count)
        .map(|i| {
            let offset = (i * step) as i64;
            let value = if first <= last {
                first + offset
            } else {
                first - offset
            };
            if letters {
                return char::from(value as u8).to_string();
            }
            let digits = value.unsigned_abs().to_string();
            let sign = if value < 0 { "-" } else { "" };
            let zeros = width.saturating_sub(sign.len() + digits.len());
            [sign, &"0".repeat(zeros), &digits].concat()
        })
        .collect();
    Range::Parts(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(line: &str) -> Vec<String> {
        expand(line.as_bytes())
            .unwrap()
            .iter()
            .map(|args| {
                let words: Vec<_> = args
                    .iter()
                    .map(|a| String::from_utf8_lossy(&a.bytes))
                    .collect();
                words.join(" ")
            })
            .collect()
    }

    fn error(line: &str) -> String {
        expand(line.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn the_loops_of_the_blog() {
        assert_eq!(
            expanded("for i in {1..4}; do etcdctl put /key{$i} value{$i}; done"),
            [
                "etcdctl put /key{1} value{1}",
                "etcdctl put /key{2} value{2}",
                "etcdctl put /key{3} value{3}",
                "etcdctl put /key{4} value{4}",
            ]
        );
        assert_eq!(
            expanded("for i in {1..10}; do e put /key-$i val-$i; done").len(),
            10
        );
    }

    #[test]
    fn loops_nest_and_lists_follow() {
        assert_eq!(
            expanded(
                "for a in x 'y z'; do for b in {2..1}; do put $a$b \"$a\"; get ${b}; done; done; del q"
            ),
            [
                "put x2 x",
                "get 2",
                "put x1 x",
                "get 1",
                "put y z2 y z",
                "get 2",
                "put y z1 y z",
                "get 1",
                "del q",
            ]
        );
        assert_eq!(
            expanded("for i in {08..10} {a,b} {c..d}; do get $i; done"),
            [
                "get 08", "get 09", "get 10", "get a", "get b", "get c", "get d",
            ]
        );
        assert_eq!(expanded("for i in; do get $i; done"), Vec::<String>::new());
        assert_eq!(expanded("a; b;"), ["a", "b"]);
        assert_eq!(expanded("put k {1..3}"), ["put k {1..3}"]);
    }

    #[test]
    fn mistakes_are_placed_and_explained() {
        assert!(
            error("for i in 1 2; do get $i")
                .starts_with("column 1: expected done, which ends the loop that begins here")
        );
        assert!(error("for i in 1 2 do get $i; done").contains("expected do"));
        assert!(error("for 1 in 2; do get; done").contains("name of a variable"));
        assert!(error("for i in 1; do done").contains("a command between do and done"));
        assert!(error("get $x").starts_with("column 5: expected the variable of a for loop"));
        assert!(error("; get").contains("remove the ;"));
        assert!(error("done").contains("for before this"));
        assert!(error("for i in {1..100001}; do get $i; done").contains("at most 100000"));
        assert!(
            error("for i in {1..1000}; do for j in {1..1000}; do get $j; done; done")
                .contains("at most 100000")
        );
    }
}
