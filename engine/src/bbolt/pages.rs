//! The pages of a database file: the file as it was when it was opened, and the pages that transactions have written
//! since.
//!
//! Clones share pages, so a clone for a saved state or a reader costs little. A free page contains the bytes last
//! written to it, as in a real file.

use std::hash::{Hash, Hasher};

use im::OrdMap;

use super::page::{HEADER_BYTES, Kind, Page, u16_at, u32_at, u64_at};
use super::{Damage, Fault, Source, Span};
use crate::base::Bytes;

/// The number of bytes that are copied at once.
const COPY_BYTES: usize = 64 << 10;

/// The pages of a file. Clones share the bytes.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options};
/// let db = Db::new(Options::default());
/// assert_eq!(db.view().pages().page(3)?.bytes().len(), 4096);
/// let no_such_page = db.view().pages().page(4).unwrap_err();
/// assert_eq!(no_such_page.to_string(), "page 4, byte 16384: a link leads to page 4, but the file has 4 pages");
/// # Ok::<(), watchglass_engine::bbolt::Damage>(())
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Pages {
    page_size: u32,
    file: Source,
    /// The length of the file without its trailer, in bytes.
    file_bytes: u64,
    written: OrdMap<u64, Written>,
}

/// A written page, which is part of a run of contiguous pages.
#[derive(Clone, Debug)]
struct Written {
    run: Span,
    index: u32,
    page_size: u32,
}

impl Written {
    fn offset(&self) -> usize {
        self.index as usize * self.page_size as usize
    }

    fn bytes(&self) -> &[u8] {
        &self.run[self.offset()..self.offset() + self.page_size as usize]
    }
}

// Hashes only the bytes of one page. Hashing the whole run for each of its pages would take quadratic time.
impl Hash for Written {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl Pages {
    /// Creates the pages in the first `file_bytes` bytes of a file. `page_size` is in bytes. An incomplete page at the
    /// end is omitted.
    pub fn new(page_size: u32, file: Source, file_bytes: u64) -> Self {
        Self {
            page_size,
            file_bytes: file_bytes.min(file.bytes()),
            file,
            written: OrdMap::new(),
        }
    }

    pub fn page_size(&self) -> u32 {
        self.page_size
    }

    pub fn held(&self) -> u64 {
        let in_file = self.file_bytes / u64::from(self.page_size);
        let written = self.written.get_max().map_or(0, |(id, _)| id + 1);
        in_file.max(written)
    }

    /// Returns page `id` with its overflow pages. No other page is read.
    ///
    /// # Errors
    /// Returns an error if the page does not exist, or its header is damaged.
    pub fn page(&self, id: u64) -> Result<Page, Damage> {
        let size = u64::from(self.page_size);
        let offset = id.saturating_mul(size);
        let damage = |fault| Damage {
            page: id,
            offset,
            fault,
        };
        let missing = || {
            damage(Fault::NoSuchPage {
                linked: id,
                held: self.held(),
            })
        };
        if let Some(written) = self.written.get(&id) {
            let bytes = written.run.from_offset(written.offset());
            return Page::open(id, offset, bytes.ok_or_else(missing)?, self.page_size);
        }
        let rest = self.file_bytes.saturating_sub(offset);
        let read = |length: u64| {
            let length = usize::try_from(length).ok().filter(|_| length <= rest)?;
            self.file.read(offset, length)
        };
        let first = read(size).ok_or_else(missing)?;
        let overflow = match u64_at(&first, 0) == id {
            true => u32_at(&first, HEADER_BYTES - 4),
            false => 0,
        };
        let length = (u64::from(overflow) + 1) * size;
        let bytes = match overflow {
            0 => first,
            _ if length > rest => {
                let held = id + rest / size;
                return Err(Damage {
                    offset: offset + 12,
                    ..damage(Fault::Overflow { overflow, held })
                });
            }
            _ => read(length).ok_or_else(|| damage(Fault::TooLong(overflow)))?,
        };
        Page::open(id, offset, bytes, self.page_size)
    }

    /// Returns the bytes of page `id` without its overflow pages, or `None` if the file ends before the page does.
    pub fn raw(&self, id: u64) -> Option<Span> {
        let size = u64::from(self.page_size);
        if let Some(written) = self.written.get(&id) {
            return written.run.slice(written.offset(), size as usize);
        }
        let at = id.checked_mul(size)?;
        let is_in_file = at.checked_add(size)? <= self.file_bytes;
        is_in_file.then(|| self.file.read(at, size as usize))?
    }

    /// Returns true if the pages starting at page `id` contain exactly `bytes`, whose length must be a whole number of
    /// pages.
    pub(super) fn has(&self, id: u64, bytes: &[u8]) -> bool {
        let mut pages = (id..).zip(bytes.chunks(self.page_size as usize));
        pages.all(|(id, page)| self.raw(id).as_deref() == Some(page))
    }

    /// Returns the kind and the number of overflow pages from the header of page `id`, without checking the page.
    /// Returns `None` if the file ends before the page does, or the kind is unknown.
    pub fn header(&self, id: u64) -> Option<(Kind, u32)> {
        let page = self.raw(id)?;
        Some((Kind::from_flags(u16_at(&page, 8))?, u32_at(&page, 12)))
    }

    /// Writes the pages in `run`, starting at page `id`. The length of `run` must be a whole number of pages.
    pub(super) fn write(&mut self, id: u64, run: Bytes) {
        let run = Span::from(run);
        for index in 0..(run.len() / self.page_size as usize) as u32 {
            let written = Written {
                run: run.clone(),
                index,
                page_size: self.page_size,
            };
            self.written.insert(id + u64::from(index), written);
        }
    }

    /// Returns the first `length` bytes of the file. Bytes that were never written are zero.
    pub fn to_bytes(&self, length: u64) -> Vec<u8> {
        let mut out = vec![0; length as usize];
        let shared = self.file_bytes.min(length) as usize;
        for (at, place) in (0..)
            .step_by(COPY_BYTES)
            .zip(out[..shared].chunks_mut(COPY_BYTES))
        {
            if let Some(part) = self.file.read(at, place.len()) {
                place.copy_from_slice(&part);
            }
        }
        for (id, written) in &self.written {
            let at = *id as usize * self.page_size as usize;
            if let Some(place) = out.get_mut(at..at + self.page_size as usize) {
                place.copy_from_slice(written.bytes());
            }
        }
        out
    }
}
