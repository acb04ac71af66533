//! Building the index again from the rows, as a member does when it starts.
//!
//! Mirrors `restore` in `server/storage/mvcc/kvstore.go`.

use crate::api::{KeyValue, Profile};
use crate::backend::{Backend, Bucket};
use crate::base::proto;

use super::key_index::KeyIndex;
use super::kv_store::{FIRST_REVISION, KvStore};
use super::revision::{BucketKey, Revision};

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
        let rows: Vec<_> = store
            .backend
            .rows(Bucket::Key)
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        store.current_rev = FIRST_REVISION;
        for (key, value) in rows {
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
        let kv: KeyValue = proto::decode(value).expect("a row is a KeyValue");
        let known = self.index.key_index(&kv.key).is_some();
        match (known, row.tombstone) {
            (true, false) => {
                self.index.put(kv.key, row.revision);
            }
            (true, true) => {
                let ended = self.index.tombstone(&kv.key, row.revision);
                ended.expect("a tombstone follows a put");
            }
            (false, false) => {
                let created = Revision::new(kv.create_revision, 0);
                self.index
                    .insert(KeyIndex::restore(kv.key, created, row.revision, kv.version));
            }
            // Its puts were compacted. Before 3.4.36 and 3.5.18 such a row was passed over.
            (false, true) if self.profile == Profile::V3_4 => {}
            (false, true) => {
                self.index
                    .insert(KeyIndex::restore_tombstone(kv.key, row.revision));
            }
        }
    }
}
