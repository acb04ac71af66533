//! Byte strings that are cheap to clone, and the range arithmetic of etcd's client library.
//!
//! Mirrors `client/v3/op.go` (`getPrefix`) and the range rules of `api/etcdserverpb/rpc.proto`.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// An immutable byte string shared by reference; ordered byte by byte, as etcd orders keys.
///
/// ```
/// use watchglass_engine::base::Bytes;
/// assert!(Bytes::from("/a") < Bytes::from("/b"));
/// assert_eq!(Bytes::from(vec![0x61, 0xff]).to_string(), r"a\xff");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bytes(Arc<[u8]>);

impl Bytes {
    /// Returns `b"\0"`. As a key, this value is the smallest key. As a range end, this value means "to the end of the
    /// keyspace".
    pub fn zero() -> Self {
        Self::from(vec![0])
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes as text, with every byte that is not printable UTF-8 escaped.
    pub fn to_text(&self) -> String {
        escape(&self.0)
    }
}

impl Ord for Bytes {
    /// Compares byte by byte. This function first skips the common prefix, eight bytes at a time: in wasm, the standard
    /// library compares single bytes, which is slow for keys with long common prefixes.
    fn cmp(&self, other: &Self) -> Ordering {
        let skipped = if cfg!(target_family = "wasm") {
            common_words(self, other)
        } else {
            0
        };
        self.0[skipped..].cmp(&other.0[skipped..])
    }
}

/// Returns the length of the common prefix in bytes, rounded down to a multiple of eight.
fn common_words(ours: &[u8], theirs: &[u8]) -> usize {
    let pairs = ours.as_chunks::<8>().0.iter().zip(theirs.as_chunks().0);
    8 * pairs.take_while(|(ours, theirs)| ours == theirs).count()
}

impl PartialOrd for Bytes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(v: Vec<u8>) -> Self {
        Self(Arc::from(v))
    }
}

impl From<Arc<[u8]>> for Bytes {
    fn from(v: Arc<[u8]>) -> Self {
        Self(v)
    }
}

impl From<&[u8]> for Bytes {
    fn from(v: &[u8]) -> Self {
        Self(Arc::from(v))
    }
}

impl From<&str> for Bytes {
    fn from(v: &str) -> Self {
        Self(Arc::from(v.as_bytes()))
    }
}

impl From<String> for Bytes {
    fn from(v: String) -> Self {
        Self(Arc::from(v.into_bytes()))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.0))
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", escape(&self.0))
    }
}

/// Formats bytes for display: printable UTF-8 unchanged, all other bytes as `\n`, `\t`, `\r` or `\xNN`, and a backslash
/// doubled. Different byte strings never look the same.
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\\' => out.push_str("\\\\"),
                c if c.is_control() || is_invisible(c) => {
                    push_hex(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                c => out.push(c),
            }
        }
        push_hex(&mut out, chunk.invalid());
    }
    out
}

/// Returns true if a character is invisible or changes the direction of the text. The caller escapes such characters,
/// because two different keys must not look the same.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for b in bytes {
        out.push_str("\\x");
        out.push(char::from(HEX[usize::from(b >> 4)]));
        out.push(char::from(HEX[usize::from(b & 15)]));
    }
}

/// Returns the smallest key that is greater than every key with this prefix.
///
/// ```
/// use watchglass_engine::base::bytes::prefix_end;
/// assert_eq!(&*prefix_end(b"foo"), b"fop");
/// assert_eq!(&*prefix_end(b"a\xff"), b"b");
/// assert_eq!(&*prefix_end(b"\xff"), b"\0"); // no greater prefix: to the end of the keyspace
/// ```
pub fn prefix_end(prefix: &[u8]) -> Bytes {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            return Bytes::from(end);
        }
    }
    Bytes::zero()
}

/// The range of keys that the `key` and `range_end` fields of a request select.
///
/// | `key` | `range_end` | range |
/// |---|---|---|
/// | k | empty | `One(k)` |
/// | k | `\0` | `From(k)` |
/// | k | e | `Between(k, e)`, empty when `e <= k` |
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyRange {
    One(Bytes),
    From(Bytes),
    /// All keys from the first key (included) to the second key (excluded).
    Between(Bytes, Bytes),
}

impl KeyRange {
    /// Creates the range from the `key` and `range_end` fields of a request.
    pub fn new(key: &Bytes, range_end: &Bytes) -> Self {
        match range_end.as_slice() {
            b"" => Self::One(key.clone()),
            b"\0" => Self::From(key.clone()),
            _ => Self::Between(key.clone(), range_end.clone()),
        }
    }

    /// Returns the `range_end` field that selects this range.
    pub fn end_field(&self) -> &[u8] {
        match self {
            Self::One(_) => b"",
            Self::From(_) => b"\0",
            Self::Between(_, end) => end,
        }
    }

    pub fn start(&self) -> &Bytes {
        match self {
            Self::One(k) | Self::From(k) | Self::Between(k, _) => k,
        }
    }

    /// Returns true if no key can be in the range, because its end is not after its start.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Between(k, e) if e <= k)
    }

    /// Returns true if `key` is in the range.
    ///
    /// ```
    /// use watchglass_engine::base::{Bytes, bytes::KeyRange};
    /// let r = KeyRange::new(&"/a".into(), &"/b".into());
    /// assert!(r.contains(b"/a/1") && !r.contains(b"/b"));
    /// ```
    pub fn contains(&self, key: &[u8]) -> bool {
        match self {
            Self::One(k) => k.as_slice() == key,
            Self::From(k) => key >= k.as_slice(),
            Self::Between(k, e) => key >= k.as_slice() && key < e.as_slice(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::common_words;

    #[test]
    fn common_words_end_before_the_first_difference_and_both_ends() {
        let key = b"/registry/pods/a";
        assert_eq!(common_words(key, key), 16);
        assert_eq!(common_words(key, b"/registry/pods/b"), 8);
        assert_eq!(common_words(key, b"/registry/pod"), 8);
        assert_eq!(common_words(key, b"/Registry/pods/a"), 0);
        assert_eq!(common_words(key, b""), 0);
        assert_eq!(common_words(b"/a", b"/a"), 0);
    }
}
