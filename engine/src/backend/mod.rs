//! The physical database of a member: named buckets of ordered rows.
//!
//! Mirrors the part of `server/storage/backend` and `server/storage/schema/bucket.go` that the
//! store sees. Left out until the pages come: batches, read buffers, the file and its size.

use im::OrdMap;

use crate::base::Bytes;

/// The buckets etcd makes in an empty database, in byte order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bucket {
    /// Active alarms.
    Alarm,
    /// Whether authentication is on.
    Auth,
    /// Roles.
    AuthRoles,
    /// Users.
    AuthUsers,
    /// Cluster version and downgrade state.
    Cluster,
    /// Every change of every key, by revision.
    Key,
    /// Leases.
    Lease,
    /// Members.
    Members,
    /// Members that were removed.
    MembersRemoved,
    /// Consistent index, compaction progress, storage version.
    Meta,
}

impl Bucket {
    /// All of them, as `etcd-dump-db list-bucket` prints them.
    pub const ALL: [Self; 10] = [
        Self::Alarm,
        Self::Auth,
        Self::AuthRoles,
        Self::AuthUsers,
        Self::Cluster,
        Self::Key,
        Self::Lease,
        Self::Members,
        Self::MembersRemoved,
        Self::Meta,
    ];

    /// The bucket's name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alarm => "alarm",
            Self::Auth => "auth",
            Self::AuthRoles => "authRoles",
            Self::AuthUsers => "authUsers",
            Self::Cluster => "cluster",
            Self::Key => "key",
            Self::Lease => "lease",
            Self::Members => "members",
            Self::MembersRemoved => "members_removed",
            Self::Meta => "meta",
        }
    }

    /// The bucket of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }
}

/// The database.
///
/// ```
/// use watchglass_engine::backend::{Backend, Bucket};
/// let mut b = Backend::default();
/// b.put(Bucket::Meta, "consistent_index".into(), "4".into());
/// assert_eq!(b.rows(Bucket::Meta).count(), 1);
/// ```
#[derive(Clone, Debug, Default, Hash)]
pub struct Backend {
    buckets: [OrdMap<Bytes, Bytes>; Bucket::ALL.len()],
    bytes: u64,
}

/// What bbolt keeps beside each row of a leaf page.
const ROW_OVERHEAD_BYTES: u64 = 16;

fn row_bytes(key: &Bytes, value: &Bytes) -> u64 {
    key.len() as u64 + value.len() as u64 + ROW_OVERHEAD_BYTES
}

impl Backend {
    /// Writes a row.
    pub fn put(&mut self, bucket: Bucket, key: Bytes, value: Bytes) {
        self.bytes += row_bytes(&key, &value);
        if let Some(before) = self.buckets[bucket as usize].insert(key.clone(), value) {
            self.bytes -= row_bytes(&key, &before);
        }
    }

    /// Deletes a row; true when it was there.
    pub fn delete(&mut self, bucket: Bucket, key: &Bytes) -> bool {
        let gone = self.buckets[bucket as usize].remove(key);
        self.bytes -= gone.as_ref().map_or(0, |value| row_bytes(key, value));
        gone.is_some()
    }

    /// The value of a row.
    pub fn get(&self, bucket: Bucket, key: &Bytes) -> Option<&Bytes> {
        self.buckets[bucket as usize].get(key)
    }

    /// The rows from `start` on, in key order.
    pub fn rows_from(
        &self,
        bucket: Bucket,
        start: &Bytes,
    ) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        self.buckets[bucket as usize].range(start.clone()..)
    }

    /// All rows of a bucket, in key order.
    pub fn rows(&self, bucket: Bucket) -> impl DoubleEndedIterator<Item = (&Bytes, &Bytes)> {
        self.buckets[bucket as usize].iter()
    }

    /// Bytes of all rows with what their pages keep beside them.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many rows a bucket has.
    pub fn row_count(&self, bucket: Bucket) -> u64 {
        self.buckets[bucket as usize].len() as u64
    }
}
