//! A file of the host that is read in blocks. Only the blocks that were used last stay in memory.
//!
//! A read in a row of blocks also reads the next blocks, because each read of a browser's `File` takes about a
//! millisecond, whatever its length.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Span;
use super::source::ReadAt;
use crate::base::Bytes;

/// The size of a block and of the blocks in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSizes {
    /// The length of a block, in bytes.
    pub block: usize,
    /// The maximum number of blocks in memory.
    pub held: usize,
    /// The maximum number of blocks in one read of a row of blocks.
    pub in_row: usize,
}

impl BlockSizes {
    /// The sizes for a file that fits in memory: it stays in memory, because the pages of a file with a history are in
    /// any order. Blocks of 1 MiB, and reads of up to 8 MiB.
    pub const SMALL_FILE: Self = Self {
        block: 1 << 20,
        held: usize::MAX,
        in_row: 8,
    };
    /// The sizes for other files: blocks of 64 KiB, 24 MiB in memory, and reads of up to 8 MiB.
    pub const LARGE_FILE: Self = Self {
        block: 64 << 10,
        held: 384,
        in_row: 128,
    };
}

/// The maximum length of one read, in bytes. A page with its overflow pages can be this long: a free list of 16 GiB
/// has 32 MiB.
pub const READ_BYTES_MAX: usize = 64 << 20;

/// A file with its last used blocks.
///
/// ```
/// use std::sync::Arc;
/// use watchglass_engine::bbolt::blocks::{Blocks, BlockSizes};
/// use watchglass_engine::bbolt::source::ReadAt;
/// #[derive(Debug)]
/// struct Zeros(u64);
/// impl ReadAt for Zeros {
///     fn bytes(&self) -> u64 {
///         self.0
///     }
///     fn read_at(&self, _: u64, length: usize) -> Option<Vec<u8>> {
///         Some(vec![0; length])
///     }
/// }
/// let blocks = Blocks::new(Box::new(Zeros(1 << 40)), BlockSizes::LARGE_FILE);
/// assert_eq!(blocks.read((1 << 40) - 2, 2).as_deref(), Some([0, 0].as_slice()));
/// assert_eq!(blocks.read((1 << 40) - 1, 2), None);
/// ```
pub struct Blocks {
    file: Box<dyn ReadAt>,
    bytes: u64,
    sizes: BlockSizes,
    state: Mutex<Held>,
}

/// The blocks in memory.
#[derive(Default)]
struct Held {
    /// Each block by its number, with the number of its last use.
    blocks: BTreeMap<u64, (Span, u64)>,
    /// The blocks by the number of their last use.
    used: BTreeMap<u64, u64>,
    uses: u64,
    /// The block that was used last.
    last: u64,
    /// The number of blocks in the next read of a row: twice as many after each such read, and half as many after a
    /// read at another place.
    in_row: usize,
    has_failed: bool,
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)
    }
}

impl Blocks {
    pub fn new(file: Box<dyn ReadAt>, sizes: BlockSizes) -> Self {
        Self {
            bytes: file.bytes(),
            file,
            sizes,
            state: Mutex::default(),
        }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns true if the host could not read the file at least once.
    pub fn has_failed(&self) -> bool {
        self.state().has_failed
    }

    /// Returns the number of the block that was used last, and the length of a block in bytes.
    pub fn last_used(&self) -> (u64, u64) {
        (self.state().last, self.sizes.block as u64)
    }

    /// Returns the `length` bytes that start at byte `at`. Returns `None` if they extend beyond the end, if they are
    /// longer than [`READ_BYTES_MAX`], or if the host cannot read them.
    pub fn read(&self, at: u64, length: usize) -> Option<Span> {
        let end = at.checked_add(length as u64)?;
        if end > self.bytes || length > READ_BYTES_MAX {
            return None;
        }
        let size = self.sizes.block as u64;
        let (first, start) = (at / size, (at % size) as usize);
        let held = &mut self.state();
        if start + length <= self.sizes.block {
            return self.block(held, first)?.slice(start, length);
        }
        let mut out = Vec::with_capacity(length);
        let mut start = start;
        for number in first.. {
            let block = self.block(held, number)?;
            let part = block.get(start..)?;
            out.extend_from_slice(&part[..part.len().min(length - out.len())]);
            if out.len() == length {
                break;
            }
            start = 0;
        }
        Some(out.into())
    }

    /// Removes the blocks before byte `at` from memory.
    pub fn release(&self, at: u64) {
        let held = &mut self.state();
        let kept = held.blocks.split_off(&(at / self.sizes.block as u64));
        for (_, used) in std::mem::replace(&mut held.blocks, kept).into_values() {
            held.used.remove(&used);
        }
    }

    fn block(&self, held: &mut Held, number: u64) -> Option<Span> {
        held.uses += 1;
        held.last = number;
        let now = held.uses;
        if let Some((block, used)) = held.blocks.get_mut(&number) {
            held.used.remove(used);
            *used = now;
            held.used.insert(now, number);
            return Some(block.clone());
        }
        let is_in_row = number > 0 && held.blocks.contains_key(&(number - 1));
        held.in_row = match is_in_row {
            true => (2 * held.in_row).clamp(1, self.sizes.in_row),
            false => held.in_row / 2,
        };
        let blocks = if is_in_row { held.in_row } else { 1 };
        let size = self.sizes.block;
        let at = number * size as u64;
        let length = (self.bytes - at).min((blocks * size) as u64) as usize;
        let read = self.file.read_at(at, length);
        let Some(read) = read.filter(|read| read.len() == length) else {
            held.has_failed = true;
            return None;
        };
        // The first block of the row is the most recent: the later ones may not be needed.
        for (place, part) in read.chunks(size).enumerate().rev() {
            held.insert(
                number + place as u64,
                Bytes::from(part).into(),
                self.sizes.held,
            );
        }
        held.blocks.get(&number).map(|(block, _)| block.clone())
    }

    fn state(&self) -> MutexGuard<'_, Held> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn insert(&mut self, number: u64, block: Span, most: usize) {
        self.uses += 1;
        if let Some((_, used)) = self.blocks.insert(number, (block, self.uses)) {
            self.used.remove(&used);
        }
        self.used.insert(self.uses, number);
        if self.blocks.len() > most
            && let Some((_, oldest)) = self.used.pop_first()
        {
            self.blocks.remove(&oldest);
        }
    }
}
