//! Elements of branch pages: the first key of a child page, and the child's number.
//!
//! Mirrors `branchPageElement` of `page.go`.

use super::Span;
use super::node::Item;
use super::page::{u32_at, u64_at};

/// An element of a branch page, in the format of the file.
///
/// ```
/// use watchglass_engine::bbolt::branch::BranchElement;
/// let element = BranchElement { pos: 16, key_bytes: 3, child: 7 };
/// let mut page = [0; 16];
/// element.write(&mut page, 0);
/// assert_eq!(BranchElement::read(&page, 0), element);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchElement {
    /// The distance from the element to its key, in bytes.
    pub pos: u32,
    pub key_bytes: u32,
    pub child: u64,
}

impl BranchElement {
    /// Reads the element at byte `at`.
    ///
    /// # Panics
    /// Panics if the page ends before the element does.
    pub fn read(page: &[u8], at: usize) -> Self {
        Self {
            pos: u32_at(page, at),
            key_bytes: u32_at(page, at + 4),
            child: u64_at(page, at + 8),
        }
    }

    /// Writes the element at byte `at`.
    ///
    /// # Panics
    /// Panics if the page ends before the element does.
    pub fn write(self, page: &mut [u8], at: usize) {
        page[at..at + 4].copy_from_slice(&self.pos.to_le_bytes());
        page[at + 4..at + 8].copy_from_slice(&self.key_bytes.to_le_bytes());
        page[at + 8..at + 16].copy_from_slice(&self.child.to_le_bytes());
    }

    /// Returns the key and child of the element at byte `at`, or `None` if the key extends beyond the end of the page.
    pub(super) fn item(self, page: &Span, at: usize) -> Option<Item> {
        let key_at = at.checked_add(self.pos as usize)?;
        Some(Item {
            flags: 0,
            child: self.child,
            key: page.slice(key_at, self.key_bytes as usize)?,
            value: Span::default(),
        })
    }
}
