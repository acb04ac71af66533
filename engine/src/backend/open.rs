//! Opens a database file that another program wrote, and uses the file as a backend.
//!
//! Mirrors the start of a member on a restored file: etcd creates the missing buckets. etcd trusts the content of the
//! file. This module checks the content.

use std::fmt;

use super::{Backend, Bucket};
use crate::api::Profile;
use crate::base::Bytes;
use crate::base::bytes::escape;
use crate::bbolt::check::Findings;
use crate::bbolt::{Damage, Db, File, TxError};
use crate::words::database_file as words;

/// The reason why a file cannot be opened as a backend.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpenError {
    Damaged(Damage),
    /// The file contains a key where etcd has a bucket with this name.
    NotABucket(&'static str),
    /// The bucket with this name contains another bucket. etcd's buckets contain only rows.
    NestedBucket(String),
}

impl From<Damage> for OpenError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(damage) => damage.fmt(f),
            Self::NotABucket(name) => f.write_str(&words::not_a_bucket(name)),
            Self::NestedBucket(name) => f.write_str(&words::nested_bucket(name)),
        }
    }
}

impl Backend {
    /// Opens a file whose pages are already checked. This function does not count the rows of the bucket `key`. The
    /// caller reads these rows anyway, so the caller counts them and calls [`set_row_count`](Self::set_row_count).
    ///
    /// # Errors
    /// Returns an error if a page is damaged or the buckets are not etcd's buckets.
    pub fn open(file: &File, findings: Findings, profile: Profile) -> Result<Self, OpenError> {
        let buckets = findings.buckets;
        let db = Db::open_checked(file, findings, Self::options(profile))?;
        if buckets > count_buckets(&db)? {
            return Err(nested(&db)?);
        }
        let mut backend = Self::over(db);
        backend.create_missing_buckets()?;
        let view = backend.db.view();
        for bucket in Bucket::ALL {
            let cursor = view.cursor(&[bucket.name().as_bytes()])?;
            if bucket == Bucket::Qos && cursor.is_none() {
                continue;
            }
            let mut cursor = cursor.ok_or(OpenError::NotABucket(bucket.name()))?;
            if let Some(last) = cursor.last()? {
                backend.last_keys[bucket as usize] = Bytes::from(&*last.key);
            }
            if bucket == Bucket::Key {
                continue;
            }
            let mut entry = cursor.first()?;
            while entry.is_some() {
                backend.row_counts[bucket as usize] += 1;
                entry = cursor.next()?;
            }
        }
        Ok(backend)
    }

    /// Sets the number of rows in a bucket of an opened file.
    pub fn set_row_count(&mut self, bucket: Bucket, rows: u64) {
        self.row_counts[bucket as usize] = rows;
    }

    fn create_missing_buckets(&mut self) -> Result<(), OpenError> {
        let mut tx = self.db.begin();
        let mut created = false;
        for bucket in Bucket::AT_START {
            match tx.create_bucket(&[], bucket.name().as_bytes()) {
                Ok(()) => created = true,
                Err(TxError::BucketExists) => {}
                Err(TxError::Damaged(damage)) => return Err(damage.into()),
                Err(_) => return Err(OpenError::NotABucket(bucket.name())),
            }
        }
        if !created {
            return Ok(());
        }
        match self.db.commit(tx) {
            Ok(_) => Ok(()),
            Err(TxError::Damaged(damage)) => Err(damage.into()),
            Err(error) => unreachable!("buckets were created: {error}"),
        }
    }
}

fn count_buckets(db: &Db) -> Result<u64, Damage> {
    let mut buckets = 0;
    let Some(mut cursor) = db.view().cursor(&[])? else {
        return Ok(0);
    };
    let mut entry = cursor.first()?;
    while let Some(found) = entry {
        buckets += u64::from(found.is_bucket);
        entry = cursor.next()?;
    }
    Ok(buckets)
}

/// Returns the error for the first bucket that contains another bucket.
fn nested(db: &Db) -> Result<OpenError, Damage> {
    let view = db.view();
    let mut name = String::new();
    if let Some(mut buckets) = view.cursor(&[])? {
        let mut bucket = buckets.first()?;
        while let Some(outer) = bucket {
            let mut inside = view.cursor(&[&outer.key])?;
            let mut entry = match &mut inside {
                Some(cursor) => cursor.first()?,
                None => None,
            };
            while let (Some(found), Some(cursor)) = (entry, &mut inside) {
                if found.is_bucket {
                    return Ok(OpenError::NestedBucket(escape(&outer.key)));
                }
                entry = cursor.next()?;
            }
            name = escape(&outer.key);
            bucket = buckets.next()?;
        }
    }
    Ok(OpenError::NestedBucket(name))
}
