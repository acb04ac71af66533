//! The last long response to a range request, cached for repetitions of the same request.
//!
//! etcd reads all rows again for each request. Here, a thousand clients that list the same 150,000 keys get the same
//! cached response, and after a write only the changed rows are read. A test checks that the response is the same as
//! without the cache.

use std::sync::Arc;

use crate::api::{EtcdError, KeyValue, RangeRequest, RangeResponse};
use crate::backend::Bucket;
use crate::base::bytes::KeyRange;
use crate::base::digest::Undigested;
use crate::base::proto;
use crate::mvcc::{BucketKey, KvStore, Revision};

use super::range;

/// The minimum number of rows in a response that is cached.
const LONG: usize = 1000;

/// The maximum number of newly written rows with which the member updates the cached response. If there are more new
/// rows, the member reads all rows again.
const CHANGES_MAX: usize = 1000;

/// The cached response. The cached response affects only speed, so it is not part of the digest. Copies of the member
/// share the cached response. Otherwise, each copy would read all rows again and store them separately.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct LastRange(Undigested<Option<Arc<Known>>>);

#[derive(Debug)]
struct Known {
    asked: RangeRequest,
    /// The revision of the store at the time of the response.
    current: i64,
    compacted: i64,
    response: RangeResponse,
}

impl LastRange {
    /// Serves a range request, from the cached response if possible.
    pub(super) fn read(
        &mut self,
        store: &KvStore,
        r: &RangeRequest,
    ) -> Result<RangeResponse, EtcdError> {
        let (current, compacted) = (store.current_rev(), store.compact_rev());
        let known = self.0.as_ref().filter(|known| known.asked == *r);
        let again = known.and_then(|known| match known.current == current {
            true => (known.compacted == compacted).then(|| known.response.clone()),
            false => known.brought_up(store),
        });
        let response = match again {
            Some(response) => response,
            None => range::range(store, r)?,
        };
        if response.kvs.len() >= LONG {
            self.0.0 = Some(Arc::new(Known {
                asked: r.clone(),
                current,
                compacted,
                response: response.clone(),
            }));
        }
        Ok(response)
    }
}

impl Known {
    /// Copies the cached response and applies all later writes to the copy. Returns `None` if all rows must be read
    /// again.
    fn brought_up(&self, store: &KvStore) -> Option<RangeResponse> {
        // Only a plain range request for the current revision can be updated row by row.
        let plain = RangeRequest {
            key: self.asked.key.clone(),
            range_end: self.asked.range_end.clone(),
            serializable: self.asked.serializable,
            ..RangeRequest::default()
        };
        let is_later = self.current < store.current_rev() && self.current >= store.compact_rev();
        if self.asked != plain || !is_later {
            return None;
        }
        let keys = KeyRange::new(&self.asked.key, &self.asked.range_end);
        let start = BucketKey {
            revision: Revision::new(self.current + 1, 0),
            tombstone: false,
        };
        let mut changes = Vec::new();
        let start = start.encode();
        let rows = store.backend().rows_from(Bucket::Key, &start);
        for (place, (key, value)) in rows.enumerate() {
            if place == CHANGES_MAX {
                return None;
            }
            let row = BucketKey::decode(&key)?;
            let kv: KeyValue = proto::decode(&value)?;
            if keys.contains(&kv.key) {
                changes.push((kv.key.clone(), (!row.tombstone).then_some(kv)));
            }
        }
        let mut response = self.response.clone();
        response.header.revision = store.current_rev();
        // Without changes in the range, the new response shares all rows with the cached response.
        response.kvs = response.kvs.with(changes);
        response.count = response.kvs.len() as i64;
        Some(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Profile;
    use crate::base::rng::Rng;

    #[test]
    fn it_answers_as_if_it_read_everything_anew() {
        let mut store = KvStore::new(Profile::V3_6);
        let mut last = LastRange::default();
        let mut rng = Rng::stream(7, "ranges");
        let all = RangeRequest {
            key: "/k".into(),
            range_end: "/l".into(),
            ..RangeRequest::default()
        };
        let first = RangeRequest {
            limit: 1100,
            ..all.clone()
        };
        for n in 0..1500 {
            let mut txn = store.write();
            txn.put(format!("/k{n}").as_str().into(), "v".into(), 0);
            txn.end();
        }
        for round in 0..200_i64 {
            for _ in 0..rng.below(4) {
                let mut txn = store.write();
                for _ in 0..1 + rng.below(3) {
                    let folder = ["/k", "/x"][rng.below(2) as usize];
                    let key = format!("{folder}{}", rng.below(1600));
                    if rng.below(3) == 0 {
                        txn.delete_range(&KeyRange::One(key.as_str().into()));
                    } else {
                        txn.put(key.as_str().into(), format!("{round}").as_str().into(), 0);
                    }
                }
                txn.end();
            }
            if round % 50 == 49 {
                let to = store.current_rev() - rng.below(3) as i64;
                store.compact(to).expect("it is newer than the last one");
                while store.compactions_pending() > 0 {
                    store.compaction_batch();
                }
            }
            let asked = if rng.below(5) == 0 { &first } else { &all };
            let anew = range::range(&store, asked);
            assert_eq!(last.read(&store, asked), anew, "{round}");
        }
    }
}
