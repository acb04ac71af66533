//! A histogram of durations with the buckets of etcd's metrics.
//!
//! Mirrors the histograms of Prometheus' client library for Go (`prometheus.ExponentialBuckets`).

use super::time::SimDuration;

/// The number of buckets for durations, not counting the last bucket, which contains all durations. The bound of the
/// first bucket is 1 ms. Each further bound is twice the previous bound (`prometheus.ExponentialBuckets`).
const BUCKETS: usize = 14;

/// A histogram of the durations of one kind of operation.
///
/// ```
/// use watchglass_engine::base::time::SimDuration;
/// use watchglass_engine::base::durations::Durations;
/// let mut syncs = Durations::default();
/// syncs.add(SimDuration::from_millis(10));
/// let (bounds, counts): (Vec<u64>, Vec<u64>) = syncs.buckets().unzip();
/// assert_eq!((bounds[3], counts[3], bounds[4], counts[4]), (8_000, 0, 16_000, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Durations {
    counts: [u64; BUCKETS],
    pub count: u64,
    pub sum: SimDuration,
}

impl Durations {
    pub fn add(&mut self, duration: SimDuration) {
        self.count += 1;
        self.sum = SimDuration(self.sum.0 + duration.0);
        let place = (0..BUCKETS).find(|n| duration.0 <= 1_000 << n);
        if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
            *count += 1;
        }
    }

    /// Returns the upper bound of each bucket in microseconds, and the number of operations that took at most this
    /// time.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut sum = 0;
        self.counts.iter().enumerate().map(move |(n, count)| {
            sum += count;
            (1_000 << n, sum)
        })
    }
}
