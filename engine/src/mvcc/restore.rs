//! Building the index again from the rows, as a member does when it starts.
//!
//! Mirrors `restore` in `server/storage/mvcc/kvstore.go`.

use crate::api::Profile;
use crate::backend::{Backend, Bucket};
use crate::base::Bytes;
use crate::base::proto;

use super::key_index::KeyIndex;
use super::kv_store::{FIRST_REVISION, KvStore};
use super::revision::{BucketKey, Revision};

/// The fields of a row's `KeyValue` that the index needs; the value is not copied.
#[derive(Debug, Default)]
struct IndexedChange {
    key: Bytes,
    create_revision: i64,
    version: i64,
}

proto::row! {
    IndexedChange { key = 1, create_revision = 2, version = 4 }
}

impl KvStore {
    /// The store that these rows make. A compaction that was scheduled and not finished is queued
    /// again; the caller runs its batches.
    ///
    /// # Panics
    /// When the key bucket holds something that is not a row of a store.
    pub fn restore(backend: Backend, profile: Profile) -> Self {
        let mut store = Self::new(profile);
        store.backend = backend;
        if let Some(rev) = store.finished_compact_rev() {
            store.compact_rev = rev;
        }
        store.current_rev = FIRST_REVISION;
        let backend = store.backend.clone();
        for (key, value) in backend.rows(Bucket::Key) {
            let row = BucketKey::decode(&key).expect("the key bucket holds only bucket keys");
            store.restore_row(row, &value);
            store.current_rev = row.revision.main;
        }
        let now = store.current_rev;
        store.live_keys = store
            .index
            .iter()
            .filter(|ki| ki.get(now).is_some())
            .count() as i64;
        // The newest row may be a tombstone that is compacted already.
        store.current_rev = store.current_rev.max(store.compact_rev);
        if let Some(scheduled) = store.scheduled_compact_rev()
            && scheduled > store.compact_rev
        {
            store.current_rev = store.current_rev.max(scheduled);
            store.compact_rev = scheduled;
            store.queue_compaction(scheduled);
        }
        store
    }

    fn restore_row(&mut self, row: BucketKey, value: &[u8]) {
        let change: IndexedChange = proto::decode(value).expect("a row is a KeyValue");
        if let Some(index) = self.index.get_mut(&change.key) {
            if row.tombstone {
                let ended = index.tombstone(row.revision);
                ended.expect("a tombstone follows a put");
            } else {
                index.put(row.revision);
            }
        } else if !row.tombstone {
            let created = Revision::new(change.create_revision, 0);
            let index = KeyIndex::restore(change.key, created, row.revision, change.version);
            self.index.insert(index);
        } else if self.profile != Profile::V3_4 {
            // Its puts were compacted. Before 3.4.36 and 3.5.18 such a row was passed over.
            let index = KeyIndex::restore_tombstone(change.key, row.revision);
            self.index.insert(index);
        }
    }
}
