//! A disk that loses power: writes since the last sync are kept, lost or torn, in any order.
//!
//! Mirrors what `Commit` of `tx.go` does to a file: data pages, sync, meta page, sync. A sector of 512 bytes that is
//! being written may end up half old and half new; the checksum of the meta page finds that out. Left out: sectors that
//! change although nobody writes to them, and disks that say they have synced and have not.

use super::Report;
use crate::base::planted::{Planted, PlantedBug};
use crate::base::rng::Rng;

const SECTOR_BYTES: usize = 512;

/// The content of a disk, and the writes that are not synced.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    file: Vec<u8>,
    /// Offset in the file and bytes, in the order of the calls.
    unsynced: Vec<(usize, Vec<u8>)>,
}

/// What became of the writes that were not synced at a crash.
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
    /// A disk with this file, all of it synced.
    pub fn new(file: Vec<u8>) -> Self {
        Self {
            file,
            unsynced: Vec::new(),
        }
    }

    /// Writes bytes at an offset; they may be lost until the next [`sync`](Self::sync).
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.unsynced.push((offset, bytes.to_vec()));
    }

    /// Makes all writes durable.
    pub fn sync(&mut self) {
        for (offset, bytes) in std::mem::take(&mut self.unsynced) {
            self.put(offset, &bytes);
        }
    }

    /// Does the writes of a commit until the power fails: before one of them, or after the last.
    pub fn commit_until_crash(
        &mut self,
        report: &Report,
        page_bytes: usize,
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
            self.write(write.page as usize * page_bytes, &write.bytes);
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
            let (offset, bytes) = writes.swap_remove(rng.below(writes.len() as u64) as usize);
            match rng.below(3) {
                0 => {
                    self.put(offset, &bytes);
                    crash.kept += 1;
                }
                1 => crash.lost += 1,
                _ => {
                    self.tear(offset, &bytes, rng);
                    crash.torn += 1;
                }
            }
        }
        crash
    }

    /// Writes some sectors whole and some up to a byte in their middle.
    fn tear(&mut self, offset: usize, bytes: &[u8], rng: &mut Rng) {
        for (number, sector) in bytes.chunks(SECTOR_BYTES).enumerate() {
            let kept = match rng.below(3) {
                0 => sector.len(),
                1 => 0,
                _ => rng.below(sector.len() as u64) as usize,
            };
            self.put(offset + number * SECTOR_BYTES, &sector[..kept]);
        }
    }

    fn put(&mut self, offset: usize, bytes: &[u8]) {
        let end = offset + bytes.len();
        if self.file.len() < end {
            self.file.resize(end, 0);
        }
        self.file[offset..end].copy_from_slice(bytes);
    }

    /// The file as it is found after the crash.
    pub fn into_file(self) -> Vec<u8> {
        self.file
    }
}
