//! A range of shared bytes. Keys and values are ranges of the page that contains them, so reads copy no bytes.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use crate::base::Bytes;

/// A range of a shared byte string. Two ranges are equal if their bytes are equal.
///
/// ```
/// use watchglass_engine::base::Bytes;
/// use watchglass_engine::bbolt::Span;
/// let page = Span::from(Bytes::from("key1value1"));
/// assert_eq!(&*page.slice(4, 6).unwrap(), b"value1");
/// assert_eq!(page.slice(4, 7), None);
/// ```
#[derive(Clone)]
pub struct Span {
    bytes: Bytes,
    start: u32,
    end: u32,
}

impl Span {
    /// Returns the `length` bytes that start at byte `start`, or `None` if they extend beyond the end.
    pub fn slice(&self, start: usize, length: usize) -> Option<Self> {
        let end = start.checked_add(length)?;
        (end <= self.len()).then(|| Self {
            bytes: self.bytes.clone(),
            start: self.start + start as u32,
            end: self.start + end as u32,
        })
    }

    /// Returns the position of this range within `outer`, in bytes, or 0 if this range is not part of `outer`.
    pub fn offset_in(&self, outer: &Self) -> u64 {
        let is_part = std::ptr::eq(self.bytes.as_ptr(), outer.bytes.as_ptr());
        u64::from(if is_part {
            self.start.saturating_sub(outer.start)
        } else {
            0
        })
    }

    /// Returns the bytes from byte `start` to the end, or `None` if `start` is beyond the end.
    pub fn from_offset(&self, start: usize) -> Option<Self> {
        self.slice(start, self.len().checked_sub(start)?)
    }
}

impl Default for Span {
    fn default() -> Self {
        Self::from(Bytes::default())
    }
}

/// Creates the range of all bytes.
///
/// # Panics
/// Panics if there are 4 GiB or more bytes. [`super::File::open`] refuses such files.
impl From<Bytes> for Span {
    fn from(bytes: Bytes) -> Self {
        let end = u32::try_from(bytes.len()).expect("less than 4 GiB");
        Self {
            bytes,
            start: 0,
            end,
        }
    }
}

impl From<&[u8]> for Span {
    fn from(bytes: &[u8]) -> Self {
        Self::from(Bytes::from(bytes))
    }
}

impl From<Vec<u8>> for Span {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(Bytes::from(bytes))
    }
}

impl Deref for Span {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start as usize..self.end as usize]
    }
}

impl Borrow<[u8]> for Span {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Span {}

impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Span {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

// Hashes only the bytes, because two ranges with equal bytes are equal.
impl Hash for Span {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&Bytes::from(&**self), f)
    }
}
