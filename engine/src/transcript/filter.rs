//! The programs behind a pipe that select or change the output of a command, such as `grep -o TEXT | head -1`.
//!
//! Supported are the forms that appear in documents about etcd and Kubernetes. Left out: variables in the arguments,
//! the locale of `sort`, and POSIX's rule that an alternation matches its longest alternative.

use std::borrow::Cow;
use std::cmp::Ordering;

use regex_lite::{Regex, RegexBuilder};

use super::jq::Jq;
use super::lexer::{Token, WordPiece, lex};
use crate::base::base64;
use crate::base::small_sort::SmallSort;

/// The pipe after a command.
///
/// ```
/// use watchglass_engine::transcript::Filters;
/// let filters = Filters::parse("| grep -o '[0-9]*' | tail -1").unwrap();
/// assert_eq!(filters.run(b"a1\nb22\n").0, b"22\n");
/// assert!(Filters::parse("| python3 -m http.server").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Filters {
    filters: Vec<Filter>,
    /// Whether the first program also reads the error output: `2>&1 | …`.
    takes_errors: bool,
}

#[derive(Clone, Debug)]
enum Filter {
    Grep(Grep),
    Jq(Jq),
    /// `cut -d X -f N,M`, with the fields counted from 1.
    Cut {
        delimiter: u8,
        fields: Vec<usize>,
    },
    /// `awk '{print $N, $M}'`.
    Print {
        separator: Option<Vec<u8>>,
        fields: Vec<Field>,
    },
    Head(usize),
    /// The last lines.
    Tail(usize),
    /// `tail -n +N`: all lines from line N on.
    From(usize),
    Count,
    Sort {
        key: SortKey,
        is_reverse: bool,
        is_unique: bool,
    },
    Uniq {
        counts: bool,
    },
    /// `tr -d BYTES`.
    Delete(Vec<u8>),
    Decode,
    HexDump,
    /// `cat` and `tee`.
    Copy,
}

/// A field of `awk`.
#[derive(Clone, Copy, Debug)]
enum Field {
    Line,
    Number(usize),
    Last,
}

/// What `sort` compares.
#[derive(Clone, Debug)]
struct SortKey {
    is_number: bool,
    is_reverse: bool,
    /// The field, counted from 1, and the text that separates fields; `None` for the whole line.
    field: Option<(usize, Option<Vec<u8>>)>,
}

#[derive(Clone, Debug)]
struct Grep {
    pattern: Regex,
    is_inverted: bool,
    /// Whether only the matching parts are printed, one per line.
    prints_matches: bool,
    counts: bool,
    is_quiet: bool,
}

/// The maximum size of the output of a program, in bytes. A program with more output prints nothing and fails.
pub(super) const OUTPUT_BYTES_MAX: usize = 64 << 20;

impl Filters {
    /// Reads the text after a command, which can begin with `2>/dev/null`. Returns `None` if a part of the text is a
    /// redirection of standard output, or a program or an argument that is not supported.
    pub fn parse(target: &str) -> Option<Self> {
        let (pipe, takes_errors) = match target.trim_start().strip_prefix("2>&1") {
            Some(pipe) => (pipe.trim_start(), true),
            None => (without_error_stream(target), false),
        };
        let programs = programs(pipe.strip_prefix('|')?)?;
        let filters = programs.iter().map(|words| filter(words));
        Some(Self {
            filters: filters.collect::<Option<_>>()?,
            takes_errors,
        })
    }

    pub fn takes_errors(&self) -> bool {
        self.takes_errors
    }

    /// Returns the output and the exit code of the last program.
    pub fn run(&self, input: &[u8]) -> (Vec<u8>, u8) {
        let mut text = Cow::from(input);
        let mut exit = 0;
        for filter in &self.filters {
            let (out, code) = filter.run(&text);
            if out.len() > OUTPUT_BYTES_MAX {
                return (Vec::new(), 1);
            }
            (text, exit) = (out.into(), code);
        }
        (text.into_owned(), exit)
    }
}

/// Removes redirections of the error output from the start of a text.
fn without_error_stream(target: &str) -> &str {
    let rest = target.trim_start().strip_prefix("2>");
    match rest.and_then(|rest| rest.find('|')) {
        Some(at) => &rest.unwrap_or_default()[at..],
        None => target.trim_start(),
    }
}

/// Splits a text at its pipes, and each part into words. Returns `None` if a part is not a plain command.
fn programs(text: &str) -> Option<Vec<Vec<Vec<u8>>>> {
    let (mut parts, mut begin, mut quote) = (Vec::new(), 0, None);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match (byte, quote) {
            (b'|', None) => {
                parts.push(&bytes[begin..at]);
                begin = at + 1;
            }
            (b'\'' | b'"', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    parts.push(&bytes[begin..]);
    parts.into_iter().map(words_of).collect()
}

fn words_of(program: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    for token in lex(program).ok()? {
        match token {
            Token::Word(word) => match word.pieces.as_slice() {
                [WordPiece::Text(text)] => words.push(text.clone()),
                _ => return None,
            },
            Token::OutputTarget { text, .. } if text.starts_with("2>") => {}
            Token::OutputTarget { .. } | Token::Separator(..) => return None,
        }
    }
    Some(words)
}

/// The flags and operands of a program. Flags without a value can be joined, as in `-rn`.
struct Arguments<'a> {
    flags: Vec<(char, Option<&'a str>)>,
    operands: Vec<&'a str>,
}

impl<'a> Arguments<'a> {
    /// Splits words into flags and operands. `with_value` are the flags that take a value; `long` gives the letters of
    /// long flags.
    fn of(words: &'a [Vec<u8>], with_value: &str, long: &[(&str, char)]) -> Option<Self> {
        let mut all = Self {
            flags: Vec::new(),
            operands: Vec::new(),
        };
        let mut words = words.iter().map(|word| std::str::from_utf8(word));
        while let Some(word) = words.next() {
            let word = word.ok()?;
            if let Some(name) = word.strip_prefix("--") {
                let (_, letter) = long.iter().find(|(known, _)| *known == name)?;
                all.flags.push((*letter, None));
            } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                for (at, letter) in letters.char_indices() {
                    if !with_value.contains(letter) {
                        all.flags.push((letter, None));
                        continue;
                    }
                    let value = match &letters[at + letter.len_utf8()..] {
                        "" => words.next()?.ok()?,
                        value => value,
                    };
                    // The programs combine several values in ways of their own.
                    if all.has(letter) {
                        return None;
                    }
                    all.flags.push((letter, Some(value)));
                    break;
                }
            } else {
                all.operands.push(word);
            }
        }
        Some(all)
    }

    fn has(&self, letter: char) -> bool {
        self.flags.iter().any(|(flag, _)| *flag == letter)
    }

    fn value(&self, letter: char) -> Option<&'a str> {
        let mut flags = self.flags.iter();
        flags
            .find(|(flag, _)| *flag == letter)
            .and_then(|(_, value)| *value)
    }

    /// Returns `None` if a flag is not one of these.
    fn only(self, letters: &str) -> Option<Self> {
        let is_known = self.flags.iter().all(|(flag, _)| letters.contains(*flag));
        is_known.then_some(self)
    }
}

fn filter(words: &[Vec<u8>]) -> Option<Filter> {
    let (name, rest) = words.split_first()?;
    let name = std::str::from_utf8(name).ok()?;
    Some(match name {
        "grep" | "egrep" | "fgrep" => Filter::Grep(Grep::of(name, rest)?),
        "jq" => Filter::Jq(Jq::of(rest)?),
        "cut" => {
            let args = Arguments::of(rest, "df", &[])?.only("df")?;
            args.operands.is_empty().then_some(())?;
            let fields = args.value('f')?.split(',').map(|field| field.parse().ok());
            Filter::Cut {
                delimiter: one_byte(args.value('d').unwrap_or("\t"))?,
                fields: fields.collect::<Option<_>>()?,
            }
        }
        "awk" => {
            let args = Arguments::of(rest, "F", &[])?.only("F")?;
            let [program] = args.operands.as_slice() else {
                return None;
            };
            // Two characters or more are a regular expression, here one without special characters.
            let is_plain = |text: &str| {
                !text.is_empty() && (text.len() == 1 || regex_lite::escape(text) == text)
            };
            Filter::Print {
                separator: match args.value('F') {
                    Some("\\t") => Some(b"\t".to_vec()),
                    // A space is awk's sign for any white space.
                    Some(" ") => None,
                    Some(text) => is_plain(text).then(|| Some(text.as_bytes().to_vec()))?,
                    None => None,
                },
                fields: printed_fields(program)?,
            }
        }
        "head" => Filter::Head(lines_of(rest)?.parse().ok()?),
        "tail" => {
            let lines = lines_of(rest)?;
            match lines.strip_prefix('+') {
                Some(first) => Filter::From(first.parse().ok()?),
                None => Filter::Tail(lines.parse().ok()?),
            }
        }
        "wc" if rest == [b"-l"] => Filter::Count,
        "sort" => sort(rest)?,
        "uniq" => {
            let args = Arguments::of(rest, "", &[])?.only("c")?;
            args.operands.is_empty().then_some(Filter::Uniq {
                counts: args.has('c'),
            })?
        }
        "tr" => match rest {
            [flag, bytes] if flag == b"-d" => Filter::Delete(deleted(bytes)?),
            _ => return None,
        },
        "base64" if matches!(rest, [flag] if [&b"-d"[..], b"-D", b"--decode"].contains(&&flag[..])) => {
            Filter::Decode
        }
        "hexdump" if rest == [b"-C"] => Filter::HexDump,
        "cat" if rest.is_empty() => Filter::Copy,
        "tee" => Filter::Copy,
        _ => return None,
    })
}

fn one_byte(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte] => Some(*byte),
        b"\\t" => Some(b'\t'),
        _ => None,
    }
}

/// Returns the number in `-n 3`, `-n3` or `-3`; 10 without a flag.
fn lines_of(words: &[Vec<u8>]) -> Option<&str> {
    let Some((first, rest)) = words.split_first() else {
        return Some("10");
    };
    let first = std::str::from_utf8(first).ok()?.strip_prefix('-')?;
    match (first.strip_prefix('n'), rest) {
        (Some(""), [number]) => std::str::from_utf8(number).ok(),
        (Some(number), []) => Some(number),
        (None, []) => Some(first),
        _ => None,
    }
}

/// Reads awk's `{print $2, $NF}`.
fn printed_fields(program: &str) -> Option<Vec<Field>> {
    let inside = program.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let list = inside.trim_end_matches(';').strip_prefix("print")?.trim();
    let field = |text: &str| match text.trim().strip_prefix('$')? {
        "NF" => Some(Field::Last),
        "0" => Some(Field::Line),
        number => number
            .parse()
            .ok()
            .filter(|number| *number > 0)
            .map(Field::Number),
    };
    match list {
        "" => Some(vec![Field::Line]),
        list => list.split(',').map(field).collect(),
    }
}

/// Reads the arguments of `sort`. A key is one field, as in `-k 2,2`. Without a separator, GNU sort counts the white
/// space before a field as a part of the field, so only its numbers are supported.
fn sort(words: &[Vec<u8>]) -> Option<Filter> {
    let args = Arguments::of(words, "tk", &[])?.only("rnutk")?;
    args.operands.is_empty().then_some(())?;
    let separator = match args.value('t') {
        Some(text) => Some(vec![one_byte(text)?]),
        None => None,
    };
    let mut key = SortKey {
        is_number: args.has('n'),
        is_reverse: args.has('r'),
        field: None,
    };
    if let Some(text) = args.value('k') {
        let (first, last) = text.split_once(',')?;
        let number = last.trim_end_matches(['n', 'r']);
        let letters = &last[number.len()..];
        (first == number).then_some(())?;
        key.is_number |= letters.contains('n');
        key.is_reverse |= letters.contains('r');
        (key.is_number || separator.is_some()).then_some(())?;
        key.field = Some((number.parse().ok()?, separator));
    }
    Some(Filter::Sort {
        key,
        is_reverse: args.has('r'),
        is_unique: args.has('u'),
    })
}

/// Returns the bytes that `tr -d` deletes. Ranges are not supported.
fn deleted(set: &[u8]) -> Option<Vec<u8>> {
    match set {
        b"[:space:]" => Some(b" \t\n\r\x0b\x0c".to_vec()),
        set if set.windows(2).any(|two| two == b"[:") => None,
        b"\\n" => Some(b"\n".to_vec()),
        b"\\r" => Some(b"\r".to_vec()),
        set if set.windows(3).any(|three| three[1] == b'-') || set.contains(&b'\\') => None,
        set => Some(set.to_vec()),
    }
}

impl Grep {
    fn of(name: &str, words: &[Vec<u8>]) -> Option<Self> {
        let long = [
            ("only-matching", 'o'),
            ("invert-match", 'v'),
            ("ignore-case", 'i'),
            ("count", 'c'),
        ];
        let args = Arguments::of(words, "e", &long)?.only("voiEFcqae")?;
        let pattern = match (args.value('e'), args.operands.as_slice()) {
            (Some(pattern), []) => pattern,
            (None, [pattern]) => *pattern,
            _ => return None,
        };
        let pattern = match name {
            "fgrep" => regex_lite::escape(pattern),
            "grep" if args.has('F') => regex_lite::escape(pattern),
            name => regex_of(pattern, name == "egrep" || args.has('E')),
        };
        Some(Self {
            pattern: RegexBuilder::new(&pattern)
                .case_insensitive(args.has('i'))
                .build()
                .ok()?,
            is_inverted: args.has('v'),
            prints_matches: args.has('o'),
            counts: args.has('c'),
            is_quiet: args.has('q'),
        })
    }

    fn run(&self, text: &[u8]) -> (Vec<u8>, u8) {
        let mut out = Vec::new();
        let mut count = 0_usize;
        for line in lines(text) {
            let shown = String::from_utf8_lossy(line);
            if self.pattern.is_match(&shown) == self.is_inverted {
                continue;
            }
            count += 1;
            if self.counts || self.is_quiet {
                continue;
            }
            if !self.prints_matches {
                push_line(&mut out, line);
            } else if !self.is_inverted {
                let matches = self
                    .pattern
                    .find_iter(&shown)
                    .filter(|found| !found.is_empty());
                matches.for_each(|found| push_line(&mut out, found.as_str().as_bytes()));
            }
        }
        if self.counts {
            push_line(&mut out, count.to_string().as_bytes());
        }
        (out, u8::from(count == 0))
    }
}

/// Writes a POSIX regular expression in the syntax of the package `regex`. In a basic expression, `+`, `?`, `|`, braces
/// and parentheses are special only after a backslash.
fn regex_of(pattern: &str, is_extended: bool) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(next) if "+?|(){}".contains(next) && !is_extended => out.push(next),
                Some(next) => out.extend(['\\', next]),
                None => out.push_str("\\\\"),
            },
            '+' | '?' | '|' | '(' | ')' | '{' | '}' if !is_extended => out.extend(['\\', c]),
            // At the start, a star is a character.
            '*' if out.is_empty() || out == "^" => out.push_str("\\*"),
            '[' => {
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.extend(chars.next());
                }
                let mut is_first = true;
                while let Some(c) = chars.next() {
                    match c {
                        ']' if !is_first => {
                            out.push(']');
                            break;
                        }
                        '[' if chars.peek() == Some(&':') => {
                            out.push('[');
                            for c in chars.by_ref() {
                                out.push(c);
                                if c == ']' {
                                    break;
                                }
                            }
                        }
                        '\\' | '[' | ']' | '&' | '~' => out.extend(['\\', c]),
                        c => out.push(c),
                    }
                    is_first = false;
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns the lines without their newlines.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut all: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    // No line begins after the last newline.
    all.pop_if(|last| last.is_empty());
    all
}

fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    out.push(b'\n');
}

fn joined<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    lines.for_each(|line| push_line(&mut out, line));
    out
}

/// Returns the output of `hexdump -C`. A star stands for lines that repeat the line before.
fn hex_dump(bytes: &[u8]) -> Vec<u8> {
    let mut out = String::new();
    let mut before = None;
    let mut is_repeated = false;
    for (at, line) in (0..).step_by(16).zip(bytes.chunks(16)) {
        if before == Some(line) {
            if !is_repeated {
                out.push_str("*\n");
            }
            is_repeated = true;
            continue;
        }
        (before, is_repeated) = (Some(line), false);
        let hex =
            |half: &[u8]| -> String { half.iter().map(|byte| format!("{byte:02x} ")).collect() };
        let (left, right) = line.split_at(line.len().min(8));
        let text: String = line
            .iter()
            .map(|byte| {
                if matches!(byte, 0x20..0x7f) {
                    char::from(*byte)
                } else {
                    '.'
                }
            })
            .collect();
        out.push_str(&format!(
            "{at:08x}  {:<24} {:<24} |{text}|\n",
            hex(left),
            hex(right)
        ));
    }
    if !bytes.is_empty() {
        out.push_str(&format!("{:08x}\n", bytes.len()));
    }
    out.into_bytes()
}

/// Returns the fields of a line. Without a separator, white space separates them.
fn fields<'a>(line: &'a [u8], separator: Option<&[u8]>) -> Vec<&'a [u8]> {
    let Some(separator) = separator else {
        let all = line.split(u8::is_ascii_whitespace);
        return all.filter(|field| !field.is_empty()).collect();
    };
    let (mut all, mut rest) = (Vec::new(), line);
    while let Some(at) = rest
        .windows(separator.len())
        .position(|part| part == separator)
    {
        all.push(&rest[..at]);
        rest = &rest[at + separator.len()..];
    }
    all.push(rest);
    all
}

impl SortKey {
    fn of<'a>(&self, line: &'a [u8]) -> (f64, &'a [u8]) {
        let text = match &self.field {
            None => line,
            Some((number, separator)) => {
                let all = fields(line, separator.as_deref());
                all.get(number.saturating_sub(1))
                    .copied()
                    .unwrap_or_default()
            }
        };
        if !self.is_number {
            return (0.0, text);
        }
        (number_at(text), &[])
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let ((a_number, a_text), (b_number, b_text)) = (self.of(a), self.of(b));
        let order = a_number.total_cmp(&b_number).then(a_text.cmp(b_text));
        if self.is_reverse {
            order.reverse()
        } else {
            order
        }
    }
}

/// Returns the number at the start of a text: digits, and at most one sign and one point. 0 without a number.
fn number_at(text: &[u8]) -> f64 {
    let text = text.trim_ascii_start();
    let (mut end, mut has_point) = (usize::from(text.starts_with(b"-")), false);
    while let Some(byte) = text.get(end)
        && (byte.is_ascii_digit() || *byte == b'.' && !std::mem::replace(&mut has_point, true))
    {
        end += 1;
    }
    let number = std::str::from_utf8(&text[..end]);
    number
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0)
}

impl Filter {
    fn run(&self, text: &[u8]) -> (Vec<u8>, u8) {
        let out = match self {
            Self::Grep(grep) => return grep.run(text),
            Self::Jq(jq) => return jq.run(text),
            Self::Cut {
                delimiter,
                fields: wanted,
            } => {
                let cut = lines(text).into_iter().map(|line| {
                    let all = fields(line, Some(&[*delimiter]));
                    if all.len() == 1 {
                        return line.to_vec();
                    }
                    let kept = all
                        .iter()
                        .zip(1..)
                        .filter(|(_, number)| wanted.contains(number));
                    kept.map(|(field, _)| *field)
                        .collect::<Vec<_>>()
                        .join(delimiter)
                });
                joined(cut.collect::<Vec<_>>().iter().map(Vec::as_slice))
            }
            Self::Print {
                separator,
                fields: wanted,
            } => {
                let printed = lines(text).into_iter().map(|line| {
                    let all = fields(line, separator.as_deref());
                    let one = |field: &Field| match field {
                        Field::Line => line,
                        Field::Number(number) => all.get(number - 1).copied().unwrap_or_default(),
                        Field::Last => all.last().copied().unwrap_or_default(),
                    };
                    wanted.iter().map(one).collect::<Vec<_>>().join(&b' ')
                });
                joined(printed.collect::<Vec<_>>().iter().map(Vec::as_slice))
            }
            Self::Head(count) => joined(lines(text).into_iter().take(*count)),
            Self::Tail(count) => {
                let all = lines(text);
                joined(all[all.len().saturating_sub(*count)..].iter().copied())
            }
            Self::From(first) => joined(lines(text).into_iter().skip(first.saturating_sub(1))),
            Self::Count => {
                let count = text.iter().filter(|byte| **byte == b'\n').count();
                format!("{count}\n").into_bytes()
            }
            Self::Sort {
                key,
                is_reverse,
                is_unique,
            } => {
                let mut all = lines(text);
                all.small_sort_by(|a, b| {
                    // GNU sort compares the whole lines if the keys are equal, but not with -u.
                    let by_line = match (is_unique, is_reverse) {
                        (true, _) => Ordering::Equal,
                        (false, true) => b.cmp(a),
                        (false, false) => a.cmp(b),
                    };
                    key.compare(a, b).then(by_line)
                });
                if *is_unique {
                    all.dedup_by(|a, b| key.compare(a, b).is_eq());
                }
                joined(all.into_iter())
            }
            Self::Uniq { counts } => {
                let mut groups: Vec<(usize, &[u8])> = Vec::new();
                for line in lines(text) {
                    match groups.last_mut() {
                        Some((count, last)) if *last == line => *count += 1,
                        _ => groups.push((1, line)),
                    }
                }
                let group = |(count, line): (usize, &[u8])| match counts {
                    true => [format!("{count:7} ").as_bytes(), line].concat(),
                    false => line.to_vec(),
                };
                let groups: Vec<Vec<u8>> = groups.into_iter().map(group).collect();
                joined(groups.iter().map(Vec::as_slice))
            }
            Self::Delete(bytes) => text
                .iter()
                .filter(|byte| !bytes.contains(byte))
                .copied()
                .collect(),
            Self::Decode => {
                let text: Vec<u8> = text
                    .iter()
                    .filter(|byte| !byte.is_ascii_whitespace())
                    .copied()
                    .collect();
                match std::str::from_utf8(&text)
                    .ok()
                    .and_then(base64::decode_padded)
                {
                    Some(bytes) => bytes,
                    None => return (Vec::new(), 1),
                }
            }
            Self::HexDump => hex_dump(text),
            Self::Copy => text.to_vec(),
        };
        (out, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What GNU grep 3.8, coreutils 9.1, mawk 1.3, jq 1.6 and hexdump of bsdutils print for the same input.
    #[track_caller]
    fn check(target: &str, input: &str, output: &str) {
        let filters = Filters::parse(target).expect("the programs are supported");
        let (out, _) = filters.run(input.as_bytes());
        assert_eq!(String::from_utf8_lossy(&out), output, "{target}");
    }

    #[test]
    fn the_revision_of_a_status_is_found() {
        let status = "[{\"Endpoint\":\"127.0.0.1:2379\",\"Status\":{\"header\":{\"revision\":12,\"raft_term\":2}}}]\n";
        for target in [
            "| egrep -o '\"revision\":[0-9]*' | egrep -o '[0-9].*'",
            "| grep -o '\"revision\":[0-9]*' | head -n 1 | cut -d: -f2",
            "2>/dev/null | grep -Eo '\"revision\":[0-9]+' | awk -F: '{print $2}'",
            "| jq '.[0].Status.header.revision'",
            "| jq -r '.[] | .Status.header.revision' | tail -n1",
        ] {
            check(target, status, "12\n");
        }
    }

    #[test]
    fn lines_are_selected_counted_and_sorted() {
        let keys = "/registry/pods/a\n/registry/pods/b\n\n/registry/leases/c\n";
        check("| grep -v '^$' | wc -l", keys, "3\n");
        check("| grep -c pods", keys, "2\n");
        check(
            "| awk -F/ '{print $3}' | grep . | sort | uniq -c | sort -rn",
            keys,
            "      2 pods\n      1 leases\n",
        );
        check("| tail -n +3 | tr -d '/'", keys, "\nregistryleasesc\n");
        check("| head -1 | cut -d / -f 3,4", keys, "pods/a\n");
        check("| grep -i 'PODS/\\(a\\|x\\)'", keys, "/registry/pods/a\n");
        check("| grep 'a+'", keys, "");
        check(
            "| sort -t / -k 4,4 -r | head -1",
            keys,
            "/registry/leases/c\n",
        );
        check(
            "| awk '{print $2}'",
            "lease 32695410dcc0ca06 granted with TTL(60s)\n",
            "32695410dcc0ca06\n",
        );
        check(
            "| awk -F', ' '{print $3}'",
            "8e9e, started, default, http://a, x\n",
            "default\n",
        );
        check(
            "| sort -n",
            "10-a\n9-b\n-1\n3.5.9\nx\n",
            "-1\nx\n3.5.9\n9-b\n10-a\n",
        );
        check("| sort -t, -k1,1nr", "2,b\n2,a\n10,c\n", "10,c\n2,a\n2,b\n");
        check("| sort -t, -k 2,2 -u", "b,1\na,1\nc,0\n", "c,0\nb,1\n");
        check("| sort -k2,2n -r", "a 2\nb 10\nc 2\n", "b 10\nc 2\na 2\n");
        check("| awk -F' ' '{print $2}'", "a   b\n", "b\n");
        check("| sort -n | uniq", "10\n9\n9\n", "9\n10\n");
        check("| grep '[]\\]'", "a]\nb\\\n7\nz\n", "a]\nb\\\n");
        check("| grep '[[:digit:]]'", "a]\n7\n", "7\n");
    }

    #[test]
    fn a_program_exits_as_in_a_shell() {
        let exit = |target: &str| Filters::parse(target).map(|filters| filters.run(b"NOSPACE\n").1);
        assert_eq!(exit("| grep -q NOSPACE"), Some(0));
        assert_eq!(exit("| grep -q CORRUPT"), Some(1));
        assert_eq!(exit("| grep CORRUPT | wc -l"), Some(0));
    }

    #[test]
    fn other_programs_and_files_are_not_supported() {
        for target in [
            "> file",
            "| xargs etcdctl del",
            "| grep a file",
            "| jq 'map(.a)'",
            "| sed s/a/b/",
            "| head -c 3",
            "| wc",
            "| grep $X",
            "| grep -e a -e b",
            "| tr -d '[:digit:]'",
            "| sort -k2",
            "| sort -k2,2",
            "| sort -t, -k1,1 -k2,2n",
            "| cut -f1 file",
        ] {
            assert!(Filters::parse(target).is_none(), "{target}");
        }
    }

    #[test]
    fn bytes_are_shown_in_hex() {
        check(
            "| hexdump -C",
            "k8s:enc:aescbc:v1:key1:\x01",
            "00000000  6b 38 73 3a 65 6e 63 3a  61 65 73 63 62 63 3a 76  |k8s:enc:aescbc:v|\n\
             00000010  31 3a 6b 65 79 31 3a 01                           |1:key1:.|\n\
             00000018\n",
        );
        check(
            "| tr -d '\\n' | hexdump -C",
            &"0\n".repeat(49),
            "00000000  30 30 30 30 30 30 30 30  30 30 30 30 30 30 30 30  |0000000000000000|\n\
             *\n00000030  30                                                |0|\n00000031\n",
        );
    }
}
