//! A summary of a snapshot file.
//!
//! Mirrors `Status` of `clientv3/snapshot/v3_snapshot.go`. The hash is a CRC-32C over all buckets in order: for each
//! bucket, its name, its keys and its values.

use std::collections::BTreeSet;

use super::Bucket;
use crate::api::{Difference, Profile};
use crate::base::Bytes;
use crate::base::crc32c::Crc32c;
use crate::base::proto;
use crate::bbolt::{Damage, View};

/// The output of `snapshot status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotStatus {
    /// The CRC-32C over all buckets.
    pub hash: u32,
    /// The revision of the newest row.
    pub revision: i64,
    pub rows: u64,
    /// The number of keys that exist at the newest revision.
    pub live_keys: u64,
    /// The size of the database in bytes, including free pages.
    pub total_bytes: u64,
    /// The row `storageVersion`, which etcd 3.6 writes; empty if the row does not exist.
    pub version: String,
}

/// The number of bytes in the key of a put's row. The key of a tombstone has one more byte.
const ROW_KEY_BYTES: usize = 17;

/// The field of a row's `KeyValue` that the summary needs.
#[derive(Debug, Default)]
struct ChangedKey {
    key: Bytes,
}

proto::row! {
    ChangedKey { key = 1 }
}

impl SnapshotStatus {
    /// Returns the number that this version of etcd calls "total keys": since 3.6, the keys that exist at the newest
    /// revision; before, the rows in all buckets.
    pub fn total_keys(&self, profile: Profile) -> u64 {
        match profile.has(Difference::CountsLiveKeys) {
            true => self.live_keys,
            false => self.rows,
        }
    }

    /// Reads the whole file and summarizes it.
    ///
    /// ```
    /// use watchglass_engine::backend::{Backend, SnapshotStatus};
    /// let status = SnapshotStatus::of(&Backend::default().file())?;
    /// assert_eq!((status.revision, status.rows, status.total_bytes), (0, 0, 20_480));
    /// # Ok::<(), watchglass_engine::bbolt::Damage>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a page is damaged.
    pub fn of(file: &View) -> Result<Self, Damage> {
        let mut crc = Crc32c::new();
        let mut live = BTreeSet::new();
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
                    let changed = proto::decode::<ChangedKey>(&found.value).unwrap_or_default();
                    if found.key.len() > ROW_KEY_BYTES {
                        live.remove(&changed.key);
                    } else {
                        live.insert(changed.key);
                    }
                }
                status.rows += 1;
                row = rows.next()?;
            }
            bucket = buckets.next()?;
        }
        status.hash = crc.finish();
        status.live_keys = live.len() as u64;
        let version = file.get(&[Bucket::Meta.name().as_bytes()], b"storageVersion")?;
        status.version = version.map_or_else(String::new, |v| String::from_utf8_lossy(&v).into());
        Ok(status)
    }
}
