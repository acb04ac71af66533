//! A histogram of whole numbers of any size, with logarithmic bins.
//!
//! The bins are those of HdrHistogram: each range from one power of two to the next is divided into 128 equal bins.
//! Each number below 256 has its own bin. From 256 on, the width of a bin is at most 1/128 of each value in the bin.
//! The sum, the least and the greatest value are exact.

use serde::{Deserialize, Serialize};

const BITS: u32 = 7;
/// The number of bins from one power of two to the next.
const PER_DOUBLING: u64 = 1 << BITS;
/// Each number below this value has its own bin.
const EXACT: u64 = 2 * PER_DOUBLING;

/// A histogram: the number of values in each bin, and the exact sum, least and greatest value.
///
/// ```
/// use watchglass_engine::base::histogram::Histogram;
/// let mut waits = Histogram::default();
/// for us in 0..100_000 {
///     waits.add(us);
/// }
/// assert_eq!(waits.mean_thousandths(), 49_999_500);
/// let p99 = waits.quantile(99, 100);
/// assert!((98_500..=99_500).contains(&p99), "{p99}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    least: u64,
    greatest: u64,
}

/// A bin that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HistogramBin {
    /// The lower bound of the bin, included.
    pub from: u64,
    /// The upper bound of the bin, excluded.
    pub to: u64,
    pub count: u64,
}

fn bin_of(value: u64) -> u64 {
    if value < EXACT {
        return value;
    }
    let shift = 63 - value.leading_zeros() - BITS;
    u64::from(shift) * PER_DOUBLING + (value >> shift)
}

fn least_of(bin: u64) -> u64 {
    if bin < EXACT {
        return bin;
    }
    let shift = bin / PER_DOUBLING - 1;
    (bin - shift * PER_DOUBLING) << shift
}

impl Histogram {
    pub fn add(&mut self, value: u64) {
        let bin = bin_of(value) as usize;
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
        self.least = if self.count == 0 {
            value
        } else {
            self.least.min(value)
        };
        self.greatest = self.greatest.max(value);
        self.count += 1;
        self.sum += u128::from(value);
    }

    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.least = match self.count {
            0 => other.least,
            _ => self.least.min(other.least),
        };
        self.greatest = self.greatest.max(other.greatest);
        self.count += other.count;
        self.sum += other.sum;
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the least value; 0 if there are no values.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// Returns the greatest value; 0 if there are no values.
    pub fn greatest(&self) -> u64 {
        self.greatest
    }

    /// Returns the mean in thousandths, rounded down; 0 if there are no values.
    pub fn mean_thousandths(&self) -> u64 {
        let count = u128::from(self.count.max(1));
        u64::try_from(self.sum * 1_000 / count).unwrap_or(u64::MAX)
    }

    /// Returns the quantile `numerator / denominator`: the value below which this share of all values lies. The
    /// function assumes that the values in a bin are evenly spread.
    pub fn quantile(&self, numerator: u64, denominator: u64) -> u64 {
        assert!(numerator <= denominator, "a share is at most the whole");
        let rank = u128::from(self.count) * u128::from(numerator) / u128::from(denominator.max(1));
        let mut below = 0_u128;
        for bin in self.bins() {
            let count = u128::from(bin.count);
            if below + count > rank {
                let width = u128::from(bin.to - bin.from);
                let within = u64::try_from(width * (rank - below) / count).unwrap_or(0);
                return (bin.from + within).clamp(self.least, self.greatest);
            }
            below += count;
        }
        self.greatest
    }

    /// Returns the non-empty bins, the lowest first.
    pub fn bins(&self) -> impl Iterator<Item = HistogramBin> + '_ {
        let counts = self.counts.iter().zip(0_u64..);
        counts
            .filter(|(count, _)| **count > 0)
            .map(|(count, bin)| HistogramBin {
                from: least_of(bin),
                to: least_of(bin + 1),
                count: *count,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_touch_and_hold_their_numbers() {
        for bin in 0..5_000 {
            assert_eq!(bin_of(least_of(bin)), bin);
            assert_eq!(bin_of(least_of(bin + 1) - 1), bin, "the last of bin {bin}");
        }
        for value in [0, 255, 256, 1_000_000, u64::MAX] {
            let (from, bin) = (least_of(bin_of(value)), bin_of(value));
            assert!(from <= value, "{value} in {bin}");
            assert!(value - from <= value / 128, "{value} is near {from}");
        }
    }

    #[test]
    fn what_is_all_the_same_has_that_quantile() {
        let mut h = Histogram::default();
        (0..1_000).for_each(|_| h.add(1_003));
        assert_eq!((h.quantile(1, 2), h.quantile(99, 100)), (1_003, 1_003));
        assert_eq!((h.least(), h.greatest(), h.count()), (1_003, 1_003, 1_000));
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let h = Histogram::default();
        assert_eq!((h.mean_thousandths(), h.quantile(1, 2)), (0, 0));
    }
}
