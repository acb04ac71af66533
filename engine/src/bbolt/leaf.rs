//! Elements of leaf pages. An element is a key with its value, or the name of a nested bucket with the bucket's header.
//!
//! Mirrors `leafPageElement` of `page.go`. An element of 16 bytes contains the position of the key and the lengths of
//! key and value. The value directly follows the key.

use super::Span;
use super::node::Item;
use super::page::u32_at;

/// The flag of an element whose value is a bucket.
pub const BUCKET: u32 = 0x01;

/// An element of a leaf page, in the format of the file.
///
/// ```
/// use watchglass_engine::bbolt::leaf::LeafElement;
/// let element = LeafElement { flags: 0, pos: 16, key_bytes: 3, value_bytes: 5 };
/// let mut page = [0; 16];
/// element.write(&mut page, 0);
/// assert_eq!(LeafElement::read(&page, 0), element);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafElement {
    /// The flags: [`BUCKET`] for a nested bucket, or else 0.
    pub flags: u32,
    /// The distance from the element to its key, in bytes.
    pub pos: u32,
    pub key_bytes: u32,
    pub value_bytes: u32,
}

impl LeafElement {
    /// Reads the element at byte `at`.
    ///
    /// # Panics
    /// Panics if the page ends before the element does.
    pub fn read(page: &[u8], at: usize) -> Self {
        Self {
            flags: u32_at(page, at),
            pos: u32_at(page, at + 4),
            key_bytes: u32_at(page, at + 8),
            value_bytes: u32_at(page, at + 12),
        }
    }

    /// Writes the element at byte `at`.
    ///
    /// # Panics
    /// Panics if the page ends before the element does.
    pub fn write(self, page: &mut [u8], at: usize) {
        let fields = [self.flags, self.pos, self.key_bytes, self.value_bytes];
        for (i, field) in fields.into_iter().enumerate() {
            page[at + 4 * i..at + 4 * i + 4].copy_from_slice(&field.to_le_bytes());
        }
    }

    /// Returns the key and value of the element at byte `at`, or `None` if they extend beyond the end of the page.
    pub(super) fn item(self, page: &Span, at: usize) -> Option<Item> {
        let key_at = at.checked_add(self.pos as usize)?;
        let value_at = key_at.checked_add(self.key_bytes as usize)?;
        Some(Item {
            flags: self.flags,
            child: 0,
            key: page.slice(key_at, self.key_bytes as usize)?,
            value: page.slice(value_at, self.value_bytes as usize)?,
        })
    }
}
