//! A disk that loses power: writes since the last sync are kept, lost or torn, in any order.
//!
//! Mirrors what `Commit` of `tx.go` does to a file: data pages, sync, meta page, sync. A sector of 512 bytes that is
//! being written may end up half old and half new; the checksum of the meta page finds that out. Left out: sectors that
//! change although nobody writes to them, and disks that say they have synced and have not.

use super::Report;
use super::pages::Pages;
use crate::base::Bytes;
use crate::base::planted::{Planted, PlantedBug};
use crate::base::rng::Rng;

const SECTOR_BYTES: usize = 512;

/// The pages on a disk, and the writes that are not synced.
#[derive(Clone, Debug)]
pub struct Disk {
    pages: Pages,
    /// The first page of each write and its bytes, in the order of the calls.
    unsynced: Vec<(u64, Bytes)>,
}

/// The fate of unsynced writes at a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Crash {
    /// Writes of the commit that were never begun.
    pub not_begun: u32,
    /// Writes that are on the disk.
    pub kept: u32,
    /// Writes that are lost.
    pub lost: u32,
    /// Writes of which only a part is on the disk.
    pub torn: u32,
}

impl Disk {
    /// A disk with these pages, all of them synced.
    pub fn new(pages: Pages) -> Self {
        Self {
            pages,
            unsynced: Vec::new(),
        }
    }

    /// Writes whole pages from `page` on; they may be lost until the next [`sync`](Self::sync).
    pub fn write(&mut self, page: u64, bytes: Bytes) {
        self.unsynced.push((page, bytes));
    }

    /// Makes all writes durable.
    pub fn sync(&mut self) {
        for (page, bytes) in std::mem::take(&mut self.unsynced) {
            self.pages.write(page, bytes);
        }
    }

    /// Does the writes of a commit until the power fails: before one of them, or after the last.
    pub fn commit_until_crash(
        &mut self,
        report: &Report,
        planted: Planted,
        rng: &mut Rng,
    ) -> Crash {
        let mut writes: Vec<_> = report.writes.iter().collect();
        if planted.is(PlantedBug::MetaBeforePages) {
            writes.rotate_right(1);
        }
        let begun = rng.below(writes.len() as u64 + 1) as usize;
        for (number, write) in writes.iter().take(begun).enumerate() {
            let is_last = number + 1 == writes.len();
            if is_last {
                self.sync();
            }
            self.write(write.page, write.bytes.clone());
        }
        Crash {
            not_begun: (writes.len() - begun) as u32,
            ..self.crash(rng)
        }
    }

    /// The power fails.
    pub fn crash(&mut self, rng: &mut Rng) -> Crash {
        let mut crash = Crash::default();
        let mut writes = std::mem::take(&mut self.unsynced);
        while !writes.is_empty() {
            let (page, bytes) = writes.swap_remove(rng.below(writes.len() as u64) as usize);
            match rng.below(3) {
                0 => {
                    self.pages.write(page, bytes);
                    crash.kept += 1;
                }
                1 => crash.lost += 1,
                _ => {
                    self.tear(page, &bytes, rng);
                    crash.torn += 1;
                }
            }
        }
        crash
    }

    /// Writes some sectors whole and some up to a byte in their middle.
    fn tear(&mut self, page: u64, bytes: &[u8], rng: &mut Rng) {
        let size = self.pages.page_size() as usize;
        let mut torn = vec![0; bytes.len()];
        for (id, place) in (page..).zip(torn.chunks_mut(size)) {
            if let Some(old) = self.pages.raw(id) {
                place.copy_from_slice(old);
            }
        }
        let sectors = bytes.chunks(SECTOR_BYTES);
        for (sector, place) in sectors.zip(torn.chunks_mut(SECTOR_BYTES)) {
            let kept = match rng.below(3) {
                0 => sector.len(),
                1 => 0,
                _ => rng.below(sector.len() as u64) as usize,
            };
            place[..kept].copy_from_slice(&sector[..kept]);
        }
        self.pages.write(page, torn.into());
    }

    /// The pages after the crash.
    pub fn into_pages(self) -> Pages {
        self.pages
    }
}
