//! Tests of the backend: the buffered writes over a bbolt file, compared with sorted maps; the times of commits; the
//! data that survives a restart.

use std::collections::BTreeMap;
use std::hash::Hasher as _;

use proptest::collection::vec;
use proptest::prelude::*;
use watchglass_engine::api::Profile;
use watchglass_engine::backend::{BATCH_OPS_MAX, Backend, Bucket};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::digest::Digest;
use watchglass_engine::base::planted::Planted;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimTime;
use watchglass_engine::bbolt::check::Checker;
use watchglass_engine::bbolt::{Db, Options, View};
use watchglass_engine::session::Session;

#[derive(Clone, Debug)]
enum Op {
    Put(u8, u16),
    Delete(u8, u16),
    Advance(u64),
    Commit,
    Restart,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..2_u8, 0..400_u16).prop_map(|(bucket, key)| Op::Put(bucket, key)),
        3 => (0..2_u8, 0..400_u16).prop_map(|(bucket, key)| Op::Delete(bucket, key)),
        1 => (0..60_000_u64).prop_map(Op::Advance),
        1 => Just(Op::Commit),
        1 => Just(Op::Restart),
    ]
}

const BUCKETS: [Bucket; 2] = [Bucket::Lease, Bucket::Members];

type Model = [BTreeMap<Vec<u8>, Vec<u8>>; 2];

fn key(n: u16) -> Bytes {
    Bytes::from(&n.to_be_bytes()[..])
}

fn assert_same(backend: &Backend, model: &Model) {
    for (bucket, rows) in BUCKETS.into_iter().zip(model) {
        let expected: Vec<_> = rows.clone().into_iter().collect();
        let forwards = backend.rows(bucket).map(|(k, v)| (k.to_vec(), v.to_vec()));
        assert_eq!(forwards.collect::<Vec<_>>(), expected);
        let backwards = backend.rows_backwards(bucket);
        let backwards = backwards.map(|(k, v)| (k.to_vec(), v.to_vec()));
        assert!(backwards.eq(expected.iter().rev().cloned()));
        assert_eq!(backend.row_count(bucket), rows.len() as u64);
        for n in [0, 100, 200] {
            let behind = backend.rows_from(bucket, &key(n));
            let behind = behind.map(|(k, v)| (k.to_vec(), v.to_vec()));
            let from = key(n).to_vec();
            assert!(behind.eq(rows.range(from..).map(|(k, v)| (k.clone(), v.clone()))));
        }
        let mut reader = backend.reader(bucket);
        for n in 0..400 {
            let found = reader.get(&key(n)).map(|value| value.to_vec());
            assert_eq!(found, rows.get(&key(n).to_vec()).cloned());
        }
    }
}

/// Asserts that all pages are sound, and that the file and the backend have the same content when no write is pending.
fn assert_sound(backend: &Backend) {
    let findings = Checker::new(&backend.file()).run();
    assert_eq!(findings.damages, []);
    let file = Db::open(backend.db().to_bytes().into(), Options::etcd_3_4()).expect("our file");
    if backend.pending_ops() == 0 {
        for bucket in BUCKETS {
            for (key, value) in backend.rows(bucket) {
                let found = file.view().get(&[bucket.name().as_bytes()], &key);
                assert_eq!(found.expect("no damage"), Some(value));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_backend_agrees_with_maps(ops in vec(op(), 1..300)) {
        let mut backend = Backend::default();
        let mut model = Model::default();
        let mut now = SimTime(0);
        for (n, op) in ops.into_iter().enumerate() {
            match op {
                Op::Put(bucket, k) => {
                    let value = vec![n as u8; 40];
                    backend.put(BUCKETS[bucket as usize], key(k), value.clone().into());
                    model[bucket as usize].insert(key(k).to_vec(), value);
                }
                Op::Delete(bucket, k) => {
                    let is_there = backend.delete(BUCKETS[bucket as usize], &key(k));
                    let was_there = model[bucket as usize].remove(&key(k).to_vec()).is_some();
                    prop_assert_eq!(is_there, was_there);
                }
                Op::Advance(by) => {
                    now.0 += by;
                    backend.advance(now);
                }
                Op::Commit => backend.commit(),
                Op::Restart => {
                    backend.stop(now);
                    backend.start(now);
                }
            }
        }
        assert_same(&backend, &model);
        assert_sound(&backend);
        backend.commit();
        assert_same(&backend, &model);
        assert_sound(&backend);
    }
}

#[test]
fn a_batch_is_committed_at_the_next_tick() {
    let mut backend = Backend::default();
    let txid = |backend: &Backend| backend.file().meta().txid;
    backend.advance(SimTime(130_000));
    assert_eq!(txid(&backend), 2, "no commit without a change");
    backend.put(Bucket::Meta, "a".into(), "1".into());
    backend.advance(SimTime(199_999));
    assert_eq!((txid(&backend), backend.pending_ops()), (2, 1));
    // However late the next call is, the commit has the time at which the commit was due.
    backend.advance(SimTime(900_000));
    assert_eq!((txid(&backend), backend.pending_ops()), (3, 0));
    let commit = backend.last_commit().expect("there was one");
    assert_eq!((commit.at, commit.operations), (SimTime(200_000), 1));
}

#[test]
fn a_full_batch_is_committed_at_the_end_of_a_transaction() {
    let mut store = watchglass_engine::mvcc::KvStore::new(Profile::V3_4);
    for n in 0..BATCH_OPS_MAX {
        assert_eq!(store.backend().pending_ops(), n);
        let mut txn = store.write();
        txn.put("a".into(), "1".into(), 0);
        txn.end();
    }
    assert_eq!(store.backend().pending_ops(), 0);
    assert_eq!(store.backend().row_count(Bucket::Key), 10_000);
    assert_sound(store.backend());
}

#[test]
fn rows_in_order_fill_pages_to_nine_tenths() {
    let mut store = watchglass_engine::mvcc::KvStore::new(Profile::V3_4);
    for _ in 0..1000 {
        let mut txn = store.write();
        txn.put("key".into(), vec![0; 60].into(), 0);
        txn.end();
    }
    store.backend_mut().commit();
    let view = store.backend().file();
    let header = view.bucket(&[b"key"]).expect("no damage");
    let root = view
        .page(header.expect("a bucket").page)
        .expect("no damage");
    let first = root.item(0).expect("no damage").child;
    let leaf = view.page(first).expect("no damage");
    // A row has 16 + 17 + 73 bytes, so 34 rows are the most that fit below 90 % of 4,096 bytes.
    assert_eq!(leaf.count(), 34);
}

fn session(lines: &[&str]) -> Session {
    let mut session = Session::default();
    for line in lines {
        let done = session.exec(line);
        assert_eq!(done.exit, 0, "{line}: {}", done.stderr);
    }
    session
}

#[test]
fn a_member_that_is_killed_between_two_commits_loses_nothing() {
    let lines = ["put a 1", "run 1s", "put b 2", "lease grant 60"];
    let before = session(&lines);
    let backend = before.world().at_endpoint().store().backend().clone();
    let pending: Vec<_> = backend
        .batch(Bucket::Key)
        .map(|(key, _)| key.clone())
        .collect();
    assert_eq!(pending.len(), 1, "b is only in the log");
    let file = before.world().at_endpoint().store().backend().file();
    assert_eq!(file.get(&[b"key"], &pending[0]).expect("no damage"), None);
    let after = session(&[&lines[..], &["stop etcd", "start etcd"]].concat());
    let again = after.world().at_endpoint().store().backend();
    for bucket in [Bucket::Key, Bucket::Lease] {
        assert!(again.rows(bucket).eq(backend.rows(bucket)));
    }
    assert!(again.batch(Bucket::Key).map(|(key, _)| key).eq(&pending));
}

#[test]
fn a_compaction_that_was_not_committed_runs_again() {
    let mut store = watchglass_engine::mvcc::KvStore::new(Profile::V3_4);
    for value in ["1", "2", "3"] {
        let mut txn = store.write();
        txn.put("a".into(), value.into(), 0);
        txn.end();
    }
    store.compact(4).expect("it is new");
    store.compaction_batch();
    assert_eq!(store.backend().row_count(Bucket::Key), 1);
    let mut backend = store.backend().clone();
    backend.start(SimTime(5));
    assert_eq!(
        backend.row_count(Bucket::Key),
        3,
        "the deletes were not in the file"
    );
    let mut again = watchglass_engine::mvcc::KvStore::restore(backend, Profile::V3_4)
        .expect("the rows are those of a store");
    assert_eq!((again.compact_rev(), again.compactions_pending()), (4, 1));
    crate::support::finish_compactions(&mut again);
    assert!(
        again
            .backend()
            .rows(Bucket::Key)
            .eq(store.backend().rows(Bucket::Key))
    );
}

#[test]
fn a_new_members_file_has_five_pages_of_which_one_is_free() {
    for profile in [Profile::V3_4, Profile::V3_6] {
        let member = watchglass_engine::etcd::EtcdServer::new(profile);
        assert_eq!(member.db_size(), (20_480, 16_384)); // what etcd answers
    }
}

#[test]
fn a_restart_says_what_came_from_the_file_and_what_from_the_log() {
    let lines = ["put a 1", "run 100ms", "put a 2", "put a 3", "crash etcd"];
    let mut session = session(&lines);
    let crashed = session.views().status.narration;
    session.exec("start etcd");
    let started = session.views().status.narration;
    assert_eq!(
        crashed,
        "etcd: the power fails before a commit writes its first page. The process etcd stops."
    );
    assert_eq!(
        started,
        "The process etcd restarts. etcd: the file is at transaction 4 and contains all log entries up to 5; the log \
         has 2 more entries, which etcd applies again."
    );
}

/// Compares the page counts of the engine with bbolt's page counts while snapshots are open. As in etcd, the next write
/// transaction begins right after a commit; snapshots begin and end while this transaction is open.
/// `data/gen/bbolt/main.go` runs the same script.
#[test]
fn pages_beside_snapshots_are_those_of_bbolt() {
    let mut rng = crate::bbolt_scripts::Rng(7);
    let mut backend = Backend::default();
    let mut snapshots = Vec::new();
    let (mut oldest, mut newest) = (1_u64, 0_u64);
    let row = |n: u64| Bytes::from(&n.to_be_bytes()[..]);
    let mut hash = Digest::default();
    let mut states = Vec::new();
    for round in 1..=600 {
        let action = rng.below(10);
        if action < 2 && snapshots.len() < 3 {
            snapshots.push(backend.begin_read());
        } else if action < 5 && !snapshots.is_empty() {
            let at = rng.below(snapshots.len() as u64) as usize;
            backend.end_read(&snapshots.remove(at));
        }
        if rng.below(3) > 0 {
            let (count, length) = (1 + rng.below(60), rng.below(200));
            for _ in 0..count {
                newest += 1;
                let value: Vec<u8> = (0..length).map(|i| (newest + i) as u8).collect();
                backend.put(Bucket::Key, row(newest), value.into());
            }
        } else {
            newest += 1;
            backend.put(Bucket::Key, row(newest), Bytes::default());
            let end = oldest + rng.below(100);
            while oldest < end && oldest < newest {
                backend.delete(Bucket::Key, &row(oldest));
                oldest += 1;
            }
        }
        backend.commit();
        let (db, free) = (backend.db(), backend.db().freelist());
        let state = (db.bytes(), free.free_count(), free.pending_count());
        hash.write(format!("{} {} {}\n", state.0, state.1, state.2).as_bytes());
        if round % 100 == 0 {
            states.push((state, format!("{:016x}", hash.finish())));
        }
    }
    // The output of `data/gen/bbolt/run.sh etcd`.
    let bbolt = [
        ((184_320, 18, 3), "86bb509013f21b2e"),
        ((368_640, 33, 14), "74c97dc8a70367eb"),
        ((368_640, 22, 5), "00d8efb1757f671e"),
        ((581_632, 63, 7), "40e382648d07356c"),
        ((581_632, 55, 16), "7f725b245d8373a9"),
        ((581_632, 29, 3), "b967ec887484cea3"),
    ];
    assert_eq!(states, bbolt.map(|(state, hash)| (state, hash.to_owned())));
}

/// A power failure removes only the writes since the last commit. Older pages stay shared, and no page is copied.
#[test]
fn a_power_failure_leaves_pages_shared() {
    let mut newer = 0;
    for seed in 0..20 {
        let mut backend = Backend::default();
        for n in 0..2000_u64 {
            let value = vec![n as u8; 100];
            backend.put(Bucket::Key, Bytes::from(&n.to_be_bytes()[..]), value.into());
        }
        backend.commit();
        let before = backend.file();
        backend.put(Bucket::Key, Bytes::from(&[9; 8][..]), Bytes::default());
        let mut rng = Rng::stream(seed, "shared");
        let crash = backend.crash(SimTime(0), Planted::default(), &mut rng);
        crash.expect("the file opens");
        let after = backend.file();
        newer += after.meta().txid - before.meta().txid;
        let raw = |view: &View, page| view.pages().raw(page).expect("a page").as_ptr();
        let is_shared = |page: &u64| raw(&before, *page) == raw(&after, *page);
        let pages = before.meta().high_water;
        // The commit writes four pages: the leaf, the branch, the root and a meta page.
        assert!((0..pages).filter(is_shared).count() as u64 >= pages - 4);
    }
    assert!(
        (1..20).contains(&newer),
        "{newer} of 20 commits were complete"
    );
}
