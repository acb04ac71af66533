//! The tree of all keys, compared with etcd's own cases (`data/index_vectors.json`).

use crate::support::{PROFILES, bytes, flag, generations, int, list, load, range, rev, revs, text};
use serde_json::Value;
use watchglass_engine::api::Profile;
use watchglass_engine::base::Bytes;
use watchglass_engine::mvcc::{KeyIndex, Revision, TreeIndex};

fn file() -> Value {
    load("index_vectors.json")
}

/// Returns the tree after a list of operations `[op, key, main, sub]`.
fn tree_after(ops: &Value) -> TreeIndex {
    let mut tree = TreeIndex::default();
    for op in ops.as_array().expect("operations") {
        let (key, at) = (bytes(&op[1]), Revision::new(int(&op[2]), int(&op[3])));
        match text(&op[0]) {
            "put" => tree.put(key, at),
            "tombstone" => tree.tombstone(&key, at).expect("the key is alive"),
            other => panic!("unknown operation {other}"),
        };
    }
    tree
}

/// Returns the revisions of a range and their count. Without `with_total_count`, the walk ends at the limit and counts
/// only these keys, as for a stream.
fn revisions(tree: &TreeIndex, case: &Value, at: i64) -> (Vec<Revision>, i64) {
    let (keys, limit) = (range(&case["key"], &case["end"]), int(&case["limit"]));
    if flag(&case["with_total_count"]) {
        return tree.revisions(&keys, at, limit);
    }
    let found = tree.first_revisions(&keys, at, limit);
    let count = found.len() as i64;
    (found, count)
}

#[test]
fn get() {
    let file = file();
    let section = &file["index_get"];
    let tree = tree_after(&section["ops"]);
    for case in list(section, "cases") {
        let found = tree.get(&bytes(&section["key"]), int(&case["at_rev"]));
        assert_eq!(found.is_none(), flag(&case["not_found"]), "{case}");
        if let Some(found) = found {
            assert_eq!(found.modified, rev(&case["mod"]), "{case}");
            assert_eq!(found.created, rev(&case["created"]), "{case}");
            assert_eq!(found.version, int(&case["version"]), "{case}");
        }
    }
    assert_eq!(list(section, "cases").len(), 4);
}

#[test]
fn range_of_keys() {
    let file = file();
    let section = &file["index_range"];
    let tree = tree_after(&section["ops"]);
    let at = int(&section["at_rev"]);
    for case in list(section, "cases") {
        let keys = range(&case["key"], &case["end"]);
        let (found, total) = revisions(&tree, case, at);
        assert_eq!(found, revs(&case["revs"]), "{case}");
        assert_eq!(total, int(&case["total"]), "{case}");
        // The tree returns only revisions; a walk over the live keys shows which keys they belong to.
        let live: Vec<Bytes> = tree
            .live(&keys, at)
            .take(found.len())
            .map(|(ki, _)| ki.key.clone())
            .collect();
        let expected: Vec<Bytes> = list(case, "keys").iter().map(bytes).collect();
        assert_eq!(live, expected, "{case}");
    }
    assert_eq!(list(section, "cases").len(), 10);
}

#[test]
fn revisions_and_their_count() {
    let file = file();
    let section = &file["index_revisions"];
    let tree = tree_after(&section["ops"]);
    for case in list(section, "cases") {
        let keys = range(&case["key"], &case["end"]);
        let at = int(&case["at_rev"]);
        let (found, total) = tree.revisions(&keys, at, int(&case["limit"]));
        assert_eq!(found, revs(&case["revs"]), "{case}");
        assert_eq!(
            total,
            int(&case["count"]),
            "{case}: a limit does not limit the count"
        );
        assert_eq!(
            tree.count_revisions(&keys, at),
            int(&case["count"]),
            "{case}"
        );
    }
    assert_eq!(list(section, "cases").len(), 10);
}

#[test]
fn revisions_with_total_count() {
    let file = file();
    let section = &file["index_revisions_total_count"];
    assert_eq!(text(&section["ops"]), "same as index_revisions");
    let tree = tree_after(&file["index_revisions"]["ops"]);
    for case in list(section, "cases") {
        let found = revisions(&tree, case, int(&case["at_rev"]));
        let expected = (revs(&case["revs"]), int(&case["total"]));
        assert_eq!(found, expected, "{case}");
    }
    assert_eq!(list(section, "cases").len(), 4);
}

#[test]
fn tombstone() {
    let file = file();
    let section = &file["index_tombstone"];
    let mut tree = tree_after(&section["ops"]);
    let foo: Bytes = "foo".into();
    assert_eq!(text(&section["get_at_2"]), "not found");
    assert!(tree.get(&foo, 2).is_none());
    assert_eq!(
        text(&section["tombstone_again_at_3"]),
        "error: revision not found"
    );
    assert!(tree.tombstone(&foo, Revision::new(3, 0)).is_err());
    assert!(
        tree.tombstone(&"unknown".into(), Revision::new(3, 0))
            .is_err()
    );
}

fn expected_tree(case: &Value) -> Vec<KeyIndex> {
    let one = |ki: &Value| KeyIndex {
        key: bytes(&ki["key"]),
        modified: rev(&ki["modified"]),
        generations: generations(&ki["generations"]),
    };
    list(case, "index_after").iter().map(one).collect()
}

/// The cases come from a version of etcd that keeps a tombstone at the compact revision; etcd 3.4 deletes it. In a case
/// with such a tombstone, a hash and the backend keep different revisions; for 3.4, the test skips these cases.
#[test]
fn compact_and_keep() {
    let file = file();
    let section = &file["index_compact_and_keep"];
    let mut applied = [0, 0];
    for (profile, applied) in PROFILES.iter().zip(&mut applied) {
        let base = tree_after(&section["ops"]);
        let mut cumulative = base.clone();
        for case in list(section, "cases") {
            let same_in_both = case["keep"] == case["compact_available"];
            if *profile == Profile::V3_4 && !same_in_both {
                continue;
            }
            let at = int(&case["compact_rev"]);
            for (how, tree) in [
                ("once", &mut base.clone()),
                ("continuously", &mut cumulative),
            ] {
                let what = format!("{profile}, compact {at}, {how}");
                let before: Vec<KeyIndex> = tree.iter().cloned().collect();
                assert_eq!(tree.keep(at, *profile), revs(&case["keep"]), "{what}: keep");
                let after_keep: Vec<KeyIndex> = tree.iter().cloned().collect();
                assert_eq!(after_keep, before, "{what}: keep only looks");
                let available = tree.compact(at, *profile);
                assert_eq!(available, revs(&case["compact_available"]), "{what}");
                let left: Vec<KeyIndex> = tree.iter().cloned().collect();
                assert_eq!(left, expected_tree(case), "{what}");
            }
            *applied += 1;
        }
    }
    assert_eq!(applied, [3, 5]);
}
