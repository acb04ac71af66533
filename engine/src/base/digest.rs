//! A stable hash of a state: equal states have the same hash, natively and in wasm.
//!
//! The hash is a 64-bit FNV-1a over a canonical byte form. The hash detects accidental differences, but does not resist
//! deliberate collisions. Every type of the state derives `Hash`. A value that must not affect the hash is wrapped in
//! [`Undigested`].

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// A hasher with the same result on every machine: numbers are little-endian and sizes are 64 bits wide.
///
/// ```
/// use std::hash::{Hash, Hasher};
/// use watchglass_engine::base::digest::Digest;
/// let state = ("/key1", 7_u64, Some(3_usize));
/// let mut digest = Digest::default();
/// state.hash(&mut digest);
/// assert_eq!(Digest::of(&state), digest.finish());
/// ```
#[derive(Clone, Debug)]
pub struct Digest(u64);

impl Digest {
    pub fn of(state: &impl Hash) -> u64 {
        let mut digest = Self::default();
        state.hash(&mut digest);
        digest.finish()
    }

    /// Adds the length of the bytes and then the bytes, so that `ab`+`c` differs from `a`+`bc`.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.write(bytes);
    }

    /// Adds a number, as 8 bytes, to the hashed data.
    pub fn u64(&mut self, n: u64) {
        self.write(&n.to_le_bytes());
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Digest {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn write_u16(&mut self, n: u16) {
        self.write(&n.to_le_bytes());
    }

    fn write_u32(&mut self, n: u32) {
        self.write(&n.to_le_bytes());
    }

    fn write_u64(&mut self, n: u64) {
        self.write(&n.to_le_bytes());
    }

    fn write_u128(&mut self, n: u128) {
        self.write(&n.to_le_bytes());
    }

    // Lengths and variant indexes are `usize` or `isize`, which have 32 bits in wasm. The digest always contains 64
    // bits.

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as i64 as u64);
    }
}

/// A value that does not affect the hash of a state, such as a cached result. Each field of this type has a comment
/// that gives the reason.
///
/// ```
/// use watchglass_engine::base::digest::{Digest, Undigested};
/// assert_eq!(Digest::of(&Undigested(1)), Digest::of(&Undigested(2)));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Undigested<T>(pub T);

impl<T> Hash for Undigested<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<T> Deref for Undigested<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Undigested<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// A value that a digest omits while the value is the default. The state of an optional feature has this type: a run
/// without the feature has the same digest as before the feature was added.
///
/// ```
/// use watchglass_engine::base::digest::{Digest, Sparse};
/// assert_eq!(Digest::of(&(1, Sparse(0))), Digest::of(&1));
/// assert_ne!(Digest::of(&(1, Sparse(2))), Digest::of(&1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sparse<T>(pub T);

impl<T: Default + PartialEq + Hash> Hash for Sparse<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.0 != T::default() {
            self.0.hash(state);
        }
    }
}

impl<T> Deref for Sparse<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Sparse<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_64_bits_wide() {
        assert_eq!(Digest::of(&7_usize), Digest::of(&7_u64));
        assert_eq!(Digest::of(&-1_isize), Digest::of(&-1_i64));
        let mut list = Digest::default();
        7_u64.hash(&mut list);
        assert_ne!(Digest::of(&vec![7_u64]), list.finish());
    }
}
