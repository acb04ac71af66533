//! The native speed of the engine: `cargo run --release -p watchglass-engine --example bench [WORD]`. With `WORD`, the
//! program runs only the rows whose names contain this word.
//!
//! Keys have 64 bytes and values 256. Times are processor time if the system reports it, so that other programs
//! influence the times less. With `--row ROW RUNS`, the program does the work of one row of `rows.rs`; `cargo xtask
//! bench native` compares this row with etcd.

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
mod qos;
mod rows;
mod session;
mod watch;
mod workloads;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use watchglass_engine::api::Profile;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::mvcc::{KvStore, Revision, TreeIndex};
use watchglass_engine::session::{SeekTo, Session};

use processor_time::processor_time;

/// The number of runs of each row; the table shows their median, minimum and maximum.
const RUNS: usize = 5;

/// The system's allocator with a counter of the bytes in use.
struct Counting;

static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged; the counter is separate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller guarantees what `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

struct Row {
    what: &'static str,
    unit: Unit,
    run: fn() -> Vec<f64>,
}

#[derive(Clone, Copy)]
enum Unit {
    PerSecond,
    Millis,
    Nanos,
    Bytes,
}

const ROWS: &[Row] = &[
    Row {
        what: "index bytes per key, 1 revision",
        unit: Unit::Bytes,
        run: || index_bytes(1),
    },
    Row {
        what: "index bytes per key, 10 revisions",
        unit: Unit::Bytes,
        run: || index_bytes(10),
    },
    Row {
        what: "index bytes per key, 100 revisions",
        unit: Unit::Bytes,
        run: || index_bytes(100),
    },
    Row {
        what: "index bytes per further revision",
        unit: Unit::Bytes,
        run: index_bytes_per_revision,
    },
    Row {
        what: "compaction of 1M revisions of 10k keys",
        unit: Unit::Millis,
        run: || store_compact(1_000),
    },
    Row {
        what: "the same in batches of 100k",
        unit: Unit::Millis,
        run: || store_compact(100_000),
    },
    Row {
        what: "keyframe: clone of a 1M-revision store",
        unit: Unit::Millis,
        run: store_clone,
    },
    Row {
        what: "fan-out, 1,000 watchers on 10 streams",
        unit: Unit::PerSecond,
        run: || watch::fan_out(1_000, 10),
    },
    Row {
        what: "fan-out, 10,000 watchers on 100 streams",
        unit: Unit::PerSecond,
        run: || watch::fan_out(10_000, 100),
    },
    Row {
        what: "fan-out, 10,000 watchers and streams",
        unit: Unit::PerSecond,
        run: || watch::fan_out(10_000, 10_000),
    },
    Row {
        what: "the whole world, 1,000 watches, 10 streams",
        unit: Unit::PerSecond,
        run: || watch::fan_out_world(1_000, 10, 100),
    },
    Row {
        what: "catch-up, 10,000 watchers, each its key",
        unit: Unit::Millis,
        run: || watch::catch_up_own_keys(10_000),
    },
    Row {
        what: "catch-up, 1,000 watchers, 10k revisions",
        unit: Unit::Millis,
        run: || watch::catch_up_one_key(1_000),
    },
    Row {
        what: "session seek to any step, 10k events",
        unit: Unit::Millis,
        run: session_seek,
    },
    Row {
        what: "Watch view, 1,000 watchers, 10k revisions",
        unit: Unit::Millis,
        run: || pictures::watch_view(1_000),
    },
    Row {
        what: "Watch view, 24 watchers, 10k revisions",
        unit: Unit::Millis,
        run: || pictures::watch_view(24),
    },
    Row {
        what: "Messages view, 400 of 20k messages",
        unit: Unit::Millis,
        run: pictures::messages_view,
    },
    Row {
        what: "QoS decision, 1 rule",
        unit: Unit::Nanos,
        run: || qos::decision(1),
    },
    Row {
        what: "QoS decision, 10 rules",
        unit: Unit::Nanos,
        run: || qos::decision(10),
    },
    Row {
        what: "QoS decision, 100 rules",
        unit: Unit::Nanos,
        run: || qos::decision(100),
    },
    Row {
        what: "QoS estimate of a range, 10,000 keys",
        unit: Unit::Nanos,
        run: || qos::estimate(10_000),
    },
    Row {
        what: "QoS estimate of a range, 1,000,000 keys",
        unit: Unit::Nanos,
        run: || qos::estimate(1_000_000),
    },
    Row {
        what: "QoS tree, a new key among 1,000,000",
        unit: Unit::Nanos,
        run: || qos::insert(1_000_000),
    },
    Row {
        what: "QoS tree, bytes per key",
        unit: Unit::Bytes,
        run: qos::tree_bytes,
    },
    Row {
        what: "QoS monitor, 1,000 requests",
        unit: Unit::Bytes,
        run: qos::monitor_bytes,
    },
    Row {
        what: "QoS monitor and tracker, 1,000 requests",
        unit: Unit::Bytes,
        run: qos::tracker_bytes,
    },
    Row {
        what: "QoS with 4,096 limiters, too",
        unit: Unit::Bytes,
        run: qos::limiter_bytes,
    },
];

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    if word == "--workloads" {
        return time_workloads();
    }
    if word == "--row" {
        return time_row();
    }
    if word == "session" {
        let scale = std::env::args().nth(2).and_then(|scale| scale.parse().ok());
        return session::print(scale.unwrap_or(1));
    }
    if let Ok(load) = std::fs::read_to_string("/proc/loadavg") {
        println!("load average {}", load.trim());
    }
    println!(
        "median [least greatest] of {RUNS} runs; processor time of one thread, an allocator that counts\n"
    );
    println!("{:<40} {:>7}  median [least greatest]", "what", "unit");
    for row in ROWS.iter().filter(|row| row.what.contains(&word)) {
        let mut runs = (row.run)();
        runs.sort_by(f64::total_cmp);
        let unit = match row.unit {
            Unit::PerSecond => "ops/s",
            Unit::Millis => "ms",
            Unit::Nanos => "ns",
            Unit::Bytes => "bytes",
        };
        let [least, median, greatest] =
            [0, runs.len() / 2, runs.len() - 1].map(|i| figure(runs[i], row.unit));
        println!("{:<40} {unit:>7}  {median} [{least} {greatest}]", row.what);
    }
    if word.is_empty() {
        session::print(1);
    }
}

/// Prints one line for each workload: its number, the milliseconds of every run, and its name. `cargo xtask bench wasm`
/// compares these times with the times in wasm.
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

/// Prints for each run of a row of `rows.rs` the elapsed time and the processor time in milliseconds, in the format of
/// `etcd/main.go`.
fn time_row() {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let took = match args.as_slice() {
        [row, runs] => runs.parse().ok().and_then(|runs| rows::run(row, runs)),
        _ => None,
    };
    for run in took.expect("usage: bench --row ROW RUNS") {
        println!("{:.4} {:.4}", run.passed, run.used);
    }
}

fn figure(n: f64, unit: Unit) -> String {
    match unit {
        Unit::PerSecond if n >= 1e6 => format!("{:.2}M", n / 1e6),
        Unit::PerSecond => format!("{:.0}k", n / 1e3),
        Unit::Millis if n < 0.1 => format!("{n:.4}"),
        Unit::Millis if n < 10.0 => format!("{n:.2}"),
        Unit::Millis => format!("{n:.1}"),
        Unit::Nanos | Unit::Bytes => format!("{n:.0}"),
    }
}

/// Returns a key of 64 bytes; keys ascend with `i`.
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

/// Measures the bytes per key of an index of 10,000 keys. The result includes the memory of the keys themselves.
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

fn store_compact(batch_rows: u32) -> Vec<f64> {
    let full = store_of(&keys(10_000), 100);
    runs(|| {
        // The clone shares everything with the full store. A keyframe is such a clone, so the simulator has the same
        // cost.
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

fn store_clone() -> Vec<f64> {
    let store = store_of(&keys(10_000), 100);
    runs(|| {
        let (took, again) = timed(|| store.clone());
        assert_eq!(again.current_rev(), store.current_rev());
        millis(took)
    })
}

/// Measures the mean time in which the cursor moves to a random step, in a session of at least 10,000 events.
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
