//! A read transaction: a database as one meta page describes it, page by page.
//!
//! Mirrors a read-only `Tx` of `tx.go`. Nothing is read before it is asked for.

use super::bucket::{Bucket, BucketHeader};
use super::cursor::Cursor;
use super::freelist::Freelist;
use super::meta::{Meta, NO_FREELIST};
use super::page::Page;
use super::pages::Pages;
use super::{Damage, Entry, Fault, Lookup, Span};

/// A database at one transaction.
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

    /// The pages.
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// The meta page that describes this state.
    pub fn meta(&self) -> Meta {
        self.meta
    }

    /// Bytes of the database, free pages included (`Tx.Size`).
    pub fn bytes(&self) -> u64 {
        self.meta
            .high_water
            .saturating_mul(u64::from(self.meta.page_size))
    }

    /// The ids in the stored free list; `None` when it is not stored.
    ///
    /// # Errors
    /// When the free list is damaged.
    pub fn stored_free(&self) -> Result<Option<Vec<u64>>, Damage> {
        if self.meta.freelist == NO_FREELIST {
            return Ok(None);
        }
        Freelist::read(&self.pages.page(self.meta.freelist)?).map(Some)
    }

    /// The page with this number.
    ///
    /// # Errors
    /// When there is no such page, or its header is damaged.
    pub fn page(&self, id: u64) -> Result<Page, Damage> {
        self.pages.page(id)
    }

    /// The header of the bucket at the end of `path`, names from the outermost to the innermost; `None` when there is
    /// no such bucket. The empty path is the bucket of all buckets.
    ///
    /// # Errors
    /// When a page on the way is damaged.
    pub fn bucket(&self, path: &[&[u8]]) -> Result<Option<BucketHeader>, Damage> {
        Ok(self.open(path)?.map(|bucket| bucket.header()))
    }

    /// The value of a key; `None` when there is no such bucket or key, or the key is a bucket.
    ///
    /// # Errors
    /// When a page on the way is damaged.
    pub fn get(&self, path: &[&[u8]], key: &[u8]) -> Result<Option<Span>, Damage> {
        let Some(bucket) = self.open(path)? else {
            return Ok(None);
        };
        let entry = bucket.item(&self.pages, key)?.map(Entry::from);
        Ok(entry.filter(|e| !e.is_bucket).map(|e| e.value))
    }

    /// A cursor over the keys of a bucket; `None` when there is no such bucket.
    ///
    /// # Errors
    /// When a page on the way is damaged.
    pub fn cursor(&self, path: &[&[u8]]) -> Result<Option<Cursor>, Damage> {
        let bucket = self.open(path)?;
        Ok(bucket.map(|bucket| Cursor::new(bucket, self.pages.clone())))
    }

    /// The keys of a bucket, for reading one by one; `None` when the bucket does not exist.
    ///
    /// # Errors
    /// When a page on the way is damaged.
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

    /// The database as a file (`Tx.WriteTo`). Both meta pages describe this state; the second has the previous
    /// transaction number, so readers use the first.
    ///
    /// # Errors
    /// When the meta page counts more pages than there are, or fewer than two.
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
