//! Runs 200 random transaction scripts that bbolt 1.3.6 also ran. After each commit, the engine's file must equal
//! bbolt's file byte for byte, including free and unused space.
//!
//! The scripts create, fill and delete buckets two levels deep, put keys at random and in order, delete single keys and
//! series of keys, open and end readers, reopen the file and roll back. They use three page sizes, with and without a
//! stored free list. `data/bbolt_scripts.json` contains bbolt's results; the program that wrote these results,
//! `data/gen/bbolt/main.go`, contains the same scripts. If a script differs, the test stores the engine's file in
//! `target/tmp`, so that you can compare it with bbolt's file.

use serde_json::Value;
use watchglass_engine::base::digest::Digest;
use watchglass_engine::bbolt::check::Checker;
use watchglass_engine::bbolt::{Db, Options, Tx, TxError, View};

/// The random number generator splitmix64.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

struct Script {
    rng: Rng,
    options: Options,
    has_readers: bool,
    db: Db,
    readers: Vec<View>,
    counter: u64,
}

fn value(n: u64, length: u64) -> Vec<u8> {
    (0..length).map(|i| (n + i) as u8).collect()
}

/// Returns the key with this number. Every third key is long, so that branch pages contain few keys and trees are deep.
fn key(n: u64) -> Vec<u8> {
    let dots = if n.is_multiple_of(3) { n as usize } else { 0 };
    format!("key-{n:05}{}", ".".repeat(dots)).into_bytes()
}

impl Script {
    fn new(seed: u64) -> Self {
        let mut rng = Rng(seed);
        let page_size = [4096, 4096, 1024, 16384][rng.below(4) as usize];
        let stores_freelist = rng.below(2) == 0;
        let has_readers = rng.below(2) == 0;
        let options = Options {
            page_size,
            stores_freelist,
            growth_bytes: 1 << 16,
            initial_map_bytes: if has_readers { 32 << 20 } else { 0 },
            ..Options::default()
        };
        Self {
            rng,
            options,
            has_readers,
            db: Db::new(options),
            readers: Vec::new(),
            counter: 0,
        }
    }

    fn bucket(&mut self, tx: &mut Tx) -> Result<Vec<Vec<u8>>, TxError> {
        let mut path = vec![format!("bucket-{}", self.rng.below(3)).into_bytes()];
        create(tx, &[], &path[0])?;
        if self.rng.below(6) == 0 {
            path.push(format!("nested-{}", self.rng.below(2)).into_bytes());
            create(tx, &[&path[0]], &path[1])?;
        }
        Ok(path)
    }

    fn step(&mut self, tx: &mut Tx, is_first: bool) -> Result<(), TxError> {
        let kind = self.rng.below(100);
        if (94..97).contains(&kind) {
            let name = format!("bucket-{}", self.rng.below(3)).into_bytes();
            if is_first && tx.has_bucket(&[&name])? {
                tx.delete_bucket(&[], &name)?;
            }
            return Ok(());
        }
        let path = self.bucket(tx)?;
        let path: Vec<&[u8]> = path.iter().map(Vec::as_slice).collect();
        match kind {
            0..50 => {
                let n = self.rng.below(400);
                let mut length = self.rng.below(120);
                if self.rng.below(20) == 0 {
                    length = self.rng.below(3 * u64::from(self.options.page_size));
                }
                tx.put(&path, &key(n), &value(n, length))
            }
            50..65 => tx.delete(&path, &key(self.rng.below(400))),
            65..75 => {
                let (from, count) = (self.rng.below(400), self.rng.below(120));
                (from..from + count).try_for_each(|n| tx.delete(&path, &key(n)))
            }
            75..90 => {
                tx.set_fill(&path, 900)?;
                let (count, length) = (self.rng.below(60), self.rng.below(200));
                for _ in 0..count {
                    self.counter += 1;
                    let value = value(self.counter, length);
                    tx.put(&path, &self.counter.to_be_bytes(), &value)?;
                }
                Ok(())
            }
            90..94 => tx.set_sequence(&path, self.rng.below(1000)),
            _ => {
                let count = self.rng.below(200);
                let mut cursor = tx.cursor(&path)?;
                let mut keys = Vec::new();
                let mut entry = cursor.first()?;
                while let Some(found) = entry.filter(|_| (keys.len() as u64) < count) {
                    if !found.is_bucket && found.key.len() == 8 {
                        keys.push(found.key);
                    }
                    entry = cursor.next()?;
                }
                keys.iter().try_for_each(|key| tx.delete(&path, key))
            }
        }
    }

    fn commit(&mut self) {
        match self.rng.below(8) {
            0 if self.has_readers => {
                let reader = self.db.begin_read();
                self.readers.push(reader);
            }
            1 | 2 if !self.readers.is_empty() => {
                let at = self.rng.below(self.readers.len() as u64) as usize;
                self.db.end_read(&self.readers.remove(at));
            }
            3 if self.readers.is_empty() => {
                self.db = Db::open(self.db.to_bytes().into(), self.options).expect("our own file");
            }
            4 => {
                let mut tx = self.db.begin();
                self.step(&mut tx, true).expect("a step");
            }
            _ => {}
        }
        let mut tx = self.db.begin();
        for i in 0..self.rng.below(30) {
            self.step(&mut tx, i == 0).expect("a step");
        }
        self.db.commit(tx).expect("a commit");
    }
}

fn create(tx: &mut Tx, path: &[&[u8]], name: &[u8]) -> Result<(), TxError> {
    match tx.create_bucket(path, name) {
        Err(TxError::BucketExists) => Ok(()),
        result => result,
    }
}

fn fnv(bytes: &[u8]) -> u64 {
    use std::hash::Hasher as _;
    let mut fnv = Digest::default();
    fnv.write(bytes);
    fnv.finish()
}

#[test]
fn files_equal_those_of_bbolt() {
    let vectors = include_str!("data/bbolt_scripts.json");
    let vectors: Value = serde_json::from_str(vectors).expect("JSON");
    let scripts = vectors["scripts"].as_array().expect("a list");
    assert_eq!(scripts.len(), 200);
    let mut commits = 0;
    let mut differ = Vec::new();
    'scripts: for vector in scripts {
        let seed = vector["seed"].as_u64().expect("a number");
        let mut script = Script::new(seed);
        let states = vector["commits"].as_array().expect("a list");
        assert_eq!(states.len() as u64, 4 + script.rng.below(9), "seed {seed}");
        for (i, state) in states.iter().enumerate() {
            script.commit();
            let db = &script.db;
            let ours = serde_json::json!([
                format!("{:016x}", fnv(&db.to_bytes())),
                db.file_bytes(),
                db.freelist().free_count(),
                db.freelist().pending_count(),
            ]);
            if *state != ours {
                differ.push(format!(
                    "seed {seed}, commit {i}: bbolt {state}, engine {ours}"
                ));
                continue 'scripts;
            }
            let findings = Checker::new(&db.view()).run();
            assert_eq!(findings.damages, [], "seed {seed}, commit {i}");
            commits += 1;
        }
    }
    assert!(
        differ.is_empty(),
        "{} scripts differ:\n{}",
        differ.len(),
        differ.join("\n")
    );
    assert!(commits > 1000, "{commits} commits");
}

/// The page header has only 16 bits for a count, so a longer free list stores its count in place of the first page
/// number.
#[test]
fn a_free_list_of_more_than_65_534_pages() {
    let options = Options {
        page_size: 1024,
        ..Options::default()
    };
    let mut db = Db::new(options);
    let mut tx = db.begin();
    tx.create_bucket(&[], b"b").expect("a bucket");
    tx.put(&[b"b"], b"k", &vec![0; 70_000 * 1024])
        .expect("a put");
    db.commit(tx).expect("a commit");
    let mut tx = db.begin();
    tx.delete(&[b"b"], b"k").expect("a delete");
    db.commit(tx).expect("a commit");

    let list = db.view().page(db.view().meta().freelist).expect("a page");
    let sum = format!("{:016x}", fnv(list.bytes()));
    // The output of `data/gen/bbolt/run.sh freelist`.
    assert_eq!(
        (list.id(), list.count(), list.overflow(), sum.as_str()),
        (70_007, 65_535, 546, "da167c6ce66170ae")
    );
    let again = Db::open(db.to_bytes().into(), options).expect("our own file");
    assert_eq!(again.freelist().ids(), db.freelist().ids());
}
