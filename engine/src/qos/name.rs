//! The name of a class or a rule.

use std::fmt;

/// The maximum length of a name in bytes. The proposal has no limit. Because of this limit, all names have a fixed size
/// and are cheap to copy.
pub const NAME_BYTES_MAX: usize = 32;

/// The name of a class or a rule: 1 to 32 bytes of visible ASCII. Names are ordered byte by byte.
///
/// ```
/// use watchglass_engine::qos::QosName;
/// let name = |text| QosName::new(text).unwrap();
/// assert!(name("r10") < name("r2") && name("Z") < name("a"));
/// assert_eq!(name("slow-query").to_string(), "slow-query");
/// assert_eq!(QosName::new("two words"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QosName([u8; NAME_BYTES_MAX]);

impl QosName {
    /// Creates a name. Returns `None` if `text` is empty, too long, or contains a byte that is not visible ASCII.
    pub fn new(text: &str) -> Option<Self> {
        let is_valid = (1..=NAME_BYTES_MAX).contains(&text.len());
        if !is_valid || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return None;
        }
        let mut bytes = [0; NAME_BYTES_MAX];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Some(Self(bytes))
    }

    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|b| *b == 0);
        let bytes = &self.0[..end.unwrap_or(NAME_BYTES_MAX)];
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Display for QosName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for QosName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}
