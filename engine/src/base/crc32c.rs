//! The CRC-32C checksum, which etcd uses to compare stores and snapshots.

/// A CRC-32 with Castagnoli's polynomial, as in Go's `crc32.Castagnoli` table.
///
/// ```
/// use watchglass_engine::base::crc32c::Crc32c;
/// let mut crc = Crc32c::new();
/// crc.update(b"123456789");
/// assert_eq!(crc.finish(), 0xe306_9283); // the check value of the polynomial
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Crc32c(u32);

impl Default for Crc32c {
    fn default() -> Self {
        Self::new()
    }
}

impl Crc32c {
    pub fn new() -> Self {
        Self(!0)
    }

    pub fn update(&mut self, bytes: &[u8]) {
        for b in bytes {
            let i = (self.0 ^ u32::from(*b)) & 0xff;
            self.0 = self.0 >> 8 ^ TABLE[i as usize];
        }
    }

    pub fn finish(&self) -> u32 {
        !self.0
    }
}

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    const POLYNOMIAL_REVERSED: u32 = 0x82f6_3b78;
    let mut out = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ POLYNOMIAL_REVERSED
            } else {
                crc >> 1
            };
            bit += 1;
        }
        out[i] = crc;
        i += 1;
    }
    out
}
