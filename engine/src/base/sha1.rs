//! SHA-1 (FIPS 180-4), with which etcd derives the ids of members and clusters.

/// Returns the first eight bytes of the hash, as a number.
///
/// ```
/// use watchglass_engine::base::sha1::first_u64;
/// assert_eq!(first_u64(b"abc"), 0xa999_3e36_4706_816a);
/// assert_eq!(first_u64(b""), 0xda39_a3ee_5e6b_4b0d);
/// ```
pub fn first_u64(data: &[u8]) -> u64 {
    let mut padded = data.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(8 * data.len() as u64).to_be_bytes());
    let mut state: [u32; 5] = [
        0x6745_2301,
        0xefcd_ab89,
        0x98ba_dcfe,
        0x1032_5476,
        0xc3d2_e1f0,
    ];
    let (blocks, _) = padded.as_chunks::<64>();
    for block in blocks {
        add_block(&mut state, block);
    }
    u64::from(state[0]) << 32 | u64::from(state[1])
}

fn add_block(state: &mut [u32; 5], block: &[u8; 64]) {
    let mut words = [0; 80];
    let (bytes, _) = block.as_chunks::<4>();
    for (word, bytes) in words.iter_mut().zip(bytes) {
        *word = u32::from_be_bytes(*bytes);
    }
    for i in 16..80 {
        words[i] = (words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (round, word) in words.iter().enumerate() {
        let (mixed, constant) = match round / 20 {
            0 => (b & c | !b & d, 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let sum = [mixed, e, constant, *word];
        let next = sum.iter().fold(a.rotate_left(5), |a, b| a.wrapping_add(*b));
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    for (total, part) in state.iter_mut().zip([a, b, c, d, e]) {
        *total = total.wrapping_add(part);
    }
}
