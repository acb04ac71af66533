//! Reads of single keys of a bucket. Keys close to each other are often in one leaf, which is searched first.

use super::bucket::Bucket;
use super::page::Page;
use super::pages::Pages;
use super::{Damage, Span};

/// A bucket to read keys from.
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
    /// The leaf that was searched last.
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

    /// The pages that a search for a key reads: those from the bucket's root page down to a leaf page, each with its
    /// overflow pages. Of an inline bucket that is the page in its value.
    ///
    /// # Errors
    /// When a page on the way is damaged.
    pub fn pages_to(&self, key: &[u8]) -> Result<Vec<Page>, Damage> {
        self.bucket.pages_to(&self.pages, key)
    }

    /// The value of a key; `None` when there is no such key, or it is a bucket.
    ///
    /// # Errors
    /// When a page on the way is damaged.
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
