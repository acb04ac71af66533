//! The index of one key, compared with etcd's own cases (`data/keyindex_vectors.json`).

use crate::support::{PROFILES, flag, generations, int, list, load, rev, revs, text};
use serde_json::Value;
use watchglass_engine::api::Profile;
use watchglass_engine::mvcc::{Generation, KeyIndex, Revision};

fn file() -> Value {
    load("keyindex_vectors.json")
}

/// Applies one operation: `[op, main, sub]`, a restore, or a compaction. If the operation is a compaction, returns the
/// revisions that it keeps.
fn apply(ki: &mut KeyIndex, op: &Value, profile: Profile) -> Vec<Revision> {
    let mut available = Vec::new();
    let at = || Revision::new(int(&op[1]), int(&op[2]));
    match text(&op[0]) {
        "put" => {
            ki.put(at());
        }
        "tombstone" => {
            ki.tombstone(at()).expect("the key is alive");
        }
        "restore" => {
            let (created, modified) = (rev(&op[1]["created"]), rev(&op[1]["modified"]));
            *ki = KeyIndex::restore(ki.key.clone(), created, modified, int(&op[1]["ver"]));
        }
        "compact" => ki.compact(int(&op[1]), profile, &mut available),
        other => panic!("unknown operation {other}"),
    }
    available
}

fn index_after(ops: &Value, profile: Profile) -> (KeyIndex, Vec<Revision>) {
    let mut ki = KeyIndex::new("foo".into());
    let mut available = Vec::new();
    for op in ops.as_array().expect("operations") {
        available.extend(apply(&mut ki, op, profile));
    }
    (ki, available)
}

#[test]
fn sequences_of_changes_make_the_generations() {
    let file = file();
    let cases = list(&file, "op_sequences");
    for (case, profile) in cases.iter().flat_map(|c| PROFILES.map(|p| (c, p))) {
        let name = text(&case["name"]);
        let (mut ki, available) = index_after(&case["ops"], profile);
        assert_eq!(ki.modified, rev(&case["modified"]), "{name}");
        assert_eq!(ki.generations, generations(&case["generations"]), "{name}");
        if let Some(expected) = case.get("compact_available") {
            assert_eq!(available, revs(expected), "{name}");
        }
        if let Some(then) = case.get("then") {
            assert_eq!(text(&then["op"][0]), "tombstone");
            assert_eq!(text(&then["error"]), "revision not found");
            let before = ki.clone();
            let at = Revision::new(int(&then["op"][1]), int(&then["op"][2]));
            assert!(ki.tombstone(at).is_err(), "{name}");
            assert_eq!(ki, before, "{name}: a refused tombstone changes nothing");
        }
    }
    assert_eq!(cases.len(), 4);
}

fn compact_and_keep(section: &str, profile: Profile) -> usize {
    let file = file();
    let section = &file[section];
    let (base, _) = index_after(&section["base_ops"], profile);
    let mut cumulative = base.clone();
    let cases = list(section, "cases");
    for case in cases {
        let at = int(&case["compact_rev"]);
        for (how, ki) in [
            ("once", &mut base.clone()),
            ("continuously", &mut cumulative),
        ] {
            let what = format!("{profile}, compact {at}, {how}");
            let before = ki.clone();
            let kept: Vec<_> = ki.keep(at, profile).into_iter().collect();
            assert_eq!(kept, revs(&case["keep_available"]), "{what}: keep");
            assert_eq!(*ki, before, "{what}: keep only looks");

            let mut available = Vec::new();
            ki.compact(at, profile, &mut available);
            assert_eq!(
                available,
                revs(&case["compact_available"]),
                "{what}: available"
            );
            assert_eq!(ki.generations, generations(&case["generations"]), "{what}");
            if let Some(modified) = case.get("modified") {
                assert_eq!(ki.modified, rev(modified), "{what}");
            }
            if let Some(empty) = case.get("becomes_empty") {
                assert_eq!(ki.is_empty(), flag(empty), "{what}");
            }
        }
    }
    cases.len()
}

#[test]
fn compaction_once_and_continuously() {
    assert_eq!(compact_and_keep("compact_and_keep", Profile::V3_6), 9);
}

#[test]
fn compaction_under_the_legacy_rule() {
    assert_eq!(
        compact_and_keep("compact_and_keep_legacy", Profile::V3_4),
        9
    );
}

#[test]
fn reads_after_a_compaction() {
    let file = file();
    let section = &file["get_after_compact_4"];
    for profile in PROFILES {
        let (mut ki, _) = index_after(&section["base_ops"], profile);
        ki.compact(int(&section["first_compact"]), profile, &mut Vec::new());
        for case in list(section, "cases") {
            let at = int(&case["at_rev"]);
            match ki.get(at) {
                None => assert!(flag(&case["not_found"]), "{profile}: nothing at {at}"),
                Some(found) => {
                    assert!(!flag(&case["not_found"]), "{profile}: found at {at}");
                    assert_eq!(found.modified, rev(&case["modified"]), "{profile} at {at}");
                    assert_eq!(found.created, rev(&case["created"]), "{profile} at {at}");
                    assert_eq!(found.version, int(&case["version"]), "{profile} at {at}");
                }
            }
        }
    }
    assert_eq!(list(section, "cases").len(), 9);
}

#[test]
fn changes_since_a_revision() {
    let file = file();
    let section = &file["since_after_compact_4"];
    for profile in PROFILES {
        let (mut ki, _) = index_after(&section["base_ops"], profile);
        ki.compact(int(&section["first_compact"]), profile, &mut Vec::new());
        for case in list(section, "cases") {
            let since = int(&case["rev"]);
            assert_eq!(
                ki.since(since),
                revs(&case["revs"]),
                "{profile} since {since}"
            );
        }
    }
    assert_eq!(list(section, "cases").len(), 9);
}

#[test]
fn the_generation_of_a_revision() {
    let file = file();
    let section = &file["find_generation"];
    let (ki, _) = index_after(&section["base_ops"], Profile::V3_6);
    for case in list(section, "cases") {
        let at = int(&case["rev"]);
        let expected = case["generation"].as_u64().map(|n| n as usize);
        assert_eq!(ki.find_generation_index(at), expected, "at {at}");
        let found = ki.find_generation(at).map(|g| g.created);
        assert_eq!(
            found,
            expected.map(|i| ki.generations[i].created),
            "at {at}"
        );
    }
    assert_eq!(list(section, "cases").len(), 7);
}

#[test]
fn walking_a_generation() {
    let file = file();
    let section = &file["generation_walk"];
    let generation = Generation {
        revs: revs(&section["revs"]).into_iter().collect(),
        ..Generation::default()
    };
    for case in list(section, "cases") {
        let bound = int(&case["stop_when_main_lt"]);
        let expected = usize::try_from(int(&case["index"])).ok();
        assert_eq!(
            generation.walk(|r| r.main >= bound),
            expected,
            "below {bound}"
        );
    }
    assert_eq!(list(section, "cases").len(), 3);
}

#[test]
fn an_index_is_empty_with_one_empty_generation() {
    let file = file();
    let cases = list(&file, "is_empty");
    for case in cases {
        let mut ki = KeyIndex::new("foo".into());
        ki.generations = generations(&case["generations"]);
        assert_eq!(ki.is_empty(), flag(&case["is_empty"]), "{case}");
    }
    assert_eq!(cases.len(), 2);
}

#[test]
fn indexes_are_ordered_by_their_keys() {
    let file = file();
    let key = crate::support::bytes(&file["less"]["key"]);
    let cases = list(&file["less"], "cases");
    for case in cases {
        let other = crate::support::bytes(&case["other"]);
        assert_eq!(key < other, flag(&case["less"]), "{key} < {other}");
    }
    assert_eq!(cases.len(), 3);
}

/// Edge cases that upstream's table omits. The expected results follow the rule of 3.6. A case without a tombstone at
/// the compact revision must have the same result under the rule of 3.4.
#[test]
fn corners() {
    let file = file();
    let cases = list(&file, "extra_model_generated");
    let mut under_the_old_rule = 0;
    for case in cases {
        let at = int(&case["compact_rev"]);
        let available = revs(&case["compact_available"]);
        let same_in_both = available == revs(&case["keep_available"]);
        under_the_old_rule += usize::from(same_in_both);
        for profile in PROFILES {
            if profile == Profile::V3_4 && !same_in_both {
                continue;
            }
            let what = format!("{profile}: {}", case["name"]);
            let (mut ki, _) = index_after(&case["ops"], profile);
            let kept: Vec<_> = ki.keep(at, profile).into_iter().collect();
            assert_eq!(kept, revs(&case["keep_available"]), "{what}");
            let mut found = Vec::new();
            ki.compact(at, profile, &mut found);
            assert_eq!(found, available, "{what}");
            assert_eq!(ki.modified, rev(&case["modified"]), "{what}");
            assert_eq!(ki.generations, generations(&case["generations"]), "{what}");
            assert_eq!(ki.is_empty(), flag(&case["key_removed"]), "{what}");
        }
    }
    assert_eq!((cases.len(), under_the_old_rule), (5, 2));
}
