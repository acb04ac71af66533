//! Access to the pages of a database for a write transaction: reading, freeing, allocating and writing pages.
//!
//! Mirrors `allocate`, `grow` and `mmapSize` of `db.go` and `commitFreelist` of `tx.go`, and fills the transaction's
//! report.

use super::freelist::Freelist;
use super::meta::Meta;
use super::options::GrowFile;
use super::page::{Kind, Page};
use super::pages::Pages;
use super::report::{Report, Run};
use super::{Damage, Options};
use crate::base::Bytes;

const MAP_MIN_BYTES: u64 = 32 << 10;
const MAP_DOUBLES_UP_TO_BYTES: u64 = 1 << 30;

/// The lengths of the file and its memory map, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extent {
    pub file_bytes: u64,
    pub map_bytes: u64,
    /// The length of the file as bbolt tracks it. After a file is opened, the value is 0 until the file grows.
    pub known_bytes: u64,
}

impl Extent {
    /// Returns the size of the memory map for `bytes` bytes of file. Up to 1 GiB, the size is a power of two of at
    /// least 32 KiB. Above 1 GiB, the size is a whole number of GiB.
    pub(super) fn map_for(bytes: u64) -> u64 {
        if bytes <= MAP_DOUBLES_UP_TO_BYTES {
            bytes.next_power_of_two().max(MAP_MIN_BYTES)
        } else {
            bytes.next_multiple_of(MAP_DOUBLES_UP_TO_BYTES)
        }
    }

    /// Grows the file to at least `bytes` bytes, ahead of the writes.
    fn grow(&mut self, bytes: u64, options: Options) {
        let (length, is_small) = match options.grow_file {
            GrowFile::WithFreelist => (self.known_bytes, self.map_bytes < options.growth_bytes),
            GrowFile::WithCommit => (self.file_bytes, self.map_bytes <= options.growth_bytes),
        };
        if bytes <= length {
            return;
        }
        let bytes = if is_small {
            self.map_bytes
        } else {
            bytes + options.growth_bytes
        };
        (self.known_bytes, self.file_bytes) = (bytes, bytes);
    }
}

/// The pages of a database in one transaction.
#[derive(Clone, Debug, Hash)]
pub struct Space {
    pub(super) options: Options,
    pub(super) pages: Pages,
    pub(super) meta: Meta,
    pub(super) freelist: Freelist,
    pub(super) extent: Extent,
    pub(super) report: Report,
}

impl Space {
    pub(super) fn page_size(&self) -> u32 {
        self.meta.page_size
    }

    /// Reads a page for a change, and adds the page to the report.
    pub(super) fn page(&mut self, id: u64) -> Result<Page, Damage> {
        let page = self.pages.page(id)?;
        self.report.read.insert(id);
        Ok(page)
    }

    /// Frees a page and its overflow pages. The pages are pending until no reader can see them.
    ///
    /// # Errors
    /// Returns an error if the page is damaged.
    pub(super) fn free(&mut self, id: u64) -> Result<(), Damage> {
        let page = self.pages.page(id)?;
        let pages = id..=id + u64::from(page.overflow());
        self.report.freed.extend(pages.clone());
        let is_freelist = page.kind() == Kind::Freelist;
        self.freelist.free(self.meta.txid, pages, is_freelist);
        Ok(())
    }

    /// Allocates `count` contiguous pages and returns the number of the first page. Takes free pages if possible.
    /// Otherwise, takes new pages at the high-water mark, which is the first page that was never used.
    pub(super) fn allocate(&mut self, count: u64) -> u64 {
        let reused = self.freelist.allocate(self.meta.txid, count);
        let page = reused.unwrap_or_else(|| {
            let page = self.meta.high_water;
            let needed = (page + count + 1) * u64::from(self.page_size());
            if needed >= self.extent.map_bytes {
                self.extent.map_bytes = Extent::map_for(needed);
            }
            self.meta.high_water += count;
            page
        });
        let is_reused = reused.is_some();
        let run = Run {
            page,
            count,
            is_reused,
        };
        self.report.allocated.push(run);
        page
    }

    pub(super) fn write(&mut self, id: u64, bytes: Vec<u8>) {
        let bytes = Bytes::from(bytes);
        self.report.write(id, bytes.clone());
        self.pages.write(id, bytes);
    }

    /// Frees the pages of the old free list, stores the new free list if the options require it, and grows the file.
    /// `high_water` is the high-water mark before the nodes were written.
    ///
    /// # Errors
    /// Returns an error if the page of the old free list is damaged.
    pub(super) fn store_freelist(&mut self, mut high_water: u64) -> Result<(), Damage> {
        if self.meta.freelist != super::meta::NO_FREELIST {
            self.free(self.meta.freelist)?;
        }
        let at_freelist = self.options.grow_file == GrowFile::WithFreelist;
        if at_freelist {
            high_water = self.meta.high_water;
        }
        if self.options.stores_freelist {
            let size = self.page_size();
            // As in bbolt, this count is one page too high if the list fills its pages exactly.
            let count = self.freelist.stored_bytes() / u64::from(size) + 1;
            let page = self.allocate(count);
            self.write(page, self.freelist.to_pages(page, count, size));
            self.meta.freelist = page;
        } else {
            self.meta.freelist = super::meta::NO_FREELIST;
        }
        if self.meta.high_water > high_water {
            let needed = (self.meta.high_water + 1) * u64::from(self.page_size());
            self.extent.grow(needed, self.options);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_doubles_and_then_grows_by_gibibytes() {
        assert_eq!(Extent::map_for(1), 32 << 10);
        assert_eq!(Extent::map_for((32 << 10) + 1), 64 << 10);
        assert_eq!(Extent::map_for((1 << 30) + 1), 2 << 30);
        assert_eq!(Extent::map_for((2 << 30) + 1), 3 << 30);
    }

    #[test]
    fn the_file_grows_to_the_map_and_then_by_steps() {
        let options = Options {
            grow_file: GrowFile::WithCommit,
            ..Options::default()
        };
        let mut extent = Extent {
            file_bytes: 40_960,
            map_bytes: 16 << 20,
            known_bytes: 0,
        };
        extent.grow(40_960, options);
        assert_eq!(extent.file_bytes, 40_960);
        extent.grow(45_056, options);
        assert_eq!(extent.file_bytes, 16 << 20);
        extent.map_bytes = 32 << 20;
        extent.grow((16 << 20) + 4096, options);
        assert_eq!(extent.file_bytes, (32 << 20) + 4096);
    }
}
