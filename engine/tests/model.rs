//! Random histories of the store, compared with the naive model, and with stores that must have the same content
//! (restored stores, stores with other batch sizes). The seed is fixed, so a failure is reproducible; set
//! `PROPTEST_CASES=20000 PROPTEST_RNG_SEED=…` to try more cases.

use crate::support::{PROFILES, config, finish_compactions};
use proptest::prelude::*;
use watchglass_engine::api::{KeyValue, Profile};
use watchglass_engine::backend::Bucket;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::proto;
use watchglass_engine::mvcc::{
    BucketKey, CompactionLimits, KvStore, Revision, StoreError, WriteTxn,
};
use watchglass_engine::observe::model::{Model, ModelAnswer, Op};

#[derive(Clone, Debug)]
enum Event {
    Txn(Vec<Op>),
    /// Compacts at the newest revision minus this number; a negative number means a future revision.
    Compact(i64),
    Batch,
    /// Restarts from the rows, possibly in the middle of a compaction.
    Restart,
}

/// A small set of keys, so that random operations often use the same key. One key is the prefix of others.
const KEYS: [&str; 7] = ["\0", "a", "a/1", "a/2", "b", "c", "\u{ff}"];

fn key() -> impl Strategy<Value = Bytes> {
    prop::sample::select(&KEYS[..]).prop_map(Bytes::from)
}

fn keys() -> impl Strategy<Value = KeyRange> {
    prop_oneof![
        4 => key().prop_map(KeyRange::One),
        1 => key().prop_map(KeyRange::From),
        1 => Just(KeyRange::From(Bytes::default())),
        2 => (key(), key()).prop_map(|(from, to)| KeyRange::Between(from, to)),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let put = (key(), "[xyz]{0,2}", 0..3_i64);
    let range = (keys(), -2..60_i64, -1..4_i64);
    prop_oneof![
        5 => put.prop_map(|(key, v, lease)| Op::Put { key, value: v.into(), lease }),
        2 => keys().prop_map(Op::Delete),
        3 => range.prop_map(|(keys, rev, limit)| Op::Range { keys, rev, limit }),
    ]
}

/// Generates the operations of one transaction, without a put after a delete of the same key: the API refuses such a
/// transaction, and the store cannot represent it (see `a_key_deleted_and_put_at_one_revision`).
fn txn() -> impl Strategy<Value = Event> {
    prop::collection::vec(op(), 1..5).prop_map(|mut ops| {
        let mut deleted: Vec<KeyRange> = Vec::new();
        ops.retain(|op| match op {
            Op::Delete(keys) => {
                deleted.push(keys.clone());
                true
            }
            Op::Put { key, .. } => !deleted.iter().any(|keys| keys.contains(key)),
            Op::Range { .. } => true,
        });
        Event::Txn(ops)
    })
}

fn history() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        12 => txn(),
        2 => (-1..8_i64).prop_map(Event::Compact),
        3 => Just(Event::Batch),
        1 => Just(Event::Restart),
    ];
    prop::collection::vec(event, 1..60)
}

fn store_with_batches(profile: Profile, batch_rows: u32) -> KvStore {
    let mut store = KvStore::new(profile);
    store.set_limits(CompactionLimits {
        batch_rows,
        ..CompactionLimits::default()
    });
    store
}

fn apply(txn: &mut WriteTxn<'_>, op: &Op) -> ModelAnswer {
    match op {
        Op::Put { key, value, lease } => ModelAnswer::Put {
            rev: txn.put(key.clone(), value.clone(), *lease),
        },
        Op::Delete(keys) => {
            let count = txn.delete_range(keys);
            ModelAnswer::Deleted {
                count,
                rev: txn.rev(),
            }
        }
        Op::Range { keys, rev, limit } => ModelAnswer::Found(txn.range(keys, *rev, *limit)),
    }
}

/// The result of an event, which must be the same for the store and for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Answers(Vec<ModelAnswer>),
    Compacted(Result<(), StoreError>),
    Silent,
}

fn happen(store: &mut KvStore, profile: Profile, event: &Event) -> Outcome {
    match event {
        Event::Txn(ops) => {
            let mut txn = store.write();
            let answers = ops.iter().map(|op| apply(&mut txn, op)).collect();
            txn.end();
            Outcome::Answers(answers)
        }
        Event::Compact(back) => Outcome::Compacted(store.compact(store.current_rev() - back)),
        Event::Batch => {
            if store.compactions_pending() > 0 {
                store.compaction_batch();
            }
            Outcome::Silent
        }
        Event::Restart => {
            let limits = store.limits();
            *store = KvStore::restore(store.backend().clone(), profile)
                .expect("the rows are those of a store");
            store.set_limits(limits);
            Outcome::Silent
        }
    }
}

/// Applies the same event to the model, which has no batches and no restarts.
fn happen_in_model(model: &mut Model, event: &Event) -> Outcome {
    match event {
        Event::Txn(ops) => Outcome::Answers(model.txn(ops)),
        Event::Compact(back) => Outcome::Compacted(model.compact(model.current_rev() - back)),
        Event::Batch | Event::Restart => Outcome::Silent,
    }
}

/// Asserts that the store and the model return the same results for all reads: reads of each key and of all keys, at
/// each revision and one revision beyond the newest.
fn assert_same_reads(store: &KvStore, model: &Model) {
    let everything = KeyRange::From(Bytes::default());
    let ranges = KEYS
        .iter()
        .map(|k| KeyRange::One((*k).into()))
        .chain([everything]);
    for keys in ranges {
        for rev in -1..=model.current_rev() + 1 {
            for limit in [0, 2] {
                let expected = model.range(&keys, rev, limit);
                assert_eq!(
                    store.range(&keys, rev, limit),
                    expected,
                    "{keys:?} at {rev}"
                );
                let counted = store.count(&keys, rev).map(|found| found.count);
                assert_eq!(
                    counted,
                    expected.map(|found| found.count),
                    "{keys:?} at {rev}"
                );
            }
        }
    }
}

fn assert_same_rows(store: &KvStore, model: &Model, profile: Profile) {
    let rows: Vec<_> = store
        .backend()
        .rows(Bucket::Key)
        .map(|(k, v)| {
            (
                BucketKey::decode(&k).expect("a bucket key"),
                proto::decode::<KeyValue>(&v),
            )
        })
        .collect();
    let expected: Vec<_> = model
        .rows(profile)
        .into_iter()
        .map(|(k, v)| (k, Some(v)))
        .collect();
    assert_eq!(rows, expected, "{profile}");
    // The index has the same changes, and every generation except the last ends with a tombstone.
    let mut known: Vec<Revision> = Vec::new();
    for ki in store.index().iter() {
        let (newest, ended) = ki
            .generations
            .split_last()
            .expect("at least one generation");
        assert!(
            !ki.is_empty(),
            "an index of which nothing is left leaves the tree"
        );
        for g in ended {
            let tombstone = BucketKey {
                revision: *g.revs.last().expect("ended"),
                tombstone: true,
            };
            assert!(
                rows.iter().any(|(k, _)| *k == tombstone),
                "{tombstone:?} ends a life"
            );
        }
        known.extend(ended.iter().chain([newest]).flat_map(|g| g.revs.iter()));
    }
    known.sort_unstable();
    let stored: Vec<Revision> = rows.iter().map(|(k, _)| k.revision).collect();
    assert_eq!(
        known, stored,
        "{profile}: index and rows name the same changes"
    );
}

proptest! {
    #![proptest_config(config(100))]

    /// The store returns the same responses as the model, at every step and every revision, with unfinished compactions
    /// and restarts at any time. At the end, both contain the same rows.
    #[test]
    fn answers_are_those_of_the_model(history in history()) {
        for profile in PROFILES {
            let mut store = store_with_batches(profile, 3);
            let mut model = Model::default();
            for event in &history {
                let outcome = happen(&mut store, profile, event);
                prop_assert_eq!(outcome, happen_in_model(&mut model, event));
                prop_assert_eq!(store.current_rev(), model.current_rev());
                prop_assert_eq!(store.compact_rev(), model.compact_rev());
            }
            assert_same_reads(&store, &model);
            finish_compactions(&mut store);
            assert_same_reads(&store, &model);
            assert_same_rows(&store, &model, profile);
        }
    }

    #[test]
    fn a_restored_store_answers_the_same(history in history(), more in history()) {
        for profile in PROFILES {
            let mut store = store_with_batches(profile, 1000);
            let mut model = Model::default();
            for event in &history {
                happen(&mut store, profile, event);
                happen_in_model(&mut model, event);
            }
            let mut again = KvStore::restore(store.backend().clone(), profile).expect("the rows are those of a store");
            assert_same_reads(&again, &model);
            for event in &more {
                prop_assert_eq!(happen(&mut again, profile, event), happen(&mut store, profile, event));
                happen_in_model(&mut model, event);
            }
            assert_same_reads(&again, &model);
            finish_compactions(&mut store);
            finish_compactions(&mut again);
            assert_same_rows(&again, &model, profile);
            prop_assert_eq!(rows(&again), rows(&store));
        }
    }

    /// The batch size of a compaction affects only its duration: the same rows remain.
    #[test]
    fn batch_size_leaves_the_same_rows(history in history()) {
        for profile in PROFILES {
            let left = [1, 7, 1000].map(|batch_rows| {
                let mut store = store_with_batches(profile, batch_rows);
                for event in &history {
                    happen(&mut store, profile, event);
                }
                finish_compactions(&mut store);
                rows(&store)
            });
            prop_assert_eq!(&left[0], &left[1]);
            prop_assert_eq!(&left[0], &left[2]);
        }
    }

    #[test]
    fn hashes_stay_while_rows_go(history in history()) {
        for profile in PROFILES {
            let mut store = store_with_batches(profile, 2);
            for event in &history {
                happen(&mut store, profile, event);
            }
            let before = hashes(&store, profile);
            while store.compactions_pending() > 0 {
                store.compaction_batch();
                prop_assert_eq!(hashes(&store, profile), before.clone());
            }
            let again = KvStore::restore(store.backend().clone(), profile).expect("the rows are those of a store");
            prop_assert_eq!(hashes(&again, profile), before);
        }
    }
}

fn rows(store: &KvStore) -> Vec<(Bytes, Bytes)> {
    store
        .backend()
        .rows(Bucket::Key)
        .map(|(k, v)| (Bytes::from(&*k), Bytes::from(&*v)))
        .collect()
}

/// Returns the hashes of all readable revisions whose hashes must not change. Omits each revision at which the index
/// keeps no row. At such a revision, upstream's hash skips no row: it includes the old rows until the compaction
/// removes them.
fn hashes(store: &KvStore, profile: Profile) -> Vec<(i64, Result<u32, StoreError>)> {
    (store.compact_rev().max(1)..=store.current_rev())
        .filter(|rev| !store.index().keep(*rev, profile).is_empty())
        .map(|rev| (rev, store.hash_by_rev(rev).map(|h| h.hash)))
        .collect()
}

/// A known error of etcd: one transaction deletes a key and then puts it again. The API refuses such a transaction as a
/// duplicate, but its check overlooks a delete to the end of the keyspace. If this very revision is compacted, etcd
/// since 3.4.34 and 3.5.16 keeps the tombstone and removes the row of the put, to which the index still points; a read
/// then stops the member ("range failed to find revision pair"). The older rule keeps the put.
#[test]
fn a_key_deleted_and_put_at_one_revision() {
    let a = KeyRange::One("a".into());
    for profile in PROFILES {
        let mut store = KvStore::new(profile);
        crate::support::put(&mut store, "a", "1", 0);
        let mut txn = store.write();
        assert_eq!(txn.delete_range(&KeyRange::From("a".into())), 1);
        txn.put("a".into(), "2".into(), 0);
        txn.end();
        assert_eq!(
            store.range(&a, 0, 0).expect("readable").kvs[0].version,
            1,
            "a new life"
        );
        store.compact(3).expect("never compacted");
        finish_compactions(&mut store);
        let named = store.index().get(&"a".into(), 3).expect("alive").modified;
        assert_eq!(named, Revision::new(3, 1));
        let kept = store.stored_row(named).is_some();
        assert_eq!(kept, profile == Profile::V3_4, "{profile}");
    }
}
