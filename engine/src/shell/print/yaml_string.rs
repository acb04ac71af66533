//! Prints a string as a YAML scalar.
//!
//! Mirrors `encode.go`, `resolve.go` and `emitterc.go` in `sigs.k8s.io/yaml/goyaml.v2`. Left out: the separate syntax
//! for a name with line breaks or with more than 128 bytes. Also left out: U+0085, U+2028 and U+2029 as line breaks;
//! this module writes these characters as escapes.

use std::fmt::Write;

/// The column after which a long string is continued on the next line, at the next space (`best_width`).
const WIDTH: usize = 80;

/// Appends a string. `indent` is the number of spaces before the further lines of the string; `None` means that the
/// string must be on one line, because it is the name of a value.
pub(super) fn push(out: &mut String, text: &str, indent: Option<usize>) {
    let found = Analysis::of(text);
    match indent {
        Some(indent) if found.has_breaks && found.can_be_block => push_block(out, text, indent),
        _ if found.has_breaks || found.is_special || is_other_value(text) => {
            push_double(out, text, indent);
        }
        _ if found.can_be_plain => push_plain(out, text, indent),
        _ => push_single(out, text, indent),
    }
}

/// The properties of a string that decide how the string is written (`yaml_emitter_analyze_scalar`).
struct Analysis {
    has_breaks: bool,
    /// Whether a character can only be written as an escape.
    is_special: bool,
    can_be_plain: bool,
    can_be_block: bool,
}

impl Analysis {
    fn of(text: &str) -> Self {
        let is_special = text.contains(|c| !is_printable(c));
        let starts_with_indicator = text.starts_with(|c| "#,[]{}&*!|>'\"%@`".contains(c))
            || matches!(text, "?" | ":" | "-")
            || ["? ", ": ", "- ", "---", "..."]
                .iter()
                .any(|start| text.starts_with(start));
        let has_indicator = text.contains(": ") || text.contains(" #") || text.ends_with(':');
        let is_padded = text.starts_with(' ') || text.ends_with(' ');
        Self {
            has_breaks: text.contains('\n'),
            is_special,
            can_be_plain: !(starts_with_indicator || has_indicator || is_padded),
            can_be_block: !(is_special || text.ends_with(' ') || text.contains(" \n")),
        }
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{fffd}')
        && c != '\u{feff}'
}

/// Returns true if a YAML parser, including a parser of an old YAML version, would read the string without quotes as a
/// value of another type.
fn is_other_value(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(text, "" | "~" | ".nan" | ".NaN" | ".NAN")
        || matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || is_word(text)
        || is_number(text)
        || is_sexagesimal(unsigned)
        || is_time(text)
}

/// Returns true for a word such as `true`, `True` or `TRUE`.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "yes", "on", "n", "no", "off", "true", "false", "null"];
    let lower = text.to_ascii_lowercase();
    let has_lower_end = text.bytes().skip(1).eq(lower.bytes().skip(1));
    let is_upper = text == text.to_ascii_uppercase();
    WORDS.contains(&lower.as_str()) && (has_lower_end || is_upper)
}

/// Returns true for an integer such as `0x1f` or `1_000`, or a floating-point number.
fn is_number(text: &str) -> bool {
    // After a point at the start, an underscore is only allowed between two digits.
    let is_digit = |c: char| c.is_ascii_digit();
    let mut underscores = text.match_indices('_');
    let is_separator =
        |at: usize| text[..at].ends_with(is_digit) && text[at + 1..].starts_with(is_digit);
    if text.starts_with('.') && !underscores.all(|(at, _)| is_separator(at)) {
        return false;
    }
    let plain = text.replace('_', "");
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(&plain);
    let is_float = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.parse().is_ok_and(f64::is_finite);
    let most = match plain.bytes().next() {
        Some(b'+') => i64::MAX.unsigned_abs(),
        Some(b'-') => i64::MIN.unsigned_abs(),
        _ => u64::MAX,
    };
    let radix = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => return is_float && !text.starts_with('_'),
    };
    let digits = &unsigned[2..];
    digits.chars().all(|c| c.is_digit(radix))
        && u64::from_str_radix(digits, radix).is_ok_and(|number| number <= most)
}

/// Returns true for a number in base 60, such as `1:30`, without its sign.
fn is_sexagesimal(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || c == '_';
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let Some((first, rest)) = whole.split_once(':') else {
        return false;
    };
    first.starts_with(|c: char| c.is_ascii_digit())
        && first.chars().all(is_digit)
        && rest.split(':').all(|part| short(part, 0, 59).is_some())
        && fraction.chars().all(is_digit)
}

/// Returns true for a date such as `2026-01-31`, also with a time.
fn is_time(text: &str) -> bool {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, time) = text.split_at(end);
    is_date(date).unwrap_or(false)
        && match time.split_at_checked(1) {
            Some((" ", clock)) => is_clock(clock.trim_start_matches(' ')),
            Some((_, rest)) => without_zone(rest).is_some_and(is_clock),
            None => true,
        }
}

fn is_date(date: &str) -> Option<bool> {
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let is_year = year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit());
    let year: u32 = year.parse().ok().filter(|_| is_year)?;
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let days = match short(month, 1, 12)? {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    Some(short(day, 1, days).is_some())
}

/// Removes a time zone such as `Z` or `+01:00` from the end of a time.
fn without_zone(time: &str) -> Option<&str> {
    if let Some(clock) = time.strip_suffix('Z') {
        return Some(clock);
    }
    let (clock, zone) = time.split_at(time.rfind(['+', '-'])?);
    let (hours, minutes) = zone[1..].split_once(':')?;
    let is_zone = short(hours, 0, 24).is_some() && short(minutes, 0, 60).is_some();
    (is_zone && zone.len() == "+01:00".len()).then_some(clock)
}

/// Returns true for a time of day such as `9:05:00.25`.
fn is_clock(text: &str) -> bool {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let limits = [23, 59, 59];
    whole.split(':').count() == limits.len()
        && whole
            .split(':')
            .zip(limits)
            .all(|(part, most)| short(part, 0, most).is_some())
        && !fraction.is_empty()
        && fraction.bytes().all(|b| b.is_ascii_digit())
}

/// Returns a number of one or two digits, if the number is in the range.
fn short(text: &str, least: u32, most: u32) -> Option<u32> {
    let is_number = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number)?;
    (least..=most).contains(&number).then_some(number)
}

/// The number of characters in the last line of the output.
fn column(out: &str) -> usize {
    out.chars().rev().take_while(|c| *c != '\n').count()
}

fn push_line_break(out: &mut String, indent: usize) {
    out.push('\n');
    out.push_str(&" ".repeat(indent));
}

fn push_plain(out: &mut String, text: &str, indent: Option<usize>) {
    push_words(out, text, indent, |_| "");
}

fn push_single(out: &mut String, text: &str, indent: Option<usize>) {
    out.push('\'');
    push_words(out, text, indent, |c| if c == '\'' { "'" } else { "" });
    out.push('\'');
}

/// Appends the characters of a text. Before each character, writes the text that `before` returns for this character.
fn push_words(
    out: &mut String,
    text: &str,
    indent: Option<usize>,
    before: fn(char) -> &'static str,
) {
    let mut column = column(out);
    let mut follows_space = false;
    for (at, c) in text.char_indices() {
        let is_inside = at > 0 && at + 1 < text.len() && !text[at..].starts_with("  ");
        let can_break = c == ' ' && is_inside && !follows_space && column > WIDTH;
        follows_space = c == ' ';
        if let Some(indent) = indent.filter(|_| can_break) {
            push_line_break(out, indent);
            column = indent;
            continue;
        }
        out.push_str(before(c));
        out.push(c);
        column += before(c).len() + 1;
    }
}

fn push_double(out: &mut String, text: &str, indent: Option<usize>) {
    out.push('"');
    let mut column = column(out);
    let mut follows_space = false;
    for (at, c) in text.char_indices() {
        let is_inside = at > 0 && at + 1 < text.len();
        let can_break = c == ' ' && is_inside && !follows_space && column > WIDTH;
        follows_space = c == ' ';
        let start = out.len();
        match indent.filter(|_| can_break) {
            Some(indent) => {
                push_line_break(out, indent);
                // Without a backslash, a reader would remove the space at the start of the line.
                if text[at..].starts_with("  ") {
                    out.push('\\');
                }
                column = out.len() - start - 1;
            }
            None => {
                push_escaped(out, c);
                column += out[start..].chars().count();
            }
        }
    }
    out.push('"');
}

fn push_escaped(out: &mut String, c: char) {
    let short = match c {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        c if is_printable(c) => {
            out.push(c);
            return;
        }
        c => {
            let code = u32::from(c);
            // Writing to a string cannot fail.
            let _ = match code {
                0..=0xff => write!(out, "\\x{code:02X}"),
                0x100..=0xffff => write!(out, "\\u{code:04X}"),
                _ => write!(out, "\\U{code:08X}"),
            };
            return;
        }
    };
    out.extend(['\\', short]);
}

/// Appends a text with line breaks as a literal block (`|`). The caller ends the last line.
fn push_block(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    match text.strip_suffix('\n') {
        None => out.push('-'),
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => out.push('+'),
        Some(_) => {}
    }
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
            out.push_str(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> String {
        let mut out = "  f: ".to_owned();
        push(&mut out, text, Some(4));
        out["  f: ".len()..].to_owned()
    }

    // kubectl 1.32 has printed the expected texts.

    #[test]
    fn a_string_has_quotes_only_if_it_needs_them() {
        for text in [
            "a b",
            "x'y",
            "-x",
            ":a",
            "a,b",
            "é",
            "a\\b",
            "=",
            "<<",
            "tRue",
            "1e",
            "_1",
            "1:60",
            "2001-02-29",
            "2001-02-03T04:05Z",
            "0x",
            "0b2",
            "1e999",
            ".",
            "+",
        ] {
            assert_eq!(yaml(text), text);
        }
        for text in [
            "-", " a", "a ", "- a", "a: b", "a:", "a #b", "\"x", "{a", "?", "---", "%a", "@a", "#a",
        ] {
            assert_eq!(yaml(text), format!("'{text}'"));
        }
        for text in [
            "",
            "true",
            "On",
            "y",
            "Null",
            "~",
            "1",
            "1.5",
            "1e3",
            "1_000",
            "-0x1f",
            "0o7",
            ".5",
            "-.inf",
            ".NaN",
            "1:30",
            "2001-02-28",
            "2001-2-3 4:05:06.7",
            "2001-02-03T04:05:06+07:00",
            "18446744073709551615",
        ] {
            assert_eq!(yaml(text), format!("\"{text}\""));
        }
    }

    #[test]
    fn escapes_line_breaks_and_long_strings_are_those_of_kubectl() {
        for (text, expected) in [
            ("'x", "'''x'"),
            ("\t", "\"\\t\""),
            ("x\ry", "\"x\\ry\""),
            ("\u{1}", "\"\\x01\""),
            ("🙂", "\"\\U0001F642\""),
            ("a\"\t\\", "\"a\\\"\\t\\\\\""),
            ("a\nb", "|-\n    a\n    b"),
            ("a\n", "|\n    a"),
            ("a\n\n", "|+\n    a\n"),
            ("\n", "|2+\n"),
            (" a\nb", "|2-\n     a\n    b"),
            ("a \nb", "\"a \\nb\""),
            ("a\nb ", "\"a\\nb \""),
        ] {
            assert_eq!(yaml(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_string_is_continued_on_the_next_line() {
        let w = |count: usize, word: &str| vec![word; count].join(" ");
        let text = w(20, "word");
        let expected = [w(16, "word"), w(4, "word")].join("\n    ");
        assert_eq!(yaml(&text), expected);
        let text = format!("{} : end", w(20, "it's"));
        let expected = format!("'{}\n    {} : end'", w(13, "it''s"), w(7, "it''s"));
        assert_eq!(yaml(&text), expected);
        let text = format!("tab\t{}  end", w(20, "word"));
        let expected = format!("\"tab\\t{}\n    {}  end\"", w(15, "word"), w(5, "word"));
        assert_eq!(yaml(&text), expected);
        // A line ends at two spaces only between double quotes.
        let text = format!("{}  end", w(16, "word"));
        assert_eq!(yaml(&text), text);
        let text = format!("\t{}  end", w(15, "word"));
        let expected = format!("\"\\t{}\n    \\ end\"", w(15, "word"));
        assert_eq!(yaml(&text), expected);
    }

    #[test]
    fn a_name_is_on_one_line() {
        let name = "it's ".repeat(20);
        let mut out = String::new();
        push(&mut out, &name, None);
        assert!(!out.contains('\n'), "{out}");
    }
}
