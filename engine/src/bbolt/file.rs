//! A database file from outside the simulator: a member's `db` file, or a snapshot, which ends with a SHA-256.
//!
//! Mirrors `DB.Open`: the choice between the two meta pages, and the search for the second meta page if the first is
//! damaged. Also mirrors the trailer that `etcdctl snapshot save` adds: a file has a trailer if its length is 32 more
//! than a multiple of 512.

use sha2::{Digest as _, Sha256};

use super::meta::{META_BYTES, Meta, PAGE_BYTES};
use super::page::HEADER_BYTES;
use super::pages::Pages;
use super::{Damage, Fault, Span, View};
use crate::base::Bytes;

/// The size of a SHA-256, in bytes.
pub const TRAILER_BYTES: usize = 32;

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
    content: Span,
    trailer: Option<[u8; TRAILER_BYTES]>,
    metas: [Result<Meta, Damage>; 2],
    view: View,
}

impl File {
    /// Opens a file in the state that the newest valid meta page describes.
    ///
    /// # Errors
    /// Returns an error if neither meta page is valid, or if the file is too short or too long.
    pub fn open(bytes: Bytes) -> Result<Self, Damage> {
        let whole = |fault| Damage {
            page: 0,
            offset: 0,
            fault,
        };
        let length = bytes.len() as u64;
        if length < (HEADER_BYTES + META_BYTES) as u64 {
            return Err(whole(Fault::FileTooShort(length)));
        }
        if u32::try_from(length).is_err() {
            return Err(whole(Fault::FileTooLong(length)));
        }
        let bytes = Span::from(bytes);
        let content_bytes = match bytes.len() % 512 {
            TRAILER_BYTES => bytes.len() - TRAILER_BYTES,
            _ => bytes.len(),
        };
        let trailer = bytes.get(content_bytes..).and_then(|t| t.try_into().ok());
        let content = bytes.slice(0, content_bytes).unwrap_or_default();
        let metas = metas(&content);
        let meta = match &metas {
            [Ok(first), Ok(second)] if second.txid > first.txid => *second,
            [Ok(meta), _] | [Err(_), Ok(meta)] => *meta,
            [Err(first), Err(second)] => {
                let both = [first.clone(), second.clone()];
                return Err(whole(Fault::NoMeta(Box::new(both))));
            }
        };
        let pages = Pages::new(meta.page_size, content.clone());
        Ok(Self {
            content,
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
        self.content.len() as u64
    }

    /// Returns the content of the file, without the trailer.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Returns the SHA-256 at the end of the file, or `None` if the file has no trailer.
    pub fn trailer(&self) -> Option<&[u8; TRAILER_BYTES]> {
        self.trailer.as_ref()
    }

    /// Compares the SHA-256 at the end of the file with the SHA-256 of the content. Reads the whole file at once; for a
    /// large file, use [`TrailerCheck`].
    ///
    /// # Errors
    /// Returns an error if the two hashes differ.
    pub fn check_trailer(&self) -> Result<(), Damage> {
        let mut check = TrailerCheck::new(self);
        while !check.step(usize::MAX) {}
        check.result()
    }
}

/// A check of a file's trailer that the caller runs step by step.
pub struct TrailerCheck<'a> {
    file: &'a File,
    hash: Sha256,
    done: usize,
}

impl<'a> TrailerCheck<'a> {
    pub fn new(file: &'a File) -> Self {
        Self {
            file,
            hash: Sha256::new(),
            done: 0,
        }
    }

    /// Hashes up to `bytes` more bytes. Returns true when the whole content is hashed.
    pub fn step(&mut self, bytes: usize) -> bool {
        let rest = &self.file.content[self.done..];
        let part = &rest[..bytes.min(rest.len())];
        self.hash.update(part);
        self.done += part.len();
        part.len() == rest.len()
    }

    /// Returns the number of hashed bytes.
    pub fn done(&self) -> u64 {
        self.done as u64
    }

    /// Returns the result of the check. Call this method when the whole content is hashed. A file without a trailer
    /// passes the check.
    ///
    /// # Errors
    /// Returns an error if the trailer does not match the hash.
    pub fn result(self) -> Result<(), Damage> {
        let computed = self.hash.finalize();
        match self.file.trailer {
            Some(stored) if stored[..] != computed[..] => Err(Damage {
                page: 0,
                offset: self.file.bytes(),
                fault: Fault::Trailer,
            }),
            _ => Ok(()),
        }
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
fn metas(content: &Span) -> [Result<Meta, Damage>; 2] {
    let read = |id: u64, offset: u64| {
        let page = usize::try_from(offset).ok();
        let page = page.and_then(|at| content.get(at..)).unwrap_or_default();
        Meta::read(id, offset, page)
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
