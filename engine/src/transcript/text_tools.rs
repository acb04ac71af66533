//! Programs of Unix that only produce text: `printf`, `echo` and `seq`.
//!
//! Supported are the forms that appear in documents about etcd. Left out: field widths of `printf`.

/// The maximum size of the output of a program, in bytes.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// The maximum number of numbers that `seq` prints.
const NUMBERS_MAX: i64 = 100_000;

/// Returns the output of `printf FORMAT ARGUMENTS`. As in a shell, the format repeats until it has used all arguments.
pub(crate) fn printf(words: &[Vec<u8>]) -> Vec<u8> {
    let words = match words {
        [end, rest @ ..] if end == b"--" => rest,
        words => words,
    };
    let Some((format, mut arguments)) = words.split_first() else {
        return Vec::new();
    };
    let mut out = Vec::new();
    loop {
        let before = arguments.len();
        let goes_on = once(format, &mut arguments, &mut out);
        let is_used = arguments.len() < before;
        if !goes_on || arguments.is_empty() || !is_used || out.len() > OUTPUT_BYTES_MAX {
            return out;
        }
    }
}

/// Returns the output of `echo [-neE] WORDS`.
pub(crate) fn echo(words: &[Vec<u8>]) -> Vec<u8> {
    let is_flag = |word: &&Vec<u8>| {
        let letters = word.strip_prefix(b"-").unwrap_or_default();
        !letters.is_empty() && letters.iter().all(|letter| b"neE".contains(letter))
    };
    let flags = words.iter().take_while(is_flag).count();
    let (mut ends_line, mut has_escapes) = (true, false);
    for letter in words[..flags].iter().flat_map(|word| &word[1..]) {
        match letter {
            b'n' => ends_line = false,
            letter => has_escapes = *letter == b'e',
        }
    }
    let text = words[flags..].join(&b' ');
    let mut out = Vec::new();
    match has_escapes {
        true => ends_line &= once(&text, &mut &[][..], &mut out),
        false => out = text,
    }
    if ends_line {
        out.push(b'\n');
    }
    out
}

/// Prints the format once. Returns false if `\c` ends the output.
fn once(format: &[u8], arguments: &mut &[Vec<u8>], out: &mut Vec<u8>) -> bool {
    let mut rest = format;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match (byte, tail) {
            (b'\\', [b'c', ..]) => return false,
            (b'\\', [letter, after @ ..]) => {
                rest = after;
                match unescaped(*letter) {
                    Some(byte) => out.push(byte),
                    None => out.extend([b'\\', *letter]),
                }
            }
            (b'%', [b'%', after @ ..]) => {
                rest = after;
                out.push(b'%');
            }
            (
                b'%',
                [
                    kind @ (b's' | b'b' | b'd' | b'i' | b'u' | b'c' | b'q'),
                    after @ ..,
                ],
            ) => {
                rest = after;
                let argument = arguments.split_first().map(|(first, others)| {
                    *arguments = others;
                    first
                });
                match (kind, argument) {
                    (b'd' | b'i' | b'u', None) => out.push(b'0'),
                    (_, None) => {}
                    (b'c', Some(text)) => out.extend(text.first()),
                    (b'b', Some(text)) => {
                        once(text, &mut &[][..], out);
                    }
                    (_, Some(text)) => out.extend_from_slice(text),
                }
            }
            _ => out.push(*byte),
        }
    }
    true
}

fn unescaped(letter: u8) -> Option<u8> {
    Some(match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'0' => 0,
        b'"' | b'\'' | b'\\' => letter,
        _ => return None,
    })
}

/// Returns the numbers that `seq [FIRST [STEP]] LAST` prints; `None` if the arguments are not whole numbers.
pub(crate) fn seq(words: &[Vec<u8>]) -> Option<Vec<u8>> {
    let number = |word: &Vec<u8>| -> Option<i64> { std::str::from_utf8(word).ok()?.parse().ok() };
    let numbers: Vec<i64> = words.iter().map(number).collect::<Option<_>>()?;
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] if *step != 0 => (*first, *step, *last),
        _ => return None,
    };
    let count = last.checked_sub(first)?.checked_div(step)?.checked_add(1)?;
    if count > NUMBERS_MAX {
        return None;
    }
    let lines = (0..count.max(0)).map(|at| format!("{}\n", first + at * step));
    Some(lines.collect::<String>().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Vec<u8>> {
        line.split(' ')
            .map(|word| word.as_bytes().to_vec())
            .collect()
    }

    #[test]
    fn printf_repeats_its_format_and_reads_escapes() {
        for (line, printed) in [
            (r"%s\n a b", "a\nb\n"),
            (r"a=%s;%d\n x", "a=x;0\n"),
            (r"no\ttab 1", "no\ttab"),
            (r"100%%", "100%"),
            (r"%b x\ny", "x\ny"),
            (r"a\cb", "a"),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&printf(&words(line))),
                printed,
                "{line}"
            );
        }
    }

    #[test]
    fn seq_counts_up_and_down() {
        for (line, numbers) in [
            ("3", "1\n2\n3\n"),
            ("2 3", "2\n3\n"),
            ("6 -2 1", "6\n4\n2\n"),
            ("0", ""),
        ] {
            assert_eq!(
                seq(&words(line)),
                Some(numbers.as_bytes().to_vec()),
                "{line}"
            );
        }
        assert_eq!(seq(&words("1 0 3")), None);
        assert_eq!(seq(&words("1 9223372036854775807")), None);
    }
}
