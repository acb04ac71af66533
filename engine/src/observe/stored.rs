//! The changes that were in a member's store before the run starts, read from the rows of the database file.

use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::proto::{self, Content};
use crate::bbolt::Span;
use crate::mvcc::{BucketKey, Revision};
use crate::trace::ChangeKind;

/// A change made before the run.
#[derive(Clone, Debug)]
pub struct StoredChange {
    pub revision: Revision,
    /// The kind of change, derived from the row.
    pub kind: ChangeKind,
    pub key: Bytes,
    /// The value; empty for a delete. The value shares the bytes of the database page.
    pub value: Span,
    /// The create revision of the generation; 0 for a delete.
    pub create_revision: i64,
    /// The version in the generation; 0 for a delete.
    pub version: i64,
    /// The lease of the key; 0 for no lease.
    pub lease: i64,
}

/// A row of the database file, without the value of the key.
#[derive(Debug, Default)]
struct StoredRow {
    key: Bytes,
    create_revision: i64,
    version: i64,
    lease: i64,
}

proto::row! {
    StoredRow { key = 1, create_revision = 2, version = 4, lease = 6 }
}

impl StoredChange {
    fn of(key: &[u8], row: &Span) -> Option<Self> {
        let BucketKey {
            revision,
            tombstone,
        } = BucketKey::decode(key)?;
        let stored: StoredRow = proto::decode(row)?;
        let kind = match (tombstone, stored.version) {
            (true, _) => ChangeKind::Delete,
            (false, 1) => ChangeKind::Create,
            (false, _) => ChangeKind::Update,
        };
        Some(Self {
            revision,
            kind,
            key: stored.key,
            value: value_of(row).unwrap_or_default(),
            create_revision: stored.create_revision,
            version: stored.version,
            lease: stored.lease,
        })
    }
}

/// The field number of `value` in the protobuf message `KeyValue`.
const VALUE_FIELD: u32 = 5;

/// Returns the value in a row without copying the bytes.
fn value_of(row: &Span) -> Option<Span> {
    let mut last = None;
    proto::each_field(row, |number, content| {
        if let (VALUE_FIELD, Content::Bytes(value)) = (number, content) {
            last = Some((value.as_ptr() as usize - row.as_ptr() as usize, value.len()));
        }
    });
    let (start, length) = last?;
    row.slice(start, length)
}

/// Reads the changes of a store in the order in which they were made, a few rows at a time.
#[derive(Clone, Debug)]
pub struct StoredChanges {
    backend: Backend,
    /// The bucket key at which the next call of [`step`](Self::step) starts.
    from: Bytes,
}

impl StoredChanges {
    /// Creates a reader that starts with the oldest change.
    pub fn new(backend: Backend) -> Self {
        Self {
            backend,
            from: Bytes::default(),
        }
    }

    /// Passes the changes in the next `rows` rows to `pass_on`. Returns true if the store has no further rows.
    pub fn step(&mut self, rows: usize, mut pass_on: impl FnMut(StoredChange)) -> bool {
        let mut last = None;
        for (key, row) in self.backend.rows_from(Bucket::Key, &self.from).take(rows) {
            if let Some(change) = StoredChange::of(&key, &row) {
                pass_on(change);
            }
            last = Some(key);
        }
        let Some(last) = last else {
            return true;
        };
        self.from = Bytes::from([&last, &[0][..]].concat());
        false
    }
}
