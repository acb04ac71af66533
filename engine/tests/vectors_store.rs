//! The store, compared with etcd's own cases (`data/store_vectors.json`), under both profiles.

use crate::support::{
    PROFILES, bytes, delete, finish_compactions, flag, generations, int, key_value, key_values,
    list, load, put, range, rev, store_after, text,
};
use serde_json::Value;
use watchglass_engine::api::{Difference, KeyValue, Profile};
use watchglass_engine::backend::{Backend, Bucket};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::proto;
use watchglass_engine::mvcc::{BucketKey, KvStore, RangeResult, Revision, StoreError};

fn file() -> Value {
    load("store_vectors.json")
}

fn foo() -> KeyRange {
    KeyRange::One("foo".into())
}

/// Reads directly from the store and inside a transaction, as upstream does with its table.
fn read_both_ways(
    store: &mut KvStore,
    keys: &KeyRange,
    at: i64,
    limit: i64,
) -> Result<RangeResult, StoreError> {
    let direct = store.range(keys, at, limit);
    let txn = store.write();
    assert_eq!(txn.range(keys, at, limit), direct, "inside a transaction");
    txn.end();
    direct
}

/// Returns the error that a case of the data file expects; `null` in the file means no error.
fn error(v: &Value) -> Option<StoreError> {
    match v.as_str() {
        None => None,
        Some("compacted") => Some(StoreError::Compacted),
        Some("future") => Some(StoreError::FutureRev),
        Some(other) => panic!("unknown error {other}"),
    }
}

#[test]
fn ranges() {
    let file = file();
    let section = &file["range"];
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        for case in list(section, "cases") {
            let keys = range(&case["key"], &case["end"]);
            let found = read_both_ways(&mut store, &keys, 0, 0).expect("the present is readable");
            assert_eq!(found.kvs, key_values(&case["kvs"]), "{profile} {case}");
            assert_eq!(
                found.rev,
                int(&section["rev_in_result"]),
                "{profile} {case}"
            );
        }
    }
    assert_eq!(list(section, "cases").len(), 4);
}

#[test]
fn ranges_at_a_revision() {
    let file = file();
    let section = &file["range_rev"];
    let keys = range(&section["key"], &section["end"]);
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        for case in list(section, "cases") {
            let found = read_both_ways(&mut store, &keys, int(&case["rev"]), 0).expect("readable");
            assert_eq!(found.kvs, key_values(&case["kvs"]), "{profile} {case}");
            assert_eq!(found.rev, int(&case["result_rev"]), "{profile} {case}");
        }
    }
    assert_eq!(list(section, "cases").len(), 3);
}

#[test]
fn ranges_at_a_bad_revision() {
    let file = file();
    let section = &file["range_bad_rev"];
    let keys = range(&section["key"], &section["end"]);
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        for case in list(section, "cases") {
            let found = read_both_ways(&mut store, &keys, int(&case["rev"]), 0);
            assert_eq!(found.err(), error(&case["error"]), "{profile} {case}");
        }
    }
    assert_eq!(list(section, "cases").len(), 4);
}

#[test]
fn ranges_with_a_limit() {
    let file = file();
    let section = &file["range_limit"];
    let keys = range(&section["key"], &section["end"]);
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        for case in list(section, "cases") {
            let found =
                read_both_ways(&mut store, &keys, 0, int(&case["limit"])).expect("readable");
            assert_eq!(found.kvs, key_values(&case["kvs"]), "{profile} {case}");
            assert_eq!(found.count, int(&case["count"]), "{profile} {case}");
            assert_eq!(found.rev, int(&section["result_rev"]), "{profile} {case}");
        }
    }
    assert_eq!(list(section, "cases").len(), 3);
}

#[test]
fn a_key_put_many_times() {
    let file = file();
    let formula = &file["put_multiple_times"]["formula"];
    assert_eq!(text(&formula["mod_revision"]), "i+2");
    assert_eq!(text(&formula["version"]), "i+1");
    assert_eq!(text(&formula["lease"]), "i+1");
    for profile in PROFILES {
        let mut store = KvStore::new(profile);
        for i in 0..10 {
            assert_eq!(put(&mut store, "foo", "bar", i + 1), i + 2);
            let found = read_both_ways(&mut store, &foo(), 0, 0).expect("readable");
            let expected = KeyValue {
                key: "foo".into(),
                value: "bar".into(),
                create_revision: int(&formula["create_revision"]),
                mod_revision: i + 2,
                version: i + 1,
                lease: i + 1,
            };
            assert_eq!(found.kvs, [expected], "{profile} after put {i}");
        }
    }
}

#[test]
fn deletes() {
    let file = file();
    let section = &file["delete_range"];
    for profile in PROFILES {
        for case in list(section, "cases") {
            let mut store = store_after(&section["setup"], profile);
            let answer = delete(&mut store, &range(&case["key"], &case["end"]));
            assert_eq!(
                answer,
                (int(&case["deleted"]), int(&case["rev"])),
                "{profile} {case}"
            );
            assert_eq!(store.current_rev(), int(&case["rev"]), "{profile} {case}");
        }
    }
    assert_eq!(list(section, "cases").len(), 3);
}

#[test]
fn a_second_delete_finds_nothing() {
    let file = file();
    let section = &file["delete_repeated"];
    let answer = |v: &Value| (int(&v["deleted"]), int(&v["rev"]));
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        assert_eq!(
            delete(&mut store, &foo()),
            answer(&section["first"]),
            "{profile}"
        );
        for _ in 0..10 {
            assert_eq!(
                delete(&mut store, &foo()),
                answer(&section["ten_more"]),
                "{profile}"
            );
        }
    }
}

#[test]
fn a_put_keeps_its_lease() {
    let file = file();
    let section = &file["put_same_lease"];
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        let found = read_both_ways(&mut store, &foo(), 0, 0).expect("readable");
        assert_eq!(found.kvs, [key_value(&section["result"])], "{profile}");
    }
}

/// Returns a row with key `foo`, value `bar` and version 1.
fn first_version(at: i64) -> KeyValue {
    KeyValue {
        key: "foo".into(),
        value: "bar".into(),
        create_revision: at,
        mod_revision: at,
        version: 1,
        lease: 0,
    }
}

#[test]
fn puts_and_deletes_by_turns() {
    assert!(text(&file()["sequence_put_delete"]["note"]).starts_with("i=0..9, base=2i+1"));
    for profile in PROFILES {
        let mut store = KvStore::new(profile);
        for base in (0..10).map(|i| 2 * i + 1) {
            assert_eq!(put(&mut store, "foo", "bar", 0), base + 1);
            let found = read_both_ways(&mut store, &foo(), base + 1, 0).expect("readable");
            assert_eq!(found.kvs, [first_version(base + 1)], "{profile}");
            assert_eq!(found.rev, base + 1);
            assert_eq!(delete(&mut store, &foo()), (1, base + 2));
            let found = read_both_ways(&mut store, &foo(), base + 2, 0).expect("readable");
            assert!(found.kvs.is_empty(), "{profile}");
            assert_eq!(found.rev, base + 2);
        }
    }
}

#[test]
fn a_put_and_its_delete_in_one_transaction() {
    assert!(text(&file()["txn_sequence"]["note"]).starts_with("i=0..9, base=i+1"));
    for profile in PROFILES {
        let mut store = KvStore::new(profile);
        for base in (0..10).map(|i| i + 1) {
            let mut txn = store.write();
            assert_eq!(txn.put("foo".into(), "bar".into(), 0), base + 1);
            let found = txn
                .range(&foo(), base + 1, 0)
                .expect("its own revision is readable");
            assert_eq!(
                (found.kvs, found.rev),
                (vec![first_version(base + 1)], base + 1)
            );
            assert_eq!((txn.delete_range(&foo()), txn.rev()), (1, base + 1));
            let found = txn
                .range(&foo(), base + 1, 0)
                .expect("its own revision is readable");
            assert_eq!((found.kvs, found.rev), (vec![], base + 1));
            assert_eq!(txn.end().len(), 2);
            assert_eq!(store.current_rev(), base + 1, "{profile}");
        }
    }
}

#[test]
fn compaction_keeps_the_last_value() {
    let file = file();
    let section = &file["compact_reserve_last_value"];
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        for case in list(section, "cumulative_cases") {
            store
                .compact(int(&case["compact"]))
                .expect("each is later than the one before");
            let (at, expected) = (int(&case["range_at"]), key_values(&case["kvs"]));
            let found = read_both_ways(&mut store, &foo(), at, 0).expect("readable");
            assert_eq!(found.kvs, expected, "{profile} {case}: rows still there");
            finish_compactions(&mut store);
            let found = read_both_ways(&mut store, &foo(), at, 0).expect("readable");
            assert_eq!(found.kvs, expected, "{profile} {case}: rows removed");
        }
    }
    assert_eq!(list(section, "cumulative_cases").len(), 4);
}

#[test]
fn compactions_that_are_refused() {
    let file = file();
    let section = &file["compact_bad"];
    for profile in PROFILES {
        let mut store = store_after(&section["setup"], profile);
        for case in list(section, "cumulative_cases") {
            let answer = store.compact(int(&case["compact"]));
            assert_eq!(answer.err(), error(&case["error"]), "{profile} {case}");
        }
    }
    assert_eq!(list(section, "cumulative_cases").len(), 6);
}

fn meta_rev(store: &KvStore, key: &str) -> Option<i64> {
    let value = store.backend().get(Bucket::Meta, &key.into())?;
    BucketKey::decode(&value).map(|k| k.revision.main)
}

fn put_meta(backend: &mut Backend, key: &str, rev: i64) {
    let value = Bytes::from(&Revision::new(rev, 0).encode()[..]);
    backend.put(Bucket::Meta, key.into(), value);
}

/// Returns a bucket with rows 1, 2 and 3. Upstream passes the set of revisions to keep to the compaction job. Here, the
/// job computes this set from the index, so `first_is_tombstone` decides whether the index keeps row 1.
fn three_rows(first_is_tombstone: bool) -> Backend {
    let mut backend = Backend::default();
    for main in 1..=3 {
        let row = BucketKey {
            revision: Revision::new(main, 0),
            tombstone: main == 1 && first_is_tombstone,
        };
        let mut kv = KeyValue {
            key: format!("key{main}").into(),
            ..KeyValue::default()
        };
        if !row.tombstone {
            (kv.create_revision, kv.mod_revision, kv.version) = (main, main, 1);
        }
        backend.put(Bucket::Key, row.encode(), proto::encode(&kv).into());
    }
    backend
}

/// The case "keep nothing" at revision 1 needs a tombstone, which only the rule of 3.4 removes. No rows lead to this
/// case under 3.6, so it counts as not applicable there.
#[test]
fn a_scheduled_compaction_removes_rows() {
    let file = file();
    let (mut applied, mut not_applicable) = (0, 0);
    for (case, profile) in list(&file["schedule_compaction"], "cases")
        .iter()
        .flat_map(|case| PROFILES.map(|p| (case, p)))
    {
        let keeps_nothing = list(case, "keep").is_empty();
        if keeps_nothing && profile.has(Difference::KeepsCompactedTombstone) {
            not_applicable += 1;
            continue;
        }
        let mut store = KvStore::restore(three_rows(keeps_nothing), profile)
            .expect("the rows are those of a store");
        let at = int(&case["rev"]);
        store.compact(at).expect("never compacted");
        assert_eq!(meta_rev(&store, "scheduledCompactRev"), Some(at));
        assert_eq!(meta_rev(&store, "finishedCompactRev"), None);
        finish_compactions(&mut store);
        let left: Vec<i64> = store
            .backend()
            .rows(Bucket::Key)
            .filter_map(|(k, _)| BucketKey::decode(&k))
            .map(|k| k.revision.main)
            .collect();
        let expected: Vec<i64> = list(case, "remaining").iter().map(int).collect();
        assert_eq!(left, expected, "{profile} {case}");
        assert_eq!(
            meta_rev(&store, "finishedCompactRev"),
            Some(at),
            "{profile} {case}"
        );
        applied += 1;
    }
    assert_eq!((applied, not_applicable), (3, 1));
}

#[test]
fn everything_compacted_and_restored() {
    let file = file();
    let section = &file["compact_all_and_restore"];
    for profile in PROFILES {
        let store = store_after(&section["setup"], profile);
        let before = store
            .range(&KeyRange::From(Bytes::default()), 0, 0)
            .expect("readable");
        let again = KvStore::restore(store.backend().clone(), profile)
            .expect("the rows are those of a store");
        assert_eq!(
            again.current_rev(),
            int(&section["after_reopen_rev"]),
            "{profile}"
        );
        let after = again
            .range(&KeyRange::From(Bytes::default()), 0, 0)
            .expect("readable");
        assert_eq!(after, before, "{profile}");
    }
}

#[test]
fn a_restored_store_has_the_same_history() {
    let file = file();
    let cases = list(&file["restore_equivalence"], "cases");
    let keys = KeyRange::Between("a".into(), "z".into());
    for (case, profile) in cases.iter().flat_map(|case| PROFILES.map(|p| (case, p))) {
        let store = store_after(case, profile);
        let again = KvStore::restore(store.backend().clone(), profile)
            .expect("the rows are those of a store");
        for at in 0..10 {
            assert_eq!(
                again.range(&keys, at, 0),
                store.range(&keys, at, 0),
                "{profile} at {at}"
            );
        }
        let live = |s: &KvStore| s.index().live(&keys, s.current_rev()).count();
        assert_eq!(live(&again), live(&store), "{profile} {case}");
        assert_eq!(again.compact_rev(), store.compact_rev(), "{profile} {case}");
    }
    assert_eq!(cases.len(), 2);
}

#[test]
fn restore_from_rows() {
    let file = file();
    let section = &file["restore_unit"];
    for profile in PROFILES {
        let mut backend = Backend::default();
        for (name, value) in section["meta"].as_object().expect("names") {
            put_meta(&mut backend, name, int(value));
        }
        for row in list(section, "records") {
            let key = BucketKey {
                revision: rev(&row["rev"]),
                tombstone: flag(&row["tombstone"]),
            };
            backend.put(
                Bucket::Key,
                key.encode(),
                proto::encode(&key_value(&row["kv"])).into(),
            );
        }
        let store = KvStore::restore(backend, profile).expect("the rows are those of a store");
        let expected = &section["expect"];
        assert_eq!(
            store.compact_rev(),
            int(&expected["compact_rev"]),
            "{profile}"
        );
        assert_eq!(
            store.current_rev(),
            int(&expected["current_rev"]),
            "{profile}"
        );
        let ki = store
            .index()
            .key_index(&bytes(&section["records"][0]["kv"]["key"]));
        let ki = ki.expect("the key is known");
        assert_eq!(
            ki.modified,
            rev(&expected["key_index"]["modified"]),
            "{profile}"
        );
        assert_eq!(
            ki.generations,
            generations(&expected["key_index"]["generations"]),
            "{profile}"
        );
        assert_eq!(
            store.compactions_pending(),
            0,
            "{profile}: what was scheduled is finished"
        );
    }
}

#[test]
fn an_unfinished_compaction_is_taken_up_again() {
    let file = file();
    let section = &file["restore_continue_unfinished_compaction"];
    assert!(text(&section["then"]).starts_with("write scheduledCompactRev=2 only"));
    for profile in PROFILES {
        let store = store_after(&section["setup"], profile);
        let mut backend = store.backend().clone();
        put_meta(&mut backend, "scheduledCompactRev", 2);
        let mut again = KvStore::restore(backend, profile).expect("the rows are those of a store");
        assert_eq!(
            again.range(&foo(), 1, 0),
            Err(StoreError::Compacted),
            "{profile}"
        );
        assert_eq!(again.compactions_pending(), 1, "{profile}");
        finish_compactions(&mut again);
        assert_eq!(
            again.range(&foo(), 1, 0),
            Err(StoreError::Compacted),
            "{profile}"
        );
        assert_eq!(meta_rev(&again, "finishedCompactRev"), Some(2), "{profile}");
    }
}

#[test]
fn revisions_that_cannot_be_hashed() {
    let file = file();
    let section = &file["hash_rev_errors"];
    for profile in PROFILES {
        let mut store = KvStore::new(profile);
        while store.current_rev() < 10_000 {
            put(&mut store, "foo", "bar", 0);
        }
        let zero = store.hash_by_rev(0).expect("the present can be hashed");
        assert_eq!(store.hash_by_rev(10_000), Ok(zero), "{profile}");
        store.compact(5000).expect("never compacted");
        finish_compactions(&mut store);
        for case in list(section, "cases") {
            let at = int(&case["rev"]);
            // Up to 3.4.26, etcd also refused the compact revision itself; a real 3.4.23 confirmed this.
            let expected = match (profile, at) {
                (Profile::V3_4, 5000) => Some(StoreError::Compacted),
                _ => error(&case["error"]),
            };
            assert_eq!(store.hash_by_rev(at).err(), expected, "{profile} {case}");
        }
    }
    assert_eq!(list(section, "cases").len(), 3);
}

/// Every section of the file has a test above, so that a new section is not overlooked.
#[test]
fn no_section_is_left_out() {
    let file = file();
    let sections = file
        .as_object()
        .expect("sections")
        .values()
        .filter(|v| v.is_object());
    assert_eq!(sections.count(), 18);
}
