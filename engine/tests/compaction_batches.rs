//! A compaction in simulated time that is too long for a behaviour file: the member removes 2500 rows in batches of
//! 1000, 1000 and 500 with pauses of 10 ms. A member that stops during a compaction continues the compaction after a
//! restart. Mirrors `server/storage/mvcc/kvstore_compaction.go`.

use crate::support::PROFILES;
use watchglass_engine::api::Profile;
use watchglass_engine::backend::Bucket;
use watchglass_engine::mvcc::{BucketKey, KvStore, StoreError};
use watchglass_engine::session::{Config, Session};

fn session_of_puts(puts: u32, profile: Profile) -> Session {
    let mut session = Session::new(Config {
        profile,
        ..Config::default()
    });
    let done = session.exec(&format!("for i in {{1..{puts}}}; do put k v$i; done"));
    assert_eq!(done.exit, 0, "{}", done.stderr);
    session
}

fn store(session: &Session) -> &KvStore {
    session.world().at_endpoint().store()
}

fn rows(session: &Session) -> u64 {
    store(session).backend().row_count(Bucket::Key)
}

/// Returns the revisions `scheduledCompactRev` and `finishedCompactRev`.
fn meta(store: &KvStore) -> [Option<i64>; 2] {
    ["scheduledCompactRev", "finishedCompactRev"].map(|name| {
        let value = store.backend().get(Bucket::Meta, &name.into())?;
        BucketKey::decode(&value).map(|k| k.revision.main)
    })
}

fn exec(session: &mut Session, line: &str) -> String {
    let done = session.exec(line);
    done.stdout + &done.stderr
}

#[test]
fn rows_go_in_batches_with_pauses() {
    for profile in PROFILES {
        let mut session = session_of_puts(2500, profile);
        assert_eq!(rows(&session), 2500);
        assert_eq!(
            exec(&mut session, "compact 2501"),
            "compacted revision 2501\n"
        );
        // Reads are refused at once. The compaction has removed the first batch of rows, and the other rows still
        // exist.
        assert_eq!(
            exec(&mut session, "get k --rev=2500"),
            "Error: etcdserver: mvcc: required revision has been compacted\n"
        );
        let first_batch_at = session.world().now();
        assert_eq!(rows(&session), 1500);
        assert_eq!(meta(store(&session)), [Some(2501), None]);
        exec(&mut session, "run 8ms");
        assert_eq!(rows(&session), 1500, "the pause is not over");
        exec(&mut session, "run 2ms");
        assert_eq!(rows(&session), 500);
        assert!(session.world().now() > first_batch_at);
        exec(&mut session, "run 10ms");
        assert_eq!(rows(&session), 1, "{profile}: the newest value stays");
        assert_eq!(meta(store(&session)), [Some(2501), Some(2501)]);
        assert_eq!(store(&session).compactions_pending(), 0);
        assert_eq!(exec(&mut session, "get k"), "k\nv2500\n");
    }
}

#[test]
fn a_full_last_batch_is_followed_by_an_empty_one() {
    let mut session = session_of_puts(1000, Profile::V3_6);
    exec(&mut session, "compact 1001");
    assert_eq!(rows(&session), 1);
    // The job has visited all rows, but cannot know yet that no rows follow.
    assert_eq!(meta(store(&session)), [Some(1001), None]);
    exec(&mut session, "run 10ms");
    assert_eq!(meta(store(&session)), [Some(1001), Some(1001)]);

    let mut session = session_of_puts(999, Profile::V3_6);
    exec(&mut session, "compact 1000");
    assert_eq!(
        meta(store(&session)),
        [Some(1000), Some(1000)],
        "one short of it ends at once"
    );
}

#[test]
fn a_physical_compaction_waits_for_every_batch() {
    let mut session = session_of_puts(2500, Profile::V3_6);
    let before = session.world().now();
    assert_eq!(
        exec(&mut session, "compact 2501 --physical"),
        "compacted revision 2501\n"
    );
    assert_eq!(rows(&session), 1);
    let waited_us = (session.world().now() - before).0;
    assert!(
        waited_us >= 20_000,
        "two pauses of 10 ms, not {waited_us} µs"
    );
}

#[test]
fn two_compactions_wait_for_each_other() {
    let mut session = session_of_puts(2500, Profile::V3_6);
    exec(&mut session, "compact 2000");
    exec(&mut session, "compact 2400");
    assert_eq!(store(&session).compactions_pending(), 2);
    assert_eq!(
        store(&session).compact_rev(),
        2400,
        "for readers both have happened"
    );
    exec(&mut session, "run 1s");
    assert_eq!(store(&session).compactions_pending(), 0);
    assert_eq!(rows(&session), 102, "revision 2400 and the 101 after it");
    assert_eq!(meta(store(&session)), [Some(2400), Some(2400)]);
}

#[test]
fn a_member_that_stops_in_between_goes_on_when_it_starts() {
    for profile in PROFILES {
        let mut session = session_of_puts(2500, profile);
        exec(&mut session, "compact 2501");
        let rows_left = store(&session).backend().clone();
        let mut again =
            KvStore::restore(rows_left, profile).expect("the rows are those of a store");
        // The compaction resumes during the start, so no read below the compact revision can succeed.
        assert_eq!(again.compact_rev(), 2501);
        assert_eq!(again.current_rev(), 2501);
        let k = watchglass_engine::base::bytes::KeyRange::One("k".into());
        assert_eq!(again.range(&k, 2500, 0), Err(StoreError::Compacted));
        assert_eq!(again.compactions_pending(), 1);
        crate::support::finish_compactions(&mut again);
        assert_eq!(again.backend().row_count(Bucket::Key), 1);
        assert_eq!(meta(&again), [Some(2501), Some(2501)]);
        let found = again.range(&k, 0, 0).expect("the present is readable");
        assert_eq!(
            (found.kvs[0].version, found.kvs[0].create_revision),
            (2500, 2)
        );
    }
}
