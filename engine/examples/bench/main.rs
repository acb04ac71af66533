//! How fast the engine is natively, beside etcd 3.4.23's own `mvcc` package:
//! `cargo run --release -p watchglass-engine --example bench [WORD]`, with a word only the rows
//! that contain it.
//!
//! etcd's figures were measured once, in process, with the database on tmpfs (Go 1.19, two cores of
//! an EPYC, nearly idle); they are written down here because etcd is not part of a benchmark run.
//! Only the rows of the index compare like with like; the last column says what etcd does besides.
//! Keys have 64 bytes and values 256, as there. Ours are in processor time where the system tells
//! it, so that a machine that does other things besides changes them less.

#![allow(
    unsafe_code,
    reason = "memory is measured by an allocator that counts, which is unsafe to write, and the \
              thread's processor time is asked of the C library"
)]
#![allow(
    clippy::print_stdout,
    reason = "a table on standard output is what this program is for"
)]
#![allow(
    clippy::disallowed_types,
    reason = "the engine is told the time; a benchmark outside it has to look at the clock"
)]

mod pictures;
#[path = "../common/processor_time.rs"]
mod processor_time;
mod watch;
mod workloads;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use watchglass_engine::api::Profile;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::mvcc::{KvStore, Revision, TreeIndex};
use watchglass_engine::session::{SeekTo, Session};

use processor_time::processor_time;

/// Runs of each row; the table shows their median, least and greatest.
const RUNS: usize = 5;

/// The system's allocator, counting what is in use.
struct Counting;

static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged; only a number is kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller's promise is the one that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// A row of the table.
struct Row {
    what: &'static str,
    unit: Unit,
    /// etcd's figure, in the same unit.
    etcd: &'static str,
    /// What etcd's figure includes and ours does not.
    besides: &'static str,
    run: fn() -> Vec<f64>,
}

#[derive(Clone, Copy)]
enum Unit {
    PerSecond,
    Millis,
    Bytes,
}

const INDEX: &str = "a lock per call";
const FAN: &str = "goroutines, channels, locks; flat out, so many events come batched";
const CATCH: &str = "the rows' pages, pauses of 100 ms where they are due, goroutines, channels";
const READ: &str = "a read transaction of bbolt, a copy of its read buffer, locks, counters";
const WRITE: &str = "bbolt pages on tmpfs, the consistent index, locks, counters";

const ROWS: &[Row] = &[
    Row {
        what: "index put, 10k keys x 100",
        unit: Unit::PerSecond,
        etcd: "2.73M",
        besides: INDEX,
        run: || index_put(10_000, 100),
    },
    Row {
        what: "index put, 1M keys x 1",
        unit: Unit::PerSecond,
        etcd: "1.30M",
        besides: INDEX,
        run: || index_put(1_000_000, 1),
    },
    Row {
        what: "index get now, 10k keys x 100",
        unit: Unit::PerSecond,
        etcd: "1.36M",
        besides: INDEX,
        run: || index_get(10_000, 100, At::Now),
    },
    Row {
        what: "index get in the past, 10k keys x 100",
        unit: Unit::PerSecond,
        etcd: "-",
        besides: "(not measured)",
        run: || index_get(10_000, 100, At::AnyRevision),
    },
    Row {
        what: "index get now, 1M keys x 1",
        unit: Unit::PerSecond,
        etcd: "0.25M",
        besides: INDEX,
        run: || index_get(1_000_000, 1, At::Now),
    },
    Row {
        what: "index compact, 10k keys x 100",
        unit: Unit::Millis,
        etcd: "1.8",
        besides: "a lock per key",
        run: || index_compact(10_000, 100),
    },
    Row {
        what: "index compact, 100k keys x 10",
        unit: Unit::Millis,
        etcd: "19.4",
        besides: "a lock per key",
        run: || index_compact(100_000, 10),
    },
    Row {
        what: "index compact, 1M keys x 1",
        unit: Unit::Millis,
        etcd: "507",
        besides: "a lock per key",
        run: || index_compact(1_000_000, 1),
    },
    Row {
        what: "index bytes per key, 1 revision",
        unit: Unit::Bytes,
        etcd: "228",
        besides: "nothing: both with the key's 64 bytes",
        run: || index_bytes(1),
    },
    Row {
        what: "index bytes per key, 10 revisions",
        unit: Unit::Bytes,
        etcd: "468",
        besides: "nothing",
        run: || index_bytes(10),
    },
    Row {
        what: "index bytes per key, 100 revisions",
        unit: Unit::Bytes,
        etcd: "2259",
        besides: "nothing",
        run: || index_bytes(100),
    },
    Row {
        what: "index bytes per further revision",
        unit: Unit::Bytes,
        etcd: "20",
        besides: "nothing",
        run: index_bytes_per_revision,
    },
    Row {
        what: "store put, 100k new keys",
        unit: Unit::PerSecond,
        etcd: "182k",
        besides: WRITE,
        run: || store_put(100_000, 1),
    },
    Row {
        what: "store put, 10k keys x 100",
        unit: Unit::PerSecond,
        etcd: "198k",
        besides: WRITE,
        run: || store_put(10_000, 100),
    },
    Row {
        what: "store get now, 10k keys x 100",
        unit: Unit::PerSecond,
        etcd: "87k",
        besides: READ,
        run: || store_get(At::Now),
    },
    Row {
        what: "store get in the past, 10k keys x 100",
        unit: Unit::PerSecond,
        etcd: "73k",
        besides: READ,
        run: || store_get(At::Middle),
    },
    Row {
        what: "range of 1,000 keys of 100k",
        unit: Unit::Millis,
        etcd: "1.28",
        besides: READ,
        run: || store_range(1_000, 0),
    },
    Row {
        what: "range of all 100k keys",
        unit: Unit::Millis,
        etcd: "124",
        besides: READ,
        run: || store_range(100_000, 0),
    },
    Row {
        what: "range of all 100k keys, limit 1,000",
        unit: Unit::Millis,
        etcd: "26.6",
        besides: READ,
        run: || store_range(100_000, 1_000),
    },
    Row {
        what: "count of all 100k keys",
        unit: Unit::Millis,
        etcd: "15.9",
        besides: READ,
        run: store_count,
    },
    Row {
        what: "compaction of 1M revisions of 10k keys",
        unit: Unit::Millis,
        etcd: "11840",
        besides: "1,000 pauses of 10 ms (ours are simulated), a commit to tmpfs per batch of 1,000",
        run: || store_compact(1_000),
    },
    Row {
        what: "the same in batches of 100k",
        unit: Unit::Millis,
        etcd: "1360",
        besides: "10 pauses of 10 ms, a commit to tmpfs per batch",
        run: || store_compact(100_000),
    },
    Row {
        what: "restore of 1M revisions of 10k keys",
        unit: Unit::Millis,
        etcd: "521",
        besides: "reading the pages of a file on tmpfs",
        run: store_restore,
    },
    Row {
        what: "keyframe: clone of a 1M-revision store",
        unit: Unit::Millis,
        etcd: "-",
        besides: "(etcd has none)",
        run: store_clone,
    },
    Row {
        what: "fan-out, 1,000 watchers on 10 streams",
        unit: Unit::PerSecond,
        etcd: "3.29M",
        besides: FAN,
        run: || watch::fan_out(1_000, 10),
    },
    Row {
        what: "fan-out, 10,000 watchers on 100 streams",
        unit: Unit::PerSecond,
        etcd: "2.26M",
        besides: FAN,
        run: || watch::fan_out(10_000, 100),
    },
    Row {
        what: "fan-out, 10,000 watchers and streams",
        unit: Unit::PerSecond,
        etcd: "0.73M",
        besides: FAN,
        run: || watch::fan_out(10_000, 10_000),
    },
    Row {
        what: "the whole world, 1,000 watches, 10 streams",
        unit: Unit::PerSecond,
        etcd: "0.60M",
        besides: "gRPC over loopback, client and server on the same two cores",
        run: || watch::fan_out_world(1_000, 10, 100),
    },
    Row {
        what: "catch-up, 10,000 watchers, each its key",
        unit: Unit::Millis,
        etcd: "510",
        besides: CATCH,
        run: || watch::catch_up_own_keys(10_000),
    },
    Row {
        what: "catch-up, 1,000 watchers, 10k revisions",
        unit: Unit::Millis,
        etcd: "4500",
        besides: CATCH,
        run: || watch::catch_up_one_key(1_000),
    },
    Row {
        what: "session seek to any step, 10k events",
        unit: Unit::Millis,
        etcd: "-",
        besides: "(etcd has none)",
        run: session_seek,
    },
    Row {
        what: "Watch view, 1,000 watchers, 10k revisions",
        unit: Unit::Millis,
        etcd: "-",
        besides: "(etcd has none)",
        run: || pictures::watch_view(1_000),
    },
    Row {
        what: "Watch view, 24 watchers, 10k revisions",
        unit: Unit::Millis,
        etcd: "-",
        besides: "(etcd has none)",
        run: || pictures::watch_view(24),
    },
    Row {
        what: "Messages view, 400 of 20k messages",
        unit: Unit::Millis,
        etcd: "-",
        besides: "(etcd has none)",
        run: pictures::messages_view,
    },
];

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    if word == "--workloads" {
        return time_workloads();
    }
    if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
        println!("load average {}", load.trim());
    }
    println!(
        "median [least greatest] of {RUNS} runs; processor time of one thread, an allocator that counts\n"
    );
    println!(
        "{:<40} {:>7}  {:<29} {:>11}  etcd's figure includes besides",
        "what", "unit", "watchglass", "etcd 3.4.23"
    );
    for row in ROWS.iter().filter(|row| row.what.contains(&word)) {
        let mut runs = (row.run)();
        runs.sort_by(f64::total_cmp);
        let unit = match row.unit {
            Unit::PerSecond => "ops/s",
            Unit::Millis => "ms",
            Unit::Bytes => "bytes",
        };
        let [least, median, greatest] =
            [0, runs.len() / 2, runs.len() - 1].map(|i| figure(runs[i], row.unit));
        println!(
            "{:<40} {unit:>7}  {:<29} {:>11}  {}",
            row.what,
            format!("{median} [{least} {greatest}]"),
            row.etcd,
            row.besides
        );
    }
}

/// For each workload its number, the milliseconds of every run, and its name: what
/// `cargo xtask bench wasm` puts beside the same in wasm.
fn time_workloads() {
    for (number, workload) in workloads::WORKLOADS.iter().enumerate() {
        let took = runs(|| {
            let (took, events) = timed(workload.run);
            assert_eq!(events, workload.events, "{}", workload.name);
            millis(took)
        });
        let took: Vec<String> = took.iter().map(|ms| format!("{ms:.2}")).collect();
        println!("{number} {} {}", took.join(" "), workload.name);
    }
}

fn figure(n: f64, unit: Unit) -> String {
    match unit {
        Unit::PerSecond if n >= 1e6 => format!("{:.2}M", n / 1e6),
        Unit::PerSecond => format!("{:.0}k", n / 1e3),
        Unit::Millis if n < 0.1 => format!("{n:.4}"),
        Unit::Millis if n < 10.0 => format!("{n:.2}"),
        Unit::Millis => format!("{n:.1}"),
        Unit::Bytes => format!("{n:.0}"),
    }
}

/// A key of 64 bytes, ascending with `i`.
fn key(i: u64) -> Bytes {
    let namespace = format!("/registry/pods/namespace-{:04}/", i / 1000);
    let width = 64 - namespace.len();
    format!("{namespace}{i:0width$}").into()
}

fn keys(n: u64) -> Vec<Bytes> {
    (0..n).map(key).collect()
}

fn value() -> Bytes {
    Bytes::from(vec![b'v'; 256])
}

fn timed<T>(f: impl FnOnce() -> T) -> (Duration, T) {
    let (wall, processor) = (Instant::now(), processor_time());
    let made = black_box(f());
    let took = match (processor, processor_time()) {
        (Some(before), Some(after)) => after - before,
        _ => wall.elapsed(),
    };
    (took, made)
}

fn rate(ops: u64, took: Duration) -> f64 {
    ops as f64 / took.as_secs_f64()
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

fn runs(mut f: impl FnMut() -> f64) -> Vec<f64> {
    (0..RUNS).map(|_| f()).collect()
}

/// An index in which every key was put once a round.
fn index_of(keys: &[Bytes], rounds: u64) -> TreeIndex {
    let mut index = TreeIndex::default();
    let mut main = 1;
    for _ in 0..rounds {
        for key in keys {
            main += 1;
            index.put(key.clone(), Revision::new(main, 0));
        }
    }
    index
}

fn index_put(n: u64, rounds: u64) -> Vec<f64> {
    let keys = keys(n);
    runs(|| rate(n * rounds, timed(|| index_of(&keys, rounds)).0))
}

/// Where gets look.
#[derive(Clone, Copy)]
enum At {
    Now,
    Middle,
    AnyRevision,
}

impl At {
    fn choose(self, current: i64, rng: &mut Rng) -> i64 {
        match self {
            Self::Now => current,
            Self::Middle => current / 2,
            Self::AnyRevision => 2 + rng.below(current as u64 - 1) as i64,
        }
    }
}

const GETS: u64 = 200_000;

fn index_get(n: u64, rounds: u64, at: At) -> Vec<f64> {
    let keys = keys(n);
    let index = index_of(&keys, rounds);
    let current = (n * rounds) as i64 + 1;
    let mut rng = Rng::stream(1, "gets");
    let gets: Vec<_> = (0..GETS)
        .map(|_| (rng.below(n) as usize, at.choose(current, &mut rng)))
        .collect();
    runs(|| {
        let found = || {
            gets.iter()
                .filter(|(i, rev)| index.get(&keys[*i], *rev).is_some())
                .count()
        };
        rate(GETS, timed(found).0)
    })
}

fn index_compact(n: u64, rounds: u64) -> Vec<f64> {
    let keys = keys(n);
    let current = (n * rounds) as i64 + 1;
    runs(|| {
        let mut index = index_of(&keys, rounds);
        let (took, kept) = timed(|| index.compact(current, Profile::V3_6));
        assert_eq!(kept.len() as u64, n);
        millis(took)
    })
}

/// Bytes in use for an index of 10k keys, by key; the keys are made for it, as a store's are.
fn index_bytes(rounds: u64) -> Vec<f64> {
    const KEYS: u64 = 10_000;
    runs(|| {
        let before = LIVE_BYTES.load(Ordering::Relaxed);
        let mut index = TreeIndex::default();
        for main in 0..KEYS * rounds {
            index.put(key(main % KEYS), Revision::new(main as i64 + 2, 0));
        }
        let bytes = LIVE_BYTES.load(Ordering::Relaxed) - before;
        drop(index);
        bytes as f64 / KEYS as f64
    })
}

fn index_bytes_per_revision() -> Vec<f64> {
    let (one, hundred) = (index_bytes(1), index_bytes(100));
    one.iter()
        .zip(&hundred)
        .map(|(one, hundred)| (hundred - one) / 99.0)
        .collect()
}

fn store_of(keys: &[Bytes], rounds: u64) -> KvStore {
    let mut store = KvStore::new(Profile::V3_6);
    let value = value();
    for _ in 0..rounds {
        for key in keys {
            let mut txn = store.write();
            txn.put(key.clone(), value.clone(), 0);
            txn.end();
        }
    }
    store
}

fn store_put(n: u64, rounds: u64) -> Vec<f64> {
    let keys = keys(n);
    runs(|| rate(n * rounds, timed(|| store_of(&keys, rounds)).0))
}

fn store_get(at: At) -> Vec<f64> {
    const KEYS: u64 = 10_000;
    let keys = keys(KEYS);
    let store = store_of(&keys, 100);
    let mut rng = Rng::stream(1, "gets");
    let gets: Vec<_> = (0..GETS)
        .map(|_| {
            let key = keys[rng.below(KEYS) as usize].clone();
            (KeyRange::One(key), at.choose(store.current_rev(), &mut rng))
        })
        .collect();
    runs(|| {
        let found = || {
            gets.iter()
                .map(|(key, rev)| store.range(key, *rev, 0).map_or(0, |r| r.count))
                .sum::<i64>()
        };
        let (took, found) = timed(found);
        assert_eq!(found as u64, GETS);
        rate(GETS, took)
    })
}

fn store_range(n: u64, limit: i64) -> Vec<f64> {
    const KEYS: u64 = 100_000;
    let store = store_of(&keys(KEYS), 1);
    let first = (KEYS - n) / 2;
    let range = KeyRange::Between(key(first), key(first + n));
    runs(|| {
        let (took, found) = timed(|| store.range(&range, 0, limit));
        assert_eq!(found.map(|found| found.count), Ok(n as i64));
        millis(took)
    })
}

fn store_count() -> Vec<f64> {
    const KEYS: u64 = 100_000;
    let store = store_of(&keys(KEYS), 1);
    let range = KeyRange::From(Bytes::zero());
    runs(|| {
        let (took, found) = timed(|| store.count(&range, 0));
        assert_eq!(found.map(|found| found.count), Ok(KEYS as i64));
        millis(took)
    })
}

fn store_compact(batch_rows: u32) -> Vec<f64> {
    let full = store_of(&keys(10_000), 100);
    runs(|| {
        // A clone shares everything with the full store: that is what a keyframe is, and what the
        // simulator pays for as well.
        let mut store = full.clone();
        let mut limits = store.limits();
        limits.batch_rows = batch_rows;
        store.set_limits(limits);
        let (took, ()) = timed(|| {
            store.compact(store.current_rev()).expect("never compacted");
            while store.compactions_pending() > 0 {
                store.compaction_batch();
            }
        });
        millis(took)
    })
}

fn store_restore() -> Vec<f64> {
    let store = store_of(&keys(10_000), 100);
    runs(|| {
        let rows = store.backend().clone();
        let (took, again) = timed(|| KvStore::restore(rows, Profile::V3_6));
        assert_eq!(again.current_rev(), store.current_rev());
        millis(took)
    })
}

fn store_clone() -> Vec<f64> {
    let store = store_of(&keys(10_000), 100);
    runs(|| {
        let (took, again) = timed(|| store.clone());
        assert_eq!(again.current_rev(), store.current_rev());
        millis(took)
    })
}

/// A session of at least 10k events, and the mean of jumps to random steps.
fn session_seek() -> Vec<f64> {
    const EVENTS: u64 = 10_000;
    const SEEKS: u64 = 200;
    let mut session = Session::default();
    let (mut events, mut seen, mut puts) = (0, 0, 0);
    while events < EVENTS {
        let done = session.exec(&format!("put {} value{puts}", key(puts % 500)));
        assert_eq!(done.exit, 0, "{}", done.stderr);
        puts += 1;
        let run = session.run();
        events += (seen + 1..=run.len())
            .map(|step| run.events(step).len() as u64)
            .sum::<u64>();
        seen = run.len();
    }
    let steps = session.run().len();
    let mut rng = Rng::stream(1, "seeks");
    runs(|| {
        let (took, ()) = timed(|| {
            for _ in 0..SEEKS {
                session.seek(SeekTo::Step(rng.below(steps + 1)));
            }
        });
        millis(took) / SEEKS as f64
    })
}
