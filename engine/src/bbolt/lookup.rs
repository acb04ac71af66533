//! Reads single keys of a bucket. The leaf of the last read is searched first, because neighboring keys are often in
//! the same leaf.

use super::bucket::Bucket;
use super::page::Page;
use super::pages::Pages;
use super::{Damage, Span};

/// Reads single keys of a bucket.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options};
/// let mut db = Db::new(Options::default());
/// let mut tx = db.begin();
/// tx.create_bucket(&[], b"key")?;
/// tx.put(&[b"key"], b"a", b"1")?;
/// db.commit(tx)?;
/// let mut keys = db.view().lookup(&[b"key"])?.unwrap();
/// assert_eq!(&*keys.get(b"a")?.unwrap(), b"1");
/// assert_eq!(keys.get(b"b")?, None);
/// # Ok::<(), watchglass_engine::bbolt::TxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lookup {
    bucket: Bucket,
    pages: Pages,
    /// The leaf of the last read.
    leaf: Option<Page>,
}

impl Lookup {
    pub(super) fn new(bucket: Bucket, pages: Pages) -> Self {
        Self {
            bucket,
            pages,
            leaf: None,
        }
    }

    /// Returns the pages that a search for a key reads: all pages from the bucket's root page down to a leaf page, each
    /// with its overflow pages. For an inline bucket, returns the page in the bucket's value.
    ///
    /// # Errors
    /// Returns an error if a page on the path is damaged.
    pub fn pages_to(&self, key: &[u8]) -> Result<Vec<Page>, Damage> {
        self.bucket.pages_to(&self.pages, key)
    }

    /// Returns the value of a key, or `None` if the key does not exist or is the name of a bucket.
    ///
    /// # Errors
    /// Returns an error if a page on the path is damaged.
    pub fn get(&mut self, key: &[u8]) -> Result<Option<Span>, Damage> {
        let leaf = match self.leaf.take() {
            Some(leaf) if leaf.spans(key)? => leaf,
            _ => self.bucket.leaf(&self.pages, key)?,
        };
        let value = leaf.value(key);
        self.leaf = Some(leaf);
        value
    }
}
