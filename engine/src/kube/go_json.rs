//! A reader of JSON and base64 with the error messages of Go's decoders.
//!
//! Mirrors the scanner and the literals of `encoding/json`, and `base64.RawURLEncoding`. Left out: the maximum depth.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JsonValue {
    Null,
    Bool,
    /// A number, as written.
    Number(String),
    Text(String),
    Array,
    Object(Vec<(String, Self)>),
}

impl JsonValue {
    /// Returns the name of the kind in an error about a wrong type.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::Array => "array",
            Self::Object(_) => "object",
        }
    }
}

/// Decodes base64 in the URL alphabet without padding. Ignores line ends, as Go does.
pub(super) fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let wrong = |place: usize| format!("illegal base64 data at input byte {place}");
    let mut out = Vec::new();
    let (mut group, mut count) = (0_u32, 0);
    let mut last = 0;
    for (place, byte) in text.bytes().enumerate() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            b'\r' | b'\n' => continue,
            _ => return Err(wrong(place)),
        };
        (group, count, last) = (group << 6 | u32::from(digit), count + 1, place);
        if count == 4 {
            out.extend_from_slice(&group.to_be_bytes()[1..]);
            (group, count) = (0, 0);
        }
    }
    match count {
        0 => {}
        1 => return Err(wrong(last)),
        count => {
            let bytes = (group << (6 * (4 - count))).to_be_bytes();
            out.extend_from_slice(&bytes[1..count as usize]);
        }
    }
    Ok(out)
}

/// Parses a JSON value that takes up the whole text.
pub(super) fn parse(text: &[u8]) -> Result<JsonValue, String> {
    let mut scan = Scan { text, at: 0 };
    let value = scan.value()?;
    match scan.next_inside() {
        None => Ok(value),
        Some(byte) => Err(unexpected(byte, "after top-level value")),
    }
}

const TOO_SHORT: &str = "unexpected end of JSON input";

fn unexpected(byte: u8, context: &str) -> String {
    let quoted = match byte {
        b'\'' => r"\'".to_owned(),
        b'"' => "\"".to_owned(),
        b'\\' => r"\\".to_owned(),
        b'\n' => r"\n".to_owned(),
        b'\r' => r"\r".to_owned(),
        b'\t' => r"\t".to_owned(),
        0x07 => r"\a".to_owned(),
        0x08 => r"\b".to_owned(),
        0x0b => r"\v".to_owned(),
        0x0c => r"\f".to_owned(),
        0..0x20 | 0x7f => format!("\\x{byte:02x}"),
        // Go quotes the byte as the character with this number.
        0x80..0xa0 | 0xad => format!("\\u{byte:04x}"),
        byte => char::from(byte).to_string(),
    };
    format!("invalid character '{quoted}' {context}")
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += 1;
        byte
    }

    /// Returns the next byte that is not white space.
    fn next_inside(&mut self) -> Option<u8> {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.next()
    }

    fn value(&mut self) -> Result<JsonValue, String> {
        let first = self.next_inside().ok_or(TOO_SHORT)?;
        match first {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => self.string().map(JsonValue::Text),
            b'-' | b'0'..=b'9' => {
                self.at -= 1;
                self.number()
            }
            b't' => self.literal("true", JsonValue::Bool),
            b'f' => self.literal("false", JsonValue::Bool),
            b'n' => self.literal("null", JsonValue::Null),
            byte => Err(unexpected(byte, "looking for beginning of value")),
        }
    }

    fn literal(&mut self, word: &str, value: JsonValue) -> Result<JsonValue, String> {
        for expected in word.bytes().skip(1) {
            let byte = self.next().ok_or(TOO_SHORT)?;
            if byte != expected {
                let context = format!("in literal {word} (expecting '{}')", char::from(expected));
                return Err(unexpected(byte, &context));
            }
        }
        Ok(value)
    }

    fn object(&mut self) -> Result<JsonValue, String> {
        let mut fields = Vec::new();
        let mut byte = self.next_inside().ok_or(TOO_SHORT)?;
        if byte == b'}' {
            return Ok(JsonValue::Object(fields));
        }
        loop {
            if byte != b'"' {
                return Err(unexpected(
                    byte,
                    "looking for beginning of object key string",
                ));
            }
            let name = self.string()?;
            match self.next_inside().ok_or(TOO_SHORT)? {
                b':' => {}
                byte => return Err(unexpected(byte, "after object key")),
            }
            fields.push((name, self.value()?));
            match self.next_inside().ok_or(TOO_SHORT)? {
                b'}' => return Ok(JsonValue::Object(fields)),
                b',' => byte = self.next_inside().ok_or(TOO_SHORT)?,
                byte => return Err(unexpected(byte, "after object key:value pair")),
            }
        }
    }

    fn array(&mut self) -> Result<JsonValue, String> {
        if self.next_inside().ok_or(TOO_SHORT)? == b']' {
            return Ok(JsonValue::Array);
        }
        self.at -= 1;
        loop {
            self.value()?;
            match self.next_inside().ok_or(TOO_SHORT)? {
                b']' => return Ok(JsonValue::Array),
                b',' => {}
                byte => return Err(unexpected(byte, "after array element")),
            }
        }
    }

    fn number(&mut self) -> Result<JsonValue, String> {
        let start = self.at;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        match self.next().ok_or(TOO_SHORT)? {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            byte => return Err(unexpected(byte, "in numeric literal")),
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digit("after decimal point in numeric literal")?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.text.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digit("in exponent of numeric literal")?;
        }
        let written = &self.text[start..self.at];
        Ok(JsonValue::Number(
            String::from_utf8_lossy(written).into_owned(),
        ))
    }

    fn digit(&mut self, context: &str) -> Result<(), String> {
        match self.next().ok_or(TOO_SHORT)? {
            b'0'..=b'9' => {
                self.digits();
                Ok(())
            }
            byte => Err(unexpected(byte, context)),
        }
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<String, String> {
        let mut out = Vec::new();
        // The first half of a pair of `\u` escapes.
        let mut half: Option<u32> = None;
        loop {
            let byte = self.next().ok_or(TOO_SHORT)?;
            let code = match byte {
                b'\\' => match self.next().ok_or(TOO_SHORT)? {
                    b'b' => 0x08,
                    b'f' => 0x0c,
                    b'n' => 0x0a,
                    b'r' => 0x0d,
                    b't' => 0x09,
                    byte @ (b'\\' | b'/' | b'"') => u32::from(byte),
                    b'u' => {
                        let code = self.hexadecimal()?;
                        if let (Some(high), 0xdc00..0xe000) = (half, code) {
                            half = None;
                            let both = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
                            push(&mut out, both);
                            continue;
                        }
                        if (0xd800..0xdc00).contains(&code) {
                            if half.replace(code).is_some() {
                                push(&mut out, REPLACEMENT);
                            }
                            continue;
                        }
                        code
                    }
                    byte => return Err(unexpected(byte, "in string escape code")),
                },
                0..0x20 => return Err(unexpected(byte, "in string literal")),
                byte => {
                    if half.take().is_some() {
                        push(&mut out, REPLACEMENT);
                    }
                    if byte == b'"' {
                        return Ok(String::from_utf8_lossy(&out).into_owned());
                    }
                    out.push(byte);
                    continue;
                }
            };
            if half.take().is_some() {
                push(&mut out, REPLACEMENT);
            }
            push(&mut out, code);
        }
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            let byte = self.next().ok_or(TOO_SHORT)?;
            let digit = char::from(byte).to_digit(16);
            let context = "in \\u hexadecimal character escape";
            code = code << 4 | digit.ok_or_else(|| unexpected(byte, context))?;
        }
        Ok(code)
    }
}

/// The character that replaces half a pair of escapes.
const REPLACEMENT: u32 = 0xfffd;

fn push(out: &mut Vec<u8>, code: u32) {
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_texts_of_go() {
        for (text, expected) in [
            ("", TOO_SHORT),
            ("{\"a\":1", TOO_SHORT),
            ("x", "invalid character 'x' looking for beginning of value"),
            (
                "'",
                r"invalid character '\'' looking for beginning of value",
            ),
            ("{}x", "invalid character 'x' after top-level value"),
            (
                "{a",
                "invalid character 'a' looking for beginning of object key string",
            ),
            ("{\"a\" 1", "invalid character '1' after object key"),
            (
                "{\"a\":1 2",
                "invalid character '2' after object key:value pair",
            ),
            ("[1 2", "invalid character '2' after array element"),
            (
                "[1,]",
                "invalid character ']' looking for beginning of value",
            ),
            ("-x", "invalid character 'x' in numeric literal"),
            ("01", "invalid character '1' after top-level value"),
            (
                "1.x",
                "invalid character 'x' after decimal point in numeric literal",
            ),
            (
                "1e+x",
                "invalid character 'x' in exponent of numeric literal",
            ),
            (
                "nul!",
                "invalid character '!' in literal null (expecting 'l')",
            ),
            ("\"\n\"", r"invalid character '\n' in string literal"),
            (r#""\x""#, "invalid character 'x' in string escape code"),
            (
                r#""\u00g0""#,
                r"invalid character 'g' in \u hexadecimal character escape",
            ),
        ] {
            assert_eq!(parse(text.as_bytes()), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn strings_are_decoded() {
        for (text, expected) in [
            (r#""a\u0000\/\"""#, "a\0/\""),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud83dx\ude00""#, "\u{fffd}x\u{fffd}"),
        ] {
            assert_eq!(
                parse(text.as_bytes()),
                Ok(JsonValue::Text(expected.to_owned()))
            );
        }
        assert_eq!(decode_base64("-_8").unwrap(), b"\xfb\xff");
        let wrong = decode_base64("ab==").unwrap_err();
        assert_eq!(wrong, "illegal base64 data at input byte 2");
        let wrong = decode_base64("abcde").unwrap_err();
        assert_eq!(wrong, "illegal base64 data at input byte 4");
    }
}
