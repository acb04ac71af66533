//! Dates of objects, such as `metadata.creationTimestamp`.
//!
//! Mirrors `metav1.Time`, which has whole seconds, and `HumanDuration` of `apimachinery/pkg/util/duration`. Each run
//! starts at the same date.

use crate::base::time::SimTime;

/// The date at which each run starts, in seconds since 1970: 2026-01-01.
const START_S: u64 = 1_767_225_600;

const DAY_S: u64 = 86_400;

/// The last second of the year 9999, in seconds since 1970.
pub const SECONDS_MAX: u64 = 253_402_300_799;

/// Returns the date of a simulated time, for example `2026-01-01T00:00:05Z`.
///
/// ```
/// use watchglass_engine::base::time::SimTime;
/// use watchglass_engine::kube::timestamp;
/// let date = timestamp::date(SimTime(90_061_500_000));
/// assert_eq!(date, "2026-01-02T01:01:01Z");
/// assert_eq!(timestamp::age(&date, SimTime(90_191_500_000)).as_deref(), Some("2m10s"));
/// assert_eq!(timestamp::age("yesterday", SimTime(0)), None);
/// ```
pub fn date(at: SimTime) -> String {
    format(START_S + at.0 / 1_000_000)
}

/// Formats seconds since 1970, up to [`SECONDS_MAX`], as a date in UTC.
pub fn format(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / DAY_S);
    let rest = seconds % DAY_S;
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns the time from a date until `now` as kubectl prints ages; `None` if the text is not a date of this module.
pub fn age(date: &str, now: SimTime) -> Option<String> {
    let then = seconds_since_start(date)?;
    Some(human_duration((now.0 / 1_000_000).saturating_sub(then)))
}

/// Returns the seconds between the start of a run and a date; 0 for an earlier date.
fn seconds_since_start(date: &str) -> Option<u64> {
    Some(parse(date)?.unsigned_abs().saturating_sub(START_S))
}

/// Reads a date in UTC with whole seconds as seconds since 1970.
pub fn parse(date: &str) -> Option<i64> {
    let (day, time) = date.strip_suffix('Z')?.split_once('T')?;
    let numbers = |text: &str, separator: char| -> Option<[u64; 3]> {
        let parts: Vec<u64> = text
            .split(separator)
            .map_while(|part| part.parse().ok())
            .collect();
        parts.try_into().ok()
    };
    let [year, month, day] = numbers(day, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let is_valid =
        (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let days = is_valid.then(|| days(year, month, day))?;
    let seconds = days * DAY_S + hour.min(23) * 3_600 + minute.min(59) * 60 + second.min(60);
    i64::try_from(seconds).ok()
}

/// Formats a duration in seconds with two or three significant digits (`HumanDuration`).
fn human_duration(seconds: u64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    let two = |large: u64, unit: &str, small: u64, unit_of_small: &str| match small {
        0 => format!("{large}{unit}"),
        small => format!("{large}{unit}{small}{unit_of_small}"),
    };
    match (seconds, minutes, hours) {
        (0..120, ..) => format!("{seconds}s"),
        (_, 0..10, _) => two(minutes, "m", seconds % 60, "s"),
        (_, 0..180, _) => format!("{minutes}m"),
        (_, _, 0..8) => two(hours, "h", minutes % 60, "m"),
        (_, _, 0..48) => format!("{hours}h"),
        (_, _, 0..192) => two(hours / 24, "d", hours % 24, "h"),
        (_, _, 0..17_520) => format!("{}d", hours / 24),
        (_, _, 0..70_080) => two(hours / 24 / 365, "y", hours / 24 % 365, "d"),
        _ => format!("{}y", hours / 24 / 365),
    }
}

/// Returns year, month and day of a day, which is counted from 1970-01-01.
fn civil(days: u64) -> (u64, u64, u64) {
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    while left >= days_of(year, month) {
        left -= days_of(year, month);
        month += 1;
    }
    (year, month, left + 1)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of days from 1970-01-01 to a date.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let years = (1970..year).map(|year| 337 + days_of(year, 2));
    let months = (1..month).map(|month| days_of(year, month));
    years.sum::<u64>() + months.sum::<u64>() + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_reads_back() {
        for seconds in [0, 1, 86_399, 5_184_000, 31_535_999, 68_256_000, 999_999_999] {
            let at = SimTime(seconds * 1_000_000);
            assert_eq!(
                seconds_since_start(&date(at)),
                Some(seconds),
                "{}",
                date(at)
            );
        }
        assert_eq!(date(SimTime(68_256_000_000_000)), "2028-03-01T00:00:00Z");
        assert_eq!(age("1969-01-01T00:00:00Z", SimTime(0)), None);
    }

    #[test]
    fn ages_have_the_units_of_kubectl() {
        for (seconds, text) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (14_460, "4h1m"),
            (28_800, "8h"),
            (172_800, "2d"),
            (176_400, "2d1h"),
            (691_200, "8d"),
            (63_072_000, "2y"),
            (63_158_400, "2y1d"),
        ] {
            assert_eq!(human_duration(seconds), text);
        }
    }
}
