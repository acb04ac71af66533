//! A summary of a snapshot file.
//!
//! Mirrors `Status` of `clientv3/snapshot/v3_snapshot.go`: a CRC-32C over each bucket's name and the keys and values in
//! it, all buckets in order.

use super::Bucket;
use crate::base::crc32c::Crc32c;
use crate::bbolt::{Damage, View};

/// The output of `snapshot status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotStatus {
    /// CRC-32C of all buckets.
    pub hash: u32,
    /// The revision of the newest row.
    pub revision: i64,
    /// Rows of all buckets.
    pub total_keys: u64,
    /// Bytes of the database, free pages included.
    pub total_bytes: u64,
    /// `storageVersion`, which 3.6 writes; otherwise empty.
    pub version: String,
}

impl SnapshotStatus {
    /// Reads the whole file.
    ///
    /// ```
    /// use watchglass_engine::backend::{Backend, SnapshotStatus};
    /// let status = SnapshotStatus::of(&Backend::default().file())?;
    /// assert_eq!((status.revision, status.total_keys, status.total_bytes), (0, 0, 20_480));
    /// # Ok::<(), watchglass_engine::bbolt::Damage>(())
    /// ```
    ///
    /// # Errors
    /// When a page is damaged.
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
