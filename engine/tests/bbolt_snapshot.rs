//! A snapshot saved by etcd 3.4.23: its trailer, buckets and rows, and the output of `etcdctl snapshot status`.
//!
//! The snapshot and etcd's own responses are in `data/etcd_3.4.23_snapshot.*`.

use std::collections::BTreeMap;

use serde_json::Value;
use watchglass_engine::api::{KeyValue, Profile};
use watchglass_engine::backend::SnapshotStatus;
use watchglass_engine::base::{base64, proto};
use watchglass_engine::bbolt::check::Checker;
use watchglass_engine::bbolt::file::with_trailer;
use watchglass_engine::bbolt::{Cursor, Db, Entry, File, Options, Source, View};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Done, FromEngine, Read, Request, ToEngine};
use watchglass_engine::shell::Format;
use watchglass_engine::shell::print::snapshot_status;

fn snapshot() -> File {
    let bytes: &[u8] = include_bytes!("data/etcd_3.4.23_snapshot.db");
    File::open(bytes.into()).expect("a database")
}

fn expected() -> Value {
    serde_json::from_str(include_str!("data/etcd_3.4.23_snapshot.json")).expect("JSON")
}

fn entries(mut cursor: Cursor) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut entry = cursor.first().expect("no damage");
    while let Some(found) = entry {
        entries.push(found);
        entry = cursor.next().expect("no damage");
    }
    entries
}

fn rows(view: &View, path: &[&[u8]]) -> Vec<Entry> {
    entries(view.cursor(path).expect("no damage").expect("a bucket"))
}

/// Returns the pages of a file, without its trailer.
fn content(file: &File) -> Source {
    let pages = file.source().read(0, file.bytes() as usize);
    pages.expect("a file in memory").into()
}

#[test]
fn the_trailer_is_found_and_right() {
    let file = snapshot();
    assert_eq!(file.bytes(), 40_960);
    assert!(file.trailer().is_some());
    assert_eq!(file.check_trailer(), Ok(()));

    // A database file of the same pages has no trailer.
    let file = File::open(content(&file)).expect("a database");
    assert_eq!((file.trailer(), file.bytes()), (None, 40_960));
}

#[test]
fn snapshot_status_says_the_same() {
    let (file, expected) = (snapshot(), &expected()["status"]);
    let status = SnapshotStatus::of(file.view()).expect("no damage");
    assert_eq!(Some(u64::from(status.hash)), expected["hash"].as_u64());
    assert_eq!(Some(status.rows), expected["totalKey"].as_u64());
    assert_eq!(Some(status.total_bytes), expected["totalSize"].as_u64());
    assert_eq!(Some(status.revision), expected["revision"].as_i64());
}

/// The output of `snapshot status` equals the output of etcdctl 3.4.23 for this file.
#[test]
fn snapshot_status_is_printed_as_etcdctl_does() {
    let status = SnapshotStatus::of(snapshot().view()).expect("no damage");
    let printed = |format| {
        let output = snapshot_status(&status, format, Profile::V3_4);
        let text = [output.stdout, output.stderr].concat();
        (String::from_utf8(text).expect("UTF-8"), output.exit)
    };
    let line = |format| printed(format).0;
    assert_eq!(line(Format::Simple), "f766fa65, 14, 20, 41 kB\n");
    assert_eq!(
        line(Format::Table),
        "+----------+----------+------------+------------+\n\
         |   HASH   | REVISION | TOTAL KEYS | TOTAL SIZE |\n\
         +----------+----------+------------+------------+\n\
         | f766fa65 |       14 |         20 |      41 kB |\n\
         +----------+----------+------------+------------+\n"
    );
    assert_eq!(
        line(Format::Json),
        "{\"hash\":4150721125,\"revision\":14,\"totalKey\":20,\"totalSize\":40960}\n"
    );
    assert_eq!(
        line(Format::Fields),
        "\"Hash\" : 4150721125\n\"Revision\" : 14\n\"Keys\" : 20\n\"Size\" : 40960\n"
    );
    let refused = "Error: protobuf not supported as output format\n".to_owned();
    assert_eq!(printed(Format::Protobuf), (refused, 4));
}

#[test]
fn a_saved_snapshot_is_a_file() {
    let mut session = Session::default();
    for line in [
        "put a 1",
        "put b 2",
        "snapshot save backup/monday.db",
        "put a 3",
    ] {
        assert_eq!(session.exec(line).exit, 0, "{line}");
    }
    let mut file_of = |name: &str| {
        let name = name.to_owned();
        let mut out = Vec::new();
        session.handle(
            ToEngine::Request(1, Request::Read(Read::Snapshot { name })),
            &mut out,
        );
        while session.pump(1000, &mut out) {}
        let mut done = out.into_iter().filter_map(|message| match message {
            FromEngine::Done { done, .. } => Some(done),
            _ => None,
        });
        done.next().expect("an answer")
    };
    for (asked, named, revision) in [("backup/monday.db", "monday.db", 3), ("", "snapshot.db", 4)] {
        let Done::File { name, bytes } = file_of(asked) else {
            panic!("no file");
        };
        assert_eq!(name, named);
        let file = File::open(bytes.into()).expect("a database");
        assert!(file.trailer().is_some());
        assert_eq!(file.check_trailer(), Ok(()));
        assert_eq!(Checker::new(file.view()).run().damages, []);
        let status = SnapshotStatus::of(file.view()).expect("no damage");
        assert_eq!(status.revision, revision);
    }
    let message = "This branch has no snapshot friday.".to_owned();
    assert_eq!(file_of("friday"), Done::Refused { message });
}

#[test]
fn the_buckets_are_etcds() {
    let file = snapshot();
    let names: Vec<_> = rows(file.view(), &[])
        .into_iter()
        .map(|entry| String::from_utf8_lossy(&entry.key).into_owned())
        .collect();
    assert_eq!(
        names.join(" "),
        "alarm auth authRoles authUsers cluster key lease members members_removed meta"
    );
    // One value of 9 kB takes three pages.
    let header = file
        .view()
        .bucket(&[b"key"])
        .expect("no damage")
        .expect("a bucket");
    assert_ne!(header.page, 0);
    let alarm = file
        .view()
        .bucket(&[b"alarm"])
        .expect("no damage")
        .expect("a bucket");
    assert_eq!(alarm.page, 0, "an empty bucket is inline");
    assert_eq!(
        file.view().stored_free(),
        Ok(None),
        "etcd stores no free list"
    );
}

#[test]
fn the_rows_are_what_etcd_serves() {
    let file = snapshot();
    let mut current = BTreeMap::new();
    for row in rows(file.view(), &[b"key"]) {
        let kv: KeyValue = proto::decode(&row.value).expect("a row");
        if row.key.last() == Some(&b't') && row.key.len() == 18 {
            current.remove(&kv.key);
        } else {
            current.insert(kv.key.clone(), kv);
        }
    }
    let expected = expected();
    let expected = expected["get"]["kvs"].as_array().expect("a list");
    assert_eq!(expected.len(), 9);
    assert_eq!(current.len(), expected.len());
    for (kv, expected) in current.values().zip(expected) {
        let number = |name: &str| expected[name].as_i64().unwrap_or(0);
        let text = |bytes: &[u8]| {
            let mut out = String::new();
            base64::push_padded(&mut out, bytes);
            Some(out)
        };
        assert_eq!(text(&kv.key).as_deref(), expected["key"].as_str());
        assert_eq!(text(&kv.value).as_deref(), expected["value"].as_str());
        assert_eq!(kv.create_revision, number("create_revision"));
        assert_eq!(kv.mod_revision, number("mod_revision"));
        assert_eq!(kv.version, number("version"));
        assert_eq!(kv.lease, number("lease"));
    }
}

#[test]
fn it_can_be_written_to_and_saved_again() {
    let file = snapshot();
    let findings = Checker::new(file.view()).run();
    assert_eq!(findings.damages, []);
    assert_eq!(findings.keys, 20);
    let mut db = Db::open(content(&file), Options::etcd_3_4()).expect("a good file");
    assert_eq!(db.freelist().free_count(), findings.unused().count() as u64);
    let before = rows(&db.view(), &[b"key"]);
    let mut tx = db.begin();
    tx.put(&[b"key"], &[0xff; 17], b"last").expect("a put");
    let report = db.commit(tx).expect("a commit");
    let saved = with_trailer(db.view().to_file().expect("a whole database"));
    assert_eq!(saved.len() as u64, report.high_water * 4096 + 32);
    let again = File::open(saved.into()).expect("a database");
    assert_eq!(again.check_trailer(), Ok(()));
    assert_eq!(Checker::new(again.view()).run().damages, []);
    let after = rows(again.view(), &[b"key"]);
    assert_eq!(after[..before.len()], before);
    assert_eq!(&*after[before.len()].value, b"last");
    // Both meta pages describe the same state.
    let [Ok(first), Ok(second)] = again.metas() else {
        panic!("{:?}", again.metas());
    };
    assert_eq!((first.txid, first.root), (second.txid + 1, second.root));
}
