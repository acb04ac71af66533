//! A simulated disk that can lose power. After a power failure, each write since the last sync is on the disk
//! completely, partly (a torn write) or not at all.
//!
//! Mirrors the writes of `Commit` in `tx.go`: data pages, sync, meta page, sync. If the power fails during the write of
//! a sector (512 bytes), the sector may be half old and half new. The checksum in a meta page detects a meta page that
//! was written only partly. Left out: sectors that change without a write, and disks that report a sync before the data
//! is durable.

use super::Report;
use super::pages::Pages;
use crate::base::Bytes;
use crate::base::planted::{Planted, PlantedBug};
use crate::base::rng::Rng;

const SECTOR_BYTES: usize = 512;

/// The pages on a disk, and the writes that are not synced yet.
#[derive(Clone, Debug)]
pub struct Disk {
    pages: Pages,
    /// The unsynced writes, in the order of the calls: for each write, the number of its first page and its bytes.
    unsynced: Vec<(u64, Bytes)>,
}

/// The effects of a crash on the writes of a commit: the number of writes that the crash kept, lost or tore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Crash {
    /// The number of writes that the commit had not yet started.
    pub not_begun: u32,
    /// The number of writes that are completely on the disk.
    pub kept: u32,
    pub lost: u32,
    /// The number of writes that are only partly on the disk.
    pub torn: u32,
}

impl Disk {
    /// Creates a disk with these pages, all synced.
    pub fn new(pages: Pages) -> Self {
        Self {
            pages,
            unsynced: Vec::new(),
        }
    }

    /// Writes whole pages, starting at `page`. Until the next [`sync`](Self::sync), a crash can lose the write.
    pub fn write(&mut self, page: u64, bytes: Bytes) {
        self.unsynced.push((page, bytes));
    }

    /// Makes all writes durable.
    pub fn sync(&mut self) {
        for (page, bytes) in std::mem::take(&mut self.unsynced) {
            self.pages.write(page, bytes);
        }
    }

    /// Performs the writes of a commit, and simulates a power failure before a randomly chosen write or after the last
    /// write.
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

    /// Simulates a power failure: keeps, loses or tears each unsynced write at random.
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

    /// Writes only a part of the bytes. Each sector gets all its new bytes, none of them, or the bytes up to a random
    /// position.
    fn tear(&mut self, page: u64, bytes: &[u8], rng: &mut Rng) {
        let size = self.pages.page_size() as usize;
        let mut torn = vec![0; bytes.len()];
        for (id, place) in (page..).zip(torn.chunks_mut(size)) {
            if let Some(old) = self.pages.raw(id) {
                place.copy_from_slice(&old);
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

    pub fn into_pages(self) -> Pages {
        self.pages
    }
}
