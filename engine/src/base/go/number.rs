//! Parses numbers, booleans and durations like Go's `strconv` and `time`, with Go's error messages.
//!
//! Mirrors `strconv.ParseInt`, `strconv.ParseBool` and `time.ParseDuration`.

use super::quote::quoted;

/// Parses an integer like `strconv.ParseInt(text, base, 64)`. For base 0, the prefix of the text selects the base, and
/// `_` is allowed between digits.
pub(crate) fn parse_int(text: &[u8], base: u32) -> Result<i64, String> {
    let complain = |why| NumberError::text(why, "ParseInt", text);
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let value = magnitude(digits, base).map_err(complain)?;
    if value > i64::MAX as u64 + u64::from(negative) {
        return Err(complain(NumberError::Range));
    }
    Ok(if negative {
        (value as i64).wrapping_neg()
    } else {
        value as i64
    })
}

/// Parses an unsigned integer like `strconv.ParseUint(text, base, 64)`.
pub(crate) fn parse_uint(text: &[u8], base: u32) -> Result<u64, String> {
    magnitude(text, base).map_err(|why| NumberError::text(why, "ParseUint", text))
}

/// The reason why Go refuses a number.
#[derive(Clone, Copy)]
enum NumberError {
    Syntax,
    Range,
}

impl NumberError {
    fn text(self, function: &str, number: &[u8]) -> String {
        let what = match self {
            Self::Syntax => "invalid syntax",
            Self::Range => "value out of range",
        };
        format!("strconv.{function}: parsing {}: {what}", quoted(number))
    }
}

/// Parses a number without a sign.
fn magnitude(digits: &[u8], base: u32) -> Result<u64, NumberError> {
    let (base, digits) = match base {
        0 => detect_base(digits).ok_or(NumberError::Syntax)?,
        _ => (base, digits.to_vec()),
    };
    if digits.is_empty() {
        return Err(NumberError::Syntax);
    }
    let mut value: u64 = 0;
    for byte in digits {
        let digit = char::from(byte).to_digit(base);
        let digit = u64::from(digit.ok_or(NumberError::Syntax)?);
        // Go stops at the first overflow, so it does not report invalid digits after this position.
        let next = value.checked_mul(u64::from(base));
        let next = next.and_then(|value| value.checked_add(digit));
        value = next.ok_or(NumberError::Range)?;
    }
    Ok(value)
}

/// Returns the base that the number's prefix selects, and the digits without prefix and underscores.
fn detect_base(text: &[u8]) -> Option<(u32, Vec<u8>)> {
    let (base, prefix, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, true, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, true, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, true, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, true, rest),
        _ => (10, false, text),
    };
    // An underscore is valid between two digits and between the prefix and a digit.
    let mut after_digit = prefix;
    for byte in digits {
        match byte {
            b'_' if !after_digit => return None,
            b'_' => after_digit = false,
            _ => after_digit = true,
        }
    }
    if digits.is_empty() || !after_digit {
        return None;
    }
    Some((
        base,
        digits.iter().copied().filter(|b| *b != b'_').collect(),
    ))
}

/// Parses a boolean like `strconv.ParseBool`.
pub(crate) fn parse_bool(text: &[u8]) -> Result<bool, String> {
    match text {
        b"1" | b"t" | b"T" | b"true" | b"TRUE" | b"True" => Ok(true),
        b"0" | b"f" | b"F" | b"false" | b"FALSE" | b"False" => Ok(false),
        _ => Err(format!(
            "strconv.ParseBool: parsing {}: invalid syntax",
            quoted(text)
        )),
    }
}

/// Checks that `time.ParseDuration` accepts the text. The duration itself is not needed, because a simulated member
/// always responds before a timeout.
pub(crate) fn check_duration(text: &[u8]) -> Result<(), String> {
    let invalid = || format!("time: invalid duration {}", quoted(text));
    let mut rest = match text {
        [b'-' | b'+', rest @ ..] => rest,
        _ => text,
    };
    if rest == b"0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    while !rest.is_empty() {
        let number = rest
            .iter()
            .position(|b| !b.is_ascii_digit() && *b != b'.')
            .unwrap_or(rest.len());
        let digits = &rest[..number];
        let dots = digits.iter().filter(|b| **b == b'.').count();
        if digits.len() == dots || dots > 1 {
            return Err(invalid());
        }
        rest = &rest[number..];
        let length = rest
            .iter()
            .position(|b| b.is_ascii_digit() || *b == b'.')
            .unwrap_or(rest.len());
        let unit = &rest[..length];
        rest = &rest[length..];
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", quoted(text)));
        }
        let known: [&[u8]; 8] = [
            b"ns",
            b"us",
            "µs".as_bytes(),
            "μs".as_bytes(),
            b"ms",
            b"s",
            b"m",
            b"h",
        ];
        if !known.contains(&unit) {
            let name = quoted(unit);
            return Err(format!(
                "time: unknown unit {name} in duration {}",
                quoted(text)
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_base() {
        for (text, value) in [
            ("0", 0),
            ("-1", -1),
            ("+3", 3),
            ("0x1", 1),
            ("010", 8),
            ("0o17", 15),
            ("0b11", 3),
            ("1_000", 1000),
            ("0x_f", 15),
            ("-0x8000000000000000", i64::MIN),
        ] {
            assert_eq!(parse_int(text.as_bytes(), 0), Ok(value), "{text}");
        }
        for text in [
            "", "abc", "1.5", "1__0", "_1", "1_", " 1", "0x", "08", "--1", "0b2",
        ] {
            assert_eq!(
                parse_int(text.as_bytes(), 0),
                Err(format!(
                    "strconv.ParseInt: parsing {text:?}: invalid syntax"
                ))
            );
        }
        assert_eq!(
            parse_int(b"-0x8000000000000001", 0),
            Err("strconv.ParseInt: parsing \"-0x8000000000000001\": value out of range".into())
        );
    }

    #[test]
    fn a_fixed_base_knows_no_prefix() {
        assert_eq!(parse_int(b"010", 10), Ok(10));
        assert_eq!(parse_int(b"-7", 16), Ok(-7));
        assert_eq!(parse_int(b"fF", 16), Ok(255));
        assert!(parse_int(b"0x7", 10).is_err());
        assert!(parse_int(b"1_0", 10).is_err());
        assert!(
            parse_int(b"99999999999999999999", 10)
                .unwrap_err()
                .ends_with("value out of range")
        );
    }

    #[test]
    fn durations() {
        for good in ["5s", "1m30s", "1.5h", "0", "-2ms", ".5s"] {
            assert_eq!(check_duration(good.as_bytes()), Ok(()), "{good}");
        }
        assert_eq!(
            check_duration(b"abc").unwrap_err(),
            "time: invalid duration \"abc\""
        );
        assert_eq!(
            check_duration(b"5").unwrap_err(),
            "time: missing unit in duration \"5\""
        );
        assert_eq!(
            check_duration(b"5x").unwrap_err(),
            "time: unknown unit \"x\" in duration \"5x\""
        );
    }
}
