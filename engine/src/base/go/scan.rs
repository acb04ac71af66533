//! Reads the left side of a compare in a transaction, like `fmt.Sscanf("%q) %s %q")`.
//!
//! Mirrors `parseCompare` in `etcdctl/ctlv3/command/txn_command.go` up to the call of `Sscanf`, and `Sscanf` itself. A
//! space in the format requires at least one space in the input. Back quotes are allowed. Text after the last value is
//! ignored.

use super::quote::unescape;

/// The values that `Sscanf` has assigned when it stops.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// The key to compare; `None` if the scan stopped before the key.
    pub(crate) key: Option<Vec<u8>>,
    /// The operator; `None` if the scan stopped before the operator.
    pub(crate) op: Option<String>,
    /// The value to compare with; `None` if the scan stopped before the value.
    pub(crate) value: Option<Vec<u8>>,
}

/// Scans the text after the opening parenthesis.
pub(crate) fn scan(text: &[u8]) -> Scanned {
    let mut input = Input {
        runes: runes(text),
        at: 0,
    };
    let mut scanned = Scanned {
        key: input.quoted(),
        ..Scanned::default()
    };
    if scanned.key.is_none() || input.next() != Some(')') || !input.spaces() {
        return scanned;
    }
    scanned.op = input.token();
    if scanned.op.is_none() || !input.spaces() {
        return scanned;
    }
    scanned.value = input.quoted();
    scanned
}

/// Decodes UTF-8 like Go: each invalid byte becomes one replacement character.
fn runes(text: &[u8]) -> Vec<char> {
    let mut runes = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        runes.extend(chunk.valid().chars());
        runes.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    runes
}

struct Input {
    runes: Vec<char>,
    at: usize,
}

impl Input {
    fn peek(&self) -> Option<char> {
        self.runes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let rune = self.peek()?;
        self.at += 1;
        Some(rune)
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Matches a space in the format. The input must contain at least one space here, unless the input ends here.
    fn spaces(&mut self) -> bool {
        let fits = self.peek().is_none_or(char::is_whitespace);
        self.skip_spaces();
        fits
    }

    /// Reads a value as `Sscanf` reads a value for `%s`.
    fn token(&mut self) -> Option<String> {
        self.skip_spaces();
        let token: String = self.runes[self.at..]
            .iter()
            .take_while(|c| !c.is_whitespace())
            .collect();
        self.at += token.chars().count();
        (!token.is_empty()).then_some(token)
    }

    /// Reads a value as `Sscanf` reads a value for `%q`.
    fn quoted(&mut self) -> Option<Vec<u8>> {
        self.skip_spaces();
        let mut body = String::new();
        match self.next()? {
            '`' => loop {
                match self.next()? {
                    '`' => return Some(body.into_bytes()),
                    rune => body.push(rune),
                }
            },
            '"' => loop {
                match self.next()? {
                    '"' => return unescape(body.as_bytes()),
                    '\\' => {
                        body.push('\\');
                        body.push(self.next()?);
                    }
                    rune => body.push(rune),
                }
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(text: &str) -> (Option<String>, Option<String>, Option<String>) {
        let s = scan(text.as_bytes());
        let lossy = |b: Vec<u8>| String::from_utf8_lossy(&b).into_owned();
        (s.key.map(lossy), s.op, s.value.map(lossy))
    }

    #[test]
    fn stops_where_sscanf_stops() {
        let some = |s: &str| Some(s.to_owned());
        assert_eq!(
            scanned(r#""k") = "0" rest"#),
            (some("k"), some("="), some("0"))
        );
        assert_eq!(scanned("`k`)\t>  `0`"), (some("k"), some(">"), some("0")));
        assert_eq!(
            scanned(r#" "a)x") = "(y""#),
            (some("a)x"), some("="), some("(y"))
        );
        assert_eq!(scanned("key1) = 0"), (None, None, None));
        assert_eq!(scanned(r#""k" ) = "0""#), (some("k"), None, None));
        assert_eq!(scanned(r#""k")= "0""#), (some("k"), None, None));
        assert_eq!(scanned(r#""k") ="0""#), (some("k"), some("=\"0\""), None));
        assert_eq!(scanned(r#""k") ="#), (some("k"), some("="), None));
        assert_eq!(scanned(r#""k\q") = "x""#), (None, None, None));
        assert_eq!(scanned(r#""a) = "x""#), (some("a) = "), None, None));
        assert_eq!(
            scan(b"\"a\xffb\") = \"x\"").key.unwrap(),
            "a\u{fffd}b".as_bytes()
        );
    }
}
