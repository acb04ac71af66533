//! A summary of a snapshot file.
//!
//! Mirrors `Status` of `clientv3/snapshot/v3_snapshot.go`. The hash is a CRC-32C over all buckets in order: for each
//! bucket, its name, its keys and its values.

use super::Bucket;
use crate::base::crc32c::Crc32c;
use crate::bbolt::{Damage, View};

/// The output of `snapshot status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotStatus {
    /// The CRC-32C over all buckets.
    pub hash: u32,
    /// The revision of the newest row.
    pub revision: i64,
    /// The number of rows in all buckets.
    pub total_keys: u64,
    /// The size of the database in bytes, including free pages.
    pub total_bytes: u64,
    /// The row `storageVersion`, which etcd 3.6 writes; empty if the row does not exist.
    pub version: String,
}

impl SnapshotStatus {
    /// Reads the whole file and summarizes it.
    ///
    /// ```
    /// use watchglass_engine::backend::{Backend, SnapshotStatus};
    /// let status = SnapshotStatus::of(&Backend::default().file())?;
    /// assert_eq!((status.revision, status.total_keys, status.total_bytes), (0, 0, 20_480));
    /// # Ok::<(), watchglass_engine::bbolt::Damage>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub fn of(file: &View) -> Result<Self, Damage> {
        let mut crc = Crc32c::new();
        let mut status = Self {
            total_bytes: file.bytes(),
            ..Self::default()
        };
        let Some(mut buckets) = file.cursor(&[])? else {
            return Ok(status);
        };
        let mut bucket = buckets.first()?;
        while let Some(name) = bucket.filter(|b| b.is_bucket).map(|b| b.key) {
            crc.update(&name);
            let is_key = *name == *Bucket::Key.name().as_bytes();
            let Some(mut rows) = file.cursor(&[&name])? else {
                break;
            };
            let mut row = rows.first()?;
            while let Some(found) = row {
                crc.update(&found.key);
                crc.update(&found.value);
                if is_key && let Some(main) = found.key.first_chunk() {
                    status.revision = i64::from_be_bytes(*main);
                }
                status.total_keys += 1;
                row = rows.next()?;
            }
            bucket = buckets.next()?;
        }
        status.hash = crc.finish();
        let version = file.get(&[Bucket::Meta.name().as_bytes()], b"storageVersion")?;
        status.version = version.map_or_else(String::new, |v| String::from_utf8_lossy(&v).into());
        Ok(status)
    }
}
