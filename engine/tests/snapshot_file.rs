//! A snapshot that the user opens: its overview, the world that starts with the snapshot, and damaged files.
//!
//! The snapshot is from a real etcd 3.4.23, and `data/etcd_3.4.23_registry.json` contains the responses of this etcd.

use serde_json::Value;
use watchglass_engine::api::{KeyValue, Profile};
use watchglass_engine::backend::{Backend, Bucket, SnapshotStatus};
use watchglass_engine::base::{Bytes, proto};
use watchglass_engine::bbolt::file::with_trailer;
use watchglass_engine::bbolt::meta::Meta;
use watchglass_engine::bbolt::{Db, File, Options};
use watchglass_engine::mvcc::{BucketKey, Revision};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Act, Done, FileAsk, FileStage, FromEngine, Notification, Read, Request, SeekTo, Source,
    ToEngine,
};
use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::PrefixRow;
use watchglass_engine::view::file::key_list::{KeyFilter, KeyListQuery};

fn sample() -> Vec<u8> {
    include_bytes!("data/etcd_3.4.23_registry.db").to_vec()
}

fn expected() -> Value {
    serde_json::from_str(include_str!("data/etcd_3.4.23_registry.json")).expect("JSON")
}

/// Opens a file.
fn open(session: &mut Session, name: &str, file: &[u8]) -> (Done, Vec<FromEngine>) {
    let (mut out, id) = (Vec::new(), 7);
    let name = name.to_owned();
    session.offer_file(file.into());
    let request = Request::show_file(&name);
    session.handle(ToEngine::Request(id, request), &mut out);
    while session.pump(100, &mut out) {}
    let done = out.iter().find_map(|message| match message {
        FromEngine::Done { id: 7, done } => Some(done.clone()),
        _ => None,
    });
    (done.expect("an answer"), out)
}

fn overview(file: &[u8]) -> FileOverview {
    match open(&mut Session::default(), "prod.db", file).0 {
        Done::Opened(overview) => *overview,
        other => panic!("{other:?}"),
    }
}

fn refused(file: &[u8]) -> String {
    match open(&mut Session::default(), "prod.db", file).0 {
        Done::Refused { message } => message,
        other => panic!("{other:?}"),
    }
}

fn source(overview: &FileOverview) -> Source {
    Source::Snapshot {
        file: overview.identity(),
        profile: overview.profile.clone(),
    }
}

/// Returns a session whose run starts on the sample file.
fn explored() -> Session {
    let mut session = Session::default();
    let Done::Opened(overview) = open(&mut session, "prod.db", &sample()).0 else {
        panic!("not opened");
    };
    let loaded = session.load(source(&overview), SeekTo::Default);
    assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
    session
}

fn stdout(session: &mut Session, line: &str) -> String {
    let done = session.exec(line);
    assert_eq!((done.exit, &*done.stderr), (0, ""), "{line}");
    done.stdout
}

/// A member of etcd 3.6.10 was restored with a raised revision, and a compaction kept the empty row with which etcdutl
/// marked this revision.
#[test]
fn a_file_with_a_raised_revision_opens() {
    let file = include_bytes!("data/etcd_3.6.10_bumped.db");
    let overview = overview(file);
    assert_eq!(overview.refusal, None);
    let mut session = Session::default();
    let Done::Opened(_) = open(&mut session, "prod.db", file).0 else {
        panic!("not opened");
    };
    let loaded = session.load(source(&overview), SeekTo::Default);
    assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
    let store = session.world().at_endpoint().store();
    assert_eq!(store.current_rev(), overview.revision);
    let marker = store.index().key_index(&Bytes::default());
    assert!(marker.is_some(), "the compaction kept the empty row");
    stdout(&mut session, "get \"\" --prefix --keys-only");
}

#[test]
fn the_overview_is_what_etcd_said() {
    let (overview, expected) = (overview(&sample()), expected());
    assert_eq!(overview.bytes, 127_008);
    assert_eq!(overview.trailer_matches, Some(true));
    assert_eq!(overview.metas, [None, None]);
    assert_eq!(overview.damages, Vec::<String>::new());
    assert_eq!(overview.refusal, None);

    // The values that this etcd returned for `etcdctl snapshot status` and `get "" --prefix`.
    assert_eq!(overview.hash, Some(2_315_082_965));
    assert_eq!((overview.total_keys, overview.rows), (364, 357));
    assert_eq!(
        Some(overview.revision),
        expected["header"]["revision"].as_i64()
    );
    assert_eq!(Some(overview.keys), expected["count"].as_u64());
    let file = File::open(sample().into()).expect("a database");
    let status = SnapshotStatus::of(file.view()).expect("no damage");
    assert_eq!(overview.hash, Some(status.hash));
    assert_eq!(overview.total_keys, status.rows);
    assert_eq!(status.total_keys(Profile::V3_6), overview.keys);
    assert_eq!(overview.space.bytes(), status.total_bytes);

    let kvs = expected["kvs"].as_array().expect("a list");
    let leased = kvs.iter().filter(|kv| kv["lease"].is_i64());
    assert_eq!(overview.attached_keys, leased.count() as u64);
    assert_eq!((overview.lease_count, overview.lost_leases), (1, 0));
    assert_eq!(overview.leases[0].id, 4_111_120_141_249_747_486);
    assert_eq!(
        (overview.leases[0].ttl_s, overview.leases[0].keys),
        (86_400, 20)
    );
    assert_eq!(overview.tombstones, 43);
    assert_eq!((overview.compacted, overview.scheduled), (Some(381), None));
    assert_eq!(overview.consistent_index, Some(401));
    assert_eq!(overview.term, None, "etcd 3.4 does not write it");
    assert_eq!(
        (&*overview.storage_version, &*overview.profile),
        ("", "3.4")
    );
}

#[test]
fn every_byte_is_accounted_for() {
    let space = overview(&sample()).space;
    assert_eq!((space.page_bytes, space.pages), (4096, 31));
    let kinds = space.branch + space.leaf + space.overflow + space.meta + space.free;
    assert_eq!((kinds, space.not_reached), (space.pages, 0));
    assert_eq!(space.free, 7);
    let parts = space.newest_bytes + space.older_bytes + space.free_bytes() + space.other_bytes();
    assert_eq!(parts, 126_976);
    assert_eq!(space.map.len(), 31);
    assert_eq!(space.map.iter().filter(|free| **free == 100).count(), 7);
}

#[test]
fn prefixes_lead_down_to_keys() {
    let mut session = Session::default();
    let Done::Opened(overview) = open(&mut session, "prod.db", &sample()).0 else {
        panic!("not opened");
    };
    // The groups below the common prefix of all keys.
    assert_eq!(overview.prefixes.prefix, b"/registry/");
    let row = |rows: &[PrefixRow], text: &str| {
        let found = rows.iter().find(|row| row.text == text);
        found.expect(text).clone()
    };
    let rows = &overview.prefixes.rows;
    assert_eq!(rows.len(), 3);
    let sum = |value: fn(&PrefixRow) -> u64| rows.iter().map(value).sum::<u64>();
    assert_eq!(
        (sum(|r| r.keys), sum(PrefixRow::rows)),
        (overview.keys, overview.rows)
    );
    assert_eq!(sum(|r| r.newest_bytes), overview.space.newest_bytes);
    assert_eq!(sum(|r| r.older_bytes), overview.space.older_bytes);
    assert_eq!(row(rows, "/registry/pods/").keys, 200);
    let mut ask = |ask| {
        let mut out = Vec::new();
        session.handle(ToEngine::Request(8, Request::AskFile(ask)), &mut out);
        match out.remove(0) {
            FromEngine::Done { done, .. } => done,
            other => panic!("{other:?}"),
        }
    };
    let Done::Prefixes(list) = ask(FileAsk::Prefix(b"/registry/pods/".to_vec())) else {
        panic!("no prefixes");
    };
    assert_eq!(row(&list.rows, "/registry/pods/ns-1/").keys, 40);
    assert_eq!(
        row(&list.rows, "/registry/pods/ns-5/").keys,
        0,
        "all deleted"
    );
    let Done::Prefixes(list) = ask(FileAsk::Prefix(b"/registry/pods/ns-1/".to_vec())) else {
        panic!("no prefixes");
    };
    assert!(list.rows.iter().all(|row| row.is_key));

    let key = b"/registry/leases/kube-node-lease/node-00".to_vec();
    let Done::Value(value) = ask(FileAsk::Value {
        key,
        at: None,
        shows_secret: false,
    }) else {
        panic!("no value");
    };
    assert_eq!(
        (&*value.value, value.version, value.at),
        (&b"renew-40"[..], 41, Some(Revision::new(341, 0)))
    );
    assert_eq!(value.lease, overview.leases[0].id);
}

#[test]
fn the_world_has_what_etcd_had() {
    let mut session = explored();
    assert_eq!(session.run().first_revision(), 396);
    assert_eq!(session.cursor(), 0);
    let printed = stdout(&mut session, "get \"\" --prefix -w json");
    let printed: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(printed["kvs"], expected()["kvs"]);
    assert_eq!(printed["header"]["revision"], 396);

    assert_eq!(
        stdout(&mut session, "snapshot status prod.db"),
        "89fd5cd5, 396, 364, 127 kB\n"
    );
    let dump = "etcd-dump-db iterate-bucket prod.db key --limit 1 --decode";
    assert!(stdout(&mut session, dump).contains("/registry/configmaps/default/cm-005"));
    assert_eq!(stdout(&mut session, "put /new 1"), "OK\n");
    assert_eq!(session.world().at_endpoint().store().current_rev(), 397);
    let early = session.exec("get /registry/pods/ns-0/pod-000 --rev=300");
    assert!(
        early
            .stderr
            .contains("required revision has been compacted"),
        "{early:?}"
    );
    let before = stdout(
        &mut session,
        "get /registry/configmaps/default/cm-003 --rev=385",
    );
    assert!(before.ends_with("data-3\n"), "{before}");
    let watched = stdout(
        &mut session,
        "watch /registry/configmaps/ --prefix --rev=386 as w1",
    );
    assert_eq!(watched, "");
    let heard = stdout(&mut session, "recv w1");
    assert!(
        heard.starts_with("PUT\n/registry/configmaps/default/cm-003"),
        "{heard}"
    );
    assert!(session.run().guard().breaches().is_empty());
    assert_eq!(
        stdout(&mut session, "compact 397"),
        "compacted revision 397\n"
    );
    stdout(&mut session, "run 1s");
    assert!(
        stdout(&mut session, "lease list").contains("390da1fca0251a1e"),
        "the lease is there"
    );
    stdout(&mut session, "stop etcd");
    stdout(&mut session, "snapshot restore prod.db");
    stdout(&mut session, "start etcd");
    assert_eq!(session.world().at_endpoint().store().current_rev(), 396);
    assert_eq!(
        session.run().replayed().digest(),
        session.run().head().digest()
    );

    // A seek to the start, and then a new branch.
    session.seek(SeekTo::Step(0));
    assert_eq!(session.world().at_endpoint().store().live_keys(), 259);
    stdout(&mut session, "fork");
    assert_eq!(stdout(&mut session, "put /other 1"), "OK\n");
    assert_eq!(
        session.run().replayed().digest(),
        session.run().head().digest()
    );
}

// Files with faults.

const PAGE: usize = 4096;

/// Returns the sample file with a change, and with a trailer that matches the changed content.
fn damaged(change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut file = sample();
    file.truncate(file.len() - 32);
    change(&mut file);
    with_trailer(file)
}

fn put(file: &mut [u8], at: usize, what: &[u8]) {
    file[at..at + what.len()].copy_from_slice(what);
}

/// Returns the first branch page, and the page to which the first link of the branch page points.
fn branch() -> (usize, usize) {
    let file = File::open(sample().into()).expect("a database");
    let header = file.view().bucket(&[b"key"]).expect("no damage");
    let page = header.expect("a bucket").page;
    let first = file.view().page(page).expect("no damage").item(0);
    (page as usize, first.expect("an element").child as usize)
}

/// Opens a file on which no run can start. Returns the damage that the checker reports, and the number of readable
/// rows.
fn damages(file: &[u8]) -> (Vec<String>, u64) {
    let overview = overview(file);
    assert!(overview.refusal.is_some(), "no world of it");
    assert_eq!(overview.hash, None);
    // The overview shows the rows that are not damaged: the damage is on one page.
    assert!(!overview.prefixes.rows.is_empty() || overview.rows == 0);
    let mut session = Session::default();
    open(&mut session, "prod.db", file);
    let loaded = session.load(source(&overview), SeekTo::Default);
    let Done::Refused { message } = loaded else {
        panic!("{loaded:?}");
    };
    assert!(
        message.starts_with("Cannot start a run on prod.db: "),
        "{message}"
    );
    (overview.damages, overview.rows)
}

#[test]
fn a_database_without_trailer_opens() {
    let mut file = sample();
    file.truncate(file.len() - 32);
    let overview = overview(&file);
    assert_eq!(
        (overview.trailer_matches, overview.hash),
        (None, Some(2_315_082_965))
    );
    assert_eq!(overview.refusal, None);
}

#[test]
fn a_wrong_trailer_is_told_and_the_rest_is_shown() {
    let mut file = sample();
    let last = file.len() - 1;
    file[last] ^= 1;
    let overview = overview(&file);
    assert_eq!(overview.trailer_matches, Some(false));
    assert_eq!((overview.rows, overview.refusal), (357, None));
}

#[test]
fn one_damaged_meta_page_leaves_the_other() {
    for page in [0, 1] {
        let overview = overview(&damaged(|file| file[page * PAGE + 70] ^= 1));
        let fault = overview.metas[page].as_ref().expect("a fault");
        assert!(fault.starts_with(&format!("page {page}, byte ")), "{fault}");
        assert!(fault.contains("the checksum is 0x"), "{fault}");
        assert_eq!(overview.metas[1 - page], None);
        assert_eq!((overview.rows, overview.refusal), (357, None));
    }
    let both = refused(&damaged(|file| {
        file[70] ^= 1;
        file[PAGE + 70] ^= 1;
    }));
    assert!(
        both.starts_with(
            "prod.db is not an etcd database, or both meta pages are damaged: page 0,"
        )
    );
    assert!(both.contains("; page 1, byte "), "{both}");
}

#[test]
fn files_that_are_something_else() {
    let nothing = refused(&[]);
    assert!(
        nothing.contains("the file has 0 bytes, too few for the two meta pages"),
        "{nothing}"
    );
    let mut sqlite = b"SQLite format 3\0".to_vec();
    sqlite.resize(8192, 0);
    let sqlite = refused(&sqlite);
    assert!(
        sqlite.starts_with("prod.db is an SQLite database. Expected an etcd database"),
        "{sqlite}"
    );
    for (start, advice) in [
        (
            &b"\x1f\x8b\x08\0"[..],
            "is compressed with gzip. Unpack it with `gunzip prod.db`",
        ),
        (b"\x28\xb5\x2f\xfd", "`zstd -d prod.db`"),
        (b"\xfd7zXZ\0", "`unxz prod.db`"),
        (b"BZh9", "`bunzip2 prod.db`"),
        (
            b"PK\x03\x04",
            "is a zip archive. Unpack it with `unzip prod.db`",
        ),
        // The start of a log that etcd 3.4.23 wrote.
        (
            b"\x04\0\0\0\0\0\0\x84\x08\x04\x10\0\0\0\0\0\x20\0\0\0",
            "Choose the database beside it: `member/snap/db`",
        ),
    ] {
        let mut file = start.to_vec();
        file.resize(8192, 0);
        let why = refused(&file);
        assert!(
            why.starts_with("prod.db is ") && why.contains(advice),
            "{why}"
        );
    }
    let magic = refused(&damaged(|file| {
        put(file, 16, b"ABCD");
        put(file, PAGE + 16, b"ABCD");
    }));
    assert!(
        magic.contains("the magic number is 0x44434241, expected 0xed0cdaed"),
        "{magic}"
    );
}

#[test]
fn a_page_size_that_is_none() {
    let meta = File::open(sample().into())
        .expect("a database")
        .view()
        .meta();
    let size = |bytes: u32| {
        refused(&damaged(|file| {
            for page in [0, 1] {
                let meta = Meta {
                    page_size: bytes,
                    ..meta
                };
                let page_of_meta = meta.to_page(page as u64);
                put(file, page * PAGE, &page_of_meta[..80]);
            }
        }))
    };
    assert!(
        size(5000).contains("the page size is 5000"),
        "{}",
        size(5000)
    );
    assert!(
        size(1 << 20).contains("the page size is 1048576"),
        "{}",
        size(1 << 20)
    );
}

#[test]
fn pages_of_16_and_64_kib_open() {
    for page_size in [16 << 10, 64 << 10] {
        let mut db = Db::new(Options {
            page_size,
            ..Options::etcd_3_6()
        });
        let mut tx = db.begin();
        tx.create_bucket(&[], b"key").expect("a bucket");
        let row = KeyValue {
            key: "/a".into(),
            create_revision: 2,
            mod_revision: 2,
            version: 1,
            value: "1".into(),
            lease: 0,
        };
        let key = Revision::new(2, 0).encode();
        tx.put(&[b"key"], &key, &proto::encode(&row))
            .expect("a row");
        db.commit(tx).expect("a commit");
        let file = with_trailer(db.view().to_file().expect("a file"));
        let mut session = Session::default();
        let Done::Opened(overview) = open(&mut session, "arm.db", &file).0 else {
            panic!("not opened");
        };
        assert_eq!(overview.space.page_bytes, u64::from(page_size));
        assert_eq!((overview.keys, overview.revision), (1, 2));
        // The load creates missing buckets.
        session.load(source(&overview), SeekTo::Default);
        assert_eq!(stdout(&mut session, "get /a"), "/a\n1\n");
        assert_eq!(stdout(&mut session, "put /b 2"), "OK\n");
    }
}

#[test]
fn a_file_of_a_newer_etcd_opens_as_the_newest_that_is_simulated() {
    let mut session = Session::default();
    session.load(
        Source::Empty {
            profile: "3.6".to_owned(),
            seed: 1,
        },
        SeekTo::Default,
    );
    stdout(&mut session, "put /a 1");
    let mut backend = session
        .world()
        .backend(session.world().endpoint())
        .expect("a member");
    backend.put(Bucket::Meta, "storageVersion".into(), "3.8.0".into());
    backend.commit();
    let file = with_trailer(backend.file().to_file().expect("a file"));
    let Done::Opened(overview) = open(&mut session, "new.db", &file).0 else {
        panic!("not opened");
    };
    assert_eq!(
        (&*overview.storage_version, &*overview.profile),
        ("3.8.0", "3.7")
    );
    assert_eq!((overview.term, overview.refusal.clone()), (Some(2), None));
    session.load(source(&overview), SeekTo::Default);
    assert_eq!(stdout(&mut session, "get /a"), "/a\n1\n");
}

#[test]
fn truncated_files_show_the_pages_that_are_there() {
    let cut = overview(&damaged(|file| file.truncate(20 * PAGE)));
    assert!(
        cut.damages[0]
            .contains("counts 31 pages, but the file has 20: the end of the file is missing"),
        "{:?}",
        cut.damages
    );
    assert!(cut.rows > 0 && cut.rows < 357, "{}", cut.rows);
    assert!(cut.refusal.is_some());
    assert_eq!(cut.space.pages, 20);
    // A file cut at any length gives an overview or a refusal, never a panic.
    let file = sample();
    for length in (0..file.len()).step_by(1009) {
        let (done, _) = open(&mut Session::default(), "cut.db", &file[..length]);
        assert!(matches!(done, Done::Opened(_) | Done::Refused { .. }));
    }
}

#[test]
fn links_that_lead_wrong() {
    let (branch, leaf) = branch();
    let link = branch * PAGE + 16 + 8;
    let (cycle, rows) = damages(&damaged(|file| {
        put(file, link, &(branch as u64).to_le_bytes())
    }));
    assert!(
        cycle
            .iter()
            .any(|d| d.contains("two links in the file lead to the page")),
        "{cycle:?}"
    );
    assert!(rows > 0 && rows < 357, "{rows}");
    let (outside, _) = damages(&damaged(|file| put(file, link, &9_999u64.to_le_bytes())));
    assert_eq!(
        outside[0],
        format!("page {branch}, byte {link}: a link leads to page 9999, but the file has 31 pages")
    );
    // The second link now leads to the first leaf, too.
    let second = link + 16;
    let (twice, rows) = damages(&damaged(|file| {
        put(file, second, &(leaf as u64).to_le_bytes())
    }));
    assert!(
        twice
            .iter()
            .any(|d| d.starts_with(&format!("page {leaf}, byte ")) && d.contains("two links")),
        "{twice:?}"
    );
    assert!(rows > 0 && rows < 357, "{rows}");
}

#[test]
fn counts_and_elements_that_lie() {
    let (_, leaf) = branch();
    let (count, rows) = damages(&damaged(|file| put(file, leaf * PAGE + 10, &[0xff, 0xff])));
    assert!(
        count[0].starts_with(&format!(
            "page {leaf}, byte {}: the page claims 65535 elements",
            leaf * PAGE + 10
        )),
        "{count:?}"
    );
    assert!(rows > 0 && rows < 357, "{rows}");
    let (element, rows) = damages(&damaged(|file| put(file, leaf * PAGE + 20, &[0xff; 4])));
    assert_eq!(
        element[0],
        format!(
            "page {leaf}, byte {}: element 0 extends beyond the end of the page",
            leaf * PAGE + 16
        )
    );
    assert_eq!(rows, 356);
}

/// Every element of a page claims most of the page's bytes. If the engine read all elements, the cost would be the
/// number of elements times the page size.
#[test]
fn elements_that_overlap_are_read_no_further() {
    let (_, leaf) = branch();
    let (overlap, rows) = damages(&damaged(|file| {
        let start = leaf * PAGE;
        let count = u32::from(u16::from_le_bytes([file[start + 10], file[start + 11]]));
        for index in 0..count {
            let at = start + 16 + 16 * index as usize;
            let (pos, value) = (16 * (count - index), 4096 - 16 - 16 * count - 17);
            put(file, at + 4, &pos.to_le_bytes());
            put(file, at + 12, &value.to_le_bytes());
        }
    }));
    let at = leaf * PAGE + 16 + 16;
    let told = format!(
        "page {leaf}, byte {at}: element 1 overlaps other elements: together they are longer than the page"
    );
    assert_eq!(overlap[0], told);
    assert!(rows > 0 && rows < 357, "{rows}");
}

/// Changes bytes of the file at random positions. The session must respond to each changed file in bounded time.
#[test]
fn no_damage_stops_the_engine() {
    let mut seed = 1u64;
    let mut next = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let mut opened = 0;
    for _ in 0..300 {
        let mut file = sample();
        for _ in 0..1 + next() % 6 {
            // Most changes hit the start of a page, with its header, elements and links.
            let page = next() % 31;
            let at = page * PAGE + next() % 200;
            file[at] = next() as u8;
        }
        let mut session = Session::default();
        let (done, _) = open(&mut session, "x.db", &file);
        if let Done::Opened(overview) = done {
            opened += 1;
            let mut out = Vec::new();
            let keys = FileAsk::Keys(KeyListQuery {
                limit: 5,
                ..KeyListQuery::default()
            });
            let script = FileAsk::SaveScript(KeyFilter::default());
            for (id, ask) in [(8, keys), (9, script)] {
                session.handle(ToEngine::Request(id, Request::AskFile(ask)), &mut out);
            }
            while session.pump(100, &mut out) {}
            let done = out.iter().filter(|m| matches!(m, FromEngine::Done { .. }));
            assert_eq!(done.count(), 2);
            let loaded = session.load(source(&overview), SeekTo::Default);
            if matches!(loaded, Done::Loaded { .. }) {
                session.exec("put /a 1; compact 390; run 1s; get / --prefix --keys-only");
            }
        }
    }
    assert!(opened > 100, "{opened}");
}

/// A file with rows that etcd cannot have written can be opened, but no run can start on the file.
#[test]
fn rows_that_make_no_store() {
    let mut session = explored();
    stdout(&mut session, "put /a 1");
    let mut backend = session
        .world()
        .backend(session.world().endpoint())
        .expect("a member");
    let key = Revision::new(500, 0).encode();
    backend.put(Bucket::Key, Bytes::from(&key[..]), "\u{fffd}".into());
    backend.commit();
    let file = with_trailer(backend.file().to_file().expect("a file"));
    let Done::Opened(overview) = open(&mut session, "odd.db", &file).0 else {
        panic!("not opened");
    };
    assert_eq!(overview.refusal, None);
    let Done::Refused { message } = session.load(source(&overview), SeekTo::Default) else {
        panic!("loaded");
    };
    assert_eq!(
        message,
        "Cannot start a run on odd.db: row 500.0 of the bucket `key`: the value is not a KeyValue."
    );
    // The current run is unchanged.
    assert_eq!(stdout(&mut session, "get /a"), "/a\n1\n");
}

/// A file with rows that etcd 3.4 ignores and 3.6 refuses: two deletes of a key without puts before them.
#[test]
fn a_file_that_the_other_version_cannot_read_stays_with_its_own() {
    let mut backend = Backend::new(Profile::V3_4);
    for main in [3, 4] {
        let key = BucketKey {
            revision: Revision::new(main, 0),
            tombstone: true,
        };
        let gone = KeyValue {
            key: "/a".into(),
            ..KeyValue::default()
        };
        backend.put(Bucket::Key, key.encode(), proto::encode(&gone).into());
    }
    backend.commit();
    let file = with_trailer(backend.file().to_file().expect("a file"));
    let mut session = Session::default();
    let Done::Opened(overview) = open(&mut session, "odd.db", &file).0 else {
        panic!("not opened");
    };
    let loaded = session.load(source(&overview), SeekTo::Default);
    assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
    stdout(&mut session, "put /b 1");
    let done = session.exec("world profile=3.6");
    assert_eq!(
        (done.exit, &*done.stderr),
        (
            1,
            "Error: Cannot start a run on odd.db: row 4.0 of the bucket `key`: /a is deleted, but does not exist at \
             this revision.\n"
        )
    );
    assert_eq!(stdout(&mut session, "get /b"), "/b\n1\n");
}

#[test]
fn commands_know_the_file_by_the_name_of_the_run() {
    let mut session = explored();
    // Opens the same file under another name, while the run still uses the first one.
    let renamed = match open(&mut session, "renamed.db", &sample()).0 {
        Done::Opened(overview) => source(&overview),
        other => panic!("{other:?}"),
    };
    let loaded = session.load(renamed, SeekTo::Default);
    assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
    assert!(stdout(&mut session, "snapshot status renamed.db").contains("89fd5cd5"));
}

#[test]
fn a_key_of_very_many_slashes_is_summed_up_at_once() {
    let mut session = Session::default();
    let key = "/a".repeat(2_000);
    let put = session.exec(&format!("put {key} 1"));
    assert_eq!(put.exit, 0, "{}", put.stderr);
    session.exec("put /a 2");
    session.exec("snapshot save deep.db");
    let mut out = Vec::new();
    session.handle(
        ToEngine::Request(
            5,
            Request::Read(Read::Snapshot {
                name: "deep.db".to_owned(),
            }),
        ),
        &mut out,
    );
    let file = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::File { bytes, .. },
            ..
        } => Some(bytes),
        _ => None,
    });
    let overview = overview(&file.expect("the file"));
    assert_eq!(overview.keys, 2);
    assert!(
        overview.prefixes.prefix.len() <= 2,
        "{:?}",
        overview.prefixes.prefix
    );
}

// Links and saved runs.

#[test]
fn a_link_asks_for_its_file() {
    let mut session = explored();
    stdout(&mut session, "put /new 1");
    let mut out = Vec::new();
    let view = "index".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Read(Read::Link { view })),
        &mut out,
    );
    let link = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::Text(link),
            ..
        } => Some(link),
        _ => None,
    });
    let link = link.expect("a link");
    assert!(link.len() < 300, "the file is not in it: {link}");

    // Another session does not have the file yet.
    let mut session = Session::default();
    let (mut out, id, at) = (Vec::new(), 2, SeekTo::Default);
    let source = Source::Link(link);
    session.handle(
        ToEngine::Request(id, Request::Load { source, at }),
        &mut out,
    );
    assert!(!session.pump(1000, &mut out), "it waits");
    let wanted = |out: &[FromEngine]| {
        out.iter().rev().find_map(|message| match message {
            FromEngine::WantsFile { file, other } => {
                Some((file.name.to_string(), file.bytes, other.clone()))
            }
            _ => None,
        })
    };
    assert_eq!(wanted(&out), Some(("prod.db".to_owned(), 127_008, None)));

    // A different file is not accepted, and the load still waits.
    let mut wrong = sample();
    wrong.truncate(wrong.len() - 32);
    let (done, out) = open(&mut session, "raw.db", &wrong);
    assert!(matches!(done, Done::Opened(_)));
    assert_eq!(
        wanted(&out),
        Some(("prod.db".to_owned(), 127_008, Some("raw.db".to_owned())))
    );

    // The correct file under another name is accepted.
    let (_, out) = open(&mut session, "renamed.db", &sample());
    assert!(out.iter().any(|m| matches!(
        m,
        FromEngine::Done {
            id: 2,
            done: Done::Loaded { .. }
        }
    )));
    assert_eq!(stdout(&mut session, "get /new"), "/new\n1\n");
    assert_eq!(
        stdout(&mut session, "snapshot status prod.db"),
        "89fd5cd5, 396, 364, 127 kB\n"
    );

    // Undo needs the file, too, and still has it after the page has closed the file.
    let mut out = Vec::new();
    session.handle(ToEngine::Notification(Notification::CloseFile), &mut out);
    for _ in ["snapshot status", "get", "put"] {
        let act = Act::Undo;
        out.clear();
        session.handle(ToEngine::Request(3, Request::Act(act)), &mut out);
        while session.pump(1000, &mut out) {}
        let is_undone = |message: &FromEngine| {
            matches!(
                message,
                FromEngine::Done {
                    id: 3,
                    done: Done::Moved { .. }
                }
            )
        };
        assert!(out.iter().any(is_undone), "{out:?}");
    }
    assert_eq!(session.exec("get /new").stdout, "");
    assert_eq!(session.world().at_endpoint().store().current_rev(), 396);
}

#[test]
fn opening_can_be_given_up() {
    let mut session = Session::default();
    let mut out = Vec::new();
    session.offer_file(sample().into());
    let name = "a.db".to_owned();
    session.handle(ToEngine::Request(7, Request::show_file(&name)), &mut out);
    assert!(session.pump(2, &mut out), "the work is not done");
    let is_progress = |message: &FromEngine| {
        let wanted = (7, FileStage::Checking, 127_008 / 4096);
        matches!(message, FromEngine::FileProgress { id, stage, total, .. } if (*id, *stage, *total) == wanted)
    };
    assert!(out.last().is_some_and(is_progress), "{out:?}");
    out.clear();
    session.handle(ToEngine::Notification(Notification::CloseFile), &mut out);
    let done = Done::Interrupted;
    assert_eq!(out, [FromEngine::Done { id: 7, done }]);
    assert!(!session.pump(100, &mut out), "no work is left");
    assert!(matches!(
        open(&mut session, "a.db", &sample()).0,
        Done::Opened(_)
    ));
}

#[test]
fn a_secret_is_hidden_until_it_is_asked_for() {
    let mut session = Session::default();
    stdout(&mut session, "put /registry/secrets/default/token hunter2");
    stdout(&mut session, "put /elsewhere '{\"kind\": \"Secret\"}'");
    let mut backend = session
        .world()
        .backend(session.world().endpoint())
        .expect("a member");
    backend.commit();
    let file = with_trailer(backend.file().to_file().expect("a file"));
    open(&mut session, "a.db", &file);
    for (key, text) in [
        ("/registry/secrets/default/token", "hunter2"),
        ("/elsewhere", "{\"kind\": \"Secret\"}"),
    ] {
        for shows_secret in [false, true] {
            let mut out = Vec::new();
            let key = key.as_bytes().to_vec();
            let ask = FileAsk::Value {
                key,
                at: None,
                shows_secret,
            };
            session.handle(ToEngine::Request(8, Request::AskFile(ask)), &mut out);
            let FromEngine::Done {
                done: Done::Value(value),
                ..
            } = &out[0]
            else {
                panic!("{out:?}");
            };
            assert_eq!(
                (value.is_hidden, value.bytes),
                (!shows_secret, text.len() as u64)
            );
            assert_eq!(
                value.value,
                if shows_secret { text.as_bytes() } else { b"" }
            );
        }
    }
}
