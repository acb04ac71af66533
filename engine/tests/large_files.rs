//! Files that are read page by page: the same report as from memory, files larger than 4 GiB, and files that vanish.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use watchglass_engine::api::{KeyValue, Profile};
use watchglass_engine::base::proto;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::bbolt::blocks::{BlockSizes, Blocks};
use watchglass_engine::bbolt::bucket::BucketHeader;
use watchglass_engine::bbolt::check::{Checker, Use};
use watchglass_engine::bbolt::leaf::{BUCKET, LeafElement};
use watchglass_engine::bbolt::loaded::FileLoad;
use watchglass_engine::bbolt::meta::{Meta, NO_FREELIST};
use watchglass_engine::bbolt::page::{ELEMENT_BYTES, HEADER_BYTES, Kind};
use watchglass_engine::bbolt::source::ReadAt;
use watchglass_engine::bbolt::{Db, File, Options, Source};
use watchglass_engine::etcd::FileIdentity;
use watchglass_engine::etcd::snapshot_file::SnapshotOpening;
use watchglass_engine::mvcc::Revision;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Done, FileAsk, FileRole, FromEngine, Limits, Notification, Request, SeekTo,
    Source as RunSource, ToEngine,
};
use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::build::FileSummary;
use watchglass_engine::view::file::comparison::ComparisonQuery;
use watchglass_engine::view::file::key_list::{KeyFilter, KeyListQuery, KeyOrder};
use watchglass_engine::view::file::maintenance::{CompactAt, MaintenanceQuery};

const FILES: [&[u8]; 5] = [
    include_bytes!("data/etcd_3.4.23_registry.db"),
    include_bytes!("data/etcd_3.4.23_snapshot.db"),
    include_bytes!("data/etcd_3.4.23_writers.db"),
    include_bytes!("data/etcd_3.6.10_bumped.db"),
    include_bytes!("data/bbolt_buckets.db"),
];

/// A file of the host: some bytes at a position, and zeros everywhere else.
#[derive(Debug)]
struct Sparse {
    bytes: u64,
    parts: Vec<(u64, Vec<u8>)>,
    is_gone: Arc<AtomicBool>,
    reads: Arc<AtomicU64>,
}

impl Sparse {
    fn of(content: &[u8]) -> Self {
        Self {
            bytes: content.len() as u64,
            parts: vec![(0, content.to_vec())],
            is_gone: Arc::default(),
            reads: Arc::default(),
        }
    }

    fn source(self, block: usize, held: usize, in_row: usize) -> Source {
        let sizes = BlockSizes {
            block,
            held,
            in_row,
        };
        Source::Blocks(Blocks::new(Box::new(self), sizes).into())
    }
}

impl ReadAt for Sparse {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, at: u64, length: usize) -> Option<Vec<u8>> {
        if self.is_gone.load(Ordering::Relaxed) {
            return None;
        }
        self.reads.fetch_add(1, Ordering::Relaxed);
        let mut out = vec![0; length];
        for (start, part) in &self.parts {
            let from = at.max(*start);
            let to = (at + length as u64).min(start + part.len() as u64);
            if from < to {
                let place = (from - at) as usize..(to - at) as usize;
                let part = &part[(from - start) as usize..(to - start) as usize];
                out[place].copy_from_slice(part);
            }
        }
        Some(out)
    }
}

fn begin(session: &mut Session, source: Source, out: &mut Vec<FromEngine>) {
    session.offer_file(source);
    let name = "prod.db".to_owned();
    session.handle(ToEngine::Request(7, Request::show_file(&name)), out);
}

fn ask(session: &mut Session, request: Request) -> Done {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(7, request), &mut out);
    finish(session, out)
}

fn finish(session: &mut Session, mut out: Vec<FromEngine>) -> Done {
    while session.pump(100, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { id: 7, done } => Some(done),
        _ => None,
    });
    done.expect("a response")
}

fn open(session: &mut Session, source: Source) -> Done {
    let mut out = Vec::new();
    begin(session, source, &mut out);
    finish(session, out)
}

/// Returns everything that the report shows: the overview, lists, values, saved files, a plan, and a run on the file.
fn report(source: Source) -> Vec<Done> {
    let mut session = Session::default();
    let opened = open(&mut session, source);
    let Done::Opened(overview) = &opened else {
        return vec![opened];
    };
    let mut all = vec![opened.clone()];
    let mut keys = Vec::new();
    for order in KeyOrder::ALL {
        let query = KeyListQuery {
            order,
            limit: 5_000,
            ..KeyListQuery::default()
        };
        let done = ask(&mut session, Request::AskFile(FileAsk::Keys(query)));
        if let Done::Keys(list) = &done {
            keys = list.rows.iter().map(|row| row.key.clone()).collect();
        }
        all.push(done);
    }
    for key in keys {
        let value = FileAsk::Value {
            key,
            at: None,
            shows_secret: true,
        };
        let done = ask(&mut session, Request::AskFile(value));
        if let Done::Value(value) = &done {
            all.extend(value.revisions.last().map(|oldest| {
                let value = FileAsk::Value {
                    key: value.key.clone(),
                    at: Some(oldest.revision),
                    shows_secret: true,
                };
                ask(&mut session, Request::AskFile(value))
            }));
        }
        all.push(done);
    }
    let plan = MaintenanceQuery {
        delete: Vec::new(),
        compact: CompactAt::Newest,
    };
    for what in [
        FileAsk::Prefix(b"/registry/".to_vec()),
        FileAsk::SaveTable(KeyFilter::default()),
        FileAsk::SaveScript(KeyFilter::default()),
        FileAsk::Maintenance(plan),
    ] {
        all.push(ask(&mut session, Request::AskFile(what)));
    }
    all.push(session.load(run_on(overview), SeekTo::Default));
    let digest = session.run().head().digest();
    all.push(Done::Text(format!("{digest:?}")));
    all
}

fn run_on(overview: &FileOverview) -> RunSource {
    RunSource::Snapshot {
        file: overview.identity(),
        profile: overview.profile.clone(),
    }
}

#[test]
fn a_file_in_blocks_has_the_same_report_as_a_file_in_memory() {
    for content in FILES {
        let expected = report(content.into());
        for (block, held, in_row) in [(4096, 2, 1), (1000, 3, 2), (64 << 10, 384, 32)] {
            let blocks = Sparse::of(content).source(block, held, in_row);
            assert_eq!(report(blocks), expected);
        }
    }
}

/// Returns a database of a store whose keys were written in any order while old rows were removed, so that the pages
/// are in no order.
fn churned() -> Vec<u8> {
    let mut rng = Rng::stream(3, "churn");
    let mut db = Db::new(Options::default());
    let mut kept = VecDeque::new();
    for main in 2..6_000 {
        let mut tx = db.begin();
        if main == 2 {
            tx.create_bucket(&[], b"key").expect("a bucket");
        }
        let row = KeyValue {
            key: format!("/registry/pods/pod-{}", rng.below(500))
                .as_str()
                .into(),
            create_revision: main,
            mod_revision: main,
            version: 1,
            value: vec![main as u8; rng.below(if main % 50 == 0 { 9_000 } else { 900 }) as usize]
                .into(),
            lease: 0,
        };
        let key = Revision::new(main, 0).encode();
        tx.put(&[b"key"], &key, &proto::encode(&row))
            .expect("a row");
        kept.push_back(key);
        while kept.len() > 3_000 {
            let place = rng.below(1_000) as usize;
            let old = kept.remove(place).expect("a row");
            tx.delete(&[b"key"], &old).expect("a row");
        }
        db.commit(tx).expect("a commit");
    }
    db.to_bytes()
}

#[test]
fn pages_in_no_order_are_loaded_with_few_reads() {
    let content = churned();
    let pages = content.len() as u64 / 4096;
    let file = Sparse::of(&content);
    let reads = file.reads.clone();
    let mut session = Session::default();
    let mut out = Vec::new();
    begin(&mut session, file.source(4096, 512, 256), &mut out);
    let mut before_overview = 0;
    while session.pump(1, &mut out) {
        before_overview = reads.load(Ordering::Relaxed);
    }
    // The metas, the free list, the reads for the hash, and the pages that show that others are needed. Without a plan,
    // each page in use is read twice.
    assert!(
        before_overview < pages / 16,
        "{before_overview} reads of {pages} pages"
    );
    assert_eq!(
        finish(&mut session, out),
        open(&mut Session::default(), content.into())
    );
}

#[test]
fn a_file_with_pages_in_no_order_has_the_same_report_as_in_memory() {
    let mut rng = Rng::stream(8, "damage");
    for content in FILES.map(<[u8]>::to_vec).into_iter().chain([churned()]) {
        for damages in [0, 1, 5] {
            let mut content = content.clone();
            for _ in 0..damages {
                let page = 2 + rng.below(content.len() as u64 / 4096 - 2) as usize;
                content[page * 4096 + rng.below(64) as usize] ^= 1 + rng.below(255) as u8;
            }
            let blocks = Sparse::of(&content).source(4096, 4, 256);
            let in_blocks = open(&mut Session::default(), blocks);
            assert_eq!(in_blocks, open(&mut Session::default(), content.into()));
        }
    }
}

#[test]
fn files_in_blocks_compare_as_in_memory() {
    let compare = |sources: [Source; 2]| {
        let mut session = Session::default();
        let mut all = Vec::new();
        for (source, role) in sources.into_iter().zip([FileRole::Shown, FileRole::Other]) {
            session.offer_file(source);
            let name = "prod.db".to_owned();
            all.push(ask(&mut session, Request::OpenFile { name, role }));
        }
        let query = FileAsk::Compare(ComparisonQuery::default());
        all.push(ask(&mut session, Request::AskFile(query)));
        all
    };
    let contents = [churned(), FILES[0].to_vec()];
    let in_memory = contents.clone().map(Source::from);
    let expected = compare(in_memory);
    assert!(
        matches!(expected[2], Done::Comparison(_)),
        "{:?}",
        expected[2]
    );
    let in_blocks = contents.map(|content| Sparse::of(&content).source(4096, 4, 256));
    assert_eq!(compare(in_blocks), expected);
}

#[test]
fn a_damaged_file_in_blocks_has_the_same_report_as_in_memory() {
    let mut rng = Rng::stream(7, "damage");
    for content in FILES {
        for _ in 0..12 {
            let mut content = content.to_vec();
            for _ in 0..=rng.below(4) {
                let at = rng.below(content.len() as u64) as usize;
                content[at] ^= 1 << rng.below(8);
            }
            // The first bytes of pages have the links and the counts.
            let page = rng.below(content.len() as u64 / 4096) as usize * 4096;
            content[page + rng.below(64) as usize] ^= rng.below(256) as u8;
            content.truncate(content.len() - rng.below(3) as usize * 2000);
            let blocks = Sparse::of(&content).source(1000, 3, 2);
            assert_eq!(report(blocks), report(content.as_slice().into()));
        }
    }
}

/// Returns a database with 300 keys, whose pages begin at page `from` of a file of `bytes` bytes. All other pages are
/// free.
fn database_at(from: u64, bytes: u64) -> Sparse {
    const PAGE: u64 = 4096;
    let mut db = Db::new(Options::default());
    let mut tx = db.begin();
    tx.create_bucket(&[], b"key").expect("a bucket");
    for main in 2..302 {
        let row = KeyValue {
            key: format!("/registry/pods/a/pod-{main}").as_str().into(),
            create_revision: main,
            mod_revision: main,
            version: 1,
            value: vec![main as u8; if main == 200 { 10_000 } else { 300 }].into(),
            lease: 0,
        };
        let key = Revision::new(main, 0).encode();
        tx.put(&[b"key"], &key, &proto::encode(&row))
            .expect("a row");
    }
    db.commit(tx).expect("a commit");
    let view = db.view();
    let mut content = db.to_bytes();
    let findings = Checker::new(&view).run();
    let moved = |id: u64| (id + from).to_le_bytes();
    for (id, used) in (0..).zip(&findings.uses) {
        let at = (id * PAGE) as usize;
        if !matches!(used, Use::Branch | Use::Leaf) {
            continue;
        }
        let page = view.page(id).expect("no damage");
        content[at..at + 8].copy_from_slice(&moved(id));
        for index in 0..usize::from(page.count()) {
            let element = at + HEADER_BYTES + index * ELEMENT_BYTES;
            let item = page.item(index).expect("no damage");
            if page.kind() == Kind::Branch {
                content[element + 8..element + 16].copy_from_slice(&moved(item.child));
            } else if LeafElement::read(&content, element).flags & BUCKET != 0 {
                let root = BucketHeader::read(&item.value).expect("a header").page;
                let value = page.key_offset(index) as usize + item.key.len();
                content[value..value + 8].copy_from_slice(&moved(root));
            }
        }
    }
    let old = view.meta();
    let meta = Meta {
        root: BucketHeader {
            page: old.root.page + from,
            ..old.root
        },
        freelist: NO_FREELIST,
        high_water: bytes / PAGE,
        ..old
    };
    let metas = [meta.to_page(0), meta.to_page(1)].concat();
    let pages = content.split_off(2 * PAGE as usize);
    Sparse {
        bytes,
        parts: vec![(0, metas), ((from + 2) * PAGE, pages)],
        is_gone: Arc::default(),
        reads: Arc::default(),
    }
}

#[test]
fn a_file_of_8_gib_has_a_report_and_a_run() {
    let bytes = 8 << 30;
    let source = database_at(1_500_000, bytes).source(64 << 10, 384, 32);
    let file = File::open(source).expect("a database");
    assert_eq!((file.bytes(), file.trailer()), (bytes, None));
    let findings = Checker::new(file.view()).run();
    assert_eq!(findings.damages, []);
    let mut summary = FileSummary::new(&file, Arc::default());
    while !summary.step(100) {}
    let identity = FileIdentity {
        name: "full.db".into(),
        bytes,
        sha256: [7; 32],
    };
    let overview = summary.overview(&identity, &file, &findings);
    assert_eq!((overview.keys, overview.revision), (300, 301));
    assert_eq!(overview.space.bytes(), bytes);
    assert!(overview.space.free > 2_097_000);
    let value = summary.value(&file, b"/registry/pods/a/pod-200", None, false);
    assert_eq!(value.map(|value| value.bytes), Some(10_000));

    // The run has only the pages in use in memory.
    let needs = FileLoad::needs(&file, &findings);
    assert!(needs < 1 << 20, "{needs}");
    let opening = SnapshotOpening::new(identity, &file, findings, Profile::V3_6);
    let mut opening = opening.expect("no damage");
    while !opening.step(100).expect("no damage") {}
    let file = opening.finish().expect("a store");
    assert_eq!(file.backup().store().live_keys(), 300);
    let db = file.backup().store().backend().db();
    assert_eq!(db.bytes(), bytes);
    assert!(db.bytes_in_use() < 1 << 20);
}

#[test]
fn a_file_above_the_limit_is_refused() {
    let source = database_at(100, 17 << 30).source(64 << 10, 384, 32);
    let Done::Refused { message } = open(&mut Session::default(), source) else {
        panic!("not refused");
    };
    assert!(
        message.starts_with("prod.db has 17 GiB; the maximum is 16 GiB."),
        "{message}"
    );
}

#[test]
fn a_file_that_vanishes_is_named_and_the_run_goes_on() {
    let content = FILES[0];
    let mut session = Session::default();
    let file = Sparse::of(content);
    let is_gone = file.is_gone.clone();
    let source = file.source(4096, 2, 1);
    let Done::Opened(overview) = open(&mut session, source.clone()) else {
        panic!("not opened");
    };
    session.load(run_on(&overview), SeekTo::Default);
    is_gone.store(true, Ordering::Relaxed);
    assert_eq!(session.exec("put /new 1").stdout, "OK\n");
    let value = FileAsk::Value {
        key: b"/registry/leases/kube-node-lease/node-00".to_vec(),
        at: None,
        shows_secret: false,
    };
    let gone = "The browser cannot read prod.db any more";
    let list = FileAsk::Keys(KeyListQuery {
        limit: 10,
        ..KeyListQuery::default()
    });
    for what in [value, list] {
        let Done::Refused { message } = ask(&mut session, Request::AskFile(what)) else {
            panic!("not refused");
        };
        assert!(message.starts_with(gone), "{message}");
    }
    let Done::Refused { message } = open(&mut session, source) else {
        panic!("not refused");
    };
    assert!(message.starts_with(gone), "{message}");
    assert_eq!(session.exec("get /new --print-value-only").stdout, "1\n");

    // The file vanishes while it is read.
    let file = Sparse::of(content);
    let is_gone = file.is_gone.clone();
    let mut out = Vec::new();
    begin(&mut session, file.source(4096, 2, 1), &mut out);
    assert!(session.pump(1, &mut out));
    is_gone.store(true, Ordering::Relaxed);
    let Done::Refused { message } = finish(&mut session, out) else {
        panic!("not refused");
    };
    assert!(message.starts_with(gone), "{message}");
}

#[test]
fn a_file_with_too_many_keys_is_refused_with_their_number() {
    let mut session = Session::default();
    let limits = Limits {
        memory_bytes: 40_000,
        ..Limits::APP
    };
    let mut out = Vec::new();
    session.handle(Notification::Limit(limits).into(), &mut out);
    let Done::Refused { message } = open(&mut session, FILES[0].into()) else {
        panic!("not refused");
    };
    let expected = "prod.db has too many keys for a report in this tab: the limit was reached after 212 keys in 212 \
        rows.";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_run_that_does_not_fit_is_refused_beforehand() {
    let mut session = Session::default();
    let limits = Limits {
        memory_bytes: 120_000,
        ..Limits::APP
    };
    let mut out = Vec::new();
    session.handle(Notification::Limit(limits).into(), &mut out);
    let Done::Opened(overview) = open(&mut session, FILES[0].into()) else {
        panic!("not opened");
    };
    let why = overview.refusal.clone().expect("a reason");
    assert!(why.contains("needs more memory than the limit"), "{why}");
    let loaded = session.load(run_on(&overview), SeekTo::Default);
    assert_eq!(loaded, Done::Refused { message: why });
}
