//! A file in memory without its free pages, for a run on a file that is larger than the memory.
//!
//! Left out: the old content of free pages, which reads as zeros.

use std::sync::Arc;

use super::check::{Findings, Use};
use super::{File, Source, Span};

/// A file of at most this size is loaded as a whole, in bytes.
pub const WHOLE_BYTES_MAX: u64 = 1 << 30;

/// The size at which a part ends, in bytes. A part ends where a page begins, so it can be longer.
const PART_BYTES: u64 = 1 << 20;

/// The parts of a file that are in memory.
#[derive(Debug, Default, Hash)]
pub struct Loaded {
    bytes: u64,
    /// The parts in ascending order, each with its position in the file, in bytes.
    parts: Vec<(u64, Span)>,
}

impl Loaded {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the `length` bytes that start at byte `at`, or `None` if they extend beyond the end of the file. Bytes
    /// that are not in memory are zero.
    pub fn read(&self, at: u64, length: usize) -> Option<Span> {
        if at.checked_add(length as u64)? > self.bytes {
            return None;
        }
        let after = self.parts.partition_point(|(start, _)| *start <= at);
        let part = after.checked_sub(1).and_then(|place| {
            let (start, part) = self.parts.get(place)?;
            part.slice(usize::try_from(at - start).ok()?, length)
        });
        Some(part.unwrap_or_else(|| vec![0; length].into()))
    }
}

/// A load of a file's pages into memory, in steps. All pages of a small file are loaded, and the pages in use of a
/// large file.
///
/// ```
/// use watchglass_engine::bbolt::check::Checker;
/// use watchglass_engine::bbolt::loaded::FileLoad;
/// use watchglass_engine::bbolt::{Db, File, Options};
/// let file = File::open(Db::new(Options::default()).to_bytes().into())?;
/// let findings = Checker::new(file.view()).run();
/// let mut load = FileLoad::new(&file, &findings);
/// while load.step(&findings) == Some(false) {}
/// assert_eq!(load.finish()?.view().page(3)?.count(), 0);
/// # Ok::<(), watchglass_engine::bbolt::Damage>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileLoad {
    file: File,
    has_all: bool,
    /// The number of the next page to load.
    next: usize,
    parts: Vec<(u64, Span)>,
}

impl FileLoad {
    pub fn new(file: &File, findings: &Findings) -> Self {
        let is_here = !matches!(file.source(), Source::Blocks(_));
        Self {
            file: file.clone(),
            has_all: file.bytes() <= WHOLE_BYTES_MAX,
            next: if is_here { findings.uses.len() } else { 0 },
            parts: Vec::new(),
        }
    }

    /// Returns the number of bytes that a load of this file needs.
    pub fn needs(file: &File, findings: &Findings) -> u64 {
        let size = u64::from(file.view().meta().page_size);
        let used = findings.uses.iter().filter(|used| is_kept(**used)).count() as u64;
        match file.bytes() <= WHOLE_BYTES_MAX {
            true => file.bytes(),
            false => used * size,
        }
    }

    /// Loads the next part. Returns true when no pages are left, and `None` if the host cannot read the file.
    pub fn step(&mut self, findings: &Findings) -> Option<bool> {
        let (uses, has_all) = (&findings.uses, self.has_all);
        let is_kept = |used: &Use| has_all || is_kept(*used);
        let size = u64::from(self.file.view().meta().page_size);
        let rest = uses.get(self.next..).unwrap_or_default();
        let Some(skipped) = rest.iter().position(is_kept) else {
            return Some(true);
        };
        let begin = self.next + skipped;
        let mut end = begin;
        while let Some(used) = uses.get(end).filter(|used| is_kept(used)) {
            let is_full = (end - begin) as u64 * size >= PART_BYTES;
            if is_full && !matches!(used, Use::Overflow | Use::Freelist) {
                break;
            }
            end += 1;
        }
        let at = begin as u64 * size;
        let length = usize::try_from((end - begin) as u64 * size).ok()?;
        let read = self.file.source().read(at, length)?;
        // A copy, because the bytes that were read can be a small part of a block that they would keep in memory.
        self.parts.push((at, Span::from(&*read)));
        self.next = end;
        Some(self.next == uses.len())
    }

    /// Returns the number of loaded bytes.
    pub fn loaded(&self) -> u64 {
        self.parts.iter().map(|(_, part)| part.len() as u64).sum()
    }

    /// Returns the file in memory. Call this method after [`step`](Self::step) has returned true.
    ///
    /// # Errors
    /// Returns an error if the meta pages are not valid; they were valid when the file was opened.
    pub fn finish(self) -> Result<File, super::Damage> {
        if !matches!(self.file.source(), Source::Blocks(_)) {
            return Ok(self.file);
        }
        let loaded = Loaded {
            bytes: self.file.bytes(),
            parts: self.parts,
        };
        File::open(Source::Loaded(Arc::new(loaded)))
    }
}

/// Returns true if a run needs the content of a page.
fn is_kept(used: Use) -> bool {
    !matches!(used, Use::Free | Use::NotReached)
}
