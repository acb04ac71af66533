//! A file of the host that is read in blocks. Only the blocks that were used last stay in memory, and the pages that
//! were loaded ahead (`read_ahead`).
//!
//! A read in a row of blocks also reads the next blocks, because each read of a browser's `File` takes about a
//! millisecond, whatever its length.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Span;
use super::read_ahead::ReadAhead;
use super::read_plan::ReadPlan;
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
    /// The sizes for a small file, which stays in memory: blocks of 1 MiB, and reads of up to 8 MiB.
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

    /// Returns the sizes for a file of `bytes` bytes.
    pub fn of_file(bytes: u64) -> Self {
        match bytes <= SMALL_FILE_BYTES {
            true => Self::SMALL_FILE,
            false => Self::LARGE_FILE,
        }
    }
}

/// A file of at most this size stays in memory, in bytes.
const SMALL_FILE_BYTES: u64 = 96 << 20;

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
    /// The number of blocks in the next read of a row: twice as many after each such read, and half as many after a
    /// read at another place.
    in_row: usize,
    has_failed: bool,
    ahead: ReadAhead,
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

    /// Takes the order in which a walk over all rows reads the pages.
    pub fn set_plan(&self, plan: ReadPlan) {
        self.state().ahead.set_plan(plan);
    }

    /// Announces a walk, of whose pages up to `most` bytes are loaded at once. If all blocks stay in memory, nothing is
    /// loaded.
    pub fn read_ahead(&self, most: u64) {
        if self.sizes.held < usize::MAX {
            self.state().ahead.start(most);
        }
    }

    /// Changes the number of bytes that are loaded at once.
    pub fn limit_ahead(&self, most: u64) {
        self.state().ahead.limit(most);
    }

    /// Removes the loaded pages from memory.
    pub fn end_read_ahead(&self) {
        self.state().ahead.stop();
    }

    /// Loads the next few megabytes of the announced pages. Returns false if no page is missing.
    pub fn load_ahead(&self) -> bool {
        let held = &mut self.state();
        let Some(range) = held.ahead.wanted() else {
            return false;
        };
        let length = range.end.min(self.bytes) - range.start;
        match self.read_file(held, range.start, length as usize) {
            Some(read) => held.ahead.take(range.start, &read),
            None => held.ahead.stop(),
        }
        true
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
        if let Some(loaded) = held.ahead.read(at, length) {
            return Some(loaded);
        }
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

    fn read_file(&self, held: &mut Held, at: u64, length: usize) -> Option<Vec<u8>> {
        let read = self.file.read_at(at, length);
        let read = read.filter(|read| read.len() == length);
        held.has_failed |= read.is_none();
        read
    }

    fn block(&self, held: &mut Held, number: u64) -> Option<Span> {
        held.uses += 1;
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
        let read = self.read_file(held, at, length)?;
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
