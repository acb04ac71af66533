//! Parses durations, byte sizes, counts and fractions as the user types them, and formats setting values.

use crate::base::time::SimDuration;
use crate::kube::object::SIZE_BYTES_MAX;
use crate::sim::cost::CostUnit;
use crate::world::setting::{Setting, Unit};

/// The maximum duration in a command: a day, so that sums of durations never overflow.
const DURATION_MAX: SimDuration = SimDuration(86_400_000_000);

/// Parses a duration such as `5ms` or `1m30s`, at most a day.
pub(in crate::shell) fn duration(text: &[u8]) -> Option<SimDuration> {
    let length = SimDuration::parse(std::str::from_utf8(text).ok()?)?;
    (length <= DURATION_MAX).then_some(length)
}

/// Parses a positive or negative duration such as `-200ms` or `200ms`. The result is in microseconds.
pub(in crate::shell) fn signed_duration(text: &[u8]) -> Option<i64> {
    let (negative, text) = sign(text);
    let us = i64::try_from(duration(text)?.0).ok()?;
    Some(if negative { -us } else { us })
}

/// Parses a positive or negative number such as `-50` or `50`.
pub(in crate::shell) fn signed_count(text: &[u8]) -> Option<i64> {
    let (negative, text) = sign(text);
    let n = i64::try_from(count(text)?).ok()?;
    Some(if negative { -n } else { n })
}

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

pub(in crate::shell) fn count(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Parses a byte size such as `4096`, `64KiB` or `1MB`.
pub(in crate::shell) fn bytes(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        b"" | b"B" => 1,
        b"kB" | b"KB" => 1_000,
        b"MB" => 1_000_000,
        b"GB" => 1_000_000_000,
        b"KiB" => 1 << 10,
        b"MiB" => 1 << 20,
        b"GiB" => 1 << 30,
        _ => return None,
    };
    count(number)?.checked_mul(unit)
}

/// Parses the size of an object, such as `5kB`. The maximum is etcd's maximum request size.
pub(in crate::shell) fn object_size(text: &[u8]) -> Option<u64> {
    bytes(text).filter(|size| *size <= SIZE_BYTES_MAX)
}

/// Describes the valid sizes of an object, for error messages.
pub(in crate::shell) const OBJECT_SIZE: &str = "a size such as 5kB, at most 1536KiB";

/// Parses a fraction such as `1/10` and returns the denominator, here 10. Returns 0 for the text `0`, which means
/// never.
pub(in crate::shell) fn one_in(text: &[u8]) -> Option<u32> {
    let number = match text {
        b"0" => return Some(0),
        [b'1', b'/', number @ ..] => count(number)?,
        _ => return None,
    };
    u32::try_from(number).ok().filter(|n| *n > 0)
}

/// Parses a price or capacity of a cost model; `None` if the value is out of range.
pub(in crate::shell) fn cost(unit: CostUnit, text: &[u8]) -> Option<u64> {
    match unit {
        CostUnit::Picoseconds => picoseconds(text),
        CostUnit::Bytes | CostUnit::BytesPerSecond => {
            bytes(text).filter(|bytes| *bytes <= 1_000_000_000_000)
        }
        CostUnit::Count => count(text).filter(|n| (1..=1_024).contains(n)),
    }
}

/// Describes the valid prices and capacities of a cost model, for error messages.
pub(in crate::shell) fn cost_values(unit: CostUnit) -> &'static str {
    match unit {
        CostUnit::Picoseconds => "a duration such as 9.94us or 5ns, at most 60s",
        CostUnit::Bytes => "a number of bytes such as 32GB, at most 1000GB; 0 for no limit",
        CostUnit::BytesPerSecond => "a number of bytes per second such as 125MB; 0 for no limit",
        CostUnit::Count => "a number from 1 to 1024",
    }
}

/// Parses a duration such as `9.94us` or `5ns`, at most a minute. The result is in picoseconds.
fn picoseconds(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let per_unit: u64 = match unit {
        "" if number == "0" => 1,
        "ps" => 1,
        "ns" => 1_000,
        "us" | "µs" => 1_000_000,
        "ms" => 1_000_000_000,
        "s" => 1_000_000_000_000,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let mut ps = count(whole.as_bytes())?.checked_mul(per_unit)?;
    let mut place = per_unit;
    for digit in part.chars() {
        place /= 10;
        ps = ps.checked_add(u64::from(digit.to_digit(10)?) * place)?;
    }
    (ps <= 60_000_000_000_000).then_some(ps)
}

/// Parses a value for a setting. The result is in the setting's unit; `None` if the value is out of range.
pub(in crate::shell) fn setting(info: &Setting, text: &[u8]) -> Option<u64> {
    let value = match info.unit {
        Unit::Count => count(text)?,
        Unit::Bytes => bytes(text)?,
        Unit::Micros => duration(text)?.0,
    };
    let (least, most) = info.range;
    (least..=most).contains(&value).then_some(value)
}

/// Describes the valid values of a setting: "a duration such as 20ms, from 1ms to 1h".
pub(in crate::shell) fn values_of(info: &Setting) -> String {
    let (least, most) = info.range;
    let what = match info.unit {
        Unit::Count => "a number",
        Unit::Bytes => "a number of bytes such as 64KiB,",
        Unit::Micros => "a duration such as 20ms,",
    };
    let (least, most) = (value_of(info, least), value_of(info, most));
    format!("{what} from {least} to {most}")
}

/// Formats a value of a setting in the form that the user types: `128`, `64KiB`, `100ms`.
pub(in crate::shell) fn value_of(info: &Setting, value: u64) -> String {
    let units: &[(u64, &str)] = match info.unit {
        Unit::Count => &[],
        Unit::Bytes => &[(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")],
        Unit::Micros => &[
            (3_600_000_000, "h"),
            (60_000_000, "m"),
            (1_000_000, "s"),
            (1_000, "ms"),
            (1, "us"),
        ],
    };
    let fits = |unit: &&(u64, &str)| value > 0 && value.is_multiple_of(unit.0);
    match units.iter().find(fits) {
        Some((unit, name)) => format!("{}{}", (value / unit), *name),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::setting::SETTINGS;

    #[test]
    fn amounts_have_units() {
        assert_eq!(bytes(b"64KiB"), Some(65_536));
        assert_eq!(bytes(b"1MB"), Some(1_000_000));
        assert_eq!(bytes(b"0"), Some(0));
        for text in [
            "",
            "KiB",
            "1 KiB",
            "1XB",
            "-1",
            "99999999999999999999",
            "18446744073709551615KiB",
        ] {
            assert_eq!(bytes(text.as_bytes()), None, "{text}");
        }
        assert_eq!(object_size(b"1536KiB"), Some(SIZE_BYTES_MAX));
        assert!(OBJECT_SIZE.ends_with("1536KiB"));
        assert_eq!(object_size(b"1572865"), None);
        assert_eq!(object_size(b"18446744073709551615"), None);
        assert_eq!(duration(b"24h"), Some(DURATION_MAX));
        assert_eq!(duration(b"24h1us"), None);
        assert_eq!(signed_duration(b"-1.5s"), Some(-1_500_000));
        assert_eq!(signed_duration(b"--1s"), None);
        assert_eq!(signed_count(b"+50"), Some(50));
        assert_eq!((one_in(b"1/10"), one_in(b"0")), (Some(10), Some(0)));
        for text in ["1/0", "2/10", "1/", "10%", "1/4294967296"] {
            assert_eq!(one_in(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn every_setting_takes_its_default_and_the_ends_of_its_range() {
        for info in &SETTINGS {
            for value in [info.default, info.range.0, info.range.1] {
                let text = value_of(info, value);
                assert_eq!(
                    setting(info, text.as_bytes()),
                    Some(value),
                    "{} {text}",
                    info.name
                );
            }
        }
    }
}
