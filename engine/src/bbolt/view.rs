//! A read transaction: the state of a database that one meta page describes.
//!
//! Mirrors a read-only `Tx` of `tx.go`. The simulator reads a page only when a caller needs the page.

use super::bucket::{Bucket, BucketHeader};
use super::cursor::Cursor;
use super::freelist::Freelist;
use super::meta::{Meta, NO_FREELIST};
use super::page::Page;
use super::pages::Pages;
use super::{Damage, Entry, Fault, Lookup, Span};

/// The state of a database after one transaction.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options};
/// let mut db = Db::new(Options::default());
/// let mut tx = db.begin();
/// tx.create_bucket(&[], b"key")?;
/// tx.put(&[b"key"], b"a", b"1")?;
/// let before = db.view();
/// db.commit(tx)?;
/// assert_eq!(before.get(&[b"key"], b"a")?, None);
/// assert_eq!(&*db.view().get(&[b"key"], b"a")?.unwrap(), b"1");
/// # Ok::<(), watchglass_engine::bbolt::TxError>(())
/// ```
#[derive(Clone, Debug, Hash)]
pub struct View {
    pages: Pages,
    meta: Meta,
}

impl View {
    pub(super) fn new(pages: Pages, meta: Meta) -> Self {
        Self { pages, meta }
    }

    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Returns the meta page that describes this state.
    pub fn meta(&self) -> Meta {
        self.meta
    }

    /// Returns the size of the database in bytes, including free pages (`Tx.Size`).
    pub fn bytes(&self) -> u64 {
        self.meta
            .high_water
            .saturating_mul(u64::from(self.meta.page_size))
    }

    /// Returns the page ids in the stored free list, or `None` if the free list is not stored.
    ///
    /// # Errors
    /// Returns an error if the free list is damaged.
    pub fn stored_free(&self) -> Result<Option<Vec<u64>>, Damage> {
        if self.meta.freelist == NO_FREELIST {
            return Ok(None);
        }
        Freelist::read(&self.pages.page(self.meta.freelist)?).map(Some)
    }

    /// Returns page `id`.
    ///
    /// # Errors
    /// Returns an error if the page does not exist, or its header is damaged.
    pub fn page(&self, id: u64) -> Result<Page, Damage> {
        self.pages.page(id)
    }

    /// Returns the header of the bucket at `path`, or `None` if the bucket does not exist. The path lists the names of
    /// nested buckets, from the outermost to the innermost. The empty path is the root bucket.
    ///
    /// # Errors
    /// Returns an error if a page on the path is damaged.
    pub fn bucket(&self, path: &[&[u8]]) -> Result<Option<BucketHeader>, Damage> {
        Ok(self.open(path)?.map(|bucket| bucket.header()))
    }

    /// Returns the value of a key, or `None` if the bucket or key does not exist, or the key is the name of a bucket.
    ///
    /// # Errors
    /// Returns an error if a page on the path is damaged.
    pub fn get(&self, path: &[&[u8]], key: &[u8]) -> Result<Option<Span>, Damage> {
        let Some(bucket) = self.open(path)? else {
            return Ok(None);
        };
        let entry = bucket.item(&self.pages, key)?.map(Entry::from);
        Ok(entry.filter(|e| !e.is_bucket).map(|e| e.value))
    }

    /// Returns a cursor over the keys of a bucket, or `None` if the bucket does not exist.
    ///
    /// # Errors
    /// Returns an error if a page on the path is damaged.
    pub fn cursor(&self, path: &[&[u8]]) -> Result<Option<Cursor>, Damage> {
        let bucket = self.open(path)?;
        Ok(bucket.map(|bucket| Cursor::new(bucket, self.pages.clone())))
    }

    /// Returns a [`Lookup`] for reading single keys of a bucket, or `None` if the bucket does not exist.
    ///
    /// # Errors
    /// Returns an error if a page on the path is damaged.
    pub fn lookup(&self, path: &[&[u8]]) -> Result<Option<Lookup>, Damage> {
        let bucket = self.open(path)?;
        Ok(bucket.map(|bucket| Lookup::new(bucket, self.pages.clone())))
    }

    fn open(&self, path: &[&[u8]]) -> Result<Option<Bucket>, Damage> {
        let mut bucket = Bucket::root(self.meta.root);
        for name in path {
            match bucket.child(&self.pages, name)? {
                Some(child) => bucket = child,
                None => return Ok(None),
            }
        }
        Ok(Some(bucket))
    }

    /// Returns the database as a file (`Tx.WriteTo`). Both meta pages describe this state. The second meta page has the
    /// previous transaction number, so readers use the first meta page.
    ///
    /// # Errors
    /// Returns an error if the meta page counts more pages than exist, or fewer than two.
    pub fn to_file(&self) -> Result<Vec<u8>, Damage> {
        let (counted, held) = (self.meta.high_water, self.pages.held());
        if !(2..=held).contains(&counted) {
            return Err(Damage {
                page: self.meta.page_id(),
                offset: self.meta.page_id() * u64::from(self.meta.page_size),
                fault: Fault::Truncated { counted, held },
            });
        }
        let mut file = self.pages.to_bytes(self.bytes());
        let size = self.meta.page_size as usize;
        let before = Meta {
            txid: self.meta.txid.wrapping_sub(1),
            ..self.meta
        };
        file[..size].copy_from_slice(&self.meta.to_page(0));
        file[size..2 * size].copy_from_slice(&before.to_page(1));
        Ok(file)
    }
}
