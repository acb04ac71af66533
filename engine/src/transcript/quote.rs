//! Quotes bytes as a word of the shell. The result is the simplest form that the shell reads back to the same bytes.

/// Appends `word` to `line`, after a space if `line` is not empty.
pub(crate) fn push_word(line: &mut String, word: &[u8]) {
    match std::str::from_utf8(word) {
        Ok(text) if !text.is_empty() && text.bytes().all(is_plain) && !text.starts_with('#') => {
            push_space(line);
            line.push_str(text);
        }
        _ => push_quoted(line, word),
    }
}

/// Appends `word` like [`push_word`], but in quotes even if no quotes are needed.
pub(crate) fn push_quoted(line: &mut String, word: &[u8]) {
    push_space(line);
    match std::str::from_utf8(word) {
        Ok(text) if !text.chars().any(char::is_control) => push_single(line, text),
        _ => push_escaped(line, word),
    }
}

fn push_space(line: &mut String) {
    if !line.is_empty() {
        line.push(' ');
    }
}

/// Returns true if the byte can be part of a word without quotes.
fn is_plain(byte: u8) -> bool {
    byte >= 0x80 || byte.is_ascii_alphanumeric() || b"%+,-./:=@_^#{}[]~*?!".contains(&byte)
}

/// Appends a text in single quotes.
pub(crate) fn push_single(line: &mut String, text: &str) {
    line.push('\'');
    for (i, part) in text.split('\'').enumerate() {
        if i > 0 {
            line.push_str("'\\''");
        }
        line.push_str(part);
    }
    line.push('\'');
}

fn push_escaped(line: &mut String, word: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    line.push_str("$'");
    for chunk in word.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => line.push_str("\\n"),
                '\t' => line.push_str("\\t"),
                '\r' => line.push_str("\\r"),
                '\'' | '\\' => {
                    line.push('\\');
                    line.push(c);
                }
                c if c.is_control() => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        push_hex(line, byte, HEX);
                    }
                }
                c => line.push(c),
            }
        }
        for byte in chunk.invalid() {
            push_hex(line, *byte, HEX);
        }
    }
    line.push('\'');
}

fn push_hex(line: &mut String, byte: u8, hex: &[u8; 16]) {
    line.push_str("\\x");
    line.push(char::from(hex[usize::from(byte >> 4)]));
    line.push(char::from(hex[usize::from(byte & 15)]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::lexer::{Token, WordPiece, lex};

    #[test]
    fn every_word_reads_back() {
        let words: [&[u8]; 9] = [
            b"/key1",
            b"",
            b"a b",
            b"it's",
            b"\xff\x00\n'\\",
            b"a;b|c",
            b"#x",
            "ü 😀".as_bytes(),
            b"$i",
        ];
        for word in words {
            let mut line = String::new();
            push_word(&mut line, word);
            let tokens = lex(line.as_bytes()).unwrap();
            let [Token::Word(read)] = tokens.as_slice() else {
                panic!("{line} is not one word");
            };
            assert_eq!(read.pieces, [WordPiece::Text(word.to_vec())], "{line}");
        }
    }
}
