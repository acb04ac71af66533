//! Random gaps between independent events: exponentially distributed times in whole microseconds.
//!
//! The logarithm is computed in fixed point from a table, so that every machine draws the same gaps.

use crate::base::rng::Rng;
use crate::base::time::SimDuration;

/// The rate of events, in thousandths of an event per second. With rate 0, no event occurs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Rate(pub u64);

/// The number of steps in the logarithm table, which covers the numbers from 1 to 2.
const STEPS: usize = 256;
/// The logarithm table: entry `i` is log2(1 + i/256) in units of 2^-32.
const LOG2: [u64; STEPS + 1] = log2_table();
/// The value of ln 2 in units of 2^-32.
const LN2: u64 = 2_977_044_472;

const fn log2_table() -> [u64; STEPS + 1] {
    let mut table = [0; STEPS + 1];
    let mut i = 0;
    while i < STEPS {
        // Squares the mantissa, in units of 2^-63, once per bit of the logarithm. An overflow means that the bit is 1.
        let mut y = (1_u128 << 63) + ((i as u128) << 55);
        let (mut log, mut bit) = (0, 0);
        while bit < 32 {
            y = (y * y) >> 63;
            log <<= 1;
            if y >= 1 << 64 {
                y >>= 1;
                log |= 1;
            }
            bit += 1;
        }
        table[i] = log;
        i += 1;
    }
    table[STEPS] = 1 << 32;
    table
}

/// Draws a random, exponentially distributed number with mean 1, in units of 2^-32.
fn unit(rng: &mut Rng) -> u64 {
    let drawn = rng.next_u64() | 1;
    let zeros = drawn.leading_zeros();
    let mantissa = drawn << zeros;
    let step = ((mantissa >> 55) & 0xff) as usize;
    let rest = (mantissa >> 31) & 0xff_ffff;
    let log = LOG2[step] + (((LOG2[step + 1] - LOG2[step]) * rest) >> 24);
    // The value of -log2(x / 2^64) for the drawn number x.
    let bits = ((u64::from(zeros) + 1) << 32) - log;
    ((u128::from(bits) * u128::from(LN2)) >> 32) as u64
}

impl Rate {
    pub const fn per_second(times: u64) -> Self {
        Self(times * 1_000)
    }

    pub fn is_never(self) -> bool {
        self.0 == 0
    }

    /// Returns the mean gap between events, or `None` if the rate is 0.
    pub fn mean(self) -> Option<SimDuration> {
        (self.0 > 0).then(|| SimDuration(1_000_000_000 / self.0))
    }

    /// Draws a random gap between events. Returns `None` if the rate is 0.
    pub fn gap(self, rng: &mut Rng) -> Option<SimDuration> {
        (self.0 > 0).then(|| {
            let us = u128::from(unit(rng)) * 1_000_000_000 / u128::from(self.0);
            SimDuration(((us + (1 << 31)) >> 32) as u64)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_exponential() {
        let mut rng = Rng::stream(1, "gaps");
        let rate = Rate::per_second(10);
        let draws = 200_000;
        let mut gaps: Vec<u64> = (0..draws)
            .filter_map(|_| Some(rate.gap(&mut rng)?.0))
            .collect();
        gaps.sort_unstable();
        let mean = gaps.iter().sum::<u64>() / draws;
        assert!((99_300..=100_700).contains(&mean), "{mean}");
        // The median is ln 2 times the mean. The 99th percentile is ln 100 times the mean.
        let (p50, p99) = (gaps[gaps.len() / 2], gaps[gaps.len() * 99 / 100]);
        assert!((68_600..=70_000).contains(&p50), "{p50}");
        assert!((454_000..=468_000).contains(&p99), "{p99}");
        assert_eq!(Rate(0).gap(&mut rng), None);
    }

    #[test]
    fn the_table_is_a_logarithm() {
        assert_eq!((LOG2[0], LOG2[STEPS]), (0, 1 << 32));
        // log2 1.5 = 0.584962500721…
        let expected = 2_512_394_810;
        assert!(LOG2[128].abs_diff(expected) <= 2, "{}", LOG2[128]);
    }
}
