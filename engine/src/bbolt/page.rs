//! A page with its overflow pages: a header of 16 bytes, then elements, then keys and values.
//!
//! Mirrors `page.go`. Each read is checked against the length of the page, because the page may come from a damaged
//! file.
//!
//! | offset | field |
//! |---|---|
//! | 0 | page id, 8 bytes, little-endian like all numbers |
//! | 8 | flags, 2 bytes: the kind of the page |
//! | 10 | number of elements, 2 bytes |
//! | 12 | overflow: the number of following pages that belong to this page, 4 bytes |

use std::ops::RangeInclusive;

use super::branch::BranchElement;
use super::leaf::LeafElement;
use super::node::Item;
use super::{AllowedKinds, Damage, Fault, Span};

pub const HEADER_BYTES: usize = 16;
/// The size of an element of a branch or leaf page, in bytes, without its key and value.
pub const ELEMENT_BYTES: usize = 16;

/// The kind of a page. Exactly one flag in the page header is set.
///
/// ```
/// use watchglass_engine::bbolt::page::Kind;
/// assert_eq!(Kind::from_flags(0x10), Some(Kind::Freelist));
/// assert_eq!(Kind::Leaf.flags(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A branch page, which contains keys and the numbers of child pages.
    Branch,
    /// A leaf page, which contains keys and values.
    Leaf,
    /// A meta page, which contains the positions of the root bucket and the free list.
    Meta,
    /// A page of the free list, which contains the ids of pages that can be reused.
    Freelist,
}

impl Kind {
    pub fn from_flags(flags: u16) -> Option<Self> {
        [Self::Branch, Self::Leaf, Self::Meta, Self::Freelist]
            .into_iter()
            .find(|kind| kind.flags() == flags)
    }

    pub fn flags(self) -> u16 {
        match self {
            Self::Branch => 0x01,
            Self::Leaf => 0x02,
            Self::Meta => 0x04,
            Self::Freelist => 0x10,
        }
    }
}

/// A page with a valid header.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options, page::Kind};
/// let db = Db::new(Options::default());
/// let root = db.view().pages().page(3)?;
/// assert_eq!((root.kind(), root.count(), root.overflow()), (Kind::Leaf, 0, 0));
/// # Ok::<(), watchglass_engine::bbolt::Damage>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    id: u64,
    offset: u64,
    kind: Kind,
    is_inline: bool,
    bytes: Span,
}

impl Page {
    /// Checks the header of page `id`, whose bytes begin at byte `offset` of the file. `bytes` may extend beyond the
    /// end of the page; `page_size` is in bytes.
    ///
    /// # Errors
    /// Returns an error if the bytes are not the header of page `id`, or if the header claims more pages or elements
    /// than `bytes` contains.
    pub fn open(id: u64, offset: u64, bytes: Span, page_size: u32) -> Result<Self, Damage> {
        let damage = |at: u64, fault| Damage {
            page: id,
            offset: offset + at,
            fault,
        };
        let held = bytes.len() as u64 / u64::from(page_size);
        let too_short = Fault::NoSuchPage {
            linked: id,
            held: id + held,
        };
        let header = bytes.get(..HEADER_BYTES).ok_or(damage(0, too_short))?;
        let found = u64_at(header, 0);
        if found != id {
            return Err(damage(0, Fault::WrongId(found)));
        }
        let flags = u16_at(header, 8);
        let kind = Kind::from_flags(flags).ok_or(damage(
            8,
            Fault::WrongKind {
                flags,
                expected: AllowedKinds::All,
            },
        ))?;
        let overflow = u32_at(header, 12);
        let length = (u64::from(overflow) + 1) * u64::from(page_size);
        let bytes = usize::try_from(length)
            .ok()
            .and_then(|length| bytes.slice(0, length))
            .ok_or(damage(
                12,
                Fault::Overflow {
                    overflow,
                    held: id + held,
                },
            ))?;
        Self {
            id,
            offset,
            kind,
            is_inline: false,
            bytes,
        }
        .with_count_checked()
    }

    /// Checks the page of an inline bucket: a leaf page that fills the rest of the bucket's value. `id` is the number
    /// of the page that contains the inline page, and `offset` is the position of the inline page in the file, in
    /// bytes.
    ///
    /// # Errors
    /// Returns an error if the header is incomplete or is not the header of a leaf page.
    pub fn open_inline(id: u64, offset: u64, bytes: Span) -> Result<Self, Damage> {
        let damage = |at: u64, fault| Damage {
            page: id,
            offset: offset + at,
            fault,
        };
        let header = bytes
            .get(..HEADER_BYTES)
            .ok_or(damage(0, Fault::Count { count: 0, room: 0 }))?;
        let flags = u16_at(header, 8);
        if flags != Kind::Leaf.flags() {
            let expected = AllowedKinds::Leaf;
            return Err(damage(8, Fault::WrongKind { flags, expected }));
        }
        Self {
            id,
            offset,
            kind: Kind::Leaf,
            is_inline: true,
            bytes,
        }
        .with_count_checked()
    }

    fn with_count_checked(self) -> Result<Self, Damage> {
        let room = ((self.bytes.len() - HEADER_BYTES) / ELEMENT_BYTES) as u64;
        let count = u64::from(self.count());
        if matches!(self.kind, Kind::Branch | Kind::Leaf) && count > room {
            return Err(self.damage(10, Fault::Count { count, room }));
        }
        Ok(self)
    }

    /// Returns the number of the page. For the page of an inline bucket, returns the number of the page that contains
    /// it.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the position of the page, in bytes from the start of the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns true if this is the page of an inline bucket.
    pub fn is_inline(&self) -> bool {
        self.is_inline
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the number of elements in the page. In a free list, 65,535 means that the real count precedes the first
    /// id.
    pub fn count(&self) -> u16 {
        u16_at(&self.bytes, 10)
    }

    pub fn overflow(&self) -> u32 {
        u32_at(&self.bytes, 12)
    }

    /// Returns the numbers of this page and its overflow pages. For the page of an inline bucket, returns the number of
    /// the page that contains it.
    pub fn numbers(&self) -> RangeInclusive<u64> {
        let overflow = if self.is_inline { 0 } else { self.overflow() };
        self.id..=self.id + u64::from(overflow)
    }

    /// Returns the bytes of the page and its overflow pages.
    pub fn bytes(&self) -> &Span {
        &self.bytes
    }

    /// Creates the report of a fault at byte `at` of this page.
    pub fn damage(&self, at: usize, fault: Fault) -> Damage {
        Damage {
            page: self.id,
            offset: self.offset + at as u64,
            fault,
        }
    }

    /// Returns the key of element `index`, which must be less than [`count`](Self::count).
    ///
    /// # Errors
    /// Returns an error if the key extends beyond the end of the page.
    pub fn key(&self, index: usize) -> Result<&[u8], Damage> {
        let at = HEADER_BYTES + index * ELEMENT_BYTES;
        let (pos, length) = match self.kind {
            Kind::Branch => {
                let element = BranchElement::read(&self.bytes, at);
                (element.pos, element.key_bytes)
            }
            _ => {
                let element = LeafElement::read(&self.bytes, at);
                (element.pos, element.key_bytes)
            }
        };
        let start = at.checked_add(pos as usize);
        start
            .and_then(|start| self.bytes.get(start..start.checked_add(length as usize)?))
            .ok_or_else(|| self.damage(at, Fault::Element(index as u32)))
    }

    /// Returns the position of the key of element `index`, in bytes from the start of the file.
    pub fn key_offset(&self, index: usize) -> u64 {
        let at = HEADER_BYTES + index * ELEMENT_BYTES;
        let pos = match self.kind {
            Kind::Branch => BranchElement::read(&self.bytes, at).pos,
            _ => LeafElement::read(&self.bytes, at).pos,
        };
        self.offset + at as u64 + u64::from(pos)
    }

    /// Returns the index of the element with the key `key`, or `None` if no element has that key.
    ///
    /// # Errors
    /// Returns an error if a key extends beyond the end of the page.
    pub fn position(&self, key: &[u8]) -> Result<Option<usize>, Damage> {
        let (index, is_exact) = self.search(key)?;
        Ok(is_exact.then_some(index))
    }

    /// Returns true if `key` is between the first and the last key of the page, inclusive.
    ///
    /// # Errors
    /// Returns an error if the first or last key extends beyond the end of the page.
    pub(super) fn spans(&self, key: &[u8]) -> Result<bool, Damage> {
        let count = usize::from(self.count());
        Ok(count > 0 && self.key(0)? <= key && key <= self.key(count - 1)?)
    }

    /// Returns the index of the first key that is not less than `key`, and true if that key equals `key`.
    ///
    /// # Errors
    /// Returns an error if a key extends beyond the end of the page.
    pub(super) fn search(&self, key: &[u8]) -> Result<(usize, bool), Damage> {
        let count = usize::from(self.count());
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low.midpoint(high);
            if self.key(middle)? < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_exact = low < count && self.key(low)? == key;
        Ok((low, is_exact))
    }

    /// Returns the value of a key in a leaf page, or `None` if the key does not exist or is the name of a bucket.
    ///
    /// # Errors
    /// Returns an error if an element extends beyond the end of the page.
    pub(super) fn value(&self, key: &[u8]) -> Result<Option<Span>, Damage> {
        let (index, is_exact) = self.search(key)?;
        if !is_exact {
            return Ok(None);
        }
        let item = self.item(index)?;
        Ok((item.flags & super::leaf::BUCKET == 0).then_some(item.value))
    }

    /// Returns the number of the child page that may contain `key`. The page must be a branch page with at least one
    /// element.
    ///
    /// # Errors
    /// Returns an error if a key extends beyond the end of the page.
    pub(super) fn child_for(&self, key: &[u8]) -> Result<u64, Damage> {
        let (index, is_exact) = self.search(key)?;
        let index = if is_exact {
            index
        } else {
            index.saturating_sub(1)
        };
        let at = HEADER_BYTES + index * ELEMENT_BYTES;
        Ok(BranchElement::read(&self.bytes, at).child)
    }

    /// Returns element `index`, which must be less than [`count`](Self::count).
    ///
    /// # Errors
    /// Returns an error if the key or value extends beyond the end of the page.
    pub fn item(&self, index: usize) -> Result<Item, Damage> {
        let at = HEADER_BYTES + index * ELEMENT_BYTES;
        let item = match self.kind {
            Kind::Branch => BranchElement::read(&self.bytes, at).item(&self.bytes, at),
            _ => LeafElement::read(&self.bytes, at).item(&self.bytes, at),
        };
        item.ok_or_else(|| self.damage(at, Fault::Element(index as u32)))
    }
}

/// Writes a page header to the first 16 bytes of `out`.
pub fn write_header(out: &mut [u8], id: u64, kind: Kind, count: u16, overflow: u32) {
    out[0..8].copy_from_slice(&id.to_le_bytes());
    out[8..10].copy_from_slice(&kind.flags().to_le_bytes());
    out[10..12].copy_from_slice(&count.to_le_bytes());
    out[12..16].copy_from_slice(&overflow.to_le_bytes());
}

/// Returns the little-endian number of 16 bits at byte `at`.
///
/// # Panics
/// Panics if the slice ends before the number does.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// Returns the little-endian number of 32 bits at byte `at`.
///
/// # Panics
/// Panics if the slice ends before the number does.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Returns the little-endian number of 64 bits at byte `at`.
///
/// # Panics
/// Panics if the slice ends before the number does.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
