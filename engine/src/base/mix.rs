//! A fast hash of byte strings, to compare long values without keeping them. Not for digests of a run.
//!
//! Mirrors the mixing of MurmurHash64A, which reads eight bytes at a time.

const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;

/// A hash that is being computed.
///
/// ```
/// use watchglass_engine::base::mix::Mix;
/// assert_ne!(Mix::of(b"ab"), Mix::of(b"ba"));
/// let mut parts = Mix::default();
/// parts.add(b"a");
/// parts.add(b"b");
/// assert_ne!(parts.finish(), Mix::of(b"ab"), "parts are separate");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Mix(u64);

impl Mix {
    pub fn of(bytes: &[u8]) -> u64 {
        let mut mix = Self::default();
        mix.add(bytes);
        mix.finish()
    }

    /// Adds bytes and their length.
    pub fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.add_number(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add_number(u64::from_le_bytes(last));
        self.add_number(bytes.len() as u64);
    }

    pub fn add_number(&mut self, number: u64) {
        let mut mixed = number.wrapping_mul(FACTOR);
        mixed = (mixed ^ mixed >> 47).wrapping_mul(FACTOR);
        self.0 = (self.0 ^ mixed).wrapping_mul(FACTOR);
    }

    pub fn finish(self) -> u64 {
        let mixed = (self.0 ^ self.0 >> 47).wrapping_mul(FACTOR);
        mixed ^ mixed >> 47
    }
}
