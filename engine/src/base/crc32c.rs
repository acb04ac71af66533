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
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            let word = u64::from_le_bytes(*word) ^ u64::from(self.0);
            self.0 = (0..8).fold(0, |crc, at| {
                let byte = word >> (8 * at) & 0xff;
                crc ^ TABLES[7 - at][byte as usize]
            });
        }
        for b in rest {
            let i = (self.0 ^ u32::from(*b)) & 0xff;
            self.0 = self.0 >> 8 ^ TABLES[0][i as usize];
        }
    }

    pub fn finish(&self) -> u32 {
        !self.0
    }
}

/// The checksums of each byte, followed by 0 to 7 zero bytes. With them, `update` takes eight bytes at a time.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    const POLYNOMIAL_REVERSED: u32 = 0x82f6_3b78;
    let mut out = [[0; 256]; 8];
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
        out[0][i] = crc;
        i += 1;
    }
    let mut zeros = 1;
    while zeros < 8 {
        let mut i = 0;
        while i < 256 {
            let before = out[zeros - 1][i];
            out[zeros][i] = before >> 8 ^ out[0][(before & 0xff) as usize];
            i += 1;
        }
        zeros += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_at_a_time_are_the_same_as_one() {
        let bytes: Vec<u8> = (0..100_u8).map(|n| n.wrapping_mul(73)).collect();
        for (start, end) in [(0, 100), (1, 99), (3, 10), (8, 16), (5, 5)] {
            let (mut at_once, mut one_by_one) = (Crc32c::new(), Crc32c::new());
            at_once.update(&bytes[start..end]);
            for byte in &bytes[start..end] {
                one_by_one.update(&[*byte]);
            }
            assert_eq!(at_once, one_by_one);
        }
    }
}
