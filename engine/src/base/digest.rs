//! A fixed hash of a state: the same number for the same state, natively and in wasm.
//!
//! FNV-1a over a canonical byte form, 64 bits. It detects differences; it is not a defence
//! against anybody who looks for a collision.

/// Collects bytes and yields their hash.
///
/// ```
/// use watchglass_engine::base::digest::Digest;
/// let mut d = Digest::new();
/// d.u64(7);
/// d.bytes(b"/key1");
/// assert_eq!(d.finish(), { let mut e = Digest::new(); e.u64(7); e.bytes(b"/key1"); e.finish() });
/// ```
#[derive(Clone, Debug)]
pub struct Digest(u64);

impl Digest {
    /// The hash of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn raw(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds bytes, with their length, so that `ab`+`c` differs from `a`+`bc`.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.raw(bytes);
    }

    /// Adds a number.
    pub fn u64(&mut self, n: u64) {
        self.raw(&n.to_le_bytes());
    }

    /// Adds a signed number.
    pub fn i64(&mut self, n: i64) {
        self.raw(&n.to_le_bytes());
    }

    /// The hash of everything added.
    pub fn finish(&self) -> u64 {
        self.0
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}
