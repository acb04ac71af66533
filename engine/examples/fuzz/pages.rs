//! Damaged database files for the checker, the readers, a new transaction and `snapshot status`.
//!
//! A file that the checker accepts must be readable, writable and summarized without an error. A file that the checker
//! rejects is read as well: each read returns a row or reports the damage, in bounded time.

use watchglass_engine::api::Profile;
use watchglass_engine::backend::{Backend, SnapshotStatus};
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::SimTime;
use watchglass_engine::bbolt::check::{Checker, Findings};
use watchglass_engine::bbolt::meta::Meta;
use watchglass_engine::bbolt::{Damage, Db, File, Options, View};
use watchglass_engine::mvcc::KvStore;
use watchglass_engine::session::Session;
use watchglass_engine::view::storage::StorageQuery;
use watchglass_engine::view::storage::build::{StorageMoment, storage_view};

/// The maximum number of rows to read from a damaged file. Without a maximum, a link to an earlier page would make the
/// read endless.
const ROWS_MAX: usize = 5_000;

/// A change that damages a file. A number that is too large is reduced modulo the number of possible values.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Bit(u64),
    /// Cuts off the file at a byte.
    Cut(u64),
    Swap(u64, u64),
    /// Overwrites a page with the content of another page.
    Copy(u64, u64),
    /// Overwrites two, four or eight bytes of a page with a number.
    Number {
        page: u64,
        at: u64,
        bytes: u64,
        value: u64,
    },
    /// Overwrites a field of the newest meta page, and corrects its checksum.
    Meta {
        field: u64,
        value: u64,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct PageFile {
    /// The index of the original file.
    pub(crate) base: u64,
    pub(crate) changes: Vec<Change>,
}

/// The original files, written by bbolt, by etcd and by the engine.
pub(crate) struct PageFiles(Vec<Vec<u8>>);

impl PageFiles {
    pub(crate) fn new() -> Self {
        let mut files = vec![
            include_bytes!("../../tests/data/bbolt_buckets.db").to_vec(),
            include_bytes!("../../tests/data/etcd_3.4.23_snapshot.db").to_vec(),
        ];
        let mut session = Session::default();
        for line in [
            "for i in {1..400}; do etcdctl put /key$i some-value-that-fills-a-page-with-others-$i; done",
            "run 1s",
            "compaction 200",
            "run 1s",
        ] {
            session.exec(line);
            let file = session.world().at_endpoint().store().backend().file();
            files.extend(file.to_file());
        }
        Self(files)
    }
}

/// Draws a number that a page may contain: a page number, a size, a limit of a type, or any other number.
fn number(rng: &mut Rng) -> u64 {
    match rng.below(6) {
        0 => rng.below(40),
        1 => rng.below(70_000),
        2 => u64::MAX - rng.below(3),
        3 => u64::from(u32::MAX) - rng.below(3),
        4 => 1 << rng.below(64),
        _ => rng.next_u64(),
    }
}

pub(crate) fn file(rng: &mut Rng) -> PageFile {
    let change = |rng: &mut Rng| match rng.below(12) {
        0 | 1 => Change::Bit(rng.next_u64()),
        2 => Change::Cut(rng.next_u64()),
        3 => Change::Swap(rng.next_u64(), rng.next_u64()),
        4 => Change::Copy(rng.next_u64(), rng.next_u64()),
        5 => Change::Meta {
            field: rng.next_u64(),
            value: number(rng),
        },
        // The header of a page: its number, kind, count and overflow.
        6 | 7 => Change::Number {
            page: rng.next_u64(),
            at: [0, 8, 10, 12][rng.below(4) as usize],
            bytes: 1 + rng.below(3),
            value: number(rng),
        },
        // An element: positions, sizes and links.
        _ => Change::Number {
            page: rng.next_u64(),
            at: 16 + 4 * rng.below(60),
            bytes: 1 + rng.below(3),
            value: number(rng),
        },
    };
    PageFile {
        base: rng.next_u64(),
        changes: (0..1 + rng.below(4)).map(|_| change(rng)).collect(),
    }
}

fn bytes(file: &PageFile, files: &PageFiles) -> Vec<u8> {
    let mut bytes = files.0[(file.base % files.0.len() as u64) as usize].clone();
    let page_bytes = File::open(bytes.as_slice().into())
        .map_or(4096, |file| file.view().meta().page_size as usize);
    for change in &file.changes {
        let length = bytes.len() as u64;
        let page = |number: u64| {
            let pages = (length / page_bytes as u64).max(1);
            (number % pages) as usize * page_bytes
        };
        match change {
            _ if length < 2 * page_bytes as u64 => {}
            Change::Bit(bit) => bytes[(bit / 8 % length) as usize] ^= 1 << (bit % 8),
            Change::Cut(to) => bytes.truncate((to % length) as usize),
            Change::Swap(a, b) => {
                let (a, b) = (page(*a), page(*b));
                for i in 0..page_bytes {
                    bytes.swap(a + i, b + i);
                }
            }
            Change::Copy(from, to) => {
                let (from, to) = (page(*from), page(*to));
                bytes.copy_within(from..from + page_bytes, to);
            }
            Change::Number {
                page: id,
                at,
                bytes: width,
                value,
            } => {
                let at = page(*id) + *at as usize % (page_bytes - 8);
                let width = 1 << width;
                bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
            }
            Change::Meta { field, value } => {
                let Ok(file) = File::open(bytes.as_slice().into()) else {
                    continue;
                };
                let mut meta: Meta = file.view().meta();
                match field % 4 {
                    0 => meta.root.page = *value,
                    1 => meta.high_water = *value,
                    2 => meta.freelist = *value,
                    _ => meta.txid = *value,
                }
                let id = meta.page_id();
                let page = meta.to_page(id);
                let at = id as usize * page_bytes;
                let end = (at + page.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&page[..end - at]);
            }
        }
    }
    bytes
}

/// Opens, checks and reads the file. If the file is sound, also writes to the file.
pub(crate) fn run(file: &PageFile, files: &PageFiles) -> Result<(), String> {
    let bytes = bytes(file, files);
    let Ok(opened) = File::open(bytes.as_slice().into()) else {
        return Ok(());
    };
    let _ = opened.check_trailer();
    let view = opened.view();
    let findings = Checker::new(view).run();
    let read = read(view);
    if !findings.damages.is_empty() {
        let opened = Db::open(bytes.as_slice().into(), Options::etcd_3_4());
        return match opened {
            Err(_) => Ok(()),
            Ok(_) => Err("a file that the check does not pass is opened".into()),
        };
    }
    read.map_err(|damage| format!("a file that the check passes cannot be read: {damage}"))?;
    let _ = SnapshotStatus::of(view);
    restored(&opened, findings);
    written(&bytes)
}

/// Reads rows of every bucket, from both ends.
fn read(view: &View) -> Result<usize, Damage> {
    let mut rows = 0;
    let Some(mut buckets) = view.cursor(&[])? else {
        return Ok(0);
    };
    let mut bucket = buckets.first()?;
    while let Some(found) = bucket {
        rows += 1;
        if let Some(mut cursor) = view.cursor(&[&found.key])? {
            let mut row = cursor.first()?;
            while let Some(found) = row.filter(|_| rows < ROWS_MAX) {
                rows += 1;
                view.get(&[], &found.key)?;
                row = cursor.next()?;
            }
            let mut row = cursor.last()?;
            while row.is_some() && rows < 2 * ROWS_MAX {
                rows += 1;
                row = cursor.prev()?;
            }
            cursor.seek(b"key")?;
        }
        bucket = buckets.next()?.filter(|_| rows < 2 * ROWS_MAX);
    }
    view.stored_free()?;
    view.to_file()?;
    Ok(rows)
}

/// Builds the store of a sound file that contains the rows of a store. Then reads, writes and compacts the store.
fn restored(file: &File, findings: Findings) {
    let Ok(backend) = Backend::open(file, findings, Profile::V3_4) else {
        return;
    };
    let moment = StorageMoment {
        backend: &backend,
        index: None,
        now: SimTime(0),
        rows_read: &[],
        quota: None,
    };
    storage_view(moment, &StorageQuery::default());
    let Ok(mut store) = KvStore::restore(backend, Profile::V3_4) else {
        return;
    };
    let all = KeyRange::new(&Bytes::zero(), &Bytes::zero());
    let _ = store.range(&all, 0, 0);
    let mut txn = store.write();
    txn.put("/key1".into(), "value".into(), 0);
    txn.delete_range(&KeyRange::One("/key2".into()));
    txn.end();
    if store.compact(store.current_rev()).is_ok() {
        while store.compactions_pending() > 0 {
            store.compaction_batch();
        }
    }
    store.backend_mut().commit();
    let _ = store.range(&all, 0, 0);
}

/// Writes to a file that the checker accepts, and checks that the writes work as in any other file.
fn written(bytes: &[u8]) -> Result<(), String> {
    let say =
        |what: &str, error: &dyn std::fmt::Display| format!("{what} of a sound file: {error}");
    let mut db = Db::open(bytes.into(), Options::etcd_3_4()).map_err(|e| say("the opening", &e))?;
    let mut tx = db.begin();
    for n in 0..40_u8 {
        let name: &[u8] = if n % 2 == 0 { b"key" } else { b"another" };
        if !tx.has_bucket(&[name]).map_err(|e| say("a read", &e))?
            && tx.create_bucket(&[], name).is_err()
        {
            continue; // A row has this name.
        }
        let _ = tx.put(&[name], &[n, 1], &[n; 300]);
        let _ = tx.delete(&[name], &[n / 2, 1]);
    }
    db.commit(tx).map_err(|e| say("a commit", &e))?;
    match Checker::new(&db.view()).run().damages.first() {
        None => Ok(()),
        Some(damage) => Err(say("the check after a commit", damage)),
    }
}
