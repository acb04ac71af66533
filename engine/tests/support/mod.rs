//! Helpers that several tests use: the files of `tests/data`, sessions after some commands, and the numbers of random
//! cases.

use std::ops::Range;

use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use serde_json::Value;
use watchglass_engine::api::{KeyValue, Profile};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::mvcc::{Generation, KvStore, Revision};
use watchglass_engine::session::{Config, Done, FromEngine, Session, ToEngine};

/// The oldest and the newest simulated version of etcd. A test whose result depends on the version runs with both.
pub(crate) const PROFILES: [Profile; 2] = [Profile::V3_4, Profile::V3_7];

/// Reads a file of `tests/data`.
pub(crate) fn data_text(name: &str) -> String {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Reads and parses a JSON file of `tests/data`.
pub(crate) fn load(name: &str) -> Value {
    serde_json::from_str(&data_text(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns the elements of the JSON list in the field `name`; panics if the field is not a list.
pub(crate) fn list<'a>(v: &'a Value, name: &str) -> &'a [Value] {
    v[name]
        .as_array()
        .unwrap_or_else(|| panic!("`{name}` is not a list in {v}"))
}

pub(crate) fn int(v: &Value) -> i64 {
    v.as_i64().unwrap_or_else(|| panic!("not a number: {v}"))
}

pub(crate) fn text(v: &Value) -> &str {
    v.as_str().unwrap_or_else(|| panic!("not a text: {v}"))
}

pub(crate) fn flag(v: &Value) -> bool {
    v.as_bool()
        .unwrap_or_else(|| panic!("neither true nor false: {v}"))
}

pub(crate) fn bytes(v: &Value) -> Bytes {
    text(v).into()
}

/// Converts a JSON pair `[main, sub]` to a revision.
pub(crate) fn rev(v: &Value) -> Revision {
    Revision::new(int(&v[0]), int(&v[1]))
}

pub(crate) fn revs(v: &Value) -> Vec<Revision> {
    v.as_array()
        .unwrap_or_else(|| panic!("not a list: {v}"))
        .iter()
        .map(rev)
        .collect()
}

pub(crate) fn generations(v: &Value) -> Vec<Generation> {
    let one = |g: &Value| Generation {
        ver: int(&g["ver"]),
        created: rev(&g["created"]),
        revs: revs(&g["revs"]).into_iter().collect(),
    };
    v.as_array()
        .unwrap_or_else(|| panic!("not a list: {v}"))
        .iter()
        .map(one)
        .collect()
}

/// Returns the range from a key to an end, both in the format of the mvcc files.
pub(crate) fn range(key: &Value, end: &Value) -> KeyRange {
    let key = bytes(key);
    match end.as_str() {
        None => KeyRange::One(key),
        Some("") => KeyRange::From(key),
        Some(end) => KeyRange::Between(key, end.into()),
    }
}

pub(crate) fn key_value(v: &Value) -> KeyValue {
    let number = |name: &str| v.get(name).map_or(0, int);
    KeyValue {
        key: bytes(&v["key"]),
        create_revision: number("create_revision"),
        mod_revision: number("mod_revision"),
        version: number("version"),
        value: v.get("value").map(bytes).unwrap_or_default(),
        lease: number("lease"),
    }
}

pub(crate) fn key_values(v: &Value) -> Vec<KeyValue> {
    v.as_array()
        .unwrap_or_else(|| panic!("not a list: {v}"))
        .iter()
        .map(key_value)
        .collect()
}

/// Writes one key in a separate transaction and returns the revision.
pub(crate) fn put(store: &mut KvStore, key: &str, value: &str, lease: i64) -> i64 {
    let mut txn = store.write();
    let rev = txn.put(key.into(), value.into(), lease);
    txn.end();
    rev
}

/// Deletes a range in a separate transaction. Returns the number of deleted keys and the revision of the response.
pub(crate) fn delete(store: &mut KvStore, range: &KeyRange) -> (i64, i64) {
    let mut txn = store.write();
    let deleted = txn.delete_range(range);
    let rev = txn.rev();
    txn.end();
    (deleted, rev)
}

/// Runs every batch of every pending compaction, and returns the number of batches.
pub(crate) fn finish_compactions(store: &mut KvStore) -> u32 {
    let mut batches = 0;
    while store.compactions_pending() > 0 {
        store.compaction_batch();
        batches += 1;
    }
    batches
}

/// Creates a store, applies the operations in the `setup` of a test case, and finishes all compactions.
pub(crate) fn store_after(ops: &Value, profile: Profile) -> KvStore {
    let mut store = KvStore::new(profile);
    for op in ops
        .as_array()
        .unwrap_or_else(|| panic!("not a list: {ops}"))
    {
        match text(&op[0]) {
            "put" => {
                put(
                    &mut store,
                    text(&op[1]),
                    text(&op[2]),
                    op.get(3).map_or(0, int),
                );
            }
            "delete_range" => {
                delete(&mut store, &range(&op[1], &op[2]));
            }
            "compact" => {
                store
                    .compact(int(&op[1]))
                    .expect("a setup compacts what can be compacted");
                finish_compactions(&mut store);
            }
            other => panic!("unknown operation {other}"),
        }
    }
    store
}

/// Returns a session after these commands, all of which must succeed.
pub(crate) fn session_after(profile: Profile, lines: &[&str]) -> Session {
    let mut session = Session::new(Config {
        profile,
        ..Config::default()
    });
    for line in lines {
        let done = session.exec(line);
        assert_eq!(done.exit, 0, "{line}: {}", done.stderr);
    }
    session
}

pub(crate) fn answer_text(session: &mut Session, message: ToEngine) -> String {
    let mut out = Vec::new();
    session.handle(message, &mut out);
    let mut texts = out.into_iter().filter_map(|message| match message {
        FromEngine::Done {
            done: Done::Text(text),
            ..
        } => Some(text),
        _ => None,
    });
    texts.next().expect("it is answered with a text")
}

/// Returns a proptest configuration with this number of cases and a fixed seed.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    config_from(20_261_121, cases)
}

pub(crate) fn config_from(seed: u64, cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    // A number from the environment takes precedence, so that a person can try more cases.
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let seeded = std::env::var_os("PROPTEST_RNG_SEED").is_some();
    ProptestConfig {
        cases: if asked { default.cases } else { cases },
        rng_seed: if seeded {
            default.rng_seed
        } else {
            RngSeed::Fixed(seed)
        },
        failure_persistence: None,
        ..default
    }
}

fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

/// Returns the seeds of the random worlds to run. The environment variable `SEED` selects a single seed; otherwise
/// `FROM` and `WORLDS`, if set, replace the start and the length of `these`.
pub(crate) fn seeds(these: Range<u64>) -> Range<u64> {
    if let Some(seed) = asked("SEED") {
        return seed..seed + 1;
    }
    let from = asked("FROM").unwrap_or(these.start);
    from..from + asked("WORLDS").unwrap_or(these.end - these.start)
}
