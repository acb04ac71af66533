//! Random numbers. The same seed leads to the same numbers.

/// The random number generator SplitMix64.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    /// Returns a random number below `bound`, or 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}
