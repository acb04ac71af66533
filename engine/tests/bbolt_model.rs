//! Compares random scripts with sorted maps: the content that a reader sees, the content after the file is closed and
//! opened again, and the content after a crash.
//!
//! The model is a map of buckets; each bucket is a map of keys. After each commit, the checker must find no damage in
//! any page: every page is reachable exactly once, or free, or pending.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::digest::Digest;
use watchglass_engine::bbolt::check::{Checker, Use};
use watchglass_engine::bbolt::node::FILL_SEQUENTIAL;
use watchglass_engine::bbolt::{Db, File, Options, Report, Tx, TxError, View};

type Model = BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, Vec<u8>>>;

#[derive(Clone, Debug)]
enum Op {
    Put(u8, u8, usize),
    PutRow(u8, usize),
    Delete(u8, u8),
    DeleteRange(u8, u8, u8),
    DeleteBucket(u8),
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<Op>),
    RollBack(Vec<Op>),
    Reopen,
    BeginRead,
    EndRead(u8),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..3_u8, any::<u8>(), 0..300_usize).prop_map(|(b, k, n)| Op::Put(b, k, n)),
        1 => (0..3_u8, any::<u8>(), 0..9000_usize).prop_map(|(b, k, n)| Op::Put(b, k, n)),
        2 => (0..3_u8, 1..150_usize).prop_map(|(b, n)| Op::PutRow(b, n)),
        2 => (0..3_u8, any::<u8>()).prop_map(|(b, k)| Op::Delete(b, k)),
        2 => (0..3_u8, any::<u8>(), any::<u8>()).prop_map(|(b, k, n)| Op::DeleteRange(b, k, n)),
        1 => (0..3_u8).prop_map(Op::DeleteBucket),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => vec(op(), 0..12).prop_map(Step::Commit),
        1 => vec(op(), 0..12).prop_map(Step::RollBack),
        1 => Just(Step::Reopen),
        1 => Just(Step::BeginRead),
        1 => any::<u8>().prop_map(Step::EndRead),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let etcd = [Options::etcd_3_4(), Options::etcd_3_6(), Options::default()];
    (
        prop::sample::select(etcd.to_vec()),
        prop::sample::select(vec![1024, 4096]),
    )
        .prop_map(|(options, page_size)| Options {
            page_size,
            ..options
        })
}

fn name(bucket: u8) -> Vec<u8> {
    vec![b'a' + bucket]
}

fn apply(tx: &mut Tx, model: &mut Model, op: &Op) -> Result<(), TxError> {
    let mut put = |tx: &mut Tx, bucket: u8, key: Vec<u8>, bytes: usize| {
        let name = name(bucket);
        if !model.contains_key(&name) {
            tx.create_bucket(&[], &name)?;
        }
        let value = vec![key[0]; bytes];
        tx.put(&[&name], &key, &value)?;
        model.entry(name).or_default().insert(key, value);
        Ok(())
    };
    match op {
        Op::Put(bucket, key, bytes) => put(tx, *bucket, vec![*key], *bytes),
        Op::PutRow(bucket, count) => {
            (0..*count).try_for_each(|i| put(tx, *bucket, vec![i as u8, 1], 20))
        }
        Op::Delete(bucket, key) => delete(tx, model, *bucket, *key),
        Op::DeleteRange(bucket, from, count) => (*from..=from.saturating_add(*count))
            .try_for_each(|key| delete(tx, model, *bucket, key)),
        Op::DeleteBucket(bucket) => {
            let name = name(*bucket);
            let result = tx.delete_bucket(&[], &name);
            match model.remove(&name) {
                Some(_) => result,
                None => {
                    assert_eq!(result, Err(TxError::BucketNotFound));
                    Ok(())
                }
            }
        }
    }
}

fn delete(tx: &mut Tx, model: &mut Model, bucket: u8, key: u8) -> Result<(), TxError> {
    let name = name(bucket);
    let Some(rows) = model.get_mut(&name) else {
        return Ok(());
    };
    for key in [vec![key], vec![key, 1]] {
        tx.delete(&[&name], &key)?;
        rows.remove(&key);
    }
    Ok(())
}

/// Reads all buckets and keys that a transaction sees, through cursors.
fn read(view: &View) -> Model {
    let mut model = Model::new();
    let mut buckets = view.cursor(&[]).expect("no damage").expect("the root");
    let mut bucket = buckets.first().expect("no damage");
    while let Some(found) = bucket {
        let mut rows = BTreeMap::new();
        let cursor = view.cursor(&[&found.key]).expect("no damage");
        let mut cursor = cursor.expect("a bucket");
        let mut row = cursor.last().expect("no damage");
        while let Some(found) = row {
            rows.insert(found.key.to_vec(), found.value.to_vec());
            row = cursor.prev().expect("no damage");
        }
        model.insert(found.key.to_vec(), rows);
        bucket = buckets.next().expect("no damage");
    }
    model
}

/// Asserts that the file has no damage, and that each page is exactly one of reachable, free and pending.
fn check(db: &Db) {
    let findings = Checker::new(&db.view()).run();
    assert_eq!(findings.damages, []);
    let known: BTreeSet<u64> = db.freelist().ids().into_iter().collect();
    assert_eq!(known.len(), db.freelist().ids().len(), "no page twice");
    let not_used: BTreeSet<u64> = findings.unused().collect();
    assert_eq!(known, not_used);
    assert_eq!(
        findings.uses.len() as u64 * u64::from(db.options().page_size),
        db.bytes()
    );
    assert!(!findings.uses.contains(&Use::NotReached));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scripts_agree_with_maps(options in options(), steps in vec(step(), 1..20)) {
        let mut db = Db::new(options);
        let mut model = Model::new();
        let mut readers: Vec<(View, Model)> = Vec::new();
        for step in steps {
            match step {
                Step::Commit(ops) => {
                    let before = (db.to_bytes(), model.clone());
                    let mut tx = db.begin();
                    for op in &ops {
                        apply(&mut tx, &mut model, op).expect("an operation");
                    }
                    // A clone of the database can commit a clone of the open transaction, with the same result.
                    let mut other = db.clone();
                    other.commit(tx.clone()).expect("a commit");
                    let report = db.commit(tx).expect("a commit");
                    prop_assert!(other.to_bytes() == db.to_bytes());
                    if ops.len() == 2 {
                        prop_assert_eq!(Digest::of(&other), Digest::of(&db));
                    }
                    crash(&db, &report, &before, &model);
                }
                Step::RollBack(ops) => {
                    let mut tx = db.begin();
                    let mut lost = model.clone();
                    for op in &ops {
                        apply(&mut tx, &mut lost, op).expect("an operation");
                    }
                }
                Step::Reopen if readers.is_empty() => {
                    let mut reopened = db.clone();
                    reopened.reopen();
                    let opened = Db::open(db.to_bytes().into(), options).expect("our own file");
                    prop_assert_eq!(reopened.freelist(), opened.freelist());
                    db = Db::open(db.to_bytes().into(), options).expect("our own file");
                }
                Step::Reopen => {}
                Step::BeginRead => readers.push((db.begin_read(), model.clone())),
                Step::EndRead(_) if readers.is_empty() => {}
                Step::EndRead(n) => {
                    let (view, seen) = readers.remove(usize::from(n) % readers.len());
                    still_there(&db, &view, &seen);
                    db.end_read(&view);
                }
            }
            check(&db);
            prop_assert_eq!(&read(&db.view()), &model);
        }
        for (view, seen) in &readers {
            still_there(&db, view, seen);
        }
    }
}

fn still_there(db: &Db, view: &View, seen: &Model) {
    assert_eq!(&read(view), seen);
    let file = db.to_bytes();
    let size = db.options().page_size as usize;
    for (page, used) in Checker::new(view).run().uses.into_iter().enumerate() {
        if matches!(used, Use::Branch | Use::Leaf | Use::Overflow) {
            let at = page * size;
            assert_eq!(
                Some(&file[at..at + size]),
                view.pages().raw(page as u64).as_deref()
            );
        }
    }
}

/// The file must open with the old state until the meta page is written. Data pages may be written in any order.
fn crash(db: &Db, report: &Report, before: &(Vec<u8>, Model), after: &Model) {
    let last = report.writes.len() - 1;
    let write = |file: &mut Vec<u8>, i: usize, bytes: usize| {
        let write = &report.writes[i];
        let at = write.page as usize * db.options().page_size as usize;
        file.resize(file.len().max(at + write.bytes.len()), 0);
        file[at..at + bytes].copy_from_slice(&write.bytes[..bytes]);
    };
    let state = |file: &[u8]| read(File::open(file.into()).expect("a meta page").view());
    for order in [(0..last).collect::<Vec<_>>(), (0..last).rev().collect()] {
        let mut file = before.0.clone();
        for i in order {
            // The page is torn in the middle first, and then written completely.
            write(&mut file, i, report.writes[i].bytes.len() / 2);
            if i == last / 2 {
                assert_eq!(state(&file), before.1);
            }
            write(&mut file, i, report.writes[i].bytes.len());
        }
        assert_eq!(state(&file), before.1);
        // A torn meta page has a wrong checksum.
        write(&mut file, last, 60);
        assert_eq!(state(&file), before.1);
        write(&mut file, last, report.writes[last].bytes.len());
        assert_eq!(&state(&file), after);
        file.resize(db.file_bytes() as usize, 0);
        assert!(file == db.to_bytes(), "the writes are all there is");
    }
}

#[test]
fn appending_writes_the_same_pages_as_putting() {
    let mut put = Db::new(Options::etcd_3_4());
    let mut tx = put.begin();
    tx.create_bucket(&[], b"key").expect("a new bucket");
    put.commit(tx).expect("a commit");
    let mut appended = put.clone();
    for round in 0..4_u32 {
        let rows = (0..=500 * round).map(|n| {
            let key = [round.to_be_bytes(), n.to_be_bytes()].concat();
            (Bytes::from(key), Bytes::from(vec![7; n as usize % 90]))
        });
        let mut tx = put.begin();
        tx.set_fill(&[b"key"], FILL_SEQUENTIAL).expect("a bucket");
        for (key, value) in rows.clone() {
            tx.put(&[b"key"], &key, &value).expect("a put");
        }
        put.commit(tx).expect("a commit");
        let mut tx = appended.begin();
        tx.set_fill(&[b"key"], FILL_SEQUENTIAL).expect("a bucket");
        tx.append(&[b"key"], rows).expect("an append");
        appended.commit(tx).expect("a commit");
        assert!(put.to_bytes() == appended.to_bytes(), "round {round}");
    }
}
