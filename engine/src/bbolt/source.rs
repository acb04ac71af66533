//! Where the bytes of a database file are: in memory, in a file of the host that is read in blocks, or in memory
//! without its free pages.
//!
//! Positions are 64-bit numbers, because a file can be larger than the memory of a browser's tab.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Span;
use super::blocks::Blocks;
use super::loaded::Loaded;
use crate::base::Bytes;

/// A file that the host of the engine can read, such as a `File` of a browser.
pub trait ReadAt: fmt::Debug + Send + Sync {
    /// Returns the length of the file in bytes.
    fn bytes(&self) -> u64;

    /// Returns the `length` bytes that start at byte `at`, or `None` if the host cannot read them any more, for
    /// example because the file has changed.
    fn read_at(&self, at: u64, length: usize) -> Option<Vec<u8>>;
}

/// The bytes of a file. Clones share them.
///
/// ```
/// use watchglass_engine::bbolt::Source;
/// let source = Source::from(b"0123456789".as_slice());
/// assert_eq!(source.read(8, 2).as_deref(), Some(b"89".as_slice()));
/// assert_eq!(source.read(9, 2), None);
/// ```
#[derive(Clone, Debug)]
pub enum Source {
    Memory(Span),
    /// A file of the host, of which only a few blocks are in memory.
    Blocks(Arc<Blocks>),
    /// A file of which all pages but the free pages are in memory.
    Loaded(Arc<Loaded>),
}

impl Source {
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Memory(span) => span.len() as u64,
            Self::Blocks(blocks) => blocks.bytes(),
            Self::Loaded(loaded) => loaded.bytes(),
        }
    }

    /// Returns the `length` bytes that start at byte `at`, or `None` if they extend beyond the end or cannot be read.
    pub fn read(&self, at: u64, length: usize) -> Option<Span> {
        match self {
            Self::Memory(span) => span.slice(usize::try_from(at).ok()?, length),
            Self::Blocks(blocks) => blocks.read(at, length),
            Self::Loaded(loaded) => loaded.read(at, length),
        }
    }

    /// Returns the blocks of a file of the host; `None` for a file in memory.
    pub fn blocks(&self) -> Option<&Blocks> {
        match self {
            Self::Memory(_) | Self::Loaded(_) => None,
            Self::Blocks(blocks) => Some(blocks),
        }
    }

    /// Returns true if the host could not read the file. Missing pages are then no damage of the file.
    pub fn has_failed(&self) -> bool {
        self.blocks().is_some_and(Blocks::has_failed)
    }
}

// A run never reads a file of the host, so the state of a run never contains such a file.
impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Memory(span) => span.hash(state),
            Self::Blocks(blocks) => blocks.bytes().hash(state),
            Self::Loaded(loaded) => loaded.hash(state),
        }
    }
}

impl From<Span> for Source {
    fn from(span: Span) -> Self {
        Self::Memory(span)
    }
}

impl From<Bytes> for Source {
    fn from(bytes: Bytes) -> Self {
        Self::Memory(bytes.into())
    }
}

impl From<&[u8]> for Source {
    fn from(bytes: &[u8]) -> Self {
        Self::Memory(bytes.into())
    }
}

impl From<Vec<u8>> for Source {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Memory(bytes.into())
    }
}
