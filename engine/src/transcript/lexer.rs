//! Splits a line into words like a POSIX shell, and records the position of each word.
//!
//! Supports single and double quotes, backslashes, comments, and bash's `$'…'`, with which any byte can be typed.
//! Adjacent pieces are one word: `a'b'c`. Pipes and output redirections are recorded as text but not executed. A `&`
//! at the end of the line is ignored, because the terminal runs watches in the background. A substitution contains one
//! command. Input redirections, other background jobs, subshells, and substitutions inside substitutions are refused
//! with a hint.

use super::ParseError;
use super::for_loop::is_assignment;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Word(Word),
    /// A `;`, `&&` or `||` at this byte offset.
    Separator(usize, RunIf),
    /// A pipe or a redirection of a command's output: `| jq .`, `> file`, `2>/dev/null`.
    OutputTarget {
        /// The text as typed.
        text: String,
        /// The byte range in the line.
        span: (usize, usize),
    },
}

/// The condition under which a command runs after the previous command of its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunIf {
    /// After `;`, or at the start of a line.
    #[default]
    Always,
    /// After `&&`.
    Success,
    /// After `||`.
    Failure,
}

impl RunIf {
    /// Returns true if the condition allows the next command to run after a command has ended with this exit code.
    pub fn holds(self, exit: u8) -> bool {
        match self {
            Self::Always => true,
            Self::Success => exit == 0,
            Self::Failure => exit != 0,
        }
    }
}

/// A word of the line, whose variables are not expanded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The parts, in order.
    pub(crate) pieces: Vec<WordPiece>,
    /// The byte range in the line.
    pub(crate) span: (usize, usize),
    /// Whether a part of the word was quoted. A quoted word is never a keyword.
    pub(crate) quoted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WordPiece {
    Text(Vec<u8>),
    Variable {
        name: String,
        /// The byte range in the line.
        span: (usize, usize),
    },
    /// The output of a command, such as `$(seq 1 3)`.
    Output(Box<Substitution>),
    /// The value of an expression, such as `$((rev - 1))`.
    Number {
        expression: String,
        /// The byte range in the line.
        span: (usize, usize),
    },
}

/// A command substitution: `$(COMMAND)`, or the same in backquotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Substitution {
    /// The words of the command; at least one.
    pub(crate) command: Vec<Word>,
    /// The pipe and the redirections after the command, as typed; empty if the command has none.
    pub(crate) output_target: String,
    /// The substitution as typed.
    pub(crate) text: String,
    /// The byte range in the line.
    pub(crate) span: (usize, usize),
    /// Whether the substitution is inside double quotes. Otherwise, each word of the output is a word of the line.
    pub(crate) is_quoted: bool,
}

impl Word {
    /// Returns the word at a position further right in the line.
    fn moved_by(mut self, bytes: usize) -> Self {
        self.span = (self.span.0 + bytes, self.span.1 + bytes);
        for piece in &mut self.pieces {
            if let Some(span) = piece.span_mut() {
                *span = (span.0 + bytes, span.1 + bytes);
            }
        }
        self
    }

    /// Returns the text of a word without quotes and variables. Only such a word can be a keyword.
    pub(crate) fn keyword(&self) -> Option<&[u8]> {
        match (self.quoted, self.pieces.as_slice()) {
            (false, [WordPiece::Text(text)]) => Some(text),
            _ => None,
        }
    }
}

impl WordPiece {
    /// Returns the byte range of the piece in the line; `None` for a text.
    pub(crate) fn span_mut(&mut self) -> Option<&mut (usize, usize)> {
        match self {
            Self::Text(_) => None,
            Self::Variable { span, .. } | Self::Number { span, .. } => Some(span),
            Self::Output(substitution) => Some(&mut substitution.span),
        }
    }
}

/// Splits a line into tokens. If the line contains an error, returns the tokens before the error and the error.
pub(crate) fn scan(line: &[u8]) -> (Vec<Token>, Option<ParseError>) {
    let mut lexer = Lexer::new(line);
    let error = lexer.run().err();
    (lexer.tokens, error)
}

/// Splits a line into tokens, or returns the first error.
pub(crate) fn lex(line: &[u8]) -> Result<Vec<Token>, ParseError> {
    match scan(line) {
        (tokens, None) => Ok(tokens),
        (_, Some(error)) => Err(error),
    }
}

struct Lexer<'a> {
    line: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
}

impl<'a> Lexer<'a> {
    fn new(line: &'a [u8]) -> Self {
        Self {
            line,
            at: 0,
            tokens: Vec::new(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.line.get(self.at + ahead).copied()
    }

    fn run(&mut self) -> Result<(), ParseError> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => return Ok(()),
                b';' if self.peek(1) != Some(b';') => {
                    self.tokens.push(Token::Separator(self.at, RunIf::Always));
                    self.at += 1;
                }
                b'&' | b'|' if self.follows_a_word() && self.condition().is_some() => {
                    let condition = self.condition().unwrap_or_default();
                    self.tokens.push(Token::Separator(self.at, condition));
                    self.at += 2;
                }
                b'&' if self.follows_a_word() && self.is_last() => {
                    self.at += 1;
                }
                b'|' if self.is_fault() => {
                    self.tokens.push(Token::Word(Word {
                        pieces: vec![WordPiece::Text(vec![b'|'])],
                        span: (self.at, self.at + 1),
                        quoted: false,
                    }));
                    self.at += 1;
                }
                b'|' if self.peek(1) != Some(b'|') && self.follows_a_word() => self.pipe()?,
                b'>' if self.follows_a_word() => self.redirection()?,
                b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b';' => return Err(self.operator()),
                _ => {
                    let word = self.word()?;
                    self.tokens.push(Token::Word(word));
                }
            }
        }
        Ok(())
    }

    /// Returns true if the command is `fault`, in which `|` separates the sides of a partition.
    fn is_fault(&self) -> bool {
        let mut commands = self
            .tokens
            .split(|token| matches!(token, Token::Separator(..)));
        // The first command of a loop follows `do`.
        let is_do =
            |token: &&Token| matches!(token, Token::Word(word) if word.keyword() == Some(b"do"));
        let last = commands.next_back().unwrap_or_default();
        let first = last.iter().find(|token| !is_do(token));
        matches!(first, Some(Token::Word(word)) if word.keyword() == Some(b"fault"))
    }

    /// Returns the condition of the `&&` or `||` at the current position.
    fn condition(&self) -> Option<RunIf> {
        match self.line.get(self.at..self.at + 2)? {
            b"&&" => Some(RunIf::Success),
            b"||" if !self.is_fault() => Some(RunIf::Failure),
            _ => None,
        }
    }

    /// Returns true if only white space or a comment follows the current byte.
    fn is_last(&self) -> bool {
        let rest = self.line[self.at + 1..].trim_ascii();
        rest.is_empty() || rest.starts_with(b"#")
    }

    fn follows_a_word(&self) -> bool {
        matches!(
            self.tokens.last(),
            Some(Token::Word(_) | Token::OutputTarget { .. })
        )
    }

    /// Reads a pipe, `| …`, up to the next command.
    fn pipe(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        while let Some(byte) = self.peek(0) {
            match byte {
                b';' => break,
                _ if self.at > start && self.condition().is_some() => break,
                b'#' if matches!(self.line[self.at - 1], b' ' | b'\t') => break,
                b'\\' => self.at += 2,
                b'\'' | b'"' => self.skip_quoted(byte)?,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.line.len());
        self.push_target(start);
        Ok(())
    }

    /// Skips a quoted text. `quote` is the current byte.
    fn skip_quoted(&mut self, quote: u8) -> Result<(), ParseError> {
        let open = self.at;
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' if quote == b'"' => self.at += 2,
                _ => self.at += 1,
            }
            if byte == quote {
                return Ok(());
            }
        }
        Err(self.unclosed(open, char::from(quote)))
    }

    /// Reads a redirection such as `> file` or `2>/dev/null`. `2>&1` has no effect without a pipe, because the
    /// terminal shows both streams.
    fn redirection(&mut self) -> Result<(), ParseError> {
        let mut start = self.at;
        let is_stream = |token: &mut Token| match token {
            Token::Word(word) => {
                word.span.1 == start && matches!(word.keyword(), Some(b"1" | b"2"))
            }
            _ => false,
        };
        if self.tokens.len() > 1
            && let Some(Token::Word(stream)) = self.tokens.pop_if(is_stream)
        {
            start = stream.span.0;
        }
        let operator = self.at;
        while matches!(self.peek(0), Some(b'>' | b'&')) {
            self.at += 1;
        }
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let file = self.at;
        while let Some(byte) = self.peek(0)
            && !b" \t\r\n;|&<>()".contains(&byte)
        {
            match byte {
                b'\'' | b'"' => self.skip_quoted(byte)?,
                _ => self.at += 1,
            }
        }
        if self.at == file {
            self.at = operator;
            return Err(self.operator());
        }
        let rest = self.line[self.at..].trim_ascii_start();
        let is_piped = rest.starts_with(b"|") && !rest.starts_with(b"||");
        if &self.line[start..self.at] != b"2>&1" || is_piped {
            self.push_target(start);
        }
        Ok(())
    }

    fn push_target(&mut self, start: usize) {
        let text = String::from_utf8_lossy(&self.line[start..self.at]);
        // A backslash at the end would continue the line.
        let text = text.trim_end_matches(['\\', ' ', '\t']);
        self.tokens.push(Token::OutputTarget {
            text: text.replace(char::is_control, " "),
            span: (start, self.at),
        });
    }

    fn word(&mut self) -> Result<Word, ParseError> {
        let start = self.at;
        let mut pieces = Vec::new();
        let mut text = Vec::new();
        let mut quoted = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => {
                    break;
                }
                b'\'' => {
                    quoted = true;
                    self.single(&mut text)?;
                }
                b'"' => {
                    quoted = true;
                    self.double(&mut text, &mut pieces)?;
                }
                b'\\' => {
                    quoted = true;
                    // A backslash at the end of the line is a line continuation, which the reader handles.
                    text.extend(self.peek(1));
                    self.at = (self.at + 2).min(self.line.len());
                }
                b'$' if self.peek(1) == Some(b'\'') => {
                    quoted = true;
                    self.escapes(&mut text)?;
                }
                b'$' | b'`' => self.dollar(&mut text, &mut pieces, false)?,
                _ => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
        if !text.is_empty() || pieces.is_empty() {
            pieces.push(WordPiece::Text(text));
        }
        // In `A='x y'`, only the value is quoted.
        let raw = &self.line[start..self.at];
        Ok(Word {
            pieces,
            span: (start, self.at),
            quoted: quoted && !is_assignment(raw),
        })
    }

    /// Reads `'…'`. All characters between the quotes are literal.
    fn single(&mut self, text: &mut Vec<u8>) -> Result<(), ParseError> {
        let open = self.at;
        let body = &self.line[open + 1..];
        let Some(length) = body.iter().position(|b| *b == b'\'') else {
            return Err(self.unclosed(open, '\''));
        };
        text.extend_from_slice(&body[..length]);
        self.at = open + length + 2;
        Ok(())
    }

    /// Reads `"…"`, in which a backslash escapes only `$`, a backquote, `"` and the backslash.
    fn double(
        &mut self,
        text: &mut Vec<u8>,
        pieces: &mut Vec<WordPiece>,
    ) -> Result<(), ParseError> {
        let open = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                None => return Err(self.unclosed(open, '"')),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match self.peek(1) {
                    Some(c @ (b'$' | b'`' | b'"' | b'\\')) => {
                        text.push(c);
                        self.at += 2;
                    }
                    _ => {
                        text.push(b'\\');
                        self.at += 1;
                    }
                },
                Some(b'$' | b'`') => self.dollar(text, pieces, true)?,
                Some(byte) => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    /// Reads `$(COMMAND)` or the same in backquotes. Returns `None` if the text is not a single command.
    fn substitution(&self, is_quoted: bool) -> Option<Substitution> {
        let rest = &self.line[self.at..];
        let (inside, close) = match rest {
            [b'`', inside @ ..] => (inside, b'`'),
            [b'$', b'(', inside @ ..] => (inside, b')'),
            _ => return None,
        };
        let from = self.at + rest.len() - inside.len();
        let inside = &inside[..end_of(inside, close)?];
        // A substitution inside a substitution is refused, which also limits the recursion.
        let is_command = |three: &[u8]| three.starts_with(b"$(") && three[2] != b'(';
        if inside.contains(&b'`') || inside.windows(3).any(is_command) {
            return None;
        }
        let (mut command, mut targets) = (Vec::new(), Vec::new());
        for token in lex(inside).ok()? {
            match token {
                Token::Word(word) => command.push(word.moved_by(from)),
                Token::OutputTarget { text, .. } => targets.push(text),
                Token::Separator(..) => return None,
            }
        }
        let end = from + inside.len() + 1;
        (!command.is_empty()).then(|| Substitution {
            command,
            output_target: targets.join(" "),
            text: String::from_utf8_lossy(&self.line[self.at..end]).into_owned(),
            span: (self.at, end),
            is_quoted,
        })
    }

    /// Reads `$((EXPRESSION))`. Returns the expression and the end of the piece.
    fn arithmetic(&self) -> Option<(String, usize)> {
        let inside = self.line[self.at..].strip_prefix(b"$((")?;
        let length = end_of(inside, b')').filter(|end| inside[end + 1..].starts_with(b")"))?;
        let expression = String::from_utf8_lossy(&inside[..length]).into_owned();
        Some((expression, self.at + length + 5))
    }

    /// Reads `$name` or `${name}`. A `$` before any other character is literal.
    fn dollar(
        &mut self,
        text: &mut Vec<u8>,
        pieces: &mut Vec<WordPiece>,
        is_quoted: bool,
    ) -> Result<(), ParseError> {
        let start = self.at;
        let mut push = |piece| {
            if !text.is_empty() {
                pieces.push(WordPiece::Text(std::mem::take(text)));
            }
            pieces.push(piece);
        };
        if let Some((expression, end)) = self.arithmetic() {
            self.at = end;
            push(WordPiece::Number {
                expression,
                span: (start, end),
            });
            return Ok(());
        }
        if let Some(substitution) = self.substitution(is_quoted) {
            self.at = substitution.span.1;
            push(WordPiece::Output(Box::new(substitution)));
            return Ok(());
        }
        if self.line[start] == b'`' || self.peek(1) == Some(b'(') {
            return Err(ParseError::new(
                start,
                start + 1,
                "plain text, or one command in $( )",
                "write the result instead, or put single quotes around the characters to use them as text",
            ));
        }
        let braced = self.peek(1) == Some(b'{');
        let from = start + 1 + usize::from(braced);
        let length = self.line[from..]
            .iter()
            .position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))
            .unwrap_or(self.line.len() - from);
        let end = from + length;
        if !braced && (length == 0 || self.line[from].is_ascii_digit()) {
            text.push(b'$');
            self.at += 1;
            return Ok(());
        }
        if length == 0 || braced && self.line.get(end) != Some(&b'}') {
            return Err(ParseError::new(
                start,
                end.max(start + 2),
                "a variable's name and a closing brace, as in ${i}",
                "for the character $, write \\$",
            ));
        }
        self.at = end + usize::from(braced);
        push(WordPiece::Variable {
            name: String::from_utf8_lossy(&self.line[from..end]).into_owned(),
            span: (start, self.at),
        });
        Ok(())
    }

    /// Reads `$'…'` with C's escapes, with which any byte can be typed.
    fn escapes(&mut self, text: &mut Vec<u8>) -> Result<(), ParseError> {
        let open = self.at;
        self.at += 2;
        loop {
            let Some(byte) = self.peek(0) else {
                return Err(self.unclosed(open, '\''));
            };
            self.at += 1;
            match byte {
                b'\'' => return Ok(()),
                b'\\' => {
                    let Some(escape) = self.peek(0) else {
                        return Err(self.unclosed(open, '\''));
                    };
                    self.at += 1;
                    self.escape(escape, text);
                }
                _ => text.push(byte),
            }
        }
    }

    fn escape(&mut self, escape: u8, text: &mut Vec<u8>) {
        match escape {
            b'a' => text.push(0x07),
            b'b' => text.push(0x08),
            b'e' | b'E' => text.push(0x1b),
            b'f' => text.push(0x0c),
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'v' => text.push(0x0b),
            b'\\' | b'\'' | b'"' | b'?' => text.push(escape),
            b'0'..=b'7' => {
                self.at -= 1;
                let value = self.digits(8, 3).unwrap_or(0);
                text.push(value as u8);
            }
            b'x' => match self.digits(16, 2) {
                Some(value) => text.push(value as u8),
                None => text.extend_from_slice(b"\\x"),
            },
            b'u' | b'U' => {
                let most = if escape == b'u' { 4 } else { 8 };
                match self.digits(16, most).and_then(char::from_u32) {
                    Some(c) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    None => text.extend_from_slice(&[b'\\', escape]),
                }
            }
            _ => text.extend_from_slice(&[b'\\', escape]),
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|b| char::from(b).to_digit(radix)) else {
                break;
            };
            value = Some(value.unwrap_or(0) * radix + digit);
            self.at += 1;
        }
        value
    }

    fn unclosed(&self, open: usize, quote: char) -> ParseError {
        let error = ParseError::new(
            open,
            self.line.len(),
            format!("a closing {quote} for the quote opened here"),
            format!("add {quote} at the end of the text"),
        );
        ParseError {
            is_unclosed: true,
            ..error
        }
    }

    fn operator(&self) -> ParseError {
        let (expected, hint) = match self.line[self.at] {
            b'|' => (
                "a command before `|`",
                "remove `|`, or type a command before it",
            ),
            b'<' => (
                "a command without `<`",
                "Watchglass cannot read input from a file; type the value in the command, or the \
                 three blocks of `txn` on the lines after the command",
            ),
            b'>' => (
                "a command before `>` and a file name after `>`",
                "complete the redirection, or remove it",
            ),
            b'&' => (
                "one command",
                "Watchglass cannot run a command in the background; write `;` between commands",
            ),
            b';' => ("a command between the two `;`", "remove one `;`"),
            _ => (
                "a word",
                "put single quotes around parentheses to use them as text",
            ),
        };
        ParseError::new(self.at, self.at + 1, expected, hint)
    }
}

/// Returns the position of the character that closes a substitution.
fn end_of(inside: &[u8], close: u8) -> Option<usize> {
    let (mut quote, mut depth, mut at) = (None, 0_usize, 0);
    while let Some(byte) = inside.get(at) {
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => at += 1,
            (byte, Some(open)) if *byte == open => quote = None,
            (_, Some(_)) => {}
            (byte, None) if *byte == close && depth == 0 => return Some(at),
            (b'\'' | b'"', None) => quote = Some(*byte),
            (b'(', None) => depth += 1,
            (b')', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        lex(line.as_bytes())
            .unwrap()
            .into_iter()
            .map(|token| match token {
                Token::Separator(_, RunIf::Always) => ";".to_owned(),
                Token::Separator(_, RunIf::Success) => "&&".to_owned(),
                Token::Separator(_, RunIf::Failure) => "||".to_owned(),
                Token::OutputTarget { text, .. } => format!("<{text}>"),
                Token::Word(word) => word
                    .pieces
                    .iter()
                    .map(|piece| match piece {
                        WordPiece::Text(text) => String::from_utf8_lossy(text).into_owned(),
                        WordPiece::Variable { name, .. } => format!("<{name}>"),
                        WordPiece::Output(output) => format!("<{} words>", output.command.len()),
                        WordPiece::Number { expression, .. } => format!("<={expression}>"),
                    })
                    .collect(),
            })
            .collect()
    }

    #[test]
    fn splits_as_a_posix_shell_does() {
        assert_eq!(words("put a  b"), ["put", "a", "b"]);
        assert_eq!(words(r#"put 'a b'"c d"e\ f"#), ["put", "a bc de f"]);
        assert_eq!(words(r#"put "a\"b\\c\d" '\'"#), ["put", r#"a"b\c\d"#, r"\"]);
        assert_eq!(words("put k ''"), ["put", "k", ""]);
        assert_eq!(words("put k # a comment"), ["put", "k"]);
        assert_eq!(words("put k a#b"), ["put", "k", "a#b"]);
        assert_eq!(words("a;b ; c"), ["a", ";", "b", ";", "c"]);
        assert_eq!(words(r"$'\x41\n\101\'\u00e9'"), ["A\nA'é"]);
        assert_eq!(
            words("/key{$i} ${i}x \"$i\" $ 5$"),
            ["/key{<i>}", "<i>x", "<i>", "$", "5$"]
        );
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn says_where_a_quote_was_opened() {
        let error = lex(b"put 'a b").unwrap_err();
        assert_eq!(error.span, (4, 8));
        assert_eq!(
            error.to_string(),
            "Add ' at the end of the text. Column 5: expected a closing ' for the quote opened here."
        );
        for (line, open) in [
            ("get a | grep 'b", 13),
            ("get a | sed \"s/\\\"/x/ | cat", 12),
            ("get a > 'my file", 8),
            ("get a 2>\"b", 8),
        ] {
            let error = lex(line.as_bytes()).unwrap_err();
            assert_eq!(error.span, (open, line.len() as u32), "{line}");
            assert!(
                error.expected.contains("for the quote opened here"),
                "{line}"
            );
        }
        assert!(lex(b"get a < f").is_err());
        assert!(lex(b"|| wc").is_err());
        assert!(lex(b"get a & get b").is_err());
        assert!(lex(b"get a >").is_err());
        assert!(lex(b"| wc").is_err());
        assert!(lex(b"get (x)").is_err());
    }

    #[test]
    fn what_happens_to_an_output_is_one_token() {
        assert_eq!(
            words("get a | jq '.kvs; 1' | head -3 # x"),
            ["get", "a", "<| jq '.kvs; 1' | head -3>"]
        );
        assert_eq!(
            words("get a 2>/dev/null | wc; get b"),
            ["get", "a", "<2>/dev/null>", "<| wc>", ";", "get", "b"]
        );
        assert_eq!(
            words("get a | wc && get b || get c &"),
            ["get", "a", "<| wc>", "&&", "get", "b", "||", "get", "c",]
        );
        assert_eq!(
            words("for i in 1; do fault partition a | b; done"),
            [
                "for",
                "i",
                "in",
                "1",
                ";",
                "do",
                "fault",
                "partition",
                "a",
                "|",
                "b",
                ";",
                "done"
            ]
        );
        assert_eq!(words("get a 2>&1"), ["get", "a"]);
        assert_eq!(
            words("get a > 'my file' -w json | grep \"\\\"; \""),
            [
                "get",
                "a",
                "<> 'my file'>",
                "-w",
                "json",
                "<| grep \"\\\"; \">"
            ]
        );
        assert_eq!(words("get 2 >> out k"), ["get", "2", "<>> out>", "k"]);
    }

    #[test]
    fn a_substitution_ends_at_its_own_parenthesis() {
        assert_eq!(words("a=$(get ')' \"(\") b"), ["a=<3 words>", "b"]);
        assert_eq!(
            words("put \"k$(seq \"1\")x\" `seq 2`"),
            ["put", "k<2 words>x", "<2 words>"]
        );
        assert_eq!(words("put k $((1 + (2)))"), ["put", "k", "<=1 + (2)>"]);
        for line in [
            "put $(a; b)",
            "put $(a $(b))",
            "put $(",
            "put $()",
            "put `a",
        ] {
            assert!(lex(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_long_line_takes_one_pass() {
        let line = format!("put k '{}'", "v".repeat(5_000_000));
        assert_eq!(words(&line)[2].len(), 5_000_000);
    }
}
