//! A database file from outside the simulator: a member's `db` file, or a snapshot, which ends with a SHA-256.
//!
//! Mirrors `DB.Open`: the choice between the two meta pages, and the search for the second meta page if the first is
//! damaged. Also mirrors the trailer that `etcdctl snapshot save` adds: a file has a trailer if its length is 32 more
//! than a multiple of 512.

use sha2::{Digest as _, Sha256};

use super::meta::{META_BYTES, Meta, PAGE_BYTES};
use super::page::HEADER_BYTES;
use super::pages::Pages;
use super::{Damage, Fault, Source, View};

/// The size of a SHA-256, in bytes.
pub const TRAILER_BYTES: usize = 32;

/// The maximum length of a file, in bytes. etcd's documents suggest a quota of at most 8 GiB.
pub const FILE_BYTES_MAX: u64 = 16 << 30;

/// The number of bytes of a page that a reader of a meta page needs.
const META_PAGE_BYTES: u64 = (HEADER_BYTES + META_BYTES) as u64;

/// The number of bytes that the check of a trailer hashes at once.
const HASHED_AT_ONCE: usize = 1 << 20;

/// A file with at least one valid meta page. Opening the file reads only the meta pages.
///
/// ```
/// use watchglass_engine::bbolt::file::{File, with_trailer};
/// use watchglass_engine::bbolt::{Db, Fault, Options};
/// let mut snapshot = with_trailer(Db::new(Options::default()).view().to_file()?);
/// let file = File::open(snapshot.clone().into())?;
/// assert_eq!(file.view().meta().txid, 1);
/// assert!(file.trailer().is_some());
/// assert_eq!(file.check_trailer(), Ok(()));
///
/// snapshot[9_000] ^= 1;
/// let damaged = File::open(snapshot.into())?.check_trailer().unwrap_err();
/// assert_eq!(damaged.fault, Fault::Trailer);
/// # Ok::<(), watchglass_engine::bbolt::Damage>(())
/// ```
#[derive(Clone, Debug)]
pub struct File {
    source: Source,
    /// The length of the pages in bytes, without the trailer.
    content_bytes: u64,
    trailer: Option<[u8; TRAILER_BYTES]>,
    metas: [Result<Meta, Damage>; 2],
    view: View,
}

impl File {
    /// Opens a file in the state that the newest valid meta page describes.
    ///
    /// # Errors
    /// Returns an error if neither meta page is valid, or if the file is too short or too long.
    pub fn open(source: Source) -> Result<Self, Damage> {
        let whole = |fault| Damage {
            page: 0,
            offset: 0,
            fault,
        };
        let length = source.bytes();
        if length < (HEADER_BYTES + META_BYTES) as u64 {
            return Err(whole(Fault::FileTooShort(length)));
        }
        if length > FILE_BYTES_MAX {
            return Err(whole(Fault::FileTooLong(length)));
        }
        let content_bytes = content_bytes(length);
        let trailer = source.read(content_bytes, TRAILER_BYTES);
        let trailer = trailer.and_then(|t| t.as_ref().try_into().ok());
        let metas = metas(&source, content_bytes);
        let meta = match &metas {
            [Ok(first), Ok(second)] if second.txid > first.txid => *second,
            [Ok(meta), _] | [Err(_), Ok(meta)] => *meta,
            [Err(first), Err(second)] => {
                let both = [first.clone(), second.clone()];
                return Err(whole(Fault::NoMeta(Box::new(both))));
            }
        };
        let pages = Pages::new(meta.page_size, source.clone(), content_bytes);
        Ok(Self {
            source,
            content_bytes,
            trailer,
            metas,
            view: View::new(pages, meta),
        })
    }

    /// Returns the database as of the newest valid meta page.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns both meta pages; for an invalid meta page, returns its fault.
    pub fn metas(&self) -> &[Result<Meta, Damage>; 2] {
        &self.metas
    }

    /// Returns the length of the file in bytes, without the trailer.
    pub fn bytes(&self) -> u64 {
        self.content_bytes
    }

    /// Returns where the bytes of the file are, including the trailer.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the SHA-256 at the end of the file, or `None` if the file has no trailer.
    pub fn trailer(&self) -> Option<&[u8; TRAILER_BYTES]> {
        self.trailer.as_ref()
    }

    /// Compares the SHA-256 at the end of the file with the SHA-256 of the content. Reads the whole file; for a large
    /// file, use [`ContentHash`]. A file without a trailer passes the check.
    ///
    /// # Errors
    /// Returns an error if the two hashes differ.
    pub fn check_trailer(&self) -> Result<(), Damage> {
        let mut hash = ContentHash::new(&self.source);
        while hash.step(HASHED_AT_ONCE, |_, _| {}) == Some(false) {}
        match self.trailer {
            Some(stored) if stored != hash.finish() => Err(Damage {
                page: 0,
                offset: self.bytes(),
                fault: Fault::Trailer,
            }),
            _ => Ok(()),
        }
    }
}

/// Returns the length of the pages in a file of `bytes` bytes, without a trailer.
fn content_bytes(bytes: u64) -> u64 {
    match bytes % 512 == TRAILER_BYTES as u64 {
        true => bytes - TRAILER_BYTES as u64,
        false => bytes,
    }
}

/// The SHA-256 of a file without its trailer, computed step by step.
///
/// ```
/// use watchglass_engine::bbolt::Source;
/// use watchglass_engine::bbolt::file::ContentHash;
/// let mut hash = ContentHash::new(&Source::from(vec![7; 100]));
/// let mut met = Vec::new();
/// assert_eq!(hash.step(64, |at, bytes| met.push((at, bytes.len()))), Some(false));
/// assert_eq!(hash.step(64, |at, bytes| met.push((at, bytes.len()))), Some(true));
/// assert_eq!(met, [(0, 64), (64, 36)]);
/// assert_eq!(hash.finish()[..2], [0xd8, 0x76]);
/// ```
#[derive(Clone, Debug)]
pub struct ContentHash {
    source: Source,
    bytes: u64,
    done: u64,
    hash: Sha256,
}

impl ContentHash {
    pub fn new(source: &Source) -> Self {
        Self {
            bytes: content_bytes(source.bytes()),
            source: source.clone(),
            done: 0,
            hash: Sha256::new(),
        }
    }

    /// Hashes up to `bytes` more bytes, and calls `visit` with their position and the bytes. Returns true when the
    /// whole content is hashed, and `None` if the host cannot read the file.
    pub fn step(&mut self, bytes: usize, visit: impl FnOnce(u64, &[u8])) -> Option<bool> {
        let length = (self.bytes - self.done).min(bytes as u64);
        let part = self.source.read(self.done, length as usize)?;
        self.hash.update(&*part);
        visit(self.done, &part);
        self.done += length;
        Some(self.done == self.bytes)
    }

    /// Returns the number of hashed bytes and the total number of bytes.
    pub fn progress(&self) -> (u64, u64) {
        (self.done, self.bytes)
    }

    /// Returns the hash. Call this method when the whole content is hashed.
    pub fn finish(self) -> [u8; TRAILER_BYTES] {
        self.hash.finalize().into()
    }
}

/// Adds the trailer of a snapshot to a database file.
pub fn with_trailer(mut file: Vec<u8>) -> Vec<u8> {
    let hash = Sha256::digest(&file);
    file.extend_from_slice(&hash);
    file
}

/// Reads both meta pages. The offset of the second meta page is the page size, which each meta page contains. If the
/// first meta page is not valid, the second is searched at every possible page size.
fn metas(source: &Source, content_bytes: u64) -> [Result<Meta, Damage>; 2] {
    let read = |id: u64, offset: u64| {
        let rest = content_bytes.saturating_sub(offset);
        let page = source.read(offset, rest.min(META_PAGE_BYTES) as usize);
        Meta::read(id, offset, page.as_deref().unwrap_or_default())
    };
    let first = read(0, 0);
    let size = first.as_ref().map_or(*PAGE_BYTES.start(), |m| m.page_size);
    let mut second = read(1, u64::from(size));
    if first.is_err() {
        let mut size = *PAGE_BYTES.start();
        while PAGE_BYTES.contains(&size) {
            match read(1, u64::from(size)) {
                Ok(meta) if meta.page_size == size => {
                    second = Ok(meta);
                    break;
                }
                _ => size *= 2,
            }
        }
    }
    [first, second]
}
