//! A write transaction: it collects changes in memory, and a commit writes the changes to new pages.
//!
//! Mirrors a writable `Tx` of `tx.go` and the methods of `Bucket`. Here, these methods take the path of the bucket as
//! an argument. Dropping a transaction rolls it back. Clones must be cheap, because the simulator saves the state every
//! few steps, even while a transaction is open.

use std::fmt;

use super::bucket::Bucket;
use super::cursor::Cursor;
use super::leaf::BUCKET;
use super::node::Item;
use super::space::Space;
use super::{Damage, Entry, Report, Span};
use crate::base::Bytes;

pub const KEY_BYTES_MAX: usize = 32_768;
pub const VALUE_BYTES_MAX: usize = (1 << 31) - 2;

/// An error of a transaction. The text of each error is bbolt's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TxError {
    BucketExists,
    BucketNotFound,
    BucketNameRequired,
    /// The call uses the name of a bucket as a key, or a key as the name of a bucket.
    IncompatibleValue,
    KeyRequired,
    KeyTooLarge,
    ValueTooLarge,
    Damaged(Damage),
}

impl fmt::Display for TxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BucketExists => f.write_str("bucket already exists"),
            Self::BucketNotFound => f.write_str("bucket not found"),
            Self::BucketNameRequired => f.write_str("bucket name required"),
            Self::IncompatibleValue => f.write_str("incompatible value"),
            Self::KeyRequired => f.write_str("key required"),
            Self::KeyTooLarge => f.write_str("key too large"),
            Self::ValueTooLarge => f.write_str("value too large"),
            Self::Damaged(damage) => damage.fmt(f),
        }
    }
}

impl From<Damage> for TxError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

/// A write transaction. [`Db::commit`](super::Db::commit) writes its changes to the database.
///
/// ```
/// use watchglass_engine::bbolt::{Db, Options, TxError};
/// let mut db = Db::new(Options::default());
/// let mut tx = db.begin();
/// tx.create_bucket(&[], b"key")?;
/// assert_eq!(tx.create_bucket(&[], b"key"), Err(TxError::BucketExists));
/// tx.put(&[b"key"], b"a", b"1")?;
/// tx.delete(&[b"key"], b"b")?; // Deleting a missing key is not an error.
/// assert_eq!(&*tx.get(&[b"key"], b"a")?.unwrap(), b"1");
/// db.commit(tx)?;
/// # Ok::<(), TxError>(())
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Tx {
    pub(super) root: Bucket,
    pub(super) space: Space,
}

impl Tx {
    /// Returns the number of the transaction. Each committed transaction has a higher number than the previous one.
    pub fn id(&self) -> u64 {
        self.space.meta.txid
    }

    /// Returns the size of the database in this transaction, in bytes, including free pages (`Tx.Size`).
    pub fn bytes(&self) -> u64 {
        self.space.meta.high_water * u64::from(self.space.page_size())
    }

    /// Returns the report of the open transaction: the pages read, and the pages freed by deleting buckets.
    pub fn report(&self) -> &Report {
        &self.space.report
    }

    /// Creates an empty bucket in the bucket at `path`. The empty path is the root bucket.
    ///
    /// # Errors
    /// Returns an error if no bucket exists at `path`, or the name is empty or in use.
    pub fn create_bucket(&mut self, path: &[&[u8]], name: &[u8]) -> Result<(), TxError> {
        if name.is_empty() {
            return Err(TxError::BucketNameRequired);
        }
        let (bucket, space) = self.bucket(path)?;
        match find(bucket, space, name)? {
            Some(item) if item.flags & BUCKET != 0 => Err(TxError::BucketExists),
            Some(_) => Err(TxError::IncompatibleValue),
            None => Ok(bucket.create(space, name)?),
        }
    }

    /// Deletes a bucket with all its keys and child buckets.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist.
    pub fn delete_bucket(&mut self, path: &[&[u8]], name: &[u8]) -> Result<(), TxError> {
        let (bucket, space) = self.bucket(path)?;
        match find(bucket, space, name)? {
            None => return Err(TxError::BucketNotFound),
            Some(item) if item.flags & BUCKET == 0 => return Err(TxError::IncompatibleValue),
            Some(_) => {}
        }
        let child = bucket.descend(&space.pages, &[name])?;
        child.expect("found above").free_all(space)?;
        bucket.buckets.remove(name);
        bucket.leaf_mut(space, name)?.delete(name);
        Ok(())
    }

    /// Returns true if a bucket exists at `path`.
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub fn has_bucket(&mut self, path: &[&[u8]]) -> Result<bool, TxError> {
        Ok(self.root.descend(&self.space.pages, path)?.is_some())
    }

    /// Writes a key and its value to the bucket at `path`.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist, if the key is empty or is the name of a bucket, or if the key or
    /// value is too long.
    pub fn put(&mut self, path: &[&[u8]], key: &[u8], value: &[u8]) -> Result<(), TxError> {
        if key.is_empty() {
            return Err(TxError::KeyRequired);
        }
        if key.len() > KEY_BYTES_MAX {
            return Err(TxError::KeyTooLarge);
        }
        if value.len() > VALUE_BYTES_MAX {
            return Err(TxError::ValueTooLarge);
        }
        let (bucket, space) = self.bucket(path)?;
        if find(bucket, space, key)?.is_some_and(|item| item.flags & BUCKET != 0) {
            return Err(TxError::IncompatibleValue);
        }
        let item = Item {
            flags: 0,
            child: 0,
            key: Span::from(key),
            value: Span::from(value),
        };
        bucket.leaf_mut(space, key)?.put(key, item);
        Ok(())
    }

    /// Appends keys, in ascending order, after the last key of the bucket. The result is the same as a
    /// [`put`](Self::put) of each key, but the position is searched only once and the bytes are shared.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist, or a key or value is too long. Keys before the failing key stay
    /// written.
    ///
    /// # Panics
    /// Panics if a key is not greater than the preceding key.
    pub fn append(
        &mut self,
        path: &[&[u8]],
        rows: impl IntoIterator<Item = (Bytes, Bytes)>,
    ) -> Result<(), TxError> {
        let (bucket, space) = self.bucket(path)?;
        let leaf = bucket.last_leaf_mut(space)?;
        for (key, value) in rows {
            if key.len() > KEY_BYTES_MAX {
                return Err(TxError::KeyTooLarge);
            }
            if value.len() > VALUE_BYTES_MAX {
                return Err(TxError::ValueTooLarge);
            }
            let last: &[u8] = leaf.items.last().map_or(&[], |item| &item.key);
            assert!(*last < *key, "appended keys are in order");
            leaf.items.push(Item {
                flags: 0,
                child: 0,
                key: Span::from(key),
                value: Span::from(value),
            });
        }
        Ok(())
    }

    /// Deletes a key, if it exists.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist, or the key is the name of a bucket.
    pub fn delete(&mut self, path: &[&[u8]], key: &[u8]) -> Result<(), TxError> {
        let (bucket, space) = self.bucket(path)?;
        match find(bucket, space, key)? {
            None => Ok(()),
            Some(item) if item.flags & BUCKET != 0 => Err(TxError::IncompatibleValue),
            Some(_) => {
                bucket.leaf_mut(space, key)?.delete(key);
                Ok(())
            }
        }
    }

    /// Returns the value of a key, including changes in this transaction, or `None` if the key does not exist or is the
    /// name of a bucket.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist.
    pub fn get(&mut self, path: &[&[u8]], key: &[u8]) -> Result<Option<Span>, TxError> {
        let (bucket, space) = self.bucket(path)?;
        let entry = find(bucket, space, key)?.map(Entry::from);
        Ok(entry.filter(|e| !e.is_bucket).map(|e| e.value))
    }

    /// Returns a cursor over the current keys of a bucket. The cursor does not see later changes.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist.
    pub fn cursor(&mut self, path: &[&[u8]]) -> Result<Cursor, TxError> {
        let (bucket, space) = self.bucket(path)?;
        Ok(Cursor::new(bucket.clone(), space.pages.clone()))
    }

    /// Returns the sequence counter of a bucket.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist.
    pub fn sequence(&mut self, path: &[&[u8]]) -> Result<u64, TxError> {
        Ok(self.bucket(path)?.0.header.sequence)
    }

    /// Sets the sequence counter of a bucket.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist.
    pub fn set_sequence(&mut self, path: &[&[u8]], sequence: u64) -> Result<(), TxError> {
        let (bucket, space) = self.bucket(path)?;
        bucket.materialize(space, bucket.header.page, None)?;
        bucket.header.sequence = sequence;
        Ok(())
    }

    /// Sets the fill percent of a bucket for the splits of this transaction, in thousandths of a page.
    ///
    /// # Errors
    /// Returns an error if the bucket does not exist.
    pub fn set_fill(&mut self, path: &[&[u8]], thousandths: u32) -> Result<(), TxError> {
        self.bucket(path)?.0.fill = thousandths;
        Ok(())
    }

    fn bucket(&mut self, path: &[&[u8]]) -> Result<(&mut Bucket, &mut Space), TxError> {
        let bucket = self.root.descend(&self.space.pages, path)?;
        Ok((bucket.ok_or(TxError::BucketNotFound)?, &mut self.space))
    }

    /// Merges, splits and writes all changed nodes, and then writes the free list and the meta page.
    pub(super) fn write(&mut self) -> Result<(), Damage> {
        let space = &mut self.space;
        self.root.rebalance(space)?;
        let high_water = space.meta.high_water;
        self.root.spill(space)?;
        space.meta.root = self.root.header;
        space.store_freelist(high_water)?;
        space.report.writes.sort_unstable_by_key(|write| write.page);
        let meta_page = space.meta.page_id();
        space.write(meta_page, space.meta.to_page(meta_page));
        space.report.meta_page = meta_page;
        space.report.high_water = space.meta.high_water;
        let size = u64::from(space.page_size());
        for write in &space.report.writes {
            let end = write.page * size + write.bytes.len() as u64;
            space.extent.file_bytes = space.extent.file_bytes.max(end);
        }
        space.report.file_bytes = space.extent.file_bytes;
        Ok(())
    }
}

/// Returns the element with the key `key`, and adds the pages on the path to the report.
fn find(bucket: &Bucket, space: &mut Space, key: &[u8]) -> Result<Option<Item>, Damage> {
    let path = bucket.seek(&space.pages, key)?;
    for step in &path {
        if let super::cursor::Ref::Page(page) = &step.at
            && !page.is_inline()
        {
            space.report.read.insert(page.id());
        }
    }
    let leaf = path.last().expect("a path ends in a leaf");
    Ok(leaf.item()?.filter(|item| &*item.key == key))
}
