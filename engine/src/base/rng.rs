//! A seeded random number generator with a separate stream for each label.
//!
//! The algorithm is SplitMix64 (Steele, Lea, Flood 2014). A stream's label is mixed into its seed, so an additional
//! draw in one stream never changes the numbers of another stream.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// A stream of pseudorandom numbers.
///
/// ```
/// use watchglass_engine::base::rng::Rng;
/// let mut a = Rng::stream(42, "jitter");
/// let mut b = Rng::stream(42, "jitter");
/// assert_eq!(a.next_u64(), b.next_u64());
/// assert_ne!(a.next_u64(), Rng::stream(42, "loss").next_u64());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rng {
    state: u64,
}

impl Rng {
    pub fn stream(seed: u64, label: &str) -> Self {
        let mut d = Digest::default();
        d.u64(seed);
        d.bytes(label.as_bytes());
        Self { state: d.finish() }
    }

    /// Replaces the rest of the stream by numbers of another seed.
    pub fn reseed(&mut self, seed: u64) {
        let mut d = Digest::default();
        d.u64(self.state);
        d.u64(seed);
        self.state = d.finish();
    }

    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..bound`. Panics if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a bound of 0 leaves nothing to draw");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    pub fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }

    /// Returns the whole state of the stream, for digests.
    pub fn state(&self) -> u64 {
        self.state
    }
}
