//! Restores a store from rows that no etcd can have written. Each fault must be reported with its row, and no restore
//! may panic.

use watchglass_engine::api::{KeyValue, Profile};
use watchglass_engine::backend::{Backend, Bucket};
use watchglass_engine::base::{Bytes, proto};
use watchglass_engine::mvcc::restore::{Restore, RestoreError};
use watchglass_engine::mvcc::{BucketKey, KvStore, Revision};

const PROFILES: [Profile; 4] = Profile::ALL;

fn put(main: i64) -> KeyValue {
    KeyValue {
        key: "/a".into(),
        create_revision: main,
        mod_revision: main,
        version: 1,
        value: "1".into(),
        lease: 0,
    }
}

fn row(backend: &mut Backend, main: i64, tombstone: bool, kv: &KeyValue) {
    let key = BucketKey {
        revision: Revision::new(main, 0),
        tombstone,
    };
    backend.put(Bucket::Key, key.encode(), proto::encode(kv).into());
}

fn restore(backend: Backend, profile: Profile) -> Result<KvStore, RestoreError> {
    let mut restore = Restore::new(backend, profile)?.strict();
    while !restore.step(1)? {}
    restore.finish().map(|(store, _)| store)
}

/// Returns the error of a restore from a backend with these rows.
fn complaint(fill: impl Fn(&mut Backend)) -> String {
    let said = PROFILES.map(|profile| {
        let mut backend = Backend::new(profile);
        row(&mut backend, 2, false, &put(2));
        fill(&mut backend);
        restore(backend, profile).expect_err("a fault").to_string()
    });
    assert_eq!(said[0], said[1]);
    said[0].clone()
}

#[test]
fn keys_and_values_that_are_no_rows() {
    assert_eq!(
        complaint(|backend| backend.put(Bucket::Key, "zebra".into(), "".into())),
        "a key of the bucket `key` is not a revision: 5 bytes, zebra; expected 17 bytes, or 18 for a delete"
    );
    let key = Bytes::from(&Revision::new(3, 0).encode()[..]);
    assert_eq!(
        complaint(|backend| backend.put(Bucket::Key, key.clone(), "\u{fffd}".into())),
        "row 3.0 of the bucket `key`: the value is not a KeyValue"
    );
    assert_eq!(
        complaint(|backend| {
            let kv = KeyValue {
                key: "".into(),
                ..put(3)
            };
            row(backend, 3, false, &kv);
        }),
        "row 3.0 of the bucket `key`: the KeyValue has an empty key, which etcd never writes"
    );
    assert_eq!(
        complaint(|backend| backend.put(Bucket::Meta, "finishedCompactRev".into(), "7".into())),
        "finishedCompactRev in the bucket `meta` is not a revision: expected 17 bytes"
    );
    assert_eq!(
        complaint(|backend| backend.put(Bucket::Meta, "scheduledCompactRev".into(), "7".into())),
        "scheduledCompactRev in the bucket `meta` is not a revision: expected 17 bytes"
    );
}

/// `etcdutl snapshot restore --bump-revision` marks the new revision with a row without a value.
#[test]
fn a_row_without_a_value_marks_a_raised_revision() {
    for profile in PROFILES {
        let mut backend = Backend::new(profile);
        row(&mut backend, 2, false, &put(2));
        for main in [1002, 2002] {
            let key = Bytes::from(&Revision::new(main, 0).encode()[..]);
            backend.put(Bucket::Key, key, Bytes::default());
        }
        let store = restore(backend, profile).expect("etcd accepts these rows");
        assert_eq!((store.current_rev(), store.live_keys()), (2002, 2));
        let marker = store.index().key_index(&Bytes::default());
        assert_eq!(marker.map(|index| index.modified.main), Some(2002));
    }
}

#[test]
fn counters_that_cannot_be() {
    let with = |change: fn(&mut KeyValue)| {
        complaint(|backend| {
            let mut kv = put(3);
            change(&mut kv);
            row(backend, 3, false, &kv);
        })
    };
    assert_eq!(
        with(|kv| kv.mod_revision = 9),
        "row 3.0 of the bucket `key`: the value has mod_revision 9, expected 3"
    );
    let version = "expected a version of at least 1 and a create_revision of at most 3";
    assert_eq!(
        with(|kv| kv.version = 0),
        format!("row 3.0 of the bucket `key`: version 0, create_revision 3; {version}")
    );
    assert_eq!(
        with(|kv| kv.create_revision = 4),
        format!("row 3.0 of the bucket `key`: version 1, create_revision 4; {version}")
    );
    let too_large = "the revision or version is larger than etcd can reach";
    assert_eq!(
        with(|kv| kv.version = i64::MAX),
        format!("row 3.0 of the bucket `key`: {too_large}")
    );
    assert_eq!(
        complaint(|backend| row(backend, i64::MAX, false, &put(i64::MAX))),
        format!("row 9223372036854775807.0 of the bucket `key`: {too_large}")
    );
}

#[test]
fn changes_that_do_not_follow_each_other() {
    let gone = KeyValue {
        key: "/a".into(),
        ..KeyValue::default()
    };
    let twice = complaint(|backend| {
        row(backend, 3, true, &gone);
        row(backend, 4, true, &gone);
    });
    assert_eq!(
        twice,
        "row 4.0 of the bucket `key`: /a is deleted, but does not exist at this revision"
    );
    let at_once = complaint(|backend| row(backend, 2, true, &gone));
    assert_eq!(
        at_once,
        "row 2.0 of the bucket `key`: /a is changed twice in this revision"
    );
}
