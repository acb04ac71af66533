//! Simulated time: whole microseconds since the run began.

use std::fmt;
use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// A moment of simulated time, in microseconds since the start of the run.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct SimTime(pub u64);

/// A span of simulated time, in microseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct SimDuration(pub u64);

impl SimDuration {
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1000)
    }

    /// Parses a duration such as `10ms`, `5s`, `250us`, `2m` or `1h`, or a sum of durations as Go writes it (`1m30s`).
    ///
    /// ```
    /// use watchglass_engine::base::time::SimDuration;
    /// assert_eq!(SimDuration::parse("1.5s"), Some(SimDuration(1_500_000)));
    /// assert_eq!(SimDuration::parse("1m30s"), Some(SimDuration(90_000_000)));
    /// assert_eq!(SimDuration::parse("5"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        if text == "0" {
            return Some(Self(0));
        }
        let mut rest = text;
        let mut total: u64 = 0;
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
            let (number, tail) = rest.split_at(digits);
            let unit_len = tail
                .find(|c: char| c.is_ascii_digit() || c == '.')
                .unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(unit_len);
            let us_per_unit: u64 = match unit {
                "us" | "µs" => 1,
                "ms" => 1_000,
                "s" => 1_000_000,
                "m" => 60_000_000,
                "h" => 3_600_000_000,
                _ => return None,
            };
            total = total.checked_add(scale(number, us_per_unit)?)?;
            rest = tail;
        }
        Some(Self(total))
    }
}

/// Multiplies `number` (digits with at most one decimal point) by `unit`, in integer arithmetic.
fn scale(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut value = whole.checked_mul(unit)?;
    if !fraction.is_empty() {
        let part: u64 = fraction.parse().ok()?;
        value = value.checked_add(part.checked_mul(unit)? / 10u64.pow(fraction.len() as u32))?;
    }
    Some(value)
}

/// Saturates: a sum that is too large becomes the latest time, which is long after the end of every run.
impl Add<SimDuration> for SimTime {
    type Output = Self;
    fn add(self, d: SimDuration) -> Self {
        Self(self.0.saturating_add(d.0))
    }
}

impl Sub for SimTime {
    type Output = SimDuration;
    fn sub(self, other: Self) -> SimDuration {
        SimDuration(self.0 - other.0)
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} s", self.0 / 1_000_000, self.0 / 1_000 % 1_000)
    }
}

impl fmt::Display for SimDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            us if us < 1_000 => write!(f, "{us} µs"),
            us if us < 1_000_000 => match us % 1_000 / 100 {
                0 => write!(f, "{} ms", us / 1_000),
                tenth => write!(f, "{}.{tenth} ms", us / 1_000),
            },
            us => match us % 1_000_000 / 1_000 {
                0 => write!(f, "{} s", us / 1_000_000),
                ms => write!(f, "{}.{ms:03} s", us / 1_000_000),
            },
        }
    }
}
