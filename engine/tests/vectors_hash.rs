//! Rows, byte for byte, and their checksums (`data/hash_vectors.json`): a small history with the hashes that a real
//! etcd 3.4.23 returned, and the two series of upstream's `hash_test.go`.

use crate::support::{PROFILES, finish_compactions, int, list, load, put, text};
use serde_json::Value;
use watchglass_engine::api::{Difference, Profile};
use watchglass_engine::backend::Bucket;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::mvcc::{KvStore, StoreError};

fn small_scenario(profile: Profile) -> (Value, KvStore) {
    let file = load("hash_vectors.json");
    let scenario = file["small_scenario"].clone();
    let mut store = KvStore::new(profile);
    for op in list(&scenario, "ops") {
        let key = text(&op[1]);
        if text(&op[0]) == "put" {
            put(&mut store, key, text(&op[2]), 0);
        } else {
            crate::support::delete(&mut store, &KeyRange::One(key.into()));
        }
    }
    (scenario, store)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn rows_are_the_same_bytes() {
    for profile in PROFILES {
        let (scenario, store) = small_scenario(profile);
        let expected: Vec<(String, String)> = list(&scenario, "backend_records")
            .iter()
            .map(|r| {
                (
                    text(&r["bucket_key_hex"]).into(),
                    text(&r["value_hex"]).into(),
                )
            })
            .collect();
        let rows: Vec<_> = store
            .backend()
            .rows(Bucket::Key)
            .map(|(k, v)| (hex(&k), hex(&v)))
            .collect();
        assert_eq!(rows, expected, "{profile}");
        assert_eq!(rows.len(), 6);
    }
}

/// Asserts the hashes of a list, and asserts that profile 3.4 refuses the hash at the compact revision.
fn assert_hashes(store: &KvStore, profile: Profile, expected: &[Value]) -> (usize, usize) {
    let (mut equal, mut refused) = (0, 0);
    for row in expected {
        let (rev, compacted) = (int(&row["rev"]), int(&row["compact_revision"]));
        let found = store.hash_by_rev(rev);
        if !profile.has(Difference::HashesCompactRevision) && rev == compacted {
            assert_eq!(found, Err(StoreError::Compacted), "{profile} at {rev}");
            refused += 1;
            continue;
        }
        let found = found.unwrap_or_else(|e| panic!("{profile} at {rev}: {e}"));
        assert_eq!(
            i64::from(found.hash),
            int(&row["hash"]),
            "{profile} at {rev}"
        );
        assert_eq!(found.compact_revision, compacted, "{profile} at {rev}");
        assert_eq!(found.revision, rev);
        equal += 1;
    }
    (equal, refused)
}

#[test]
fn hashes_of_a_small_history() {
    for profile in PROFILES {
        let (scenario, mut store) = small_scenario(profile);
        let before = assert_hashes(&store, profile, list(&scenario, "before_compaction"));
        assert_eq!(before, (7, 0));
        for (at, equal_in_3_4, name) in [(4, 3, "after_compact_4"), (5, 2, "after_compact_5")] {
            store.compact(at).expect("it was not compacted so far");
            let counts = match profile.has(Difference::HashesCompactRevision) {
                false => (equal_in_3_4, 1),
                true => (equal_in_3_4 + 1, 0),
            };
            let expected = list(&scenario, name);
            // The hash must not depend on the progress of the removal of rows.
            assert_eq!(
                assert_hashes(&store, profile, expected),
                counts,
                "{name}, rows still there"
            );
            finish_compactions(&mut store);
            assert_eq!(
                assert_hashes(&store, profile, expected),
                counts,
                "{name}, rows removed"
            );
        }
    }
}

/// Chooses a key by upstream's rule: mostly one of seven names, in a cycle, and sometimes one of two rare names.
fn pick_key(i: i64) -> &'static str {
    const NAMES: [&str; 7] = [
        "alice",
        "bob",
        "celine",
        "dominik",
        "eve",
        "frederica",
        "gorge",
    ];
    match i {
        i if i % 142 == 30 => "zenek",
        i if i % 71 == 30 => "xavery",
        i => NAMES[(i % 7) as usize],
    }
}

/// Repeatedly checks the hash at revision `at(base, last)` and compacts at that revision, so that each hash depends on
/// all previous steps.
fn series(name: &str, profile: Profile, at: impl Fn(i64, bool) -> i64) -> usize {
    const STEP: i64 = 71;
    const BASES: i64 = 1210;
    let file = load("hash_vectors.json");
    let expected = list(
        &file["upstream_series"][name],
        "expected_[hash,compactRevision,revision]",
    );
    let mut expected = expected.iter();
    let mut store = KvStore::new(profile);
    let mut checked = 0;
    let mut check = |store: &mut KvStore, base: i64, count: i64, last: bool| {
        for i in base..=base + count {
            put(store, pick_key(i), &i.to_string(), 0);
        }
        let found = store
            .hash_by_rev(at(base, last))
            .expect("neither compacted nor future");
        let row = expected
            .next()
            .unwrap_or_else(|| panic!("{name}: more hashes than numbers"));
        let what = format!("{profile}, {name}, base {base}");
        assert_eq!(i64::from(found.hash), int(&row[0]), "{what}");
        assert_eq!(found.compact_revision, int(&row[1]), "{what}");
        assert_eq!(found.revision, int(&row[2]), "{what}");
        store
            .compact(found.revision)
            .expect("each compaction is later than the one before");
        finish_compactions(store);
        checked += 1;
    };
    let mut base = 0;
    while base < BASES {
        check(&mut store, base, STEP, false);
        base += STEP;
    }
    check(&mut store, base, BASES, true);
    checked
}

#[test]
fn upstream_series_hashed_in_the_middle() {
    for profile in PROFILES {
        let at = |base, last| base + if last { 605 } else { 35 };
        assert_eq!(series("mid", profile, at), 19);
    }
}

#[test]
fn upstream_series_hashed_at_the_head() {
    for profile in PROFILES {
        assert_eq!(series("last", profile, |_, _| 0), 19);
    }
}
