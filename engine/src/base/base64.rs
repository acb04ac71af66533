//! Base64 in both alphabets of RFC 4648.
//!
//! Links and saved runs use the URL-safe alphabet without padding (section 5). JSON uses the standard alphabet with
//! padding, as in Go (section 4).

const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes in the URL-safe alphabet, without padding.
///
/// ```
/// use watchglass_engine::base::base64;
/// assert_eq!(base64::encode(b"\xfb\xff"), "-_8");
/// assert_eq!(base64::decode("-_8").unwrap(), b"\xfb\xff");
/// assert_eq!(base64::decode("a"), None);
/// ```
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    push(&mut out, bytes, URL);
    out
}

/// Encodes bytes in the standard alphabet, with padding, and appends the text to `out`.
///
/// ```
/// let mut out = String::new();
/// watchglass_engine::base::base64::push_padded(&mut out, b"\xfb\xff");
/// assert_eq!(out, "+/8=");
/// ```
pub fn push_padded(out: &mut String, bytes: &[u8]) {
    push(out, bytes, STANDARD);
    for _ in bytes.len()..bytes.len().next_multiple_of(3) {
        out.push('=');
    }
}

fn push(out: &mut String, bytes: &[u8], alphabet: &[u8; 64]) {
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..=chunk.len() {
            out.push(char::from(alphabet[(group >> (18 - 6 * i) & 63) as usize]));
        }
    }
}

/// Decodes a text that [`encode`] wrote; returns `None` for any other text.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    decode_in(text, URL)
}

/// Decodes a text in the standard alphabet, with padding.
///
/// ```
/// use watchglass_engine::base::base64;
/// assert_eq!(base64::decode_padded("+/8=").unwrap(), b"\xfb\xff");
/// assert_eq!(base64::decode_padded("-_8="), None);
/// ```
pub fn decode_padded(text: &str) -> Option<Vec<u8>> {
    decode_in(text.trim_end_matches('='), STANDARD)
}

fn decode_in(text: &str, alphabet: &[u8; 64]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.as_bytes().chunks(4) {
        if chunk.len() == 1 {
            return None;
        }
        let mut group = 0u32;
        for b in chunk {
            group = group << 6 | alphabet.iter().position(|a| a == b)? as u32;
        }
        group <<= 6 * (4 - chunk.len());
        out.extend_from_slice(&group.to_be_bytes()[1..chunk.len()]);
    }
    Some(out)
}
